"""State, index, sites and model files that commit c42d3f8 wrote are read, or refused with an error that names the remedy.

usage: upgrade.py PROGRAM
tests/data/version_c42d3f8 has the files. A build of c42d3f8 wrote them from samples/news.warc.gz:
    thresher run -O news.jsonl SAMPLE; thresher sites build -O news.sites SAMPLE; thresher run --index.path index -O x.jsonl SAMPLE
"""
import json
import os
import shutil
import tempfile

from case import expect, expect_true, thresher

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, '..', '..', 'samples', 'news.warc.gz')
OLD = os.path.join(HERE, '..', 'data', 'version_c42d3f8')
folder = os.path.join(tempfile.mkdtemp(), 'old')
shutil.copytree(OLD, folder)
os.chmod(folder, 0o755)


def at(name):
    return os.path.join(folder, name)


run = thresher('run', '-q', '--resume', '-O', at('news.jsonl'), SAMPLE)
expect('a state file is refused', run.returncode, 2)
expect_true('with the remedy', b'Finish the run with the version that began it, or remove the file' in run.stderr, run.stderr)
expect('the remedy works', thresher('run', '-q', '-O', at('news.jsonl'), SAMPLE).returncode, 0)

os.mkdir(at('parts'))
shutil.copy(os.path.join(OLD, 'news.jsonl.state'), at('parts/news.jsonl.done'))  # a marker is a state
run = thresher('run', '-q', '--shard', '0/1', '-O', at('parts/'), SAMPLE)
expect('a marker of a shard is refused', (run.returncode, b'parts/news.jsonl.done' in run.stderr and b'or remove the file' in run.stderr), (2, True))

run = thresher('run', '-q', '--sites', at('news.sites'), SAMPLE)
expect('a sites file is read', run.returncode, 0)
rows = [json.loads(line) for line in run.stdout.splitlines()]
expect_true('its counts are used', any(row.get('site', {}).get('pages', 0) > 1 or 'site_pages' in row for row in rows), rows[0].keys())

run = thresher('run', '-q', '--index.path', at('index'), SAMPLE)
rows = [json.loads(line) for line in run.stdout.splitlines()]
expect('an index is read', run.returncode, 0)
expect_true('earlier pages are found', sum('near_duplicate' in row for row in rows) >= 10)

run = thresher('run', '-q', '--segmenter', 'boundary-graph', '--segmenter-model', at('boundary-graph.model'), SAMPLE)
expect('a model of a segmenter is read', run.returncode, 0)
expect_true('and used', b'boundary-graph model=' in run.stdout)
