"""`thresher dedup` in three stages: the clusters equal one process for any number of ranges, any order of inputs, and any kill. Damaged and foreign files fail with their name.

usage: dedup_stages.py PROGRAM [RECORDS [KILLS [RANGES]]]
"""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from case import PROGRAM, contents, expect, expect_true, thresher

RECORDS, KILLS, RANGES = (int(text) for text in (sys.argv[2:] + ['600', '1', '12'][len(sys.argv[2:]):])[:3])
SLOTS = 128
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(('SLURM_', 'JOB_COMPLETION', 'AWS_BATCH'))}


def record(number, slots=None, date=None, digest=None, distinct=None, known=None, ident=None):
    made = {'id': ident or '<urn:uuid:%08d>' % number, 'url': 'http://a.example/%d' % number, 'date': date or '2024-01-01T00:00:%02dZ' % (number % 60)}
    if slots:
        made['minhash'] = {'preset': 'modern', 'w': 5, 'k': SLOTS, 'main': ''.join('%08x' % s for s in slots)}
        if distinct:
            made['minhash']['distinct'] = ''.join('%08x' % s for s in distinct)
    if digest is not None:
        made['digest'] = {'text': '%032x' % digest}
    if known is not None:
        made['template_known'] = known
    return json.dumps(made)


def changed(rng, slots, most):
    slots = list(slots)
    for at in rng.sample(range(SLOTS), rng.randrange(most)):
        slots[at] = rng.getrandbits(32)
    return slots


def drawn(rng):
    return [rng.getrandbits(32) for _ in range(SLOTS)]


def planted(count, seed=7):
    """Clusters of all sizes, chains, equal digests, repeated ids (with the same and with other contents), records with nothing to compare, invalid lines."""
    rng = random.Random(seed)
    lines, number = [], 0
    while len(lines) < count:
        slots, kind, shared = drawn(rng), rng.random(), rng.getrandbits(100)
        size = rng.choice((1, 1, 1, 2, 3, 9)) if kind < .95 else 150
        for copy in range(size):
            lines.append(record(number, changed(rng, slots, 12), digest=rng.choice((None, None, shared, number))))
            if rng.random() < .05:  # the same id: unchanged, or with the content of another cluster and at another time
                lines.append(rng.choice((lines[-1], record(number, changed(rng, slots if copy else drawn(rng), 12), date='2024-01-01T00:00:%02dZ' % rng.randrange(60)))))
            number += 1
        if rng.random() < .05:
            lines.append(rng.choice((record(number), record(number, digest=17), '{"id":', '{"url":"http://no.id/"}')))
            number += 1
    rng.shuffle(lines)
    return lines


def write(folder, lines, files):
    os.mkdir(folder)
    for i in range(files):
        with open(os.path.join(folder, '%d.jsonl' % i), 'w') as out:
            out.write(''.join(line + '\n' for line in lines[i::files]))
    return [os.path.join(folder, '%d.jsonl' % i) for i in range(files)]


def stage(*args, code=None, **env):
    ran = thresher('dedup', *args, env={**CLEAN, **env})
    if code is not None and ran.returncode != code:
        expect('code of dedup %s' % ' '.join(map(str, args)), (ran.returncode, ran.stderr), code)
    return ran


def all_stages(top, inputs, parts, options=(), memory='512M'):
    """Makes each input a shard. Returns the output of the last stage and the files of the stages."""
    folder = os.path.join(top, 'ranges')
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    for i, path in enumerate(inputs):
        stage('partition', '-q', path, '--parts', parts, '--memory', memory, '-O', os.path.join(folder, 's%d' % i), *(o for o in options if o in SIGNS or o == '--sign'))
    for i in random.Random(parts).sample(range(parts), parts):
        stage('pairs', '-q', folder, '--part', '%d/%d' % (i, parts), '--memory', memory, *(o for o in options if o not in SIGNS and o != '--sign'), code=0)
    out, report = os.path.join(top, 'out.jsonl'), os.path.join(top, 'report.json')
    kept = [o for o in options if o in ('--output', 'pairs', 'drop')]
    ran = stage('components', '-q', folder, '-O', out, '--report', report, '--memory', memory, *kept)
    return ran.returncode, contents(out), json.loads(contents(report)), folder


