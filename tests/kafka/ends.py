"""The daemon with a real Kafka that does not answer, or refuses records.

usage: ends.py PROGRAM CASE [ROUNDS [RECORDS]]

  down       SIGTERM without a broker since the start: exits within drain-ms, with 0

  killed     the broker is killed under load, then SIGTERM: exits within drain-ms, with 0 or 75 and a reason

  frozen     the same with a broker that is stopped (SIGSTOP)

  least      killed and frozen, at least once: nothing lost

  gone       the input topic is deleted, then SIGTERM: exits within drain-ms, and committed records stay committed

  narrow     topics with limits below some records and dead letters: only those are cut, reported and counted

  large      messages of 20 MB, and an output topic with a limit that is lowered meanwhile

  ready      /readyz reports a missing topic, a frozen broker, and the end of both

After each failure the daemon restarts, and a read_committed reader without our code judges the result.

Exits with 77 if Java, Maven or the network is missing.
"""
import collections
import os
import random
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import broker as rig  # noqa: E402
import chaos  # noqa: E402
from chaos import Case, fail  # noqa: E402

DRAIN_MS = 5000
DEFAULTS = {'down': (1, 200), 'killed': (2, 6000), 'frozen': (2, 6000), 'least': (2, 6000), 'gone': (1, 400), 'narrow': (1, 60), 'large': (1, 6), 'ready': (1, 200)}
rng = random.Random(5)


