"""eval with a missing input, or without its pages: exit code 74, the file's name, and no table."""
import os
import shutil
import tempfile

from case import expect, expect_true, thresher

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'data', 'eval')

with tempfile.TemporaryDirectory() as folder:
    shutil.copy(os.path.join(DATA, 'segmentation', 'gold.jsonl.gz'), folder)
    run = thresher('eval', 'segmentation', folder)
    expect('gold without pages', (run.returncode, run.stdout), (74, b''))
    expect_true('names the file', b'pages.warc.gz' in run.stderr, run.stderr)
    absent = os.path.join(folder, 'absent')
    for kind, args in (('extraction', []), ('lines', []), ('segmentation', []), ('features', ['-O', os.path.join(folder, 'x')]),
                       ('density', []), ('duplicates', [absent])):
        run = thresher('eval', kind, absent, *args)
        expect('%s: exit code' % kind, (run.returncode, run.stdout), (74, b''))
        expect_true('%s: names the input' % kind, b'absent' in run.stderr, run.stderr)
