"""Hits of an index as inputs from an object store: ranges that are close together are one request, and the output does not depend on it, on the
number of requests at a time, or on transfer errors. Every form of hits gives the same records.

usage: hits.py PROGRAM [SHARED | HITS ARCHIVES]     with SHARED, hits in its archives; with two numbers, measures that many hits
"""
import glob
import json
import os
import random
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'run'))
import archive
from case import PROGRAM, contents, expect, expect_true, thresher
from store import Fault, Store

FAST = ['--remote.backoff-ms', '1', '--remote.stall-ms', '60000']


def make(folder, store, archives, pages):
    """Puts archives into the store. Returns the rows of their index: dicts with Common Crawl's names."""
    rows = []
    for number in range(archives):
        name = 'crawl/a%03d.warc.gz' % number
        path = archive.write(os.path.join(folder, 'a.warc.gz'), archive.records(pages))
        store.put('crawls', name, contents(path))
        for line in thresher('records', path).stdout.splitlines():
            record = json.loads(line)
            if record['type'] == 'response':
                rows.append({'warc_filename': name, 'warc_record_offset': record['offset'], 'warc_record_length': record['length'], 'url': record.get('uri', '')})
    return rows



def write_csv(path, rows):
    with open(path, 'w') as out:
        print('warc_filename,warc_record_offset,warc_record_length', file=out)
        for row in rows:
            print('%(warc_filename)s,%(warc_record_offset)d,%(warc_record_length)d' % row, file=out)
    return '@' + path


def run(store, hits, *options):
    store.log.clear()
    done = thresher('run', '-q', '-j2', *FAST, *options, '--base', 's3://crawls/', hits, env=store.environment())
    return done, len(store.log)


def ordered(rows):
    """The documented order: archives as they are first named, then offsets."""
    first = {}
    for row in rows:
        first.setdefault(row['warc_filename'], len(first))
    return sorted(rows, key=lambda row: (first[row['warc_filename']], row['warc_record_offset']))


def places(out):
    return [(record['source']['file'].replace('s3://crawls/', ''), record['source']['offset']) for record in map(json.loads, out.splitlines())]


