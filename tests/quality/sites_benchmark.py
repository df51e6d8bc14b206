"""Makes a benchmark of sites with many pages, and measures signatures on it.

    sites_benchmark.py THRESHER SHARED [--out DIR] [--few]

Templates and articles come from corpora/duplicates/lyrics-like. The common parts of the composed pages of a template are the template,
and the parts in between are the article. Sites have 2, 5, 20 and 200 pages. Every other site is redesigned in the middle. Its later pages have
another template, and its earlier pages are fetched a second time in the new one. One page in ten is fetched twice. Sites of one size go
in pairs with the same articles. Their other pages consist of sentences of all articles, each sentence once per page.
Pairs: mirrored articles (dup), pages of one site and one template (distinct). Families are the sizes: size2, size2-redesigned, ...

Without --out it measures main, distinct by two passes, and distinct while pages come in, and holds two passes to floors.
"""
import argparse
import gzip
import html
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import uuid

WORD = re.compile(r'\w+')
TAG = re.compile(r'<(script|style)\b.*?</\1>|<[^>]*>', re.S | re.I)
SIZES = ((2, 60, 1), (5, 40, 2), (20, 12, 8), (200, 4, 20))  # pages, sites, mirrored articles
FLOORS = {'paper': {'size5': .90, 'size20': .97, 'size200': .97}}


def pages_of(path):
    """id and HTML of each response; the archive is ours: one member a record, no coding."""
    with gzip.open(path) as archive:
        data = archive.read()
    for part in data.split(b'WARC/1.')[1:]:
        head, _, rest = part.partition(b'\r\n\r\n')
        if b'WARC-Type: response' not in head:
            continue
        name = re.search(rb'WARC-Record-ID: *<([^>]*)>', head)[1].decode()
        yield name, rest.partition(b'\r\n\r\n')[2].rstrip(b'\r\n').decode('utf-8', 'replace')


def common(a, b):
    size = 0
    for x, y in zip(a, b):
        if x != y:
            break
        size += 1
    return size


def words(text):
    return len(WORD.findall(html.unescape(TAG.sub(' ', text))))


def take_apart(shared):
    """Returns templates as (before, after), and articles as (markup, sentences)."""
    folder = os.path.join(shared, 'corpora/duplicates/lyrics-like')
    with gzip.open(os.path.join(folder, 'gold.jsonl.gz'), 'rt') as lines:
        gold = {row['record_id'].strip('<>'): row for row in map(json.loads, lines)}
    by_template = {}
    for name, text in pages_of(os.path.join(folder, 'pages.warc.gz')):
        row = gold.get(name)
        body = text.lower().find('<body')
        if row and row['kind'] == 'composed' and row['edit'] == 'none' and body >= 0:
            by_template.setdefault(row['template'], []).append((row, text[body:]))
    templates, articles, sentences = [], {}, []
    for rows in by_template.values():
        if len(rows) < 3:
            continue
        first = rows[0][1]
        before = min(common(first, other) for _, other in rows[1:])
        behind = min(common(first[::-1], other[::-1]) for _, other in rows[1:])
        before = first.rfind('>', 0, before) + 1
        behind = first.find('<', len(first) - behind)
        whole = [(row, text[before:behind - len(first)]) for row, text in rows]
        if all(abs(words(part) - int(row['main_tokens'])) <= .15 * int(row['main_tokens']) for row, part in whole):
            templates.append((first[:before], first[behind:]))
        for row, part in whole:
            if abs(words(part) - int(row['main_tokens'])) <= .05 * int(row['main_tokens']):
                articles[row['content']] = part
            sentences += [s.strip() for s in re.split(r'(?<=[.!?])\s+', row['main_text']) if len(s.split()) > 6]
    return templates, [articles[key] for key in sorted(articles)], sorted(set(sentences))


def record(url, text, number):
    block = b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n' + text.encode()
    name = '<urn:uuid:%s>' % uuid.uuid5(uuid.NAMESPACE_URL, '%s %d' % (url, number))
    head = ('WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Record-ID: %s\r\n'
            'Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n' % (url, name, len(block)))
    return name, gzip.compress(head.encode() + block + b'\r\n\r\n', mtime=0)


