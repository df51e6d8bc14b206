"""datatrove's pipeline from WARC to JSONL three ways, side by side: its own reader with trafilatura, its own reader with thresher's
extractor, and thresher's reader. Documents, words F1 and seconds.

    python3 compare_datatrove.py PAGES.jsonl.gz ARCHIVE.warc.gz     with datatrove[io,processing], trafilatura and the package installed

PAGES: a corpus of `thresher eval extraction` (docs/eval.md); ARCHIVE: its pages as responses, whose record ids are UUIDs of the pages' ids.
A page without document counts as an empty text. Seconds are of processor time, of the process and its children.
"""
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
from datatrove.pipeline.extractors import Trafilatura
from datatrove.pipeline.readers import WarcReader
from datatrove.pipeline.writers import JsonlWriter
from thresher.datatrove import Extractor, WarcReader as ThresherReader


def spent():
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def main():
    pages, archive = map(os.path.abspath, sys.argv[1:3])
    folder, pattern = os.path.dirname(archive), os.path.basename(archive)
    with gzip.open(pages, 'rt', encoding='utf-8') as lines:
        ids = [json.loads(line)['id'] for line in lines]
    page_of = {'<urn:uuid:%s>' % uuid.uuid5(uuid.NAMESPACE_URL, name): name for name in ids}
    ways = (('datatrove WarcReader + Trafilatura', lambda: [WarcReader(folder, glob_pattern=pattern), Trafilatura(timeout=60)]),
            ('datatrove WarcReader + thresher Extractor', lambda: [WarcReader(folder, glob_pattern=pattern), Extractor(timeout=60)]),
            ('thresher WarcReader', lambda: [ThresherReader(folder, glob_pattern=pattern)]))
    with tempfile.TemporaryDirectory() as work:
        outputs = os.path.join(work, 'corpus', 'peer-outputs')
        os.makedirs(outputs)
        os.symlink(pages, os.path.join(work, 'corpus', 'pages.jsonl.gz'))
        rows = []
        for number, (name, steps) in enumerate(ways):
            out = os.path.join(work, 'out%d' % number)
            before = spent()
            LocalPipelineExecutor(steps() + [JsonlWriter(out, compression=None)], tasks=1, logging_dir=os.path.join(work, 'log%d' % number)).run()
            seconds = spent() - before
            with open(os.path.join(out, '00000.jsonl'), encoding='utf-8') as lines:
                texts = {page_of[row['id']]: row['text'] for row in map(json.loads, lines)}
            with gzip.open(os.path.join(outputs, 'way%d.jsonl.gz' % number), 'wt', encoding='utf-8') as peer:
                for page in ids:
                    peer.write(json.dumps({'id': page, 'text': texts.get(page, '')}) + '\n')
            rows.append((name, len(texts), seconds))
        report = json.loads(subprocess.run([thresher.program(), 'eval', 'extraction', '-q', '--json', '--resamples', '0',
                                            os.path.join(work, 'corpus')], check=True, stdout=subprocess.PIPE).stdout)
    f1 = {method['peer']: method['words']['f1'] for method in report['corpora'][0]['methods'] if 'peer' in method}
    print('| %d pages | documents | words F1 | seconds |\n|---|---|---|---|' % len(ids))
    for number, (name, documents, seconds) in enumerate(rows):
        print('| %s | %d | %.3f | %.1f |' % (name, documents, f1['way%d' % number], seconds))


main()