def check(folder, store):
    rows = make(folder, store, 5, 30)
    shuffled = random.Random(3).sample(rows, 90)
    hits = write_csv(os.path.join(folder, 'hits.csv'), shuffled)
    single, requests = run(store, hits, '--remote.coalesce', '0')
    expect('one request each: result', (single.returncode, single.stderr), (0, b''))
    expect('one request each: requests', requests, 90)
    expect('one request each: the order of the list', places(single.stdout), [(r['warc_filename'], r['warc_record_offset']) for r in shuffled])

    merged, requests = run(store, hits)
    expect('merged: result', (merged.returncode, merged.stderr), (0, b''))
    expect('merged: one request for each archive', requests, 5)
    expect('merged: by archive and offset', places(merged.stdout), [(r['warc_filename'], r['warc_record_offset']) for r in ordered(shuffled)])
    expect('merged: the same records', sorted(merged.stdout.splitlines()), sorted(single.stdout.splitlines()))
    for options in (['--remote.requests', '1'], ['--remote.requests', '64'], ['-j', '1'], ['-j', '7'], ['--remote.coalesce', '1'], ['--remote.coalesce', '700'], ['--isolation', 'process']):
        again, requests = run(store, hits, *options)
        expect('%s: the same bytes' % ' '.join(options), (again.returncode, again.stderr, again.stdout == merged.stdout), (0, b'', True))
        expect_true('%s: %d requests' % (' '.join(options), requests), requests > 5 if '1' in options[1] and 'coalesce' in options[0] else requests >= 5)
    for fault in ([Fault('cut', 200)], [Fault('503'), Fault('503')], [Fault('reset', 300), Fault('cut', 900)]):
        store.faults = list(fault)
        again, _ = run(store, hits)
        expect('after %s: the same bytes' % [f.kind for f in fault], (again.returncode, again.stdout == merged.stdout), (0, True))
    store.faults = []

    store.faults = [Fault('503'), Fault('503')]
    again = thresher('run', '-j2', *FAST, '--base', 's3://crawls/', hits, env=store.environment())
    expect('a line for each error of the store', (again.returncode, again.stderr.decode().count(' 503')), (0, 2))
    store.faults = []

    # Records before the gap's end, a hit twice, and one beyond the end of an archive.
    odd = [rows[4], rows[4], rows[3], dict(rows[5], warc_record_offset=10 ** 9), dict(rows[6], warc_record_offset=rows[6]['warc_record_offset'] + 1),
           dict(rows[40], warc_filename='crawl/none.warc.gz'), dict(rows[41], warc_filename='crawl/none.warc.gz'), rows[31]]
    again, requests = run(store, write_csv(os.path.join(folder, 'odd.csv'), odd))
    expect('wrong hits: the others are read', (again.returncode, places(again.stdout)),
           (1, [(r['warc_filename'], r['warc_record_offset']) for r in (rows[3], rows[4], rows[4], rows[31])]))
    words = again.stderr.decode().splitlines()
    expect_true('wrong hits: one line for each request that failed', [w for w in words if 'none.warc.gz' in w and 'request of 2 records' in w] == [w for w in words if 'none.warc.gz' in w] and
                len([w for w in words if 'offset 1000000000' in w]) == 1, words)

    # A run that stops, and continues.
    out = os.path.join(folder, 'out.jsonl')
    run(store, hits, '-O', out)
    whole = contents(out)
    expect('to a file', whole, merged.stdout)
    for delay in (.01, .03, .05, .1):
        os.remove(out)
        os.remove(out + '.state')
        process = subprocess.Popen([PROGRAM, 'run', '-q', '-j2', '--checkpoint-ms', '1', '--base', 's3://crawls/', '-O', out, '--resume', hits],
                                   env=store.environment(), stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.kill()
        process.wait()
        again, _ = run(store, hits, '-O', out, '--resume')
        expect('killed after %.2f s, resumed' % delay, (again.returncode, contents(out) == whole), (0, True))

    # Other forms of the same hits.
    def form(name, lines):
        with open(os.path.join(folder, name), 'w') as f:
            f.write('\n'.join(lines) + '\n')
        return '@' + os.path.join(folder, name)
    key, stamp = 'com,example)/', '20260101000000'
    forms = {
        'index.cdxj': ['%s %s %s' % (key, stamp, json.dumps({'url': r['url'], 'filename': r['warc_filename'], 'offset': str(r['warc_record_offset']), 'length': str(r['warc_record_length'])}))
                       for r in shuffled],
        'index.json': [json.dumps({'urlkey': key, 'filename': r['warc_filename'], 'offset': str(r['warc_record_offset']), 'length': str(r['warc_record_length'])}) for r in shuffled],
        'server.txt': ['%s %s %s text/html 200 ABC - - %d %d %s' % (key, stamp, r['url'] or '-', r['warc_record_length'], r['warc_record_offset'], r['warc_filename']) for r in shuffled],
        'server.json': ['[' * (not i) + json.dumps(row) + (',' if i < len(shuffled) else ']') for i, row in enumerate(
            [['urlkey', 'timestamp', 'original', 'length', 'offset', 'filename']] +
            [[key, stamp, r['url'], str(r['warc_record_length']), str(r['warc_record_offset']), r['warc_filename']] for r in shuffled])],
        'file.cdx': [' CDX N b a m s k r M S V g'] +
                    ['%s %s %s text/html 200 ABC - - %d %d %s' % (key, stamp, r['url'] or '-', r['warc_record_length'], r['warc_record_offset'], r['warc_filename']) for r in shuffled],
    }
    for name, lines in forms.items():
        again, requests = run(store, form(name, lines))
        expect('%s: the same bytes and requests' % name, (again.returncode, again.stderr, again.stdout == merged.stdout, requests), (0, b'', True, 5))


def check_corpus(folder, store, archives):
    """Every record of real archives as a hit: the same records as with one request each."""
    lines = []
    for path in archives:
        name = os.path.basename(path)
        store.put('crawls', name, contents(path))
        for line in thresher('records', path).stdout.splitlines():
            record = json.loads(line)
            if record.get('length') and not record.get('skip'):
                lines.append({'warc_filename': name, 'warc_record_offset': record['offset'], 'warc_record_length': record['length']})
    hits = write_csv(os.path.join(folder, 'hits.csv'), random.Random(5).sample(lines, len(lines)))
    single, many = run(store, hits, '--remote.coalesce', '0')
    merged, few = run(store, hits)
    expect('%d hits in %d archives: the same result' % (len(lines), len(archives)), merged.returncode, single.returncode)
    expect('the same records', sorted(merged.stdout.splitlines()), sorted(single.stdout.splitlines()))
    expect_true('%d requests, and %d one by one' % (few, many), few <= len(archives) < many == len(lines))


def measure(folder, store, hits, archives):
    rows = make(folder, store, archives, max(2, 3 * hits // archives // 2))
    chosen = random.Random(1).sample(rows, hits)
    path = write_csv(os.path.join(folder, 'hits.csv'), chosen)
    print('%d of %d records in %d archives' % (len(chosen), len(rows), archives))
    for options in (['--remote.coalesce', '0'], ['--remote.requests', '1'], ['--remote.requests', '4'], ['--remote.requests', '16']):
        begun = time.monotonic()
        done, requests = run(store, path, *options, '-O', '/dev/null')
        print('%-24s %6d requests %7.2f s   exit %d' % (' '.join(options), requests, time.monotonic() - begun, done.returncode))


if __name__ == '__main__':
    CORPUS = sorted(glob.glob(os.path.join(sys.argv[2], 'corpora', 'warc', '*.warc.gz'))) if len(sys.argv) == 3 else []
    if len(sys.argv) == 3 and not CORPUS:
        print('skipped: no archives in %s' % sys.argv[2])
        sys.exit(77)
    with tempfile.TemporaryDirectory() as made, Store() as served:
        if CORPUS:
            check_corpus(made, served, CORPUS)
        elif len(sys.argv) > 3:
            measure(made, served, int(sys.argv[2]), int(sys.argv[3]))
        else:
            check(made, served)
