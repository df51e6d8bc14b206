"""`thresher eval duplicates`: pairs, records that do not match them, damage, and a signal.

tests/quality/agree_duplicates.py compares its figures with the corpus's own scorer.
"""
import gzip
import json
import os
import signal
import subprocess
import tempfile

from case import contents, expect, expect_true, start, thresher

SLOTS = 128


def line(name, first=0, **more):
    """A record whose signature has its first slots changed."""
    slots = [1] * first + list(range(1000, 1000 + SLOTS - first))
    return json.dumps(dict({'id': '<urn:%s>' % name, 'minhash': {'preset': 'modern', 'w': 5, 'k': SLOTS, 'main': ''.join('%08x' % s for s in slots)}}, **more)) + '\n'


def rates(run):
    """Right pairs of all, by label."""
    groups = json.loads(run.stdout)['methods'][0]['groups']
    return {g['label']: (g['right'], g['pairs'], g['missing']) for g in groups if g['family'] == g['length'] == 'all'}


with tempfile.TemporaryDirectory() as folder:
    def write(name, data):
        path = os.path.join(folder, name)
        with open(path, 'wb') as out:
            out.write(data if isinstance(data, bytes) else data.encode())
        return path

    def measure(*records, code=0, form='--json', **kwargs):
        run = thresher('eval', 'duplicates', form, folder, *records, **kwargs)
        if run.returncode != code:
            expect('exit code for %s: %r' % (records, run.stderr), run.returncode, code)
        return run

    head = 'record_id_a\trecord_id_b\tlabel\tfamily\tlength'
    pairs = ['<urn:a>\t<urn:b>\tdup\tf\tshort', '<urn:a>\t<urn:c>\tdistinct\tf\tlong']
    records = write('r.jsonl', line('a') + line('b') + line('c', 100))
    wanted = {'dup': (1, 1, 0), 'distinct': (1, 1, 0)}

    # The columns, and allowed text after them.
    for claim, end in (('five columns', ''), ('an empty sixth', '\t'), ('a sixth', '\tnote'), ('seven', '\tnote\tnote'), ('carriage returns', '\r')):
        write('pairs.tsv', ''.join(row + end + '\n' for row in [head, *pairs]))
        expect(claim, rates(measure(records)), wanted)
        expect_true('%s: no name has more in it' % claim, b'"length":"long"' in measure(records).stdout)
    write('pairs.tsv', head + '\n' + pairs[0].rsplit('\t', 1)[0] + '\n')
    expect_true('four columns are not a pair', b'pairs.tsv:2: not a pair' in measure(records, code=2).stderr)
    write('pairs.tsv', '\n'.join([head, *pairs]) + '\n')

    # Records of other pages, or none.
    run = measure(write('foreign.jsonl', line('x') + line('y')), code=2)
    expect_true('records of other pages', b'foreign.jsonl: not one of its 2 records belongs to a page in pairs.tsv' in run.stderr, run.stderr)
    run = measure(write('empty.jsonl', ''), code=2)
    expect_true('an empty file', b'empty.jsonl: contains no record' in run.stderr, run.stderr)
    expect_true('and no report of either', run.stdout == b'', run.stdout)

    # Damage is reported and counted, and the exit code is 1. Readable records are measured.
    run = measure(write('broken.jsonl', line('a') + '{"id": "cut\n' + line('b') + line('c', 100).replace('000', 'xyz', 1)), code=1)
    expect('the readable records', rates(run), {'dup': (1, 1, 0), 'distinct': (1, 1, 1)})
    expect_true('the rest is reported', b'broken.jsonl: line 2: not one JSON object' in run.stderr and b'line 4: invalid signature' in run.stderr, run.stderr)
    packed = gzip.compress((line('a') + line('b')).encode()) + gzip.compress(line('c', 100).encode())
    run = measure(write('cut.jsonl.gz', packed[:-4]), code=1)
    expect('before the cut', rates(run), wanted)
    expect_true('truncated', b'cut.jsonl.gz: gzip is truncated: the file ends at byte %d' % (len(packed) - 4) in run.stderr, run.stderr)
    run = measure(write('mark.jsonl.gz', packed[:2]), code=1)
    expect('nothing left: no figures', (json.loads(run.stdout)['methods'], len(run.stderr.splitlines())), ([], 1))
    run = measure(write('array.jsonl', '[]\n' * 100), records, code=1)
    expect('a file of another kind is one error', (len(run.stderr.splitlines()), rates(run)), (1, wanted))
    expect_true('with its name', b'array.jsonl: this is a JSON array' in run.stderr, run.stderr)
    run = measure(write('noise.jsonl', '{"id": "cut\n' * 100), records, code=1)
    expect('at most one screen, and the next file', (len(run.stderr.splitlines()), rates(run)), (21, wanted))

    # A signal ends it.
    more = ''.join(line('n%d' % i) for i in range(200)).encode()
    for number in (signal.SIGINT, signal.SIGTERM):
        process = start('eval', 'duplicates', folder, '-', stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(contents(records) + more * 5) # more than a pipe holds, so the program reads
        process.send_signal(number)
        try:
            for _ in range(50):
                process.stdin.write(more)
            process.stdin.close()
        except BrokenPipeError:
            pass
        process.stdin = None
        out, err = process.communicate(timeout=300)
        expect('signal %d' % number, (process.returncode, out, err), (130, b'', b'thresher: interrupted\n'))
