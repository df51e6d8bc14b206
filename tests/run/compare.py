"""thresher compare finds the differences of two files of records.

usage: compare.py PROGRAM
"""
import gzip
import json
import os
import random
import tempfile

from case import expect, expect_true, thresher

folder = tempfile.mkdtemp()


def write(name, rows):
    path = os.path.join(folder, name)
    data = ''.join((row if isinstance(row, str) else json.dumps(row)) + '\n' for row in rows).encode()
    with (gzip.open if name.endswith('.gz') else open)(path, 'wb') as f:
        f.write(data)
    return path


def compare(old, new, code):
    run = thresher('compare', '--json', old, new)
    expect('exit', run.returncode, code)
    return json.loads(run.stdout)


def row(i, **more):
    return dict({'id': '<urn:%d>' % i, 'text': 'page %d' % i, 'minhash': {'preset': 'modern', 'main': 'ab%d' % i}}, **more)


def fields(found):
    return {f['name']: (f['changed'], f['added'], f['removed'], f['first']) for f in found['fields']}


rows = [row(i) for i in range(3000)]
old = write('old.jsonl', rows)
expect('the same file', compare(old, write('same.jsonl.gz', rows), 0)['equal'], 3000)
expect('other order of members', compare(old, write('turned.jsonl', [dict(reversed(r.items())) for r in rows]), 0)['equal'], 3000)
new = [dict(r) for r in rows if r['id'] != '<urn:7>']
new[3]['text'] = 'other'
new[4]['minhash'] = {'preset': 'modern', 'main': 'cd', 'content': 'ef'}
del new[5]['text']
new.insert(9, row(9999))
found = compare(old, write('new.jsonl', new), 1)
expect('records', (found['equal'], found['different'], found['only_old'], found['only_new']), (2996, 3, 1, 1))
expect('names', (found['only_old_first'], found['only_new_first']), (['<urn:7>'], ['<urn:9999>']))
expect('fields', fields(found), {'text': (1, 0, 1, ['<urn:3>', '<urn:5>']), 'minhash.main': (1, 0, 0, ['<urn:4>']),
                                 'minhash.content': (0, 1, 0, ['<urn:4>'])})
rng = random.Random(3)
shuffled = [r for i in range(0, 3000, 500) for r in rng.sample(rows[i:i + 500], 500)]
expect('another order within the window', compare(old, write('shuffled.jsonl', shuffled), 0)['equal'], 3000)
far = compare(old, write('far.jsonl', rows[1500:] + rows[:1500]), 1)
expect('beyond the window they are missing, and counts add up', far['equal'] + far['only_old'], 3000)
expect('on both sides', far['only_old'], far['only_new'])
expect('an empty file', compare(old, write('empty.jsonl', []), 1)['only_old'], 3000)
text = thresher('compare', old, os.path.join(folder, 'new.jsonl'))
expect_true('text', text.returncode == 1 and b'2996 equal, 3 different, 1 only in OLD, 1 only in NEW' in text.stdout, text.stdout)

bad = thresher('compare', old, write('bad.jsonl', rows[:5] + ['{"id":"x"', '7'] + rows[5:]))
expect('bad lines', (bad.returncode, b"bad.jsonl': line 6 is not a record" in bad.stderr, b'line 7' in bad.stderr), (74, True, True))
expect_true('and the rest is compared', b'3000 equal' in bad.stdout)
with open(os.path.join(folder, 'new.parquet'), 'wb') as f:
    f.write(b'PAR1' + b'\0' * 100)
run = thresher('compare', old, os.path.join(folder, 'new.parquet'))
expect('Parquet', (run.returncode, b'is Parquet' in run.stderr), (2, True))
expect('a missing file', thresher('compare', old, os.path.join(folder, 'none')).returncode, 74)
expect('one file', thresher('compare', old).returncode, 2)
many = [{'id': 'a', **{'f%d' % i: 1 for i in range(700)}}], [{'id': 'a', **{'f%d' % i: 2 for i in range(700)}}]
found = compare(write('m1.jsonl', many[0]), write('m2.jsonl', many[1]), 1)
expect('more names than are counted', (len(found['fields']), sum(f['changed'] for f in found['fields'])), (512, 700))
