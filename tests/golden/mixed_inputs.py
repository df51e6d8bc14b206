#!/usr/bin/env python3
"""Digests of what the program writes about archives with random edits, and about records with random members.

usage: mixed_inputs.py PROGRAM                 compares with mixed_inputs.out
       mixed_inputs.py --accept PROGRAM        keeps the digests of now
       mixed_inputs.py --write FOLDER PROGRAM  writes the inputs and the outputs to FOLDER: to see a difference, write with both programs, and compare the folders

Archives: those of tests/data/warc and archives of random records, in each container, as they are and with edits of their bytes (cuts, flipped bits, added and repeated parts).
Records: lines of JSON with families of near-duplicates, with dates, addresses, links and signatures of every form, and lines that are not records.
robots.txt: random rules. Sites: pages that share paragraphs. inspect and text read two pages of this folder. The random numbers are the script's own, and all compressed data are stored, so the inputs are the same on every machine.
A row of mixed_inputs.out is a command, and an input or a part of it. Versions and the words of libzip do not count. Whether the answers are right, other tests say: warc_random.py, dedup.py, graph.py, robots.py.
"""
import base64
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

from mixed import Random, settle, stored

HERE = os.path.dirname(os.path.abspath(__file__))
ODDITIES = os.path.join(os.path.dirname(HERE), 'data', 'warc')
PAGES = ['page_he_forum.html', 'page_hi_recipe.html']
KEPT = os.path.join(HERE, 'mixed_inputs.out')

# ---------------------------------------------------------------- archives

KINDS = ['response'] * 5 + ['resource', 'request', 'metadata', 'revisit', 'conversion', 'warcinfo', 'continuation', 'RESPONSE', 'unknown', '']
ADDRESSES = ['http://a.example/', 'https://www.a.example:443/x/../y?b=2&a=1#f', 'http://WWW3.B.example./a%20b/%7Ec?PHPSESSID=0123456789abcdef0123456789abcdef&q=', '<http://c.example/in/brackets>',
             'http://user:pw@d.example:8080//double//slash/', 'dns:e.example', 'urn:uuid:00000000-0000-4000-8000-000000000001', 'http://[2001:db8::1]:80/', 'http://192.0.2.9/%zz?&&', 'https://xn--bcher-kva.example/ä?ö=ü',
             'http://f.example/;jsessionid=0123456789ABCDEF0123456789ABCDEF?sid=1', 'ftp://g.example/file', 'http://h.example:99999/', 'mailto:a@b.example', '', 'no address', 'http://i.example/a b\tc', 'http://www.co.uk/?A=b&a=B',
             'filedesc://x.arc', 'http://j.example/' + 'long/' * 60, 'HTTP://K.EXAMPLE/%41%2f%2F?%3d', 'http://l.example?q', 'screenshot:http://m.example/', 'http://www./x', 'http://n.example/index.html;a?b;c&d']
DATES = ['2024-02-29T23:59:60Z', '2023-02-29T00:00:00Z', '2024-01-02T03:04:05.123456789Z', '2024-01-02', '2024-01-02T03:04', '2024', '20240102030405', '2024-1-2T03:04:05Z', '2024-13-01T00:00:00Z', 'yesterday', '', '1969-12-31T23:59:59Z',
         '2024-01-02T03:04:05+01:00', '2024-01-02t03:04:05z', '9999-12-31T23:59:59Z', '2024-04-31T24:00:00Z', '2024-01-02T03:04:05.Z', '2024-01-02T03:04:05.9Z']
TYPES = ['application/http; msgtype=response', 'application/http;msgtype=request', 'application/http', 'text/html', 'text/plain; charset=latin1', 'application/warc-fields', 'image/png', 'message/http', '']
HTTP = ['HTTP/1.1 200 OK', 'HTTP/1.1 404 Not Found', 'HTTP/1.0 301', 'HTTP/2 200', 'HTTP/1.1 99 x', 'HTTP/1.1 20x', 'HTTP/1.1', 'ICY 200 OK', 'http/1.1 503 busy', 'HTTP/1.1 304 Not Modified', 'garbage']
HTTP_FIELDS = ['Content-Type: text/html; charset=utf-8', 'content-type: application/xhtml+xml', 'Content-Type: application/pdf', 'Content-Type:text/html', 'Location: /other', 'Content-Length: 3', 'Transfer-Encoding: chunked', 'Content-Encoding: gzip',
               'Content-Encoding: identity', 'Content-Encoding: br, gzip', 'X-Folded: a\r\n b', 'No colon', ': no name', 'Content-Type : text/html', 'Transfer-Encoding: gzip, chunked', 'X-Robots-Tag: noindex']
