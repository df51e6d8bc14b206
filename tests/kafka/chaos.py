"""The daemon with a real Kafka and failures: nothing lost, nothing twice, order kept, and poison in the dead letters.

usage: chaos.py PROGRAM CASE [ROUNDS [RECORDS]]

  kill       two processes in one group, kill -9 of one or both at random moments

  broker     the broker is killed and restarted

  rebalance  a second process joins and leaves

  term       SIGTERM under load: exit 0 within 5 s

  zombie     a process is stopped past its session, another one replaces it, then it continues

  spool      a spool directory to Kafka, kill -9

  index      Kafka to Kafka with an index of near-duplicates, kill -9: records and edges equal a run without failures, byte for byte

  index_spool  the same from a spool directory

  index_least  Kafka to Kafka at least once: a record can occur twice, with the same result

  load       no failure, to measure throughput

Every case except the index cases mixes poison (1 in 100) into its input. A read_committed reader without our code judges the result.

Exits with 77 if Java, Maven or the network is missing.
"""
import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import broker as rig  # noqa: E402
import archive  # noqa: E402
from case import busy_factor, free_port, metrics_add_up, start  # noqa: E402

PARTITIONS = 4
DEFAULTS = {'kill': (10, 20000), 'broker': (2, 20000), 'rebalance': (5, 20000), 'term': (5, 20000), 'zombie': (1, 20000), 'spool': (10, 20000), 'index': (3, 1200), 'index_spool': (3, 1500), 'index_least': (3, 1500), 'load': (1, 100000)}
rng = random.Random(3)


def fail(claim, detail=''):
    print('FAILED: %s %s' % (claim, detail))
    sys.exit(1)


def is_poison(number):
    return number % 100 == 99


def page(number):
    """A small page; poison is an image that says it is one."""
    if is_poison(number):
        return b'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n\x1a\n%d' % number
    return b'<html><head><title>Page %d</title></head><body><p>This is page number %d of a long row of pages that say very little.</p></body></html>' % (number, number)


