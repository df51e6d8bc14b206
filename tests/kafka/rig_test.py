"""Tests the rig itself: the written records are read, neither more nor less, through kill -9 and with transactions.

usage: rig_test.py [RECORDS]      20,000 by default; prints times and memory
Status 77 with a message where Java, Maven, kcat or the network is missing.
"""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from broker import Broker, Record, RigError, SKIPPED, Skip, as_line, metadata  # noqa: E402

COUNT = next((int(a) for a in sys.argv[1:] if a.isdigit()), 20000)
PARTITIONS = 4


def expect(claim, seen, wanted):
    if seen != wanted:
        print('FAILED: %s\n  seen   %.2000r\n  wanted %.2000r' % (claim, seen, wanted))
        sys.exit(1)
    print('ok: %s' % claim)


def timed(what, action, *args, **kwargs):
    began = time.monotonic()
    result = action(*args, **kwargs)
    print('    %s: %.1f s' % (what, time.monotonic() - began))
    return result


def kcat(broker, *args, **kwargs):
    return subprocess.run(['kcat', '-b', broker.bootstrap, *args], capture_output=True, check=True, timeout=300,
                          **kwargs).stdout


def numbers_by_key(records):
    """{key: [numbers in the order read]}; a value begins with its number."""
    found = collections.defaultdict(list)
    for record in records:
        found[record.key].append(int(record.value.split()[0]))
    return found


def written_by_librdkafka(broker):
    broker.create_topic('plain', PARTITIONS)
    keys = [b'key%d' % (n % 97) for n in range(COUNT)]
    lines = b''.join(b'%s:%d some value\n' % (key, n) for n, key in enumerate(keys))
    timed('kcat writes %d' % COUNT, kcat, broker, '-P', '-t', 'plain', '-K:', '-H', 'origin=rig', '-X', 'acks=all',
          input=lines)
    reading = timed('the reader reads them', broker.consume, 'plain')
    records = list(reading.records)
    wanted = collections.defaultdict(list)
    for n, key in enumerate(keys):
        wanted[key].append(n)
    expect('every record of kcat once, in order by key', numbers_by_key(records), wanted)
    expect('with its header', {tuple(r.headers) for r in records}, {(('origin', b'rig'),)})
    expect('over all partitions', {r.partition for r in records}, set(range(PARTITIONS)))
    expect('a key has one partition', len({(r.key, r.partition) for r in records}), 97)
    expect('ends add up', sum(p.end - p.begin for p in reading.partitions), COUNT)
    expect('nothing is open', reading.is_settled, True)
    return records


def killed(broker, records):
    pid = broker.pid()
    broker.kill()
    expect('kill -9 ends it', (broker.pid(), metadata(int(broker.bootstrap.split(':')[1]))), (None, None))
    timed('start after kill -9', broker.restart)
    expect('another process', broker.pid() != pid, True)
    expect('the same records after kill -9', list(broker.consume('plain').records), records)
    timed('clean stop', broker.stop)
    timed('start after a clean stop', broker.restart)
    expect('the same records after a clean stop', list(broker.consume('plain').records), records)


def any_bytes(broker):
    broker.create_topic('bytes', 1, {'max.message.bytes': 2000000})
    every = bytes(range(256))
    written = [Record(every, every * 4000, [('h', every), ('h', None), ('ü', b'')], 0, None, 1000),
               Record(None, b'', [], 0, None, 1325376000000), Record(b'', None, [], 0, None, 2000)]
    broker.produce('bytes', written)
    seen = list(broker.consume('bytes').records)
    expect('keys, values and headers of any bytes', seen, [r._replace(offset=n) for n, r in enumerate(written)])
    try:
        broker.produce('bytes', [Record(None, os.urandom(2100000))])
        seen = 'accepted'
    except RigError as error:
        seen = 'RecordTooLarge' if 'RecordTooLarge' in str(error) else str(error)
    expect('a record above the limit of its topic', seen, 'RecordTooLarge')
    try:
        broker.produce('nowhere', [Record(None, b'x')], {'max.block.ms': 2000})
        seen = 'made'
    except RigError:
        seen = 'refused'
    expect('an unknown topic is not made', seen, 'refused')


