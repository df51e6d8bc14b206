"""Compares rows and columns of cells, and PRE byte for byte, with html5lib's tree, page by page.

usage: html5lib_tables.py PROGRAM (--shared SHARED [CORPUS...] | ARCHIVE...) [--sample N] [--show N]
    --sample N      the first N pages of each corpus
    --show N        number of differences of each kind

    Exits with 1 if a cell or a PRE differs, and with 77 if html5lib (1.1, from PyPI, in a separate venv) or the corpora are not available.

The grid is computed here from html5lib's finished tree [HTML Living Standard 4.9.12], with these additions of browsers. A span ends with its row
group. Hidden cells and rows have no place. Rows are counted in source order, so rows of a TFOOT have the position of the TFOOT. The comparison covers all
text with a cell as its innermost list, item, quote, table or cell. It compares for each page the runs of (row, column, non-whitespace
characters). PRE is compared completely if it contains only inline elements. Some pages are counted separately: pages that the program repairs before it reads them
(streamed content, a TITLE without end), cells after column 256, because it follows no row spans there, and pages with text in a table but
outside of cells, because browsers move it before the table.
"""
import argparse
import os
import sys
import tempfile

import corpora
from html5lib_compare import skip, with_html5lib

with_html5lib()
import html5lib_reference as reference  # noqa: E402

COLUMNS_MAX = 256
MENDED = {'title_unclosed', 'streamed_text'}
BOXES = {'blockquote', 'ul', 'ol', 'menu', 'dir', 'li', 'table', 'tr', 'td', 'th'}
GROUPS = {'thead', 'tbody', 'tfoot'}
INLINE = set('a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark q rb rp rt ruby s samp small span strike strong '
             'sub sup time tt u var wbr br nobr'.split())


def tight(text):
    return ''.join(corpora.words(text))


def number(attributes, name, low, high):
    """The rules for parsing non-negative integers. Returns 1 on errors."""
    text = attributes.get(name, '').lstrip('\t\n\x0c\r ')
    text = text[1:] if text[:1] == '+' else text
    digits = text[:len(text) - len(text.lstrip('0123456789'))]
    return min(max(int(digits[:9]), low), high) if digits else 1


def elements(node):
    return [child for child in node.childNodes if isinstance(child, reference.Element)]


def shown(node, *names):
    return [child for child in elements(node) if child.name in names and not child.hides]


class Grid:
    """Positions of the cells of one table."""

    def __init__(self, table):
        self.row = 0
        self.places = {}  # of cells: (row, column)
        self.is_wide = False
        for group in shown(table, 'tr', *GROUPS):
            self.taken = {}  # of a column: the first row in which it is free; a span ends with its group
            for row in [group] if group.name == 'tr' else shown(group, 'tr'):
                self.place(shown(row, 'td', 'th'))
                self.row += 1

    def place(self, cells):
        column = 0
        for cell in cells:
            while self.taken.get(column, 0) > self.row:
                column += 1
            self.places[cell] = (self.row, column)
            columns = max(1, number(cell.attributes, 'colspan', 0, 1000))
            rows = number(cell.attributes, 'rowspan', 0, 65534) or 1 << 30
            self.is_wide |= column + columns > COLUMNS_MAX
            for at in range(column, column + columns):
                if rows > 1:
                    self.taken[at] = max(self.taken.get(at, 0), self.row + rows)
            column += columns


class Page:
    """Content of html5lib's tree of one page."""

    def __init__(self, html):
        parser = reference.Parser(reference.Tree, namespaceHTMLElements=True)
        document = parser.parse(html)
        self.grids, self.cells, self.pres, self.aside = {}, [], [], 0
        hidden = {}
        for piece in parser.tree.pieces:
            element = piece.parent
            if element not in hidden:
                hidden[element] = reference.why_hidden(element)
            text = tight(piece.data)
            place = self.place_of(element) if text and not hidden[element] else None
            if place:
                add(self.cells, place, text)
        self.has_fostered = any(event == 'foster parenting' for _, event in parser.tree.events)
        self.find_pres(document)

    def place_of(self, element):
        while element is not None and element.name not in BOXES:
            element = element.parent
        if element is None or element.name not in ('td', 'th') or element.parent.name != 'tr':
            return None
        table = element.parent.parent
        while table is not None and table.name in GROUPS:
            table = table.parent
        if table is None or table.name != 'table':
            return None
        if table not in self.grids:
            self.grids[table] = Grid(table)
        return self.grids[table].places.get(element)

    def find_pres(self, document):
        todo = [document]
        while todo:
            node = todo.pop()
            if not isinstance(node, reference.Element) or node.hides:
                continue
            if node.name != 'pre' or (node.namespace and node.namespace != reference.HTML):
                todo.extend(reversed(node.childNodes))
                continue
            text = self.text_of(node)
            if text is None:
                self.aside += 1
            elif text.strip(corpora.SPACES):
                self.pres.append(text.rstrip(corpora.SPACES))

    def text_of(self, pre):
        """Returns its characters, or None if it contains more than inline elements. In a cell, html5lib 1.1 keeps the newline after the start tag."""
        around = pre.parent
        while around is not None and around.name not in ('td', 'th', 'caption'):
            around = around.parent
        parts, todo = [], list(reversed(pre.childNodes))
        while todo:
            node = todo.pop()
            if isinstance(node, reference.Piece):
                parts.append(node.data)
            elif isinstance(node, reference.Element) and not node.hides:
                if node.name not in INLINE:
                    return None
                if node.name == 'br':
                    parts.append('\n')
                todo.extend(reversed(node.childNodes))
        text = ''.join(parts)
        return text[1:] if around is not None and text.startswith('\n') else text


