"""Checks that the text of a page does not depend on its URL: words F1 of each corpus with all URLs replaced by one.

usage: same_url.py PROGRAM SHARED CORPUS... [-- OPTIONS of `thresher eval extraction`]       exit 77 where the corpora are absent

CORPUS is a folder in SHARED/corpora, "extraction/daniel". Prints a table. Fails if the mean words F1 of a corpus changes by more than .003. With
--fold-models, pages without a known fold would be judged by another model, so the copy keeps the host of each URL in that case: only the rest is replaced.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import urllib.parse

MAX_CHANGE = 0.003
ONE_URL = 'http://page.invalid/1'


def url_for(url, keeps_host):
    host = urllib.parse.urlsplit(url).netloc if keeps_host and url else ''
    return 'http://%s/1' % host if host else ONE_URL


def copy(source, target, keeps_host):
    os.mkdir(target)
    with gzip.open(os.path.join(source, 'pages.jsonl.gz'), 'rt', encoding='utf-8') as pages, \
            gzip.open(os.path.join(target, 'pages.jsonl.gz'), 'wt', encoding='utf-8', compresslevel=1) as out:
        for line in pages:
            page = json.loads(line)
            page['url'] = url_for(page.get('url'), keeps_host)
            out.write(json.dumps(page) + '\n')


def figures(program, options, folders):
    command = [program, 'eval', 'extraction', '-q', '--json', '--resamples', '0', '--classifiers', 'learned', *options, *folders]
    corpora = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)['corpora']
    return [corpus['methods'][0]['words']['f1'] for corpus in corpora]


arguments, options = sys.argv[1:], []
if '--' in arguments:
    options = arguments[arguments.index('--') + 1:]
    arguments = arguments[:arguments.index('--')]
program, shared, *names = arguments
folders = [os.path.join(shared, 'corpora', name) for name in names]
if not all(map(os.path.isdir, folders)):
    print('skipped: not all of %s: the corpora are not part of the repository' % ' '.join(folders))
    sys.exit(77)

with tempfile.TemporaryDirectory() as temporary:
    copies = [os.path.join(temporary, os.path.basename(name)) for name in names]
    for folder, target in zip(folders, copies):
        copy(folder, target, '--fold-models' in options)
    own, one = figures(program, options, folders), figures(program, options, copies)
print('| corpus | own URLs | one URL | change |\n|---|---:|---:|---:|')
for name, a, b in zip(names, own, one):
    print('| %s | %.4f | %.4f | %+.4f |' % (os.path.basename(name), a, b, b - a))
sys.exit(1 if any(abs(a - b) > MAX_CHANGE for a, b in zip(own, one)) else 0)