BODIES = [b'', b'<p>A keeper counted the ships in the harbour.</p>', b'<!DOCTYPE html><html><head><title>T</title></head><body><p>Words and words and more words.</p></body></html>', b'5\r\n<p>ab\r\n0\r\n\r\n', b'plain words\n', b'\x89PNG\r\n\x1a\n\0\0',
          b'%PDF-1.4', b'{"a":1}', b'WARC/1.0\r\nWARC-Type: response\r\n', b'\r\n\r\n', b'\0' * 40, b'<p>one\n' * 300, b'\xff\xfe<\0p\0>\0a\0', b'software: x\r\nformat: WARC File Format 1.1\r\nisPartOf: y\r\n']
FIELDS = ['WARC-Concurrent-To: <urn:uuid:1>', 'WARC-Refers-To: <urn:uuid:2>', 'WARC-Refers-To-Target-URI: http://a.example/', 'WARC-Refers-To-Date: 2020-01-01T00:00:00Z', 'WARC-IP-Address: 192.0.2.1', 'WARC-Truncated: length', 'WARC-Truncated: x',
          'WARC-Segment-Number: 1', 'WARC-Segment-Number: 2', 'WARC-Segment-Origin-ID: <urn:uuid:3>', 'WARC-Segment-Total-Length: 100', 'WARC-Identified-Payload-Type: text/html', 'WARC-Filename: a.warc', 'WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
          'WARC-Profile: http://netpreserve.org/warc/1.0/revisit/server-not-modified', 'WARC-Warcinfo-ID: <urn:uuid:4>', 'X-Own: ä', 'No colon here', 'Folded: a\r\n  b\r\n\tc', 'content-length: 7', 'WARC-Type: metadata', 'WARC-Protocol: h2', 'WARC-Resource-Type: document', 'Name with blanks : v', ':', 'WARC-Page-ID: p1']
# What an edit inserts.
PIECES = [b'\0', b'\0' * 16, b'\n', b'\r\n', b'\r\n\r\n', b'WARC/1.0\r\n', b'WARC/1.1\r\nWARC-Type: response\r\n', b'WARC', b'\x1f\x8b\x08\0\0\0\0\0\0\xff', b'\x28\xb5\x2f\xfd', b'\x50\x2a\x4d\x18\4\0\0\0abcd', b'text and text', b'Content-Length: 5\r\n', b' ', b'\xff' * 9,
          b'PK\3\4', b'WARC-Record-ID: <urn:uuid:9>\r\n', b'x' * 700, b'\t', b':', b'\x1f\x8b']


def http_block(random, is_request):
    lines = ['GET /x HTTP/1.1' if is_request else random.one(HTTP)] + [random.one(HTTP_FIELDS) for _ in range(random.below(4))]
    return random.one(['\r\n', '\r\n', '\n']).join(lines + ['', '']).encode() + random.one(BODIES)


def digest_of(random, data):
    data += random.one([b'', b'', b'', b'x'])  # sometimes wrong
    value = random.one([base64.b32encode(hashlib.sha1(data).digest()).decode(), hashlib.sha1(data).hexdigest(), hashlib.sha256(data).hexdigest(), hashlib.md5(data).hexdigest(), '', 'AAAA'])
    return random.one(['sha1:', 'sha1:', 'SHA1:', 'sha256:', 'sha-256:', 'md5:', 'crc:', '']) + value


