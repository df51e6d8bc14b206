"""The daemon, spool to files: killed, stopped, reloaded, with a full disk. Nothing may be lost or doubled.

usage: serve.py PROGRAM [CASE [ROUNDS]]       CASE: kill, term, reload, ledger, wrong, full; default all, few rounds
"""
import json
import os
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import archive
from case import PROGRAM, expect, expect_soon, expect_true, free_port, metrics_add_up, start

ROUNDS = {'kill': 8, 'term': 5, 'reload': 20, 'ledger': 40, 'wrong': 1, 'full': 2}
rng = random.Random(5)


class Daemon:
    """A spool, an output folder and a configuration; start() as often as one likes."""

    def __init__(self, folder, **settings):
        self.folder = folder
        self.spool, self.out = os.path.join(folder, 'spool'), os.path.join(folder, 'out')
        os.makedirs(self.spool)
        self.config = os.path.join(folder, 'thresher.conf')
        self.write_config(**settings)
        self.sent = []
        self.process = None
        self.environment = None

    def write_config(self, listen='none', classifier='num-words', out=None, extra=''):
        with open(self.config, 'w') as f:
            f.write('[run]\njobs = 2\n[text]\nclassifier = %s\n[daemon]\nlisten = %s\nflush-ms = 30\nlog-level = notice\n'
                    '[spool]\npath = %s\nsettle-ms = 1\nquiet-ms = 20\nmin-age-ms = 200\nrescan-ms = 100\n'
                    '[files]\npath = %s\nroll-bytes = 200K\n%s' % (classifier, listen, self.spool, out or self.out, extra))

    def start(self):
        self.before = len(self.log()) if self.process else 0
        with open(os.path.join(self.folder, 'log'), 'ab') as log:
            self.process = start('serve', '-c', self.config, stderr=log, env=self.environment)

    def wait_until_ready(self, seconds=300):
        end = time.time() + seconds
        while 'event=ready' not in self.log()[self.before:] and self.process.poll() is None and time.time() < end:
            time.sleep(0.01)

    def stop(self, how=signal.SIGTERM, timeout=300):
        self.process.send_signal(how)
        return self.process.wait(timeout)

    def log(self):
        with open(os.path.join(self.folder, 'log'), errors='replace') as f:
            return f.read()

    def drop(self, records=60):
        """A crawler closes an archive: written under another name, then renamed."""
        number = len(self.sent)
        parts = [archive.response(archive.page(rng, 2), 'http://s.example/%d/%d' % (number, i), number * 1000 + i) for i in range(records)]
        path = os.path.join(self.spool, 'crawl-%05d.warc.gz' % number)
        archive.write(path + '.open', parts)
        os.rename(path + '.open', path)
        self.sent.append(['http://s.example/%d/%d' % (number, i) for i in range(records)])

    def done(self):
        done = os.path.join(self.spool, 'done')
        return len(os.listdir(done)) if os.path.isdir(done) else 0

    def wait_for_all(self, seconds=300):
        end = time.time() + seconds
        while self.done() < len(self.sent) and time.time() < end:
            time.sleep(0.05)
        expect('every file is done', self.done(), len(self.sent))

    def published(self):
        urls = []
        for name in sorted(os.listdir(self.out)):
            if name.startswith('thresher-') and name.endswith('.jsonl'):
                with open(os.path.join(self.out, name), 'rb') as f:
                    data = f.read()
                expect_true('%s is complete' % name, not data or data.endswith(b'\n'))
                urls += [json.loads(line)['url'] for line in data.splitlines()]
        return urls

    def check(self, claim):
        urls = self.published()
        want = [url for urls_of_file in self.sent for url in urls_of_file]
        expect('%s: 0 lost' % claim, sorted(set(want) - set(urls)), [])
        expect('%s: 0 twice' % claim, len(urls) - len(set(urls)), 0)


