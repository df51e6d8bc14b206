"""A site memory that grows while pages come in: the same results for any number of workers, and after any kill.

    sites_memory.py THRESHER run|serve [KILLS]
"""
import glob
import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import archive
from case import PROGRAM, contents, expect, expect_true, start, thresher

CASE = sys.argv[2]
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 6
EPOCH = 20


def crawl(count, seed):
    """Pages of seven sites, each with its own menu; one page in ten is fetched twice."""
    rng = random.Random(seed)
    menus = [''.join('<li><a href="/">%s</a></li>' % archive.sentence(rng, 2) for _ in range(5)) for _ in range(7)]
    pages = []
    for i in range(count):
        if pages and rng.random() < .1:
            pages.append(rng.choice(pages))
            continue
        site = rng.randrange(7)
        body = ''.join('<p>%s</p>' % archive.sentence(rng, 30) for _ in range(rng.randint(2, 40)))
        pages.append(('http://www.site%d.example/%d' % (site, i), '<ul>%s</ul>%s<p>Owned by site %d</p>' % (menus[site], body, site)))
    return [archive.response(html, url, seed * 100000 + i) for i, (url, html) in enumerate(pages)]


def journal(folder):
    return b''.join(contents(name) for name in sorted(glob.glob(os.path.join(folder, 'journal-*'))))


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


