"""The spool with crawlers and operators that break the rules. Nothing may be lost or doubled, and each case is reported.

usage: spool.py PROGRAM [CASE [ROUNDS]]       CASE: plain, kill, two, ledger, few, removed, places, tree, alone, pair, rate, unreadable; default all, few rounds

plain, kill, two: a second archive of a name arrives while the first is NAME.processing, and is also read. Then the daemon is killed, or a second daemon shares
the folder. By hand: tests/run/spool.py build-release/src/thresher two 50

rate: many small files: at most one sync for ten of them, and at most a millisecond of processor time for each. TMPDIR=/dev/shm for the rate on tmpfs
"""
import collections
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
import urllib.request

import archive
from case import PROGRAM, expect, expect_true, free_port, is_sanitized, start

ROUNDS = {'plain': 3, 'kill': 3, 'two': 3, 'ledger': 1, 'few': 1, 'removed': 1, 'places': 1, 'tree': 4, 'alone': 2, 'pair': 3, 'rate': 1, 'unreadable': 1}
rng = random.Random(11)


class Daemon:
    """One process on a spool, with a separate ledger and output folder."""

    def __init__(self, folder, name, spool, flush_ms=60000, listen='none', **more):
        self.folder = os.path.join(folder, name)
        self.spool, self.out = spool, os.path.join(self.folder, 'out')
        os.makedirs(self.folder, exist_ok=True)
        os.makedirs(spool, exist_ok=True)
        self.config, self.logged = os.path.join(self.folder, 'conf'), os.path.join(self.folder, 'log')
        self.more, self.before = more, ()
        self.configure(flush_ms, listen)
        self.process = None

    def configure(self, flush_ms, listen='none'):
        lines = ''.join('%s = %s\n' % item for item in self.more.items())
        with open(self.config, 'w') as f:
            f.write('[run]\njobs = 1\n[daemon]\nlisten = %s\nflush-ms = %d\nflush-results = 1000000\nlog-level = notice\n[spool]\npath = %s\n'
                    'ledger = %s/ledger\nsettle-ms = 20\nquiet-ms = 20\nmin-age-ms = 50\nrescan-ms = 100\n%s[files]\npath = %s\n'
                    % (listen, flush_ms, self.spool, self.folder, lines, self.out))

    def start(self, **kwargs):
        self.ready = self.log().count('event=ready') if os.path.exists(self.logged) else 0
        with open(self.logged, 'ab') as log:
            self.process = start('serve', '-c', self.config, stderr=log, before=self.before, **kwargs)
        return self

    def stop(self, how=signal.SIGTERM):
        if how != signal.SIGKILL:
            until(lambda: self.log().count('event=ready') > self.ready or self.process.poll() is not None)
        self.process.send_signal(how)
        return self.process.wait(60)

    def log(self):
        with open(self.logged, errors='replace') as f:
            return f.read()


def until(holds, seconds=300):
    end = time.time() + seconds
    while not holds() and time.time() < end:
        time.sleep(0.01)
    return holds()


def fetch(port, path):
    with urllib.request.urlopen('http://127.0.0.1:%d%s' % (port, path), timeout=5) as answer:
        return answer.read().decode()


def archives_in(folder):
    return [name for name in os.listdir(folder) if name.endswith(('.warc', '.processing'))] if os.path.isdir(folder) else []


