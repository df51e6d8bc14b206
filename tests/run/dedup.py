"""`thresher dedup`: injected clusters, any order, little memory, mixed signatures, broken lines, every container.

The same on millions of records is done by hand: tests/bench/dedup_records.py.
"""
import gzip
import json
import os
import random
import subprocess
import tempfile

import archive
from case import contents, expect, expect_true, thresher

SLOTS = 128


def record(number, slots=None, preset='modern', digest=None, date=None, **more):
    made = {'id': '<urn:uuid:%08d>' % number, 'url': 'http://a.example/%d' % number, 'date': date or '2024-01-01T00:00:%02dZ' % (number % 60), 'text': 'é "quoted" text'}
    if slots is not None:
        made['minhash'] = dict({'preset': preset, 'w': 5, 'k': SLOTS, 'main': ''.join('%08x' % s for s in slots)}, **more)
    if digest is not None:
        made['digest'] = {'text': '%032x' % digest}
    return made


def planted(count, seed=3):
    """Records and their clusters as sets of ids. A copy differs from its original in up to 10 of 128 slots, others in all."""
    rng = random.Random(seed)
    records, clusters = [], []
    number = 0
    while number < count:
        slots = [rng.getrandbits(32) for _ in range(SLOTS)]
        size = rng.choice((1, 1, 1, 1, 2, 3, 9))
        members = []
        for copy in range(size):
            mine = list(slots)
            for at in rng.sample(range(SLOTS), rng.randrange(10) if copy else 0):
                mine[at] = rng.getrandbits(32)
            members.append(record(number, mine))
            number += 1
        records += members
        if size > 1:
            clusters.append({r['id'] for r in members})
    return records, clusters


def write(path, records):
    data = ''.join((r if isinstance(r, str) else json.dumps(r)) + '\n' for r in records).encode()
    with open(path, 'wb') as out:
        out.write(gzip.compress(data) if path.endswith('.gz') else data)
    return path


def found(path):
    lines = [json.loads(line) for line in contents(path).splitlines()]
    for line in lines:
        expect_size = 1 + len(line['members'])
        if line['size'] != expect_size:
            expect('size of a cluster', line['size'], expect_size)
    return [{line['representative']['id']} | {m['id'] for m in line['members']} for line in lines]


def dedup(folder, *args, code=0, name='out'):
    out = os.path.join(folder, name)
    run = thresher('dedup', '-O', out, *args)
    if run.returncode != code:
        expect('exit code of dedup %s: %r' % (args, run.stderr), run.returncode, code)
    return contents(out) if os.path.exists(out) else b'', run


def as_set(clusters):
    return sorted(sorted(c) for c in clusters)


