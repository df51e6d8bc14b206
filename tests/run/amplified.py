"""Pages with records a hundred times as large: memory is bounded, and the bytes are the same for any number of workers.

Tests deep paths on many blocks, next to ordinary pages and refused records. With `memory` as second argument it checks memory peaks on
pages of full size, but not under a sanitizer, which multiplies memory.
"""
import hashlib
import json
import os
import subprocess
import sys
import tempfile

import archive
from case import PROGRAM, contents, expect, expect_true, is_sanitized, thresher

FORMATS = (('jsonl', []), ('all.jsonl', ['--emit', 'all']), ('all.jsonl.zst', ['--emit', 'all']), ('all.jsonl.gz', ['--emit', 'all']),
           ('warc', ['-f', 'warc']), ('warc.gz', ['-f', 'warc']), ('warc.zst', ['-f', 'warc']),
           ('sig/', ['-f', 'minhash-sig', '-m', 'datatrove']))


def pages(count, blocks):
    """Large pages, an ordinary page after each, and a record without a page."""
    html = b'<blockquote>' * 33 + b'x<br>' * blocks
    for i in range(count):
        yield archive.response(html, 'http://large.example/%d' % i, i)
        yield from archive.records(3, seed=i)


def files(path):
    if not path.endswith('/'):
        return hashlib.sha256(contents(path)).hexdigest()
    return {name: hashlib.sha256(contents(os.path.join(base, name))).hexdigest() for base, _, names in os.walk(path) for name in names if 'state' not in name}


def peak(args):
    """Megabytes of one run, which must end well."""
    process = subprocess.Popen([PROGRAM, 'run', '-q', *args])
    _, code, usage = os.wait4(process.pid, 0)
    process.returncode = code
    expect('run %s' % ' '.join(args), code, 0)
    return usage.ru_maxrss / 1000


def small(folder):
    source = archive.write(os.path.join(folder, 'a.warc.gz'), pages(4, 25000))
    for name, kind in FORMATS:
        seen = []
        for jobs in ('1', '7'):
            out = os.path.join(folder, jobs + '.' + name)
            run = thresher('run', '-q', '-j', jobs, *kind, '-O', out, source)
            expect('%s with -j%s' % (name, jobs), run.returncode, 0)
            seen.append(files(out))
        out = os.path.join(folder, 'little.' + name)
        thresher('run', '-q', '-j7', '--max-in-flight', '1', *kind, '-O', out, source)
        seen.append(files(out))
        expect_true('%s: the same bytes for any number of workers and any budget' % name, all(one == seen[0] for one in seen))
    plain = contents(os.path.join(folder, '1.all.jsonl'))
    rows = [json.loads(line) for line in plain.splitlines()]
    expect('records', (len(rows), max(len(row['blocks']) for row in rows)), (16, 25000))
    for name, tool in (('gz', 'gzip'), ('zst', 'zstd')):
        out = subprocess.run([tool, '-dc', os.path.join(folder, '1.all.jsonl.' + name)], capture_output=True, check=True).stdout
        expect_true('%s unpacks to the same' % name, out == plain)
    # The index computes pairs while parts of a record are submitted.
    seen = []
    for jobs in ('1', '7'):
        out = os.path.join(folder, jobs + '.marked.jsonl')
        run = thresher('run', '-q', '-j', jobs, '--emit', 'all', '--index.path', os.path.join(folder, 'index' + jobs), '-O', out, source)
        expect('with an index, -j%s' % jobs, run.returncode, 0)
        seen.append(files(out))
        marked = [json.loads(line) for line in contents(out).splitlines()]
        expect('near-duplicates are marked', [bool(row.get('near_duplicate')) for row in marked if 'large' in row['url']], [False] + [True] * 3)
        for row in marked:
            row.pop('near_duplicate', None)
        expect_true('and nothing else differs', marked == rows)
    expect('with an index: the same bytes', seen[0], seen[1])
    for path in ('/dev/full',):
        expect('a full device ends it', thresher('run', '-q', '-j7', '--emit', 'all', '-O', path, source).returncode, 74)


def memory(folder):
    if is_sanitized():
        print('skipped: a sanitizer multiplies memory')
        sys.exit(77)
    html = b'<blockquote>' * 33 + b'x<br>' * 249000
    source = archive.write(os.path.join(folder, 'a.warc.gz'), [archive.response(html, 'http://large.example/%d' % i, i) for i in range(8)])  # one for each worker
    for name, kind in FORMATS:
        if name.endswith('.gz'):
            continue # as .zst, and slow
        for jobs, most in (('2', 200), ('8', 400)):
            out = '/dev/null' if not name.endswith('/') and '.zst' not in name else os.path.join(folder, name)
            mb = peak(['-j' + jobs, *kind, '-O', out, source])
            expect_true('%s: peak under %d MB with -j%s' % (name, most, jobs), mb < most, '%.0f MB' % mb)
            print('   %.0f MB' % mb)


with tempfile.TemporaryDirectory() as folder:
    memory(folder) if sys.argv[2:] == ['memory'] else small(folder)
