#!/usr/bin/env python3
"""Compares `emit = structured` with extruct (PyPI) on the pages of the extraction corpora, and prints a table for docs/measurements/structured.md.

usage: structured_extruct.py THRESHER SHARED [CORPUS...] [--show SYNTAX] [--first N]
       --show SYNTAX: prints the statements of this syntax that only one program finds

Both read the same document: the page as thresher has decoded it. A statement is a property with its value. The value of a nested item is the word REF, because the programs name
items by different rules. Texts are compared without whitespace, because extruct lays them out in lines. Without extruct or the corpora the test is left out (77).
"""
import argparse
import collections
import json
import logging
import os
import re
import sys
import tempfile
from urllib.parse import unquote, urljoin

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'quality'))
import corpora  # noqa: E402

if len(sys.argv) > 2 and not corpora.names(sys.argv[2]):
    print('skipped: the corpora are not part of the repository')
    sys.exit(77)
try:
    from extruct.jsonld import JsonLdExtractor
    from extruct.opengraph import _OG_NAMESPACES, OpenGraphExtractor
    from extruct.rdfa import RDFaExtractor
    from extruct.utils import parse_html, parse_xmldom_html
    from extruct.w3cmicrodata import MicrodataExtractor
except ImportError:
    print('skipped: extruct is missing')
    sys.exit(77)

CARDS = re.compile(r'(https?://(www\.)?ogp\.me/|https?://ogp\.me|http://opengraphprotocol\.org|https?://(www\.)?facebook\.com/|https?://www\.w3\.org/1999/xhtml/vocab#role$|http://www\.w3\.org/ns/rdfa#usesVocabulary)')
CARD_PREFIX = re.compile(r'(og|article|book|profile|video|music|fb|product|twitter|al|place):')


def plain(text):
    """A value without whitespace, and a URL without percent-encoding."""
    text = unquote(re.sub(r'[\s\x00-\x1f\x7f-\xa0\u200b\u2060\ufeff]+', '', str(text)))
    return text.rstrip('#').rstrip('/') if '://' in text[:8] else text


def json_ld_of(record):
    items = []
    for text in record.get('json_ld', []):
        value = json.loads(text)
        items += value if isinstance(value, list) else [value]
    return [json.dumps(item, sort_keys=True) for item in items if item]


def json_ld_by_extruct(tree, url):
    """By SCRIPT, because extruct refuses all of a page with one bad SCRIPT."""
    found = []
    extractor = JsonLdExtractor()
    for node in extractor._xp_jsonld(tree):
        try:
            for item in extractor._extract_items(node):
                if item:
                    found.append(json.dumps(item, sort_keys=True))
        except ValueError:
            pass  # not JSON, or in CDATA
    return found


def squeezed(values):
    return collections.Counter(re.sub(r'(\\[nrtbf]|\\u00[01].|\s)+', '', value) for value in values)


def statements_of(rows):
    return collections.Counter((row['property'], 'REF' if row.get('ref', '-').startswith('_:') else plain(row.get('ref', row.get('value', '')))) for row in rows)


def microdata_by_extruct(tree, url):
    found = collections.Counter()
    for item in MicrodataExtractor(nested=False, strict=True).extract_items(tree, base_url=url):
        for kind in item.get('type', []):
            found[('@type', plain(kind))] += 1
        for name, values in item.get('properties', {}).items():
            for value in values:
                found[(name, 'REF' if isinstance(value, dict) else plain(value))] += 1
    return found


def opengraph_by_extruct(tree, url):
    return collections.Counter((name.strip(), plain(value)) for found in OpenGraphExtractor().extract_items(tree) for name, value in found['properties'] if name.partition(':')[0] in _OG_NAMESPACES)


