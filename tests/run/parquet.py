"""--format parquet: the same bytes for any number of workers and after any kill. With the argument `values`, the values that a reader finds (exit 77 if no reader is installed)."""
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

import archive
from case import PROGRAM, contents, exists, expect, expect_true, thresher

rng = random.Random(5)
COMPARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'parquet', 'compare.py')
# Small row groups, so that there are many of them.
KIND = ['-q', '-f', 'parquet', '--row-group', '64K']
ALL = 'full_text,segments,blocks,links,html,paragraphs,signals'


def reader():
    """Returns an interpreter with pyarrow, the current one or that of $THRESHER_READERS. None if there is none."""
    for python in (sys.executable, os.path.join(os.environ.get('THRESHER_READERS', '/nowhere'), 'bin', 'python')):
        if exists(python) and subprocess.run([python, '-c', 'import pyarrow.parquet'], capture_output=True).returncode == 0:
            return python
    return None


def killed_to_the_end(command, kills):
    """Runs command, kills it after random times, resumes; returns how many kills hit a living run."""
    hits = 0
    for _ in range(kills):
        process = subprocess.Popen(command + ['--resume'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(.02, .2))
        process.kill()
        hits += process.wait() == -signal.SIGKILL
    last = subprocess.run(command + ['--resume'], capture_output=True)
    expect('last run ends well', (last.returncode, last.stderr), (0, b''))
    return hits


def footer_length(table):
    expect('begins and ends as a Parquet file', (table[:4], table[-4:]), (b'PAR1', b'PAR1'))
    return struct.unpack('<I', table[-8:-4])[0]


def make_empty(path):
    empty = archive.write(path('empty.warc.gz'), archive.records(0))
    expect('no page', thresher('run', *KIND, '-O', path('empty.parquet'), empty).returncode, 0)
    footer_length(contents(path('empty.parquet')))


def make_captures(path):
    """An archive, and the table of its captures."""
    captures = archive.write(path('captures.warc.gz'), [
        archive.response('<p>a', 'https://www.Shop.Example.co.uk:8443/a/b.html?q=1&r#top', 1),
        archive.response('', 'http://me.github.io', 2, 'HTTP/1.1 301 Moved\r\nContent-Type: text/html; charset=x\r\nLOCATION:  /new place\r\n'),
        archive.record('resource', b'x', 'http://192.0.2.7/p', 3, 'text/plain; charset=utf-8', [('WARC-Truncated', 'length')]),
        archive.record('request', b'GET / HTTP/1.1\r\n\r\n', 'http://192.0.2.7/p', 4, 'application/http; msgtype=request')])
    listed = path('captures.parquet')
    expect('captures', thresher('records', '--parquet', listed, captures).returncode, 0)
    footer_length(contents(listed))
    expect_true('captures to stdout', thresher('records', '-q', '--parquet', '-', captures).stdout == contents(listed))
    return captures, listed


def check_bytes(folder, path):
    source = archive.write(path('in.warc.gz'), archive.records(800))
    whole = path('whole.parquet')
    expect('a run', thresher('run', '-j1', *KIND, '-O', whole, source).returncode, 0)
    table = contents(whole)
    expect_true('footer', 1000 < footer_length(table) < len(table))
    expect('no temporary file', [name for name in os.listdir(folder) if name.endswith('.part')], [])
    expect_true('several row groups', table.count(b'thrg') > 5, table.count(b'thrg'))

    expect('two workers', thresher('run', '-j2', *KIND, '-O', path('two.parquet'), source).returncode, 0)
    expect_true('the same bytes', contents(path('two.parquet')) == table)
    expect_true('the same bytes to stdout', thresher('run', '-j2', *KIND, source).stdout == table)

    parted = path('parted.parquet')
    command = [PROGRAM, 'run', '-j2', *KIND, '-O', parted, '--rejects', parted + '.rejects', source]
    print('%d of 8 kills hit' % killed_to_the_end(command, 8))
    expect_true('the same bytes after kills', contents(parted) == table)

    # An orderly end saves no more than a kill does. The next run continues.
    os.unlink(parted)
    os.unlink(parted + '.state')
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (exists(parted + '.part') and os.path.getsize(parted + '.part') > 100000):
        time.sleep(.002)
    process.send_signal(signal.SIGINT)
    process.wait()
    expect('resume after SIGINT', subprocess.run(command + ['--resume']).returncode, 0)
    expect_true('the same bytes after SIGINT', contents(parted) == table)

    # The file must contain the data that a state refers to.
    os.unlink(parted)
    os.unlink(parted + '.state')
    process = subprocess.Popen(command + ['--checkpoint-ms', '0'], stderr=subprocess.DEVNULL)
    while process.poll() is None and not (exists(parted + '.part') and os.path.getsize(parted + '.part') > 200000):
        time.sleep(.002)
    process.kill()
    if process.wait() == -signal.SIGKILL:
        with open(parted + '.part', 'r+b') as f:
            f.write(b'NOPE')
        run = subprocess.run(command + ['--checkpoint-ms', '0', '--resume'], capture_output=True)
        expect_true('a foreign part is refused', run.returncode not in (0, -signal.SIGSEGV) and b'complete row groups' in run.stderr, (run.returncode, run.stderr))

    # One table for each input.
    sources = [archive.write(path('in%d.warc.gz' % i), archive.records(60, seed=i)) for i in range(4)]
    at_once, by_parts = path('once/'), path('parts/')
    expect('a folder', thresher('run', *KIND, '-O', at_once, *sources).returncode, 0)
    killed_to_the_end([PROGRAM, 'run', *KIND, '--checkpoint-ms', '0', '-O', by_parts, *sources], 5)
    names = ['in%d.parquet' % i for i in range(4)]
    expect('names', sorted(name for name in os.listdir(at_once) if name.endswith('.parquet')), names)
    for name in names:
        expect_true('the same after kills: %s' % name, contents(at_once + name) == contents(by_parts + name))

    make_empty(path)

    for claim, args, words in (
            ('gzip', ['-O', path('x.parquet'), '--compress', 'gzip'], b'zstd'),
            ('packed as a whole', ['-O', path('x.parquet.zst')], b'must end with .parquet'),
            ('another suffix', ['-O', path('x.jsonl')], b'must end with .parquet'),
            ('resume on stdout', ['--resume'], b'stdout')):
        run = thresher('run', '-f', 'parquet', *args, source)
        expect_true(claim, run.returncode == 2 and words in run.stderr, (run.returncode, run.stderr))
    run = thresher('serve', '-f', 'parquet', '--spool.path', folder, '--files.path', path('files'))
    expect_true('serve', run.returncode == 78 and b'row group' in run.stderr, (run.returncode, run.stderr))

    captures, listed = make_captures(path)
    run = thresher('records', '--cdxj', '--parquet', listed, captures)
    expect_true('two outputs', run.returncode == 2 and b'only one of cdxj, parquet and validate' in run.stderr, run.stderr)
    run = thresher('records', '--parquet', path('captures.csv'), captures)
    expect_true('a foreign name', run.returncode == 2 and b'must end with .parquet' in run.stderr, run.stderr)


def check_values(folder, path):
    python = reader()
    if not python:
        print('skipped: pyarrow is not installed: values are not compared')
        sys.exit(77)
    make_empty(path)
    captures, listed = make_captures(path)
    pages = archive.write(path('pages.warc.gz'), (archive.response(archive.page(random.Random(i % 30)), 'http://%d.example/%d' % (i, i), i) for i in range(60)))
    index = path('index')
    for claim, options in (('all parts', ['-e', ALL, '--bands']), ('unpacked', ['--compress', 'none']), ('near-duplicates', ['--index.path', index])):
        for kind, name in (('jsonl', 'p.jsonl'), ('parquet', 'p.parquet')):
            shutil.rmtree(index, ignore_errors=True)
            expect(claim, thresher('run', '-q', '-f', kind, *options, '-O', path(name), pages, *([] if kind == 'jsonl' else ['--row-group', '100K'])).returncode, 0)
        expect('%s: values' % claim, subprocess.run([python, COMPARE, path('p.parquet'), path('p.jsonl'), 'pyarrow']).returncode, 0)
    script = ('import sys, pyarrow.parquet as p; groups = [p.ParquetFile(sys.argv[1]).metadata.row_group(i) for i in range(p.ParquetFile(sys.argv[1]).num_row_groups)]; '
              'print(len(groups) > 0, [g.total_byte_size - sum(g.column(i).total_uncompressed_size for i in range(g.num_columns)) for g in groups if g.num_columns] == [0] * len(groups))')
    expect('sizes of row groups are those of their columns', subprocess.run([python, '-c', script, path('p.parquet')], capture_output=True).stdout, b'True True\n')
    with open(path('p.jsonl')) as f:
        expect_true('there are near-duplicates', any('near_duplicate' in json.loads(line) for line in f))
    script = 'import json, sys, pyarrow.parquet as p; print(json.dumps(p.read_table(sys.argv[1]).to_pylist(), default=str))'
    rows = json.loads(subprocess.run([python, '-c', script, listed], capture_output=True).stdout)
    expect('captures: rows', len(rows), 3)
    lines = [json.loads(line.split(b' ', 2)[2]) for line in thresher('records', '-q', '--cdxj', captures).stdout.splitlines()]
    expect('captures: as in CDXJ', sorted((row['url'], row['content_digest'], str(row['warc_record_offset']), str(row['warc_record_length'])) for row in rows),
           sorted((line['url'], line['digest'].split(':')[-1], line['offset'], line['length']) for line in lines))
    for row, want in zip(rows, (
            dict(url_surtkey='uk,co,example,shop:8443)/a/b.html?q=1&r', url_host_name='www.shop.example.co.uk', url_host_tld='uk', url_host_2nd_last_part='co',
                 url_host_3rd_last_part='example', url_host_4th_last_part='shop', url_host_5th_last_part='www', url_host_registry_suffix='co.uk',
                 url_host_registered_domain='example.co.uk', url_host_private_suffix='co.uk', url_host_private_domain='example.co.uk',
                 url_host_name_reversed='uk.co.example.shop.www', url_protocol='https', url_port=8443, url_path='/a/b.html', url_query='q=1&r',
                 fetch_time='2026-01-02 03:04:05+00:00', fetch_status=200, fetch_redirect=None, content_mime_type='text/html'),
            dict(url_host_registry_suffix='io', url_host_registered_domain='github.io', url_host_private_suffix='github.io',
                 url_host_private_domain='me.github.io', url_path='', url_query=None, url_port=None, fetch_status=301,
                 fetch_redirect='http://me.github.io/new%20place'),
            dict(url_host_name='192.0.2.7', url_host_tld=None, url_host_name_reversed=None, url_host_registry_suffix=None, fetch_status=None,
                 content_mime_type='text/plain', content_truncated='length', warc_filename=captures, crawl=None))):
        expect('captures: %s' % row['url'], {name: row[name] for name in want}, want)
    theirs = path('crawl-data/CC-MAIN-2026-01/segments/1.2/warc/x.warc.gz')
    os.makedirs(os.path.dirname(theirs))
    shutil.copy(captures, theirs)
    expect('captures of a crawl', thresher('records', '-q', '--parquet', listed, theirs).returncode, 0)
    row = json.loads(subprocess.run([python, '-c', script, listed], capture_output=True).stdout)[0]
    expect('its crawl', [row[name] for name in ('crawl', 'warc_segment', 'subset', 'warc_filename')],
           ['CC-MAIN-2026-01', '1.2', 'warc', 'crawl-data/CC-MAIN-2026-01/segments/1.2/warc/x.warc.gz'])

    script = 'import sys, pyarrow.parquet as p; print(p.read_table(sys.argv[1]).num_rows)'
    expect('no page: read', subprocess.run([python, '-c', script, path('empty.parquet')], capture_output=True).stdout, b'0\n')


with tempfile.TemporaryDirectory() as folder:
    (check_values if sys.argv[2:] == ['values'] else check_bytes)(folder, lambda name: os.path.join(folder, name))