def add(cells, place, text):
    if cells and cells[-1][0] == place:
        cells[-1] = (place, cells[-1][1] + text)
    else:
        cells.append((place, text))


def own(record):
    """The same of the program's record."""
    text, cells, pres = record['full_text'], [], []
    for paragraph in record['paragraphs']:
        words = text[paragraph['start']:paragraph['end']]
        if 'row' in paragraph:
            add(cells, (paragraph['row'], paragraph['column']), tight(words))
        if paragraph['kind'] == 'pre':
            pres.append(words)
    return cells, pres


class Count:
    def __init__(self):
        self.pages = self.cells = self.tables = self.pres = self.aside = self.wide = self.mended = self.fostered = 0
        self.wrong_cells, self.wrong_pres = [], []

    def take(self, record):
        if MENDED & set(record.get('flags', [])):
            self.mended += 1
            return
        page = Page(record['html'])
        cells, pres = own(record)
        self.pages += 1
        self.tables += len(page.grids)
        self.aside += page.aside
        if any(grid.is_wide for grid in page.grids.values()):
            self.wide += 1
        else:
            self.cells += len(page.cells)
            if cells != page.cells and page.has_fostered:
                self.fostered += 1
            elif cells != page.cells:
                first = next((pair for pair in zip(cells, page.cells) if pair[0] != pair[1]), (cells[-1:], page.cells[-1:]))
                self.wrong_cells.append((record['url'], sum(a != b for a, b in zip(cells, page.cells)), first))
        left = list(pres)
        for text in page.pres:
            self.pres += 1
            if text in left:
                left.remove(text)
            else:
                self.wrong_pres.append((record['url'], text))

    def tell(self, name, show):
        print('%-22s %4d pages, %5d tables, %6d runs of cells, pages that differ: %d (aside: %d mended, %d wide, %d with text between cells); '
              '%4d PRE, %d differ (%d with blocks in them aside)'
              % (name, self.pages, self.tables, self.cells, len(self.wrong_cells), self.mended, self.wide, self.fostered, self.pres,
                 len(self.wrong_pres), self.aside))
        for url, count, (ours, theirs) in self.wrong_cells[:show]:
            print('    cells  %s: %d; program %.90r, tree %.90r' % (url, count, ours, theirs))
        for url, text in self.wrong_pres[:show]:
            print('    pre    %s: %.200r' % (url, text))
        return bool(self.wrong_cells or self.wrong_pres)


parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1])
parser.add_argument('program')
parser.add_argument('inputs', nargs='*')
parser.add_argument('--shared')
parser.add_argument('--sample', type=int)
parser.add_argument('--show', type=int, default=3)
args = parser.parse_args()
sys.setrecursionlimit(20000)
failed = False
with tempfile.TemporaryDirectory() as folder:
    if args.shared:
        known = corpora.names(args.shared)
        if not known:
            skip('no corpora in %s' % args.shared)
        inputs = [(name, corpora.archive(args.shared, name, folder, args.sample)[0]) for name in known if not args.inputs or name in args.inputs]
    else:
        inputs = [(os.path.basename(path), path) for path in args.inputs]
    for name, path in inputs:
        count = Count()
        for record in corpora.records(args.program, path, '-k', 'keep-all', '--emit', 'full_text,paragraphs,html'):
            count.take(record)
        failed |= count.tell(name, args.show)
sys.exit(1 if failed else 0)