def compose(shared, folder, few):
    rng = random.Random(16)
    templates, articles, sentences = take_apart(shared)
    rng.shuffle(templates)
    rng.shuffle(articles)
    print('%d templates, %d articles, %d sentences' % (len(templates), len(articles), len(sentences)))
    crawl, pairs, template_at, article_at = [], [], 0, 0
    for size, count, mirrored in SIZES:
        count = max(2, count // 4 * 2) if few else count
        carriers = {}
        for site in range(count):
            is_redesigned = site % 4 >= 2 and size > 2
            family = 'size%d%s' % (size, '-redesigned' if is_redesigned else '')
            looks = [templates[(template_at + i) % len(templates)] for i in range(2 if is_redesigned else 1)]
            template_at += len(looks)
            # Two neighbours carry the same articles, on pages spread over both halves.
            shared_at = {i * size // mirrored: (article_at + site // 2 * mirrored + i) % len(articles) for i in range(mirrored)}
            names = []
            for i in range(size):
                look = looks[i * len(looks) // size]
                if i in shared_at:
                    body = articles[shared_at[i]]
                else:
                    picked = rng.sample(sentences, 12)
                    body = ''.join('<p>%s</p>' % html.escape(' '.join(picked[j:j + 3])) for j in range(0, 12, 3))
                url = 'http://www.site%d-%d.example/page/%d' % (size, site, i)
                text = '<!DOCTYPE html><html><head><title>Page %d</title></head>%s%s%s' % (i, look[0], body, look[1])
                name, bytes_ = record(url, text, 0)
                crawl.append((site, i, bytes_))
                names.append((name, i * len(looks) // size))
                if rng.random() < .1:
                    crawl.append((site, i + .5, record(url, text, 1)[1]))
                if is_redesigned and i < size // 2:  # second fetch in the new design
                    again = '<!DOCTYPE html><html><head><title>Page %d</title></head>%s%s%s' % (i, looks[1][0], body, looks[1][1])
                    crawl.append((site, size + i, record(url, again, 2)[1]))
                if i in shared_at:
                    carriers.setdefault((site // 2, shared_at[i], family), []).append(name)
            for _ in range(min(40, size)):
                (a, x), (b, y) = rng.sample(names, 2)
                if x == y:
                    pairs.append((a, b, 'distinct', family, 'all', '0'))
        article_at += count // 2 * mirrored
        for (_, _, family), names in sorted(carriers.items()):
            pairs += [(names[0], other, 'dup', family, 'all', '1') for other in names[1:]]
    rng.shuffle(crawl)
    with open(os.path.join(folder, 'pages.warc.gz'), 'wb') as out:
        out.write(b''.join(bytes_ for _, _, bytes_ in crawl))
    with open(os.path.join(folder, 'pairs.tsv'), 'w') as out:
        out.write('record_id_a\trecord_id_b\tlabel\tfamily\tlength\tjaccard\n')
        out.writelines('\t'.join(pair) + '\n' for pair in pairs)


def measure(program, folder):
    worst = 0
    for preset in ('paper', 'modern'):
        for name, options in (('main', []), ('two-pass', ['--two-pass']), ('as they come', ['--sites.path', os.path.join(folder, 'memory-' + preset), '--sites.epoch', '50'])):
            out = os.path.join(folder, 'records.jsonl')
            subprocess.run([program, 'run', '-q', '--minhash', preset, *options, '-O', out, os.path.join(folder, 'pages.warc.gz')], check=True)
            report = subprocess.run([program, 'eval', 'duplicates', '--json', folder, out], check=True, capture_output=True).stdout
            groups = [g for g in json.loads(report)['methods'][0]['groups'] if g['length'] == 'all']
            for label in ('dup', 'distinct'):
                rates = {g['family']: g['rate'] for g in groups if g['label'] == label}
                print('%-7s %-13s %-9s %s' % (preset, name, label, '  '.join('%s %.3f' % item for item in sorted(rates.items()))))
                for family, floor in FLOORS.get(preset, {}).items():
                    if name == 'two-pass' and rates.get(family, 1) < (floor if label == 'dup' else .99):
                        print('FAILED: %s %s below its floor' % (family, label))
                        worst = 1
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('shared')
    parser.add_argument('--out')
    parser.add_argument('--few', action='store_true', help='a quarter of the sites')
    args = parser.parse_args()
    if not os.path.exists(os.path.join(args.shared, 'corpora/duplicates/lyrics-like')):
        print('skipped: no corpora in %s' % args.shared)
        sys.exit(77)
    if args.out:
        os.makedirs(args.out, exist_ok=True)
        compose(args.shared, args.out, args.few)
        return
    with tempfile.TemporaryDirectory() as folder:
        compose(args.shared, folder, args.few)
        sys.exit(measure(args.program, folder))


main()
