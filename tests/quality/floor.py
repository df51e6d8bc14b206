"""Words F1 of the default classifier on a corpus must not fall under its floor. Floors only rise.

usage: floor.py PROGRAM SHARED CORPUS       exit 77 where the corpora are absent
"""
import json
import os
import subprocess
import sys
import tempfile

FLOORS = {'l3s-gn1': 0.90, 'wcxb-dev': 0.66, 'zh-content': 0.74}

program, shared, corpus = sys.argv[1:]
pages = os.path.join(shared, 'corpora', 'extraction', corpus, 'pages.jsonl.gz')
tools = os.path.join(shared, 'tools')
if not os.path.exists(pages):
    print('skipped: no %s: the corpora are not part of the repository' % pages)
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    archive, predictions, figures = (os.path.join(folder, name) for name in ('a.warc.gz', 'p.jsonl', 'f.json'))
    subprocess.run([sys.executable, os.path.join(tools, 'pages_to_warc.py'), pages, archive], check=True)
    run = subprocess.run([program, 'run', '-q', archive], stdout=subprocess.PIPE, check=True)
    with open(predictions, 'wb') as out:
        subprocess.run([sys.executable, os.path.join(tools, 'predictions_from_records.py'), pages],
                       input=run.stdout, stdout=out, check=True)
    subprocess.run([sys.executable, os.path.join(tools, 'score_extraction.py'), pages, predictions, '--json', figures], check=True)
    with open(figures) as f:
        scores = json.load(f)
f1 = scores['totals']['all']['p']['words']['F1']
print('%s: words F1 %.4f, floor %.2f' % (corpus, f1, FLOORS[corpus]))
sys.exit(0 if f1 >= FLOORS[corpus] else 1)
