"""Documents that are no pages: copied unchanged to a WARC file (--set-aside), or read as plain text (--text-plain).

usage: set_aside.py PROGRAM [SHARED]

With the corpora of SHARED, warcio from PyPI (if it is installed) reads what is set aside of their archives.
"""
import collections
import gzip
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import zipfile

import archive
from case import contents, expect, expect_true, start, thresher

HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: %s\r\n'
TEXT = 'A first line that goes on\nin the next one.\n\n- one\n- two\n\n\x0cThe end.'


def office(first, data=b''):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w') as z:
        z.writestr(first, data)
    return out.getvalue()


def documents(rng):
    """(name, record, whether it is set aside by default)"""
    pdf = b'%PDF-1.4\n' + rng.randbytes(3000)
    yield 'pdf', archive.response(pdf, 'http://a.example/1.pdf', 1, HEAD % 'application/pdf'), True
    yield 'pdf by bytes', archive.response(pdf, 'http://a.example/2', 2, HEAD % 'application/octet-stream'), True
    yield 'pdf in gzip', archive.response(gzip.compress(pdf, mtime=0), 'http://a.example/3', 3, HEAD % 'application/pdf' + 'Content-Encoding: gzip\r\n'), True
    yield 'docx by bytes', archive.response(office('[Content_Types].xml'), 'http://a.example/4', 4, HEAD % 'binary/octet-stream'), True
    yield 'epub by bytes', archive.response(office('mimetype', b'application/epub+zip'), 'http://a.example/5', 5, HEAD % 'application/octet-stream'), True
    yield 'text', archive.response(TEXT.encode(), 'http://a.example/6.txt', 6, HEAD % 'Text/Plain; charset=utf-8'), True
    yield 'resource', archive.record('resource', b'{"version": "https://jsonfeed.org/version/1.1"}', 'http://a.example/7', 7, 'application/feed+json'), True
    yield 'pdf as html', archive.response(pdf, 'http://a.example/8', 8, HEAD % 'text/html'), False
    yield 'picture', archive.response(b'\x89PNG\r\n\x1a\n' + rng.randbytes(99), 'http://a.example/9', 9, HEAD % 'image/png'), False
    yield 'error page', archive.response(pdf, 'http://a.example/10', 10, (HEAD % 'application/pdf').replace('200 OK', '404 Not Found')), False
    yield 'damaged', archive.response(pdf, 'http://a.example/11', 11, HEAD % 'application/pdf').replace(b'Content-Length: 3', b'Content-Length: 2'), False


def unpacked(path):
    data = contents(path)
    if path.endswith('.zst'):
        return subprocess.run(['zstd', '-dcq', path], capture_output=True, check=True).stdout
    return gzip.decompress(data) if path.endswith('.gz') and data else data


def rejects(path):
    return [json.loads(line) for line in contents(path).splitlines()]