class Ends(Case):
    delivery = 'exactly-once'

    def config(self, name, source):
        path = super().config(name, source)
        with open(path) as f:
            text = f.read()
        text = text.replace('delivery = exactly-once', 'delivery = %s\ndrain-ms = %d' % (self.delivery, DRAIN_MS))
        with open(path, 'w') as f:
            f.write(text)
        return path

    def get(self, path, name='a'):
        try:
            with urllib.request.urlopen('http://127.0.0.1:%d%s' % (self.port(name), path), timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return None, str(error)

    def metric(self, row):
        for line in self.get('/metrics')[1].splitlines():
            if line.startswith(row + ' '):
                return float(line.rsplit(' ', 1)[1])
        return None

    def wait_ready(self, want, words='', seconds=300):
        end = time.time() + seconds
        while time.time() < end:
            code, text = self.get('/readyz')
            if code == want and words in text:
                return text.strip()
            time.sleep(0.2)
        fail('/readyz is not %s %s but' % (want, words), (code, text, self.log('a')[-800:]))

    def wait_started(self):
        end = time.time() + 60
        while time.time() < end and not self.get('/metrics')[1].startswith('#'):
            time.sleep(0.05)

    def terminate(self, claim, codes):
        """SIGTERM; within drain-ms it is gone, with one of the codes. Returns the code."""
        process = self.processes.pop('a')
        start = time.time()
        process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(4 * DRAIN_MS / 1000)
        except subprocess.TimeoutExpired:
            process.kill()
            fail('%s: SIGTERM was not heard' % claim, self.log('a')[-1500:])
        took = time.time() - start
        self.slowest = max(getattr(self, 'slowest', 0), took)
        if took > DRAIN_MS / 1000:
            fail('%s: %.2f s to the end' % (claim, took), self.log('a')[-1500:])
        if code not in codes:
            fail('%s: exit %d' % (claim, code), self.log('a')[-1500:])
        if code == 75 and not any(words in self.log('a') for words in ('event=failed why="stopping', 'ended_by_limit')):
            fail('%s: no reason in the log' % claim, self.log('a')[-1500:])
        return code

    def judge_least(self, claim):
        seen = collections.Counter(int(r.key.rsplit(b'/', 1)[1]) for r in self.kafka.consume('out').records)
        lost = {n for n in range(self.records) if not chaos.is_poison(n)} - set(seen)
        if lost:
            fail('%s: %d lost' % (claim, len(lost)), sorted(lost)[:10])
        print('ok: %s: 0 of %d lost, %d came again' % (claim, self.records, sum(seen.values()) - len(seen)))


def down(case, rounds):
    case.fill()
    case.kafka.kill()
    for _ in range(rounds):
        case.start('a')
        time.sleep(rng.uniform(1, 4))
        code, text = case.get('/readyz')
        if code != 503:
            fail('ready without a broker', (code, text))
        case.terminate('broker down', (0,))
    case.kafka.restart()
    case.start('a')
    case.wait_until_read(120)
    case.stop()
    case.judge('%d SIGTERMs with the broker down, the slowest end %.2f s' % (rounds, case.slowest))


def hurt_by_kill(case):
    case.kafka.kill()
    return case.kafka.restart


def hurt_by_freeze(case):
    pid = case.kafka.pid()
    os.kill(pid, signal.SIGSTOP)
    return lambda: os.kill(pid, signal.SIGCONT)


def under_load(case, rounds, kinds):
    case.fill()
    codes = collections.Counter()
    for i in range(rounds):
        case.start('a')
        end = time.time() + 20
        while time.time() < end and not case.metric('thresher_records_in_flight'):
            pass
        time.sleep(rng.uniform(0, 0.3))
        heal = kinds[i % len(kinds)](case)
        time.sleep(rng.uniform(0, 4))
        codes[case.terminate(kinds[i % len(kinds)].__name__, (0, 75))] += 1
        heal()
    case.start('a')
    case.wait_until_read(300)
    case.stop()
    return '%d SIGTERMs (%s), exits %s, the slowest end %.2f s' % (rounds, ', '.join(k.__name__ for k in kinds), dict(codes), case.slowest)


def killed(case, rounds):
    case.judge(under_load(case, rounds, [hurt_by_kill]))


def frozen(case, rounds):
    case.judge(under_load(case, rounds, [hurt_by_freeze]))


def least(case, rounds):
    case.delivery = 'at-least-once'
    case.judge_least(under_load(case, rounds, [hurt_by_kill, hurt_by_freeze]))


def gone(case, rounds):
    case.fill()
    case.start('a', 'topics = in\ninstance = a\nlibrdkafka.topic.metadata.refresh.interval.ms = 2000\n')
    case.wait_until_read(120)
    case.kafka.delete_topic('in')
    case.wait_ready(503, "topic 'in' does not exist")
    time.sleep(3)
    code = case.terminate('input topic gone', (0, 75))
    case.judge('input topic gone: exit %d after %.2f s' % (code, case.slowest))


def noise(number, kilobytes):
    words = random.Random(number)
    return b''.join(b'<p>%s</p>' % b' '.join(b'%x' % words.getrandbits(60) for _ in range(64)) for _ in range(kilobytes))


def narrow(case, rounds):
    """In each ten: an oversized page and an oversized poison message. The others compress to less than the topic's limit."""
    case.kafka.create_topic('wide.in', 1)
    case.kafka.create_topic('narrow.out', 1, {'max.message.bytes': 300000})
    case.kafka.create_topic('narrow.dead', 1, {'max.message.bytes': 600})

    def value(n):
        if n % 10 == 9:
            return b'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n' + random.Random(n).randbytes(50000)
        return b'<html><body>%s</body></html>' % noise(n, 900 if n % 10 == 3 else 350 if n % 10 == 5 else 2)
    for delivery in ('exactly-once', 'at-least-once'):
        case.delivery = delivery
        group = 'g.' + delivery
        case.kafka.produce('wide.in', (rig.Record(b'http://n.example/%d' % n, value(n), (), 0) for n in range(case.records)))
        path = case.config('a', 'topics = wide.in\ninstance = a\n')
        with open(path) as f:
            text = f.read().replace('records-topic = out', 'records-topic = narrow.out').replace('letters-topic = dead', 'letters-topic = narrow.dead').replace('group = g\n', 'group = %s\n' % group)
        with open(path, 'w') as f:
            f.write(text)
        with open(os.path.join(case.folder, 'a.log'), 'ab') as log:
            case.processes['a'] = chaos.start('serve', '-c', path, stderr=log)
        end = time.time() + 120 + case.records / 5
        while sum(case.kafka.committed(group).values()) < case.records:
            if time.time() > end or case.processes['a'].poll() is not None:
                fail('narrow topics stop it', case.log('a')[-1500:])
            time.sleep(0.5)
        cuts = [case.metric('thresher_kafka_messages_cut_total{topic="%s"}' % t) for t in ('records', 'dead_letters')]
        case.stop()
        seen = collections.Counter()
        for record in case.kafka.consume('narrow.out').records:
            number = int(record.key.rsplit(b'/', 1)[1])
            seen[number] += 1
            if (b'"text_cut"' in record.value) != (number % 10 == 3):
                fail('%s: page %d is %d bytes' % (delivery, number, len(record.value)))
        letters = list(case.kafka.consume('narrow.dead').records)
        places = collections.Counter(dict(r.headers)['__connect.errors.offset'] for r in letters)
        want = {n for n in range(case.records) if n % 10 != 9}
        if set(seen) != want or set(seen.values()) != {1} or len(places) != case.records // 10 or set(places.values()) != {1}:
            fail('%s: lost or twice' % delivery, (sorted(want - set(seen)), seen.most_common(3), places.most_common(3)))
        if any(not dict(r.headers).get('thresher.left_out_bytes') for r in letters):
            fail('a cut dead letter does not say so', letters[0].headers)
        if cuts != [case.records // 10] * 2:
            fail('cuts are not counted', cuts)
        print('ok: narrow topics, %s: %d records, %d cut; %d dead letters, all cut; 0 lost, 0 twice' % (delivery, len(seen), cuts[0], len(letters)))
        for topic in ('wide.in', 'narrow.out', 'narrow.dead'):
            case.kafka.delete_topic(topic)
        time.sleep(1)
        case.kafka.create_topic('wide.in', 1)
        case.kafka.create_topic('narrow.out', 1, {'max.message.bytes': 300000})
        case.kafka.create_topic('narrow.dead', 1, {'max.message.bytes': 600})


def large(case, rounds):
    """Writes to a topic with a limit of 32 MB. The record keeps 8 MB. Then the limit is a few kilobytes, and one record is larger."""
    case.kafka.delete_topic('in')
    time.sleep(1)
    case.kafka.create_topic('in', 4, {'max.message.bytes': 33554432})
    sizes = {0: 20 << 20, 2: 12 << 20}

    def value(n):
        body = chaos.page(n)
        return body + b'<p>' + b'many words ' * (sizes[n] // 11) if n in sizes else body
    case.kafka.produce('in', (rig.Record(b'http://k.example/%d' % n, value(n), (), n % 4) for n in range(case.records)), {'max.request.size': 40000000, 'buffer.memory': 100000000})
    case.start('a')
    case.wait_until_read(120)
    case.judge('messages of 20 and 12 MB')
    before = case.metric('thresher_kafka_messages_cut_total{topic="records"}')
    case.kafka.configure_topic('out', {'max.message.bytes': 20000})
    more = case.records
    case.records += 40
    sizes.clear()
    case.kafka.produce('in', (rig.Record(b'http://k.example/%d' % n, b'<html>%s</html>' % noise(n, 100) if n == more + 8 else chaos.page(n), (), n % 4)
                              for n in range(more, case.records)))
    case.wait_until_read(120)
    cut = case.metric('thresher_kafka_messages_cut_total{topic="records"}') - before
    if cut != 1:
        fail('%d records were cut, not 1' % cut)
    case.stop()
    case.judge('a limit that is lowered meanwhile, one record cut')


def ready(case, rounds):
    case.fill()
    case.start('a')
    case.wait_until_read(120)
    case.wait_ready(200)
    case.kafka.delete_topic('dead')
    words = [case.wait_ready(503, "topic 'dead' does not exist")]
    case.kafka.create_topic('dead', chaos.PARTITIONS)
    case.wait_ready(200)
    pid = case.kafka.pid()
    os.kill(pid, signal.SIGSTOP)
    words.append(case.wait_ready(503, 'no broker has answered'))
    os.kill(pid, signal.SIGCONT)
    case.wait_ready(200)
    case.stop()
    print('ok: /readyz: %s' % '; '.join(words))


if __name__ == '__main__':
    chaos.run_case(globals(), DEFAULTS, lambda _, folder, records: Ends(folder, records))
