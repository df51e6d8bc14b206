"""Tests the content of the formats of other tools, with the rules of these tools.

* Dolma's attributes, by its data format: one line per document, in the same order, with the same id. Names are experiment__tagger__name.
  Spans are [start, end, score] in code points, within the text. Spans of paragraphs are in order and contain complete paragraphs.
* fineweb is read by datatrove's JsonlReader, WET by warcio, where they are installed (PyPI).
* hplt has warc2text's keys, and the offset and size of the record.
"""
import json
import os
import re
import sys
import tempfile

from case import expect, expect_true, thresher

SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'samples', 'news.warc.gz')
NAME = re.compile(r'thresher__(paragraph__score|quality__expected|page_type__[a-z]+|language__[A-Za-z-]+)$')


def lines(*args):
    return [json.loads(line) for line in thresher('run', '-q', '-m', 'none', *args, SAMPLE).stdout.splitlines()]


def faults(document, attributes):
    text, kept = document['text'], []
    if (attributes['id'], attributes['source']) != (document['id'], document['source']):
        yield 'it is of another document'
    for name, spans in attributes['attributes'].items():
        if not NAME.match(name):
            yield name
        for span in spans:
            if len(span) != 3 or not 0 <= span[0] <= span[1] <= len(text) or not 0 <= span[2] <= 1:
                yield '%s: %r' % (name, span)
        if name.startswith('thresher__paragraph'):
            kept = spans
        elif [span[:2] for span in spans] != [[0, len(text)]]:
            yield '%s is not of the whole text' % name
    for before, after in zip(kept, kept[1:]):
        if before[1] >= after[0] or '\n' in text[before[0]:before[1]].strip() != text[before[0]:before[1]]:
            yield 'paragraphs %r, %r' % (before, after)
    # Only line ends, tabs and list marks are between the paragraphs.
    at, between = 0, ''
    for start, end, _ in kept:
        between += text[at:start]
        at = end
    if kept and re.sub(r'^[ \t]*(-|\d+\.)? ?|[ \t]', '', between + text[at:], flags=re.M).strip():
        yield 'text is in no paragraph: %r' % between


documents, attributes, records = lines('-f', 'dolma'), lines('-f', 'dolma-attributes'), lines('--filter.status', '2xx')
expect_true('there are documents beyond ASCII', any(len(row['text']) != len(row['text'].encode()) for row in documents))
expect('a line of attributes for each document', len(attributes), len(documents))
for document, row in zip(documents, attributes):
    expect('dolma %s' % document['id'], list(faults(document, row)), [])
expect_true('the judge sees a wrong span', list(faults(documents[0], dict(attributes[0], attributes={'thresher__paragraph__score': [[0, 10 ** 9, 1]]}))))
expect('markdown has no spans', thresher('run', '-f', 'dolma-attributes', '--text-format', 'markdown', SAMPLE).returncode, 2)

for row, record in zip(lines('-f', 'hplt'), records):
    source = record['source']
    expect('hplt %s' % row['u'], (row['f'], row['o'], row['s'], row['ps'], row['u'], row['ts'], row['p'], row['de']),
           (source['file'], source['offset'], source['length'], len(record['text'].encode()), record['url'], record['date'], record['text'],
            record['http']['charset']))
    expect('hplt has no other keys', set(row) - set('f o s ps l u c ts de p'.split()), set())

if sys.argv[2:] != ['readers']:
    sys.exit()
missing = []
with tempfile.TemporaryDirectory() as folder:
    fineweb, wet = os.path.join(folder, 'a.jsonl.gz'), os.path.join(folder, 'a.warc.wet.gz')
    thresher('run', '-q', '-f', 'fineweb', '-O', fineweb, SAMPLE)
    thresher('run', '-q', '-f', 'wet', '-O', wet, SAMPLE)
    try:
        from datatrove.pipeline.readers import JsonlReader
        read = list(JsonlReader(folder, glob_pattern='*.jsonl.gz').run())
        full = [record for record in records if record['text']] # the reader passes over empty texts
        expect('datatrove reads fineweb', [(row.text, row.id, row.metadata['url'], row.metadata['date']) for row in read],
               [(row['text'], row['id'], row['url'], row['date']) for row in full])
        expect('with languages', [row.metadata.get('language') for row in read],
               [(row['language_detected']['name'] if row.get('language_detected', {}).get('sure') else row.get('language', 'x')).split('-')[0]
                .replace('x', '') or None for row in full])
    except ImportError:
        missing.append('datatrove')
    try:
        from warcio.archiveiterator import ArchiveIterator
        with open(wet, 'rb') as f:
            read = {record.rec_headers.get_header('WARC-Refers-To'): (record.rec_headers.get_header('WARC-Identified-Content-Language'),
                                                                      record.content_stream().read().decode())
                    for record in ArchiveIterator(f) if record.rec_type == 'conversion'}
        for record in records:
            if not record['text']:
                continue
            languages, text = read[record['id']]
            found = record.get('language_detected')
            expect('WET %s' % record['url'], languages, ','.join(one['iso'] for one in [found, *found.get('others', [])]) if found else None)
            expect_true('WET has the text', text.endswith(record['text']))
    except ImportError:
        missing.append('warcio')
if missing:
    print('skipped: not installed, and its reader not tried: %s' % ', '.join(missing))
    sys.exit(77)
