"""Pages in worker processes: the same bytes, and a page that crashes its process costs one refusal.

usage: isolation.py PROGRAM FAULTY [CASE]     FAULTY: the program with injected errors (faulty.c); CASE: refused, same, faults, killed, serve; default all
"""
import glob
import gzip
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

import archive
from case import contents, expect, expect_true, free_port, thresher

PROGRAM, FAULTY = sys.argv[1:3]
HERE = os.path.dirname(os.path.abspath(__file__))
ISOLATED = ('--isolation', 'process')
CHARSETS = ('ascii big5 big5hkscs cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp866 cp874 cp932 cp949 euc_jp euc_kr gb18030 gb2312 gbk '
            'iso2022_jp iso8859_2 iso8859_5 iso8859_7 iso8859_8 iso8859_15 koi8_r koi8_u mac_roman shift_jis utf-16le utf-16be utf-16 utf-8').replace('_', '-').split()
# Action of a page, the text of its refusal, and options that make it short.
FAULTS = {
    'segv': 'its process was killed by SIGSEGV',
    'abort': 'its process was killed by SIGABRT',
    'loop': 'its process took longer than 250 ms',
    'sleep': 'its process took longer than 250 ms',
    'open': 'its process made a forbidden system call',
    'exec': 'its process made a forbidden system call',
    'fill': 'its process was killed by SIGABRT',
    'huge': 'its process ran out of memory',
    'exit': 'its process exited early',
    'kill': 'its process was killed by SIGKILL',
    'lie': 'its process sent an invalid answer',
}
if b'__asan_init' in contents(PROGRAM):
    # Its shadow takes more memory than any limit, and its report more system calls than the filter allows.
    FAULTS = {name: None for name in FAULTS if name not in ('fill', 'huge')}
elif b'__tsan_init' in contents(PROGRAM):  # no filter, no limit of memory
    FAULTS = {name: None for name in FAULTS if name not in ('fill', 'huge', 'open', 'exec')}


def pages(folder, count=40):
    rng = random.Random(3)
    for i in range(count):
        yield archive.response(archive.page(rng, 2), 'http://good.example/%d' % i, i)


def with_faults(folder, names):
    """Good pages, and one page for each injected error."""
    parts = list(pages(folder))
    for i, name in enumerate(names):
        parts.insert(3 + i * 3, archive.response('<p>%s</p>' % name, 'http://fault.example/' + name, 1000 + i))
    return archive.write(os.path.join(folder, 'faults.warc.gz'), parts)


def children_of(pid):
    """Processes below a process, by /proc."""
    parents = {}
    for path in glob.glob('/proc/[0-9]*/stat'):
        try:
            with open(path) as f:
                head, tail = f.read().rsplit(')', 1)
        except OSError:
            continue
        parents[int(head.split()[0])] = int(tail.split()[1])
    found, more = [], [pid]
    while more:
        more = [child for child, parent in parents.items() if parent in more]
        found += more
    return found


def name_of(pid):
    try:
        with open('/proc/%d/comm' % pid) as f:
            return f.read().strip()
    except OSError:
        return ''


def wait_for(claim, holds, seconds=300):
    end = time.time() + seconds
    while not holds() and time.time() < end:
        time.sleep(.01)
    expect_true(claim, holds())


