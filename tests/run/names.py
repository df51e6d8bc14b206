"""Names of inputs: outputs of a folder have different names that fit into a folder, and no name writes to the terminal."""
import os
import re
import tempfile
import warnings
import zipfile

import archive
from case import expect, expect_true, thresher

warnings.simplefilter('ignore')  # zipfile warns about duplicate names


def counts(folder):
    found = {}
    for name in os.listdir(folder):
        if not name.endswith(('.state', '.manifest.json')):
            with open(os.path.join(folder, name), 'rb') as f:
                found[name] = f.read().count(b'\n')
    return found


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name in ('a', 'b', 'same'):
        os.mkdir(name)
    archive.write('same/x.warc', archive.records(1, seed=1), 'plain')
    archive.write('same/x.warc.gz', archive.records(2, seed=2))
    archive.write('a/y.warc.gz', archive.records(3, seed=3))
    archive.write('b/y.warc.gz', archive.records(4, seed=4))
    archive.write('same/z.warc.gz', archive.records(5, seed=5))

    # The same stem; the same name in two folders; the order does not matter.
    for out, inputs in (('one/', ('same', 'a', 'b')), ('two/', ('b', 'a', 'same'))):
        run = thresher('run', '-q', '-O', out, *inputs)
        expect(out, (run.returncode, run.stderr), (0, b''))
    seen = counts('one')
    expect('in any order', counts('two'), seen)
    hashed = [name for name in seen if re.fullmatch(r'y\.warc\.gz-[0-9a-f]{8}\.jsonl', name)]
    expect('names', sorted(set(seen) - set(hashed)), ['x.warc.gz.jsonl', 'x.warc.jsonl', 'z.jsonl'])
    expect('records', (seen['x.warc.jsonl'], seen['x.warc.gz.jsonl'], seen['z.jsonl'], sorted(seen[name] for name in hashed)), (1, 2, 5, [3, 4]))
    again = thresher('run', '--resume', '-O', 'one/', 'same', 'a', 'b')
    expect_true('nothing to resume', again.returncode == 0 and b'nothing to resume' in again.stderr, again.stderr)
    for share in ('0/2', '1/2'):
        run = thresher('run', '-q', '--shard', share, '-O', 'shares/', 'same', 'a', 'b')
        expect('shard ' + share, run.returncode, 0)
    expect('shares have the same names', {k: v for k, v in counts('shares').items() if k.endswith('.jsonl')}, seen)
    twice = thresher('run', '-q', '-O', 'three/', 'a/y.warc.gz', 'a/y.warc.gz')
    expect_true('twice: refused, the input is named', twice.returncode == 2 and b"'a/y.warc.gz' occurs twice" in twice.stderr, twice.stderr)

    # Long names: two that differ only where they are cut; a character is not cut.
    long = ['n' * 236 + 'o.warc.gz', 'n' * 236 + 'p.warc.gz', 'é' * 120 + '.warc.gz']
    for name in long:
        archive.write(name, archive.records(2, seed=6))
    run = thresher('run', '-q', '-O', 'long/', *long)
    expect('long names', (run.returncode, run.stderr), (0, b''))
    seen = counts('long')
    expect('three outputs of 2', list(seen.values()), [2, 2, 2])
    expect_true('each fits', all(len(os.fsencode(name)) <= 240 for name in seen), sorted(seen))

    # A ZIP file with two members of the same name, and a member with control characters.
    first, second, third = (archive.write('m%d.warc' % n, archive.records(n, seed=n), 'plain') for n in (1, 2, 3))
    with zipfile.ZipFile('d.wacz', 'w') as out:
        for name, source in (('archive/m.warc', first), ('archive/m.warc', second), ('archive/n\n\x1b[31m.warc', third)):
            with open(source, 'rb') as f:
                out.writestr(name, f.read())
    run = thresher('run', '-q', '-O', 'wacz/', 'd.wacz')
    expect('a ZIP file', (run.returncode, run.stderr), (0, b''))
    expect('its outputs', counts('wacz'), {'d-m.jsonl': 1, 'd-m.warc!2.jsonl': 2, 'd-n__[31m.jsonl': 3})
    index = thresher('records', '--cdxj', 'd.wacz')
    names = sorted({re.search(rb'"filename": *"([^"]*)"', line)[1] for line in index.stdout.splitlines() if b'm.warc' in line})
    expect('an index of both', (index.returncode, names[:2], len(index.stdout.splitlines())), (0, [b'm.warc', b'm.warc!2'], 6))
    alone = thresher('run', '-q', 'd.wacz!archive/m.warc!2')
    expect('the second by its name', (alone.returncode, alone.stdout.count(b'\n')), (0, 2))
    absent = thresher('run', '-q', 'd.wacz!archive/m.warc!3')
    expect('there is no third', absent.returncode, 1)

    with zipfile.ZipFile('e.wacz', 'w') as out:
        with open(third, 'rb') as f:
            out.writestr('archive/m.warc!2', f.read())
    alone = thresher('run', '-q', 'e.wacz!archive/m.warc!2')
    expect('a member whose own name ends so', (alone.returncode, alone.stdout.count(b'\n')), (0, 3))

    # Messages about a name have no control characters.
    said = thresher('run', 'no\x1b[31mred\nthresher: all is well\x7f\u009b.warc').stderr
    expect_true('one line', b'\x1b' not in said and b'\nthresher: all' not in said and b'\x7f' not in said and b'\xc2\x9b' not in said, said)
