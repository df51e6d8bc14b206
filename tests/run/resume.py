"""kill -9 at 20 random moments, each followed by --resume: the bytes of an uninterrupted run."""
import os
import random
import signal
import subprocess
import tempfile
import time

import archive
from case import PROGRAM, contents, exists, expect, expect_true, thresher

rng = random.Random(7)


def wait_for_state(process, out):
    """Until the run has written down how far it is, or is over: signal handlers stand, records are on their way."""
    while process.poll() is None and not exists(out + '.state'):
        time.sleep(.001)


def killed_to_the_end(command, kills):
    """Runs command, kills it after random times, resumes; returns how many kills hit a living run."""
    hits = 0
    for _ in range(kills):
        process = subprocess.Popen(command + ['--resume'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.01, 0.12))
        process.kill()
        hits += process.wait() == -signal.SIGKILL
    last = subprocess.run(command + ['--resume'], capture_output=True)
    expect('last run ends well', last.returncode, 0)
    return hits


with tempfile.TemporaryDirectory() as folder:
    parts = list(archive.records(2500))
    for name, packing, output in (('members.warc.gz', 'gzip', 'jsonl'), ('whole.warc.gz', 'whole', 'jsonl.gz'),
                                  ('plain.warc', 'plain', 'jsonl.zst'), ('members2.warc.gz', 'gzip', 'warc.wet.gz')):
        source = archive.write(os.path.join(folder, name), parts, packing)
        kind = ['-f', 'warc'] if 'wet' in output else []
        whole = os.path.join(folder, 'whole.' + output)
        parted = os.path.join(folder, 'parted.' + output)
        expect('uninterrupted run', thresher('run', '-j2', *kind, '-O', whole, '--rejects', whole + '.rejects', source).returncode, 0)
        command = [PROGRAM, 'run', '-q', '-j2', *kind, '--checkpoint-ms', '0', '-O', parted, '--rejects', parted + '.rejects', source]
        hits = killed_to_the_end(command, 20)
        print('%d of 20 kills hit' % hits)
        expect('%s: output' % name, contents(parted) == contents(whole), True)
        expect('%s: rejects' % name, contents(parted + '.rejects') == contents(whole + '.rejects'), True)
        expect('no state is left', exists(parted + '.state'), False)
        for path in (whole, parted):
            os.unlink(path)

    # One output for each input.
    sources = [archive.write(os.path.join(folder, 'in%d.warc.gz' % i), archive.records(300, seed=i)) for i in range(6)]
    whole, parted = (os.path.join(folder, name, '') for name in ('whole', 'parted'))
    thresher('run', '-O', whole, *sources)
    killed_to_the_end([PROGRAM, 'run', '-q', '--checkpoint-ms', '0', '-O', parted, *sources], 20)
    expect('folder: names', sorted(os.listdir(parted)), sorted(os.listdir(whole)))
    for name in os.listdir(whole):
        expect('folder: %s' % name, contents(parted + name) == contents(whole + name), True)

    # Shards of signatures: many files for each input, none of them half.
    def files(of):
        return {os.path.relpath(os.path.join(base, name), of): contents(os.path.join(base, name)) for base, _, names in os.walk(of) for name in names}

    whole, parted = (os.path.join(folder, name, '') for name in ('whole-sig', 'parted-sig'))
    kind = ['-f', 'minhash-sig', '-m', 'datatrove', '--rejects']
    expect('shards', thresher('run', '-j1', *kind, whole[:-1] + '.rejects', '-O', whole, *sources).returncode, 0)
    expect('shards: files', len(files(whole)), 14 * len(sources))
    hits = killed_to_the_end([PROGRAM, 'run', '-q', '-j2', *kind, parted[:-1] + '.rejects', '-O', parted, *sources], 12)
    print('%d of 12 kills hit' % hits)
    expect('shards: the same after kills', files(parted) == files(whole), True)
    expect('shards: rejects', contents(parted[:-1] + '.rejects') == contents(whole[:-1] + '.rejects'), True)

    # What ends a job in order leaves a resumable state and says so.
    source = os.path.join(folder, 'members.warc.gz')
    for number in (signal.SIGINT, signal.SIGHUP):
        name = number.name
        out = os.path.join(folder, 'interrupted.%s.jsonl' % name)
        process = subprocess.Popen([PROGRAM, 'run', '--checkpoint-ms', '0', '-O', out, source], stderr=subprocess.PIPE)
        wait_for_state(process, out)
        process.send_signal(number)
        words = process.communicate()[1]
        expect_true('%s ends in order' % name, process.returncode in (0, 130), process.returncode)
        if process.returncode == 130:
            expect_true('%s says how to go on' % name, b'--resume' in words, words)
            expect('resumed after %s' % name, thresher('run', '-O', out, '--resume', source).returncode, 0)
        expect('after %s' % name, len(contents(out).splitlines()), 2500)
    expect('a finished job is not done again', thresher('run', '-q', '-O', out, '--resume', source).returncode, 0)

    # A state of another job is refused.
    process = subprocess.Popen([PROGRAM, 'run', '-q', '--checkpoint-ms', '0', '-O', out + '2', source])
    wait_for_state(process, out + '2')
    process.kill()
    process.wait()
    if exists(out + '2.state'):
        other = thresher('run', '-O', out + '2', '--resume', '-k', 'keep-all', source)
        expect('another job', (other.returncode, b'other inputs or options' in other.stderr), (2, True))
