#!/usr/bin/env python3
"""Compares index lines of `thresher records --cdxj` with cdxj-indexer and surt (PyPI), by hand.

usage: cdxj_peer.py THRESHER ARCHIVE...      needs: pip install cdxj-indexer

Compares line by line, and the keys of 100,000 made URLs (their hosts are hosts: of others each reads something else).
Archives that cdxj-indexer cannot read are named, not compared.
"""
import collections
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import warnings

warnings.simplefilter('ignore')
from cdxj_indexer.main import CDXJIndexer
from surt import surt

PIECES = ['a', 'B', 'www.', 'www7.', '.', '..', '/', '//', '/./', '/../', '?', '&', '=', '#', '%', '%25', '%41', '%2e', '%2F', '%zz', '%7E', ':', ':80', ':443', ':8080', '@', ' ', '\t',
          'Example.COM', 'http://', 'https://', 'x', '0', '1', '127.1', '(', ')', ';', '~', '+', '.aspx', '(S(abcdefghij0123456789abcd))/', '(abcdefghij0123456789abcd)/',
          'jsessionid=0123456789abcdef0123456789abcdef', 'PHPSESSID=0123456789ABCDEF0123456789abcdef', 'sid=0123456789abcdef0123456789abcdef',
          'ASPSESSIONIDABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX', 'cfid=12&cftoken=34', 'ä', '€', 'b=2', 'a=1', '&&', '[', ']', 'é=ü', '\\', '"', '<', '%C3%A4']
STARTS = ['http://', 'https://', 'http://www.', 'HTTP://', 'ftp://', 'urn:', '', '//', 'mailto:', 'http:/', 'http:///']


def urls(count, seed):
    draw = random.Random(seed)
    for i in range(count):
        start = draw.choice(STARTS)
        host = draw.choice(['example.com', 'www.example.co.uk', 'a.b', '1.2.3.4', '16909060', '0x7f.1', 'EXAMPLE.org.', 'münchen.de', '[::1]'])
        if host == '[::1]':
            start = 'http://'
        if start in ('mailto:', 'urn:'):
            host = ''
        yield start + host + draw.choice('/?#') + ''.join(draw.choice(PIECES) for _ in range(draw.randrange(0, 9)))


def archive_of(made, path):
    with open(path, 'wb') as f:
        for i, url in enumerate(made):
            body = b'x'
            f.write(b'WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:%032x>\r\n'
                    b'WARC-Payload-Digest: sha1:%032d\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n'
                    % (url.encode(), i, i, len(body), body))


def ours(program, path):
    lines = subprocess.run([program, 'records', '-q', '--cdxj', path], capture_output=True).stdout.decode().splitlines()
    if lines != sorted(lines, key=str.encode):
        sys.exit('not sorted: ' + path)
    return lines


def parsed(line):
    key, stamp, rest = line.split(' ', 2)
    return key, stamp, json.loads(rest)


def theirs(path):
    out = io.StringIO()
    indexer = CDXJIndexer(out, [path], sort=True)
    try:
        indexer.process_all()
    except Exception as e:
        return None, '%s: %s' % (type(e).__name__, str(e)[:100])
    lines = getattr(indexer.output, 'sortedlist', [])
    return lines, None


def keys(program, count):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'made.warc')
        made = sorted({u for u in urls(count, 1) if u and u == u.strip() and '\t' not in u})
        archive_of(made, path)
        got = {}
        for line in ours(program, path):
            key, _, fields = parsed(line)
            got[fields['url']] = key
        differ = collections.Counter()
        shown = 0
        for url in made:
            try:
                want = surt(url)
            except Exception as e:
                differ['surt fails: ' + type(e).__name__] += 1
                continue
            if got.get(url) != want:
                differ['differs' if url in got else 'missing'] += 1
                shown += 1
                if shown <= 20:
                    print('%r\n   surt %r\n   ours %r' % (url, want, got.get(url)))
    print('keys of %d URLs: %s' % (len(made), dict(differ)))
    return differ['differs'] + differ['missing']


def main():
    program, archives = sys.argv[1], sys.argv[2:]
    wrong = keys(program, 100000)
    lines = equal = 0
    for path in archives:
        want, failed = theirs(path)
        if failed:
            print('%s: cdxj-indexer: %s' % (path, failed))
            continue
        mine = [parsed(line) for line in ours(program, path)]
        them = [parsed(line) for line in want]
        shorter = 0
        if len(mine) == len(them) and not path.endswith(('.gz', '.zst')):  # lengths with the two line ends after the record, or without
            for a, b in zip(mine, them):
                if a != b and int(a[2].get('length', 0)) == int(b[2].get('length', 0)) + 4:
                    b[2]['length'] = a[2]['length']
                    shorter += 1
        missing = [row for row in them if row not in mine]
        extra = [row for row in mine if row not in them]
        print('%s: %d lines, %d of cdxj-indexer; %d only there, %d only here; %d lengths without the line ends there' % (path, len(mine), len(them), len(missing), len(extra), shorter))
        lines += len(them)
        equal += len(them) - len(missing)
        for name, rows in (('there', missing), ('here', extra)):
            for row in rows[:3]:
                print('   only', name, row)
        wrong += len(missing) + len(extra)
    print('%d of %d lines equal; %d differ' % (equal, lines, wrong))
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
