"""What README.md and docs/ show is true: their commands run as they stand, print what is shown, and their links lead somewhere.

Every ```sh block is run by bash, those of a page one after the other in one folder that holds the samples as a clone does. A comment
above a block says otherwise: `<!-- not tested here: why -->`, or `<!-- exit 1 -->` for another code than 0. A bare or ```json
block is what the last such block printed, on either stream, folded where it is long and with "..." for what was left out; what is
neither is marked ```text.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from case import PROGRAM, expect_true

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
PAGES = ['README.md'] + sorted('docs/' + name for name in os.listdir(os.path.join(ROOT, 'docs')) if name.endswith('.md'))
BLOCK = re.compile(r'(?:<!-- (not tested here: [^\n]*|exit \d+) -->\n)?```(\w*)\n(.*?)\n```$', re.S | re.M)
LINK = re.compile(r'\]\(([^)\s]+)\)')


def text_of(page):
    with open(os.path.join(ROOT, page), encoding='utf-8') as f:
        return f.read()


def clone(folder):
    """What the commands read; samples/out of an earlier run is no part of it."""
    shutil.copytree(os.path.join(ROOT, 'samples'), os.path.join(folder, 'samples'), ignore=shutil.ignore_patterns('out'))
    for name in ('config', 'tests'):
        os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    os.mkdir(os.path.join(folder, 'path'))
    os.symlink(os.path.abspath(PROGRAM), os.path.join(folder, 'path', 'thresher'))
    return dict(os.environ, PATH=os.path.join(folder, 'path') + os.pathsep + os.environ['PATH'], LC_ALL='C.UTF-8')


def not_printed(block, printed):
    """The first part of the block that was not printed, in order; None when all was."""
    printed, at = printed.replace('\n', ''), 0
    for part in block.replace('\n', '').split('...'):
        found = printed.find(part, at)
        if found < 0:
            return part
        at = found + len(part)
    return None


def commands_hold(page):
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        environment = clone(folder)
        printed = None
        for note, language, block in BLOCK.findall(text_of(page)):
            name = '%s: %s' % (page, block.split('\n')[0][:70])
            if language == 'sh' and note.startswith('not'):
                printed = None
            elif language == 'sh':
                done = subprocess.run(['bash', '-e', '-c', block], cwd=folder, env=environment, timeout=120,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                printed = done.stdout.decode('utf-8', 'replace')
                wanted = int(note.split()[1]) if note else 0
                expect_true('%s: exit code %d' % (name, wanted), done.returncode == wanted, '%d\n%s' % (done.returncode, printed[-2000:]))
                ran += 1
            elif language in ('', 'json') and printed is not None:
                missing = not_printed(block, printed)
                expect_true('%s: was printed' % name, missing is None, '(%r was not)\n%s' % (missing, printed[:2000]))
    return ran


def anchors(page):
    """As GitHub makes them of headings."""
    titles = re.findall(r'^#+ (.*)$', text_of(page), re.M)
    return {re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-') for title in titles}


def links_lead(page):
    for link in LINK.findall(re.sub(r'^```.*?^```$', '', text_of(page), flags=re.S | re.M)):
        if link.startswith('https://'):
            continue
        path, _, anchor = link.partition('#')
        target = os.path.relpath(os.path.join(ROOT, os.path.dirname(page), path), ROOT) if path else page
        expect_true('%s: %s is there' % (page, link), os.path.exists(os.path.join(ROOT, target)))
        if anchor:
            expect_true('%s: %s is a heading' % (page, link), anchor in anchors(target))


total = 0
for page in PAGES:
    links_lead(page)
    total += commands_hold(page)
expect_true('commands were found', total >= 15, total)
