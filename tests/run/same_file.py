"""No command replaces its input, or writes two outputs to one file. The error occurs before any change."""
import os
import shutil
import tempfile

import archive
from case import contents, expect, expect_true, thresher

FOLDER = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.path.join(FOLDER, '..', 'data', 'eval', 'segmentation')

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    archive.write('my.warc.gz', archive.records(5))
    thresher('run', '-O', 'r.jsonl', 'my.warc.gz')
    os.mkdir('deep')
    os.symlink(os.path.join('..', 'my.warc.gz'), os.path.join('deep', 'link'))
    os.link('my.warc.gz', 'hard')
    os.link('r.jsonl', 'd.jsonl')
    with open('list', 'w') as f:
        f.write('my.warc.gz\n')
    with open('same.html', 'w') as f:
        f.write('<title>t</title><p>text')
    shutil.copy('my.warc.gz', 'x.part')
    os.mkdir('early')  # its number is below the file's, on most file systems; that of late is above
    with open('f', 'w'):
        os.mkdir('late')
    os.link('f', 'late/x.part')
    os.link('f', 'early/x.part')
    shutil.copytree(CORPUS, 'corpus')
    before = {os.path.join(at, name): contents(os.path.join(at, name)) for at, _, names in os.walk('.') for name in names}

    def refused(claim, args, *words, **kwargs):
        run = thresher(*args, **kwargs)
        expect_true(claim, run.returncode == 2 and all(w.encode() in run.stderr for w in words) and run.stdout == b'',
                    (run.returncode, run.stderr, words))
        now = {os.path.join(at, name): contents(os.path.join(at, name)) for at, _, names in os.walk('.') for name in names}
        expect_true('... and nothing is touched', now == before, sorted(set(now) ^ set(before)))

    os.mkdir('graph')
    for name in ('vertices.txt.gz', 'hosts.txt.gz'):
        os.link('r.jsonl', os.path.join('graph', name))
        before[os.path.join('.', 'graph', name)] = contents('r.jsonl')
        refused('graph: an output is the input', ['graph', '-O', 'graph', 'r.jsonl'], name, 'is also an input')
        os.unlink(os.path.join('graph', name))
        del before[os.path.join('.', 'graph', name)]
    refused('run: the archive itself', ['run', '-O', 'my.warc.gz', 'my.warc.gz'], "output 'my.warc.gz' is also an input")
    refused('run: by another name', ['run', '-O', os.path.join(folder, 'my.warc.gz'), 'my.warc.gz'], "is also an input, as 'my.warc.gz'")
    refused('run: a symbolic link to it', ['run', '-O', 'deep/link', 'my.warc.gz'], "output 'deep/link'", "'my.warc.gz'")
    refused('run: read through a link', ['run', '-O', 'my.warc.gz', 'deep/link'], "output 'my.warc.gz'", "'deep/link'")
    refused('run: a hard link to it', ['run', '-O', 'hard', 'my.warc.gz'], "output 'hard'", "'my.warc.gz'")
    refused('run: found in a folder', ['run', '-O', 'my.warc.gz', '.'], 'my.warc.gz')
    refused('run: the list of inputs', ['run', '-O', 'list', '@list'], "output 'list' is also an input")
    refused('run: what stdin reads', ['run', '-O', 'my.warc.gz', '-'], "output 'my.warc.gz' is also an input", stdin=open('my.warc.gz', 'rb'))
    refused('run: rejects', ['run', '-O', 'new', '--rejects', 'my.warc.gz', 'my.warc.gz'], "rejects 'my.warc.gz' is also an input")
    refused('run: edges', ['run', '-O', 'new', '--index.path', 'index', '--index.edges', 'my.warc.gz', 'my.warc.gz'], "index.edges 'my.warc.gz' is also an input")
    refused('run: the temporary file', ['run', '-O', 'x', 'x.part'], "output 'x.part' is also an input")
    refused('run: one file for two outputs', ['run', '-O', 'new', '--rejects', 'new', 'my.warc.gz'], "output 'new' and rejects 'new' are the same file")
    refused('run: new, by two names', ['run', '-O', 'new', '--rejects', os.path.join('deep', '..', 'new'), 'my.warc.gz'], "output 'new' and rejects 'deep/../new'")
    refused('run: an output of a folder', ['run', '-O', 'deep/', '--rejects', 'deep/my.jsonl', 'my.warc.gz'], "rejects 'deep/my.jsonl'")
    refused('run: the state', ['run', '-O', 'new', '--rejects', 'new.state', 'my.warc.gz'], "state 'new.state' and rejects 'new.state'")

    refused('dedup: the records', ['dedup', '-O', 'r.jsonl', 'r.jsonl'], "output 'r.jsonl' is also an input")
    refused('dedup: linked', ['dedup', '-O', 'd.jsonl', 'r.jsonl'], "output 'd.jsonl' is also an input, as 'r.jsonl'")
    refused('dedup: report', ['dedup', '--report', 'r.jsonl', 'r.jsonl'], "report 'r.jsonl' is also an input")
    refused('dedup: both outputs', ['dedup', '-O', 'x', '--report', 'x', 'r.jsonl'], "output 'x' and report 'x'")
    for name in ('late/x', 'early/x'):
        refused('dedup: both outputs, %s.part exists' % name, ['dedup', '-O', name, '--report', name, 'r.jsonl'], "output '%s' and report" % name)
    refused('dedup: what stdin reads', ['dedup', '-O', 'r.jsonl', '-'], "output 'r.jsonl' is also an input", stdin=open('r.jsonl', 'rb'))

    refused('eval density: the archive', ['eval', 'density', '--plot', 'my.warc.gz', 'my.warc.gz'], "plot 'my.warc.gz' is also an input")
    refused('eval density: in a folder', ['eval', 'density', '--plot', 'my.warc.gz', '.'], "plot 'my.warc.gz' is also an input")
    for name in ('gold.jsonl.gz', 'pages.warc.gz'):
        refused('eval segmentation: %s' % name, ['eval', 'segmentation', '--plot', 'corpus/' + name, 'corpus'], "plot 'corpus/%s' is also an input" % name)
    refused('eval segmentation: beside its gold', ['eval', 'segmentation', '--plot', 'corpus/pages.warc.gz', 'corpus/gold.jsonl.gz'], "plot 'corpus/pages.warc.gz' is also an input")
    for kind in ('extraction', 'duplicates'):
        refused('eval %s draws nothing' % kind, ['eval', kind, '--plot', 'x.svg', 'corpus'], 'eval %s has no plots' % kind)

    refused('inspect: the page', ['inspect', '--html', 'same.html', 'same.html'], "html 'same.html' is also an input")
    refused('inspect: the archive, by offset', ['inspect', '--html', 'my.warc.gz', 'my.warc.gz#0'], "html 'my.warc.gz' is also an input")
    refused('inspect: the archive, by URL', ['inspect', '--html', 'my.warc.gz', 'my.warc.gz', 'http://site0.example/0'], "html 'my.warc.gz' is also an input")

    for name in ('text/same', 'text/a.1.txt', 'text/a.txt', 'text/a'):
        os.makedirs(os.path.dirname(name), exist_ok=True)
        shutil.copy('same.html', name)
        before[os.path.join('.', name)] = contents(name)
    refused('text: a page of the same name', ['text', '-O', 'text/', 'text/a', 'text/a.txt'], "output 'text/a.txt' is also an input")
    refused('text: a page of the name with a number', ['text', '-O', 'text/', 'text/../text/a', 'a', 'text/a.1.txt'], "output 'text/a.1.txt' is also an input")
    refused('text: by another name', ['text', '-O', 'text/../text/', 'text/a', 'text/a.txt'], "is also an input, as 'text/a.txt'")

    refused('stdout: records and rejects', ['run', '--rejects', '-', 'my.warc.gz'], 'output and rejects cannot both go to stdout')
    refused('stdout: records and edges', ['run', '--index.path', 'index', '--index.edges', '-', 'my.warc.gz'], 'output and index.edges cannot both go to stdout')
    refused('stdout: rejects and edges', ['run', '-O', 'new', '--rejects', '-', '--index.path', 'index', '--index.edges', '-', 'my.warc.gz'], 'rejects and index.edges cannot both go to stdout')
    refused('stdout: clusters and report', ['dedup', '--report', '-', 'r.jsonl'], 'output and report cannot both go to stdout')
    refused('stdout: report and picture', ['eval', 'density', '--json', '--plot', '-', 'my.warc.gz'], 'report and plot cannot both go to stdout')
    refused('stdout: page as HTML and JSON', ['inspect', '--html', '-', '--json', 'same.html'], 'html and json cannot both go to stdout')

    # Separate files are allowed: devices, one output on stdout, output of an earlier run, a file that is read twice.
    for claim, args in (('two outputs to /dev/null', ['run', '-O', '/dev/null', '--rejects', '/dev/null', 'my.warc.gz']),
                        ('rejects alone on stdout', ['run', '-O', 'out.jsonl', '--rejects', '-', 'my.warc.gz']),
                        ('the same again', ['run', '-O', 'out.jsonl', 'my.warc.gz']),
                        ('resumed', ['run', '-O', 'out.jsonl', '--resume', 'my.warc.gz']),
                        ('one archive by two names', ['run', '-O', 'out.jsonl', 'my.warc.gz', 'hard']),
                        ('report alone on stdout', ['dedup', '-O', 'clusters', '--report', '-', 'r.jsonl']),
                        ('a picture replaces a picture', ['eval', 'density', '--plot', 'p.svg', 'my.warc.gz']),
                        ('and again', ['eval', 'density', '--plot', 'p.svg', '.'])):
        run = thresher(*args)
        expect_true(claim, run.returncode == 0, (run.returncode, run.stderr))
    expect('nothing temporary is left', [n for n in os.listdir('.') if n.endswith('.part') and n != 'x.part'], [])
    expect('and the archive is as it was', contents('my.warc.gz'), before['./my.warc.gz'])