def drop(spool, name, title, records):
    """As a crawler does: written under another name, then renamed."""
    parts = [archive.response('<title>%s</title><p>%s</p>' % (title, archive.sentence(rng, 12)), 'http://%s.example/%d' % (title, i), i) for i in range(records)]
    path = os.path.join(spool, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    archive.write(path + '.open', parts)
    os.rename(path + '.open', path)


def published(*daemons):
    urls = collections.Counter()
    for daemon in daemons:
        for name in sorted(os.listdir(daemon.out)) if os.path.isdir(daemon.out) else ():
            if name.startswith('thresher-') and name.endswith('.jsonl'):
                with open(os.path.join(daemon.out, name)) as f:
                    urls.update(json.loads(line)['url'] for line in f)
    return urls


def check(claim, daemons, wanted):
    urls = published(*daemons)
    want = {'http://%s.example/%d' % (title, i) for title, records in wanted.items() for i in range(records)}
    expect('%s: nothing lost' % claim, sorted(want - set(urls)), [])
    expect('%s: nothing twice, nothing else' % claim, sorted((urls - collections.Counter(want)).items()), [])


def is_empty(spool):
    return not archives_in(spool)


def finish(daemons, spool):
    """All processes end. Then the first continues alone, with short flushes, until nothing is left."""
    for daemon in daemons:
        if daemon.process.poll() is None:
            expect('an orderly end', daemon.stop(), 0)
    for daemon in daemons:
        daemon.configure(20)
        daemon.start()
    expect_true('nothing is left', until(lambda: is_empty(spool)), os.listdir(spool))
    for daemon in daemons:
        expect('an orderly end', daemon.stop(), 0)


def same_name(folder, how):
    spool = os.path.join(folder, 'in')
    port = free_port()
    first = Daemon(folder, 'a', spool, listen='127.0.0.1:%d' % port).start()
    daemons = [first]
    drop(spool, 'x.warc', 'one', 300)
    expect_true('the first is claimed', until(lambda: os.path.exists(os.path.join(spool, 'x.warc.processing'))), first.log())
    if how == 'two':
        daemons.append(Daemon(folder, 'b', spool).start())
    time.sleep(rng.uniform(0, 0.1))
    drop(spool, 'x.warc', 'two', 50)
    expect_true('the second is claimed, too', until(lambda: os.path.exists(os.path.join(spool, 'x.1.warc.processing'))), [daemon.log() for daemon in daemons])
    expect('both are there', sorted(archives_in(spool)), ['x.1.warc.processing', 'x.warc.processing'])
    expect_true('none waits', 'thresher_spool_files{state="waiting"} 0\n' in fetch(port, '/metrics'), fetch(port, '/metrics'))
    time.sleep(rng.uniform(0, 0.1))
    if how != 'plain':
        first.stop(signal.SIGKILL)
    finish(daemons, spool)
    check(how, daemons, {'one': 300, 'two': 50})
    done = os.path.join(spool, 'done')
    expect('both archives are kept', sorted(os.listdir(done)), ['x.1.warc', 'x.warc'])


def plain(folder):
    same_name(folder, 'plain')


def kill(folder):
    same_name(folder, 'kill')


def two(folder):
    same_name(folder, 'two')


def ledger(folder):
    """claim = ledger: a crawler puts another archive under the name of an archive that is read and not yet acknowledged."""
    for finish in ('move', 'delete', 'keep'):
        where = os.path.join(folder, finish)
        spool = os.path.join(where, 'in')
        daemon = Daemon(where, 'a', spool, claim='ledger', finish=finish).start()
        drop(spool, 'x.warc', 'one', 100)
        expect_true('the first is processed', until(lambda: os.path.exists(daemon.folder + '/ledger') and b'x.warc' in open(daemon.folder + '/ledger', 'rb').read()))
        time.sleep(0.3)
        drop(spool, 'x.warc', 'two', 50)
        expect('an orderly end', daemon.stop(), 0)
        daemon.configure(20)
        daemon.start()
        until(lambda: sum(published(daemon).values()) >= 150, 3)
        time.sleep(0.5)
        expect('an orderly end', daemon.stop(), 0)
        check('claim = ledger, finish = %s' % finish, [daemon], {'one': 100, 'two': 50})


def few(folder):
    """Many small archives and few descriptors: reported, and all archives are published in one run."""
    spool = os.path.join(folder, 'in')
    port = free_port()
    for i in range(300):
        drop(spool, '%03d.warc' % i, 's%03d' % i, 1)
    daemon = Daemon(folder, 'a', spool, flush_ms=1000, listen='127.0.0.1:%d' % port)
    daemon.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (28, 28)))
    most = 0
    end = time.time() + 60
    while not is_empty(spool) and time.time() < end and daemon.process.poll() is None:
        most = max(most, len(os.listdir('/proc/%d/fd' % daemon.process.pid)))
        time.sleep(0.02)
    expect_true('alive', daemon.process.poll() is None, daemon.log()[-2000:])
    expect('nothing is left', archives_in(spool), [])
    expect_true('it is reported', 'event=few_descriptors' in daemon.log() and 'connections' in daemon.log(), daemon.log()[:2000])
    expect('somebody answers', fetch(port, '/livez'), 'ok\n')
    expect('an orderly end', daemon.stop(), 0)
    print('%d descriptors at most' % most)
    check('few descriptors', [daemon], {'s%03d' % i: 1 for i in range(300)})
    high = Daemon(folder, 'b', spool, listen='127.0.0.1:%d' % port)
    high.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (28, 4096)))
    until(lambda: 'event=ready' in high.log())
    expect('an orderly end', high.stop(), 0)
    expect_true('a soft limit is raised', 'few_descriptors' not in high.log(), high.log())