class Case:
    broker_properties = None  # with priority over the broker's template
    host = '127.0.0.1'  # where the broker listens
    endpoint = '127.0.0.1'  # address of the processes' endpoints
    delivery = 'exactly-once'
    started_by = None  # called in each daemon process before the program replaces it

    def __init__(self, folder, records, topics=('in', 'out', 'dead')):
        self.folder, self.records = folder, records
        self.kafka = self.make_brokers(os.path.join(folder, 'kafka'))
        self.kafka.start()
        for topic in topics:
            self.kafka.create_topic(topic, partitions=PARTITIONS)
        self.processes = {}
        self.kills = self.scrapes = 0
        self.ports = {}

    def make_brokers(self, folder):
        return rig.Broker(folder, properties=self.broker_properties, host=self.host)

    def open_writer(self):
        """A process that writes during the whole test, because a Java program takes seconds to start."""
        self.writer, self.sent = self.kafka.writer('in'), 0

    def send(self, until):
        """Pages up to number `until`, each to its partition."""
        for n in range(self.sent, until):
            record = rig.Record(key=b'http://k.example/%d' % n, value=page(n), partition=n % PARTITIONS)
            self.writer.stdin.write(json.dumps(rig.as_line(record)).encode() + b'\n')
        self.writer.stdin.flush()
        self.sent = until

    def close_writer(self):
        self.writer.stdin.close()
        if self.writer.wait(120) != 0:
            fail('the writer of pages ended with %d' % self.writer.returncode)

    def fill(self):
        """Record n goes to partition n mod 4, in order."""
        self.kafka.produce('in', (rig.Record(key=b'http://k.example/%d' % n, value=page(n), partition=n % PARTITIONS) for n in range(self.records)))

    def config(self, name, source):
        path = os.path.join(self.folder, name + '.conf')
        with open(path, 'w') as f:
            f.write('[run]\njobs = 1\n[sketch]\nminhash = none\n[daemon]\nlisten = %s:%d\nlog-level = info\ndelivery = %s\nflush-ms = 100\nflush-results = 500\n%s'
                    '[kafka]\nbrokers = %s\ngroup = g\nrecords-topic = out\ndead-letters-topic = dead\ntransactional-id = t.%s\nprogress-topic = progress\n'
                    'session-ms = 6000\nlibrdkafka.consumer.max.poll.interval.ms = 60000\n%s'
                    % (self.endpoint, self.port(name), self.delivery, source if source.startswith('[') else '', self.kafka.bootstrap, name, '' if source.startswith('[') else source))
        return path

    def port(self, name):
        if name not in self.ports:
            self.ports[name] = free_port()
        return self.ports[name]

    def start(self, name, source=None):
        source = source or 'topics = in\ninstance = %s\n' % name
        log = open(os.path.join(self.folder, name + '.log'), 'ab')
        self.processes[name] = start('serve', '-c', self.config(name, source), stderr=log, preexec_fn=self.started_by)
        log.close()

    def kill(self, name):
        process = self.processes.pop(name)
        process.kill()
        self.kills += process.wait() == -signal.SIGKILL

    def revive(self, source=None):
        """A supervisor's part: whoever ended by itself is started again."""
        for name, process in list(self.processes.items()):
            if not metrics_add_up(self.port(name), self.endpoint):
                fail('the metrics of %s do not add up' % name)
            self.scrapes += 1
            if process.poll() is not None:
                if process.returncode not in (0, 75):
                    fail('%s ended with %d' % (name, process.returncode), self.log(name)[-1500:])
                self.start(name, source)

    def log(self, name):
        with open(os.path.join(self.folder, name + '.log'), errors='replace') as f:
            return f.read()

    def committed(self):
        return sum(offset for (topic, _), offset in self.kafka.committed('g').items() if topic == 'in')

    def wait_until_read(self, seconds, source=None):
        end = time.time() + seconds
        while time.time() < end:
            self.revive(source)
            if self.committed() >= self.records:
                return
            time.sleep(1)
        fail('not all was read in %d s: %d of %d' % (seconds, self.committed(), self.records), ''.join(self.log(n)[-800:] for n in self.processes))

    def stop(self):
        for name, process in self.processes.items():
            process.terminate()
        for name, process in self.processes.items():
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                fail('%s does not end' % name, self.log(name)[-1500:])
        self.processes = {}

    def judge(self, claim, order=True):
        good = collections.Counter()
        last = {}
        may_repeat = self.delivery == 'at-least-once'
        order = order and not may_repeat  # repeated records follow later records
        reading = self.kafka.consume('out')
        for record in reading.records:
            number = int(record.key.rsplit(b'/', 1)[1])
            good[number] += 1
            lane = (record.partition, number % PARTITIONS)
            if order and last.get(lane, -1) >= number:
                fail('%s: order' % claim, (lane, last[lane], number))
            last[lane] = number
        dead = collections.Counter()
        for record in self.kafka.consume('dead').records:
            dead[int(record.value.rsplit(b'\n', 1)[1])] += 1
        want = {n for n in range(self.records) if not is_poison(n)}
        poison = set(range(self.records)) - want
        lost, twice = want - set(good), sum(n - 1 for n in good.values())
        if lost or (twice and not may_repeat) or set(good) - want:
            fail('%s: %d lost, %d twice, %d strange' % (claim, len(lost), twice, len(set(good) - want)), sorted(lost)[:10])
        if set(dead) != poison or (sum(dead.values()) != len(poison) and not may_repeat):
            fail('%s: dead letters' % claim, (len(poison - set(dead)), sum(dead.values()) - len(dead), sorted(set(dead) - poison)[:5]))
        if not reading.is_settled:
            fail('%s: a transaction is left open' % claim)
        for name in self.ports:
            if 'was created again' in self.log(name):
                fail('%s: %s detects a recreated topic' % (claim, name), self.log(name)[-1500:])
        print('ok: %s: %d records, %d dead letters: 0 lost, %d twice%s; metrics added up %d times'
              % (claim, len(want), len(poison), twice, ', order kept' if order else '', self.scrapes))