def record(random, n):
    """A record of WARC: rarely without anything unusual."""
    kind = random.one(KINDS)
    block = http_block(random, kind == 'request') if random.below(4) else random.one(BODIES)
    fields = ['WARC-Type: ' + kind, 'WARC-Date: ' + (random.one(DATES) if random.below(3) == 0 else '2024-01-02T03:04:%02dZ' % (n % 60)), 'WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>' % (n - (random.below(9) == 0)),
              'WARC-Target-URI: ' + random.one(ADDRESSES), 'Content-Type: ' + random.one(TYPES), 'Content-Length: %d' % (len(block) + (random.one([1, -1, 9, 700]) if random.below(14) == 0 else 0))]
    if random.below(2):
        fields.append('WARC-Block-Digest: ' + digest_of(random, block))
    if random.below(2):
        fields.append('WARC-Payload-Digest: ' + digest_of(random, re.split(rb'\r?\n\r?\n', block, maxsplit=1)[-1]))
    for _ in range(random.below(5)):
        fields.insert(random.below(len(fields) + 1), random.one(FIELDS))
    if random.below(6) == 0:
        del fields[random.below(len(fields))]
    end = random.one(['\r\n'] * 6 + ['\n'])
    return (random.one(['WARC/1.0', 'WARC/1.1', 'WARC/1.1', 'WARC/0.18', 'WARC/2.0']) + end + end.join(fields) + end + end).encode() + block + (b'\n\n' if random.below(15) == 0 else b'\r\n\r\n')


def arc_record(random, n):
    body = http_block(random, False)
    return ('%s 192.0.2.%d 2024010203%04d text/html %d\n' % (random.one(ADDRESSES).replace(' ', '') or 'http://z.example/', n, n, len(body) + random.one([0] * 9 + [3]))).encode() + body + b'\n'


def frame(random, data):
    """A zstd frame of raw blocks with the size of its content."""
    out = b'\x28\xb5\x2f\xfd' + random.one([b'\xa0' + struct.pack('<I', len(data)), b'\x00\x58', b'\x80\x60' + struct.pack('<I', len(data))])
    for at in range(0, max(len(data), 1), 4000):
        part = data[at:at + 4000]
        out += struct.pack('<I', (at + 4000 >= len(data)) | len(part) << 3)[:3] + part
    return out


def edited(random, data):
    """The bytes with one to three edits."""
    for _ in range(1 + random.below(3)):
        at, kind = random.below(len(data) + 1), random.below(9)
        end = at + 1 + random.below(random.one([2, 20, 300, 3000]))
        if kind < 2 and data:
            at = min(at, len(data) - 1)
            data = data[:at] + bytes([data[at] ^ 1 << random.below(8)]) + data[at + 1:]
        elif kind < 3:
            data = data[:at]
        elif kind < 4:
            data = data[:at] + data[end:]
        elif kind < 5:
            data = data[:end] + data[at:]
        elif kind < 8:
            if random.below(2):  # where a line begins
                at = data.rfind(b'\n', 0, at) + 1
            data = data[:at] + random.one(PIECES) + data[at:]
        else:
            data = data[:at] + random.bytes(min(end - at, 300)) + data[end:]
    return data


def archives():
    """name~number of the version: bytes"""
    found = {}
    for name in sorted(os.listdir(ODDITIES)):
        if '.warc' in name or '.arc' in name:
            with open(os.path.join(ODDITIES, name), 'rb') as file:
                data = file.read()
            for version in range(4):
                random = Random('%s %d' % (name, version))
                stem, _, suffix = name.partition('.')
                found['%s~%d.%s' % (stem, version, suffix)] = edited(random, data) if version else data
    for number in range(60):
        random = Random('archive %d' % number)
        records = [record(random, 100 * number + i) for i in range(1 + random.below(9))]
        container = random.one(['warc', 'members', 'gzip', 'zstd', 'frames', 'arc', 'wacz'])
        suffix = {'members': 'warc.gz', 'gzip': 'warc.gz', 'zstd': 'warc.zst', 'frames': 'warc.zst'}.get(container, container)
        data = b''.join(records)
        if container == 'members':
            data = b''.join(stored(text, False) for text in records)
        elif container == 'gzip':
            data = stored(data, False)
        elif container == 'zstd':
            data = frame(random, data)
        elif container == 'frames':
            data = b''.join(frame(random, text) for text in records)
        elif container == 'arc':
            data = (b'filedesc://x.arc 0.0.0.0 20240102030405 text/plain 76\n1 0 org\nURL IP-address Archive-date Content-type Archive-length\n'.ljust(130, b' ') + b'\n'
                    + b''.join(arc_record(random, i) for i in range(random.below(6))))
        elif container == 'wacz':
            out = io.BytesIO()
            with zipfile.ZipFile(out, 'w') as packed:
                packed.writestr(zipfile.ZipInfo('datapackage.json'), '{}')
                packed.writestr(zipfile.ZipInfo('archive/a.warc'), data)
                packed.writestr(zipfile.ZipInfo('archive/b.warc.gz'), stored(records[0], False))
            data = out.getvalue()
        for version in range(4):
            found['mixed%d~%d.%s' % (number, version, suffix)] = edited(random, data) if version else data
    return found


