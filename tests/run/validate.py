"""`thresher records --validate`: one line for each archive, with the first three problems, and the exit code of the worst.

usage: validate.py PROGRAM
"""
import base64
import hashlib
import json
import os
import tempfile

import archive
from case import expect, expect_true, thresher

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'data', 'warc')
SAMPLES = os.path.join(DATA, '..', '..', '..', 'samples')


def data(name):
    return os.path.normpath(os.path.join(DATA, name))


good = os.path.normpath(os.path.join(SAMPLES, 'news.warc.gz'))
bad = os.path.normpath(os.path.join(SAMPLES, 'damaged.warc.gz'))

run = thresher('records', '--validate', good)
expect('a good archive', (run.returncode, run.stdout.decode()), (0, good + ': ok, 60 records\n'))
expect_true('the summary', b'60 records in 1 inputs, 0 of them with problems' in run.stderr, run.stderr)

run = thresher('records', '--validate', good, bad, data('empty.warc'))
lines = run.stdout.decode().splitlines()
expect('a line each, the exit code of the worst', (run.returncode, len(lines)), (1, 3))
expect('good beside bad', lines[0], good + ': ok, 60 records')
expect_true('the first three problems with their places', lines[1].startswith(bad + ': 16 problems in 13 records: offset 4115: block_digest_bad; offset 4115: member_damaged: ')
            and lines[1].endswith('; ...') and lines[1].count('offset') == 3, lines[1])
expect('an archive without records', lines[2], data('empty.warc') + ': 1 problem in 0 records: no_record')
expect_true('no other line about damage', b'offset' not in run.stderr, run.stderr)

run = thresher('records', '-q', '--validate', '--json', data('digests.warc'), good)
rows = [json.loads(line) for line in run.stdout.splitlines()]
expect('exit', (run.returncode, run.stderr), (1, b''))
expect('as JSON', [(r['file'], r['ok'], r['records'], r['problems'], len(r['first'])) for r in rows], [(data('digests.warc'), False, 11, rows[0]['problems'], 3), (good, True, 60, 0, 0)])
listed = [json.loads(line) for line in thresher('records', '-q', '--verify-digests', data('digests.warc')).stdout.splitlines()]
wanted = [(r['offset'], problem) for r in listed for problem in r['diag']]
expect('the same problems as in the listing', [(p['offset'], p['problem'].split(':')[0]) for p in rows[0]['first']], wanted[:3])
expect('and as many', rows[0]['problems'], len(wanted))

for args, words in ((['--validate', '--cdxj', good], b'only one of cdxj, parquet and validate'), (['--json', good], b'json needs validate')):
    run = thresher('records', *args)
    expect_true(' '.join(args[:-1]), run.returncode == 2 and words in run.stderr, run.stderr)

with tempfile.TemporaryDirectory() as folder:
    name = os.path.join(folder, 'a\nb.warc')
    archive.write(name, archive.records(1), 'plain')
    expect('a name with a line end', thresher('records', '-q', '--validate', name).stdout.decode(), name.replace('\n', '?') + ': ok, 3 records\n')
    part = archive.record('continuation', b'second half', extra=(('WARC-Segment-Number', '2'), ('WARC-Payload-Digest', 'sha1:2WAXX5NUWNNCS2BDKCO5OVDQBJVNKIVV')))
    name = archive.write(os.path.join(folder, 'part.warc'), [part], 'plain')
    expect('the payload digest of a part is that of all parts', thresher('records', '-q', '--validate', name).returncode, 0)
    # The payload of a request is its body, after the first empty line.
    def sha1(data):
        return 'sha1:' + base64.b32encode(hashlib.sha1(data).digest()).decode()

    long_head = b'POST / HTTP/1.1\r\nCookie: ' + b'x' * 100000 + b'\r\n\r\n'
    requests = [(b'GET / HTTP/1.1\r\nHost: a.example\r\n\r\n', b''), (b'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n', b'3\r\nabc\r\n0\r\n\r\n'),
                (b'POST / HTTP/1.1\nHost: a.example\n\n', b'a=1\r\n\r\nb=2'), (long_head, b'body'), (b'GET / HTTP/1.1\r\nHost: a.example\r\n', b'')]
    for number, (head, body) in enumerate(requests):
        for declared, ok in ((body, True), (body + b'x', False), (head + body, False)):
            name = archive.write(os.path.join(folder, 'request.warc'), [archive.record('request', head + body, content_type='application/http; msgtype=request',
                                                                                       extra=[('WARC-Payload-Digest', sha1(declared))])], 'plain')
            run = thresher('records', '-q', '--validate', name)
            expect('request %d, digest of %d bytes' % (number, len(declared)), (run.returncode, b'offset 0: payload_digest_bad' in run.stdout), (0, False) if ok else (1, True))
    row = json.loads(thresher('records', '-q', name).stdout)
    expect('the listing of a request has no payload', [key for key in row if key.startswith(('payload', 'http'))], [])

    cut = os.path.join(folder, 'cut.warc.gz')
    archive.write(cut, archive.records(2))
    with open(cut, 'r+b') as f:
        f.truncate(os.path.getsize(cut) - 20)
    run = thresher('records', '-q', '--validate', cut)
    expect_true('a cut archive', run.returncode == 1 and b'member_truncated' in run.stdout, run.stdout)
