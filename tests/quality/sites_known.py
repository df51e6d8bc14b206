"""Measures signatures while a memory of sites grows, on corpora/duplicates/lyrics-like.

    sites_known.py THRESHER SHARED [--preset NAME] [--threshold SHARE] [-k NAME] [--content-model FILE] [--epoch N]

Reads the archive by two passes, then in its own order and in three shuffled orders with an initially empty memory. Pairs are grouped by the
known pages of the less known site of the two. These are the pages in the memory when the page was judged, without the page itself. `main` is the result of
the same pairs without a memory. A pair is found if half of the slots agree, as in `thresher eval duplicates`, or another share.
"""
import argparse
import collections
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import zlib

ORDERS = ('two passes', 'archive', 'shuffle 1', 'shuffle 2', 'shuffle 3')
STEPS = ((1, '0'), (2, '1'), (3, '2'), (5, '3-4'), (8, '5-7'), (1 << 30, '8+'))


def members(path):
    """Yields the archive's records, each in a separate gzip member."""
    with open(path, 'rb') as archive:
        data = archive.read()
    while data:
        unpacker = zlib.decompressobj(31)
        unpacker.decompress(data)
        rest = unpacker.unused_data
        yield data[:len(data) - len(rest)]
        data = rest


def read_records(path):
    records = {}
    with open(path) as lines:
        for record in map(json.loads, lines):
            signed = record.get('minhash', {})
            width = int(signed.get('bits', 64)) // 4

            def slots(name):
                digits = signed.get(name, '')
                return [digits[i:i + width] for i in range(0, len(digits), width)]

            records[record['id']] = {'cluster': record.get('near_duplicate', {}).get('cluster', record['id']), 'main': slots('main'), 'own': slots('distinct') or slots('main'),
                                     'is_known': record['template_known'], 'known': record['site_pages'] - 1, 'is_set': signed.get('scheme', '').startswith('bottom')}
    return records


def alike(a, b, is_set, threshold):
    if not a or not b:
        return False
    if is_set:
        return len(set(a) & set(b)) >= math.ceil(threshold * min(len(set(a)), len(set(b))))
    return sum(x == y for x, y in zip(a, b)) >= threshold * max(len(a), len(b))


def judge(x, y, threshold):
    """Whether a pair is found by the main texts, by the distinct texts only, by the rule of `dedup --sign auto`, and in one cluster of the index."""
    is_main = alike(x['main'], y['main'], x['is_set'], threshold)
    is_own = alike(x['own'], y['own'], x['is_set'], threshold)
    return {'main': is_main, 'distinct': is_own, 'index': x['cluster'] == y['cluster'], 'auto': is_own or (is_main and not (x['is_known'] and y['is_known']))}


def measure(pairs, records, threshold):
    counts = collections.defaultdict(lambda: [0, 0])
    for a, b, label, family in pairs:
        x, y = records[a], records[b]
        known = min(x['known'], y['known'])
        step = next(name for bound, name in STEPS if known < bound)
        for text, is_found in judge(x, y, threshold).items():
            for column in (step, 'all'):
                cell = counts[text, family, label, column]
                cell[0] += is_found == (label == 'dup')
                cell[1] += 1
    return counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('shared')
    parser.add_argument('--preset', default='paper')
    parser.add_argument('--threshold', type=float, default=.5)
    parser.add_argument('--content-model', default='')
    parser.add_argument('-k', '--classifier', default='num-words')
    parser.add_argument('--epoch', default='1')
    args = parser.parse_args()
    corpus = os.path.join(args.shared, 'corpora/duplicates/lyrics-like')
    if not os.path.exists(corpus):
        print('skipped: no corpora in %s' % args.shared)
        sys.exit(77)
    with open(os.path.join(corpus, 'pairs.tsv')) as lines:
        pairs = [line.split('\t')[:4] for line in lines][1:]
    crawl = list(members(os.path.join(corpus, 'pages.warc.gz')))
    columns = [name for _, name in STEPS] + ['all']
    for number, order in enumerate(ORDERS):
        shuffled = crawl[1:]  # after the warcinfo record
        if number > 1:
            random.Random(number - 1).shuffle(shuffled)
        with tempfile.TemporaryDirectory() as folder:
            archive, out = os.path.join(folder, 'pages.warc.gz'), os.path.join(folder, 'records.jsonl')
            with open(archive, 'wb') as file:
                file.write(b''.join(shuffled))
            memory = ['--sites.path', os.path.join(folder, 'memory'), '--sites.epoch', args.epoch]
            subprocess.run([args.program, 'run', '-q', '--emit', 'none', '-k', args.classifier, '--content-model', args.content_model,
                            '--minhash', args.preset, '--index.path', os.path.join(folder, 'index'), '--index.threshold', str(args.threshold), '-O', out, *(memory if number else ['--two-pass']), archive], check=True)
            counts = measure(pairs, read_records(out), args.threshold)
        for family, label in (('composed', 'dup'), ('markup', 'dup'), ('edit90', 'dup'), ('composed', 'distinct')):
            for text in ('main', 'distinct', 'index', 'auto'):
                cells = [counts[text, family, label, column] for column in columns]
                print('%-10s %-9s %-9s %-9s' % (order, family, label, text),
                      '  '.join('%s %s' % (column, '%.3f (%d)' % (right / of, of) if of else '-') for column, (right, of) in zip(columns, cells)))


main()
