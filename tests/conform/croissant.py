"""The description of `summary --croissant` is valid for mlcroissant, which reads the records by it.

usage: croissant.py PROGRAM
Skipped without mlcroissant (pip install mlcroissant).
"""
import os
import subprocess
import sys
import tempfile

try:
    import mlcroissant
except ImportError:
    print('skipped: mlcroissant is not installed')
    sys.exit(77)

SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'samples', 'news.warc.gz')
folder = tempfile.mkdtemp()
for name, form in (('news.jsonl', 'jsonl'), ('news.parquet', 'parquet'), ('news.wet', 'wet')):
    subprocess.run([sys.argv[1], 'run', '-q', '-f', form, '-O', os.path.join(folder, name), SAMPLE], check=True)
path = os.path.join(folder, 'croissant.json')
with open(path, 'wb') as out:
    subprocess.run([sys.argv[1], 'summary', '--croissant', '--name', 'news', '--license', 'https://creativecommons.org/publicdomain/mark/1.0/',
                    '--url', 'https://example.org/news', '--date', '2026-11-28', '--creator', 'thresher', folder], stdout=out, check=True)
data = mlcroissant.Dataset(jsonld=path)  # raises if there is an error
issues = data.metadata.ctx.issues
assert not issues.errors, issues.errors
print('valid; recommendations:', sorted(issues.warnings))
assert [s.id for s in data.metadata.record_sets] == ['records/news.jsonl', 'records/news.parquet'], data.metadata.record_sets
assert len(data.metadata.distribution) == 3 and data.metadata.data_collection, 'files, and RAI'
for one in data.metadata.record_sets:
    rows = list(data.records(one.id))
    assert len(rows) == 46, (one.id, len(rows))
    assert all(one.id + '/text' in row or 'text' in row for row in rows), rows[0]
    print('ok:', one.id, len(rows), 'records')