def removed(folder):
    """done/ and failed/ are removed under the daemon."""
    spool = os.path.join(folder, 'in')
    daemon = Daemon(folder, 'a', spool, flush_ms=50).start()
    until(lambda: 'event=ready' in daemon.log())
    for i in range(3):
        for name in ('done', 'failed'):
            shutil.rmtree(os.path.join(spool, name))
        drop(spool, 'x.warc', 'r%d' % i, 10)
        archive.write(os.path.join(spool, 'bad.warc'), [b'no archive\n'])
        expect_true('done', until(lambda: archives_in(spool + '/done') == ['x.warc']), os.listdir(spool))
        expect_true('failed', until(lambda: os.path.exists(spool + '/failed/bad.warc.reason')), os.listdir(spool))
        expect('nothing is left', archives_in(spool), [])
    expect('an orderly end', daemon.stop(), 0)
    expect_true('it is reported', 'done\' was removed' in daemon.log(), daemon.log())
    check('done/ removed', [daemon], {'r%d' % i: 10 for i in range(3)})


def places(folder):
    """Output must not go to an input folder."""
    path = lambda *names: os.path.join(folder, *names)
    os.makedirs(path('in', 'launch'))
    os.makedirs(path('out'))
    os.symlink(path('in'), path('link'))
    spool, out, index = '[spool]\npath = %s\n' % path('in'), '[files]\npath = %s\n', '[index]\npath = %s\n'
    with open(path('conf'), 'w') as f:
        f.write('')
    cases = [
        (spool + out % path('in'), 'output folder', path('in')),
        (spool + out % path('in', 'launch', 'out'), 'output folder', path('in', 'launch', 'out')),
        (spool + out % path('link', 'new'), 'output folder', path('link', 'new')),
        (spool + out % path('out') + index % path('in', 'index'), 'index folder', path('in', 'index')),
        (spool + out % path('out') + index % path('out'), 'index folder', path('out')),
        (spool + 'done = %s\n' % path('link') + out % path('out'), 'finished files', path('link')),
        (spool + 'failed = %s/\n' % path('in') + out % path('out'), 'failed files', path('in')),
        (spool + 'ledger = %s\n' % path('in', 'ledger.warc') + out % path('out'), 'ledger', path('in', 'ledger.warc')),
        (spool + 'ledger = %s\n' % path('conf') + out % path('out'), 'not a ledger', path('conf')),
    ]
    for text, role, named in cases:
        text = '[daemon]\nlisten = none\n' + text
        with open(path('conf'), 'w') as f:
            f.write(text)
        done = subprocess.run([PROGRAM, 'serve', '-c', path('conf')], capture_output=True, text=True, timeout=20)
        expect_true('refused by name: %s %s' % (role, named), done.returncode == 78 and role in done.stderr and named in done.stderr, (done.returncode, done.stderr))
        with open(path('conf')) as f:
            expect('the configuration is as it was', f.read(), text)
    expect('nothing was made', sorted(os.listdir(path('out'))) + [name for name in os.listdir(path('in')) if name not in ('done', 'failed', 'launch') and not name.startswith('.')], [])


def launches(folder, names, **more):
    """Launches with files of the same names, made while daemons run and are killed."""
    spool = os.path.join(folder, 'in')
    daemons = [Daemon(folder, name, spool, flush_ms=30, **more) for name in names]
    wanted = {}
    for launch in range(12):
        for daemon in daemons:
            if daemon.process is None or daemon.process.poll() is not None:
                daemon.start()
        for name in ('a', 'b'):
            title = 'l%02d%s' % (launch, name)
            drop(spool, 'job/%d/warcs/%s.warc' % (launch, name), title, 20)
            wanted[title] = 20
        time.sleep(rng.uniform(0, 0.3))
        rng.choice(daemons).stop(signal.SIGKILL)
    for daemon in daemons:
        if daemon.process.poll() is not None:
            daemon.start()
    done = os.path.join(spool, 'done', 'job')
    expect_true('all launches are done', until(lambda: sum(len(archives_in('%s/%d/warcs' % (done, i))) for i in range(12)) == 24),
                [daemon.log()[-1000:] for daemon in daemons])
    for daemon in daemons:
        expect('an orderly end', daemon.stop(), 0)
    check('launches', daemons, wanted)


def tree(folder):
    launches(folder, 'ab')


def alone(folder):
    launches(folder, 'a', claim='ledger')


