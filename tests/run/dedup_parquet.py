"""`dedup -f parquet` has the values of the JSON lines for clusters, pairs and drop, with statistics and metadata. The stages give the same.

With the argument `values`, a reader compares the values (exit 77 if none is installed).
"""
import json
import os
import random
import subprocess
import sys
import tempfile

from case import contents, exists, expect, expect_true, thresher

SLOTS = 128
COMPARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'parquet', 'compare.py')
LOOK = """
import json, sys
import pyarrow.parquet
file = pyarrow.parquet.ParquetFile(sys.argv[1])
column = file.metadata.row_group(0).column(0) if file.num_row_groups else None
ids = file.read(columns=[column.path_in_schema]).to_pylist() if column else []
def value(row):
    while isinstance(row, dict):
        row = next(iter(row.values()))
    return row
groups = [file.metadata.row_group(i).column(0).statistics for i in range(file.num_row_groups)]
print(json.dumps({'metadata': {k.decode(): v.decode() for k, v in (file.metadata.metadata or {}).items()}, 'by': file.metadata.created_by,
                  'groups': file.num_row_groups, 'rows': file.metadata.num_rows, 'nulls': sum(s.null_count for s in groups),
                  'least': min((s.min for s in groups), default=None), 'greatest': max((s.max for s in groups), default=None),
                  'ids': sorted(map(value, ids))}))
"""


def reader():
    """Returns an interpreter with pyarrow, the current one or that of $THRESHER_READERS. None if there is none."""
    for python in (sys.executable, os.path.join(os.environ.get('THRESHER_READERS', '/nowhere'), 'bin', 'python')):
        if exists(python) and subprocess.run([python, '-c', 'import pyarrow.parquet'], capture_output=True).returncode == 0:
            return python
    return None


def records(rng):
    """Clusters of 1 to 40, near and exact, with and without URL and date, ids with quotes; some MiB of URLs."""
    number = 0
    for size in [1, 2, 3, 1, 9] * 40:
        slots = [rng.getrandbits(32) for _ in range(SLOTS)]
        for copy in range(size):
            mine = list(slots)
            for at in rng.sample(range(SLOTS), rng.randrange(9) if copy else 0):
                mine[at] = rng.getrandbits(32)
            made = {'id': '"%05d" é\\' % number, 'minhash': {'preset': 'modern', 'w': 5, 'k': SLOTS, 'main': ''.join('%08x' % s for s in mine)}}
            if number % 7:
                made['url'] = 'http://a.example/%d?"q"%s' % (number, 'x' * 4000)
            if number % 5:
                made['date'] = '2024-01-01T00:00:%02dZ' % (number % 60)
            if number % 3 == 0:
                made['digest'] = {'text': '%032x' % slots[0]}
            yield json.dumps(made)
            number += 1


python = reader() if sys.argv[2:] == ['values'] else None
if sys.argv[2:] == ['values'] and not python:
    print('skipped: pyarrow is not installed: values are not compared')
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    def at(name):
        return os.path.join(folder, name)

    def dedup(*args):
        run = thresher('dedup', '-q', *args)
        expect('dedup %s: %r' % (args, run.stderr), run.returncode, 0)
        return run.stdout

    lines = list(records(random.Random(11)))
    with open(at('records.jsonl'), 'w') as out:
        out.write('\n'.join(lines) + '\n')
    for output in ('clusters', 'pairs', 'drop'):
        text, table = at(output + '.jsonl'), at(output + '.parquet')
        kind = ['--output', output, '-f', 'parquet', '--row-group', '4K']
        dedup('--output', output, '-O', text, at('records.jsonl'))
        dedup(*kind, '-O', table, at('records.jsonl'))
        expect('%s: no temporary file' % output, [name for name in os.listdir(folder) if name.endswith('.part')], [])
        expect('%s: begins and ends as a Parquet file' % output, (contents(table)[:4], contents(table)[-4:]), (b'PAR1', b'PAR1'))
        if output != 'drop':  # a row group ends with a piece of a MiB
            expect_true('%s: several row groups' % output, contents(table).count(b'thrg') > 1, contents(table).count(b'thrg'))
        expect_true('%s: the same bytes to stdout' % output, dedup(*kind, at('records.jsonl')) == contents(table))
        ranges = at('ranges-' + output)
        dedup('partition', at('records.jsonl'), '-O', ranges, '--parts', '3')
        for part in range(3):
            dedup('pairs', ranges, '--output', output, '--part', '%d/3' % part)
        expect_true('%s: the same bytes from stages' % output, dedup('components', ranges, *kind) == contents(table))
        if not python:
            continue
        if output == 'drop':  # ids, a line each
            ids = contents(text).decode().splitlines()
            with open(text, 'w') as out:
                out.writelines(json.dumps({'id': ident}) + '\n' for ident in ids)
        run = subprocess.run([python, COMPARE, table, text, 'pyarrow'], capture_output=True, text=True)
        print(output, run.stdout.strip())
        expect('%s: values: %s' % (output, run.stdout + run.stderr), run.returncode, 0)
        found = json.loads(subprocess.run([python, '-c', LOOK, table], capture_output=True, check=True).stdout)
        expect('%s: schema' % output, found['metadata'].get('thresher.schema'), output)
        version = found['metadata'].get('thresher.version')
        expect('%s: made by' % output, found['by'], 'thresher version %s' % version)
        expect('%s: rows' % output, found['rows'], len(contents(text).splitlines()))
        expect('%s: statistics' % output, (found['nulls'], found['least'], found['greatest']), (0, found['ids'][0], found['ids'][-1]))

    dedup('-f', 'parquet', '-O', at('unpacked.parquet'), '--compress', 'none', at('records.jsonl'))
    expect_true('unpacked is larger', os.path.getsize(at('unpacked.parquet')) > os.path.getsize(at('clusters.parquet')) / 2)
    with open(at('one.jsonl'), 'w') as out:
        out.write(lines[0] + '\n')
    for output in ('clusters', 'pairs', 'drop'):
        empty = dedup('-f', 'parquet', '--output', output, at('one.jsonl'))
        expect('%s: no row is a table all the same' % output, (empty[:4], empty[-4:]), (b'PAR1', b'PAR1'))

    dedup('-O', at('named.parquet'), at('records.jsonl'))
    dedup('-f', 'parquet', '-O', at('said.parquet'), at('records.jsonl'))
    with open(at('named.parquet'), 'rb') as named, open(at('said.parquet'), 'rb') as said:
        expect_true('the name selects the format', named.read() == said.read())

    for claim, args, words in (
            ('gzip', ['-f', 'parquet', '-O', at('x.parquet'), '--compress', 'gzip'], b'zstd'),
            ('another suffix', ['-f', 'parquet', '-O', at('x.jsonl')], b'must end with .parquet'),
            ('lines under that name', ['-f', 'jsonl', '-O', at('x.parquet')], b'--format jsonl does not write .parquet files'),
            ('the name of WARC', ['-O', at('x.warc')], b'dedup writes jsonl or parquet, not warc'),
            ('another format', ['-f', 'warc'], b'warc')):
        run = thresher('dedup', *args, at('one.jsonl'))
        expect_true(claim, run.returncode == 2 and words in run.stderr, (run.returncode, run.stderr))
    expect('what was refused left nothing', [name for name in os.listdir(folder) if name.startswith('x.')], [])