# ---------------------------------------------------------------- robots.txt

AGENTS = ['*', 'MyBot', 'mybot/2.0', 'GPTBot', 'CCBot', 'my', 'other bot', '', 'Mybot*']
RULES = ['/', '/a', '/a*', '/*.php$', '/a$', '', '*', '/%61', '/ä', '/a b', '$', '/**x', '/private/', '/?q=', '/a%2Fb', '/A', 'a', '/*?', '/x#y']
ROBOTS = ['User-agent: %s', 'user-agent : %s', 'Disallow: %r', 'Disallow: %r', 'Allow: %r', 'ALLOW:%r', 'disallow %r', 'Crawl-delay: 5', 'Sitemap: http://s.example/s.xml', '# comment', '', 'Disallow: %r # because', 'Content-Usage: train-ai=n', 'Content-Usage: /a train-ai=y, search=n',
          'License: https://l.example/rsl.xml', 'Noindex: %r', 'useragent: %s', 'dissallow: %r', '\xef\xbb\xbfUser-agent: %s', 'Content-Signal: ai-train=no, search=yes']
PATHS = ['/', '/a', '/a/b', '/abc.php', '/abc.php?q', '/%61', '/%C3%A4', '/private/x', '/?q=1', '/A', '/x', '/a%2fb', '/robots.txt', '/axx']


def robots_archive():
    out = b''
    for host in range(120):
        random = Random('robots %d' % host)
        lines = [random.one(ROBOTS) for _ in range(random.below(14))]
        text = random.one(['\n', '\n', '\r\n', '\r']).join(line.replace('%s', random.one(AGENTS)).replace('%r', random.one(RULES)) for line in lines)
        body = text.encode() + random.one([b'\n', b'\n', b'', b'\0'])
        name = 'robots.txt'
        if random.below(8) == 0:
            name = '.well-known/tdmrep.json'
            body = json.dumps([{'location': random.one(RULES), 'tdm-reservation': random.one([0, 1, '1', 2]), 'tdm-policy': random.one(['https://p.example/', 3])} for _ in range(random.below(4))]).encode()
        fields = random.one(['', '', '', 'Content-Encoding: gzip\r\n', 'Location: http://h%d.example/robots.txt\r\n' % random.below(120), 'Content-Type: text/html\r\n'])
        if 'gzip' in fields:
            body = stored(body, False)
        status = random.one(['200 OK', '200 OK', '200 OK', '404 x', '503 x', '301 x', '403 x', '204 x'])
        block = ('HTTP/1.1 %s\r\n%s\r\n' % (status, fields)).encode() + body
        for _ in range(1 + (random.below(6) == 0)):
            out += ('WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2024-01-%02dT00:00:00Z\r\nWARC-Target-URI: %s://h%d.example/%s\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n'
                    % (1 + random.below(28), random.one(['http', 'https']), host - (random.below(9) == 0), name, len(block))).encode() + block + b'\r\n\r\n'
    return out


# ---------------------------------------------------------------- pages of sites

HOSTS = ['a.example', 'www.a.example', 'b.a.example', 'c.co.uk', 'shop.c.co.uk', 'user.github.io', 'other.github.io', '192.0.2.1', 'localhost', 'xn--bcher-kva.example', 'D.example:8080', 'e.example.']


