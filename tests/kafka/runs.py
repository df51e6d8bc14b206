#!/usr/bin/env python3
"""By hand: the daemon against a real Kafka that turns it away for a while, or that changes its topics. Each run counts lost and doubled records.

usage: runs.py PROGRAM [CASE...]      default: all cases
  password      SASL: the password of the user changes three times while records come. The daemon gets each new password later
  certificates  TLS: while records come, the broker shows a certificate that has expired, one of another host, and one of a foreign authority
  slow          a process exceeds max.poll.interval.ms: only its main thread is stopped. Another process takes its partitions
  compacted     input topics with cleanup.policy=compact, compacted before and while they are read
  workers       four processes with an index each, in one group: killed, ended, and started again
  rows          spool to Kafka, with a million rows of progress of finished files: an earlier version's, and this version's. Start time and memory

An independent reader with read_committed counts the records. It must see each expected record once, and no other record.
Exit 77 where Java, Maven, openssl or the network is missing.
"""
import collections
import ctypes
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import broker as rig  # noqa: E402
import archive  # noqa: E402
import chaos  # noqa: E402
import source  # noqa: E402
import security  # noqa: E402
from case import expect, expect_true, free_port, start  # noqa: E402

CASES = ('password', 'certificates', 'slow', 'compacted', 'workers', 'rows')
rng = random.Random(26)


def judge(claim, records, wanted, name=lambda record: record.key):
    """Counts lost and doubled records, and unexpected records."""
    seen = collections.Counter(map(name, records))
    lost, doubled, strange = set(wanted) - set(seen), sum(seen.values()) - len(seen), set(seen) - set(wanted)
    expect('%s: of %d records lost, doubled, strange' % (claim, len(set(wanted))), (len(lost), doubled, len(strange)), (0, 0, 0))


def wait_until(claim, holds, seconds=600, detail=lambda: ''):
    end = time.time() + seconds
    while not holds():
        if time.time() > end:
            expect_true(claim, False, detail())
        time.sleep(.2)


# ---------------------------------------------------------------- a broker that turns the daemon away

class Feed:
    """Writes pages all the while, by a listener that wants no password."""

    def __init__(self, kafka):
        self.writer, self.count = kafka.writer('in', {'max.block.ms': 600000, 'delivery.timeout.ms': 600000}), 0

    def send(self, count):
        for n in range(self.count, self.count + count):
            record = rig.Record(key=b'http://k.example/%d' % n, value=b'<title>%d</title><p>This is page number %d of a row.' % (n, n))
            self.writer.stdin.write(json.dumps(rig.as_line(record)).encode() + b'\n')
        self.writer.stdin.flush()
        self.count += count

    def close(self):
        self.writer.stdin.close()
        expect('the writer of pages ends well', self.writer.wait(120), 0)

    def keys(self):
        return [b'http://k.example/%d' % n for n in range(self.count)]


def wait_for_records(kafka, daemon, feed):
    wait_until('%s: all is read' % daemon.name, lambda: sum(kafka.committed(daemon.name).values()) >= feed.count, detail=lambda: daemon.log()[-2000:])


def password(folder):
    authority = security.Authority(folder, 'own')
    with rig.Broker(os.path.join(folder, 'kafka'), listeners={'SECURE': security.secure(authority.sign('good'))}, users={security.USER: 'first'}) as kafka:
        kafka.start()
        for topic in ('in', 'out.one'):
            kafka.create_topic(topic)
        daemon = security.Daemon(folder, 'one', kafka.address('SECURE'), authority.certificate, password='first').start()
        feed = Feed(kafka)
        feed.send(200)
        for word in ('second', 'third', 'fourth'):
            daemon.wait_for_reason('^$')
            feed.send(300)
            kafka.change_password(security.USER, word)
            feed.send(300)
            kafka.restart()  # its connections end
            feed.send(300)
            print('   %s' % daemon.wait_for_reason(r'(?i)authentication.*password-file').strip())
            expect('it waits', daemon.process.poll(), None)
            with open(os.path.join(folder, 'one.password'), 'w') as file:
                file.write(word + '\n')
            code = daemon.stop()
            expect_true('SIGTERM ends it', code in (0, 75), code)
            daemon.start()
        feed.send(200)
        feed.close()
        wait_for_records(kafka, daemon, feed)
        expect('SIGTERM ends it well', daemon.stop(), 0)
        judge('a password that changed 3 times', kafka.consume('out.one').records, feed.keys())


