"""Exact deduplication by datatrove and by thresher of the same records: lines of the text, texts, and URLs.

usage: dedup_exact.py PROGRAM RECORDS.jsonl...     needs datatrove and xxhash<3.6 from PyPI; prints times, counts and each record that differs

datatrove keeps the first of equal units in the order of its input, thresher the oldest, so the records are sorted by date and id. datatrove's
normalization of lines is off. thresher compares lines without the spaces at both ends.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile
import time

from datatrove.data import Document
from datatrove.pipeline.dedup import SentenceDedupFilter, SentenceDedupSignature, SentenceFindDedups
from datatrove.pipeline.dedup.exact_dedup import ExactDedupConfig, ExactDedupFilter, ExactDedupSignature, ExactFindDedups
from datatrove.pipeline.dedup.sentence_dedup import SentDedupConfig
from datatrove.utils.text import TextNormConfig

PROGRAM = sys.argv[1]
NONE = TextNormConfig(lowercase=False, norm_whitespace=False, remove_punctuation=False, norm_unicode_diacritics=False, norm_numbers=False)


def read(paths):
    records = {}
    for path in paths:
        with open(path) as f:
            for line in f:
                record = json.loads(line)
                if 200 <= record.get('http', {}).get('status', 200) < 300 and record.get('text'):
                    records.setdefault(record['id'], record)
    return sorted(records.values(), key=lambda r: (r.get('date', ''), r['id'].encode()))


def documents(records):
    return iter([Document(text=r['text'], id=r['id'], metadata={'url': r['url'], 'digest': r['digest']['text']}) for r in records])


def dropped(path, *options):
    """The ids that thresher drops, and the seconds."""
    begun = time.monotonic()
    run = subprocess.run([PROGRAM, 'dedup', '-q', '--output', 'drop', *options, path], capture_output=True, text=True, check=True)
    return run.stdout.splitlines(), time.monotonic() - begun


def report(claim, units, removed, differ, theirs, ours):
    print('%-10s %6d units, thresher drops %d, %d records differ; datatrove %.2f s, thresher %.2f s' % (claim, units, removed, len(differ), theirs, ours))
    for line in differ[:10]:
        print('   ', line)


def compare_lines(records, path, folder):
    config = SentDedupConfig(n_sentences=1, split_sentences=False, only_dedup_in_index=True, min_doc_words=0, min_num_sentences=0, norm_config=NONE)
    begun = time.monotonic()
    SentenceDedupSignature(folder + '/sig', finder_workers=1, config=config).run(documents(records), 0, 1)
    SentenceFindDedups(folder + '/sig', folder + '/found', config=config).run(None, 0, 1)
    kept = {d.id: d.text for d in SentenceDedupFilter(folder + '/found', config=config).run(documents(records), 0, 1)}
    theirs = time.monotonic() - begun
    lines, ours = dropped(path, '--unit', 'paragraph')
    drop = collections.defaultdict(set)
    for line in lines:
        name, number = line.rsplit('#', 1)
        drop[name].add(int(number))
    differ, units = [], 0
    for record in records:
        text = [line.strip() for line in record['text'].split('\n')]
        units += len([line for line in text if line])
        mine = [line for number, line in enumerate(text) if line and number not in drop[record['id']]]
        other = [line.strip() for line in kept.get(record['id'], '').split('\n') if line.strip()]
        if mine != other:
            differ.append((record['id'], 'only thresher keeps', [x for x in mine if x not in other][:2], 'only datatrove', [x for x in other if x not in mine][:2]))
    report('lines', units, len(lines), differ, theirs, ours)


def compare_records(claim, key, option, records, path, folder):
    config = ExactDedupConfig(content_getter=lambda document: document.metadata[key])
    begun = time.monotonic()
    ExactDedupSignature(folder + '/sig', config=config).run(documents(records), 0, 1)
    ExactFindDedups(folder + '/sig', folder + '/found', config=config).run(None, 0, 1)
    kept = {d.id for d in ExactDedupFilter(folder + '/found', config=config).run(documents(records), 0, 1)}
    theirs = time.monotonic() - begun
    drop, ours = dropped(path, '--by', option)
    every = {r['id'] for r in records}
    report(claim, len(records), len(drop), sorted((every - set(drop)) ^ kept), theirs, ours)


if __name__ == '__main__':
    records = [r for r in read(sys.argv[2:]) if 'text' in r.get('digest', {})]
    with tempfile.TemporaryDirectory() as folder:
        path = folder + '/records.jsonl'
        with open(path, 'w') as out:
            out.writelines(json.dumps(r) + '\n' for r in records)
        for part in ('lines', 'text', 'url'):
            os.mkdir(folder + '/' + part)
        compare_lines(records, path, folder + '/lines')
        compare_records('texts', 'digest', 'text', records, path, folder + '/text')
        compare_records('URLs', 'url', 'url', records, path, folder + '/url')
