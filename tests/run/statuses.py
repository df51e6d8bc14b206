"""Error pages and redirects: kept and flagged in records, left out of text for training, and never near-duplicates of each other.

usage: statuses.py PROGRAM
"""
import glob
import json
import os
import random
import tempfile

import archive
from case import contents, expect, expect_true, thresher

MOVED = '<html><title>301 Moved Permanently</title><body><h1>Moved Permanently</h1><p>%s</p></body></html>' % ' '.join(
    'The document has moved here, and it will not come back to this place.' for _ in range(12))
HEAD = 'HTTP/1.1 %s\r\nContent-Type: text/html\r\n'
TRAINING = ('wet', 'fineweb', 'dolma', 'dolma-attributes', 'dclm', 'hplt')


def count(path):
    data = contents(path)
    return data.count(b'WARC-Type: conversion') if path.endswith('.warc') else len(data.splitlines())


with tempfile.TemporaryDirectory() as folder:
    rng = random.Random(32)
    parts = [archive.response(MOVED, 'http://a%d.example/old' % i, i, HEAD % ('301 Moved Permanently' if i % 2 else '404 Not Found')) for i in range(6)]
    parts += [archive.response(archive.page(rng), 'http://b.example/%d' % i, i) for i in range(3)]
    parts += [archive.response(archive.page(random.Random(1)), 'http://c%d.example/' % i, i) for i in range(2)]  # a real pair
    parts.append(archive.record('resource', archive.page(rng).encode(), 'http://d.example/', content_type='text/html'))  # without a status
    source = archive.write(os.path.join(folder, 'a.warc.gz'), parts)

    records = os.path.join(folder, 'r.jsonl')
    expect('records: exit', thresher('run', '-q', '-O', records, source).returncode, 0)
    rows = [json.loads(line) for line in contents(records).splitlines()]
    expect('every page has a record', len(rows), 12)
    expect('the flag', sorted((r['http'].get('status', 0), 'unsuccessful' in r['flags']) for r in rows),
           [(0, False)] + [(200, False)] * 5 + [(301, True)] * 3 + [(404, True)] * 3)

    for name in TRAINING:
        path = os.path.join(folder, 'out.warc' if name == 'wet' else 'out.jsonl')
        options = ('--sign', 'content') if name == 'dolma-attributes' else ()
        run = thresher('run', '-f', name, '-O', path, *options, source)
        expect('%s: exit' % name, run.returncode, 0)
        expect('%s: only pages' % name, count(path), 6)
        expect_true('%s: the others are counted' % name, b'filter_status 6' in run.stderr, run.stderr)
        expect('%s, all' % name, thresher('run', '-q', '-f', name, '--filter.status', 'all', '-O', path, *options, source).returncode, 0)
        expect('%s: all statuses on request' % name, count(path), 12)

    report = os.path.join(folder, 'report.json')
    run = thresher('dedup', '--report', report, records)
    clusters = [json.loads(line) for line in run.stdout.splitlines()]
    expect('only the real pair is a cluster', [c['size'] for c in clusters], [2])
    expect_true('of the real pages', clusters[0]['representative']['url'].startswith('http://c'), clusters)
    expect('the report counts them', json.loads(contents(report))['error_pages'], 6)
    expect_true('for people', b'6 error pages and redirects' in run.stderr, run.stderr)

    marked = thresher('run', '-q', '--index.path', os.path.join(folder, 'i.index'), source)
    expect('the index knows only the real pair', [json.loads(line)['url'] for line in marked.stdout.splitlines() if b'"near_duplicate"' in line], ['http://c1.example/'])

    shards = os.path.join(folder, 'sig/')
    expect('signatures: exit', thresher('run', '-q', '-f', 'minhash-sig', '-m', 'datatrove', '-O', shards, source).returncode, 0)
    sizes = {os.path.getsize(f) for f in glob.glob(shards + '**/*.minhash.sig', recursive=True)}
    expect_true('signature files of six pages', len(sizes) == 1 and sizes.pop() % 6 == 0, sizes)
