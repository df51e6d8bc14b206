"""An index of captures: its lines, order and blocks, and records without a line."""
import base64
import gzip
import hashlib
import json
import os
import tempfile

import archive
from case import expect, expect_true, thresher


def record(kind, url, date, body, **fields):
    head = ['WARC/1.0', 'WARC-Type: ' + kind, 'WARC-Record-ID: <urn:uuid:%032x>' % len(url), 'WARC-Date: ' + date]
    head += ['WARC-Target-URI: ' + url] if url else []
    head += ['%s: %s' % (name.replace('_', '-'), value) for name, value in fields.items()]
    return '\r\n'.join(head + ['Content-Length: %d' % len(body), '', '']).encode() + body + b'\r\n\r\n'


def sha1(payload):
    return 'sha1:' + base64.b32encode(hashlib.sha1(payload).digest()).decode()


HTTP = b'HTTP/1.1 404 Not Found\r\nContent-Type: text/html; charset=utf-8\r\n\r\nabc'
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open('a.warc', 'wb') as f:
        for made in (record('response', 'http://www.b.example/x?b&a', '2026-03-01T06:00:03Z', HTTP, Content_Type='application/http; msgtype=response'),
                     record('request', 'http://b.example/', '2026-03-01T06:00:03Z', b'GET / HTTP/1.1\r\n\r\n', Content_Type='application/http'),
                     record('revisit', 'http://a.example/', '2026-03-01T06:00:05.123Z', b'', WARC_Payload_Digest='sha1:ABC'),
                     record('metadata', 'http://a.example/', '2026-03-01T06:00:05Z', b'x: y', Content_Type='application/warc-fields'),
                     record('resource', 'http://a.example/', '2026-03-01T06:00:04Z', b'xyz', Content_Type='text/plain'),
                     record('resource', '', '2026-03-01T06:00:04Z', b'xyz', Content_Type='text/plain'),
                     record('resource', 'http://a.example/', 'yesterday', b'xyz', Content_Type='text/plain')):
            f.write(made)
    run = thresher('records', '--cdxj', 'a.warc')
    lines = run.stdout.decode().splitlines()
    rows = [line.split(' ', 2) for line in lines]
    expect('sorted keys', [row[:2] for row in rows],
           [['example,a)/', '20260301060004'], ['example,a)/', '20260301060005'], ['example,b)/x?a&b', '20260301060003']])
    facts = [json.loads(row[2]) for row in rows]
    expect('fields', [{name: fact[name] for name in fact if name not in ('offset', 'length')} for fact in facts],
           [{'url': 'http://a.example/', 'mime': 'text/plain', 'digest': sha1(b'xyz'), 'filename': 'a.warc'},
            {'url': 'http://a.example/', 'mime': 'warc/revisit', 'digest': 'sha1:ABC', 'filename': 'a.warc'},
            {'url': 'http://www.b.example/x?b&a', 'mime': 'text/html', 'status': '404', 'digest': sha1(b'abc'), 'filename': 'a.warc'}])
    with open('a.warc', 'rb') as f:
        whole = f.read()
    for fact in facts:
        expect_true('%s is at its offset' % fact['url'], whole[int(fact['offset']):].startswith(b'WARC/1.0'))
        expect_true('and as long', whole[:int(fact['offset']) + int(fact['length'])].endswith(b'\r\n\r\n'))
    expect('a record without a line gives exit code 1', run.returncode, 1)
    for why in ('record has no URL', 'record has no date', '3 captures in the index, 2 omitted'):
        expect_true(why, why in run.stderr.decode(), run.stderr)

    for seed in range(1, 8):
        archive.write('many%d.warc.gz' % seed, archive.records(100, seed=seed))
    names = ['many%d.warc.gz' % seed for seed in range(1, 8)]
    plain = thresher('records', '-q', '--cdxj', *names)
    expect('many', plain.returncode, 0)
    every = plain.stdout.splitlines(keepends=True)
    expect('in order of their bytes, each once', every, sorted(set(every)))
    expect('any order of inputs, twice', thresher('records', '-q', '--cdxj', *reversed(names), *names).stdout, plain.stdout)
    blocks = thresher('records', '-q', '--cdxj-blocks', 'all.cdxj.gz', *names)
    expect('blocks', blocks.returncode, 0)
    with open('all.cdxj.gz', 'rb') as f:
        packed = f.read()
    expect('the same lines in blocks', gzip.decompress(packed), plain.stdout)
    meta, *index = blocks.stdout.decode().splitlines()
    expect('meta', meta, '!meta 0 {"format":"cdxj-gzip-1.0","filename":"all.cdxj.gz"}')
    expect('blocks of 300 lines', len(index), -(-len(every) // 300))
    for number, line in enumerate(index):
        place = json.loads(line[line.index('{'):])
        block = gzip.decompress(packed[place['offset']:place['offset'] + place['length']]).splitlines(keepends=True)
        expect('block %d' % number, block, every[300 * number:300 * number + 300])
        expect_true('its first key', block[0].decode().startswith(line[:line.index('{')]))
    refused = thresher('records', '--cdxj-blocks', names[0], names[0])
    expect('an input is not overwritten', refused.returncode, 2)
