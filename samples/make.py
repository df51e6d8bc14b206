#!/usr/bin/env python3
"""Writes the sample archives, the same records every time.

usage: samples/make.py [FOLDER]     default: the folder of this script

news.warc.gz     a small crawl of eight invented sites, with near-duplicates and every encoding and record type one meets
damaged.warc.gz  a dozen of its pages, hurt in five ways
"""
import base64
import hashlib
import os
import sys
import uuid
import zlib
from collections import namedtuple

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sites                                    # noqa: E402
from stories import STORIES, Story, edited      # noqa: E402

# Parts of a page and its transfer. story: a name of STORIES, or ''.
Page = namedtuple('Page', 'url story told template number http_charset body_charset codings')


def page(host, path, story, template, number, told=None, http_charset='utf-8', body_charset='utf-8', codings=()):
    return Page('https://%s/%s' % (host, path), story, told or STORIES[story], template, number, http_charset, body_charset, codings)


THREADS = [
    Story('Whipping or backsplice?', 'mainsheet', '2026-02-12', 'en', [
        ('mainsheet', 'I have forty metres of three-strand to finish before Easter and cannot decide. A backsplice is quick and it never comes '
                      'undone, but the end is too thick for the blocks on my boat. What do you all use on halyards that have to run free?'),
        ('tar_and_tallow', 'Whipping, always. A sailmaker’s whipping with waxed twine takes ten minutes for each end once your hands know the way, '
                           'and it has outlived two sets of ropes on our ketch. Backsplices are for buckets.'),
        ('lee_shore', 'Agreed about the buckets! I would only add that a palm and a blunt needle make all the difference, and that you should '
                      'melt nothing: a melted end cuts your hand on the first cold night.')]),
    Story('Night ferry: will she take bicycles?', 'islander', '2026-02-13', 'en', [
        ('islander', 'The paper says eighty passengers and twelve cars, and not a word about bicycles. On the old boat one could lash five of them '
                     'to the rail behind the funnel. Does anybody who was at the meeting know what the board has in mind this time?'),
        ('harbourmouse', 'I was there until midnight. Bicycles came up after the tickets and before the soup. They go free on weekdays, and on '
                         'Saturdays you are meant to ask the mate, which is how it was in my grandmother’s day too.'),
        ('islander', 'Thank you. The mate is my cousin, so that is settled.')]),
]

PRODUCTS = [
    Story('Harbour Blend, 100 g', '', '', 'en', ['Strong black tea for early boats.', ('Origin', 'Assam, Kenya'), ('Steep', '4 min'), ('Caffeine', 'high')]),
    Story('Blue Pot, 0.9 l', '', '', 'en', ['Glazed stoneware, pours without dripping.', ('Height', '14 cm'), ('Dishwasher', 'yes')]),
    Story('Garden Mint, 50 g', '', '', 'en', ['Cut in June, dried in the dark.', ('Origin', 'next door'), ('Steep', '6 min')]),
    Story('Strainer', '', '', 'en', ['Fine steel mesh.', ('Diameter', '7 cm')]),
]

CP1252 = dict(http_charset='', body_charset='cp1252')  # said only by the template's meta element


def told_by(template, host, names, **more):
    return [page(host, '%s.html' % name, name, template, number, **more) for number, name in enumerate(names, 11)]


def foreign(host, name, body_charset, http_charset='', meta='', codings=()):
    return page('%s.rooms.example' % host, name, name, sites.reading_room(meta), 1, None, http_charset, body_charset, codings)


def meta(charset):
    return '<meta http-equiv="Content-Type" content="text/html; charset=%s">' % charset


PAGES = [
    *told_by(sites.oldbooks, 'oldbooks.example', ['alice', 'moby', 'pride', 'cities', 'holmes', 'walden', 'fables'], **CP1252),
    *told_by(sites.times, 'times.example', ['ferry', 'clock', 'library', 'bees'], codings=('gzip',)),
    *told_by(sites.times, 'times.example', ['bakery', 'alice', 'worlds'], codings=('gzip', 'chunked')),
    page('wire.example', 'ferry/', 'ferry', sites.wire, 21, edited('ferry')),
    page('wire.example', 'library/', 'library', sites.wire, 22, edited('library'), codings=('chunked',)),
    page('wire.example', 'bees/', 'bees', sites.wire, 23, edited('bees'), codings=('deflate',)),
    page('wire.example', 'clock/', 'clock', sites.wire, 24, codings=('raw deflate',)),
    page('wire.example', 'moby/', 'moby', sites.wire, 25, edited('moby'), codings=('false chunked',)),
    page('wire.example', 'fables/', 'fables', sites.wire, 26, edited('fables')),
    page('wire.example', 'worlds/', 'worlds', sites.wire, 27, edited('worlds'), codings=('false gzip',)),
    page('fireside.example', 'alice', 'alice', sites.fireside, 31, edited('alice')),
    *told_by(sites.fireside, 'fireside.example', ['moby', 'pride', 'holmes', 'walden', 'ferry']),
    *(page('boards.example', 't/%d' % number, '', sites.boards, number, thread) for number, thread in enumerate(THREADS, 41)),
    *(page('teashop.example', 'p/%d' % number, '', sites.teashop, number, product) for number, product in enumerate(PRODUCTS, 4)),
    foreign('fr', 'corbeau', 'cp1252', 'iso-8859-1'),
    foreign('fr', 'candide', 'utf-8', meta='<meta charset="utf-8">'),
    foreign('de', 'verwandlung', 'cp1252', meta=meta('windows-1252')),
    foreign('es', 'quijote', 'utf-8', codings=('gzip',)),
    foreign('ru', 'kapitan', 'koi8-r', 'koi8-r'),
    foreign('ru', 'lukomorye', 'cp1251'),
    foreign('zh', 'daodejing', 'gbk', meta=meta('gb2312')),
    foreign('ja', 'neko', 'cp932', meta=meta('Shift_JIS')),
    foreign('ko', 'jindallae', 'euc-kr', 'euc-kr'),
    foreign('th', 'maew', 'utf-8', meta='<meta charset="utf-8">'),
    foreign('ar', 'qitta', 'utf-8', 'utf-8'),
]


