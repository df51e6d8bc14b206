"""The daemon with files that occupy its reader for hours. It ends in time, stays alive, reports the files, and skips them."""
import json
import os
import re
import signal
import sys
import tempfile
import time
import urllib.error
import urllib.request

import archive
import stuck_input
from case import PROGRAM, expect, expect_soon, expect_true, free_port, metrics_add_up, start

DRAIN = 1.0
LIMIT = DRAIN + (float(sys.argv[2]) if len(sys.argv) > 2 else 5)


def daemon(folder, **settings):
    """Starts one on folder/spool. Returns process and port."""
    port = free_port()
    config = os.path.join(folder, 'thresher.conf')
    with open(config, 'w') as file:
        file.write('[run]\njobs = 2\n[daemon]\nlisten = 127.0.0.1:%d\nflush-ms = 30\ndrain-ms = %d\n[files]\npath = %s/out\n[spool]\n'
                   'path = %s/spool\nsettle-ms = 1\nquiet-ms = 20\nmin-age-ms = 20\nrescan-ms = 50\n%s'
                   % (port, DRAIN * 1000, folder, folder, ''.join('%s = %s\n' % pair for pair in settings.items())))
    with open(os.path.join(folder, 'log'), 'ab') as log:
        return start('serve', '-c', config, stderr=log), port


def ask(port, path):
    try:
        with urllib.request.urlopen('http://127.0.0.1:%d%s' % (port, path), timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError:
        return 0, ''


def metric(port, name):
    found = re.search(r'^%s (\S+)$' % name, ask(port, '/metrics')[1], re.M)
    return float(found.group(1)) if found else 0


def wait(claim, holds, seconds=300):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(.01)
    expect_true(claim, holds())


def pages(number, count=40):
    return b''.join(archive.response('<p>%s %d %d.</p>' % ('Words of a page that is like no other ' * 3, number, i),
                                     'http://s.example/%d/%d' % (number, i), number * 1000 + i) for i in range(count))


def urls(number, count=40):
    return ['http://s.example/%d/%d' % (number, i) for i in range(count)]


def published(folder):
    out = os.path.join(folder, 'out')
    return [json.loads(line)['url'] for name in sorted(os.listdir(out)) if name.startswith('thresher') and not name.endswith('.manifest.json')
            for line in open(os.path.join(out, name))]


def forms():
    yield 'sparse.warc', stuck_input.sparse
    yield 'huge.warc', lambda path: stuck_input.sparse(path, before=stuck_input.HEADER % (300 << 30))
    yield 'record.warc.zst', stuck_input.zstd_record
    yield 'damaged.warc.gz', lambda path: stuck_input.gzip_record(path, 3900 << 20, is_damaged=True)


def ends_in_time():
    for name, make in forms():
        with tempfile.TemporaryDirectory() as folder:
            spool = os.path.join(folder, 'spool')
            os.mkdir(spool)
            with open(os.path.join(spool, 'a.warc'), 'wb') as file:
                file.write(pages(0))
            make(os.path.join(spool, 'b' + name))
            process, port = daemon(folder)
            wait('%s: the file before is done' % name, lambda: os.path.exists(os.path.join(spool, 'done', 'a.warc')))
            time.sleep(.5)
            expect('%s: it is in progress' % name, os.listdir(os.path.join(spool, 'failed')), [])
            process.send_signal(signal.SIGTERM)
            begun = time.monotonic()
            expect('%s: exit code' % name, process.wait(300), 0)
            took = time.monotonic() - begun
            expect_soon('%s: ended' % name, took, LIMIT)
            expect('%s: published files' % name, published(folder), urls(0))


def is_passed_over():
    with tempfile.TemporaryDirectory() as folder:
        spool = os.path.join(folder, 'spool')
        os.mkdir(spool)
        for name, write in (('a.warc', lambda path: open(path, 'wb').write(pages(0))),
                            ('b.warc', lambda path: stuck_input.sparse(path, before=pages(1))),
                            ('c.warc.zst', lambda path: stuck_input.zstd_record(path, 400 << 30)),
                            ('d.warc', lambda path: open(path, 'wb').write(pages(2)))):
            write(os.path.join(spool, name))
        process, port = daemon(folder, **{'stuck-ms': 300, 'give-up-ms': 2500})
        for name in ('b.warc', 'c.warc.zst'):
            wait('%s is told as stuck' % name, lambda: "input: '%s' is stuck" % name in ask(port, '/readyz')[1])
            expect('/readyz says no', ask(port, '/readyz')[0], 503)
            expect('/livez says yes', ask(port, '/livez')[0], 200)
            expect_true('a metric has it', metric(port, 'thresher_spool_stuck_seconds') >= .3)
            expect_true('metrics add up', metrics_add_up(port))
        wait('what stands behind them is done', lambda: os.path.exists(os.path.join(spool, 'done', 'd.warc')))
        wait('/readyz says yes', lambda: ask(port, '/readyz')[0] == 200)
        expect('files passed over', metric(port, 'thresher_spool_files_passed_over_total'), 2)
        expect('the gauge is down', metric(port, 'thresher_spool_stuck_seconds'), 0)
        expect_true('metrics add up', metrics_add_up(port))
        process.send_signal(signal.SIGTERM)
        expect('exit code', process.wait(300), 0)
        failed = os.path.join(spool, 'failed')
        expect('put aside', sorted(os.listdir(failed)), ['b.warc', 'b.warc.reason', 'c.warc.zst', 'c.warc.zst.reason'])
        for name, records in (('b.warc', 40), ('c.warc.zst', 1)):
            reason = json.load(open(os.path.join(failed, name + '.reason')))
            expect_true('%s: %s' % (name, reason['reason']), reason['reason'].startswith('skipped: no record in '))
            expect('%s: records it gave' % name, reason['records'], records)
        rows = open(os.path.join(spool, '.thresher.ledger')).read()
        for name, has_digest in (('a.warc', True), ('b.warc', False)):  # the digest of 400 GiB would keep the next files waiting
            found = re.findall(r'\bf [0-9a-f-]+-([0-9a-f]+)-([0-9a-f]+) [A-Z](?: \d+)+ %s\b' % name, rows)
            expect('%s: has a digest' % name, [digest != ('0', '0') for digest in found[-1:]], [has_digest])
        log = open(os.path.join(folder, 'log')).read()
        expect('log: stuck', len(re.findall('is stuck: no record', log)), 2)
        expect('log: passed over', len(re.findall('skipped: no record', log)), 2)
        expect('each page once', sorted(published(folder)), sorted(urls(0) + urls(1) + urls(2)))


ends_in_time()
is_passed_over()