def certificates(folder):
    own, foreign = security.Authority(folder, 'own'), security.Authority(folder, 'foreign')
    good = own.sign('good')
    kept = good + '.kept'
    shutil.copy(good, kept)
    stores = {'expired': own.sign('expired', is_expired=True), 'elsewhere': own.sign('elsewhere', host='DNS:elsewhere.example'), 'foreign': foreign.sign('stranger')}
    reasons = {'expired': r'(?i)certificate.*expired', 'elsewhere': r'(?i)certificate.*identification', 'foreign': r'(?i)certificate.*ssl\.ca\.location'}

    def show(store):
        shutil.copy(store, good + '.new')
        os.replace(good + '.new', good)
        kafka.restart()

    with rig.Broker(os.path.join(folder, 'kafka'), listeners={'SECURE': security.secure(good)}, users={security.USER: security.PASSWORD}) as kafka:
        kafka.start()
        for topic in ('in', 'out.one'):
            kafka.create_topic(topic)
        daemon = security.Daemon(folder, 'one', kafka.address('SECURE'), own.certificate).start()
        feed = Feed(kafka)
        for name in ('expired', 'elsewhere', 'foreign'):
            feed.send(300)
            daemon.wait_for_reason('^$')
            show(stores[name])
            feed.send(300)
            print('   %s' % daemon.wait_for_reason(reasons[name]).strip())
            show(kept)
            feed.send(300)
            expect('%s: the same process goes on' % name, daemon.process.poll(), None)
        feed.close()
        wait_for_records(kafka, daemon, feed)
        expect('SIGTERM ends it well', daemon.stop(), 0)
        judge('a certificate that was wrong 3 times', kafka.consume('out.one').records, feed.keys())


# ---------------------------------------------------------------- max.poll.interval.ms

PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH, WALL = 0x4206, 0x4207, 17, 0x40000000
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def trace(request, thread):
    if libc.ptrace(request, thread, None, None):
        raise rig.Skip('ptrace: %s' % os.strerror(ctypes.get_errno()))


def stop_thread(thread):
    """Stops one thread of a child; its others run on."""
    trace(PTRACE_SEIZE, thread)
    trace(PTRACE_INTERRUPT, thread)
    os.waitpid(thread, WALL)


def stop_at_work(thread, work):
    """Stops a thread outside of system calls. librdkafka does not count the time within its own poll, so a thread that is stopped in there exceeds nothing."""
    for _ in range(20000):
        work()
        stop_thread(thread)
        with open('/proc/%d/syscall' % thread) as file:
            if file.read().startswith('-1 '):
                return
        trace(PTRACE_DETACH, thread)
        time.sleep(rng.uniform(0, .005))
    expect_true('the main thread is met at work', False)


class SlowCase(chaos.Case):
    def config(self, name, source):
        path = super().config(name, source)
        with open(path) as file:
            text = file.read()
        with open(path, 'w') as file:
            file.write(text.replace('max.poll.interval.ms = 60000', 'max.poll.interval.ms = 7000\ntransaction-ms = 15000'))
        return path


