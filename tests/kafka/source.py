"""Input of the daemon from a real Kafka: recreated topics, late archives, messages of every kind.

usage: source.py PROGRAM CASE [ROUNDS [RECORDS]]

  recreate   the input topic is deleted and recreated, each second time during a read, with exactly-once and then at-least-once delivery

  waits      the archive of one partition's pointers is missing for a while, and the others are as fast as without

  pointers   archives that are replaced, deleted, half written, or reached by links. Pointers with the same beginning. Archives in a store

  messages   several records in one, no value, too many headers, and offsets deleted before the read

A read_committed reader without our code judges the result.

Exits with 77 if Java, Maven or the network is missing.
"""
import collections
import gzip
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
for beside in ('run', 'remote'):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', beside))
import broker as rig  # noqa: E402
import archive  # noqa: E402
from case import expect, expect_true, free_port, metrics_add_up, start  # noqa: E402
from store import Fault, Store  # noqa: E402

PARTITIONS = 4
ROUNDS = {'recreate': (4, 2000), 'waits': (1, 1500), 'pointers': (1, 0), 'messages': (1, 0)}


def page(number):
    return b'<html><head><title>Page %d</title></head><body><p>This is page number %d of a long row of pages that say very little.</p></body></html>' % (number, number)


def response(number):
    return archive.response(page(number), 'http://w.example/%d' % number, number)


class Daemon:
    def __init__(self, kafka, folder, name, delivery='exactly-once', options=''):
        self.kafka, self.name, self.port = kafka, name, free_port()
        self.config, self.log_path = os.path.join(folder, name + '.conf'), os.path.join(folder, name + '.log')
        with open(self.config, 'w') as f:
            f.write('[run]\njobs = 1\n[sketch]\nminhash = none\n[daemon]\nlisten = 127.0.0.1:%d\nlog-level = info\ndelivery = %s\nflush-ms = 100\nflush-results = 500\n'
                    '[kafka]\nbrokers = %s\ngroup = %s\ntopics = %s.in\nrecords-topic = %s.out\ndead-letters-topic = %s.dead\ntransactional-id = %s\ninstance = %s\nsession-ms = 6000\n%s'
                    % (self.port, delivery, kafka.bootstrap, name, name, name, name, name, name, options))

    def start(self):
        with open(self.log_path, 'ab') as log:
            self.process = start('serve', '-c', self.config, stderr=log)

    def stop(self):
        self.process.terminate()
        code = self.process.wait(60)
        expect_true('%s exits with 0' % self.name, code == 0, (code, self.log()[-1500:]))

    def log(self):
        with open(self.log_path, errors='replace') as f:
            return f.read()

    def get(self, path):
        try:
            with urllib.request.urlopen('http://127.0.0.1:%d%s' % (self.port, path), timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return None, str(error)

    def metric(self, name):
        """A number of /metrics; None where it is not there."""
        found = re.search(r'^thresher_%s (.*)$' % re.escape(name), self.get('/metrics')[1], re.M)
        return float(found.group(1)) if found else None

    def committed(self):
        try:
            return {p: o for (t, p), o in self.kafka.committed(self.name).items() if t == self.name + '.in'}
        except rig.RigError:  # offsets of a topic that is just being deleted
            return {}

    def wait_for(self, want, seconds=300, is_exact=False):
        """Until so much is committed, {partition: offset}, or more unless exact."""
        end = time.time() + seconds
        while time.time() < end:
            seen = self.committed()
            if seen == want if is_exact else all(seen.get(p, 0) >= o for p, o in want.items()):
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.2)
        expect_true('%s commits %s' % (self.name, want), False, (seen, self.get('/readyz'), self.log()[-2500:]))

    def records(self):
        return list(self.kafka.consume(self.name + '.out').records)

    def dead(self):
        """Offset in the input -> (reason, words)."""
        letters = {}
        for record in self.kafka.consume(self.name + '.dead').records:
            headers = {k: v for k, v in record.headers if v is not None}
            letters[int(headers['__connect.errors.offset'])] = (headers['__connect.errors.exception.class.name'].decode(), headers['__connect.errors.exception.message'].decode())
        return letters


def make_topics(kafka, name, partitions=PARTITIONS):
    for topic in ('in', 'out', 'dead'):
        kafka.create_topic('%s.%s' % (name, topic), partitions=partitions)


def send(kafka, name, values, partition=0):
    kafka.produce(name + '.in', [rig.Record(key=b'k', value=value, partition=partition) for value in values])


# A topic that is recreated.