with tempfile.TemporaryDirectory() as folder:
    def path(name):
        return os.path.join(folder, name)

    first = archive.write(path('first.warc.gz'), crawl(1500, 1))
    second = archive.write(path('second.warc.gz'), crawl(200, 2))
    options = ['--sites.epoch', EPOCH, '--sites.journal', '64K', '--emit', 'paragraphs', '--minhash', 'paper']

    def run(out, memory, source, *args):
        done = thresher('run', '-q', *options, '--sites.path', path(memory), '-O', path(out), *args, source)
        expect('exit code', done.returncode, 0)
        return contents(path(out))

    whole = run('whole.jsonl', 'whole', first)
    after = run('after.jsonl', 'whole', second)
    records = [json.loads(line) for line in whole.splitlines()]
    expect('an epoch knows nothing of itself', {r['site_pages'] for r in records[:EPOCH]}, {1})
    expect_true('later ones do', records[-1]['site_pages'] > 100, records[-1]['site_pages'])
    expect_true('menus recur', all(any(p.get('recurs') for p in r['paragraphs']) for r in records[-100:]))
    expect_true('and text that occurs once does not', all(p['pages'] <= 1 for r in records for p in r['paragraphs'] if not p.get('recurs')
                                                      and r['site_pages'] > 50))
    expect_true('a second input continues after the first', json.loads(after.splitlines()[0])['site_pages'] > 100)
    expect_true('old parts of the journal are gone', len(glob.glob(path('whole/sites-*'))) >= 1 and
                len(journal(path('whole'))) < len(whole), os.listdir(path('whole')))

    if CASE == 'run':
        # Records of more bytes than a part of a result: the parts take their entries with them. The pages are packed, so that they are in one batch.
        large = archive.write(path('large.warc.gz'), [archive.response(gzip.compress(b'<p>Menu</p><p>Text of page %d</p><!--%s-->' % (i, b'x' * (5000000 if i in (3, 7) else 9))),
                                                                       'http://large.example/%d' % i, i, 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n') for i in range(50)])
        parted = [json.loads(line) for line in run('large.jsonl', 'large', large, '--emit', 'html,paragraphs').splitlines()]
        expect('all pages of earlier epochs are known', [record['site_pages'] for record in parted], [1 + i // EPOCH * EPOCH for i in range(50)])
        expect('and their menu', [record['paragraphs'][0].get('pages') for record in parted[EPOCH:]], [record['site_pages'] for record in parted[EPOCH:]])

        for jobs in (1, 3, 8):
            expect_true('-j%d: the same' % jobs, run('j.jsonl', 'j%d' % jobs, first, '-j%d' % jobs) == whole)
            expect_true('-j%d: the same afterwards' % jobs, run('j.jsonl', 'j%d' % jobs, second) == after)

        dice = random.Random(4)
        kills = 0
        while kills < KILLS:
            for name in ('killed', 'again'):
                shutil.rmtree(path(name), ignore_errors=True)
            for name in glob.glob(path('k.jsonl*')):
                os.unlink(name)
            resume = []
            while True:
                job = subprocess.Popen([PROGRAM, 'run', '-q', *map(str, options), '--sites.path', path('killed'), '--checkpoint-ms', '5',
                                        '-j%d' % dice.randint(1, 3), '-O', path('k.jsonl'), *resume, first], stderr=subprocess.PIPE)
                try:
                    job.wait(timeout=dice.uniform(.005, .5))
                except subprocess.TimeoutExpired:
                    kill(job)
                    kills += 1
                    resume = ['--resume'] if os.path.exists(path('k.jsonl.state')) else []
                    continue
                expect_true('ends well', job.returncode == 0, job.stderr.read())
                break
            expect_true('output as without the kills', contents(path('k.jsonl')) == whole)
            expect_true('memory as without the kills', run('again.jsonl', 'killed', second) == after)
        print('kills: %d' % kills)

        # All is written and durable, and the output does not get its name: nothing of it is forgotten.
        for name in glob.glob(path('k.jsonl*')):
            os.unlink(name)
        shutil.rmtree(path('killed'), ignore_errors=True)
        command = ['run', '-q', *options, '--sites.path', path('killed'), '--checkpoint-ms', '5', '-O', path('k.jsonl'), first]
        job = start(*command)
        while not os.path.exists(path('k.jsonl.part')) and job.poll() is None:
            time.sleep(.001)
        os.mkdir(path('k.jsonl'))
        expect('it cannot get its name', job.wait(timeout=300), 74)
        os.rmdir(path('k.jsonl'))
        expect('resumed', thresher(*command[:-1], '--resume', first).returncode, 0)
        expect_true('output as without that', contents(path('k.jsonl')) == whole)
        expect_true('memory as without that', run('again.jsonl', 'killed', second) == after)

        # Damage fails with name and offset.
        for name in ('state', 'journal', 'sites'):
            shutil.copytree(path('whole'), path('bad'))
            # A checkpoint just before the end leaves a journal with little in it.
            victim = [part for part in sorted(glob.glob(path('bad/%s*' % name))) if os.path.getsize(part) > 30][-1]
            data = bytearray(contents(victim))
            data[30 if name != 'sites' else 5] ^= 1
            with open(victim, 'wb') as f:
                f.write(data)
            bad = thresher('run', '-q', *options, '--sites.path', path('bad'), '-O', path('b.jsonl'), second)
            expect_true('%s: refused' % name, bad.returncode in (2, 74), bad.returncode)
            expect_true('%s: by name' % name, os.path.basename(victim).encode() in bad.stderr, bad.stderr)
            shutil.rmtree(path('bad'))
        other = thresher('run', '-q', '--sites.epoch', '7', '--sites.path', path('whole'), '-O', path('b.jsonl'), second)
        expect('other options are refused', other.returncode, 2)
        expect_true('in words', b'other sites options' in other.stderr, other.stderr)
        both = thresher('run', '--sites.path', path('x'), '--two-pass', second)
        expect('two ways to count are refused', both.returncode, 2)
    else:
        def daemon(spool, memory):
            return start('serve', '-q', '--spool.path', path(spool), '--files.path', path(spool + '-out'), '--sites.path', path(memory),
                         *options, '--daemon.listen', 'none', '--daemon.flush-ms', '20', '--spool.min-age-ms', '0', '--spool.rescan-ms', '50',
                         '--daemon.delivery', 'exactly-once', stderr=open(path('log'), 'ab'))

        def drained(spool):
            return os.path.exists(path(spool + '/done/first.warc.gz'))

        def output(spool):
            rows = b''.join(contents(name) for name in sorted(glob.glob(path(spool + '-out/*.jsonl*'))) if 'rejects' not in name and not name.endswith('.manifest.json'))
            lines = [json.loads(line) for line in rows.splitlines()]
            for line in lines:
                del line['source']
            return lines

        def serve(spool, memory, dice=None, most=0):
            for name in (spool, spool + '-out'):
                os.makedirs(path(name), exist_ok=True)
            shutil.copy(first, path(spool))
            kills = 0
            for _ in range(most + 1):
                job = daemon(spool, memory)
                limit = time.time() + (dice.uniform(.05, .6) if dice and kills < most else 60)
                while time.time() < limit and not drained(spool) and job.poll() is None:
                    time.sleep(.01)
                expect_true('the daemon lives', job.poll() is None, contents(path('log'))[-2000:])
                if drained(spool):
                    job.terminate()
                    expect('ends well', job.wait(timeout=300), 0)
                    break
                kill(job)
                kills += 1
            expect_true('all was read', drained(spool))
            return kills

        serve('calm', 'calm-memory')
        calm = output('calm')
        plain = [json.loads(line) for line in whole.splitlines()]
        for line in plain:
            del line['source']
        expect_true('the daemon answers as run does', calm == plain)
        expect_true('and knows the same afterwards', run('c.jsonl', 'calm-memory', second) == after)
        kills, rounds = 0, 0
        dice = random.Random(5)
        while kills < KILLS and rounds < 4 * KILLS:
            rounds += 1
            spool = 'storm%d' % rounds
            kills += serve(spool, spool + '-memory', dice, most=4)
            expect_true('output as without the kills', output(spool) == calm)
            expect_true('memory as without the kills', run('c.jsonl', spool + '-memory', second) == after)
        print('kills: %d' % kills)