def slow(folder, rounds=4, each=1500):
    case = SlowCase(folder, 0)
    try:
        case.open_writer()
        case.start('a', 'topics = in\n')
        case.start('b')  # a static member
        for i in range(rounds):
            name = 'ab'[i % 2]
            case.send(case.sent + each)
            time.sleep(rng.uniform(.5, 2))
            stop_at_work(case.processes[name].pid, lambda: case.send(case.sent + 20))
            case.send(case.sent + each)
            case.records = case.sent
            slow_one = case.processes.pop(name)
            try:  # all partitions become the other's, which reads all there is; a supervisor starts it again if it ends
                case.wait_until_read(600)
            finally:
                case.processes[name] = slow_one
                trace(PTRACE_DETACH, slow_one.pid)
            case.revive()
        case.close_writer()
        case.records = case.sent
        case.wait_until_read(600)
        case.stop()
        told = sum('max.poll.interval.ms' in line or 'MAXPOLL' in line for name in 'ab' for line in case.log(name).splitlines())
        print('   librdkafka told it %d times; a process that ends at once, because its transaction was aborted, has no time for that' % told)
        case.judge('a main thread stopped %d times, until the other process had read all' % rounds, order=False)
    finally:
        for process in case.processes.values():
            process.kill()
        case.kafka.kill()


# ---------------------------------------------------------------- compaction

COMPACT = {'cleanup.policy': 'compact', 'segment.ms': 500, 'segment.bytes': 20000, 'min.cleanable.dirty.ratio': '0.01', 'min.compaction.lag.ms': 0, 'delete.retention.ms': 0}


def places(kafka, topic):
    return {(record.partition, record.offset) for record in kafka.consume(topic).records}


def compacted(folder, writes=6000, keys=500):
    """Each key is written often. Messages that the topic has in the end were there all the time. The daemon must emit each of them once, and no other message twice."""
    with rig.Broker(os.path.join(folder, 'kafka'), properties={'log.cleaner.backoff.ms': 200}) as kafka:
        kafka.start()
        for topic, config in (('c.in', COMPACT), ('c.out', {}), ('c.dead', {})):
            kafka.create_topic(topic, partitions=source.PARTITIONS, config=config)
        every = set()

        def write(first, count):
            kafka.produce('c.in', (rig.Record(key=b'http://k.example/%d' % (rng.randrange(keys)), value=source.page(n), partition=n % source.PARTITIONS) for n in range(first, first + count)))

        def wait_until_compacted():
            wait_until('the topic is compacted', lambda: len(places(kafka, 'c.in')) < writes * .6)

        daemon = source.Daemon(kafka, folder, 'c')
        write(0, writes)
        wait_until_compacted()
        gaps = writes - len(places(kafka, 'c.in'))
        every |= places(kafka, 'c.in')
        daemon.start()
        last = {p: max(o for q, o in every if q == p) + 1 for p in range(source.PARTITIONS)}
        daemon.wait_for(last, 600)
        daemon.stop()  # the committed offset of each partition may be compacted away now
        write(writes, writes)
        wait_until_compacted()
        daemon.start()
        for i in range(2, 5):  # compacted while it is read, and killed
            write(i * writes, writes)
            daemon.process.kill()
            daemon.process.wait()
            daemon.start()
        must = places(kafka, 'c.in')
        last = {p: max(o for q, o in must if q == p) + 1 for p in range(source.PARTITIONS)}
        daemon.wait_for(last, 600)
        expect('messages counted as expired: gaps of compaction are not', daemon.metric('kafka_messages_expired_total'), 0.0)
        daemon.stop()
        expect('dead letters', daemon.dead(), {})
        seen = collections.Counter((source['partition'], source['offset']) for source in (json.loads(record.value)['source'] for record in daemon.records()))
        lost, doubled = (must | every) - set(seen), sum(seen.values()) - len(seen)
        expect('compacted: of %d messages that stayed lost, doubled' % len(must | every), (len(lost), doubled), (0, 0))
        print('   %d written, %d of the first %d compacted away before they were read, %d read' % (5 * writes, gaps, writes, len(seen)))


# ---------------------------------------------------------------- four workers with an index

