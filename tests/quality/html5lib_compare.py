"""Compares the program's blocks with the standard's tree by html5lib, page by page, on the extraction corpora.

usage: html5lib_compare.py PROGRAM SHARED [--sample N] [--list] [CORPUS...]
    --sample N      the first N pages of each corpus, and exit 1 where a share falls under its floor (the CTest: 2 pages of each)
    --list          a line for every page that differs: its class, the last step of the tree construction, and the first words that differ

    Exits with 77 if the corpora or html5lib (1.1, from PyPI, in a separate venv) are not available.

Measured:

  words      share of pages with the same visible words, in source order

  order only pages with the same words in another order

  blocks     share of the reference's atomic blocks that the program has with the same text

  element    share of the reference's blocks in the same element: the tag path of the nearest element other than A is the same

  tag        the same for the name of that element only

html5lib_reference.py describes the reference and its corrections of html5lib. Both read the same decoded text
(--emit html), so encodings do not matter. html5lib takes some minutes for all pages. Its results are cached in ~/.cache/thresher/html5lib
by the hash of the text.
"""
import argparse
import collections
import difflib
import gzip
import hashlib
import html
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile

import corpora

CACHE = os.path.expanduser('~/.cache/thresher')
# Lowest shares on the sample, in percent: words, element.
FLOORS = (99, 99)
MISNESTED = ('adoption agency', 'formatting goes on', 'foster parenting', 'foreign content', 'nobr')
NEAR = 40  # gaps before a difference in which what the tree construction did may be its reason


# ---- the reference ----

def with_html5lib():
    """Restarts this script in a venv with html5lib, unless this Python has it. Exits with 77 if it is not available."""
    try:
        import html5lib  # noqa: F401
        return
    except ImportError:
        pass
    venv = os.path.join(CACHE, 'venv')
    python = os.path.join(venv, 'bin', 'python')
    if os.environ.get('THRESHER_IN_VENV'):
        skip('html5lib does not import in %s' % venv)
    try:
        if subprocess.run([python, '-c', 'import html5lib'], stderr=subprocess.DEVNULL, timeout=60).returncode:
            raise OSError
    except OSError:
        try:
            subprocess.run([sys.executable, '-m', 'venv', venv], check=True, timeout=120, stdout=subprocess.DEVNULL)
            subprocess.run([python, '-m', 'pip', '-q', 'install', 'html5lib==1.1'], check=True, timeout=120)
        except (OSError, subprocess.SubprocessError) as error:
            skip('html5lib cannot be had: %s' % error)
    os.execve(python, [python, *sys.argv], dict(os.environ, THRESHER_IN_VENV='1'))


def skip(why):
    print('skipped: %s' % why)
    sys.exit(77)


def reference_of(text):
    """Returns the result of html5lib_reference.read_page, from the cache or computed."""
    import html5lib_reference
    key = hashlib.sha256(b'%d\0' % html5lib_reference.VERSION + text.encode('utf-8', 'surrogatepass')).hexdigest()
    path = os.path.join(CACHE, 'html5lib', key[:2], key + '.json.gz')
    try:
        with gzip.open(path, 'rt', encoding='utf-8', errors='surrogatepass') as file:
            return json.load(file)
    except (OSError, EOFError, ValueError):
        pass
    sys.setrecursionlimit(20000)
    found = html5lib_reference.read_page(text)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = '%s.%d' % (path, os.getpid())
    with gzip.open(temporary, 'wt', encoding='utf-8', errors='surrogatepass', compresslevel=4) as file:
        json.dump(found, file)
    os.replace(temporary, path)
    return found


class Block:
    """An atomic block of the reference."""
    __slots__ = ('gap', 'words', 'path')

    def __init__(self, gap):
        self.gap, self.words, self.path = gap, [], None


def blocks_of(pieces):
    """Visible text between two gaps is a block. It belongs to the element of its first character."""
    blocks, texts = [], []
    for gap, path, hidden, text in pieces:
        if hidden:
            continue
        if not blocks or blocks[-1].gap != gap:
            blocks.append(Block(gap))
            texts.append([])
        texts[-1].append(text)
        if blocks[-1].path is None and corpora.words(text):
            blocks[-1].path = path
    for block, text in zip(blocks, texts):
        block.words = corpora.words(''.join(text))
    return [block for block in blocks if block.words]


# ---- one page ----

def known_names():
    """Names that have a number in thresher; others are '*' in a path."""
    header = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'include', 'thresher', 'tag.h')
    with open(header, encoding='utf-8') as file:
        return frozenset(re.findall(r'X\(\w+, *"([^"]+)"\)', file.read()))


KNOWN = known_names()


def path_as_emitted(path):
    """Returns the path as the program writes it. Unknown names are '*'. A mark and the innermost 32 names replace a longer path."""
    names = [name if name in KNOWN else '*' for name in path.split('/')]
    return '/'.join(names) if len(names) <= 32 else '**/' + '/'.join(names[-32:])


