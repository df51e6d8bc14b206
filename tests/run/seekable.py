"""--compress zstd:seekable and `thresher get`: the frames of zstd, an index and a seek table that any zstd skips; the same bytes after any kill.
With the argument `readers`, readers of the format from PyPI (exit 77 if none is installed).
"""
import json
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

import archive
from case import PROGRAM, contents, exists, expect, expect_true, thresher

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, '..', '..', 'samples', 'news.warc.gz')
SEEKABLE = ['-q', '--compress', 'zstd:seekable']
READ = '''
import random, subprocess, sys
path, whole = sys.argv[1], subprocess.run(['zstd', '-dc', sys.argv[1]], capture_output=True, check=True).stdout
readers = []
try:
    import pyzstd
    readers.append(pyzstd.SeekableZstdFile(path, 'r'))
except ImportError:
    pass
try:
    import indexed_zstd
    readers.append(indexed_zstd.IndexedZstdFile(path))
except ImportError:
    pass
if not readers:
    sys.exit(77)
for reader in readers:
    for at in random.Random(1).sample(range(len(whole)), 300):
        reader.seek(at)
        assert reader.read(1234) == whole[at:at + 1234], (reader, at)
print(len(readers), 'readers')
'''


def plain(path):
    return subprocess.run(['zstd', '-dc', path], capture_output=True, check=True).stdout


def table_of(data):
    """The entries of the seek table: stored and decompressed bytes, read as the format describes it."""
    count, descriptor, magic = struct.unpack('<IBI', data[-9:])
    expect('end of the table', (descriptor, magic), (0, 0x8F92EAB1))
    start = len(data) - 9 - 8 * count - 8
    expect('head of the table', struct.unpack('<II', data[start:start + 8]), (0x184D2A5E, 8 * count + 9))
    entries = [struct.unpack('<II', data[start + 8 + 8 * i:start + 16 + 8 * i]) for i in range(count)]
    expect('the entries add up', sum(stored for stored, _ in entries), start)
    return entries


def make(path):
    archive.write(path('many.warc.gz'), archive.records(600))
    return [path('many.warc.gz'), SAMPLE]