def site_pages():
    out = b''
    for number in range(260):
        random = Random('site page %d' % number)
        host = random.one(HOSTS)
        shared = Random('site ' + host)
        menu = [sentence(shared) for _ in range(9)]
        parts = ['<ul>%s</ul>' % ''.join('<li><a href=/%d>%s</a>' % (i, text) for i, text in enumerate(menu[:4]) if random.below(9))]
        parts += ['<p>%s</p>' % (random.one(menu) if random.below(3) == 0 else sentence(random)) for _ in range(random.below(9))]
        parts += ['<div>%s</div>' % text for text in menu[6:] if random.below(4)]
        if random.below(5) == 0:
            parts = ['<p>%s</p>' % sentence(Random('copy %d' % random.below(6))) for _ in range(12)] + parts[:2]
        block = b'HTTP/1.1 %d OK\r\nContent-Type: text/html\r\n\r\n' % random.one([200] * 9 + [404]) + ('<title>%s</title><body>%s' % (sentence(random), ''.join(parts))).encode()
        out += ('WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\nWARC-Date: 2024-01-02T03:04:05Z\r\nWARC-Target-URI: http://%s/%d\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n'
                % (number, host, random.below(200), len(block))).encode() + block + b'\r\n\r\n'
    return out


# ---------------------------------------------------------------- records

WORDS = 'the keeper counted ships harbour storm wall chalk rope knot tea morning light boat pier sea wind salt lamp stone letter ink year name'.split()
LINES = ['', ' ', 'Share this', 'All rights reserved', '\u00e9t\u00e9 \u2014 \U0001F600', 'a "quoted" \\ line\t', 'x', 'Read more \u00bb', '\u0000', '\u3000']
SCHEMES = {'modern': ({'preset': 'modern', 'scheme': 'affine32-xxh3_64', 'seed': 1, 'w': 5, 'k': 128, 'bits': 32, 'tokenizer': 1}, 128, 8), 'paper': ({'preset': 'paper', 'seed': 0, 'w': 6, 'k': 8, 'bits': 64}, 8, 16),
           'datatrove': ({'preset': 'datatrove', 'w': 5, 'k': 112, 'bits': 64}, 112, 16)}
NOT_RECORDS = ['', '{', '{}', '[]', 'null', '{"id":1}', '{"id":""}', '{"id":"a\\u0001"}', '{"id":"b"} x', '{"id":"c","minhash":{"preset":"modern","k":128,"main":"0"}}', '{"id":"d","digest":{"text":"12"}}', '{"id":"e","minhash":[],"digest":5,"http":"x","text":7,"url":null,"date":{}}',
               '{"id":"f","minhash":{"bits":0,"main":"00"}}', '{"id":"g","x":[[[[{"id":"h"}]]]],"y":1e999}', '{"id":"\\ud83d\\ude00 \\ud800"}', '{"id":"i",}', '{"id":"j" "url":"x"}', "{'id':'k'}", '\ufeff{"id":"l"}', '{"id":"m","minhash":{"short":["main","page"],"k":128}}',
               '{"id":"n","http":{"status":404},"digest":{"text":"0123456789abcdef0123456789ABCDEF"}}', '{"id":"o","minhash":{"preset":"modern","w":-1,"main":"zz"}}', '{"id":"p","minhash":{"preset":"' + 'x' * 200 + '"}}', '{"id":"q","template_known":1,"schema":5}']
LINKS = ['http://%s/', 'https://%s/a?b#c', 'http://www.%s:80/x', 'https://%s:443/', 'http://%s:8080/y', 'ftp://%s/', 'mailto:a@%s', 'http://', '//%s/z', '', 'http://%s', 'HTTP://%s/U', 'http://192.0.2.%d/', 'http://[::1]/', 'http://u:p@%s/', 'http://%s./']


def sentence(random):
    return ' '.join(random.one(WORDS) for _ in range(3 + random.below(12)))


