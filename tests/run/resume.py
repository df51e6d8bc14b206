"""kill -9 at random moments, each followed by --resume: the bytes of an uninterrupted run.

usage: resume.py PROGRAM [KILLS]      of each kind of output; default 8
"""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

import archive
from case import PROGRAM, contents, exists, expect, expect_true, thresher

rng = random.Random(7)
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 8


def wait_for_state(process, out):
    """Waits until the run has saved a state, or ended. Then signal handlers are installed and records are in progress."""
    while process.poll() is None and not exists(out + '.state'):
        time.sleep(.001)


def counts_of(out):
    """The counts of a finished run, from its state."""
    with open(out + '.state') as f:
        rows = dict(line.split(' = ') for line in f.read().splitlines() if ' = ' in line)
    return {name: value for name, value in rows.items() if '.' in name or name in ('bytes_read', 'damaged', 'unreadable', 'read', 'emitted', 'html_bytes', 'tokens', 'input')}


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
        hits = killed_to_the_end(command, KILLS)
        print('%d of %d kills hit' % (hits, KILLS))
        expect('%s: output' % name, contents(parted) == contents(whole), True)
        expect('%s: rejects' % name, contents(parted + '.rejects') == contents(whole + '.rejects'), True)
        expect('%s: counts' % name, counts_of(parted), counts_of(whole))
        expect('nothing half is left', [n for n in os.listdir(folder) if n.endswith('.part')], [])
        for path in (whole, parted):
            os.unlink(path)

    # One output for each input.
    sources = [archive.write(os.path.join(folder, 'in%d.warc.gz' % i), archive.records(300, seed=i)) for i in range(6)]
    whole, parted = (os.path.join(folder, name, '') for name in ('whole', 'parted'))
    thresher('run', '-O', whole, *sources)
    killed_to_the_end([PROGRAM, 'run', '-q', '--checkpoint-ms', '0', '-O', parted, *sources], KILLS)
    expect('folder: names', sorted(os.listdir(parted)), sorted(os.listdir(whole)))
    for name in os.listdir(whole):
        if name == 'thresher.state':
            continue
        expect('folder: %s' % name, contents(parted + name) == contents(whole + name), True)

    # Shards of signatures: many files for each input, none of them half.
    def files(of):
        return {os.path.relpath(os.path.join(base, name), of): contents(os.path.join(base, name)) for base, _, names in os.walk(of) for name in names
                if name.endswith('.minhash.sig')}

    whole, parted = (os.path.join(folder, name, '') for name in ('whole-sig', 'parted-sig'))
    kind = ['-f', 'minhash-sig', '-m', 'datatrove', '--rejects']
    expect('shards', thresher('run', '-j1', *kind, whole[:-1] + '.rejects', '-O', whole, *sources).returncode, 0)
    expect('shards: files', len(files(whole)), 14 * len(sources))
    hits = killed_to_the_end([PROGRAM, 'run', '-q', '-j2', *kind, parted[:-1] + '.rejects', '-O', parted, *sources], KILLS)
    print('%d of %d kills hit' % (hits, KILLS))
    expect('shards: the same after kills', files(parted) == files(whole), True)
    expect('shards: rejects', contents(parted[:-1] + '.rejects') == contents(whole[:-1] + '.rejects'), True)

    # Any orderly end of a job leaves a resumable state and reports it.
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
            expect_true('%s explains how to continue' % name, b'--resume' in words, words)
            expect('resumed after %s' % name, thresher('run', '-O', out, '--resume', source).returncode, 0)
        expect('after %s' % name, len(contents(out).splitlines()), 2500)
    # Killed while it replaced its last state: the temporary file is ignored.
    with open(out + '.state.part', 'wb') as f:
        f.write(b'format = 1')
    expect('a finished job is not done again', thresher('run', '-q', '-O', out, '--resume', source).returncode, 0)
    expect('and removes the rest of a state', exists(out + '.state.part'), False)

    # A state of another job is refused.
    process = subprocess.Popen([PROGRAM, 'run', '-q', '--checkpoint-ms', '0', '-O', out[:-6] + '2.jsonl', source])
    out = out[:-6] + '2.jsonl'
    wait_for_state(process, out)
    process.kill()
    process.wait()
    if exists(out + '.state'):
        other = thresher('run', '-O', out, '--resume', '-k', 'keep-all', source)
        expect('another job', (other.returncode, b'with other options' in other.stderr), (2, True))

    # Any wrong bit of a state is refused. An unfinished output with changed last bytes is also refused.
    def state_of(path):
        with open(path + '.state') as f:
            return dict(line.split(' = ') for line in f.read().splitlines() if ' = ' in line)

    def flip(path, at):
        data = bytearray(contents(path))
        data[at] ^= 1
        with open(path, 'wb') as f:
            f.write(data)

    out = os.path.join(folder, 'flipped.jsonl')
    for _ in range(50):
        for name in (out, out + '.part', out + '.state'):
            if exists(name):
                os.unlink(name)
        process = subprocess.Popen([PROGRAM, 'run', '-q', '-j1', '--checkpoint-ms', '0', '-O', out, source])
        while process.poll() is None and not (exists(out + '.state') and int(state_of(out).get('pages_len', 0)) > 100):
            pass
        process.kill()
        if process.wait() == -signal.SIGKILL:
            break
    expect('killed on its way', process.returncode, -signal.SIGKILL)
    good = contents(out + '.state')
    for at in random.Random(1).sample(range(len(good)), 25):
        flip(out + '.state', at)
        run = thresher('run', '-q', '-O', out, '--resume', source)
        expect_true('byte %d of the state' % at, run.returncode == 2 and b'is damaged' in run.stderr, (run.returncode, run.stderr))
        with open(out + '.state', 'wb') as f:
            f.write(good)
    with open(out + '.state', 'wb') as f:
        f.write(good[:len(good) // 2])
    expect('half a state', thresher('run', '-q', '-O', out, '--resume', source).returncode, 2)
    with open(out + '.state', 'wb') as f:
        f.write(good)
    written = int(state_of(out)['pages_len'])
    flip(out + '.part', written - 50)
    run = thresher('run', '-q', '-O', out, '--resume', source)
    expect_true('the unfinished output is another', run.returncode == 2 and b'was changed after the run' in run.stderr, (run.returncode, run.stderr))
    flip(out + '.part', written - 50)
    expect('as it was, it is resumed', thresher('run', '-q', '-O', out, '--resume', source).returncode, 0)
    expect('to the complete output', len(contents(out).splitlines()), 2500)

    # A finished state has the inputs and the result of its job. Another job is refused, and the output is not changed.
    def again(claim, code, words, *args):
        run = thresher('run', '--resume', *args)
        expect_true(claim, run.returncode == code and words in run.stderr, (run.returncode, run.stderr))

    os.chdir(folder)
    good = archive.write('good.warc.gz', archive.records(30, seed=1))
    other = archive.write('other.warc.gz', archive.records(30, seed=2))
    with open(good, 'rb') as whole, open('bad.warc.gz', 'wb') as cut:
        cut.write(whole.read()[:-40])
    for name, kind in (('o.jsonl', []), ('o.warc.gz', ['-f', 'warc']), ('o/', []), ('s/', ['-f', 'minhash-sig', '-m', 'datatrove'])):
        args = [*kind, '-O', name, '--rejects', name.rstrip('/') + '.rejects']
        expect('%s: first' % name, thresher('run', '-q', *args, 'bad.warc.gz', 'other.warc.gz').returncode, 1)
        for jobs in ('1', '3'):
            again('%s: the same again with -j%s ends as it ended' % (name, jobs), 1, b'complete', *args, '-j', jobs, 'bad.warc.gz', 'other.warc.gz')
        again('%s: other inputs' % name, 2, b'other inputs', *args, 'good.warc.gz', 'other.warc.gz')
        again('%s: another order' % name, 2, b'another order', *args, 'other.warc.gz', 'bad.warc.gz')
        again('%s: fewer' % name, 2, b'other inputs', *args, 'bad.warc.gz')
        again('%s: other options' % name, 2, b'other options', *args, '--max-depth', '99', 'bad.warc.gz', 'other.warc.gz')
        expect('%s: restarted without --resume' % name, thresher('run', '-q', *args, 'good.warc.gz', 'other.warc.gz').returncode, 0)
        again('%s: ended well' % name, 0, b'complete', *args, 'good.warc.gz', 'other.warc.gz')
        facts = os.stat(other)
        with open(other, 'ab') as grown:
            grown.write(contents(good))
        again('%s: an input that grew' % name, 2, b'an input that has changed', *args, 'good.warc.gz', 'other.warc.gz')
        os.truncate(other, facts.st_size)
        os.utime(other, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        again('%s: as it was' % name, 0, b'complete', *args, 'good.warc.gz', 'other.warc.gz')
        os.link(other, 'kept')
        with open('new', 'wb') as copy:
            copy.write(contents(other))
        os.utime('new', ns=(facts.st_atime_ns, facts.st_mtime_ns))
        os.replace('new', other)
        again('%s: an input that was replaced' % name, 2, b'an input that has changed', *args, 'good.warc.gz', 'other.warc.gz')
        os.replace('kept', other)

        output = {'o/': 'o/good.jsonl', 's/': 's/bucket_003/00001.minhash.sig'}.get(name, name)
        for path in (output, name.rstrip('/') + '.rejects'):
            os.rename(path, 'moved')
            again('%s: %s moved away' % (name, path), 2, b'was moved', *args, 'good.warc.gz', 'other.warc.gz')
            with open(path, 'wb') as cut:
                cut.write(contents('moved')[:-1])
            again('%s: %s cut' % (name, path), 2, b'truncated', *args, 'good.warc.gz', 'other.warc.gz')
            os.rename('moved', path)
        again('%s: back again' % name, 0, b'complete', *args, 'good.warc.gz', 'other.warc.gz')
        os.unlink(name + ('thresher.state' if name.endswith('/') else '.state'))
        again('%s: nothing says what it is' % name, 2, b'is missing', *args, 'good.warc.gz', 'other.warc.gz')
    again('stdin', 2, b'is a stream', '-O', 'stdin.jsonl', '-')
