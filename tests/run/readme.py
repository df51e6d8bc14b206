"""Checks README.md and the pages of docs, deploy and training: commands succeed and print the text shown, and links have a target.

bash runs every ```sh block. The blocks of a page run in order, in one folder that contains the samples like a clone. A comment
above a block changes this: `<!-- not tested here: reason -->`, or `<!-- exit 1 -->` for an exit code other than 0. A block
without a language, or with ```json, shows the output (stdout and stderr) of the last ```sh block. Long lines may be folded, and
"..." replaces omitted text. Other blocks have the language ```text or the name of a programming language.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from case import PROGRAM, expect_true

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
PAGES = ['README.md'] + sorted(folder + name for folder in ('docs/', 'docs/measurements/', 'deploy/', 'training/')
                               for name in os.listdir(os.path.join(ROOT, folder)) if name.endswith('.md'))
README_WORDS = 1500  # maximum, as `wc -w` counts
BLOCK = re.compile(r'(?:<!-- (not tested here: [^\n]*|exit \d+) -->\n)?```(\w*)\n(.*?)\n```$', re.S | re.M)
LINK = re.compile(r'\]\(([^)\s]+)\)')


def text_of(page):
    with open(os.path.join(ROOT, page), encoding='utf-8') as f:
        return f.read()


def clone(folder):
    """Copies the input of the commands into `folder`, without samples/out. Returns the environment."""
    shutil.copytree(os.path.join(ROOT, 'samples'), os.path.join(folder, 'samples'), ignore=shutil.ignore_patterns('out'))
    for name in ('config', 'tests'):
        os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    os.mkdir(os.path.join(folder, 'path'))
    for name in ('thresher', 'thresher-lab'):
        os.symlink(os.path.join(os.path.dirname(os.path.abspath(PROGRAM)), name), os.path.join(folder, 'path', name))
    return dict(os.environ, PATH=os.path.join(folder, 'path') + os.pathsep + os.environ['PATH'], LC_ALL='C.UTF-8')


def not_printed(block, printed):
    """Returns the first part of the block that was not printed, in order, or None."""
    printed, at = printed.replace('\n', ''), 0
    for part in block.replace('\n', '').split('...'):
        found = printed.find(part, at)
        if found < 0:
            return part
        at = found + len(part)
    return None


def run_commands(page):
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        environment = clone(folder)
        printed = None
        for note, language, block in BLOCK.findall(text_of(page)):
            name = '%s: %s' % (page, block.split('\n')[0][:70])
            if language == 'sh' and note.startswith('not'):
                printed = None
            elif language == 'sh':
                done = subprocess.run(['bash', '-e', '-c', block], cwd=folder, env=environment, timeout=600,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                printed = done.stdout.decode('utf-8', 'replace')
                wanted = int(note.split()[1]) if note else 0
                expect_true('%s: exit code %d' % (name, wanted), done.returncode == wanted, '%d\n%s' % (done.returncode, printed[-2000:]))
                ran += 1
            elif language in ('', 'json') and printed is not None:
                missing = not_printed(block, printed)
                expect_true('%s: output matches' % name, missing is None, '(missing: %r)\n%s' % (missing, printed[:2000]))
    return ran


def anchors(page):
    """Returns the anchors that GitHub creates for the headings of a page."""
    titles = re.findall(r'^#+ (.*)$', text_of(page), re.M)
    return {re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-') for title in titles}


def check_links(page):
    for link in LINK.findall(re.sub(r'^```.*?^```$', '', text_of(page), flags=re.S | re.M)):
        if link.startswith('https://'):
            continue
        path, _, anchor = link.partition('#')
        target = os.path.relpath(os.path.join(ROOT, os.path.dirname(page), path), ROOT) if path else page
        expect_true('%s: %s exists' % (page, link), os.path.exists(os.path.join(ROOT, target)))
        if anchor:
            expect_true('%s: %s is a heading' % (page, link), anchor in anchors(target))


words = len(text_of('README.md').split())
expect_true('README.md has at most %d words' % README_WORDS, words <= README_WORDS, words)
total = 0
for page in PAGES:
    check_links(page)
    total += run_commands(page)
expect_true('at least 15 commands ran', total >= 15, total)