def records(scheme):
    """Lines of records signed in this way."""
    random = Random('records ' + scheme)
    words, slots, width = SCHEMES[scheme]
    lines, n = [], 0
    for _ in range(70):
        texts = [[random.one(LINES) if random.below(4) == 0 else sentence(random) for _ in range(1 + random.below(8))] for _ in range(2)]
        signs = [[random.below(1 << 31) << 31 | random.below(1 << 31) for _ in range(slots)] for _ in range(4)]
        for copy in range(random.one([1, 1, 1, 2, 3, 7])):
            text = list(random.one(texts))
            if random.below(3) == 0:
                text[random.below(len(text))] = sentence(random)
            made = {'schema': 'thresher/1', 'id': '<urn:uuid:%s-%05d>' % (scheme, n), 'url': 'http://h%d.example/%d' % (random.below(9), random.below(50)), 'date': '2024-0%d-01T00:00:00Z' % (1 + random.below(9))}
            if random.below(4) == 0:
                made['date'] = random.one(DATES)
            if random.below(5) == 0:
                made['url'] = random.one(ADDRESSES)
            if random.below(4):
                made['http'] = {'status': random.one([200] * 9 + [204, 299, 301, 404, 500, 0]), 'x': [1, {'y': None}]}
            made['text'] = '\n'.join(text)
            if random.below(6):
                made['digest'] = {'html': 'x', 'text': hashlib.md5(made['text'].encode()).hexdigest()}
            if random.below(8):
                made['minhash'] = dict(words)
                for at, name in enumerate(['main', 'content', 'page', 'distinct']):
                    if name in ('main', 'page') or random.below(2):
                        mine = [random.below(1 << 30) if random.below(random.one([4, 9, 30, 99])) == 0 and copy else slot for slot in signs[at]]
                        made['minhash'][name] = ''.join('%0*x' % (width, slot % 16 ** width) for slot in mine)
                if random.below(9) == 0:
                    made['minhash']['short'] = random.one([['main'], ['content', 'page'], 'main', []])
            if random.below(9) == 0:
                made['template_known'] = random.one([True, False, 'true'])
            links = [{'url': random.one(LINKS).replace('%s', 'h%d.example' % random.below(12)).replace('%d', '7'), 'text': 'é', 'label': random.one(['content', 'boilerplate', 'other', 3])} for _ in range(random.below(7))]
            for link in links:
                if random.below(9) == 0:
                    del link[random.one(['url', 'label'])]
            made['links'] = random.one([links] * 9 + [None, {}, ['x', 5]])
            names = list(made)
            if random.below(3) == 0:
                names.reverse()
            lines.append(json.dumps({name: made[name] for name in names}, ensure_ascii=random.below(2) == 0, separators=random.one([(',', ':'), (' , ', ' : ')])))
            if random.below(12) == 0:
                lines.append(random.one([lines[-1], lines[-1][:-9], random.one(NOT_RECORDS), lines[-1].replace('"', "'")]))
            n += 1
    return lines


def changed_records(lines):
    """The records of another version: some members differ, some records are missing, new, or at another place."""
    random, out = Random('changed'), []
    for line in lines:
        kind = random.below(12)
        try:
            made = json.loads(line)
        except ValueError:
            made = None
        if kind == 0:
            continue
        if isinstance(made, dict) and kind < 5:
            name = random.one(list(made) or ['x'])
            made[random.one([name, 'new'])] = random.one([None, 1, 'x', [1, 2.5], {'a': {'b': 1}}, made.get(name)])
            line = json.dumps(made)
        out.insert(max(0, len(out) - random.below(9) * (kind == 6)), line)
    return out


# ---------------------------------------------------------------- commands

