"""`serve` with role = pairs and a real Kafka: its edges are the pairs of `dedup` without duplicates, after any kill.

usage: pairs.py PROGRAM remade [PAGES]     default 150
       pairs.py PROGRAM [PROCESSES [KILLS [PAGES [consumer]]]]     default 2 3 400. 4 27 4000 takes some minutes. Three of four disturbances kill, one is a SIGTERM

       consumer: the brokers' own group protocol (KIP-848), with librdkafka 2.12 and THRESHER_KAFKA_VERSION=4.1.1 (README.md)

A spool of pages goes to Kafka, and their band keys with all data for pairs. Meanwhile the pair processes are killed
(kill -9), stopped and restarted, so partitions move all the time. A read_committed reader without our code compares the
edges topic with `thresher dedup --output pairs` for the same records.

remade: the bands topic is deleted and recreated, once while two processes read it, and once while none runs. The edges are the pairs within
each life of the topic. Lost and duplicate edges are counted.
Exits with 77 if Java, Maven or the network is missing.
"""
import collections
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import archive  # noqa: E402
import broker as rig  # noqa: E402
from case import expect, expect_true, free_port, start, thresher  # noqa: E402

PARTITIONS = 4
BROKER = {'group.consumer.session.timeout.ms': 6000, 'group.consumer.min.session.timeout.ms': 1000,
          'group.consumer.heartbeat.interval.ms': 1000, 'group.consumer.min.heartbeat.interval.ms': 500}
rng = random.Random(11)


