"""Standard descriptors that are closed, and outputs that are streams by name."""
import os
import random
import resource
import subprocess
import tempfile

import archive
from case import PROGRAM, contents, exists, expect, expect_true, thresher


def with_closed(fd, *args):
    """Runs the program with a standard descriptor closed. The other two are /dev/null and a pipe for messages."""
    streams = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE}
    streams[('stdin', 'stdout', 'stderr')[fd]] = None
    return subprocess.run([PROGRAM, *args], preexec_fn=lambda: os.close(fd), timeout=600, **streams)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    first = archive.write('a.warc.gz', archive.records(50))
    reference = thresher('run', '-q', first).stdout

    # Files that the program opens must not get the number of the closed descriptor.
    for claim, args in (('run', ['run', first]), ('run with an index', ['run', '--index.path', 'index', first]),
                        ('records', ['records', first]), ('inspect', ['inspect', first, 'http://site0.example/0']),
                        ('eval', ['eval', 'density', first]), ('config', ['config', 'options']), ('help', ['--help']),
                        ('a command\'s help', ['run', '--help']), ('version', ['--version'])):
        run = with_closed(1, *args)
        expect_true('%s, stdout closed: reported, 74' % claim, run.returncode == 74 and run.stderr, (run.returncode, run.stderr))
    page = archive.page(random.Random(1))
    thresher('run', '-O', 'r.jsonl', archive.write('twice.warc', [archive.response(page, 'http://a.example/%d' % i, i) for i in range(2)], 'plain'))
    run = with_closed(1, 'dedup', 'r.jsonl')
    expect_true('dedup, stdout closed: reported, 74', run.returncode == 74 and run.stderr, (run.returncode, run.stderr))
    expect('no file of the index holds a record', [name for name in os.listdir('index') if b'"schema"' in contents(os.path.join('index', name))], [])
    run = with_closed(1, 'run', '-O', 'out.jsonl', first)
    expect('stdout closed, not needed', (run.returncode, contents('out.jsonl')), (0, reference))
    run = with_closed(2, 'run', '-O', 'quiet.jsonl', '--rejects', 'rejects', first)
    expect('stderr closed: no word gets into a file', (run.returncode, contents('quiet.jsonl'), b'thresher:' in contents('rejects')), (0, reference, False))
    run = with_closed(0, 'run', '-q', '-')
    expect_true('stdin closed: reported, and no success', run.returncode in (1, 74) and run.stderr and run.stdout == b'', (run.returncode, run.stderr))
    run = with_closed(0, 'run', '-q', first)
    expect('stdin closed, not needed', (run.returncode, run.stdout), (0, reference))

    # A limit on the length of files is a failed write.
    for claim, args in (('run', ['run', '-q', '-O', 'limited', first]), ('dedup', ['dedup', '-q', '-O', 'limited', 'r.jsonl'])):
        run = thresher(*args, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        expect_true('%s beyond the file size limit: reported, 74' % claim, run.returncode == 74 and b'File too large' in run.stderr, (run.returncode, run.stderr))
        expect('%s beyond the limit of a file: no result' % claim, exists('limited'), False)

    # A descriptor by its name is written like any pipe: no state, no temporary file.
    for name in ('/dev/fd/1', '/dev/stdout', '/proc/self/fd/1'):
        run = thresher('run', '-q', '-O', name, first)
        expect_true('-O %s, a pipe' % name, (run.returncode, run.stdout) == (0, reference), (run.returncode, run.stderr))
        with open('redirected', 'wb') as out:
            out.write(b'before\n')
            out.flush()
            code = subprocess.run([PROGRAM, 'run', '-q', '-O', name, first], stdout=out, timeout=600).returncode
        expect('-O %s, a file that a shell opened' % name, (code, contents('redirected')), (0, b'before\n' + reference))
    read, write = os.pipe()
    os.set_inheritable(write, True)
    run = subprocess.Popen([PROGRAM, 'run', '-q', '-O', '/dev/fd/%d' % write, first], close_fds=False, stderr=subprocess.PIPE)
    os.close(write)
    with os.fdopen(read, 'rb') as end:
        seen = end.read()
    expect_true('-O >(command)', (run.wait(), seen) == (0, reference), (run.returncode, run.stderr.read()))
    run.stderr.close()
    expect_true('a number that is not open', thresher('run', '-O', '/dev/fd/77', first).returncode == 74)
    os.mkfifo('fifo')
    run = subprocess.Popen([PROGRAM, 'run', '-q', '-O', 'fifo', first])
    with open('fifo', 'rb') as end:
        seen = end.read()
    expect('-O fifo', (run.wait(), seen, exists('fifo.state')), (0, reference, False))
    run = thresher('run', '--resume', '-O', 'fifo', first)
    expect_true('a stream cannot be resumed', run.returncode == 2 and b"'fifo' is a stream" in run.stderr, (run.returncode, run.stderr))
    expect_true('nothing remains next to the names', not any(exists(n + s) for n in ('/dev/fd/1', '/dev/stdout', 'fifo') for s in ('.part', '.state')))
