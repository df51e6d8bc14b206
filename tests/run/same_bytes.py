"""The same bytes for any number of workers, container and format; emitted + refused = read."""
import filecmp
import gzip
import json
import os
import subprocess
import tempfile

import archive
from case import contents, expect, expect_true, thresher

with tempfile.TemporaryDirectory() as folder:
    parts = list(archive.records(400))
    source = archive.write(os.path.join(folder, 'a.warc.gz'), parts)
    second = archive.write(os.path.join(folder, 'b.warc'), archive.records(50, seed=2), 'plain')

    emit = ['--emit', 'all', '--bands', '--sign', 'all']
    one = thresher('run', '-j1', *emit, source, second)
    expect('exit code', one.returncode, 0)
    for jobs in (2, 4, 8):
        expect('-j1 and -j%d' % jobs, thresher('run', '-j%d' % jobs, *emit, source, second).stdout, one.stdout)

    lines = one.stdout.decode().splitlines()
    expect('one record a page, in order', [json.loads(line)['url'] for line in lines],
           ['http://site%d.example/%d' % (i % 7, i) for i in range(400)] + ['http://site%d.example/%d' % (i % 7, i) for i in range(50)])

    rejects = os.path.join(folder, 'rejects.jsonl')
    out = os.path.join(folder, 'out.jsonl')
    run = thresher('run', '-j3', '-O', out, '--rejects', rejects, source)
    refused = contents(rejects).splitlines()
    expect('emitted + refused = read', len(contents(out).splitlines()) + len(refused), 801)
    expect_true('the summary reports it', b'801 read, 400 emitted, 401 refused' in run.stderr, run.stderr)
    expect('reasons', {json.loads(line)['reason'] for line in refused}, {'not_a_page'})

    for suffix, unpack in (('gz', lambda p: gzip.open(p).read()),
                           ('zst', lambda p: subprocess.run(['zstd', '-dqc', p], capture_output=True, check=True).stdout)):
        packed = [os.path.join(folder, 'out%d.jsonl.%s' % (jobs, suffix)) for jobs in (1, 4)]
        for jobs, path in zip((1, 4), packed):
            thresher('run', '-j%d' % jobs, '-O', path, source)
        expect('%s: -j1 and -j4' % suffix, contents(packed[0]), contents(packed[1]))
        expect('%s holds the plain output' % suffix, unpack(packed[0]), contents(out))

    warcs = [os.path.join(folder, 'w%d.warc.wet.gz' % jobs) for jobs in (1, 4)]
    for jobs, path in zip((1, 4), warcs):
        thresher('run', '-j%d' % jobs, '-f', 'warc', '-O', path, source)
    expect('warc: -j1 and -j4', contents(warcs[0]), contents(warcs[1]))
    listed = [json.loads(line) for line in thresher('records', warcs[0]).stdout.splitlines()]
    expect('warc output is read back without a complaint', [r['type'] for r in listed if not r['diag']],
           ['warcinfo'] + ['conversion', 'metadata'] * 400)

    for packing in ('plain', 'whole', 'zstd'):
        path = archive.write(os.path.join(folder, packing + '.warc'), parts, packing)
        run = thresher('run', path)
        same = [{k: v for k, v in json.loads(line).items() if k != 'source'} for line in run.stdout.splitlines()]
        want = [{k: v for k, v in json.loads(line).items() if k != 'source'} for line in contents(out).splitlines()]
        expect('%s container: the same records' % packing, same, want)

    with open(source, 'rb') as stdin:
        piped = thresher('run', '-', stdin=stdin)
    expect('stdin: as many records', len(piped.stdout.splitlines()), 400)

    # Each batch has a MB of HTML and a result of several parts of 8 MiB. A worker with a part waits until the batches before it are written.
    amplified = archive.write(os.path.join(folder, 'amplified.warc.gz'), [archive.response('<p>%s</p>' % ('<b>x</b> <i>yy</i> ' * 3000), 'http://large.example/%d' % i, i) for i in range(45)])
    outputs = []
    for jobs in (1, 4):
        out = os.path.join(folder, 'amplified%d.jsonl' % jobs)
        expect('parts: exit code', thresher('run', '-q', '-j%d' % jobs, '--emit', 'all', '-O', out, amplified).returncode, 0)
        outputs.append(out)
    expect_true('parts: more than one of each batch', os.path.getsize(outputs[0]) > 30 << 20, os.path.getsize(outputs[0]))
    expect_true('parts: -j1 and -j4', filecmp.cmp(*outputs, shallow=False))