def check(path):
    inputs = make(path)
    expect('a run', thresher('run', *SEEKABLE, '-O', path('s.jsonl.zst'), *inputs).returncode, 0)
    expect('a run without', thresher('run', '-q', '-O', path('p.jsonl.zst'), *inputs).returncode, 0)
    data, text = contents(path('s.jsonl.zst')), plain(path('s.jsonl.zst'))
    expect('any zstd reads it', text, plain(path('p.jsonl.zst')))
    expect_true('the frames are those of zstd', data.startswith(contents(path('p.jsonl.zst'))))
    entries = table_of(data)
    expect('the last entry is the index', entries[-1][1], 0)
    expect('the entries are the frames', sum(plain_len for _, plain_len in entries), len(text))
    expect_true('several frames', len(entries) > 5, entries)
    at = 0
    for number, (stored, length) in enumerate(entries[:-1]):
        frame = subprocess.run(['zstd', '-dc'], input=data[at:at + stored], capture_output=True).stdout
        if len(frame) != length:
            expect('frame %d' % number, len(frame), length)
        at += stored
    for jobs in (1, 7):
        thresher('run', *SEEKABLE, '-j', jobs, '-O', path('j.jsonl.zst'), *inputs)
        expect('%d workers: the same bytes' % jobs, contents(path('j.jsonl.zst')) == data, True)

    lines = {json.loads(line)['id']: line for line in text.splitlines()}
    chosen = random.Random(2).sample(sorted(lines), 40)
    run = thresher('get', path('s.jsonl.zst'), *chosen)
    expect('get: the lines, in the order of the ids', (run.returncode, run.stderr, run.stdout.splitlines()), (0, b'', [lines[i] for i in chosen]))
    run = thresher('get', path('s.jsonl.zst'), 'none', chosen[0])
    expect('get: an unknown id', (run.returncode, run.stderr, run.stdout.splitlines()), (1, b"thresher: no record has the id 'none'\n", [lines[chosen[0]]]))
    expect('get: every id', len(thresher('get', path('s.jsonl.zst'), *lines).stdout.splitlines()), len(lines))
    expect('dedup reads the file', thresher('dedup', '-q', path('s.jsonl.zst')).stdout, thresher('dedup', '-q', path('p.jsonl.zst')).stdout)
    thresher('run', *SEEKABLE, '-O', path('twice.jsonl.zst'), SAMPLE, SAMPLE)
    once = json.loads(thresher('run', '-q', SAMPLE).stdout.splitlines()[3])['id']
    expect('get: an id that occurs twice', len(thresher('get', path('twice.jsonl.zst'), once).stdout.splitlines()), 2)

    # Other files, and damage.
    for name, code, words in (('p.jsonl.zst', 1, b'has no seek table'), ('none', 74, b'cannot open')):
        run = thresher('get', path(name), 'x')
        expect_true('get %s' % name, run.returncode == code and words in run.stderr, (run.returncode, run.stderr))
    without = bytearray(data)  # an index of another kind: all frames are searched
    index_at = sum(stored for stored, _ in entries[:-1])
    without[index_at + 8] ^= 1
    with open(path('without.zst'), 'wb') as f:
        f.write(without)
    expect('get without an index', thresher('get', path('without.zst'), chosen[0]).stdout.splitlines(), [lines[chosen[0]]])
    sums = data[:sum(stored for stored, _ in entries)] + struct.pack('<II', 0x184D2A5E, 12 * len(entries) + 9)
    sums += b''.join(struct.pack('<III', *entry, 7) for entry in entries) + struct.pack('<IBI', len(entries), 0x80, 0x8F92EAB1)
    with open(path('sums.zst'), 'wb') as f:
        f.write(sums)
    run = thresher('get', path('sums.zst'), *chosen)
    expect('get from a table with checksums', (run.returncode, run.stdout.splitlines()), (0, [lines[i] for i in chosen]))
    table_at = index_at + entries[-1][0]
    for name, changed, code, words in (
            ('short', data[-16:], 1, 'has no seek table'),
            ('long', data[:-9] + struct.pack('<IBI', 1 << 20, 0, 0x8F92EAB1), 1, 'is damaged at byte %d: the seek table is too long' % (len(data) - 9)),
            ('many', data[:-9] + struct.pack('<IBI', (1 << 27) + 1, 0, 0x8F92EAB1), 1, 'is damaged at byte %d: the seek table is too long' % (len(data) - 9)),
            ('moved', data[:table_at] + b'x' + data[table_at + 1:], 1, 'is damaged at byte %d: no seek table begins here' % table_at),
            ('large', data[:table_at + 12] + b'\xff\xff\xff\xff' + data[table_at + 16:], 1, 'is damaged at byte 0: the frame is too large')):
        with open(path(name), 'wb') as f:
            f.write(changed)
        run = thresher('get', path(name), json.loads(text.splitlines()[0])['id'])
        expect('get: %s' % name, (run.returncode, run.stdout, run.stderr.decode()), (code, b'', "thresher: '%s' %s\n" % (path(name), words)))
    run = thresher('get', path(''), 'x')
    expect('get from a folder', (run.returncode, run.stderr.decode()), (74, "thresher: '%s' is not a file\n" % path('')))
    for place in [index_at + 17, len(data) - 8, len(data) - 20, index_at + 24 + 7, index_at + 24 + 11, 20]:
        broken = bytearray(data)
        broken[place] ^= 0x55
        with open(path('broken.zst'), 'wb') as f:
            f.write(broken)
        run = thresher('get', path('broken.zst'), *chosen)
        expect_true('get: byte %d is changed: an error or the lines' % place, run.returncode in (0, 1) and set(run.stdout.splitlines()) <= set(lines.values()),
                    (run.returncode, run.stderr))
    for options in (['-f', 'warc', '-O', path('x.warc.zst')], ['-f', 'parquet', '-O', path('x.parquet')], ['-O', '-'], ['-O', path('x.jsonl.gz')]):
        run = thresher('run', *SEEKABLE, *options, SAMPLE)
        expect_true('%s is refused' % ' '.join(options), run.returncode == 2 and b'seekable' in run.stderr, (run.returncode, run.stderr))
    run = thresher('dedup', '--compress', 'zstd:seekable', '-O', path('c.jsonl.zst'), path('p.jsonl.zst'))
    expect('dedup does not write it', run.returncode, 2)
    empty = archive.write(path('empty.warc.gz'), archive.records(0))
    expect('no record', thresher('run', *SEEKABLE, '-O', path('empty.jsonl.zst'), empty).returncode, 0)
    expect('no record: an empty file of zstd', plain(path('empty.jsonl.zst')), b'')
    expect('no record: not found', thresher('get', path('empty.jsonl.zst'), 'x').returncode, 1)

    # A folder: each file has its own table.
    expect('a folder', thresher('run', *SEEKABLE, '-O', path('out/'), *inputs).returncode, 0)
    for name in ('many.jsonl.zst', 'news.jsonl.zst'):
        table_of(contents(path('out/' + name)))
        one = json.loads(plain(path('out/' + name)).splitlines()[-1])['id']
        expect('get from %s' % name, json.loads(thresher('get', path('out/' + name), one).stdout)['id'], one)

    # Killed at any moment and resumed: the same bytes.
    rng, hits = random.Random(4), 0
    for _ in range(6):
        for name in ('k.jsonl.zst', 'k.jsonl.zst.part', 'k.jsonl.zst.state'):
            if exists(path(name)):
                os.remove(path(name))
        command = [PROGRAM, 'run', *SEEKABLE, '--checkpoint-ms', '0', '--resume', '-O', path('k.jsonl.zst'), *inputs]
        for _ in range(4):
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(.01, .3))
            process.kill()
            hits += process.wait() == -signal.SIGKILL
        last = subprocess.run(command, capture_output=True)
        expect('killed and resumed', (last.returncode, last.stderr, contents(path('k.jsonl.zst')) == data), (0, b'', True))
    print('%d kills' % hits)


def readers(path):
    for python in (sys.executable, os.path.join(os.environ.get('THRESHER_READERS', '/nowhere'), 'bin', 'python')):
        if not exists(python):
            continue
        expect('a run', thresher('run', *SEEKABLE, '-O', path('s.jsonl.zst'), *make(path)).returncode, 0)
        run = subprocess.run([python, '-c', READ, path('s.jsonl.zst')], capture_output=True, text=True)
        if run.returncode != 77:
            expect_true('readers of the format: %s' % run.stdout.strip(), run.returncode == 0, run.stderr)
            return
    print('skipped: neither pyzstd nor indexed_zstd is installed')
    sys.exit(77)


if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as made:
        (readers if sys.argv[2:] == ['readers'] else check)(lambda name: os.path.join(made, name))
