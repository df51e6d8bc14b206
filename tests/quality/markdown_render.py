"""Checks the Markdown of a record with two CommonMark implementations from PyPI, markdown-it-py and cmarkgfm (the reference in C,
with GitHub's tables). The rendered text equals the content's paragraphs in order, every PRE byte for byte, and every cell of a table in its row and
column.

usage: markdown_render.py PROGRAM [--shared SHARED [--corpus NAME] | ARCHIVE] [-k CLASSIFIER] [--least SHARE] [--show N] [--escapes]

Neither renderer finds HTML that is not the program's own: <sup>, <sub>, and <br> in cells. With --escapes each escape is removed in turn: one of the
renderers must find something else in its block then.

The packages are in a virtual environment in the user's cache. Exits with 77 if they or the corpus are not available. The words of paragraphs are
compared in order, by line. Whitespace inside a line counts as one space. CommonMark has no formulas and footnotes, so pages with them are
counted separately. Pages that are equal except for labels of tabs are too, because Markdown has them before their panels.
"""
import argparse
import collections
import fcntl
import os
import re
import subprocess
import sys
import tempfile

PACKAGES = ['markdown-it-py==3.0.0', 'cmarkgfm==2025.10.22', 'html5lib==1.1']
SKIPPED = 77


def cache_folder():
    return os.path.join(os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'thresher-markdown-2')