with tempfile.TemporaryDirectory() as folder:
    def at(name):
        return os.path.join(folder, name)

    rng = random.Random(32)
    rows = list(documents(rng))
    pages = list(archive.records(40, 7))
    source = archive.write(at('a.warc.gz'), pages[:30] + [part for _, part, _ in rows] + pages[30:])
    wanted = b''.join(part for _, part, is_aside in rows if is_aside)
    for name in ('b.warc.gz', 'b.warc', 'b.warc.zst'):
        run = thresher('run', '-q', '--set-aside', at(name), '--rejects', at('r'), '-O', at('p'), source)
        expect('%s: exit' % name, run.returncode, 1)  # the damaged record
        expect_true('%s: the records, byte for byte' % name, unpacked(at(name)) == wanted, len(unpacked(at(name))))
    lines = [line for line in rejects(at('r')) if line['reason'] == 'not_html']
    expect('reasons name the place', sum(line['detail'].endswith("; set aside in '%s'" % at('b.warc.zst')) for line in lines), 7)
    expect('a page of each member', len(thresher('records', at('b.warc.gz')).stdout.splitlines()), 7)
    expect('valid', thresher('records', '--validate', at('b.warc.gz')).returncode, 0)

    first = contents(at('b.warc.gz'))
    for options in (('-j1',), ('-j4',), ('-j2', '--isolation', 'process')):
        run = thresher('run', '-q', *options, '--set-aside', at('c.warc.gz'), '-O', at('p2'), source)
        if options[-1] == 'process' and run.returncode == 2:
            print('skipped: isolation is not in this build')
            continue
        expect_true('the same bytes with %s' % ' '.join(options), contents(at('c.warc.gz')) == first and contents(at('p2')) == contents(at('p')), run.stderr)

    for types, count in (('image/*', 1), ('*', 9), ('application/pdf', 3), (' TEXT/PLAIN , image/png', 2)):
        thresher('run', '-q', '--set-aside', at('d.warc'), '--set-aside.types', types, '-O', at('p2'), source)
        expect('types %r' % types, contents(at('d.warc')).count(b'WARC-Target-URI'), count)
    thresher('run', '-q', '--max-record', '2K', '--set-aside', at('d.warc'), '--rejects', at('r'), '-O', at('p2'), source)
    expect('records that are cut stay', contents(at('d.warc')).count(b'%PDF'), 0)
    expect_true('and the reason says so', any("not complete, so it was not set aside in" in line['detail'] for line in rejects(at('r'))))
    run = thresher('run', '-q', '--set-aside', at('d.json'), '-O', at('p2'), source)
    expect('another suffix: exit', run.returncode, 2)
    expect_true('names the suffixes', b'.warc' in run.stderr, run.stderr)
    run = thresher('run', '-q', '--set-aside', at('p2'), '-O', at('p2'), source)
    expect('a file with two uses: exit', run.returncode, 2)

    many = archive.write(at('m.warc.gz'), [part for seed in range(20) for part in (*archive.records(40, seed), *[p for _, p, _ in rows[:7]])])
    thresher('run', '-q', '--set-aside', at('whole.warc.gz'), '-O', at('whole'), many)
    kills = 0
    while True:
        process = start('run', '-q', '--resume', '--checkpoint-ms', 0, '--set-aside', at('cut.warc.gz'), '-O', at('cut'), many)
        try:
            expect('resumed: exit', process.wait(0.15 + 0.05 * kills), 0)
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
    expect_true('the same after %d kills' % kills, contents(at('cut.warc.gz')) == contents(at('whole.warc.gz')) and contents(at('cut')) == contents(at('whole')))

    texts = [archive.response(TEXT.encode(), 'http://t.example/a.txt', 1, HEAD % 'text/plain; charset=utf-8'),
             archive.response('Übung\r\n\r\nmacht\r\n  den Meister'.encode('latin-1'), 'http://t.example/b', 2, HEAD % 'text/markdown; charset=iso-8859-1'),
             archive.response(b'User-agent: *\nDisallow: /\n', 'http://t.example/robots.txt', 3, HEAD % 'text/plain'),
             archive.response(b'\0\1\2binary', 'http://t.example/c', 4, HEAD % 'text/plain'),
             archive.record('resource', b'--verbose', 'metadata://gnu.org/wget', 5, 'text/plain'),
             archive.response('<html><body><p>%s</p></body></html>' % archive.sentence(rng, 30), 'http://t.example/d', 6, HEAD % 'text/plain')]
    source = archive.write(at('t.warc.gz'), texts)
    run = thresher('run', '-q', '--text-plain', '--rejects', at('r'), '--set-aside', at('t2.warc'), source)
    found = {r['url']: r for r in map(json.loads, run.stdout.splitlines())}
    expect('plain text: pages', sorted(found), ['http://t.example/a.txt', 'http://t.example/b', 'http://t.example/d'])
    expect('paragraphs and items', found['http://t.example/a.txt']['text'], 'A first line that goes on in the next one.\n\n- one\n- two\n\nThe end.')
    expect('charset', found['http://t.example/b']['text'], 'Übung\n\nmacht\nden Meister')
    expect('the flag', [('plain_text' in r['flags']) for _, r in sorted(found.items())], [True, True, False])
    expect('others are set aside', contents(at('t2.warc')).count(b'WARC-Target-URI'), 3)
    run = thresher('run', '-q', '--filter.media', 'text/html', source)
    expect('off by default', len(run.stdout.splitlines()), 0)

    if len(sys.argv) > 2 and os.path.isdir(os.path.join(sys.argv[2], 'corpora', 'warc')):
        base = os.path.join(sys.argv[2], 'corpora', 'warc')
        names = sorted(os.path.join(base, name) for name in os.listdir(base) if name.endswith(('.warc', '.warc.gz', '.warc.zst')))
        thresher('run', '-q', '--set-aside', at('x.warc.gz'), '--rejects', at('r'), '-O', at('p2'), *names)
        kinds = collections.Counter(line['detail'].split("'")[1] for line in rejects(at('r')) if "; set aside in '" in line['detail'])
        print('corpora/warc: ' + ', '.join('%s %d' % pair for pair in kinds.most_common()))
        expect('each has a record', len(thresher('records', at('x.warc.gz')).stdout.splitlines()), sum(kinds.values()))
        try:
            from warcio.archiveiterator import ArchiveIterator
        except ImportError:
            print('skipped: no warcio')
        else:
            with open(at('x.warc.gz'), 'rb') as f:
                expect('warcio reads them', sum(1 for record in ArchiveIterator(f, no_record_parse=True) if record.raw_stream.read() is not None), sum(kinds.values()))
