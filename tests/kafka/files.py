"""Kafka to files, at least once: no page is lost through kills, and a restart without a kill doubles none.

usage: files.py PROGRAM

Exits with 77 if Java, Maven or the network is missing.
"""
import collections
import glob
import json
import os
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import broker as rig  # noqa: E402
from case import expect, expect_true, start  # noqa: E402

PAGES, KILLS = 400, 4
TEXT = b'<title>%d</title><p>This is page number %d of a row of pages that all say the same.'
CONFIG = '''[run]
jobs = 1
[sketch]
minhash = none
[daemon]
listen = none
flush-ms = 50
[kafka]
brokers = %s
topics = in
group = files
session-ms = 6000
[files]
path = out
roll-bytes = 20000
'''


def url(n):
    return b'http://k.example/%d' % n


def lines(folder, suffixes=('.jsonl', '.jsonl.part')):
    """Counts the URLs in the output files: finished ones, and also unfinished ones."""
    found = collections.Counter()
    for path in glob.glob(os.path.join(folder, 'out', '*.jsonl*')):
        try:
            with open(path, 'rb') as file:
                text = file.read() if path.endswith(suffixes) else b''
        except FileNotFoundError:
            continue  # it got its final name
        found.update(json.loads(line)['url'] for line in text.split(b'\n')[:-1])
    return found


def wait_for(claim, holds, log):
    end = time.time() + 300
    while not holds():
        if time.time() > end:
            with open(log, encoding='utf-8') as file:
                expect_true(claim, False, file.read()[-2000:])
        time.sleep(.05)


def main(folder):
    config, log = os.path.join(folder, 'conf'), os.path.join(folder, 'log')

    def times_ready():
        with open(log, 'rb') as file:
            return file.read().count(b'event=ready')

    def serve(waits=True):
        with open(log, 'ab') as err:
            process, before = start('serve', '-c', config, stderr=err, cwd=folder), times_ready()
        if waits:  # for the group to forget a process that was killed
            wait_for('it is ready', lambda: times_ready() > before, log)
        return process

    with rig.Broker(os.path.join(folder, 'kafka')) as kafka:
        kafka.start()
        kafka.create_topic('in')
        with open(config, 'w', encoding='utf-8') as file:
            file.write(CONFIG % kafka.bootstrap)
        count = 0
        for _ in range(KILLS):
            process, before = serve(), len(lines(folder))
            kafka.produce('in', [rig.Record(key=url(n), value=TEXT % (n, n)) for n in range(count, count + PAGES)])
            count += PAGES
            wait_for('it writes', lambda seen=before: len(lines(folder)) > seen, log)
            process.kill()
            process.wait()
        process = serve()
        wait_for('all pages are written', lambda: len(lines(folder)) == count, log)
        process.terminate()
        expect('SIGTERM ends it well', process.wait(120), 0)
        found = lines(folder, ('.jsonl',))
        expect('no page is lost, and all are in finished files', set(found), {url(n).decode() for n in range(count)})
        expect_true('a kill doubles no more than one batch: %d doubled' % (sum(found.values()) - count), sum(found.values()) - count <= KILLS * PAGES)
        process = serve()
        kafka.produce('in', [rig.Record(key=url(count), value=TEXT % (count, count))])
        wait_for('the next page is written', lambda: url(count).decode() in lines(folder), log)
        process.terminate()
        expect('SIGTERM ends it well again', process.wait(120), 0)
        found[url(count).decode()] += 1
        expect('a restart doubles nothing', lines(folder, ('.jsonl',)), found)
        (state,) = glob.glob(os.path.join(folder, 'out', '.*.state'))
        with open(state, 'r+b') as file:
            file.truncate((1 << 20) + 1)
        process = serve(waits=False)
        code = process.wait(120)
        with open(log, encoding='utf-8') as file:
            expect('a state file that is too large', (code, 'is not a state file of an output' in file.read()), (75, True))


if __name__ == '__main__':
    scratch = tempfile.mkdtemp(prefix='thresher-kafka-files-')
    try:
        main(scratch)
    except rig.Skip as reason:
        print('skipped: %s' % reason)
        sys.exit(77)
    finally:
        if not os.environ.get('THRESHER_KEEP'):
            shutil.rmtree(scratch, ignore_errors=True)