def fill(kafka, name, life, numbers):
    """Record n of a life of the topic goes to partition n mod 4, in order."""
    kafka.produce(name + '.in', (rig.Record(key=b'http://k.example/%d/%d' % (life, n), value=page(n), partition=n % PARTITIONS) for n in numbers))


def judge_lives(daemon, whole, count):
    """Checks that complete topics arrived completely, and a prefix of each partition of the others. Nothing is repeated, and the order is kept."""
    seen = collections.defaultdict(list)
    reading = daemon.kafka.consume(daemon.name + '.out')
    for record in reading.records:
        life, number = map(int, record.key.rsplit(b'/', 2)[1:])
        seen[life].append((number % PARTITIONS, number, record.partition))
    for life in sorted(set(seen) | set(whole)):
        numbers = [number for _, number, _ in seen[life]]
        if len(set(numbers)) != len(numbers):
            expect_true('no record of life %d is repeated' % life, False, (len(numbers), len(set(numbers))))
        for partition in range(PARTITIONS):
            mine = sorted(n for p, n, _ in seen[life] if p == partition)
            if mine != list(range(partition, count, PARTITIONS))[:len(mine) if life not in whole else None]:
                expect_true('all of partition %d in life %d' % (partition, life), False, (len(mine), mine[:5], mine[-5:]))
        last = {}
        for partition, number, out in seen[life]:
            if last.get((partition, out), -1) >= number:
                expect_true('order of life %d' % life, False, (partition, number))
            last[partition, out] = number
    expect_true('no transaction is left open', reading.is_settled)
    return sum(map(len, seen.values()))