def transactions(broker):
    broker.create_topic('ledger', PARTITIONS)
    ours = {'transactional.id': 'rig', 'transaction.timeout.ms': 60000}

    def transaction(first, count, end):
        yield {'transaction': 'begin'}
        for n in range(first, first + count):
            yield Record(b'key%d' % (n % 97), b'%d' % n)
        if end:
            yield {'transaction': end}

    def rounds():
        for n in range(0, 2000, 100):
            yield from transaction(n, 100, 'abort' if n // 100 % 3 == 1 else 'commit')

    wanted = [n for n in range(2000) if n // 100 % 3 != 1]
    counts = timed('20 transactions', broker.produce, 'ledger', rounds(), ours)
    expect('counts', counts, {'sent': 2000, 'committed': len(wanted), 'aborted': 2000 - len(wanted), 'open': 0})

    def numbers(isolation):
        reading = broker.consume('ledger', isolation)
        found = numbers_by_key(reading.records)
        expect('order by key, %s' % isolation, all(v == sorted(v) for v in found.values()), True)
        return sorted(n for v in found.values() for n in v), reading.is_settled

    expect('read_committed sees the committed', numbers('read_committed'), (wanted, True))
    expect('read_uncommitted sees all', numbers('read_uncommitted'), (list(range(2000)), True))
    seen = kcat(broker, '-C', '-t', 'ledger', '-e', '-q', '-X', 'isolation.level=read_committed').split()
    expect('kcat agrees', sorted(map(int, seen)), wanted)

    counts = broker.produce('ledger', transaction(5000, 50, None), ours)
    expect('a transaction is left open', counts['open'], 50)
    expect('and reported by the reader', numbers('read_committed'), (wanted, False))
    broker.kill()
    broker.restart()
    expect('open still after kill -9', numbers('read_committed'), (wanted, False))
    broker.produce('ledger', transaction(2000, 100, 'commit'), ours)
    expect('the next of its name aborts it', numbers('read_committed'), (wanted + list(range(2000, 2100)), True))


def followed(broker):
    """A kill between a writer's first records and its last: all are there once, for a reader that ran meanwhile too."""
    broker.create_topic('followed', PARTITIONS)
    follower = broker.follow('followed')
    rows = [json.dumps(as_line(Record(b'key%d' % (n % 97), b'%d' % n))).encode() + b'\n' for n in range(COUNT)]
    source, feed = os.pipe()
    with os.fdopen(source, 'rb') as lines, os.fdopen(feed, 'wb') as feeding:
        counts = {}
        writer = threading.Thread(target=lambda: counts.update(broker.produce_lines('followed', lines)))
        writer.start()
        feeding.writelines(rows[:COUNT // 2])
        feeding.flush()
        while not any(p.end for p in broker.consume('followed', 'read_uncommitted').partitions):
            time.sleep(0.05)
        broker.kill()
        feeding.writelines(rows[COUNT // 2:])
        feeding.close()
        broker.restart()
        writer.join()
    expect('the writer outlived the kill', counts.get('sent'), COUNT)
    during = follower.finish()
    after = broker.consume('followed')
    expect('all, once, through kill -9, by an idempotent writer', sorted(int(r.value) for r in after.records),
           list(range(COUNT)))
    expect('the reader during the kill saw the same', sorted(during.records, key=place), sorted(after.records, key=place))


def place(record):
    return record.partition, record.offset


def groups_and_topics(broker):
    # kcat commits when it leaves its group.
    kcat(broker, '-G', 'readers', '-e', '-q', '-X', 'auto.offset.reset=earliest', 'plain')
    ends = {('plain', p.partition): p.end for p in broker.consume('plain').partitions}
    expect('committed offsets of a group', broker.committed('readers'), ends)
    expect('and their ends', {(r['topic'], r['partition']): r['end'] for r in broker.describe_group('readers')}, ends)
    broker.delete_topic('plain')
    broker.create_topic('plain', 1)
    expect('a deleted topic can be recreated, empty', list(broker.consume('plain', until_quiet=0.5).records), [])


def command_line(folder):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'broker.py')

    def broker(*args, text=None):
        return subprocess.run([sys.executable, script, *args], input=text, capture_output=True, text=True)

    status = json.loads(broker('status', folder).stdout)
    expect('status', status['pid'] is not None and status['rss_bytes'] > 1 << 20, True)
    broker('topic', 'create', folder, 'pasted', '--partitions', '2', '--config', 'cleanup.policy=compact')
    written = broker('produce', folder, 'pasted', '-', text='{"key_text": "k", "value_text": "v", "partition": 1}\n')
    expect('produce', json.loads(written.stdout)['sent'], 1)
    first, last = map(json.loads, broker('consume', folder, 'pasted').stdout.splitlines())
    expect('consume', (first['key'], first['value'], first['partition'], len(last['partitions'])), ('aw==', 'dg==', 1, 2))
    expect('no such topic', broker('consume', folder, 'absent').returncode, 1)
    expect('stop', broker('stop', folder).returncode, 0)
    expect('status of the stopped', broker('status', folder).returncode, 1)
    expect('without Java', subprocess.run([sys.executable, script, 'install'], env={'PATH': '/nonexistent'},
                                          capture_output=True).returncode, SKIPPED)


def main():
    if not shutil.which('kcat'):
        raise Skip("'kcat' is missing: apt-get install kcat")
    with tempfile.TemporaryDirectory() as folder, Broker(folder) as broker:
        broker.start()
        print('    first start: %.1f s, resident %d MiB' % (broker.start_seconds, broker.rss_bytes() >> 20))
        records = written_by_librdkafka(broker)
        killed(broker, records)
        any_bytes(broker)
        transactions(broker)
        followed(broker)
        groups_and_topics(broker)
        print('    resident at the end: %d MiB' % (broker.rss_bytes() >> 20))
        command_line(folder)


if __name__ == '__main__':
    try:
        timed('all', main)
    except Skip as missing:
        print('skipped: %s' % missing)
        sys.exit(SKIPPED)
