#!/usr/bin/env python3
"""Prints the statements about rights in archives as a table (docs/measurements/rights.md), and compares them with a search of the raw records, by hand.

usage: rights_found.py THRESHER ARCHIVE...      the comparison needs: pip install warcio
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

# Words that are in the raw bytes of each page with a statement.
RAW = (('http', rb'^(x-robots-tag|tdm-reservation|tdm-policy|content-usage):'), ('meta', rb'<meta[^>]+name\s*=\s*["\']?(robots|googlebot|bingbot|tdm-)'),
       ('link, a', rb'<(a|link)[^>]+rel\s*=\s*("[^"]*\blicense\b|\'[^\']*\blicense\b|license\b)'))


def found(program, archives, options):
    rows = subprocess.run([program, 'run', '-q', '-m', 'none', '-k', 'num-words', '--emit', 'rights', *options, *archives], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return [json.loads(row) for row in rows.splitlines()]


def table(pages):
    pages_of, archives_of, values = collections.Counter(), collections.defaultdict(set), collections.defaultdict(collections.Counter)
    for page in pages:
        for key in {(right['signal'], right['from']) for right in page['rights']}:
            pages_of[key] += 1
            archives_of[key].add(page['source']['file'])
        for right in page['rights']:
            values[right['signal'], right['from']][right['value']] += 1
    print('| signal | from | pages | archives | values |\n| --- | --- | ---: | ---: | --- |')
    for key, count in sorted(pages_of.items(), key=lambda row: (-row[1], row[0])):
        print('| `%s` | `%s` | %d | %d | %s |' % (*key, count, len(archives_of[key]), ', '.join('`%s` %d' % row for row in values[key].most_common(6))))


def compare(pages):
    from warcio.archiveiterator import ArchiveIterator
    kinds = {'http': ('http',), 'meta': ('meta',), 'link, a': ('link', 'a')}
    raw, unread = {name: set() for name in kinds}, []
    for path in sorted({page['source']['file'] for page in pages}):
        emitted, mine = {page.get('id') for page in pages if page['source']['file'] == path}, []
        try:
            with open(path, 'rb') as file:
                for record in ArchiveIterator(file, arc2warc=True):
                    name = record.rec_headers.get_header('WARC-Record-ID')
                    head = b'\n'.join(('%s: %s' % pair).encode('utf-8', 'replace') for pair in record.http_headers.headers) if record.http_headers else b''
                    body = record.content_stream().read()
                    mine += [(kind, (path, name)) for kind, pattern in RAW if name in emitted and re.search(pattern, head if kind == 'http' else body, re.I | re.M)]
        except Exception:  # of many types: warcio cannot read the archive
            unread.append(path)
            continue
        for kind, name in mine:
            raw[kind].add(name)
    print('%d archives that warcio cannot read are not compared' % len(unread))
    pages = [page for page in pages if page['source']['file'] not in unread]
    for kind, sources in kinds.items():
        found_in = {(page['source']['file'], page.get('id')) for page in pages if any(right['from'] in sources for right in page['rights'])}
        print('%s: %d pages by thresher, %d by the search; only thresher %s, only the search %s'
              % (kind, len(found_in), len(raw[kind]), sorted(found_in - raw[kind]), sorted(raw[kind] - found_in)))


def main():
    program, archives = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        rules = os.path.join(folder, 'rules.jsonl')
        built = subprocess.run([program, 'robots', 'build', '-O', rules, *archives], stderr=subprocess.PIPE, text=True)
        print(built.stderr.strip().splitlines()[-1])
        for line in subprocess.run([program, 'robots', 'show', rules], stdout=subprocess.PIPE, text=True).stdout.splitlines():
            host = json.loads(line)
            for kind in ('robots', 'tdmrep'):
                if kind in host:
                    print('%s: %s, status %s, %d rules' % (host['host'], kind, host[kind].get('status'), len(host[kind].get('rules') or '') and str(host[kind]['rules']).count('\n')))
        pages = found(program, archives, ['--robots', rules])
        print('%d pages, %d with statements' % (len(pages), sum(bool(page['rights']) for page in pages)))
        table(pages)
        compare(pages)


if __name__ == '__main__':
    main()