def commands(folder, names):
    """(label, words) of each command. Their outputs: stdout, stderr, the exit code, and the files of OUT/."""
    out = [('list', ['records', '-q', *names]), ('validate', ['records', '--validate', '-q', *names]), ('verify', ['records', '-q', '--verify-digests', *names]), ('cdxj', ['records', '-q', '--cdxj', *names]),
           ('run', ['run', '-q', '-j1', '--page-ms', '0', '-k', 'keep-all', '--language-detector', 'none', '--verify-digests', '--filter.status', 'all', '--rejects', 'OUT/rejects', *names]),
           ('pieces', ['run', '-q', '-j1', '--page-ms', '0', '-k', 'num-words', '--language-detector', 'none', '--rejects', 'OUT/rejects', '@pieces']),
           ('robots', ['robots', 'build', '-q', '-O', 'OUT/rules', 'robots.warc']), ('robots show', ['robots', 'show', 'robots.rules'])]
    for agent in ('mybot', 'GPTBot', 'nobody'):
        urls = ['http://h%d.example%s' % (host, path) for host in range(0, 120, 3) for path in PATHS]
        out.append(('robots check ' + agent, ['robots', 'check', 'robots.rules', agent, *urls]))
    page = ['-q', '-j1', '--page-ms', '0', '--language-detector', 'none']
    for options in ([], ['--by', 'host'], ['--min-pages', '1'], ['--min-pages', '4', '--memory', '64K']):
        out.append(('sites build ' + ' '.join(options), ['sites', 'build', '-q', '-j1', *options, '-O', 'OUT/sites', 'sites.warc']))
    out += [('sites show', ['sites', 'show', 'sites.sites']), ('sites show json', ['sites', 'show', '--json', 'sites.sites']), ('sites show one', ['sites', 'show', 'sites.sites', 'http://www.a.example/x']),
            ('sites merge', ['sites', 'merge', '-q', '-O', 'OUT/sites', 'sites.sites', 'sites.sites']), ('run with sites', ['run', *page, '-e', 'segments,full_text', '--sign', 'all', '--sites', 'sites.sites', 'sites.warc']),
            ('run in two passes', ['run', *page, '--two-pass', '-O', 'OUT/two-pass.jsonl', 'sites.warc']), ('run with an index', ['run', *page, '--bands', '--index.path', 'OUT/', '-O', 'OUT/near.jsonl', 'sites.warc'])]
    for name in PAGES:
        for more in ([], ['--sign', 'all', '--minhash', 'datatrove'], ['--json', '--compare=full-text,main-content', '--minhash', 'paper'], ['-k', 'num-words', '-s', 'boundary-graph', '--sign', 'content'], ['-k', 'densitometric', '-s', 'bf-plain', '--json'], ['--html', 'OUT/report.html']):
            out.append(('inspect %s %s' % (name, ' '.join(more)), ['inspect', '--language-detector', 'none', *more, name]))
        for more in (['markdown', '--text-links'], ['html', '--text-images'], ['plain', '--comments'], ['markdown', '--text-front-matter', '--url', 'http://a.example/b']):
            out.append(('text %s %s' % (name, ' '.join(more)), ['text', '--text-format', *more, name]))
    for scheme in SCHEMES:
        one, all_ = ['%s.jsonl' % scheme], ['%s.%d.jsonl' % (scheme, i) for i in range(3)]
        for options in ([], ['--output', 'pairs'], ['--output', 'drop'], ['--by', 'text'], ['--by', 'url'], ['--by', 'url', '--output', 'pairs'], ['--unit', 'paragraph'], ['--unit', 'paragraph', '--output', 'drop'], ['--sign', 'page'], ['--sign', 'content'], ['--sign', 'either'],
                        ['--sign', 'both'], ['--sign', 'distinct', '--output', 'pairs'], ['--threshold', '.4', '--output', 'pairs'], ['--threshold', '.97'], ['--fan-out', '1', '--output', 'pairs'], ['-f', 'parquet', '--compress', 'none', '-O', 'OUT/p.parquet'],
                        ['-f', 'parquet', '--compress', 'none', '--output', 'pairs', '-O', 'OUT/p.parquet'], ['-f', 'parquet', '--output', 'drop', '--compress', 'none', '-O', 'OUT/p.parquet']):
            out.append(('dedup %s %s' % (scheme, ' '.join(options)), ['dedup', '-q', '--report', 'OUT/report', *options, *(all_ if len(out) % 2 else one)]))
        out.append(('partition ' + scheme, ['dedup', 'partition', '-q', '--parts', '3', '-O', 'OUT', *one]))
        for level in ('host', 'page'):
            for links in ('all', 'content', 'boilerplate'):
                out.append(('graph %s %s %s' % (scheme, level, links), ['graph', '-q', '--level', level, '--links', links, *(['--bias', 'bias'] if links == 'content' else []), '-O', 'OUT', *all_]))
    for more in ([], ['--json']):
        out.append(('compare ' + ' '.join(more), ['compare', *more, 'modern.jsonl', 'changed.jsonl']))
    out.append(('mixed schemes', ['dedup', '-q', 'modern.jsonl', 'paper.jsonl']))
    return out