class WorkersCase(chaos.Case):
    def config(self, name, source):
        path = os.path.join(self.folder, name + '.conf')
        with open(path, 'w') as file:
            file.write('[run]\njobs = 2\n[index]\npath = %s\nepoch = 0\nsegment-pages = 150\nkeep = 1000\n[daemon]\nlisten = 127.0.0.1:%d\nlog-level = info\n'
                       'delivery = exactly-once\nflush-ms = 50\nflush-results = 25\n[kafka]\nbrokers = %s\ngroup = g\nrecords-topic = out\nedges-topic = edges\ndead-letters-topic = dead\n'
                       'transactional-id = t.%s\nsession-ms = 6000\nlibrdkafka.consumer.max.poll.interval.ms = 60000\n%s'
                       % (os.path.join(self.folder, name + '.index'), self.port(name), self.kafka.bootstrap, name, source))
        return path


def workers(folder, rounds=12, records=4000):
    case = WorkersCase(folder, records, ('in', 'out', 'dead', 'edges'))
    names = ('a', 'b', 'c', 'd')
    try:
        bodies = list(chaos.articles(records))
        feed = iter(range(records))

        def send(count):
            numbers = [n for _, n in zip(range(count), feed)]
            case.kafka.produce('in', (rig.Record(key=b'http://k.example/%d' % n, value=bodies[n], partition=n % chaos.PARTITIONS) for n in numbers))
        for name in names:
            case.start(name, 'topics = in\n')
        ends = 0
        for i in range(rounds):
            send(records // (rounds + 1))
            name = rng.choice(names)
            if i % 3 == 2 and name in case.processes:  # leaves in order, comes back later
                process = case.processes.pop(name)
                process.terminate()
                expect('SIGTERM: %s' % name, process.wait(60), 0)
                ends += 1
                time.sleep(rng.uniform(0, 3))
            elif name in case.processes:
                case.kill(name)
                time.sleep(rng.choice((0, rng.uniform(0, 8))))  # others take its partitions, or not
            if name not in case.processes:
                case.start(name, 'topics = in\n')
            case.revive('topics = in\n')
        send(records)
        case.wait_until_read(600, 'topics = in\n')
        case.stop()
        out = list(case.kafka.consume('out').records)
        judge('four workers, %d kills, %d ends' % (case.kills, ends), out, [b'http://k.example/%d' % n for n in range(records)])
        expect('dead letters', list(case.kafka.consume('dead').records), [])
        written = [json.loads(r.value) for r in out]
        found = [record['near_duplicate'] for record in written if record.get('near_duplicate')]
        urls = {record['url'] for record in written}
        edges = [json.loads(r.value) for r in case.kafka.consume('edges').records]
        doubled = len(edges) - len({json.dumps(edge, sort_keys=True) for edge in edges})
        expect_true('near-duplicates are found', len(found) > records / 10, len(found))
        expect('edges lost or too many, doubled, of pages that are not there',
               (len(found) - len(edges), doubled, sum(near['url'] not in urls for near in found)), (0, 0, 0))
        print('   %d records, %d near-duplicates, as many edges' % (len(out), len(found)))
    finally:
        for process in case.processes.values():
            process.kill()
        case.kafka.kill()


# ---------------------------------------------------------------- a spool with a million rows of progress

ROWS = 1000000
NO_OFFSET = 2**64 - 1


def old_row(n):
    """As versions before this one wrote it: the identity is the key."""
    return b'fe01-%x-1000-%x' % (n + 1, n * 7919), b'd 4096 0 %d %d 5 old-%d.warc.gz' % (NO_OFFSET, NO_OFFSET, n)


def new_row(n):
    return b'fe01-%x' % (n + 1), b'fe01-%x-1000-%x-%x-%x-0-0 D 4096 0 %d %d %d 5 left-%d.warc.gz' % (n + 1, n * 7919, 10**18 + n, n * 7919, NO_OFFSET, NO_OFFSET, n * 7919, n)


def is_ready(port):
    try:
        with urllib.request.urlopen('http://127.0.0.1:%d/readyz' % port, timeout=60) as answer:
            return answer.status == 200
    except OSError:
        return False


def processor_seconds(pid):
    with open('/proc/%d/stat' % pid) as file:
        fields = file.read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def peak_mib(pid):
    with open('/proc/%d/status' % pid) as file:
        return [int(line.split()[1]) / 1024 for line in file if line.startswith('VmHWM')][0]


def live_rows(kafka, topic):
    last = {record.key: record.value for record in kafka.consume(topic).records}
    return sum(value is not None for value in last.values())


def rows(folder, count=ROWS):
    files = count // 10000 + 20  # a flush withdraws at most 10,000 rows
    spool, port = os.path.join(folder, 'spool'), free_port()
    os.makedirs(spool)
    with rig.Broker(os.path.join(folder, 'kafka')) as kafka:
        kafka.start()
        kafka.create_topic('out')
        for kind, row in (('old', old_row), ('new', new_row), ('none', None)):
            topic = 'progress.' + kind
            kafka.create_topic(topic, config={'cleanup.policy': 'compact'})
            if row:
                kafka.produce(topic, (rig.Record(key=key, value=value) for key, value in map(row, range(count))), {'max.block.ms': 600000, 'delivery.timeout.ms': 600000})
            config = os.path.join(folder, kind + '.conf')
            with open(config, 'w') as file:
                file.write('[run]\njobs = 1\n[daemon]\nlisten = 127.0.0.1:%d\ndelivery = exactly-once\nflush-results = 1\n[kafka]\nbrokers = %s\nrecords-topic = out\nprogress-topic = %s\n'
                           'transactional-id = t.%s\n[spool]\npath = %s\nledger = %s/%s.ledger\nsettle-ms = 1\nquiet-ms = 20\nmin-age-ms = 200\nrescan-ms = 200\n'
                           % (port, kafka.bootstrap, topic, kind, spool, folder, kind))
            for number, what in enumerate(('the first start', 'the next start')):
                begin = time.time()
                with open(os.path.join(folder, kind + '.log'), 'ab') as log:
                    daemon = start('serve', '-c', config, stderr=log)
                wait_until('it is ready', lambda: is_ready(port), 1800)
                took, used, peak = time.time() - begin, processor_seconds(daemon.pid), peak_mib(daemon.pid)
                print('   %s rows of %d files, %s: ready after %.1f s, %.2f s of processor time, at most %.1f MiB' % (kind, count if row else 0, what, took, used, peak), flush=True)
                if number == 0:
                    for n in range(files):
                        name = '%s-%d.warc.gz' % (kind, n)
                        page = archive.response('<title>%d</title><p>This is page number %d of a row of pages.' % (n, n), 'http://k.example/%s/%d' % (kind, n), n)
                        archive.write(os.path.join(folder, name), [page])
                        os.rename(os.path.join(folder, name), os.path.join(spool, name))
                        wait_until('the archive is done', lambda: os.path.exists(os.path.join(spool, 'done', name)))
                daemon.terminate()
                expect('SIGTERM ends it well', daemon.wait(60), 0)
            # The row of the last archive is withdrawn with the next flush, which nothing asks for here.
            expect_true('rows that are left', live_rows(kafka, topic) <= 1, live_rows(kafka, topic))
        judge('spool to Kafka', kafka.consume('out').records, [b'http://k.example/%s/%d' % (kind, n) for kind in (b'old', b'new', b'none') for n in range(files)],
              lambda record: json.loads(record.value)['url'].encode())


def main():
    for name in sys.argv[2:] or CASES:
        folder = tempfile.mkdtemp(prefix='thresher-runs-')
        try:
            print('%s:' % name, flush=True)
            globals()[name](folder)
        finally:
            if not os.environ.get('THRESHER_KEEP'):
                shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    try:
        main()
    except rig.Skip as reason:
        print('skipped: %s' % reason)
        sys.exit(77)