def same(folder):
    many = archive.write(os.path.join(folder, 'many.warc.gz'), archive.records(60))
    large = archive.write(os.path.join(folder, 'large.warc.gz'),
                          [archive.response('<p>%s</p>' % ('<b>x</b> <i>yy</i> ' * size), 'http://large.example/%d' % i, i)
                           for i, size in enumerate((9000, 30000, 24000, 9000))]  # two of them are larger than a part of a result
                          )
    # None of these is larger than a part, but together they are several parts.
    middle = archive.write(os.path.join(folder, 'middle.warc.gz'), [archive.response('<p>%s</p>' % ('<b>x</b> <i>yy</i> ' * 3000), 'http://middle.example/%d' % i, i) for i in range(12)])
    coded = []
    for i, label in enumerate(CHARSETS):
        html = '<p>Words of a page in \u00e9\u03b1\u0430\u65e5\u672c\ud55c, enough of them that one may guess.</p>'.encode(label, 'replace')
        for head in 'text/html; charset=' + label, 'text/html':
            coded.append(archive.response(html, 'http://coded.example/%d' % len(coded), i, 'HTTP/1.1 200 OK\r\nContent-Type: %s\r\n' % head))
    for coding, packed in (('gzip', gzip.compress(b'<p>packed</p>' * 9)), ('br', b'\x0b\x02\x80<p>x\x03'), ('zstd', b'\x28\xb5\x2f\xfd\x20\x04\x21\0\0<p>x')):
        coded.append(archive.response(packed, 'http://coded.example/' + coding, 0, 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: %s\r\n' % coding))
    coded = archive.write(os.path.join(folder, 'coded.warc.gz'), coded)
    sources = [many, large, middle, coded, *sorted(glob.glob(os.path.join(HERE, '..', '..', 'samples', '*.warc*')) + glob.glob(os.path.join(HERE, '..', 'golden', '*.warc*')))]
    for name, options in (('jsonl.gz', ['-e', 'full_text,segments,blocks,links,html,paragraphs']), ('parquet', ['-f', 'parquet']), ('indexed.jsonl', ['--index.path', 'INDEX', '--index.edges', 'EDGES'])):
        outcomes = []
        for how in ((), (*ISOLATED, '-j3')):
            part = tempfile.mkdtemp(dir=folder)
            given = [{'INDEX': os.path.join(part, 'index'), 'EDGES': os.path.join(part, 'edges')}.get(o, o) for o in options]
            out, rejects = os.path.join(part, 'out.' + name), os.path.join(part, 'rejects')
            run = subprocess.run([PROGRAM, 'run', '-q', '-O', out, '--rejects', rejects, *given, *how, *sources], capture_output=True)
            outcomes.append((run.returncode, run.stderr, contents(out), contents(rejects), contents(given[-1]) if 'EDGES' in options else b''))
        for what, seen in zip(('exit code', 'words', 'bytes', 'rejects', 'edges'), zip(*outcomes)):
            expect_true('%s: %s with and without' % (name, what), seen[0] == seen[1],
                        [(len(s), s[-300:]) if isinstance(s, bytes) else s for s in seen])


def refused(folder):
    for options, word in (('--two-pass', 'two-pass'), ('--sites.path=' + folder, 'sites.path')):
        run = thresher('run', *ISOLATED, options, os.path.join(folder, 'no.warc'))
        expect_true('%s is refused with isolation' % word, run.returncode == 2 and b'cannot be combined with ' + word.encode() in run.stderr, run.stderr)
    config = os.path.join(folder, 'thresher.conf')
    with open(config, 'w') as f:
        f.write('[limits]\nisolation = process\n[sites]\npath = %s\n' % folder)
    check = thresher('config', 'check', config)
    expect_true('config check reports it with file and line', check.returncode == 2 and b'thresher.conf:2' in check.stderr and b'sites.path' in check.stderr, check.stderr)


def run_faulty(folder, source, *options):
    out, rejects = os.path.join(folder, 'out.jsonl'), os.path.join(folder, 'rejects.jsonl')
    run = subprocess.run([FAULTY, 'run', '-O', out, '--rejects', rejects, *options, source], capture_output=True, timeout=300)
    if run.returncode:
        return run, [], []
    return run, [json.loads(line)['url'] for line in contents(out).splitlines()], [json.loads(line) for line in contents(rejects).splitlines()]


def faults(folder):
    limits = ('--isolation-ms', '250', '--isolation-memory', '128M')
    good = ['http://good.example/%d' % i for i in range(40)]
    crash = archive.write(os.path.join(folder, 'crash.warc.gz'), [archive.response('<p>x</p>', 'http://fault.example/segv')])
    run, _, _ = run_faulty(folder, crash, '-q')
    expect_true('without isolation the injected error ends the program', run.returncode not in (0, 2), run.returncode)
    for jobs, names in ('1', ['abort', 'exit', 'lie']), ('3', list(FAULTS)):
        source = with_faults(folder, names)
        run, emitted, refused = run_faulty(folder, source, *ISOLATED, *limits, '-j', jobs)
        expect('-j%s: exit code' % jobs, (run.returncode, run.stderr if run.returncode else b''), (0, b''))
        expect('-j%s: all good pages are emitted' % jobs, emitted, good)
        expect('-j%s: one refusal for each injected error' % jobs, [(r['url'], r['reason']) for r in refused],
               [('http://fault.example/' + name, 'crashed') for name in names])
        for r, name in zip(refused, names):
            if FAULTS[name]:
                expect('-j%s: %s: words' % (jobs, name), r['detail'], FAULTS[name])
    only = archive.write(os.path.join(folder, 'only.warc.gz'), [archive.response('<p>x</p>', 'http://fault.example/segv', i) for i in range(70)])
    _, emitted, refused = run_faulty(folder, only, *ISOLATED)
    expect('nothing but faults: each is refused', (len(emitted), [r['reason'] for r in refused]), (0, ['crashed'] * 70))


def long_run(folder, *options):
    """Starts a run of some seconds in the background, and waits for its processes."""
    source = os.path.join(folder, 'long.warc.gz')
    if not os.path.exists(source):
        archive.write(source, archive.records(200))
    out = os.path.join(folder, 'long.jsonl')
    process = subprocess.Popen([PROGRAM, 'run', '-q', '-j2', '-O', out, *ISOLATED, *options, *[source] * 4], stderr=subprocess.PIPE)
    wait_for('its processes are there', lambda: sum(name_of(p) == 'thresher-page' for p in children_of(process.pid)) == 2 or process.poll() is not None)
    return process, out


def killed(folder):
    process, out = long_run(folder)
    for pid in [p for p in children_of(process.pid) if name_of(p) == 'thresher-page']:  # once each: a record that is hit twice is refused
        os.kill(pid, signal.SIGKILL)
    expect('processes that are killed from outside cost no page', (process.wait(60), contents(out).count(b'\n')), (0, 800))

    process, out = long_run(folder)
    fork_server = next(p for p in children_of(process.pid) if name_of(p) == 'thresher-fork')
    below = children_of(process.pid)
    os.kill(fork_server, signal.SIGKILL)
    _, words = process.communicate(timeout=300)
    expect_true('without its fork_server the run ends and says why', process.returncode not in (0, 2) and b'isolation = process has exited' in words,
                (process.returncode, words))
    wait_for('no process stays', lambda: not any(os.path.exists('/proc/%d' % p) for p in below))
    again = thresher('run', '-q', '-j2', '-O', out, '--resume', *[os.path.join(folder, 'long.warc.gz')] * 4)
    expect('it continues with --resume, also without isolation', (again.returncode, contents(out).count(b'\n')), (0, 800))

    process, out = long_run(folder)
    below = children_of(process.pid)
    process.kill()
    process.wait()
    wait_for('when the run is killed no process stays', lambda: not any(name_of(p).startswith('thresher') for p in below))

    process, out = long_run(folder)
    below = children_of(process.pid)
    for pid in [*below, process.pid]:  # as a terminal or a unit does
        os.kill(pid, signal.SIGINT)
    expect('SIGINT to all of them: an orderly end', process.wait(60), 130)
    expect_true('no process stays', not any(name_of(p).startswith('thresher') for p in below))


def serve(folder):
    spool, out = os.path.join(folder, 'spool'), os.path.join(folder, 'out')
    os.makedirs(spool)
    port = free_port()
    config = os.path.join(folder, 'thresher.conf')
    with open(config, 'w') as f:
        f.write('[run]\njobs = 2\n[limits]\nisolation = process\nisolation-ms = 250\nisolation-memory = 128M\n[daemon]\nlisten = none\nflush-ms = 30\n'
                '[spool]\npath = %s\nsettle-ms = 1\nquiet-ms = 20\nmin-age-ms = 200\nrescan-ms = 100\n[files]\npath = %s\n' % (spool, out))
    log = open(os.path.join(folder, 'log'), 'wb')
    process = subprocess.Popen([FAULTY, 'serve', '-c', config], stderr=log)
    source = with_faults(folder, FAULTS)
    os.rename(source, os.path.join(spool, 'a.warc.gz'))
    done = os.path.join(spool, 'done')
    wait_for('the file is done', lambda: os.path.isdir(done) and os.listdir(done) or process.poll() is not None, 60)
    process.send_signal(signal.SIGHUP)
    with open(config) as f:
        changed = f.read() + '[text]\nclassifier = num-words\n'
    with open(config, 'w') as f:
        f.write(changed)
    process.send_signal(signal.SIGHUP)
    wait_for('a reload says what needs a restart', lambda: b'needs_restart' in contents(os.path.join(folder, 'log')))
    below = children_of(process.pid)
    process.terminate()
    expect('the end is orderly', process.wait(60), 0)
    expect_true('no process stays', not any(name_of(p).startswith('thresher') for p in below))
    lines = [json.loads(line) for path in glob.glob(os.path.join(out, '**', '*.jsonl'), recursive=True) for line in contents(path).splitlines()]
    refused = [line for line in lines if 'reason' in line]
    expect('the good pages are emitted', sorted(line['url'] for line in lines if 'reason' not in line), sorted('http://good.example/%d' % i for i in range(40)))
    expect('one refusal for each injected error', [(r['url'].rsplit('/', 1)[1], r['reason']) for r in refused], [(name, 'crashed') for name in FAULTS])


if __name__ == '__main__':
    parts = json.loads(thresher('version', '--json').stdout)['parts']
    if not parts['isolation']:
        run = thresher('run', '--isolation', 'process', '-')
        expect_true('a build without libseccomp reports it', run.returncode == 2 and b'libseccomp' in run.stderr, run.stderr)
        sys.exit(0)
    for case in sys.argv[3:] or ('refused', 'same', 'faults', 'killed', 'serve'):
        with tempfile.TemporaryDirectory(prefix='thresher-isolation-') as folder:
            {'refused': refused, 'same': same, 'faults': faults, 'killed': killed, 'serve': serve}[case](folder)