def make_texts(count):
    """Every third page is a copy of an earlier one, whole or with some sentences changed; every fiftieth has hardly any words."""
    texts = []
    for i in range(count):
        if i % 50 == 49:
            texts.append(['Too few words, number %d.' % (i // 50 % 20)])
        elif i % 3 == 2:
            copy = list(rng.choice(texts[-60:]))
            for _ in range(rng.choice((0, 0, 1, 2, 4)) if len(copy) > 1 else 0):
                copy[rng.randrange(len(copy))] = archive.sentence(rng, 12)
            texts.append(copy)
        else:
            texts.append([archive.sentence(rng, 12) for _ in range(30)])
    return texts


def make_archives(folder, count, parts, name='pages'):
    pages = [archive.response('<html><body><p>%s</p></body></html>' % ' '.join(text), 'http://p.example/%s/%d' % (name, i), i)
             for i, text in enumerate(make_texts(count))]
    size = -(-count // parts)
    return [archive.write(os.path.join(folder, '%s%03d.warc.gz' % (name, i)), pages[i * size:(i + 1) * size]) for i in range(-(-count // size))]


class Rig:
    def __init__(self, folder, kafka, by_brokers):
        self.folder, self.kafka, self.processes, self.by_brokers = folder, kafka, {}, by_brokers
        self.spool = os.path.join(folder, 'spool')
        os.makedirs(self.spool)
        self.ports = {}

    def serve(self, name, text):
        config = os.path.join(self.folder, name + '.conf')
        self.ports.setdefault(name, free_port())
        with open(config, 'w') as f:
            f.write('[daemon]\nlisten = 127.0.0.1:%d\nflush-ms = 50\n[kafka]\nbrokers = %s\nbands-topic = bands\n%s' % (self.ports[name], self.kafka.bootstrap, text))
        with open(os.path.join(self.folder, name + '.log'), 'a') as log:
            self.processes[name] = start('serve', '-c', config, stderr=log)

    def pages(self):
        self.serve('pages', 'bands-signed = yes\nrecords-topic = out\nkey = id\n'
                            '[spool]\npath = %s\nsettle-ms = 1\nquiet-ms = 20\nmin-age-ms = 200\nrescan-ms = 100\n' % self.spool)

    def pairs(self, i):
        self.serve('pairs%d' % i, 'edges-topic = edges\ngroup = pairs\nsession-ms = 6000\ntransactional-id = pairs%d\n[pairs]\nkeep = 3\n' % i
                   + '[daemon]\nrole = pairs\n' + ('[kafka]\nlibrdkafka.group.protocol = consumer\n' if self.by_brokers else ''))

    def end(self, name, number):
        process = self.processes.pop(name)
        process.send_signal(number)
        code = process.wait(60)
        if number == signal.SIGTERM:
            expect('%s ends well' % name, (code, self.log(name) if code else ''), (0, ''))

    def log(self, name):
        with open(os.path.join(self.folder, name + '.log')) as f:
            return f.read()[-2000:]

    def wait_until_read(self, files, seconds=300):
        """All files are done, and all that was written of them is committed by the group of pairs."""
        end, done, rows = time.time() + seconds, os.path.join(self.spool, 'done'), []
        while time.time() < end:
            for name, process in self.processes.items():
                if process.poll() is not None:
                    expect('%s runs' % name, self.log(name), '')
            if os.path.isdir(done) and len(os.listdir(done)) == files:
                rows = self.kafka.describe_group('pairs')
                if len(rows) == PARTITIONS and all(row['offset'] == row['end'] for row in rows):
                    return
            time.sleep(1)
        expect('all is read', (rows, [self.log(name) for name in self.processes]), None)

    def wait_ready(self, seconds=300):
        end = time.time() + seconds
        while True:
            said = {readiness(self.ports[name]) for name in self.processes if name.startswith('pairs')}
            if said == {'ok'} or time.time() > end:
                return said
            time.sleep(.2)


def readiness(port):
    try:
        with urllib.request.urlopen('http://127.0.0.1:%d/readyz' % port, timeout=5) as answer:
            return answer.read().decode().strip()
    except urllib.error.HTTPError as error:
        return error.read().decode()
    except OSError as error:
        return str(error)


def disturb(rig_, processes, kills):
    """Kills, ends and starts them, one at a time, while files come."""
    for i in range(kills):
        time.sleep(rng.uniform(.2, 2))
        name = 'pairs%d' % rng.randrange(processes)
        number = signal.SIGTERM if i % 4 == 3 else signal.SIGKILL
        rig_.end(name, number)
        if rng.random() < .5:
            time.sleep(rng.uniform(0, 8))  # others take its partitions over, or not
        rig_.pairs(int(name[5:]))
        yield name


def pairs_of(folder, name, files):
    """Returns the pairs of `dedup` for the pages of these files, as sorted JSON."""
    records = os.path.join(folder, name)
    expect('the pages are read', thresher('run', '-q', '-O', records, *files).returncode, 0)
    return [json.dumps(json.loads(line), sort_keys=True) for line in thresher('dedup', '-q', '--output', 'pairs', records).stdout.splitlines()]


def judge_edges(case, want, seconds=300):
    """Waits until the edges topic has as many edges as wanted, or more; each must be there once."""
    end = time.time() + seconds
    while True:
        seen = collections.Counter(json.dumps(json.loads(r.value), sort_keys=True) for r in case.kafka.consume('edges').records)
        if sum(seen.values()) >= len(want) or time.time() > end:
            break
        time.sleep(1)
    lost, doubled, strange = set(want) - set(seen), sum(seen.values()) - len(seen), set(seen) - set(want)
    expect('edges lost, doubled, of another pair', (len(lost), doubled, len(strange)), (0, 0, 0))
    return len(seen)


def wait_until(claim, holds, seconds=300):
    end = time.time() + seconds
    while not holds():
        if time.time() > end:
            expect_true(claim, False)
        time.sleep(.2)


def remake(case):
    case.kafka.delete_topic('bands')
    running = [name for name in case.processes if name.startswith('pairs')]
    wait_until('/readyz says that the topic is gone', lambda: all("'bands' does not exist" in readiness(case.ports[name]) for name in running))
    case.kafka.create_topic('bands', partitions=PARTITIONS)


def remade(folder, kafka, pages):
    """Each life of the topic has fewer messages than the previous one. Otherwise it cannot be distinguished from a topic that continues (docs/kafka.md)."""
    lives = [make_archives(os.path.join(folder), pages // part, 1, 'life%d.' % part) for part in (1, 2, 4)]
    wanted = [pairs_of(folder, 'records%d.jsonl' % i, files) for i, files in enumerate(lives)]
    expect_true('there are pairs in each life', all(wanted), wanted)
    case = Rig(folder, kafka, False)
    case.pages()
    for i in range(2):
        case.pairs(i)
    want = []
    for life, files in enumerate(lives):
        if life == 1:
            remake(case)
        elif life == 2:
            for i in range(2):
                case.end('pairs%d' % i, signal.SIGTERM)
            remake(case)
        for path in files:
            shutil.move(path, case.spool)
        if life == 2:
            wait_until('the pages are done', lambda: len(os.listdir(os.path.join(case.spool, 'done'))) == len(lives))
            for i in range(2):
                case.pairs(i)
        want += wanted[life]
        judge_edges(case, want)
    expect('those that find pairs are ready', case.wait_ready(), {'ok'})
    for name in sorted(case.processes):
        case.end(name, signal.SIGTERM)
    edges = judge_edges(case, want)
    print('bands topic created again twice: %d edges in 3 lives: 0 lost, 0 doubled' % edges)


def main():
    is_remade = sys.argv[2:3] == ['remade']
    numbers = [int(n) for n in sys.argv[2 + is_remade:5]]
    processes, kills, pages = numbers + [2, 3, 400][len(numbers):]
    by_brokers = sys.argv[5:] == ['consumer']
    folder = tempfile.mkdtemp(prefix='thresher-pairs-')
    kafka = rig.Broker(os.path.join(folder, 'kafka'), properties=BROKER if by_brokers else None)
    try:
        kafka.start()
        for topic in ('out', 'bands', 'edges'):
            kafka.create_topic(topic, partitions=PARTITIONS)
        if is_remade:
            return remade(folder, kafka, numbers[0] if numbers else 150)
        files = make_archives(folder, pages, kills + 2)
        records = os.path.join(folder, 'records.jsonl')
        expect('the pages are read', thresher('run', '-q', '-O', records, *files).returncode, 0)
        wanted = [json.loads(line) for line in thresher('dedup', '-q', '--output', 'pairs', records).stdout.splitlines()]
        expect_true('there are pairs, also of short texts', len(wanted) > pages / 5 and any(pair['jaccard'] < 1 for pair in wanted) and pages > 150, len(wanted))

        case = Rig(folder, kafka, by_brokers)
        case.pages()
        for i in range(processes):
            case.pairs(i)
        feed = iter(files)
        shutil.move(next(feed), case.spool)
        shutil.move(next(feed), case.spool)
        for _ in disturb(case, processes, kills):
            path = next(feed, None)
            if path:
                shutil.move(path, case.spool)
        for path in feed:
            shutil.move(path, case.spool)
        case.wait_until_read(len(files))
        expect('those that find pairs are ready', case.wait_ready(), {'ok'})
        for name in sorted(case.processes):
            case.end(name, signal.SIGTERM)

        seen = kafka.consume('edges')
        expect('no transaction is left open', seen.is_settled, True)
        edges = collections.Counter(json.dumps(json.loads(r.value), sort_keys=True) for r in seen.records)
        expect('no edge occurs twice', [edge for edge, count in edges.items() if count > 1][:5], [])
        want = {json.dumps(pair, sort_keys=True) for pair in wanted}
        expect('no edge is lost', sorted(want - set(edges))[:5], [])
        expect('no edge is of another pair', sorted(set(edges) - want)[:5], [])
        expect('the key is the older page', [r for r in seen.records if r.key.decode() != json.loads(r.value)['id_a']][:3], [])
        print('%d processes, %d kills, %d pages: %d edges, each once' % (processes, kills, pages, len(edges)))
    except rig.Skip as reason:
        print('skipped: %s' % reason)
        sys.exit(77)
    finally:
        kafka.kill()
        shutil.rmtree(folder, ignore_errors=True)


main()
