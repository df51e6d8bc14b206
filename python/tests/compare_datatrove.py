"""datatrove's pipeline from WARC to JSONL in three ways: its own reader with trafilatura, its own reader with thresher's
extractor, and thresher's reader; then FineWeb's filters and datatrove's four stages of MinHash on the documents of each. Documents, words
F1 and seconds.

    python3 compare_datatrove.py PAGES.jsonl.gz     with datatrove[io,processing], spacy, trafilatura and the package installed
    python3 compare_datatrove.py ARCHIVE.warc.gz    pages without gold: no words F1

PAGES: a corpus of `thresher eval extraction` (docs/eval.md), whose pages become responses of an archive. The filters are the FineWeb filters
without models and lists: repetition and quality (Gopher), C4 and FineWeb, with the defaults of datatrove, except C4's terminal punctuation,
as in FineWeb. A page without a document counts as an empty text. Seconds are CPU time of the process and its children, up to JSONL.
"""
import base64
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import uuid

import thresher
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.pipeline.extractors import Trafilatura
from datatrove.pipeline.filters import C4QualityFilter, FineWebQualityFilter, GopherQualityFilter, GopherRepetitionFilter
from datatrove.pipeline.readers import JsonlReader, WarcReader
from datatrove.pipeline.writers import JsonlWriter
from thresher.datatrove import Extractor, WarcReader as ThresherReader


def spent():
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def record_id(page):
    return '<urn:uuid:%s>' % uuid.uuid5(uuid.NAMESPACE_URL, page)


def write_archive(pages, path):
    """The pages of a corpus as responses, a gzip member each. @return their ids"""
    ids = []
    with gzip.open(pages, 'rt', encoding='utf-8') as lines, open(path, 'wb') as archive:
        for page in map(json.loads, lines):
            body = base64.b64decode(page['html_b64'])
            charset = page.get('charset') or page.get('encoding')
            head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html%s\r\n\r\n' % ('; charset=' + charset if charset else '')
            block = head.encode() + body
            fields = (('WARC-Type', 'response'), ('WARC-Record-ID', record_id(page['id'])), ('WARC-Date', '2025-01-01T00:00:00Z'),
                      ('WARC-Target-URI', page.get('url') or 'http://page.example/' + page['id']),
                      ('Content-Type', 'application/http; msgtype=response'), ('Content-Length', len(block)))
            text = 'WARC/1.0\r\n' + ''.join('%s: %s\r\n' % field for field in fields) + '\r\n'
            archive.write(gzip.compress(text.encode() + block + b'\r\n\r\n', mtime=0))
            ids.append(page['id'])
    return ids


def run(logs, *steps):
    LocalPipelineExecutor(list(steps), tasks=1, logging_dir=logs).run()


def rows_of(folder):
    path = os.path.join(folder, '00000.jsonl')
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8') as lines:
        return [json.loads(line) for line in lines]


def filtered_and_deduplicated(documents, work):
    """How many documents FineWeb's filters leave of those in a folder, and how many of these MinHash."""
    kept, logs = os.path.join(work, 'kept'), os.path.join(work, 'log-%d')
    run(logs % 0, JsonlReader(documents), GopherRepetitionFilter(), GopherQualityFilter(), C4QualityFilter(filter_no_terminal_punct=False),
        FineWebQualityFilter(), JsonlWriter(kept, compression=None))
    config = MinhashConfig()
    folders = [os.path.join(work, name) for name in ('signatures', 'buckets', 'removed', 'last')]
    run(logs % 1, JsonlReader(kept), MinhashDedupSignature(folders[0], config=config))
    for bucket in range(config.num_buckets):
        MinhashDedupBuckets(folders[0], folders[1], config=config).run(rank=bucket, world_size=config.num_buckets)
    run(logs % 2, MinhashDedupCluster(folders[1], folders[2], config=config))
    run(logs % 3, JsonlReader(kept), MinhashDedupFilter(folders[2]), JsonlWriter(folders[3], compression=None))
    return len(rows_of(kept)), len(rows_of(folders[3]))


def words_f1(pages, ids, outputs, corpus):
    """Scores the texts of each pipeline with `thresher eval extraction`."""
    os.makedirs(os.path.join(corpus, 'peer-outputs'))
    os.symlink(pages, os.path.join(corpus, 'pages.jsonl.gz'))
    for number, texts in enumerate(outputs):
        with gzip.open(os.path.join(corpus, 'peer-outputs', 'way%d.jsonl.gz' % number), 'wt', encoding='utf-8') as peer:
            for page in ids:
                peer.write(json.dumps({'id': page, 'text': texts.get(record_id(page), '')}) + '\n')
    report = json.loads(subprocess.run([thresher.program(), 'eval', 'extraction', '-q', '--json', '--resamples', '0', corpus], check=True,
                                       stdout=subprocess.PIPE).stdout)
    f1 = {method['peer']: method['words']['f1'] for method in report['corpora'][0]['methods'] if 'peer' in method}
    return ['%.3f' % f1['way%d' % number] for number in range(len(outputs))]


def main():
    path = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        folder, pattern, ids = os.path.dirname(path), os.path.basename(path), None
        if '.jsonl' in pattern:
            folder, pattern = os.path.join(work, 'crawl'), 'pages.warc.gz'
            os.mkdir(folder)
            ids = write_archive(path, os.path.join(folder, pattern))
        ways = (("datatrove's WarcReader, Trafilatura", lambda: [WarcReader(folder, glob_pattern=pattern), Trafilatura(timeout=60)]),
                ("datatrove's WarcReader, thresher's Extractor", lambda: [WarcReader(folder, glob_pattern=pattern), Extractor(timeout=60)]),
                ("thresher's WarcReader", lambda: [ThresherReader(folder, glob_pattern=pattern)]))
        rows, outputs = [], []
        for number, (name, steps) in enumerate(ways):
            place = os.path.join(work, 'way%d' % number)
            before = spent()
            run(os.path.join(place, 'log'), *steps(), JsonlWriter(os.path.join(place, 'out'), compression=None))
            seconds = spent() - before
            outputs.append({row['id']: row['text'] for row in rows_of(os.path.join(place, 'out'))})
            rows.append((name, len(outputs[-1]), *filtered_and_deduplicated(os.path.join(place, 'out'), place), seconds))
        f1 = words_f1(path, ids, outputs, os.path.join(work, 'corpus')) if ids else ['-'] * len(ways)
    print('| | documents | words F1 | seconds | behind the filters | behind MinHash |\n|---|---|---|---|---|---|')
    for (name, documents, kept, unique, seconds), score in zip(rows, f1):
        print('| %s | %d | %s | %.1f | %d | %d |' % (name, documents, score, seconds, kept, unique))


main()