with tempfile.TemporaryDirectory() as folder:
    def at(name):
        return os.path.join(folder, name)

    records, clusters = planted(4000)
    one = write(at('all.jsonl'), records)
    reference, run = dedup(folder, one)
    expect('planted clusters are found, and nothing else', as_set(found(at('out'))), as_set(clusters))
    expect_true('the summary reports it', b'%d of %d records' % (len(clusters), sum(map(len, clusters))) in run.stderr, run.stderr)

    # By date, then id.
    for line in map(json.loads, reference.splitlines()):
        ages = [(m['date'], m['id']) for m in [line['representative'], *line['members']]]
        if ages != sorted(ages):
            expect('oldest first', ages, sorted(ages))
        if not all(m['jaccard'] >= 0.7 for m in line['members']):
            expect('jaccard of members', line, 'at least 0.7')

    shuffled = list(records)
    random.Random(9).shuffle(shuffled)
    halves = [write(at('b.jsonl.gz'), shuffled[:1500]), write(at('a.jsonl'), shuffled[1500:])]
    for output in ('clusters', 'pairs', 'drop'):
        wanted, _ = dedup(folder, '--output', output, one)
        for claim, args in (('another order in two files', halves), ('1 MB of memory', ['--memory', '1M', '--temp', folder, *halves])):
            seen, run = dedup(folder, '--output', output, '--report', at('report.json'), *args)
            expect_true('%s: %s: same bytes' % (output, claim), seen == wanted)
    expect_true('1 MB of memory: sorted on the disk', b' (0 runs on disk)' not in run.stderr, run.stderr)
    expect('no temporary file is left', [n for n in os.listdir(folder) if n.startswith('thresher-')], [])

    report = json.loads(contents(at('report.json')))
    expect('report', (report['read'], report['used'], report['refused'], report['clusters'], report['clustered']), (len(records), len(records), 0, len(clusters), sum(map(len, clusters))))
    expect('report: sizes add up', sum(s['clusters'] for s in report['sizes']), len(clusters))
    heads = [json.loads(line) for line in reference.splitlines()]
    expect('report: sizes of the largest', [one['size'] for one in report['largest']], sorted((head['size'] for head in heads), reverse=True)[:10])
    named = {head['representative']['id']: (head['size'], head['representative']['url']) for head in heads}
    expect('report: names of the largest', [(one['size'], one['url']) for one in report['largest']], [named[one['id']] for one in report['largest']])

    for name, unpack in (('none.jsonl.gz', 'gzip'), ('none.jsonl.zst', 'zstd')):
        dedup(folder, '--output', 'drop', write(at('single.jsonl'), records[:1]), name=name)
        expect('%s without lines is a complete file' % name, (subprocess.run([unpack, '-dc', at(name)], capture_output=True).returncode, os.path.getsize(at(name)) > 0), (0, True))

    drop = dedup(folder, '--output', 'drop', one)[0].decode().split('\n')[:-1]
    kept = {json.loads(line)['representative']['id'] for line in reference.splitlines()}
    expect('drop: all but the representative', sorted(drop), sorted(set().union(*clusters) - kept))

    slots_of = {r['id']: r['minhash']['main'] for r in records}
    pairs = [json.loads(line) for line in dedup(folder, '--output', 'pairs', one)[0].splitlines()]
    for pair in pairs:
        a, b = slots_of[pair['id_a']], slots_of[pair['id_b']]
        equal = sum(a[i:i + 8] == b[i:i + 8] for i in range(0, len(a), 8))
        if abs(equal / SLOTS - pair['jaccard']) > 0.0001 or equal / SLOTS < 0.8:
            expect('jaccard of a pair', pair, equal / SLOTS)
    expect('no pair twice', len({(p['id_a'], p['id_b']) for p in pairs}), len(pairs))
    largest = max(clusters, key=len)
    inside = sum(p['id_a'] in largest and p['id_b'] in largest for p in pairs)
    expect_true('pairs of a cluster of nine', 30 <= inside <= 36, inside)

    # Containers and places.
    for packed in ('out.gz', 'out.zst'):
        dedup(folder, one, name=packed)
        unpack = ['gzip', '-dc', at(packed)] if packed.endswith('gz') else ['zstd', '-dcq', at(packed)]
        try:
            unpacked = subprocess.run(unpack, capture_output=True, check=True).stdout
            expect_true('%s unpacks to the same' % packed, unpacked == reference)
        except FileNotFoundError:
            print('%s: %s is not here, not checked' % (packed, unpack[0]))
    expect_true('stdin to stdout', thresher('dedup', '-q', '-', input=contents(one)).stdout == reference)
    os.mkdir(at('folder'))
    write(os.path.join(folder, 'folder', 'x.jsonl'), shuffled)
    write(os.path.join(folder, 'folder', 'x.txt'), ['not a record'])
    expect_true('a folder', dedup(folder, at('folder'))[0] == reference)

    # Output of the program as JSON lines and as WARC.
    rng = random.Random(1)
    pages = [archive.page(rng) for _ in range(6)]
    pages = [archive.response(page, 'http://a.example/%d' % i, i) for i, page in enumerate(pages + pages[:3])]
    archive.write(at('in.warc.gz'), pages)
    for preset in ('modern', 'crawl', 'paper', 'paper-slots', 'datasketch2:k=64,bands=16x4', 'datatrove', 'textdedup'):
        signs = ('main', 'content', 'page', 'both', 'either') if preset == 'modern' else ('main',)
        answers = []
        for form, name in (('jsonl', 'r.jsonl.zst'), ('warc', 'r.warc.gz'))[:len(signs)]:
            run = thresher('run', '-q', '-m', preset, '--sign', 'all', '-f', form, '-O', at(name), at('in.warc.gz'))
            if run.returncode:
                expect('run -m %s: %r' % (preset, run.stderr), run.returncode, 0)
            answers += [dedup(folder, '--sign', sign, at(name))[0] for sign in signs]
        expect('%s: three pages that came twice' % preset, [len(a.splitlines()) for a in answers], [3] * len(answers))
        expect_true('%s: JSON lines and WARC agree' % preset, answers[len(signs):] in ([], answers[:len(signs)]))

    # Damage in an archive costs the damaged record and is reported with its offset.
    run = thresher('run', '-q', '-f', 'warc', '-O', at('whole.warc.gz'), at('in.warc.gz'))
    rows = [json.loads(line) for line in thresher('records', '-q', at('whole.warc.gz')).stdout.splitlines()]
    members = [row for row in rows if row['type'] == 'metadata']
    bad = members[len(members) // 2]
    flipped = bytearray(contents(at('whole.warc.gz')))
    flipped[bad['offset'] + bad['length'] // 2] ^= 16
    for name in ('flipped.warc.gz', 'flipped.bin'):
        with open(at(name), 'wb') as out:
            out.write(flipped)
        _, run = dedup(folder, '--report', at('report.json'), at(name), code=1)
        report = json.loads(contents(at('report.json')))
        expect('%s: all but the damaged record' % name, (report['used'], report['damaged_inputs']), (len(members) - 1, 1))
        expect_true('%s: its offset is reported' % name, b'%s: offset %d: member_damaged' % (name.encode(), bad['offset']) in run.stderr, run.stderr)
    with open(at('flipped.warc.gz'), 'rb') as piped:
        run = thresher('dedup', '-', stdin=piped)
    expect_true('from a pipe too', run.returncode == 1 and b'%d used' % (len(members) - 1) in run.stderr, run.stderr)
    flipped[12] ^= 255
    with open(at('headless.warc.gz'), 'wb') as out:
        out.write(flipped)
    _, run = dedup(folder, at('headless.warc.gz'), code=1)
    expect_true('the first member is damaged: the others are read', b'%d used' % (len(members) - 1) in run.stderr and b'the first of ' in run.stderr, run.stderr)
    plain = gzip.decompress(contents(at('whole.warc.gz')))
    with open(at('cut.warc'), 'wb') as out:
        out.write(plain[:-20])
    _, run = dedup(folder, '-q', at('cut.warc'), code=1)
    expect_true('a truncated archive: the offset is reported', b'cut.warc: offset %d: truncated_block' % (len(plain) - 20) in run.stderr, run.stderr)

    # Archives without thresher's records.
    _, run = dedup(folder, '-q', at('in.warc.gz'), code=1)
    expect_true('an archive without records is reported', b'in.warc.gz: not one of its 9 WARC records was written by thresher' in run.stderr, run.stderr)
    archive.write(at('none.warc.gz'), [])
    thresher('run', '-q', '-f', 'warc', '-O', at('no_page.warc.gz'), at('none.warc.gz'))
    expect('records without a page are not errors', dedup(folder, '-q', at('no_page.warc.gz'))[1].stderr, b'')

    # Exact duplicates, short texts, ids that come twice.
    rng = random.Random(2)
    slots = [[rng.getrandbits(32) for _ in range(SLOTS)] for _ in range(4)]
    special = [record(1, digest=7), record(2, digest=7), record(3, digest=8),
               record(4, slots[0], digest=9), record(5, slots[1], digest=9),
               record(6, slots[2], short=['main']), record(7, slots[2], short=['main'])]
    dedup(folder, write(at('special.jsonl'), special))
    expect('by digest alone; short texts are not joined by a signature', as_set(found(at('out'))), [['<urn:uuid:%08d>' % i for i in p] for p in ((1, 2), (4, 5))])
    expect_true('and it says exact', all(m['exact'] for line in contents(at('out')).splitlines() for m in json.loads(line)['members']))
    twice, run = dedup(folder, one, one, code=1)
    expect_true('a file that is named twice changes nothing, and is reported', twice == reference and b'repeated_id %d' % len(records) in run.stderr, run.stderr)

    write(at('two.jsonl'), [record(1, slots[0]), record(2, slots[1])])
    _, run = dedup(folder, '-q', at('two.jsonl'), at('two.jsonl'), at('special.jsonl'), code=1)
    told = sorted(run.stderr.decode().replace(folder + os.sep, '').splitlines())
    repeated = (('special.jsonl', 1), ('special.jsonl', 2), ('two.jsonl', 1), ('two.jsonl', 2))
    expect('records with a repeated id are reported', told, ['thresher: %s: line %d: duplicate id' % place for place in repeated])
    _, run = dedup(folder, '-q', one, one, code=1)
    expect('at most one screen of messages', (len(run.stderr.splitlines()), b'further faulty records' in run.stderr), (21, True))

    # A bucket over the cap: linear work, still one cluster.
    many = [record(i, slots[3]) for i in range(500)]
    _, run = dedup(folder, '--fan-out', '8', '--output', 'pairs', write(at('many.jsonl'), many))
    expect('pairs of a capped bucket', len(contents(at('out')).splitlines()), 8 * 7 // 2 + 492 * 8)
    expect_true('capped buckets are counted', b'capped    16 ' in run.stderr, run.stderr)
    dedup(folder, '--fan-out', '8', at('many.jsonl'))
    expect('one cluster of 500', [len(c) for c in found(at('out'))], [500])

    # Chains are joined: a ~ b ~ c.
    chain = [record(i, slots[0][:SLOTS - 20 * i] + slots[1][SLOTS - 20 * i:]) for i in range(4)]
    dedup(folder, write(at('chain.jsonl'), chain))
    expect('a chain is one cluster', [len(c) for c in found(at('out'))], [4])
    dedup(folder, '--threshold', '0.9', at('chain.jsonl'))
    expect('a chain at .9', found(at('out')), [])

    # Invalid lines are reported and counted, and the other lines are used.
    broken = list(records[:100])
    broken[10:10] = ['{"id": "cut', '[]', '{"url": "no id"}', '{"id":"x","minhash":{"preset":"modern","w":5,"k":128,"main":"00"}}', '{"id":"y","digest":{"text":"zz"}}', '{"id":"%s"}' % ('z' * 3000)]
    path = write(at('broken.jsonl'), broken)
    intact = dedup(folder, '--max-line', '2K', write(at('intact.jsonl'), records[:100]))[0]
    seen, run = dedup(folder, '--max-line', '2K', path, code=1)
    expect_true('the rest is as without them', seen == intact)
    expect_true('106 read, 100 used', b'106 read, 100 used, 6 refused (bad_json 2, no_id 1, bad_minhash 1, bad_digest 1, too_long 1)' in run.stderr, run.stderr)
    expect_true('file and line', b'broken.jsonl: line 11: ' in run.stderr and b'broken.jsonl: line 16: ' in run.stderr, run.stderr)
    with open(at('half.jsonl.gz'), 'wb') as out:
        packed = gzip.compress(contents(at('intact.jsonl')))
        out.write(packed[:len(packed) // 2])
    _, run = dedup(folder, at('half.jsonl.gz'), one, code=1)
    expect_true('a damaged file is reported, and the next one is read', b'half.jsonl.gz: gzip is truncated: the file ends at byte %d' % (len(packed) // 2) in run.stderr and contents(at('out')) == reference, run.stderr)

    for name, start in (('mark.zst', b'\x28\xb5\x2f\xfd'), ('mark.gz', b'\x1f\x8b')):
        with open(at(name), 'wb') as out:
            out.write(start)
        _, run = dedup(folder, '-q', at(name), code=1)
        expect_true('%s: why and where' % name, b' is truncated: the file ends at byte %d\n' % len(start) in run.stderr, run.stderr)

    # Input that must be refused.
    other = write(at('other.jsonl'), [record(1, slots[0]), record(9, slots[0], preset='crawl', k=112)])
    seeded = write(at('seeded.jsonl'), [record(1, slots[0]), record(9, slots[0], seed=2)])
    older = write(at('older.jsonl'), [record(1, slots[0], tokenizer=1), record(9, slots[0], tokenizer=2)])
    for claim, args, code, words in (
            ('mixed presets', [other], 2, [b'scheme affine32-xxh3_64 and affine64-xxh3_64', b'k 128 and 112', b'other.jsonl: line 2', b'line 1']),
            ('mixed seeds', [seeded], 2, [b'seed 1 and 2', b'seeded.jsonl: line 2']),
            ('another tokenizer', [older], 2, [b'tokenizer 1 and 2', b'older.jsonl: line 2']),
            ('unknown preset', [write(at('u.jsonl'), [record(1, slots[0], preset='magic')])], 2, [b'magic', b'u.jsonl: line 1']),
            ('no such text', ['--sign', 'page', one], 2, [b'--sign page']),
            ('one of two texts', ['--sign', 'both', one], 2, [b'--sign both']),
            ('no input', [], 2, [b'needs RECORDS']),
            ('missing file', [at('none.jsonl')], 74, [b'none.jsonl']),
            ('bad threshold', ['--threshold', '2', one], 2, [b'threshold']),
            ('bad output', ['--output', 'tree', one], 2, [b'tree']),
            ('more records than memory', ['--memory', '1M', write(at('ids.jsonl'), [{'id': str(i)} for i in range(14000)])], 2, [b'--memory']),
            ('no temporary folder', ['--temp', at('nowhere'), one], 74, [b'nowhere']),
            ('output in no folder', ['-O', at('no/where'), one], 74, [b'no/where'])):
        run = thresher('dedup', *args)
        expect_true(claim, run.returncode == code and all(w in run.stderr for w in words), (run.returncode, run.stderr))
    os.remove(at('out'))
    dedup(folder, other, code=2)
    expect('a refused run leaves no output', [n for n in os.listdir(folder) if n.startswith('out') and n[3:] not in ('.gz', '.zst')], [])
    if os.path.exists('/dev/full'):
        expect('full device', thresher('dedup', '-O', '/dev/full', one).returncode, 74)
    expect('nothing in, nothing out', (dedup(folder, write(at('e.jsonl'), []))[0]), b'')
