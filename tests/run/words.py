"""Messages for the first errors of users: an unknown name, a page instead of an archive, a reader that closes early."""
import os
import subprocess
import tempfile

import archive
from case import PROGRAM, contents, expect, expect_true, thresher

with tempfile.TemporaryDirectory() as folder:
    source = archive.write(os.path.join(folder, 'a.warc.gz'), archive.records(3))
    for claim, args, known in (
            ('segmenter', ['run', '-s', 'magic', source], b'just-rules'),
            ('profile', ['run', '-p', 'magic', source], b'html5'),
            ('classifier', ['run', '-k', 'magic', source], b'num-words'),
            ('preset', ['run', '-m', 'magic:k=4', source], b'datatrove'),
            ('format', ['run', '-f', 'magic', source], b'minhash-sig'),
            ('part', ['run', '-e', 'blocks,magic', source], b'full_text'),
            ('kind', ['eval', 'magic', source], b'segmentation'),
            ('classifiers of eval', ['eval', 'extraction', '--classifiers', 'keep-all,magic', folder], b'num-words'),
            ('command', ['magic', source], b'records')):
        run = thresher(*args)
        expect_true('unknown %s: the known ones are named' % claim, run.returncode == 2 and b"unknown" in run.stderr and b"'magic'" in run.stderr and known in run.stderr,
                    run.stderr)

    for command in ('run', 'dedup'):
        for name in ('x.jsonl.bz2', 'x.csv.gz', 'x.jsonl.zst.xz'):
            path = os.path.join(folder, name)
            run = thresher(command, '-O', path, source)
            expect_true('%s: -O %s is refused with the known suffixes' % (command, name),
                        run.returncode == 2 and b'.jsonl' in run.stderr and not os.path.exists(path), run.stderr)
    for name in ('plain', 'x.ndjson.gz', 'crawl-2026.11.22', 'x.txt', 'v1.0', '.hidden'):
        expect('-O %s is accepted' % name, thresher('run', '-q', '-O', os.path.join(folder, name), source).returncode, 0)
    expect('a suffix of any kind with --compress', thresher('run', '-q', '--compress', 'zstd', '-O', os.path.join(folder, 'x.zstd'), source).returncode, 0)

    page = os.path.join(folder, 'page.html')
    for start in ('<!DOCTYPE html>', '\ufeff \n<html>', '<p>', '<?xml version="1.0"?>'):
        with open(page, 'w') as f:
            f.write(start + '<title>A page</title>' + '<p>many words</p>' * 20)
        for command, rows in (('run', 3), ('records', 7)):
            run = thresher(command, page, source)
            expect('%s continues after a page' % command, (run.returncode, len(run.stdout.splitlines())), (1, rows))
            expect_true('%s names the command for a page' % command, b'page.html: a page, not an archive. Use `thresher text`' in run.stderr, run.stderr)
    with open(page, 'w') as f:
        f.write('no markup at all ' * 20)
    expect_true('no message for other garbage', b'inspect' not in thresher('run', page).stderr)

    def looked_at(*args):
        """Code and words of a command whose reader is gone before it prints."""
        read, write = os.pipe()
        os.close(read)
        run = subprocess.run([PROGRAM, *args], stdout=write, stderr=subprocess.PIPE, timeout=300)
        os.close(write)
        return run.returncode, run.stderr

    for args in (['--help'], ['--version'], ['config', 'options'], ['config', 'show'],
                 ['run', '--help-all'],
                 *([name, '--help'] for name in ('run', 'serve', 'records', 'dedup', 'eval', 'inspect', 'config'))):
        expect('%s to a reader that went away' % ' '.join(args), looked_at(*args), (0, b''))
    expect('records are kept, not looked at: their loss is an error', looked_at('run', '-q', source)[0], 74)