def write_inputs(program, folder):
    """Writes the inputs. Returns the names of the archives."""
    def put(name, data):
        with open(os.path.join(folder, name), 'wb') as out:
            out.write(data if isinstance(data, bytes) else data.encode('utf-8', 'surrogatepass'))
    found = archives()
    for name, data in found.items():
        put(name, data)
    for name in PAGES:
        shutil.copy(os.path.join(HERE, name), folder)
    put('robots.warc', robots_archive())
    put('sites.warc', site_pages())
    for scheme in SCHEMES:
        lines = records(scheme)
        put(scheme + '.jsonl', '\n'.join(lines) + '\n')
        for part in range(3):
            put('%s.%d.jsonl' % (scheme, part), random_end(part).join(lines[part::3]))
    put('changed.jsonl', '\n'.join(changed_records(records('modern'))))
    put('bias', 'h1.example\nhttp://h2.example/7\n\n# x\nnowhere.example\n')
    listed = subprocess.run([program, 'records', '-q', *found], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.splitlines()
    random, pieces = Random('pieces'), []
    for line in listed:
        made = json.loads(line)
        pieces.append('%s#%d,%d' % (made['file'], made['offset'] + random.one([0] * 9 + [1]), made.get('length', 99) + random.one([0] * 9 + [-1, 50])))
    put('pieces', '\n'.join(pieces))
    for words in (['robots', 'build', '-q', '-O', 'robots.rules', 'robots.warc'], ['sites', 'build', '-q', '-j1', '--min-pages', '1', '-O', 'sites.sites', 'sites.warc']):
        subprocess.run([program, *words], cwd=folder)
    return list(found)


def random_end(part):
    return ['\n', '\r\n', '\n\n'][part]


def written(program, folder):
    """label: the lines that the command writes"""
    found = {}
    names = write_inputs(program, folder)
    for label, words in commands(folder, names):
        outputs = os.path.join(folder, 'out ' + label.replace('/', ' '))
        os.makedirs(outputs, exist_ok=True)
        done = subprocess.run([program, *[word.replace('OUT', outputs) for word in words]], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
        lines = done.stdout.splitlines() + done.stderr.splitlines() + [b'exit code %d' % done.returncode]
        for name in sorted(os.listdir(outputs)):
            if os.path.isfile(os.path.join(outputs, name)) and name.rpartition('.')[2] not in ('json', 'state'):
                with open(os.path.join(outputs, name), 'rb') as file:
                    data = file.read()
                    lines += [name.encode() + b': '] + (gzip.decompress(data) if name.endswith('.gz') else data).split(b'\n')
        found[label] = [line.replace(outputs.encode(), b'OUT') for line in lines]
    return found


def digests(found):
    """The rows of mixed_inputs.out: the lines that name an archive belong to its row."""
    rows = []
    for label, lines in found.items():
        sums = {}
        for line in lines:
            match = re.search(rb'~\d+\.(?:warc|arc|wacz)', line)
            before = line[max(0, match.start() - 80):match.start()] if match else b''
            name = re.search(rb'\w*$', before).group().decode() or '-'
            sums.setdefault(name, hashlib.sha256()).update(re.sub(rb'"software":"[^"]*"|thresher [0-9.]+[^" ]*|(?<=as WACZ: )[^"]*', b'', line) + b'\n')
        rows.append((label, {name: value.hexdigest()[:8] for name, value in sums.items()}))
    tables = [(label, sums) for label, sums in rows if len(sums) > 1]
    names = sorted({name for _, sums in tables for name in sums})
    text = ['%-26s %s\n' % (name, ' '.join('%-8s' % cell for cell in cells).rstrip()) for name, cells in [('archive', [label for label, _ in tables]), *((name, [sums.get(name, '') for _, sums in tables]) for name in names)]]
    return text + ['%s %s\n' % (sums['-'], label) for label, sums in rows if len(sums) == 1]


def main(args):
    program = os.path.abspath(args[-1])
    if args[0] == '--write':
        os.makedirs(args[1], exist_ok=True)
        for label, lines in written(program, os.path.abspath(args[1])).items():
            with open(os.path.join(args[1], 'lines ' + label.replace('/', ' ')), 'wb') as out:
                out.write(b'\n'.join(lines))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return settle(KEPT, digests(written(program, folder)), args[0] == '--accept')


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
