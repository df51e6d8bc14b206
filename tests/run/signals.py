"""SIGTERM while a command reads endless input. It exits soon, and a run that continues with --resume produces the same bytes.

usage: signals.py PROGRAM [SECONDS]       the longest end allowed; 5
"""
import os
import signal
import subprocess
import sys
import tempfile
import time
import zipfile

import archive
import stuck_input
from case import PROGRAM, contents, expect, expect_soon, expect_true, is_sanitized, thresher

LIMIT = float(sys.argv[2]) if len(sys.argv) > 2 else 5
slowest = [0, '']


def is_caught(pid):
    """Whether the program's handler of SIGTERM is installed."""
    with open('/proc/%d/status' % pid) as file:
        caught = next(line for line in file if line.startswith('SigCgt'))
    return int(caught.split()[1], 16) >> signal.SIGTERM - 1 & 1


def stopped(name, arguments, after=.15, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL):
    """Runs, sends SIGTERM `after` seconds, and expects an orderly end in time. Returns what stderr has."""
    process = subprocess.Popen([PROGRAM, *arguments], stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not is_caught(process.pid):
        time.sleep(.001)
    time.sleep(after)
    expect('%s is in progress' % name, process.poll(), None)
    process.send_signal(signal.SIGTERM)
    begun = time.monotonic()
    try:
        _, words = process.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        expect('%s ends' % name, 'alive after 300 s', 'ended')
    took = time.monotonic() - begun
    slowest[:] = max(slowest, [took, name])
    expect('%s: exit code' % name, process.returncode, 130)
    expect_soon('%s: ended' % name, took, LIMIT)
    return words


def large_wacz(path):
    """A WACZ file with one small archive, and 300 GiB that no archive contains, which only the manifest's digest reads."""
    with zipfile.ZipFile(path, 'w') as out:
        out.writestr('datapackage.json', '{}')
        out.writestr('archive/a.warc.gz', contents(archive.write(path + '.gz', archive.records(5))))
        out.start_dir += 300 << 30
    return path


def archives(folder):
    """Name, path and the time after which the interesting part is reached."""
    yield 'sparse', stuck_input.sparse(os.path.join(folder, 'sparse.warc')), .15
    yield '/dev/zero', '/dev/zero', .15
    yield 'garbage in gzip', stuck_input.sparse(os.path.join(folder, 'garbage.warc.gz'), before=b'\x1f\x8b\x08\0\0\0\0\0\0\xff\x07'), .15
    yield 'garbage in zstd', stuck_input.sparse(os.path.join(folder, 'garbage.warc.zst'), before=b'\x28\xb5\x2f\xfd\x00\x58\xff\xff\xff'), .15
    yield 'huge record', stuck_input.sparse(os.path.join(folder, 'huge.warc'), before=stuck_input.HEADER % (300 << 30)), .3
    yield 'record in zstd', stuck_input.zstd_record(os.path.join(folder, 'record.warc.zst')), .5
    yield 'record in gzip', stuck_input.gzip_record(os.path.join(folder, 'record.warc.gz'), 16 << 30), .5
    damaged = stuck_input.gzip_record(os.path.join(folder, 'damaged.warc.gz'), 3900 << 20, is_damaged=True)
    for after in (.3, .8, 1.5):
        yield 'damaged at the end', damaged, after
    yield 'FIFO', os.path.join(folder, 'fifo'), .15


def silent_stdin(name, arguments):
    ours, theirs = os.pipe()
    stopped(name, arguments, stdin=ours)
    os.close(ours)
    os.close(theirs)


def archive_commands(folder):
    for name, path, after in archives(folder):
        if name != 'damaged at the end':
            stopped('records, ' + name, ['records', '-q', path], after)
            stopped('records with digests, ' + name, ['records', '-q', '--verify-digests', path], after)
            if name in ('sparse', 'garbage in gzip', 'garbage in zstd'):
                stopped('inspect offset, ' + name, ['inspect', path + '#%d' % (1 << 20)], after)
            stopped('eval density, ' + name, ['eval', 'density', path], after)
        stopped('run, ' + name, ['run', '-q', path], after)
        stopped('run -j1, ' + name, ['run', '-q', '-j1', path], after)
        stopped('inspect URL, ' + name, ['inspect', path, 'http://none.example/'], after)
    wacz, out = large_wacz(os.path.join(folder, 'large.wacz')), os.path.join(folder, 'of_wacz')
    words = stopped('run, digests of the manifest', ['run', '-q', '-O', out, wacz], .5)
    expect_true('the manifest can follow: %s' % words, 'with --resume' in words)
    stopped('run --resume, digests of the manifest', ['run', '-q', '--resume', '-O', out, wacz], .5)
    for command in (['run'], ['records'], ['eval', 'density'], ['inspect']):
        silent_stdin('%s of stdin' % ' '.join(command), [*command, '-'])
    silent_stdin('inspect URL of stdin', ['inspect', '-', 'http://none.example/'])


def record_commands(folder):
    """dedup, and eval on corpora."""
    fifo = os.path.join(folder, 'fifo')
    zeros = stuck_input.sparse(os.path.join(folder, 'zeros.jsonl'), before=b'{"id":"a"}\n' * 10000)
    expect('zeros are another kind of file', subprocess.run([PROGRAM, 'dedup', '-q', '/dev/zero'], capture_output=True, timeout=300).returncode, 1)
    for name, path in (('sparse', zeros), ('FIFO', fifo), ('WARC', os.path.join(folder, 'sparse.warc')),
                       ('WARC in zstd', os.path.join(folder, 'record.warc.zst')), ('WARC in gzip', os.path.join(folder, 'record.warc.gz'))):
        stopped('dedup, ' + name, ['dedup', '-q', path])
    silent_stdin('dedup of stdin', ['dedup', '-'])
    corpus = os.path.join(folder, 'corpus')
    os.mkdir(corpus)
    os.mkfifo(os.path.join(corpus, 'pages.jsonl.gz'))
    stopped('eval extraction', ['eval', 'extraction', corpus])
    gold = os.path.join(corpus, 'gold.jsonl.gz')
    os.mkfifo(gold)
    os.mkfifo(os.path.join(corpus, 'pages.warc.gz'))
    stopped('eval segmentation', ['eval', 'segmentation', corpus])


def lists_and_settings(folder):
    """Options with the names of inputs, and options for reading them."""
    fifo = os.path.join(folder, 'fifo')
    for command in (['run'], ['records'], ['dedup'], ['eval', 'density']):
        stopped('%s of a list' % ' '.join(command), [*command, '@' + fifo])
    endless = subprocess.run([PROGRAM, 'run', '@/dev/zero'], capture_output=True, text=True, timeout=300)
    expect('a line of a list without end is refused', (endless.returncode, 'has a line of more than' in endless.stderr), (2, True))
    stopped('config check', ['config', 'check', fifo])
    stopped('config show', ['config', 'show', fifo])
    stopped('run -c', ['run', '-c', fifo, '-'])
    stopped('serve -c', ['serve', '-c', fifo])
    stopped('inspect of a FIFO', ['inspect', fifo])


def resumed(folder, output):
    """Stopped in the garbage between records. After --resume the output equals an uninterrupted run."""
    pages = b''.join(archive.records(150))
    # With a sanitizer the search takes three times as long.
    source = stuck_input.sparse(os.path.join(folder, 'gap.warc'), (512 << 20) if is_sanitized() else 3 << 30, before=pages, behind=pages)
    whole, parted = (os.path.join(folder, name + output) for name in ('whole', 'parted'))
    options = ['-q', '-j2', '--checkpoint-ms', '0', '--manifest=off']
    expect('an uninterrupted run', thresher('run', *options, '-O', whole, source).returncode, 1)
    words = stopped('run into %s' % output, ['run', *options, '-O', parted, source], .3)
    expect_true('it can be resumed: %s' % words, 'with --resume' in words)
    expect('resumed', thresher('run', *options, '--resume', '-O', parted, source).returncode, 1)
    for name in [n for n in sorted(os.listdir(whole)) if not n.endswith('.state')] if output.endswith('/') else ['']:
        expect('%s%s: bytes' % (output, name), contents(parted + name) == contents(whole + name), True)
    again = thresher('run', *options, '--resume', '-O', parted, source)
    expect('a finished job ends as it ended', again.returncode, 1)


with tempfile.TemporaryDirectory() as folder:
    os.mkfifo(os.path.join(folder, 'fifo'))
    archive_commands(folder)
    record_commands(folder)
    lists_and_settings(folder)
    for output in ('.jsonl', '.jsonl.gz', '/'):
        resumed(folder, output)
print('slowest end: %.2f s, %s' % tuple(slowest))
