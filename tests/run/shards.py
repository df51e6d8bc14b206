"""Processes that divide the inputs of a run: the union of their outputs equals one run after any kill, and each input is processed once.

usage: shards.py PROGRAM [ARCHIVES [KILLS]]
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

import archive
from case import PROGRAM, contents, expect, expect_true, thresher

ARCHIVES, KILLS = (int(text) for text in (sys.argv[2:] + ['16', '4'][len(sys.argv[2:]):])[:2])
SHARDS, PAGES = 8, 20
PLAIN = ['run', '-k', 'num-words', '-j1', '--checkpoint-ms', '0']
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(('SLURM_', 'JOB_COMPLETION', 'AWS_BATCH'))}


def shard(folder, inputs, number, **environment):
    return subprocess.Popen([PROGRAM, *PLAIN, '-q', '--shard', number, '-O', folder, inputs], env={**CLEAN, **environment}, stderr=subprocess.PIPE)


def outputs(folder):
    return {name: contents(os.path.join(folder, name)) for name in os.listdir(folder) if name.endswith('.jsonl')}


def markers(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith('.done'))


def ends(claim, processes):
    expect(claim, [(process.wait(), process.stderr.read()) for process in processes], [(0, b'')] * len(processes))


with tempfile.TemporaryDirectory() as top:
    inputs, one, many = (os.path.join(top, name, '') for name in ('in', 'one', 'many'))
    os.mkdir(inputs)
    for number in range(ARCHIVES):
        archive.write(os.path.join(inputs, 'a%03d.warc.gz' % number), archive.records(PAGES, seed=number))
    thresher(*PLAIN, '-q', '-O', one, inputs)
    want = outputs(one)
    expect('one run has an output for each', len(want), ARCHIVES)

    # Shares that are killed at random, and started again until all are through.
    rng = random.Random(18)
    left, kills, running = set(range(SHARDS)), 0, {}
    deadline = time.monotonic() + 300
    while left and time.monotonic() < deadline:
        for number in left - set(running):
            running[number] = shard(many, inputs, '%d/%d' % (number, SHARDS))
        time.sleep(rng.uniform(.01, .1))
        if kills < KILLS:
            victim = running.pop(rng.choice(sorted(running)))
            victim.send_signal(signal.SIGKILL)
            victim.wait()  # until it is gone it holds its files, and another process is refused them
            kills += 1
            continue
        for number, process in list(running.items()):
            if process.poll() is not None:
                expect('shard %d ends' % number, (process.returncode, process.stderr.read()), (0, b''))
                left.discard(number)
                del running[number]
    expect_true('%d kills: the union is the one run, byte for byte' % kills, outputs(many) == want)
    expect('a marker for each input, and no state', (markers(many), [n for n in os.listdir(many) if n.endswith(('.state', '.part'))]),
           (sorted(name + '.done' for name in want), []))

    said = json.loads(thresher('summary', '--json', many).stdout)
    expect('summary adds up', (said['done'], said['read'], said['emitted'], sum(said['refused'].values())),
           (ARCHIVES, ARCHIVES * (2 * PAGES + 1), ARCHIVES * PAGES, ARCHIVES * (PAGES + 1)))
    text = thresher('summary', many).stdout.decode()
    expect_true('and reports it', 'inputs   %d done, 0 in progress\nrecords  %d read' % (ARCHIVES, ARCHIVES * (2 * PAGES + 1)) in text, text)

    other = os.path.join(top, 'other', '')
    thresher('run', '-q', '-O', other, inputs)
    run = thresher('summary', other)
    expect_true('a run without --shard has no markers', run.returncode == 2 and run.stdout == b'' and b'thresher.manifest.json' in run.stderr, run.stderr)

    # Finished inputs do not change, and missing inputs are processed, also with another number of shards.
    lost = 'a001.jsonl'
    times = {name: os.stat(os.path.join(many, name)).st_mtime_ns for name in want}
    for suffix in ('', '.done'):
        os.remove(os.path.join(many, lost + suffix))
    ends('a rerun with other shards', [shard(many, inputs, '%d/3' % number) for number in range(3)])
    expect_true('processes the missing inputs', outputs(many) == want)
    expect('and nothing else', [name for name in want if os.stat(os.path.join(many, name)).st_mtime_ns != times[name]], [lost])

    # As schedulers count.
    slurm = os.path.join(top, 'slurm', '')
    ends('a Slurm array of 3 from 5 on, in steps of 2',
         [shard(slurm, inputs, 'auto', SLURM_ARRAY_TASK_ID=str(5 + 2 * i), SLURM_ARRAY_TASK_MIN='5', SLURM_ARRAY_TASK_STEP='2',
                SLURM_ARRAY_TASK_COUNT='3') for i in range(3)])
    expect_true('gives the one run', outputs(slurm) == want and len(markers(slurm)) == ARCHIVES)
    indexed = os.path.join(top, 'indexed', '')
    ends('an indexed Job and an AWS array', [shard(indexed, inputs, 'auto/2', JOB_COMPLETION_INDEX='0'),
                                             shard(indexed, inputs, 'auto', AWS_BATCH_JOB_ARRAY_INDEX='1', AWS_BATCH_JOB_ARRAY_SIZE='2')])
    expect_true('give the one run', outputs(indexed) == want)

    by_script = os.path.join(top, 'script', '')
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'deploy', 'xargs', 'shards.sh')
    os.symlink(os.path.abspath(PROGRAM), os.path.join(top, 'thresher'))
    run = subprocess.run([script, '4', inputs, by_script, '-k', 'num-words'], env={**CLEAN, 'PATH': top + ':' + CLEAN['PATH']}, capture_output=True)
    expect('deploy/xargs', (run.returncode, run.stderr), (0, b''))
    expect_true('gives the one run', outputs(by_script) == want and b'%d done' % ARCHIVES in run.stdout)
    damaged = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'samples', 'damaged.warc.gz')
    run = subprocess.run([script, '2', damaged, os.path.join(top, 'damaged', '')], env={**CLEAN, 'PATH': top + ':' + CLEAN['PATH']}, capture_output=True)
    expect_true('the sums where an archive is damaged', run.returncode == 1 and b'damage   ' in run.stdout, run)

    # An input that cannot be read is tried again by the next run, and stops no other.
    listed = os.path.join(top, 'list')
    with open(listed, 'w') as f:
        f.write('http://127.0.0.1:9/none.warc.gz\n' + os.path.join(inputs, 'a000.warc.gz') + '\n')
    said = thresher(*PLAIN, '--remote.retries', '0', '--shard', '0/1', '-O', os.path.join(top, 'part', ''), '@' + listed, env=CLEAN)
    if b'without libcurl' not in said.stderr:
        expect_true('a store that does not answer', said.returncode == 1 and b'none.warc.gz: offset 0: ' in said.stderr and b'1 failed' in said.stderr,
                    said.stderr)
        expect('gets no marker, and the others do', markers(os.path.join(top, 'part')), ['a000.jsonl.done'])

    # Input that is refused.
    for why, args in (('other options', ('--shard', '0/8', '-O', many, '-e', 'all')), ('needs a folder', ('--shard', '0/8', '-O', os.path.join(top, 'x.jsonl'))),
                      ('from 0 to N - 1', ('--shard', '8/8', '-O', many)), ('expected I/N', ('--shard', '1of8', '-O', many)),
                      ('number of shards is unknown', ('--shard', '3', '-O', many)), ('the environment has no', ('--shard', 'auto', '-O', many)),
                      ('cannot be combined with rejects', ('--shard', '0/8', '-O', many, '--rejects', os.path.join(top, 'r')))):
        said = thresher(*PLAIN, *args, inputs, env=CLEAN)
        expect_true('refused: ' + why, said.returncode == 2 and why.encode() in said.stderr, said.stderr)