SIGNS = ('main', 'distinct', 'both', 'either', 'auto')


def one_process(top, inputs, options=()):
    out, report = os.path.join(top, 'one.jsonl'), os.path.join(top, 'one.json')
    ran = stage('-q', *inputs, '-O', out, '--report', report, *options)
    return ran.returncode, contents(out), json.loads(contents(report))


def without(report):
    """Returns all values except values that depend on the division of keys and inputs."""
    return {name: value for name, value in report.items() if name not in ('keys', 'compared', 'inputs')}


def left_by(folder):
    return {os.path.relpath(os.path.join(at, name), folder): contents(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names}


def equal_clusters(top):
    lines = planted(RECORDS)
    inputs = write(os.path.join(top, 'in'), lines, 3)
    want = one_process(top, inputs)
    expect_true('one process found clusters, and refused records', want[0] == 1 and want[2]['clusters'] > 20 and want[2]['refused_by']['repeated_id'] > 5 and want[2]['capped_buckets'] > 0, want[2])
    keys = set()
    for parts, some in ((1, inputs), (7, inputs[::-1]), (RANGES, inputs)):
        got = all_stages(top, some, parts, memory='1M' if parts == 7 else '512M')
        expect('%d ranges: exit code and clusters of one process' % parts, (got[0], got[1] == want[1]), (want[0], True))
        expect('%d ranges: its report' % parts, without(got[2]), without(want[2]))
        keys.add(got[2]['keys'])
        expect_true('%d ranges: a count of keys' % parts, RECORDS < got[2]['keys'] < 1000 * RECORDS, got[2]['keys'])
    # One process does not make keys of a record that it refuses, because it knows all ids.
    expect_true('any number of ranges: the same keys, of all records', len(keys) == 1 and min(keys) > want[2]['keys'], (keys, want[2]['keys']))
    for options in (('--fan-out', 1), ('--output', 'pairs'), ('--output', 'pairs', '--fan-out', 3), ('--threshold', '.95'), ('--output', 'drop')):
        got, one = all_stages(top, inputs, 2, options), one_process(top, inputs, options)
        expect('%s: as one process' % ' '.join(map(str, options)), (got[1] == one[1], without(got[2])), (True, without(one[2])))
    return inputs, want


def mixed_shards(top):
    """One shard has `distinct` and another has not: the main texts of the latter are keyed for both."""
    rng = random.Random(9)
    with_own, without_own = [], []
    for i in range(60):
        main, own = drawn(rng), drawn(rng)
        with_own.append(record(3 * i, main, distinct=own, known=i % 2 == 0))
        without_own.append(record(3 * i + 1, changed(rng, own if i % 3 else main, 9)))
        without_own.append(record(3 * i + 2, changed(rng, main, 9), known=i % 5 == 0))
    inputs = write(os.path.join(top, 'mixed'), with_own, 1) + write(os.path.join(top, 'plain'), without_own, 1)
    want = one_process(top, inputs)
    got = all_stages(top, inputs, 4)
    expect_true('shards with and without `distinct` meet', want[2]['clusters'] > 50, want[2])
    expect('and have the clusters of one process', (got[1] == want[1], without(got[2])), (True, without(want[2])))


def many_shards(top):
    inputs = write(os.path.join(top, 'many'), planted(120), 40)
    want, got = one_process(top, inputs), all_stages(top, inputs, 2)
    expect_true('40 shards: clusters', want[2]['clusters'] > 1, want[2])
    expect('40 shards: clusters of one process', (got[1] == want[1], without(got[2])), (True, without(want[2])))


def large_bucket(top):
    """All records share each key: as many comparisons as records, not their square."""
    rng = random.Random(11)
    slots, count = drawn(rng), 2000
    inputs = write(os.path.join(top, 'large'), [record(i, slots) for i in range(count)], 1)
    want = one_process(top, inputs)
    got = all_stages(top, inputs, 2)
    expect('one bucket of all', (got[1] == want[1], got[2]['largest_bucket']), (True, count))
    expect_true('costs no square', got[2]['compared'] < 2 * count, got[2]['compared'])
    others = write(os.path.join(top, 'unlike'), [record(i, slots[:8] + drawn(rng)[8:]) for i in range(count)], 1)
    got, want = all_stages(top, others, 2), one_process(top, others)
    expect('nor does one of records that are not alike', (got[1], want[1], got[2]['compared']), (b'', b'', want[2]['compared']))
    expect_true('which are compared with the first 64', got[2]['compared'] < 64 * count, got[2]['compared'])


def killed(top, inputs, want):
    """Each stage is killed at random moments and run again."""
    parts, rng = 3, random.Random(2)
    folder, out = os.path.join(top, 'killed'), os.path.join(top, 'killed.jsonl')
    undisturbed = left_by(all_stages(top, inputs, parts)[3])
    os.mkdir(folder)
    jobs = [('partition', '-q', path, '--parts', parts, '-O', os.path.join(folder, 's%d' % i)) for i, path in enumerate(inputs)]
    jobs += [('pairs', '-q', folder, '--part', '%d/%d' % (i, parts)) for i in range(parts)]
    jobs += [('components', '-q', folder, '-O', out)]
    kills = 0
    for job in jobs:
        command = [PROGRAM, 'dedup', *map(str, job)]
        for _ in range(KILLS):
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(0, .03))
            process.send_signal(signal.SIGKILL)
            kills += process.wait() == -signal.SIGKILL
        ran = subprocess.run(command, capture_output=True)
        expect_true('%s ends' % job[0], ran.returncode in (0, 1), ran.stderr)
    expect_true('%d of %d were killed while running' % (kills, KILLS * len(jobs)), kills > 0)
    expect('the same clusters', contents(out) == want[1], True)
    expect('the same files, byte for byte', {n: b for n, b in left_by(folder).items() if not n.endswith('.part')} == undisturbed, True)


