"""Peak memory stays under 200 MB with four workers, for any input.

Here on a small scale: an archive with one record of 300 MB, and one of many pages. tests/bench/memory.sh does the same
with 2 GB and 1 GB. Not under a sanitizer, which multiplies memory.
"""
import os
import resource
import sys
import tempfile

import archive
from case import expect_true, is_sanitized, thresher

if is_sanitized():
    print('skipped: a sanitizer multiplies memory')
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    huge = os.path.join(folder, 'huge.warc')
    line = b'<p>' + b'many words of text in a very long page ' * 25 + b'</p>\n'
    body = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'
    count = 300 * 1000 * 1000 // len(line)
    with open(huge, 'wb') as out:
        out.write(b'WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n'
                  b'WARC-Target-URI: http://a.example/\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n'
                  % (len(body) + count * len(line)))
        out.write(body)
        for _ in range(count):
            out.write(line)
        out.write(b'\r\n\r\n')
        for part in archive.records(2000):
            out.write(part)
    run = thresher('run', '-j4', huge)
    expect_true('the huge record is cut and flagged', b'record_truncated' in run.stdout.splitlines()[0])
    expect_true('the following records are emitted', len(run.stdout.splitlines()) == 2001)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print('peak %.0f MB' % peak)
    expect_true('run: peak under 200 MB', peak < 200, peak)
    thresher('records', '-q', huge)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    expect_true('records: no more', peak < 200, peak)
