"""Hundreds of broken transfers: the output equals the local file's, or the command fails with an error that names object and offset.

usage: many_faults.py PROGRAM [--step BYTES] [--random N] [--kills N] [--pages N]
"""
import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import archive
from case import PROGRAM, contents, expect, expect_true, thresher
from store import Fault, Store

FAST = ['-q', '-k', 'num-words', '--remote.backoff-ms', '1', '--remote.stall-ms', '100']
NAME = 's3://crawls/a.warc.gz'


def run(store, *args):
    return subprocess.run([PROGRAM, 'run', '-j2', *FAST, *args, NAME], capture_output=True, timeout=120, env=store.environment())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    for name, value in (('step', 100000), ('random', 20), ('kills', 3), ('pages', 300)):
        parser.add_argument('--' + name, type=int, default=value)
    asked = parser.parse_args()
    rng = random.Random(18)
    with tempfile.TemporaryDirectory() as folder, Store() as store:
        path = archive.write(os.path.join(folder, 'a.warc.gz'), archive.records(asked.pages))
        data = contents(path)
        store.put('crawls', 'a.warc.gz', data)
        want = thresher('run', *FAST, path).stdout.replace(path.encode(), NAME.encode())

        cuts = range(0, len(data), asked.step)
        for at in cuts:
            store.faults = [Fault('cut', at)]
            got = run(store)
            if got.returncode or got.stdout != want:
                expect('cut at %d' % at, (got.returncode, got.stderr), (0, b''))
                sys.exit('FAILED: cut at %d: other bytes' % at)
        expect_true('%d cuts, every %d bytes of %d: the local bytes' % (len(cuts), asked.step, len(data)), True)

        same = named = 0
        for number in range(asked.random):
            faults = []
            for _ in range(rng.randint(1, 6)):
                kind = rng.choice(('cut', 'reset', 'stall', '503', 'whole', 'cut', 'reset', 'changed', 'nameless'))
                faults.append(Fault(kind, rng.randrange(len(data)), .2 if kind == 'stall' else 0))
            store.faults = list(faults)
            got = run(store, '--remote.retries', str(rng.randint(0, 4)))
            story = '%d: %s' % (number, [(fault.kind, fault.at) for fault in faults])
            if got.returncode == 0:
                # The first answer decides which object it is. If the first complete answer is `changed`, that is the object.
                if got.stdout != want:
                    sys.exit('FAILED: other bytes without an error: ' + story)
                same += 1
            else:
                lines = got.stdout.splitlines()
                if got.returncode != 1 or b'%s: offset ' % NAME.encode() not in got.stderr and faults[0].kind != 'changed':
                    sys.exit('FAILED: %s: %d %s' % (story, got.returncode, got.stderr))
                if faults[0].kind != 'changed' and lines[:-1] != want.splitlines()[:max(0, len(lines) - 1)]:
                    sys.exit('FAILED: spliced: ' + story)
                named += 1
        expect_true('%d random faults: %d the local bytes, %d an error that names object and offset' % (asked.random, same, named), same + named == asked.random)

        # Kills happen within the time of one run. Jobs are started until enough kills hit.
        store.faults = []
        out, killed, jobs = os.path.join(folder, 'out.jsonl'), 0, 0
        command = [PROGRAM, 'run', '-j2', *FAST, '--checkpoint-ms', '0', '--resume', '-O', out, NAME]
        began = time.monotonic()
        subprocess.run(command, env=store.environment(), check=True)
        whole = time.monotonic() - began
        while killed < asked.kills:
            for suffix in ('', '.part', '.state'):
                if os.path.exists(out + suffix):
                    os.remove(out + suffix)
            jobs += 1
            done = None
            while done != 0:
                process = subprocess.Popen(command, env=store.environment(), stderr=subprocess.PIPE)
                try:
                    done = process.wait(timeout=rng.uniform(whole / 10, whole * 1.2))
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                    killed += 1
                if done not in (0, None):
                    sys.exit('FAILED: %s' % process.stderr.read())
            if contents(out) != want:
                sys.exit('FAILED: other bytes after kill -9, job %d' % jobs)
        expect_true('%d jobs, %d times kill -9 and --resume: the local bytes' % (jobs, killed), killed >= asked.kills)


main()
