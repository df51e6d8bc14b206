"""Commands that refuse their arguments or their files: the exit code and the exact words.

usage: refusals.py PROGRAM
"""
import gzip
import json
import os
import tempfile

import archive
from case import expect, thresher

USAGE, INPUT, IO = 2, 1, 74


def check(folder):
    def at(name):
        return os.path.join(folder, name)

    def write(name, data):
        with open(at(name), 'wb') as f:
            f.write(data)
        return at(name)

    os.mkdir(at('empty'))
    source = archive.write(at('a.warc.gz'), archive.records(3))
    records = at('r.jsonl')
    expect('records', thresher('run', '-q', '-O', records, source).returncode, 0)
    sites = at('s.sites')
    expect('sites', thresher('sites', 'build', '-q', '--min-pages', '1', '-O', sites, source).returncode, 0)
    robots = at('robots.gz')
    robots_archive = archive.write(at('robots.warc.gz'), [archive.response('User-agent: *\nDisallow: /a\n', 'https://a.example/robots.txt', head='HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n')])
    expect('robots', thresher('robots', 'build', '-q', '-O', robots, robots_archive).returncode, 0)
    bias = write('bias.gz', gzip.compress(b'http://a.example/ 1\n' * 1000, mtime=0)[:60])
    page = write('a.html', b'<p>a')

    for args, code, words in (
            (['robots', 'show'], USAGE, 'robots show needs FILE, and optionally HOST'),
            (['robots', 'show', robots, 'a.example', 'b'], USAGE, 'robots show needs FILE, and optionally HOST'),
            (['robots', 'show', robots, 'ftp://a.example'], USAGE, "'ftp://a.example' is not a host or a URL"),
            (['robots', 'show', robots, 'b.example'], USAGE, "'%s' has no rules of https://b.example" % robots),
            (['robots', 'check', robots, 'bot'], USAGE, 'robots check needs FILE, AGENT and URL'),
            (['robots', 'check', robots, 'bot', 'mailto:a'], USAGE, "'mailto:a' is not an http(s) URL"),
            (['sites', 'merge'], USAGE, 'sites merge needs FILE (written by sites build)'),
            (['sites', 'show'], USAGE, 'sites show needs FILE, and optionally SITE'),
            (['sites', 'show', sites, ''], USAGE, "'' is not a valid site"),
            (['sites', 'show', sites, 'other.example'], USAGE, "'%s' does not contain site 'other.example'" % sites),
            (['sites', 'build', '-O', at('t.sites'), at('empty')], IO, "no archive found in '%s'" % at('empty')),
            (['graph', records], USAGE, 'graph needs --output DIR'),
            (['graph', '-O', at('graph'), at('empty')], USAGE, "no file of records found in '%s'" % at('empty')),
            (['graph', '-O', at('graph'), '--bias', bias, records], IO, "'%s' is damaged" % bias),
            (['dedup', 'partition', records], USAGE, 'dedup partition needs -O DIR'),
            (['dedup', 'partition', '-O', '-', records], USAGE, 'dedup partition needs -O DIR'),
            (['eval'], USAGE, 'eval needs a KIND; --help lists the kinds'),
            (['eval', 'lines'], USAGE, 'eval lines needs CORPUS...'),
            (['eval', 'density', source], USAGE, "eval 'density' is in thresher-lab"),
            (['eval', 'lines', '--json', '--markdown', at('empty')], USAGE, 'markdown and json cannot be combined'),
            (['run', '--content-model', at('none'), source], IO, "content-model: cannot open model '%s': No such file or directory" % at('none')),
            (['run', '--segmenter-model', at('none'), '-s', 'boundary-graph', source], IO, "segmenter-model: cannot open model '%s': No such file or directory" % at('none')),
            (['run', '--language-fasttext', at('none'), source], IO, "language-fasttext: cannot open model '%s': No such file or directory" % at('none')),
            (['run', '--index.path', at('index'), '--sign', 'none', source], USAGE, 'index needs a signed text: sign must not be none'),
            (['text', '-O', at('none/x/'), page], IO, "cannot create '%s': No such file or directory" % at('none/x/')),
            (['summary', at('none')], IO, "cannot read folder '%s': No such file or directory" % at('none')),
            (['text', '-\u00e9'], USAGE, "option '-\\xC3' is not known")):
        run = thresher(*args)
        expect(' '.join(args).replace(folder, ''), (run.returncode, run.stdout, run.stderr.decode()), (code, b'', 'thresher: %s\n%s' % (words, 'thresher: --help lists the options\n' if code == USAGE else '')))

    run = thresher('summary')
    expect('summary without a folder', (run.returncode, run.stdout, run.stderr.decode()), (USAGE, b'', thresher('summary', '--help').stdout.decode()))
    run = thresher('train')
    expect('a command of thresher-lab', (run.returncode, run.stderr.decode().splitlines()[-1]), (USAGE, "thresher: 'train' is a command of thresher-lab"))

    os.mkdir(at('shards'))
    marker = write('shards/b.warc.gz.done', b'not a marker')
    write('shards/c.warc.gz.state', b'')
    run = thresher('summary', '--json', at('shards'))
    expect('a marker that is none, and an input in progress', (run.returncode, run.stderr.decode()), (INPUT, "thresher: '%s' is not a marker of a run\n" % marker))
    told = json.loads(run.stdout)
    expect('both are counted', (told['done'], told['under_way']), (0, 1))


with tempfile.TemporaryDirectory() as folder:
    check(folder)
