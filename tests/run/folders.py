"""Links in folders: loops end, every folder and file is read once, and links to other places are followed and reported."""
import json
import os
import tempfile

import archive
from case import expect, expect_true, thresher

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.makedirs('in/deep')
    archive.write('in/b.warc.gz', archive.records(3, seed=1))
    archive.write('in/deep/c.warc.gz', archive.records(3, seed=2))
    os.makedirs('elsewhere/sub')
    archive.write('elsewhere/sub/d.warc.gz', archive.records(3, seed=3))
    archive.write('alone.warc.gz', archive.records(3, seed=4))

    def read(*args):
        """Returns the archives in reading order, and the messages."""
        run = thresher('run', '-q', *args)
        expect('run %s' % ' '.join(args), run.returncode, 0)
        files = []
        for line in run.stdout.splitlines():
            name = json.loads(line)['source']['file']
            if files[-1:] != [name]:
                files.append(name)
        return files, run.stderr.decode()

    own = ['in/b.warc.gz', 'in/deep/c.warc.gz']
    expect('without links', read('in'), (own, ''))

    os.symlink('.', 'in/latest')
    os.symlink('..', 'in/deep/up')
    os.symlink('deep', 'in/a')
    os.symlink('b.warc.gz', 'in/a.warc.gz')
    files, said = read('in')
    expect('links into the folder itself change nothing', files, own)
    for name in ('in/latest', 'in/deep/up', 'in/a', 'in/a.warc.gz'):
        expect_true('%s is reported' % name, "'%s' skipped: this f" % name in said, said)

    os.symlink(os.path.join(folder, 'elsewhere'), 'in/out')
    os.symlink('../elsewhere/sub', 'in/again')
    os.symlink('../../in', 'elsewhere/sub/back')
    os.symlink('../alone.warc.gz', 'in/z.warc.gz')
    files, said = read('in')
    expect('links to other places come after the folder, once', files, own + ['in/again/d.warc.gz', 'in/z.warc.gz'])
    expect_true('and are reported', "'in/again' is a link to a folder outside" in said, said)
    expect('the same folder again is passed over', read('in', 'in', './in/deep')[0], files)
    expect('a file is read as often as it is named', read('in/b.warc.gz', 'in/b.warc.gz', 'in/a.warc.gz')[0], ['in/b.warc.gz', 'in/a.warc.gz'])
    expect('a file and then its folder', read('in/b.warc.gz', 'in/deep')[0][:2], own)

    with open('list', 'w') as f:
        f.write('in/deep\nin/latest\n')
    expect('@list', read('@list')[0][0], 'in/deep/c.warc.gz')
    expect('@list: each once', sorted(os.path.basename(name) for name in read('@list')[0]), ['b.warc.gz', 'c.warc.gz', 'd.warc.gz', 'z.warc.gz'])

    os.link('in/b.warc.gz', 'in/hard.warc.gz')
    expect('a second name of a file', read('in')[0][:3], ['in/b.warc.gz', 'in/deep/c.warc.gz', 'in/again/d.warc.gz'])
    os.symlink('nowhere.warc.gz', 'in/dead.warc.gz')
    expect('a link to nothing is an input that cannot be read', thresher('run', '-q', 'in').returncode, 1)
    os.unlink('in/dead.warc.gz')

    expect('records', len(thresher('records', '-q', 'in').stdout.splitlines()), 4 * len(thresher('records', '-q', 'in/b.warc.gz').stdout.splitlines()))
    census = [json.loads(thresher('eval', 'density', '--json', *args).stdout)['pages'] for args in (('in',), own + ['alone.warc.gz', 'elsewhere/sub/d.warc.gz'])]
    expect('eval density', census[0], census[1])
    os.makedirs('records')
    thresher('run', '-q', '-O', 'records/r.jsonl', 'in/b.warc.gz')
    one = thresher('dedup', '-q', 'records')
    os.symlink('.', 'records/latest')
    os.symlink('r.jsonl', 'records/s.jsonl')
    expect('dedup', thresher('dedup', '-q', 'records').returncode, one.returncode)