def recreate_with(kafka, folder, name, delivery, rounds, count):
    make_topics(kafka, name)
    daemon = Daemon(kafka, folder, name, delivery)
    daemon.start()
    whole = set()
    for life in range(rounds):
        # A topic that is filled up to the last offset of the old topic before the next fetch cannot be detected (docs/kafka.md). Therefore each topic begins with
        # fewer records than were read from the previous one, and the rest is written when these are committed.
        first = rounds - life
        fill(kafka, name, life, range(first * PARTITIONS))
        daemon.wait_for({p: first for p in range(PARTITIONS)}, is_exact=True)
        fill(kafka, name, life, range(first * PARTITIONS, count))
        if life % 2 == 0 or life == rounds - 1:
            daemon.wait_for({p: count // PARTITIONS for p in range(PARTITIONS)})
            whole.add(life)
        if life < rounds - 1:
            kafka.delete_topic(name + '.in')
            kafka.create_topic(name + '.in', partitions=PARTITIONS)
    expect_true('%s: offsets that went back are counted' % delivery, daemon.metric('kafka_partitions_remade_total') >= PARTITIONS, daemon.log()[-1500:])
    expect_true('%s: and reported' % delivery, 'its topic was created again' in daemon.log())
    expect_true('%s: metrics add up' % delivery, metrics_add_up(daemon.port))
    daemon.stop()
    daemon.start()
    time.sleep(4)
    daemon.stop()
    total = judge_lives(daemon, whole, count)
    print('ok: %s, a topic made again %d times: %d records, %d of %d lives read to their end: nothing lost, nothing twice, order kept' % (delivery, rounds - 1, total, len(whole), rounds))


def recreate(kafka, folder, rounds, count):
    recreate_with(kafka, folder, 'once', 'exactly-once', rounds, count)
    recreate_with(kafka, folder, 'least', 'at-least-once', max(2, rounds // 2), count)


# Archives that are late.

def pointer(name, offset=0, **more):
    return json.dumps({**more, 'warc_filename': name, 'warc_offset': offset}).encode()


def publish(path, data):
    with open(path + '.part', 'wb') as f:
        f.write(data)
    os.rename(path + '.part', path)


def many(count, first=0):
    """An archive's bytes and its records' offsets."""
    members = [archive.member(response(first + n)) for n in range(count)]
    return b''.join(members), [sum(map(len, members[:n])) for n in range(count)]


def run_waits(kafka, folder, name, is_late, pages, pointers=50):
    """Seconds from the last page's production until all pages of the partitions without pointers are durable."""
    make_topics(kafka, name)
    archives = os.path.join(folder, name + '-archives')
    os.makedirs(archives)
    data, offsets = many(pointers)
    if not is_late:
        publish(os.path.join(archives, 'a.warc.gz'), data)
    daemon = Daemon(kafka, folder, name, options='archives = %s\narchive-wait-ms = 300000\n' % archives)
    daemon.start()
    send(kafka, name, [pointer('a.warc.gz', offset) for offset in offsets])
    if is_late:
        end = time.time() + 300
        while daemon.metric('kafka_partitions_waiting') != 1 and time.time() < end:
            time.sleep(0.1)
        expect('one partition waits', daemon.metric('kafka_partitions_waiting'), 1.0)
    kafka.produce(name + '.in', (rig.Record(key=b'http://k.example/%d' % n, value=page(n), partition=1 + n % 3) for n in range(pages)))
    began = time.time()
    want = pages + (0 if is_late else pointers)
    while (daemon.metric('records_emitted_total{sink="kafka"}') or 0) < want and time.time() < began + 600:
        time.sleep(0.05)
    took = time.time() - began
    daemon.wait_for({p: pages // 3 for p in (1, 2, 3)})
    if is_late:
        code, words = daemon.get('/readyz')
        expect_true('/readyz reports: %s' % words.strip(), code == 503 and 'archive' in words)
        expect_true('a metric has the waiting time', daemon.metric('kafka_oldest_wait_seconds') > 0)
        expect('nothing of the partition is committed', daemon.committed().get(0, 0), 0)
        publish(os.path.join(archives, 'a.warc.gz'), data)
    daemon.wait_for({0: pointers})
    time.sleep(0.5)
    expect('ready again', daemon.get('/readyz')[0], 200)
    daemon.stop()
    lanes = collections.defaultdict(list)
    for record in daemon.records():
        source = json.loads(record.value)['source']
        lanes[source['partition']].append(source['offset'])
    for partition in range(PARTITIONS):
        count = pages // 3 if partition else pointers
        if sorted(lanes[partition]) != list(range(count)):
            expect_true('partition %d: all records, without duplicates' % partition, False, (len(lanes[partition]), count))
    expect('dead letters', daemon.dead(), {})
    return took


def waits(kafka, folder, rounds, pages):
    for i in range(rounds):
        without, late = (run_waits(kafka, folder, '%s%d' % (name, i), name == 'late', pages) for name in ('there', 'late'))
        expect_true('the other partitions finished %.2f s after the last page, and %.2f s without the failure' % (late, without), late < without + 5)
    # A thousand pointers into an archive that never comes cost one wait.
    make_topics(kafka, 'never', 1)
    daemon = Daemon(kafka, folder, 'never', 'at-least-once', options='archives = %s\narchive-wait-ms = 2000\n' % folder)
    daemon.start()
    send(kafka, 'never', [pointer('never.warc.gz', n) for n in range(1000)] + [page(1)])
    daemon.wait_for({0: 1001}, 30)
    expect('one archive is given up', daemon.metric('kafka_archives_given_up_total'), 1.0)
    daemon.stop()
    expect('all its pointers are dead letters', len(daemon.dead()), 1000)
    expect('later data is not emitted', len(daemon.records()), 1)


# Targets of pointers.

def pointers(kafka, folder, *_):
    make_topics(kafka, 'p', 1)
    archives, outside = os.path.join(folder, 'archives'), os.path.join(folder, 'outside')
    os.makedirs(archives)
    os.makedirs(outside)
    at = lambda name: os.path.join(archives, name)  # noqa: E731
    publish(os.path.join(outside, 'secret.warc.gz'), many(1, 666)[0])
    publish(at('a.warc.gz'), many(3)[0])
    os.symlink(os.path.join(outside, 'secret.warc.gz'), at('file-out.warc.gz'))
    os.symlink(outside, at('folder-out'))
    os.symlink('a.warc.gz', at('within.warc.gz'))
    daemon = Daemon(kafka, folder, 'p', options='archives = %s\narchive-wait-ms = 6000\n' % archives)
    daemon.start()
    sent = []

    def ask(*values, wait=True):
        send(kafka, 'p', values)
        sent.extend(values)
        if wait:
            daemon.wait_for({0: len(sent)}, 30)
        return len(sent) - 1

    def parked():
        end = time.time() + 300
        while daemon.metric('kafka_partitions_waiting') != 1 and time.time() < end:
            time.sleep(0.05)
        expect('it waits', daemon.metric('kafka_partitions_waiting'), 1.0)

    want, dead = {}, {}
    dead[ask(pointer('file-out.warc.gz'))] = 'link'
    dead[ask(pointer('folder-out/secret.warc.gz'))] = 'link'
    want[ask(pointer('within.warc.gz'))] = 0
    want[ask(b' \r\n\t' + pointer('a.warc.gz'))] = 0
    # Replaced by another file, then gone, then back.
    publish(at('a.warc.gz'), many(1, 100)[0])
    want[ask(pointer('a.warc.gz'))] = 100
    os.unlink(at('a.warc.gz'))
    dead[ask(pointer('a.warc.gz'))] = 'does not exist'
    publish(at('a.warc.gz'), many(1, 200)[0])
    want[ask(pointer('a.warc.gz'))] = 200
    # Half of the archive exists. The rest is written while the pointer waits.
    data, offsets = many(3, 300)
    publish(at('grows.warc.gz'), data[:offsets[2] + 50])
    want[ask(pointer('grows.warc.gz', offsets[1]))] = 301
    os.utime(at('grows.warc.gz'), (time.time() + 5, time.time() + 5))  # just written, also after a slow start of the producer
    number = ask(pointer('grows.warc.gz', offsets[2]), wait=False)
    parked()
    with open(at('grows.warc.gz'), 'ab') as f:
        f.write(data[offsets[2] + 50:])
    daemon.wait_for({0: len(sent)}, 30)
    want[number] = 302
    # Two that begin alike, for longer than 256 bytes: the first never comes, the second is late.
    alike = {'collection': 'c' * 300}
    first = ask(pointer('never.warc.gz', **alike), pointer('late.warc.gz', **alike), wait=False)
    dead[first - 1], want[first] = 'does not exist', 400
    daemon.wait_for({0: first}, 30)
    parked()
    publish(at('late.warc.gz'), many(1, 400)[0])
    daemon.wait_for({0: len(sent)}, 30)
    daemon.stop()
    seen = {}
    for record in daemon.records():
        line = json.loads(record.value)
        seen[line['source']['offset']] = int(line['url'].rsplit('/', 1)[1])
    expect('each pointer gives the record of now', seen, want)
    letters = daemon.dead()
    expect('and these are refused', sorted(letters), sorted(dead))
    for offset, word in dead.items():
        expect_true('refused in words: %s' % letters[offset][1], word in letters[offset][1])
    with Store() as store:
        stores(kafka, folder, store)


def stores(kafka, folder, store):
    """Archives in a store that checks signatures, and on a web server, below what is allowed."""
    make_topics(kafka, 's', 1)
    data, offsets = many(3, 500)
    ends = offsets[1:] + [len(data)]
    for bucket, key in (('crawls', 'in/a b.warc.gz'), ('crawls', 'out/a.warc.gz'), ('open', 'in/a.warc.gz')):
        store.put(bucket, key, data)
    web = store.endpoint + '/web/open/'
    daemon = Daemon(kafka, folder, 's', options='archive-prefixes = s3://crawls/in/ %sin/\narchive-wait-ms = 60000\n[remote]\nendpoint = %s\nbackoff-ms = 50\n' % (web, store.endpoint))
    os.environ.update(AWS_ACCESS_KEY_ID='test', AWS_SECRET_ACCESS_KEY='secret', AWS_EC2_METADATA_DISABLED='true')
    daemon.start()

    def place(name, number, length=True):
        return pointer(name, offsets[number], **({'warc_record_length': ends[number] - offsets[number]} if length else {}))

    signed, open_, dots, absent = 's3://crawls/in/a b.warc.gz', web + 'in/a.warc.gz', web + 'in/%2e%2e/out/a.warc.gz', 's3://crawls/in/none.warc.gz'
    refused = {3: ('s3://crawls/out/a.warc.gz', 'not under any'), 4: (web + 'out/a.warc.gz', 'not under any'), 5: (dots, 'not under any'), 6: (absent, '%s: offset %d: not found: status 404' % (absent, offsets[1]))}
    send(kafka, 's', [place(signed, 0), place(open_, 1), place(signed, 2, length=False), *[place(name, 1) for name, _ in refused.values()]])
    daemon.wait_for({0: 7}, 30)
    asked = [path for path, _ in store.log]
    expect_true('nothing is asked that is not allowed', asked and all('/in/' in path and '%2e' not in path for path in asked), asked)
    expect('one range a record', store.log[0], ('/crawls/in/a%20b.warc.gz', 'bytes=%d-%d' % (offsets[0], ends[0] - 1)))
    # A store that fails holds up the partition; when it comes back, nothing was lost.
    store.always = Fault('503')
    send(kafka, 's', [place(signed, 1), place(open_, 0)])
    end = time.time() + 300
    while daemon.metric('kafka_partitions_waiting') != 1 and time.time() < end:
        time.sleep(0.05)
    expect('it waits', daemon.metric('kafka_partitions_waiting'), 1.0)
    store.always = None
    daemon.wait_for({0: 9}, 30)
    daemon.stop()
    seen = {line['source']['offset']: int(line['url'].rsplit('/', 1)[1]) for line in (json.loads(record.value) for record in daemon.records())}
    expect('each pointer gives its record', seen, {0: 500, 1: 501, 2: 502, 7: 501, 8: 500})
    letters = daemon.dead()
    expect('and these are refused', {offset: words in letters[offset][1] for offset, (_, words) in refused.items()} if sorted(letters) == sorted(refused) else letters, dict.fromkeys(refused, True))


# Messages of every kind.

def messages(kafka, folder, *_):
    make_topics(kafka, 'm', 1)
    daemon = Daemon(kafka, folder, 'm')
    daemon.start()
    request = archive.record('request', b'GET / HTTP/1.1\r\n\r\n', 'http://w.example/0')
    counts = [1, 3, 70, 200]
    values = [b''.join(request + response(1000 * i + n) for n in range(count)) for i, count in enumerate(counts)]
    send(kafka, 'm', values + [gzip.compress(values[2])])
    headers = tuple(('h%d' % n, b'v') for n in range(100))
    kafka.produce('m.in', [rig.Record(key=b'tomb', value=None, partition=0), rig.Record(key=b'empty', value=b'', partition=0),
                           rig.Record(key=b'http://k.example/1', value=page(1), headers=headers, partition=0)])
    daemon.wait_for({0: 8})
    text = daemon.get('/metrics')[1]
    for row in ('records_dropped_total{reason="tombstone"} 1', 'records_dead_lettered_total{reason="tombstone"} 0',
                'records_dead_lettered_total{reason="no_payload"} 1', 'kafka_headers_left_out_total 36'):
        expect_true('metrics say ' + row, 'thresher_%s\n' % row in text, re.findall('.*tombstone.*|.*left_out.*', text))
    daemon.stop()
    by_offset = collections.defaultdict(list)
    positions = collections.defaultdict(list)
    last = None
    for record in daemon.records():
        line = json.loads(record.value)
        offset = line['source']['offset']
        by_offset[offset].append(int(line['url'].rsplit('/', 1)[1]))
        positions[offset].append(line['source'].get('skip', 0))
        last = record
    for i, count in enumerate(counts + [counts[2]]):
        start_at = 1000 * (i if i < len(counts) else 2)
        expect('message %d gives its %d pages in order' % (i, count), by_offset[i], list(range(start_at, start_at + count)))
        expect_true('and distinguishes them', len(set(positions[i])) == count, positions[i][:5])
    expect_true('left out headers are marked', ('thresher.left_out_headers', b'36') in [tuple(h) for h in last.headers], last.headers[-2:])
    expect('dead letters', {o: reason for o, (reason, _) in daemon.dead().items()}, {6: 'no_payload'})

    # A message's pages are never parted, by a kill at any moment.
    make_topics(kafka, 'k', 1)
    daemon = Daemon(kafka, folder, 'k')
    send(kafka, 'k', [b''.join(response(100 * i + n) for n in range(7)) for i in range(3000)])
    draw = random.Random(7)
    for _ in range(6):
        daemon.start()
        time.sleep(draw.uniform(0.3, 2.5))
        daemon.process.kill()
        daemon.process.wait()
    daemon.start()
    daemon.wait_for({0: 3000})
    daemon.stop()
    numbers = [int(json.loads(record.value)['url'].rsplit('/', 1)[1]) for record in daemon.records()]
    expect_true('7 pages in each of 3000 messages, 6 kills: none lost, none twice, in order', numbers == [100 * i + n for i in range(3000) for n in range(7)], len(numbers))

    # Offsets that retention deleted before they were read.
    daemon = Daemon(kafka, folder, 'm')
    send(kafka, 'm', [page(n) for n in range(300)])
    kafka.truncate('m.in', 0, 108)
    daemon.start()
    daemon.wait_for({0: 308})
    expect('deleted before they were read', daemon.metric('kafka_messages_expired_total'), 100.0)
    expect_true('and reported', 'offsets 8 to 107 were deleted before they were read' in daemon.log(), daemon.log()[-1500:])
    expect('lag', daemon.metric('kafka_consumer_lag'), 0.0)
    daemon.stop()


def main():
    name = sys.argv[2]
    given = list(map(int, sys.argv[3:5]))
    rounds, records = given + list(ROUNDS[name])[len(given):]
    folder = tempfile.mkdtemp(prefix='thresher-source-')
    kafka = rig.Broker(os.path.join(folder, 'kafka'))
    try:
        kafka.start()
        globals()[name](kafka, folder, rounds, records)
    except rig.Skip as reason:
        print('skipped: %s' % reason)
        sys.exit(77)
    finally:
        kafka.kill()
        if not os.environ.get('THRESHER_KEEP'):
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    main()