def pair(folder):
    """Two daemons, each with its ledger, that may not rename: they see each other's claims while both live."""
    spool = os.path.join(folder, 'in')
    daemons = [Daemon(folder, name, spool, flush_ms=rng.choice([20, 300]), claim='ledger').start() for name in 'ab']
    wanted = {'p%02d' % i: rng.randint(1, 60) for i in range(40)}
    for title, records in wanted.items():
        drop(spool, title + '.warc', title, records)
    expect_true('nothing is left', until(lambda: is_empty(spool)), os.listdir(spool))
    for daemon in daemons:
        expect('an orderly end', daemon.stop(), 0)
    check('two that do not rename', daemons, wanted)


def rate(folder):
    """The ledger, the output and the folders are synced for groups of files."""
    count = 2000
    counts = os.path.join(folder, 'counts')
    for how in 'time', 'syncs':
        spool = os.path.join(folder, how, 'in')
        daemon = Daemon(folder, how, spool, flush_ms=300)
        for i in range(count):
            drop(spool, '%d.warc' % i, how + str(i), 1)
        if how == 'syncs':
            if not shutil.which('strace'):
                print('strace is not installed: syncs were not counted')
                sys.exit(77)
            daemon.before = 'strace', '-D', '-f', '--seccomp-bpf', '-c', '-o', counts, '-e', 'trace=fsync,fdatasync,sync,syncfs'
            os.environ['ASAN_OPTIONS'] = os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0'  # LeakSanitizer also uses ptrace
        begun, used = time.time(), sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        daemon.start()
        expect_true('nothing is left', until(lambda: is_empty(spool)), len(archives_in(spool)))
        took = time.time() - begun
        expect('an orderly end', daemon.stop(), 0)
        check('many small files', [daemon], {how + str(i): 1 for i in range(count)})
        if how == 'time':
            used = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - used
            print('%d files: %.0f per second, %.2f s of processor time' % (count, count / took, used))
            expect_true('a millisecond of processor time for a file', used < count / 1000 or is_sanitized(), used)
    expect_true('strace ends', until(lambda: os.path.exists(counts) and os.path.getsize(counts)))
    with open(counts) as f:
        syncs = {line.split()[-1]: int(line.split()[3]) for line in f if 'sync' in line.split()[-1]}
    expect_true('at most one sync for ten files: %s' % syncs, 0 < sum(syncs.values()) <= count / 10, syncs)


def unreadable(folder):
    """A file that may not be read is put aside at once with the reason, and the others are read. The daemon has no special rights."""
    spool = os.path.join(folder, 'in')
    drop(spool, 'x.warc', 'good', 10)
    drop(spool, 'closed.warc', 'closed', 10)
    os.chmod(os.path.join(spool, 'closed.warc'), 0)
    daemon = Daemon(folder, 'a', spool, flush_ms=50)
    user = {}
    if os.geteuid() == 0:
        for at, _, names in os.walk(folder):
            for path in (at, *(os.path.join(at, name) for name in names)):
                os.chown(path, 65534, 65534)
        user = {'user': 65534, 'group': 65534, 'extra_groups': ()}
        try:
            subprocess.run([PROGRAM, 'version'], capture_output=True, check=True, **user)
        except (OSError, subprocess.CalledProcessError) as error:
            print('another user cannot start the program: %s' % error)
            sys.exit(77)
    daemon.start(**user)
    expect_true('the file is put aside', until(lambda: archives_in(spool + '/failed') == ['closed.warc']), daemon.log()[-2000:])
    expect_true('with the reason', until(lambda: os.path.exists(spool + '/failed/closed.warc.reason')), os.listdir(spool + '/failed'))
    with open(spool + '/failed/closed.warc.reason') as f:
        words = f.read()
    expect_true('which names the cause', 'cannot open it: Permission denied' in words, words)
    expect_true('and the log reports it', 'closed.warc' in daemon.log() and 'Permission denied' in daemon.log(), daemon.log())
    expect_true('the other file is read', until(lambda: archives_in(spool + '/done') == ['x.warc']), os.listdir(spool))
    expect('nothing is left', archives_in(spool), [])
    expect('an orderly end', daemon.stop(), 0)
    check('a file without rights', [daemon], {'good': 10})


def main():
    for name in sys.argv[2:3] or list(ROUNDS):
        for number in range(int(sys.argv[3]) if len(sys.argv) > 3 else ROUNDS[name]):
            folder = tempfile.mkdtemp(prefix='thresher-spool-')
            print('== %s %d' % (name, number + 1))
            globals()[name](folder)
            shutil.rmtree(folder)


main()