def kill(case, rounds):
    case.fill()
    case.start('a')
    case.start('b')
    for _ in range(rounds):
        time.sleep(rng.uniform(0.3, 2))
        for name in rng.sample(['a', 'b'], rng.choice((1, 1, 2))):
            case.kill(name)
            case.start(name)
        case.revive()
    case.wait_until_read(600)
    case.stop()
    case.judge('%d kills of the daemon' % case.kills)


def broker(case, rounds):
    case.fill()
    case.start('a')
    case.start('b')
    for i in range(rounds):
        time.sleep(rng.uniform(1, 3))
        case.kafka.kill() if i % 2 == 0 else case.kafka.stop()
        time.sleep(rng.uniform(0, 2))
        case.kafka.restart()
        case.revive()
    case.wait_until_read(600)
    case.stop()
    case.judge('%d restarts of the broker' % rounds)


def rebalance(case, rounds):
    case.fill()
    case.start('a')
    for _ in range(rounds):
        case.start('b', 'topics = in\n')  # no static member: its leaving is a rebalance
        time.sleep(rng.uniform(2, 4))
        case.processes['b'].terminate()
        case.processes.pop('b').wait(30)
        case.revive()
    case.wait_until_read(600)
    case.stop()
    case.judge('%d joins and leaves' % rounds)


def term(case, rounds):
    case.fill()
    slowest = 0
    for _ in range(rounds):
        case.start('a')
        time.sleep(rng.uniform(1, 2.5))
        process = case.processes.pop('a')
        start = time.time()
        process.terminate()
        if process.wait(60) != 0:
            fail('SIGTERM: exit %d' % process.returncode, case.log('a')[-1500:])
        slowest = max(slowest, time.time() - start)
    if slowest > 5 and slowest > 10 * busy_factor():
        fail('SIGTERM: an end took %.1f s' % slowest)
    case.start('a')
    case.wait_until_read(600)
    case.stop()
    case.judge('%d SIGTERMs, the slowest end %.2f s' % (rounds, slowest))


def zombie(case, rounds):
    case.fill()
    for i in range(rounds):
        name = 'z%d' % i
        case.start(name, 'topics = in\n')
        time.sleep(rng.uniform(1.5, 3))
        process = case.processes.pop(name)
        process.send_signal(signal.SIGSTOP)
        case.start('a')
        time.sleep(8)  # past the session
        process.send_signal(signal.SIGCONT)
        time.sleep(2)
        process.terminate()
        process.wait(60)
        case.revive()
    case.wait_until_read(600)
    case.stop()
    case.judge('%d zombies' % rounds)


