"""The index of near-duplicates in run and serve: same answers for any number of workers, on replay, and after kill -9.

usage: index.py PROGRAM [CASE [ROUNDS]]       CASE: answers, epochs, refused, lost, full, resume, serve; default all, few rounds
By hand: tests/run/index.py build-release/src/thresher resume 100; ... serve 100
"""
import gzip
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import archive
from case import PROGRAM, contents, exists, expect, expect_true, start, thresher

ROUNDS = {'answers': 1, 'epochs': 1, 'refused': 1, 'lost': 1, 'full': 1, 'resume': 8, 'serve': 5}
SMALL = ['-o', 'index.epoch=0', '-o', 'index.segment-pages=60', '-o', 'index.keep=100']


def article(rng, words=220):
    return [archive.sentence(rng, rng.randint(8, 20)).split() for _ in range(words // 14)]


def edited(sentences, rng, changes):
    copy = [list(s) for s in sentences]
    for _ in range(changes):
        s = rng.choice(copy)
        s[rng.randrange(len(s))] = rng.choice(archive.WORDS)
    return copy


def html(sentences, rng):
    nav = ''.join('<li><a href="/%d">%s</a></li>' % (i, archive.sentence(rng, 2)) for i in range(10))
    return '<html><body><ul>%s</ul><div><p>%s</p></div></body></html>' % (nav, ' '.join(' '.join(s) for s in sentences))


def crawl(count, seed):
    """Records, and for those made from an earlier page that page's URL (of the first of its kind)."""
    rng = random.Random(seed)
    originals, parts, made_from = [], [], {}
    for i in range(count):
        url = 'http://s%d.example/%d/%d' % (i % 5, seed, i)
        if originals and rng.random() < 0.3:
            origin, text = rng.choice(originals)
            parts.append(archive.response(html(edited(text, rng, rng.randint(0, 1)), rng), url, i))
            made_from[url] = origin
        elif rng.random() < 0.1:
            parts.append(archive.response('<p>gone</p>', url, i))  # short: one digest for all of them
        else:
            text = article(rng)
            originals.append((url, text))
            parts.append(archive.response(html(text, rng), url, i))
    return parts, made_from


def found(data):
    return {r['url']: r.get('near_duplicate') for r in map(json.loads, data.splitlines())}


def run(index, out, *args):
    done = thresher('run', '-q', '--index.path', index, *SMALL, '-O', out, '--index.edges', out + '.edges', *args)
    expect_true('run ends well', done.returncode == 0, done.stderr)
    return contents(out)


def answers(folder, _):
    parts, made_from = crawl(700, 1)
    source = archive.write(os.path.join(folder, 'a.warc.gz'), parts)
    path = lambda name: os.path.join(folder, name)
    one = run(path('i1'), path('o1.jsonl'), '-j1', source)
    got = found(one)
    expect('one record a page', len(got), 700)
    for jobs in (2, 4):
        expect('-j1 and -j%d' % jobs, run(path('i%d' % jobs), path('o%d.jsonl' % jobs), '-j%d' % jobs, source), one)
        expect('edges', contents(path('o%d.jsonl.edges' % jobs)), contents(path('o1.jsonl.edges')))
        for name in sorted(os.listdir(path('i1'))):
            if name not in ('lock', 'state'):  # marks count checkpoints, which go by the clock
                expect('files of the index: %s' % name, contents(path('i%d/%s' % (jobs, name))) == contents(path('i1/%s' % name)), True)

    right = [url for url, origin in made_from.items() if got[url] and got[url]['url'] == origin]
    expect_true('planted near-duplicates are found', len(right) > 0.97 * len(made_from), (len(right), len(made_from)))
    ids = {r['url']: r['id'] for r in map(json.loads, one.splitlines())}
    wrong = [url for url, near in got.items() if near and (near['of'] != ids[near['url']] or near['cluster'] != near['of'])]
    expect('of, url and cluster agree', wrong, [])
    strange = [url for url, near in got.items() if near and url not in made_from and near['jaccard'] < 1]
    expect('no others, but short pages by their digest', strange, [])
    expect('stars: representatives have no match', [near['url'] for near in got.values() if near and got[near['url']]], [])

    edges = [json.loads(line) for line in contents(path('o1.jsonl.edges')).splitlines()]
    expect('an edge for each near-duplicate', [e['url'] for e in edges], [r['url'] for r in map(json.loads, one.splitlines()) if r.get('near_duplicate')])
    expect_true('edges say how much was compared', all(e.get('exact') or 0 < e['equal'] <= e['slots'] == 128 and e['bands_hit'] > 0 for e in edges), edges[:3])

    expect('the same pages again: the same answers', run(path('i1'), path('again.jsonl'), '-j2', source), one)
    packed = path('packed.jsonl.gz')
    run(path('i5'), packed, '-j3', source)
    expect('compressed', gzip.open(packed).read(), one)
    halves = [archive.write(path('h%d.warc.gz' % i), half) for i, half in enumerate((parts[:350], parts[350:]))]
    both = [found(run(path('i6'), path('h%d.jsonl' % i), half)) for i, half in enumerate(halves)]
    expect('in two runs: the same answers', {**both[0], **both[1]}, got)
    plain = thresher('run', '-j2', source)
    same = [{k: v for k, v in json.loads(line).items() if k != 'near_duplicate'} for line in one.splitlines()]
    expect('nothing else changes in a record', same, [json.loads(line) for line in plain.stdout.splitlines()])
    stdout = thresher('run', '--index.path', path('i7'), *SMALL, source)
    expect('to stdout', stdout.stdout, one)
    expect_true('the summary counts them', b'%d near-duplicates' % len(edges) in stdout.stderr, stdout.stderr)


def epochs(folder, _):
    """Epochs are days by the records' dates. Old pages are forgotten, and their files are removed."""
    path = lambda name: os.path.join(folder, name)
    rng = random.Random(3)
    text = article(rng)
    runs = []
    for day in range(1, 9):
        texts = [article(rng) for _ in range(80)] + ([text] if day in (1, 3, 8) else [])
        parts = [archive.response(html(t, rng), 'http://d%d.example/%d' % (day, i), i).replace(b'2026-01-02T', b'2026-01-%02dT' % day)
                 for i, t in enumerate(texts)]
        out = path('%d.jsonl' % day)
        args = ['--index.path', path('i'), '-o', 'index.keep=3', '-o', 'index.segment-pages=50', archive.write(path('d%d.warc.gz' % day), parts)]
        expect('day %d' % day, thresher('run', '-q', *args, '-O', out).returncode, 0)
        runs.append(found(contents(out)))
    expect('seen two days later', runs[2]['http://d3.example/80']['url'], 'http://d1.example/80')
    expect('forgotten after five', runs[7]['http://d8.example/80'], None)
    left = sorted(name for name in os.listdir(path('i')) if name.endswith('.journal'))
    expect_true('old segments are gone', left[0] > '00000004.journal' and len(left) < 11, left)


def refused(folder, _):
    path = lambda name: os.path.join(folder, name)
    source = archive.write(path('a.warc.gz'), crawl(20, 1)[0])
    run(path('i'), path('o.jsonl'), source)
    for options, word in ((['-m', 'crawl'], b'preset = modern'), (['--sign', 'page'], b'text = main'), (['-o', 'index.bits=16'], b'kept_bits = 8'),
                          (['-m', 'none'], b'none'), (['-f', 'warc'], b'cannot be combined with format warc'), (['-o', 'index.bits=7'], b'index.bits')):
        done = thresher('run', '--index.path', path('i'), *options, source)
        expect_true('refused: %s' % options, done.returncode == 2 and word in done.stderr, (done.returncode, done.stderr))
    with open(path('i/state'), 'r+b') as f:
        f.truncate(20)
    done = thresher('run', '--index.path', path('i'), *SMALL, source)
    expect_true('a torn state is refused', done.returncode == 74 and not done.stdout and b'index.repair' in done.stderr, done.stderr)
    done = thresher('run', '--index.path', path('i'), '--index.repair', *SMALL, source)
    expect_true('a torn state is reported and survived', done.returncode == 0 and b'places damaged' in done.stderr, done.stderr)
    os.mkdir(path('theirs'))
    for name in ('state', '00000001.journal'):
        with open(path('theirs/' + name), 'w') as f:
            f.write('precious')
    done = thresher('run', '--index.path', path('theirs'), source)
    expect_true('a folder of others is refused', done.returncode == 2 and b'is not an index' in done.stderr, (done.returncode, done.stderr))
    expect('and left alone', [contents(path('theirs/' + name)) for name in ('state', '00000001.journal')], [b'precious'] * 2)


def lost(folder, _):
    """The file `state` is damaged or missing after a job was interrupted. The job continues, reports it, and keeps its data."""
    path = lambda name: os.path.join(folder, name)
    source = archive.write(path('a.warc.gz'), crawl(1500, 4)[0])
    whole = found(run(path('whole.i'), path('whole.jsonl'), source))
    for way in ('damaged', 'gone'):
        out, index = path(way + '.jsonl'), path(way + '.i')
        command = [PROGRAM, 'run', '-q', '-j2', '--checkpoint-ms', '0', '--index.path', index, *SMALL, '-O', out, '--resume', source]
        process = subprocess.Popen(command)
        while not (exists(out + '.state') and exists(index + '/state')) and process.poll() is None:
            time.sleep(.002)
        time.sleep(.05)
        process.kill()
        expect('killed', process.wait(), -signal.SIGKILL)
        if way == 'gone':
            os.unlink(index + '/state')
        else:
            with open(index + '/state', 'r+b') as f:
                f.seek(40)
                f.write(b'?')
        expect('%s: refused' % way, subprocess.run(command, capture_output=True).returncode, 74)
        last = subprocess.run(command + ['--index.repair'], capture_output=True)
        expect_true('%s: it continues and reports it' % way, last.returncode == 0 and b"the file 'state' is missing or damaged" in last.stderr, (last.returncode, last.stderr))
        got = found(contents(out))
        expect('%s: every record' % way, sorted(got), sorted(whole))
        missed = [url for url, near in whole.items() if near and not got[url]]
        expect('%s: every near-duplicate' % way, missed, [])


def full(folder, _):
    """No disk space for the index: the output fails, and not the program. A limit on file sizes simulates a full disk."""
    source = archive.write(os.path.join(folder, 'a.warc.gz'), crawl(300, 7)[0])
    for limit in (4 << 10, 20 << 10):
        done = thresher('run', '-q', '--index.path', os.path.join(folder, 'i%d' % limit), *SMALL, '-O', '/dev/null', source,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        expect_true('files of %d bytes: 74, with a reason' % limit, done.returncode == 74 and b'too large' in done.stderr, (done.returncode, done.stderr))


def resume(folder, rounds):
    """kill -9 during inserts. The job continues after each kill, and the result equals an uninterrupted run."""
    path = lambda name: os.path.join(folder, name)
    rng = random.Random(9)
    source = archive.write(path('a.warc.gz'), crawl(1500, 4)[0])
    whole = run(path('whole.i'), path('whole.jsonl'), '-j2', source)
    hits = finished = 0
    done = True
    while hits < rounds:
        if done:
            for name in ('parted.i', 'parted.jsonl', 'parted.jsonl.state', 'parted.jsonl.edges'):
                (shutil.rmtree if name.endswith('.i') else os.unlink)(path(name)) if exists(path(name)) else None
        command = [PROGRAM, 'run', '-q', '-j2', '--checkpoint-ms', '0', '--index.path', path('parted.i'), *SMALL, '-O', path('parted.jsonl'),
                   '--index.edges', path('parted.jsonl.edges'), '--resume', source]
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        time.sleep(rng.uniform(0.02, 0.4))
        process.kill()
        words = process.communicate()[1]
        hits += process.returncode == -signal.SIGKILL
        expect_true('killed or done, never failed', process.returncode in (0, -signal.SIGKILL), words)
        done = process.returncode == 0
        if done:
            finished += 1
            expect('finished between kills: output', contents(path('parted.jsonl')) == whole, True)
    last = subprocess.run(command, capture_output=True)
    expect_true('last run ends well', last.returncode == 0, last.stderr)
    print('%d kills hit, %d jobs ended' % (hits, finished + 1))
    expect('output', contents(path('parted.jsonl')) == whole, True)
    expect('edges', contents(path('parted.jsonl.edges')) == contents(path('whole.jsonl.edges')), True)
    probe = archive.write(path('probe.warc.gz'), crawl(1500, 4)[0][::3] + crawl(60, 5)[0])
    expect('its later answers', run(path('parted.i'), path('p1.jsonl'), probe) == run(path('whole.i'), path('p2.jsonl'), probe), True)


def serve(folder, rounds):
    """The daemon, spool to files: killed; every record is there once, with the answer of an uninterrupted run."""
    path = lambda name: os.path.join(folder, name)
    rng = random.Random(2)
    os.makedirs(path('spool'))
    with open(path('conf'), 'w') as f:
        f.write('[run]\njobs = 2\n[index]\npath = %s\nepoch = 0\nsegment-pages = 60\nkeep = 100\n[daemon]\nlisten = none\nflush-ms = 30\nlog-level = notice\n'
                '[spool]\npath = %s\nsettle-ms = 1\nquiet-ms = 20\nmin-age-ms = 200\nrescan-ms = 100\n[files]\npath = %s\nroll-bytes = 200K\nedges = yes\n'
                % (path('i'), path('spool'), path('out')))
    sources = []

    def drop():
        name = 'crawl-%05d.warc.gz' % len(sources)
        parts = crawl(100, 4)[0] if not sources else crawl(100, 4)[0][::2] + crawl(50, 100 + len(sources))[0]
        parts = [part.replace(b'Target-URI: http://', b'Target-URI: http://n%d.' % len(sources)).replace(b'urn:uuid:', b'urn:uuid:%04d' % len(sources)) for part in parts]
        sources.append(archive.write(path(name), parts))
        shutil.copy(sources[-1], path('spool/%s.open' % name))
        os.rename(path('spool/%s.open' % name), path('spool/%s' % name))

    def begin():
        return start('serve', '-c', path('conf'), stderr=open(path('log'), 'ab'))

    def written(prefix):
        """Returns the published files of a stream. Data without a ledger line is set aside as NAME.part.damaged and does not count."""
        names = [name for name in sorted(os.listdir(path('out'))) if name.startswith(prefix) and name.endswith('.jsonl')]
        return b''.join(contents(os.path.join(path('out'), name)) for name in names)

    def has_part():
        return exists(path('out')) and any(name.endswith('.part') and os.path.getsize(os.path.join(path('out'), name)) for name in os.listdir(path('out')))

    hits = 0
    for round_number in range(rounds):
        if rng.random() < 0.7 or not sources:
            drop()
        process = begin()
        if round_number == 0:  # between the first bytes and the first acknowledgement
            while not has_part() and process.poll() is None:
                pass
        else:
            time.sleep(rng.uniform(0.05, 0.7))
        process.kill()
        hits += process.wait() == -signal.SIGKILL
    process = begin()
    end = time.time() + 120
    while time.time() < end and process.poll() is None and not (exists(path('spool/done')) and len(os.listdir(path('spool/done'))) == len(sources)):
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(signal.SIGTERM)
    expect_true('the end is orderly', process.wait(60) == 0, contents(path('log'))[-1500:])
    print('%d of %d kills hit' % (hits, rounds))
    data = written('thresher-')
    got = found(data)
    want = found(run(path('whole.i'), path('whole.jsonl'), *sources))
    expect('every page once', (len(data.splitlines()), len(got)), (len(want), len(want)))
    expect('with the same answer', [(url, got[url], want[url]) for url in want if got[url] != want[url]], [])
    edges = written('edges-')
    expect_true('their edges next to them, without duplicates', edges == contents(path('whole.jsonl.edges')), (len(edges), len(contents(path('whole.jsonl.edges')))))
    expect_true('near-duplicates were among them', sum(near is not None for near in want.values()) > 20)


def main():
    for name in sys.argv[2:3] or list(ROUNDS):
        print('== %s' % name)
        with tempfile.TemporaryDirectory(prefix='thresher-index-') as folder:
            globals()[name](folder, int(sys.argv[3]) if len(sys.argv) > 3 else ROUNDS[name])


main()