def python():
    """Returns the environment's Python. Creates the environment if it is missing."""
    folder = cache_folder()
    os.makedirs(folder, exist_ok=True)
    venv = os.path.join(folder, 'venv')
    with open(os.path.join(folder, 'lock'), 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(os.path.join(folder, 'complete')):
            subprocess.run([sys.executable, '-m', 'venv', '--clear', venv], check=True, timeout=300, stdout=subprocess.DEVNULL)
            subprocess.run([os.path.join(venv, 'bin', 'python'), '-m', 'pip', 'install', '-q', '--disable-pip-version-check', *PACKAGES],
                           check=True, timeout=120, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            open(os.path.join(folder, 'complete'), 'w').close()
    return os.path.join(venv, 'bin', 'python')


if 'thresher-markdown' not in sys.prefix:
    try:
        inside = python()
    except (OSError, subprocess.SubprocessError) as error:
        print('skipped: no CommonMark from PyPI: %s' % error)
        sys.exit(SKIPPED)
    os.execv(inside, [inside, *sys.argv])

import cmarkgfm  # noqa: E402
import html5lib  # noqa: E402
import markdown_it  # noqa: E402

SPACE = re.compile(r'\s+')
NOTE = re.compile(r'(?<!\\)\[\^\d+\]')
BLOCKS = {'p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'td', 'th', 'blockquote', 'ul', 'ol', 'table', 'tr', 'hr', 'div'}


OWN_HTML = re.compile(r'</?su[pb]>|<br>')
OMITTED = '<!-- raw HTML omitted -->'
FORMULA = re.compile(r'\$\$[^$]*\$\$|\$[^$\n]*\$')
ESCAPE = re.compile(r'\\(?=[!-/:-@\[-`{-~])|&(?:lt|amp);')
ADDRESS = re.compile(r'[^\s<]*(?:://|www\.)[^\s<]*')
CODE = re.compile(r'^ *(?:> )*(`{3,})[\s\S]*?^ *(?:> )*\1$|(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\2(?!`)', re.M)


def plain(text):
    """One line; the "^" of an exponent is for plain text only."""
    return SPACE.sub(' ', text).strip().replace('^', '')


def foreign_html(text):
    """HTML that a renderer finds in Markdown and that the program has not written itself."""
    tokens = markdown_it.MarkdownIt('commonmark').enable(['table', 'strikethrough']).parse(text)
    found = [t.content for t in tokens if t.type == 'html_block']
    own = 0
    for token in tokens:
        for child in token.children or ():
            if child.type == 'html_inline':
                own += 1
                if not OWN_HTML.fullmatch(child.content):
                    found.append(child.content)
    omitted = cmarkgfm.markdown_to_html_with_extensions(text, extensions=['table', 'strikethrough', 'autolink']).count(OMITTED)
    if omitted != own + sum(t.type == 'html_block' for t in tokens):
        found.append('cmark-gfm: %d of %d' % (omitted, own))
    return found


def blocks(text):
    """Parts of Markdown between empty lines. Code is one part, and so is a list item."""
    fence, lines, all_lines = None, [], text.split('\n')
    for line, after in zip(all_lines, all_lines[1:] + ['']):
        mark = re.match(r'[ >]*(?:[-*] |\d+[.)] )*(`{3,})', line)
        if fence is None and mark:
            fence = mark[1]
        elif fence and mark and mark[1] == fence:
            fence = None
        elif not fence and not line and lines and not after.startswith(' '):
            yield '\n'.join(lines)
            lines = []
            continue
        lines.append(line)
    yield '\n'.join(lines)


def needless(text):
    """(escapes outside of addresses, those without which both renderers find the same)"""
    count, same, readers = 0, [], [render for _, render in renderers()]
    for block in blocks(text):
        spans = [m.span() for pattern in (CODE, FORMULA, ADDRESS) for m in pattern.finditer(block)]
        before = None
        for m in ESCAPE.finditer(block):
            if any(a <= m.start() < b for a, b in spans) or m.start() and block[m.start() - 1] == '\\' and block[m.start()] == '\\':
                continue
            count += 1
            if before is None:
                before = [render(block) for render in readers]
            bare = {'&lt;': '<', '&amp;': '&'}.get(m[0], '')
            changed = block[:m.start()] + bare + block[m.end():]
            if all(render(changed) == old for render, old in zip(readers, before)):
                same.append(block[max(0, m.start() - 40):m.end() + 40])
    return count, same


class Lines:
    """Visible content of rendered HTML: lines, code and tables, in order."""

    def __init__(self, source):
        self.lines, self.open, self.codes, self.tables, self.strong = [], [], [], [], set()
        body = html5lib.parse(source, namespaceHTMLElements=False).find('body')
        self.walk(body)
        self.end()

    def end(self):
        line = plain(''.join(self.open))
        if line:
            self.lines.append(line)
        self.open = []

    def walk(self, node):
        if not isinstance(node.tag, str):
            return
        if node.tag == 'pre':
            self.end()
            code = ''.join(node.itertext())
            self.codes.append(code)
            self.lines += [line for line in (plain(line) for line in code.split('\n')) if line]
            return
        if node.tag in BLOCKS or node.tag == 'br':
            self.end()
        if node.tag == 'p' and len(node) == 1 and node[0].tag == 'strong' and not plain((node.text or '') + (node[0].tail or '')):
            self.strong.add(plain(''.join(node.itertext())))
        if node.tag == 'table' and node.find('.//br') is None: # the record has no place for each text of a cell
            self.tables.append([[plain(''.join(cell.itertext())) for cell in row if cell.tag in ('td', 'th')] for row in node.iter('tr')])
        if node.text:
            self.open.append(node.text)
        for child in node:
            self.walk(child)
            if child.tail:
                self.open.append(child.tail)
        if node.tag in BLOCKS:
            self.end()


def shown(record):
    """Returns the lines, codes and cells of the content's paragraphs, which Markdown should have."""
    text, lines, codes, cells = record['full_text'], [], [], []
    for paragraph in record['paragraphs']:
        if paragraph['label'] != 'content':
            continue
        own = text[paragraph['start']:paragraph['end']]
        if paragraph['kind'] == 'pre':
            codes.append(own)
        if 'row' in paragraph:
            cells.append((paragraph['row'], paragraph['column'], plain(own)))
        part = own.split('\n')
        if paragraph['kind'] == 'heading':
            part = [own.replace('\n', ' ')]
        lines += [line for line in (plain(line) for line in part) if line]
    return lines, codes, cells


def without_labels(lines, strong):
    """Lines that are not made of texts that the Markdown has as strong paragraphs, like labels of tabs."""
    label = re.compile('|'.join(map(re.escape, sorted(strong, key=len, reverse=True))))
    return [line for line in lines if not strong or label.sub('', line).strip()]


def misplaced(table, cells):
    """
    Returns the cells of a rendered table in another column than on the page, or in another row than their neighbours. Returns all cells if the table is missing.
    @param cells  (row, column, text) of the page's content, in order
    """
    own = [(row, column, text) for row, line in enumerate(table) for column, text in enumerate(line) if text]
    fewest = own
    for at in range(len(cells) - len(own) + 1):
        there = cells[at:at + len(own)]
        if own and [cell[2] for cell in own] == [cell[2] for cell in there]:
            row_of = {}
            wrong = [a for a, b in zip(own, there) if a[1] != b[1] or row_of.setdefault(a[0], b[0]) != b[0]]
            if len(set(row_of.values())) < len(row_of):
                wrong = own
            fewest = min(fewest, wrong, key=len)
    return fewest


def renderers():
    one = markdown_it.MarkdownIt('commonmark').enable(['table', 'strikethrough'])
    yield 'markdown-it-py', one.render
    yield 'cmarkgfm', lambda text: cmarkgfm.markdown_to_html_with_extensions(text, options=cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE,
                                                                            extensions=['table', 'strikethrough'])


parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1])
parser.add_argument('program')
parser.add_argument('archive', nargs='?')
parser.add_argument('--shared')
parser.add_argument('--corpus', default='wcxb-dev')
parser.add_argument('-k', dest='classifier', default='keep-all')
parser.add_argument('--least', type=float, default=1)
parser.add_argument('--show', type=int, default=3)
parser.add_argument('--links', action='store_true')
parser.add_argument('--escapes', action='store_true')
parser.add_argument('--write', help='a folder for the Markdown of pages that differ')
args = parser.parse_args()
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import corpora  # noqa: E402

with tempfile.TemporaryDirectory() as folder:
    path = args.archive
    if not path:
        if not args.shared or args.corpus not in corpora.names(args.shared):
            print('skipped: no corpora')
            sys.exit(SKIPPED)
        path, ids = corpora.archive(args.shared, args.corpus, folder)
    options = ['--text-format', 'markdown', '--text-title', 'no'] + (['--text-links'] if args.links else [])
    records = list(corpora.records(args.program, path, '-k', args.classifier, '--emit', 'full_text,paragraphs', *options))
failed = False
foreign = [(record['url'], html) for record in records for html in foreign_html(record['text'])]
print('%d pieces of HTML that the program did not write' % len(foreign))
for url, html in foreign[:args.show]:
    print('    %s: %s' % (url, html[:100]))
failed |= bool(foreign)
if args.escapes:
    escapes, same = 0, []
    for record in records:
        one, more = needless(record['text'])
        escapes += one
        same += [(record['url'], line) for line in more]
    print('%d escapes, %d of them needless' % (escapes, len(same)))
    failed |= bool(same)
    for url, line in same[:args.show]:
        print('    %s: %r' % (url, line))
for name, render in renderers():
    equal = total = with_math = with_notes = with_tabs = codes_equal = codes_total = lines_total = lines_missing = cells_total = cells_wrong = 0
    samples = []
    for record in records:
        wanted, codes, cells = shown(record)
        if FORMULA.search(record['text']):
            with_math += 1
            continue
        if NOTE.search(record['text']):
            with_notes += 1
            continue
        got = Lines(render(record['text']))
        is_moved = wanted != got.lines and without_labels(wanted, got.strong) == without_labels(got.lines, got.strong)
        with_tabs += is_moved
        total += not is_moved
        # Cells of a row that are one line in the text are also one line here, in page order.
        ours, theirs = collections.Counter(wanted), collections.Counter(got.lines)
        lines_total += len(wanted)
        lines_missing += 0 if is_moved else sum((ours - theirs).values())
        for table in got.tables:
            cells_total += sum(bool(text) for line in table for text in line)
            wrong = misplaced(table, cells)
            cells_wrong += len(wrong)
            if wrong:
                samples.append((record['url'], ['cell: %s' % (wrong[0],)], []))
        codes_total += len(codes)
        left = collections.Counter(code.rstrip('\n') for code in got.codes)
        for code in codes:
            if left[code.rstrip('\n')]:
                left[code.rstrip('\n')] -= 1
                codes_equal += 1
            else:
                samples.append((record['url'], ['code: ' + code[:200]], []))
        if wanted == got.lines:
            equal += 1
        elif not is_moved:
            samples.append((record['url'], list((ours - theirs))[:3], list((theirs - ours))[:3]))
    print('%-15s %d pages of %d equal (%d with formulas, %d with footnotes, %d with labels of tabs aside), %d lines of %d missing, %d of %d codes byte for byte, '
          '%d cells of %d elsewhere' % (name, equal, total, with_math, with_notes, with_tabs, lines_missing, lines_total, codes_equal, codes_total, cells_wrong, cells_total))
    for url, ours, theirs in samples[:args.show]:
        print('    %s\n        page     %s\n        rendered %s' % (url, ours, theirs))
    failed |= equal < args.least * total or codes_equal < codes_total or cells_wrong > 0
sys.exit(1 if failed else 0)