def refused(top, inputs):
    folder = all_stages(top, inputs, 3)[3]
    whole = left_by(folder)

    def restore():
        for name, data in whole.items():
            with open(os.path.join(folder, name), 'wb') as out:
                out.write(data)

    def says(claim, words, *job, code=74):
        ran = stage(*job)
        expect_true('%s: %s' % (claim, ran.stderr.decode().strip().splitlines()[:1]), ran.returncode == code and all(w.encode() in ran.stderr for w in words), (ran.returncode, ran.stderr))
        restore()

    edges = os.path.join(folder, 'edges-00001-of-00003')
    pairs = ('pairs', folder, '--part', '1/3')
    rng = random.Random(4)
    for name in ('shard', 'shard.records', 'shard.places', 'shard.ids', 'shard.keys'):
        path = os.path.join(folder, 's1', name)
        os.unlink(edges)
        with open(path, 'r+b') as out:
            out.truncate(len(whole['s1/' + name]) // 2)
        says('%s cut off' % name, ['s1/' + name], *pairs)
        found = 0
        for _ in range(4):  # a byte anywhere: told, or of nothing that this range needs
            os.unlink(edges)
            data = bytearray(whole['s1/' + name])
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            with open(path, 'wb') as out:
                out.write(data)
            ran = stage(*pairs)
            is_told = ran.returncode == 74 and b's1/shard' in ran.stderr
            if not is_told and (ran.returncode, contents(edges)) != (0, whole['edges-00001-of-00003']):
                expect('%s with a byte changed' % name, (ran.returncode, ran.stderr), 'told, or the same edges')
            found += is_told
            restore()
        expect_true('%s with a changed byte, reported in %d of 4' % (name, found), found > 0)
    for at in (3, 60, 150, len(whole['edges-00001-of-00003']) - 3):
        data = bytearray(whole['edges-00001-of-00003'])
        data[at] ^= 4
        with open(edges, 'wb') as out:
            out.write(data)
        ran = stage('components', '-q', folder, '-O', os.path.join(top, 'x.jsonl'))
        expect_true('edges with byte %d changed' % at, ran.returncode in (2, 74) and b'edges-00001-of-00003' in ran.stderr, ran.stderr)
        restore()
    for name, data, words in (('an edge file with a byte more', whole['edges-00001-of-00003'] + b'x', 'wrong file length'),
                              ('an edge file without its end', whole['edges-00001-of-00003'][:-1], 'wrong file length'),
                              ('an edge file without its head', whole['edges-00001-of-00003'][:20], 'file is too short')):
        with open(edges, 'wb') as out:
            out.write(data)
        says(name, ['edges-00001-of-00003', words], 'components', folder, '-O', os.path.join(top, 'x.jsonl'))
    shard = os.path.join(folder, 's1', 'shard')
    for name, data, words in (('a shard that is another file', b'x' + whole['s1/shard'][1:], 'is not a shard of thresher dedup'),
                              ('a shard without its head', whole['s1/shard'][:30], 'is truncated at byte 30')):
        os.unlink(edges)
        with open(shard, 'wb') as out:
            out.write(data)
        says(name, ["s1/shard' " + words], *pairs)
    os.unlink(edges)
    says('a range that is not done', ['edges-00001-of-00003', '--part 1/3'], 'components', folder)
    shutil.copy(os.path.join(folder, 'edges-00002-of-00003'), edges)
    says('edges of another range', ['edges-00001-of-00003', 'for another range'], 'components', folder, code=2)
    says('another rule', ['edges-00001-of-00003', '--fan-out'], *pairs, '--fan-out', 9, code=2)
    says('another threshold', ['edges-00001-of-00003', '--threshold'], *pairs, '--threshold', '.9', code=2)
    says('a shard twice', ['s1', 'same shard'], *pairs[:2], os.path.join(folder, 's1'), '--part', '1/3', code=2)
    says('another number of ranges', ["'1/4'", 'expected I/3'], 'pairs', folder, '--part', '1/4', code=2)
    says('no range', ['--part'], 'pairs', folder, code=2)
    says('not all pairs', ['--output pairs'], 'components', folder, '--output', 'pairs', code=2)
    says('other inputs', ['s1', 'other inputs'], 'partition', inputs[0], '--parts', 3, '-O', os.path.join(folder, 's1'), code=2)
    says('no shard', [top], 'pairs', os.path.join(top, 'in'), '--part', '0/3')
    few = os.path.join(top, 'few')
    stage('partition', '-q', inputs[0], '--parts', 4, '-O', few)
    says('shards of other ranges', ['few', '4'], 'pairs', folder, few, '--part', '0/3', code=2)
    ran = stage('pairs', '-q', folder, '--part', 'auto', SLURM_ARRAY_TASK_ID='2', code=0)
    expect('a range by the scheduler, done before', left_by(folder) == whole, True)
    foreign = os.path.join(top, 'foreign')
    shutil.copytree(folder, foreign)
    stage('partition', '-q', os.path.join(top, 'large', '0.jsonl'), '--parts', 3, '-O', os.path.join(foreign, 's9'))
    says('edges of other shards', ['edges-00000-of-00003', 'other shards'], 'components', foreign, code=2)


def unsigned(top):
    """A text that no record signs is an error of usage, also in stages. One signed record is enough."""
    rng = random.Random(5)
    for name, lines, code in (('none', [record(i, drawn(rng)) for i in range(9)], 2), ('one', [record(i, drawn(rng), distinct=drawn(rng) if i == 4 else None) for i in range(9)], 0)):
        folder = os.path.join(top, 'signed-' + name)
        os.mkdir(folder)
        source = write(os.path.join(folder, 'in'), lines, 1)[0]
        stage('partition', '-q', source, '--parts', 1, '--sign', 'distinct', '-O', os.path.join(folder, 's'), code=0)
        stage('pairs', '-q', os.path.join(folder, 's'), '--part', '0/1', code=0)
        ran = stage('components', '-q', os.path.join(folder, 's'), '-O', os.path.join(folder, 'out.jsonl'), code=code)
        expect('%s signed: says so' % name, b'no record has a signature for --sign distinct' in ran.stderr, code == 2)


with tempfile.TemporaryDirectory() as top:
    unsigned(top)
    inputs, want = equal_clusters(top)
    mixed_shards(top)
    many_shards(top)
    large_bucket(top)
    killed(top, inputs, want)
    refused(top, inputs)
