"""Small WARC archives for tests, created on demand. Python standard library only."""
import gzip
import io
import random
import subprocess
import uuid

WORDS = ('the of and to in is that for it as was with be by on not he his but at are this have from or had an they '
         'which one you were all her she there would their we him been has when who will no more if out so up said what '
         'its about than into them can only other time new some could these two may first then do any like my now over '
         'such our man me even most made after also well many must before through years where much way down should people').split()


def record(kind, block, uri='http://example.org/', number=0, content_type='application/http; msgtype=response', extra=()):
    head = [('WARC-Type', kind), ('WARC-Target-URI', uri), ('WARC-Date', '2026-01-02T03:04:05Z'),
            ('WARC-Record-ID', '<urn:uuid:%s>' % uuid.uuid5(uuid.NAMESPACE_URL, '%s %s %d' % (kind, uri, number))),
            ('Content-Type', content_type), *extra, ('Content-Length', str(len(block)))]
    return ('WARC/1.1\r\n' + ''.join('%s: %s\r\n' % pair for pair in head) + '\r\n').encode() + block + b'\r\n\r\n'


def response(html, uri, number=0, head='HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n'):
    if isinstance(html, str):
        html = html.encode()
    return record('response', head.encode() + b'\r\n' + html, uri, number)


def sentence(rng, words):
    return ' '.join(rng.choice(WORDS) for _ in range(words)).capitalize() + '.'


def page(rng, paragraphs=6):
    nav = ''.join('<li><a href="/%d">%s</a></li>' % (i, sentence(rng, 2)) for i in range(12))
    body = ''.join('<p>%s</p>' % ' '.join(sentence(rng, rng.randint(8, 25)) for _ in range(rng.randint(2, 5)))
                   for _ in range(paragraphs))
    return ('<!DOCTYPE html><html lang="en"><head><title>%s</title></head><body><ul>%s</ul><h1>%s</h1>%s'
            '<div class="footer"><a href="/imprint">Imprint</a> &copy; 2026</div></body></html>'
            % (sentence(rng, 4), nav, sentence(rng, 5), body))


def records(count, seed=1):
    rng = random.Random(seed)
    yield record('warcinfo', b'software: tests\r\n', content_type='application/warc-fields')
    for i in range(count):
        uri = 'http://site%d.example/%d' % (i % 7, i)
        yield record('request', b'GET / HTTP/1.1\r\n\r\n', uri, i, 'application/http; msgtype=request')
        yield response(page(rng, rng.randint(1, 12)), uri, i)


def member(data):
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode='wb', compresslevel=6, mtime=0) as z:
        z.write(data)
    return out.getvalue()


def write(path, parts, packing='gzip'):
    """packing: plain, gzip (a member each), whole (one member), zstd (a frame each, by zstd(1))"""
    parts = list(parts)
    with open(path, 'wb') as out:
        if packing == 'plain':
            out.write(b''.join(parts))
        elif packing == 'whole':
            out.write(member(b''.join(parts)))
        elif packing == 'zstd':
            for part in parts:
                out.write(subprocess.run(['zstd', '-q', '-c'], input=part, capture_output=True, check=True).stdout)
        else:
            for part in parts:
                out.write(member(part))
    return path