def kill(folder, rounds):
    port = free_port()
    daemon = Daemon(folder, listen='127.0.0.1:%d' % port)
    hits = 0
    for _ in range(rounds):
        daemon.drop(rng.randint(1, 120))
        daemon.start()
        time.sleep(rng.uniform(0.02, 0.6))
        expect_true('the metrics add up', metrics_add_up(port))
        hits += daemon.stop(signal.SIGKILL) == -signal.SIGKILL
    daemon.start()
    daemon.wait_until_ready()
    daemon.wait_for_all()
    expect('the end is orderly', daemon.stop(), 0)
    print('%d of %d kills hit' % (hits, rounds))
    daemon.check('kill -9')


def term(folder, rounds):
    daemon = Daemon(folder)
    service_manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    service_manager.bind(os.path.join(folder, 'notify'))
    daemon.environment = {**os.environ, 'NOTIFY_SOCKET': os.path.join(folder, 'notify')}
    slowest = 0
    for _ in range(rounds):
        daemon.drop(200)
        daemon.start()
        daemon.wait_until_ready()
        time.sleep(rng.uniform(0, 0.4))
        start = time.time()
        expect('SIGTERM under load: exit code', daemon.stop(), 0)
        slowest = max(slowest, time.time() - start)
        told = []
        while select.select([service_manager], [], [], 0)[0]:
            told += service_manager.recv(4096).decode().split('\n')
        told = [line for line in told if line in ('READY=1', 'STOPPING=1')]
        expect('the service manager is told about start and end', told, ['READY=1', 'STOPPING=1'])
    print('slowest end %.2f s' % slowest)
    expect_soon('the slowest end', slowest, 5)
    expect('each end is logged', daemon.log().count('event=ended'), rounds)
    daemon.start()
    daemon.wait_for_all()
    daemon.stop()
    daemon.check('SIGTERM')


def fetch(port, path):
    with urllib.request.urlopen('http://127.0.0.1:%d%s' % (port, path), timeout=60) as answer:
        return answer.read().decode()


def memory_and_files(pid):
    with open('/proc/%d/status' % pid) as f:
        resident = next(int(line.split()[1]) for line in f if line.startswith('VmRSS'))
    return resident, len(os.listdir('/proc/%d/fd' % pid))