def aligned(ours, theirs):
    """Pairs (i, j) of blocks with the same words."""
    a, b = [tuple(w) for w, _ in ours], [tuple(block.words) for block in theirs]
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        yield start, start
        start += 1
    stop = 0
    while stop < min(len(a), len(b)) - start and a[-1 - stop] == b[-1 - stop]:
        yield len(a) - 1 - stop, len(b) - 1 - stop
        stop += 1
    matcher = difflib.SequenceMatcher(None, a[start:len(a) - stop], b[start:len(b) - stop], autojunk=False)
    for i, j, size in matcher.get_matching_blocks():
        for k in range(size):
            yield start + i + k, start + j + k


class Page:
    """Result of the comparison of a page."""

    def __init__(self, corpus, name, record, reference):
        self.corpus, self.name, self.source = corpus, name, record['html']
        self.flags = record['flags']
        self.ours = [(corpora.words(text), path) for text, path in corpora.blocks(record)]
        self.ours = [block for block in self.ours if block[0]]
        self.reference = reference
        self.theirs = blocks_of(reference['pieces'])
        self.our_words = [word for words, _ in self.ours for word in words]
        self.their_words = [word for block in self.theirs for word in block.words]
        self.is_equal = self.our_words == self.their_words
        self.is_reordered = not self.is_equal and sorted(self.our_words) == sorted(self.their_words)
        self.block_count = len(self.theirs)
        self.found = self.same_path = self.same_tag = 0
        self.moved = []  # (gap, our path, their path)
        for i, j in aligned(self.ours, self.theirs):
            self.found += 1
            path, want = self.ours[i][1], path_as_emitted(self.theirs[j].path)
            self.same_path += path == want
            self.same_tag += path.rsplit('/', 1)[-1] == want.rsplit('/', 1)[-1]
            if path != want:
                self.moved.append((self.theirs[j].gap, path, want))
        self.moved.sort()

    def first_difference(self):
        """Number of the first word that is not the same."""
        for number, (ours, theirs) in enumerate(zip(self.our_words, self.their_words)):
            if ours != theirs:
                return number
        return min(len(self.our_words), len(self.their_words))

    def gap_at(self, number):
        for block in self.theirs:
            number -= len(block.words)
            if number < 0:
                return block.gap
        return self.theirs[-1].gap if self.theirs else 0

    def done_near(self, gap):
        """Returns the last step of the tree construction there."""
        near = [event for at, event in self.reference['events'] if gap - NEAR <= at <= gap]
        return near[-1] if near else None

    def misnested_before(self, gap):
        """Returns the likely cause of a block's element, because mis-nested elements stay open for long."""
        before = [event for at, event in self.reference['events'] if at <= gap and event in MISNESTED]
        return before[-1] if before else 'nothing mis-nested'

    def hidden_words(self):
        words = collections.defaultdict(set)
        for _, _, why, text in self.reference['pieces']:
            if why:
                words[why].update(corpora.words(text))
        return words

    def reason(self):
        """@return the class of the difference, and the first words that differ: ours, theirs"""
        at = self.first_difference()
        ours, theirs = self.our_words[at:], self.their_words[at:]
        event = self.done_near(self.gap_at(at))
        suffix = ', behind: %s' % event if event else ''
        sample = ' '.join(ours[:6]), ' '.join(theirs[:6])
        if self.is_reordered:
            return 'order only' + suffix, *sample
        extra = collections.Counter(ours) - collections.Counter(theirs)
        missing = collections.Counter(theirs) - collections.Counter(ours)
        sample = (' '.join(w for w in ours if w in extra)[:80] or sample[0], ' '.join(w for w in theirs if w in missing)[:80] or sample[1])
        return self.kind(ours, theirs, extra, missing) + suffix, *sample

    def words_of_noscript(self):
        """Without scripting, a NOSCRIPT in HEAD ends at the first element that HEAD does not allow, and the rest is visible. thresher never shows it."""
        return set(corpora.words(' '.join(re.sub('<[^>]*>', ' ', text) for text in re.findall('(?is)<noscript.*?</noscript', self.source))))

    def kind(self, ours, theirs, extra, missing):
        text_extra, text_missing = ' '.join(extra), ' '.join(missing)
        if re.search('&#(12[89]|1[345][0-9]|0*x0*[89][0-9a-f]);?', self.source, re.I) and re.search('[\x80-\x9f]', text_extra):
            return 'windows-1252 references'
        if ''.join(ours) == ''.join(theirs):
            return 'words cut elsewhere'
        if '&' in text_extra and set(corpora.words(html.unescape(text_extra))) & set(missing):
            return 'references'
        if '\0' in self.source:
            return 'NUL'
        if missing and not extra and missing.keys() <= self.words_of_noscript():
            return 'noscript in head'
        if not extra and not ours:
            return 'text lost to the end'
        if missing and not extra:
            return 'text lost'
        if re.search('</?[a-z!?]', text_extra, re.I):
            return 'markup as text'
        for why, words in self.hidden_words().items():
            if extra and len(set(extra) & words) * 2 >= len(extra):
                return 'shown, though hidden: %s' % why
        if extra and not missing:
            return 'more text'
        return 'other text'

    def why_moved(self):
        """Counts the classes of the blocks in another element."""
        classes = collections.Counter()
        for gap, ours, theirs in self.moved:
            classes['%s, %s' % (self.misnested_before(gap), parting(ours.split('/'), theirs.split('/')))] += 1
        return classes