def spool(case, rounds):
    folder = os.path.join(case.folder, 'spool')
    os.makedirs(folder)
    source = '[spool]\npath = %s\nsettle-ms = 1\nquiet-ms = 20\nmin-age-ms = 200\nrescan-ms = 100\n' % folder
    files = max(1, case.records // 500)
    for f in range(files):
        parts = []
        for n in range(f * case.records // files, (f + 1) * case.records // files):
            body = page(n) if is_poison(n) else b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n' + page(n)
            parts.append(archive.record('response', body, 'http://k.example/%d' % n, n))
        archive.write(os.path.join(folder, '%05d.warc.gz' % f), parts)
    case.start('a', source)
    for _ in range(rounds):
        time.sleep(rng.uniform(0.3, 1.5))
        case.kill('a')
        case.start('a', source)
    end = time.time() + 300
    done = os.path.join(folder, 'done')
    while time.time() < end and (not os.path.isdir(done) or len(os.listdir(done)) < files):
        case.revive(source)
        time.sleep(0.2)
    time.sleep(1)
    case.stop()
    case.judge('spool to Kafka, %d kills' % case.kills)


# The index. One partition and one process, because a page's match depends on earlier pages, so only an order that
# does not depend on the failures can be judged.

def articles(count):
    """Pages as bodies; three in ten are edited copies of an earlier one, some are short and the same."""
    texts = random.Random(11)
    originals = []
    for _ in range(count):
        draw = texts.random()
        if draw < 0.3 and originals:
            words = list(texts.choice(originals))
            words[texts.randrange(len(words))] = texts.choice(archive.WORDS)
        elif draw < 0.4:
            words = ['gone']
        else:
            words = [texts.choice(archive.WORDS) for _ in range(200)]
            originals.append(words)
        yield ('<html><body><ul><li><a href="/">Home</a></li></ul><div><p>%s.</p></div></body></html>' % ' '.join(words)).encode()


def index_config(case, name, source, delivery):
    path = os.path.join(case.folder, name + '.conf')
    with open(path, 'w') as f:
        f.write('[run]\njobs = 2\n[index]\npath = %s\nepoch = 0\nsegment-pages = 150\nkeep = 1000\n[daemon]\nlisten = 127.0.0.1:%d\nlog-level = info\n'
                'delivery = %s\nflush-ms = 50\nflush-results = 25\n%s[kafka]\nbrokers = %s\ngroup = %s\nrecords-topic = %s.out\nedges-topic = %s.edges\n'
                'transactional-id = t.%s\nprogress-topic = progress\nsession-ms = 6000\nlibrdkafka.consumer.max.poll.interval.ms = 60000\n%s'
                % (os.path.join(case.folder, name + '.index'), case.port(name), delivery, source if source.startswith('[') else '', case.kafka.bootstrap, name, name, name, name,
                   '' if source.startswith('[') else source))
    return path


def emitted(case, name):
    """Records that are durable, by the process's own count; 0 where it does not answer."""
    try:
        with urllib.request.urlopen('http://127.0.0.1:%d/metrics' % case.port(name), timeout=60) as answer:
            return sum(int(line.rsplit(b' ', 1)[1]) for line in answer.read().splitlines() if line.startswith(b'thresher_records_emitted_total'))
    except OSError:
        return 0


def place(value):
    """Where a record came from."""
    source = json.loads(value)['source']
    return source.get('file'), source['offset']


def start_with_index(case, name, config):
    log = open(os.path.join(case.folder, name + '.log'), 'ab')
    case.processes[name] = start('serve', '-c', config, stderr=log)
    log.close()


def wait_for(case, name, records):
    """Waits until a process has made `count` records durable."""
    end = time.time() + 600
    while emitted(case, name) < records:
        if case.processes[name].poll() is not None or time.time() > end:
            fail('%s made %d of %d records' % (name, emitted(case, name), records), case.log(name)[-1500:])
        time.sleep(0.002)


def run_with_index(case, name, source, rounds, delivery='exactly-once'):
    """Runs to the end, after `kills` kills at random moments."""
    config = index_config(case, name, source, delivery)
    for _ in range(rounds):
        start_with_index(case, name, config)
        wait_for(case, name, rng.choice((0, 1, 1, 1)) * rng.randint(1, max(1, case.records // (rounds + 1))))
        time.sleep(rng.uniform(0, 0.06))  # not just when a count appears
        case.kill(name)
    start_with_index(case, name, config)
    if not rounds:
        wait_for(case, name, case.records)
    end = time.time() + 600
    while rounds and len({place(r.value) for r in case.kafka.consume(name + '.out').records}) < case.records:
        if case.processes[name].poll() is not None or time.time() > end:
            fail('%s does not finish' % name, case.log(name)[-1500:])
    case.stop()


def judge_index(case, road):
    whole, parted = ({t: [(r.key, r.value) for r in case.kafka.consume('%s.%s' % (name, t)).records] for t in ('out', 'edges')} for name in ('whole', 'parted'))
    for topic in ('out', 'edges'):
        if whole[topic] != parted[topic]:
            at = next((i for i, pair in enumerate(zip(whole[topic], parted[topic])) if pair[0] != pair[1]), -1)
            fail('%s differ' % topic, (len(whole[topic]), len(parted[topic]), at, [pairs[at][1][-300:] for pairs in (whole[topic], parted[topic]) if at < len(pairs)]))
    near = [json.loads(value).get('near_duplicate') for _, value in parted['out']]
    found = sum(n is not None for n in near)
    if len(near) != case.records or found < 0.25 * case.records:
        fail('%d records, %d near-duplicates' % (len(near), found))
    edges = [(key.decode(), json.loads(value)) for key, value in parted['edges']]
    if len(edges) != found or any(key != edge['of'] for key, edge in edges):
        fail('edges: %d for %d near-duplicates, or a wrong key' % (len(edges), found))
    print('ok: %s, %d kills: %d records, %d near-duplicates, %d edges: as without a kill, byte for byte' % (road, case.kills, len(near), found, len(edges)))


def make_index_topics(case):
    for name in ('whole', 'parted'):
        for topic in ('out', 'edges'):
            case.kafka.create_topic('%s.%s' % (name, topic))


INDEX_SOURCE = 'topics = pages\ninstance = one\n'


def fill_pages(case):
    make_index_topics(case)
    case.kafka.create_topic('pages')
    case.kafka.produce('pages', (rig.Record(key=b'http://k.example/%d' % n, value=body) for n, body in enumerate(articles(case.records))))


def index(case, rounds):
    fill_pages(case)
    source = INDEX_SOURCE
    run_with_index(case, 'whole', source, 0)
    run_with_index(case, 'parted', source, rounds)
    if not any('thresher.mark=' in (row.get('metadata') or '') for row in case.kafka.describe_group('parted')):
        fail('no mark next to the offsets', case.kafka.describe_group('parted'))
    judge_index(case, 'Kafka to Kafka with an index')


def index_least(case, rounds):
    fill_pages(case)
    for name in ('whole', 'parted'):
        run_with_index(case, name, INDEX_SOURCE, rounds if name == 'parted' else 0, 'at-least-once')
    whole, parted = ({}, {})
    count = 0
    for name, answers in (('whole', whole), ('parted', parted)):
        for record in case.kafka.consume(name + '.out').records:
            answers.setdefault(place(record.value), set()).add(record.value)
            count += name == 'parted'
    wrong = [at for at in whole if parted.get(at) != whole[at]]
    if wrong:
        fail('%d answers differ' % len(wrong), [sorted(v[-200:] for v in answers[wrong[0]]) for answers in (whole, parted)])
    print('ok: at least once, %d kills: %d records of %d came twice, all with the answer of a run without a kill' % (case.kills, count - len(whole), len(whole)))


def index_spool(case, rounds):
    make_index_topics(case)
    parts = [archive.response(body, 'http://k.example/%d' % n, n) for n, body in enumerate(articles(case.records))]
    for name in ('whole', 'parted'):
        folder = os.path.join(case.folder, 'spool-' + name)
        os.makedirs(folder)
        for f in range(0, case.records, 500):
            archive.write(os.path.join(folder, '%05d.warc.gz' % f), parts[f:f + 500])
        source = '[spool]\npath = %s\nsettle-ms = 1\nquiet-ms = 20\nmin-age-ms = 200\nrescan-ms = 100\n' % folder
        run_with_index(case, name, source, rounds if name == 'parted' else 0)
    judge_index(case, 'spool to Kafka with an index')


def load(case, _):
    case.fill()
    start = time.time()
    case.start('a')
    case.wait_until_read(600)
    print('%d records a second' % (case.records / (time.time() - start)))
    case.stop()
    case.judge('no fault')


def run_case(cases, defaults, make):
    """Runs the case of the command line in a new folder, and ends all processes that it started.

    cases     functions by name, each taking the case and the number of rounds
    defaults  of each name: rounds and records
    make      takes the name, the folder and the number of records
    """
    name = sys.argv[2]
    rounds, records = (list(map(int, sys.argv[3:5])) + list(defaults[name])[len(sys.argv[3:5]):])[:2]
    folder = tempfile.mkdtemp(prefix='thresher-kafka-')
    case = None
    try:
        case = make(name, folder, records)
        cases[name](case, rounds)
    except rig.Skip as reason:
        print('skipped: %s' % reason)
        sys.exit(77)
    finally:
        if case:
            for process in case.processes.values():
                process.kill()
            case.kafka.kill()
        if not os.environ.get('THRESHER_KEEP'):
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    run_case(globals(), DEFAULTS, lambda name, folder, records: Case(folder, records, *[()] if name.startswith('index') else ()))