def rdfa_by_extruct(html, url):
    found = set()
    for node in RDFaExtractor().extract_items(parse_xmldom_html(html.encode('utf-8'), encoding='utf-8'), base_url=url, expanded=True):
        for name, values in node.items():
            if name == '@id' or CARDS.match(name) or CARD_PREFIX.match(name):
                continue
            for value in values if isinstance(values, list) else [values]:
                if isinstance(value, dict):
                    value = value.get('@id', value.get('@value', ''))
                value = str(value)
                found.add((name, 'REF' if value.startswith('_:') else plain(value)))
    return collections.Counter(found)


def compare(name, record, html, tree, url):
    """Returns what both find, and each alone."""
    if name == 'JSON-LD':
        ours, theirs = squeezed(json_ld_of(record)), squeezed(json_ld_by_extruct(tree, url))
    elif name == 'microdata':
        ours, theirs = statements_of([row if 'ref' not in row else {**row, 'ref': '_:'} for row in record.get('microdata', [])]), microdata_by_extruct(tree, url)
    elif name == 'OpenGraph':
        theirs = opengraph_by_extruct(tree, url)
        ours = collections.Counter((row['property'], plain(row['value'])) for row in record.get('opengraph', []) if row['property'].partition(':')[0] in _OG_NAMESPACES)
    else:
        ours = collections.Counter({row: 1 for row in statements_of(record.get('rdfa', [])) if not CARDS.match(row[0])})
        theirs = rdfa_by_extruct(html, url)
    return ours, theirs


def is_wanted(name, record, html):
    if name == 'JSON-LD':
        return 'ld+json' in html
    if name == 'microdata':
        return 'itemscope' in html
    if name == 'OpenGraph':
        return 'og:' in html
    return re.search(r'\b(typeof|vocab|about)\s*=|<(?!meta)[a-z0-9]+\s[^>]*\bproperty\s*=', html, re.I) is not None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('shared')
    parser.add_argument('corpus', nargs='*')
    parser.add_argument('--show')
    parser.add_argument('--first', type=int)
    arguments = parser.parse_args()
    names = arguments.corpus or corpora.names(arguments.shared)
    logging.disable(logging.CRITICAL)
    syntaxes = [arguments.show] if arguments.show else ['JSON-LD', 'microdata', 'OpenGraph', 'RDFa']
    pages, same = collections.Counter(), collections.Counter()
    both, ours_only, theirs_only = collections.Counter(), collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for corpus in names:
            path, ids = corpora.archive(arguments.shared, corpus, folder, arguments.first)
            for number, line in zip(ids, corpora.records(arguments.program, path, '--emit', 'structured,html')):
                html, url, record = line['html'], line.get('url', ''), line.get('structured', {})
                wanted = [name for name in syntaxes if is_wanted(name, record, html)]
                if not wanted:
                    continue
                tree = parse_html(html.encode('utf-8'), encoding='utf-8')
                base = tree.xpath('//base/@href')
                for name in wanted:
                    try:
                        ours, theirs = compare(name, record, html, tree, urljoin(url, base[0].strip()) if base else url)
                    except Exception:  # extruct stops at the page
                        pages[name + ': extruct fails'] += 1
                        continue
                    if not ours and not theirs:
                        continue
                    pages[name] += 1
                    same[name] += ours == theirs
                    both[name] += sum((ours & theirs).values())
                    ours_only[name] += sum((ours - theirs).values())
                    theirs_only[name] += sum((theirs - ours).values())
                    if arguments.show:
                        for mark, rows in (('+', ours - theirs), ('-', theirs - ours)):
                            for row, count in sorted(rows.items()):
                                print(number, mark, count, str(row)[:300])
    print('| syntax | pages | equal pages | statements of both | only thresher | only extruct | extruct fails |\n|---|---|---|---|---|---|---|')
    for name in syntaxes:
        print('| %s | %d | %d | %d | %d | %d | %d |' % (name, pages[name], same[name], both[name], ours_only[name], theirs_only[name], pages[name + ': extruct fails']))
    bad = [name for name in syntaxes if both[name] < .9 * (both[name] + theirs_only[name])]
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