def parting(ours, theirs):
    """Returns the differences of two paths."""
    if '**' in (ours[0], theirs[0]):
        return 'deeper or less deep'
    extra, missing = [], []
    for _, i, j, k, m in difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if ours[i:j] != theirs[k:m]:
            extra += ours[i:j]
            missing += theirs[k:m]
    return ' and '.join(['%s missing' % '/'.join(missing[:4])] * bool(missing) + ['%s too much' % '/'.join(extra[:4])] * bool(extra))


# ---- all of them ----

def work(corpus, name, record):
    return Page(corpus, name, record, reference_of(record['html']))


def pages_of(jobs, pool):
    """Yields pages in order, with a few records in progress at any time."""
    waiting = collections.deque()
    for job in jobs:
        waiting.append(pool.apply_async(work, job))
        if len(waiting) > 16:
            yield waiting.popleft().get()
    for page in waiting:
        yield page.get()


def jobs(program, archives):
    for corpus, path, ids in archives:
        records = corpora.records(program, path, '--emit', 'blocks,full_text,html')
        count = 0
        for name, record in zip(ids, records):
            count += 1
            yield corpus, name, record
        if count != len(ids):
            raise SystemExit('%s: %d records for %d pages' % (corpus, count, len(ids)))


def percent(part, whole):
    return 100.0 * part / whole if whole else 100.0


class Sum:
    def __init__(self):
        self.pages = self.equal = self.reordered = self.blocks = self.found = self.path = self.tag = 0

    def add(self, page):
        self.pages += 1
        self.equal += page.is_equal
        self.reordered += page.is_reordered
        self.blocks += page.block_count
        self.found += page.found
        self.path += page.same_path
        self.tag += page.same_tag

    def row(self, name):
        return '| %s | %d | %.2f | %d | %d | %.2f | %.2f | %.2f |' % (
            name, self.pages, percent(self.equal, self.pages), self.reordered, self.blocks, percent(self.found, self.blocks),
            percent(self.path, self.blocks), percent(self.tag, self.blocks))


def measure(program, archives, is_list, pool):
    sums, classes, moves = collections.defaultdict(Sum), collections.Counter(), collections.Counter()
    lines = []
    for page in pages_of(jobs(program, archives), pool):
        sums[page.corpus].add(page)
        sums['all'].add(page)
        moves.update(page.why_moved())
        if not page.is_equal:
            kind, ours, theirs = page.reason()
            classes[kind] += 1
            lines.append('%s/%s: %s: ours "%.70s" reference "%.70s"%s' % (page.corpus, page.name, kind, ours, theirs,
                                                                         ' ' + ','.join(page.flags) if page.flags else ''))
    print()
    print('| corpus | pages | words % | order only | blocks | blocks % | element % | tag % |')
    print('|---|---|---|---|---|---|---|---|')
    for name in sorted(sums, key=lambda name: (name == 'all', name)):
        print(sums[name].row(name))
    print('\nPages that differ, by class:')
    for kind, count in classes.most_common():
        print('%6d %s' % (count, kind))
    print('\nBlocks in another element, by what the tree construction last did with mis-nested elements, and what is wrong in our path:')
    for kind, count in moves.most_common(40 if is_list else 12):
        print('%6d %s' % (count, kind))
    if is_list:
        print('\n' + '\n'.join(lines))
    sys.stdout.flush()
    return percent(sums['all'].equal, sums['all'].pages), percent(sums['all'].path, sums['all'].blocks)


def main():
    options = argparse.ArgumentParser(usage=__doc__.split('usage: ')[1].split('\n\n')[0])
    options.add_argument('program')
    options.add_argument('shared')
    options.add_argument('--sample', type=int)
    options.add_argument('--list', action='store_true')
    options.add_argument('corpora', nargs='*')
    asked = options.parse_intermixed_args()
    names = asked.corpora or corpora.names(asked.shared)
    if not names:
        skip('no extraction corpora in %s: they are not part of the repository' % asked.shared)
    with_html5lib()
    is_good = True
    os.nice(10)
    with tempfile.TemporaryDirectory() as folder, multiprocessing.Pool(2) as pool:
        archives = [(name, *corpora.archive(asked.shared, name, folder, asked.sample)) for name in names]
        shares = measure(asked.program, archives, asked.list, pool)
        for what, share, floor in zip(('words', 'element'), shares, FLOORS):
            if asked.sample and share < floor:
                print('FAILED: %s %.2f %%, floor %d' % (what, share, floor))
                is_good = False
    return 0 if is_good else 1


if __name__ == '__main__':
    sys.exit(main())