def reload(folder, rounds):
    port = free_port()
    daemon = Daemon(folder, listen='127.0.0.1:%d' % port)
    daemon.drop(50)
    daemon.start()
    daemon.wait_for_all()
    metrics = fetch(port, '/metrics')
    for name in ('thresher_records_received_total{source="spool"} 50', 'thresher_records_emitted_total{sink="files"} 50'):
        expect_true('metrics say ' + name, name in metrics, metrics[:2000])
    expect('ready', fetch(port, '/readyz').strip(), 'ok')
    facts = [memory_and_files(daemon.process.pid)]
    for i in range(rounds):
        wrong = i % 3 == 2
        daemon.write_config(listen='127.0.0.1:%d' % port, classifier='nonsense' if wrong else ('keep-all', 'num-words')[i % 2])
        daemon.process.send_signal(signal.SIGHUP)
        daemon.drop(20)
        time.sleep(0.1)
        facts.append(memory_and_files(daemon.process.pid))
    daemon.wait_for_all()
    expect_true('still alive', daemon.process.poll() is None, daemon.log()[-2000:])
    expect_true('nothing needs a restart', 'needs_restart' not in daemon.log(), daemon.log()[-2000:])
    # Options that a running daemon cannot change are named, and keep their value.
    daemon.write_config(listen='127.0.0.1:%d' % port, classifier='keep-all', extra='[run]\njobs = 3\ncompress = zstd\n[kafka]\ngroup = other\nlibrdkafka.debug = topic\n')
    daemon.process.send_signal(signal.SIGHUP)
    daemon.drop(20)
    daemon.wait_for_all()
    words = 'event=needs_restart options="compress, jobs, kafka.group, librdkafka.debug"'
    expect_true('options that need a restart are named: ' + words, words in daemon.log(), daemon.log()[-2000:])
    expect_true('good files are processed, bad ones refused', 'event=reloaded' in daemon.log() and 'event=reload_refused' in daemon.log(), daemon.log()[-2000:])
    # Open files vary. A leaked descriptor per reload would add up.
    facts.append(memory_and_files(daemon.process.pid))
    expect_true('no descriptor is kept', facts[-1][1] < facts[0][1] + rounds // 4, facts)
    print('resident kB first %d, last %d' % (facts[2][0], facts[-1][0]))
    daemon.stop()
    daemon.check('reload')


def ledger(folder, rounds):
    """A ledger that is cut or flipped anywhere never keeps the daemon from starting."""
    daemon = Daemon(folder)
    daemon.drop(30)
    daemon.start()
    daemon.wait_for_all()
    daemon.stop()
    path = os.path.join(daemon.spool, '.thresher.ledger')
    with open(path, 'rb') as f:
        good = f.read()
    for i in range(rounds):
        at = rng.randrange(len(good))
        bad = good[:at] if i % 2 else good[:at] + bytes([good[at] ^ (1 << rng.randrange(8))]) + good[at + 1:]
        with open(path, 'wb') as f:
            f.write(bad)
        daemon.start()
        daemon.wait_until_ready()
        expect('ledger damaged at %d: starts and ends' % at, daemon.stop(), 0)


def wrong(folder, _):
    """Invalid setups are reported with their exit code."""
    daemon = Daemon(folder)
    for text, word in (('[spool]\npath = /nowhere/at/all\n[files]\npath = %s\n' % daemon.out, '/nowhere'),
                       ('[spool]\npath = %s\n' % daemon.spool, 'output'), ('[files]\npath = %s\n' % daemon.out, 'input'),
                       ('[daemon]\nnonsense = 1\n', 'nonsense'), ('[daemon]\nlisten = nowhere\n[spool]\npath = %s\n[files]\npath = %s\n' % (daemon.spool, daemon.out), 'nowhere')):
        with open(daemon.config, 'w') as f:
            f.write(text)
        run = subprocess.run([PROGRAM, 'serve', '-c', daemon.config], capture_output=True, text=True, timeout=300)
        expect_true('wrong configuration: %r' % word, run.returncode in (75, 78) and word in run.stderr, (run.returncode, run.stderr))


def full(folder, rounds):
    """A full disk: the daemon pauses, reports it, and continues when space is available."""
    if os.geteuid() != 0:
        print('skipped: mounting a tmpfs takes root')
        return
    small = os.path.join(folder, 'small')
    os.makedirs(small)
    if subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=8M', 'tmpfs', small]).returncode:
        print('skipped: no tmpfs can be mounted here')
        return
    try:
        daemon = Daemon(folder)
        daemon.out = os.path.join(small, 'out')
        daemon.write_config(extra='[daemon]\ndrain-ms = 2000\n')
        for _ in range(rounds):
            ballast = os.path.join(small, 'ballast')
            daemon.start()
            daemon.wait_until_ready()
            with open(ballast, 'wb', buffering=0) as f:
                try:
                    while True:
                        f.write(bytes(4096))
                except OSError:
                    pass
            daemon.drop(60)
            end = time.time() + 300
            while 'event=output_blocked' not in daemon.log()[daemon.before:] and time.time() < end:
                time.sleep(0.05)
            expect_true('a full disk is reported', 'event=output_blocked' in daemon.log()[daemon.before:], daemon.log()[-1500:])
            expect_true('and survived', daemon.process.poll() is None)
            expect('an end before there is room', daemon.stop(), 75)
            expect_true('reports the rest', 'event=failed why="stopping' in daemon.log()[daemon.before:], daemon.log()[-1500:])
            daemon.start()
            os.unlink(ballast)
            daemon.wait_for_all(30)
            expect('the end is orderly', daemon.stop(), 0)
            daemon.check('full disk')
            for name in os.listdir(daemon.out):  # room for the next round
                if name.endswith('.jsonl'):
                    os.unlink(os.path.join(daemon.out, name))
            daemon.sent = [[] for _ in daemon.sent]
    finally:
        if daemon.process and daemon.process.poll() is None:
            daemon.process.kill()
            daemon.process.wait()
        subprocess.run(['umount', small])


def main():
    wanted = sys.argv[2:3] or list(ROUNDS)
    for name in wanted:
        folder = tempfile.mkdtemp(prefix='thresher-serve-')
        print('== %s' % name)
        globals()[name](folder, int(sys.argv[3]) if len(sys.argv) > 3 else ROUNDS[name])
        shutil.rmtree(folder)


main()