# ---- records ----

def sha1(data):
    return 'sha1:' + base64.b32encode(hashlib.sha1(data).digest()).decode()


def moment(number):
    return '2026-03-01T%02d:%02d:%02dZ' % (6 + number // 3600, number // 60 % 60, number % 60)


class Crawl:
    """Numbers and dates records as a crawler would."""

    def __init__(self, name):
        self.name = name
        self.count = 0

    def record(self, kind, block, uri=None, content_type=None, extra=(), length=None):
        self.count += 1
        head = [('WARC-Type', kind), ('WARC-Date', moment(self.count)),
                ('WARC-Record-ID', '<urn:uuid:%s>' % uuid.uuid5(uuid.NAMESPACE_URL, '%s/%d' % (self.name, self.count)))]
        if uri:
            head.append(('WARC-Target-URI', uri))
        if content_type:
            head.append(('Content-Type', content_type))
        head += [*extra, ('WARC-Block-Digest', sha1(block)), ('Content-Length', str(len(block) if length is None else length))]
        return ('WARC/1.1\r\n' + ''.join('%s: %s\r\n' % field for field in head) + '\r\n').encode() + block + b'\r\n\r\n'

    def response(self, uri, http, **more):
        body = http.split(b'\r\n\r\n', 1)[1]
        return self.record('response', http, uri, 'application/http; msgtype=response',
                           [('WARC-IP-Address', '192.0.2.%d' % (sum(uri.split('/')[2].encode()) % 250)), ('WARC-Payload-Digest', sha1(body))], **more)

    def request(self, uri):
        host, path = uri.split('/', 3)[2:]
        return self.record('request', ('GET /%s HTTP/1.1\r\nHost: %s\r\nUser-Agent: samplebot\r\nAccept: */*\r\n\r\n' % (path, host)).encode(),
                           uri, 'application/http; msgtype=request')

    def warcinfo(self):
        return self.record('warcinfo', b'software: thresher samples/make.py\r\nformat: WARC File Format 1.1\r\n'
                           b'description: invented sites, texts in the public domain\r\n',
                           content_type='application/warc-fields', extra=[('WARC-Filename', self.name)])


def http(body, content_type, status='200 OK', headers=()):
    lines = ['HTTP/1.1 ' + status, 'Server: samples', *headers, *(['Content-Type: ' + content_type] if content_type else []), '', '']
    return '\r\n'.join(lines).encode() + body


def deflate(data, window):
    z = zlib.compressobj(9, zlib.DEFLATED, window)
    return z.compress(data) + z.flush()


def chunked(data, size=1500):
    chunks = [data[at:at + size] for at in range(0, len(data), size)]
    return b''.join(b'%x\r\n%s\r\n' % (len(chunk), chunk) for chunk in chunks) + b'0\r\n\r\n'


def encode(body, codings):
    """Applies codings in order; "false" ones are claimed in the head only. Returns body and header lines."""
    headers = []
    for coding in codings:
        if coding in ('gzip', 'deflate', 'raw deflate'):
            body = deflate(body, {'gzip': 31, 'deflate': 15, 'raw deflate': -15}[coding])
        elif coding == 'chunked':
            body = chunked(body)
        name = coding.split()[-1]
        headers.append('%s: %s' % ('Transfer-Encoding' if name == 'chunked' else 'Content-Encoding', name))
    return body, headers


def page_http(page):
    html = page.template(page.told, page.url, page.number).encode(page.body_charset)
    body, headers = encode(html, page.codings)
    return http(body, 'text/html' + ('; charset=' + page.http_charset if page.http_charset else ''), headers=headers)


# ---- what else a crawler brings home ----

def pdf():
    objects = [b'<< /Type /Catalog /Pages 2 0 R >>', b'<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
               b'<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
               b'<< /Length 44 >>\nstream\nBT /F 18 Tf 20 40 Td (Tide tables 2026) Tj ET\nendstream',
               b'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>']
    out, offsets = b'%PDF-1.4\n', []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b'%d 0 obj\n%s\nendobj\n' % (number, body)
    table = b''.join(b'%010d 00000 n \n' % offset for offset in offsets)
    return out + b'xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n' % (
        len(objects) + 1, table, len(objects) + 1, len(out))


def png():
    """One blue pixel; its zlib stream is written by hand, so that no library has a say in the bytes."""
    def chunk(kind, data):
        return len(data).to_bytes(4, 'big') + kind + data + zlib.crc32(kind + data).to_bytes(4, 'big')
    row = b'\x00\x20\x40\xa0'
    stream = b'\x78\x01\x01' + len(row).to_bytes(2, 'little') + (len(row) ^ 0xffff).to_bytes(2, 'little') + row + zlib.adler32(row).to_bytes(4, 'big')
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', b'\0\0\0\1\0\0\0\1\x08\x02\0\0\0') + chunk(b'IDAT', stream) + chunk(b'IEND', b''))


RESOURCE_URL = 'https://times.example/print/clock'


def others(crawl, first_page):
    yield crawl.record('response', b'20260301060000\ntimes.example.\t300\tIN\tA\t192.0.2.17\n', 'dns:times.example', 'text/dns')
    yield crawl.response('https://times.example/tides.pdf', http(pdf(), 'application/pdf'))
    yield crawl.response('https://times.example/img/11.png', http(png(), 'image/png'))
    yield crawl.response('https://times.example/robots.txt', http(b'User-agent: *\nDisallow: /search\n', 'text/plain'))
    yield crawl.response('https://wire.example/p0/', http(b'<!DOCTYPE html><title>Not found</title><h1>Not found</h1><p>This page has drifted away.</p>',
                                                         'text/html', '404 Not Found'))
    yield crawl.response('http://wire.example/ferry/', http(b'', 'text/html', '301 Moved Permanently', ['Location: https://wire.example/ferry/']))
    yield crawl.record('revisit', http(b'', 'text/html; charset=utf-8'), first_page.url, 'application/http; msgtype=response',
                       [('WARC-Profile', 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest'),
                        ('WARC-Refers-To-Target-URI', first_page.url), ('WARC-Refers-To-Date', moment(3))])
    yield crawl.record('metadata', b'outlink: https://wire.example/ L a/@href\r\nfetchTimeMs: 112\r\n', first_page.url, 'application/warc-fields')
    plain = '<html lang="en"><head><title>Print view</title></head><body><h1>%s</h1>%s</body></html>' % (
        STORIES['clock'].title, sites.paragraphs(STORIES['clock']))
    yield crawl.record('resource', plain.encode(), RESOURCE_URL, 'text/html; charset=utf-8')


def news():
    crawl = Crawl('news.warc.gz')
    yield crawl.warcinfo()
    for number, page in enumerate(PAGES):
        if number % 8 == 0:
            yield crawl.request(page.url)
        yield crawl.response(page.url, page_http(page))
    yield from others(crawl, PAGES[0])


# ---- the damaged archive ----

DAMAGED_PAGES = [page for page in PAGES if page.story and not page.codings][:12]
# Pages that are damaged themselves.
BIT_FLIPPED, LENGTH_TOO_SMALL, CUT, CUT_AT_END = 2, 4, 8, 11
HURT = {BIT_FLIPPED, LENGTH_TOO_SMALL, CUT, CUT_AT_END}


def damaged():
    """Pieces of the file: members, and bytes that belong to none."""
    crawl = Crawl('damaged.warc.gz')
    yield member(crawl.warcinfo())
    for number, page in enumerate(DAMAGED_PAGES):
        block = page_http(page)
        whole = member(crawl.response(page.url, block, length=len(block) - 700 if number == LENGTH_TOO_SMALL else None))
        if number == BIT_FLIPPED:
            middle = len(whole) // 2
            whole = whole[:middle] + bytes([whole[middle] ^ 0x04]) + whole[middle + 1:]
        elif number == CUT:
            whole = whole[:len(whole) // 3]
        elif number == CUT_AT_END:
            whole = whole[:-400]
        yield whole
        if number == 6:  # between two whole ones
            yield b'--- these lines were written by a log that shared the file ---\n' * 3


def member(data):
    return deflate(data, 31)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    for name, pieces in (('news.warc.gz', map(member, news())), ('damaged.warc.gz', damaged())):
        path = os.path.join(folder, name)
        with open(path, 'wb') as out:
            for piece in pieces:
                out.write(piece)
        print('%s: %d bytes' % (path, os.path.getsize(path)))


if __name__ == '__main__':
    main()
