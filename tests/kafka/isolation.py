"""Kafka to Kafka with isolation: a page that crashes its process costs one dead letter, and a killed daemon loses nothing.

usage: isolation.py PROGRAM FAULTY [PAGES]     FAULTY: the program with injected errors (tests/run/faulty.c)

Exits with 77 if Java, Maven or the network is missing.
"""
import collections
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import broker as rig  # noqa: E402
from case import PROGRAM, contents, expect, expect_true  # noqa: E402

FAULTY, PAGES = sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 600
FAULTS = ('segv', 'abort', 'loop', 'open', 'exec', 'exit', 'kill', 'lie', 'huge')
if b'__asan_init' in contents(PROGRAM):  # its shadow takes more memory than any limit
    FAULTS = FAULTS[:-1]
if b'__tsan_init' in contents(PROGRAM):  # no filter, no limit of memory
    FAULTS = ('segv', 'abort', 'loop', 'exit', 'kill', 'lie')
TEXT = b'<title>%d</title><p>This is page number %d of a row of pages, and it is as long as a page needs to be.</p>'


def processes_of_pages():
    found = []
    for path in glob.glob('/proc/[0-9]*/comm'):
        try:
            with open(path) as f:
                name = f.read()
            if name.startswith(('thresher-page', 'thresher-fork')) and FAULTY.encode() in contents(path[:-4] + 'cmdline'):
                found.append(path)
        except OSError:
            continue
    return found


def main(folder):
    with rig.Broker(os.path.join(folder, 'kafka')) as kafka:
        kafka.start()
        for topic in 'in', 'out', 'dead':
            kafka.create_topic(topic, partitions=2)
        records = [rig.Record(key=b'http://good.example/%d' % n, value=TEXT % (n, n)) for n in range(PAGES)]
        for i, name in enumerate(FAULTS):
            records.insert(5 + i * (PAGES // len(FAULTS)), rig.Record(key=b'http://fault.example/' + name.encode(), value=TEXT % (i, i)))
        kafka.produce('in', records)
        config = os.path.join(folder, 'thresher.conf')
        with open(config, 'w') as f:
            f.write('[run]\njobs = 2\n[limits]\nisolation = process\nisolation-ms = 200\nisolation-memory = 256M\n[daemon]\nlisten = none\n'
                    'delivery = exactly-once\nflush-ms = 50\n[kafka]\nbrokers = %s\ntopics = in\ngroup = g\nrecords-topic = out\ndead-letters-topic = dead\n'
                    'transactional-id = isolation\nsession-ms = 6000\n' % kafka.bootstrap)
        kills, end = 0, time.time() + 120
        with open(os.path.join(folder, 'log'), 'ab') as log:
            process = subprocess.Popen([FAULTY, 'serve', '-c', config], stderr=log)
            while time.time() < end and sum(len(list(kafka.consume(t).records)) for t in ('out', 'dead')) < PAGES + len(FAULTS):
                expect('the daemon continues', process.poll(), None)
                if kills < 2:
                    process.kill()
                    process.wait()
                    kills += 1
                    time.sleep(.2)
                    expect('no process of the killed daemon stays', processes_of_pages(), [])
                    process = subprocess.Popen([FAULTY, 'serve', '-c', config], stderr=log)
                time.sleep(.3)
            process.send_signal(signal.SIGTERM)
            expect('the end is orderly', process.wait(60), 0)
        expect('no process stays', processes_of_pages(), [])
        seen = collections.Counter(record.key for record in kafka.consume('out').records)
        expect('each good page gives one record', seen, collections.Counter(b'http://good.example/%d' % n for n in range(PAGES)))
        letters = list(kafka.consume('dead').records)
        expect('each crash is one dead letter', collections.Counter(record.key for record in letters),
               collections.Counter(b'http://fault.example/' + name.encode() for name in FAULTS))
        expect_true('with the message as it came, and why', all(record.value.startswith(b'<title>') and b'crashed' in [value for _, value in record.headers]
                                                                for record in letters), [record.headers for record in letters[:1]])


if __name__ == '__main__':
    if not json.loads(subprocess.run([PROGRAM, 'version', '--json'], capture_output=True).stdout)['parts']['isolation']:
        print('skipped: built without libseccomp')
        sys.exit(77)
    folder = tempfile.mkdtemp(prefix='thresher-kafka-isolation-')
    try:
        main(folder)
    except rig.Skip as reason:
        print('skipped: %s' % reason)
        sys.exit(77)
    finally:
        if not os.environ.get('THRESHER_KEEP'):
            shutil.rmtree(folder, ignore_errors=True)
