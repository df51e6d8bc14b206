"""Counts ten patterns of odd English in comments, messages and documents.

usage: plain_english.py ROOT [--list [FOLDER]] [--lower]

The test fails if the tree has more than 3 hits per 1,000 words, or if a folder has more than its limit. Folders without a row in
plain_english.limits have the limit 3. A row allows more, until the folder is rewritten. Rows only get smaller:

--lower    writes the current rates as new limits, if they are lower, and removes rows of folders at or below 3
--list     prints each hit as file:line: pattern: text

Prose is in comments of C, C++, Java, Rust, JavaScript, Python, shell, CMake and configuration files, in Python docstrings, in C strings with
at least three lower-case words, and in Markdown outside of code blocks and code spans.
"""
import argparse
import ast
import collections
import io
import os
import re
import sys
import tokenize

LIMIT = 3.0  # hits per 1,000 words
LONG = 40  # words of a sentence
SLACK = 1.0  # added to a rate when it becomes a limit, for changes in progress
HERE = os.path.dirname(os.path.abspath(__file__))
LIMITS = os.path.join(HERE, 'plain_english.limits')
SKIPPED = {'data', 'golden', 'corpus', 'out', '__pycache__', 'models'}
SLASH = ('.c', '.h', '.cc', '.rs', '.java', '.js', '.h.in')
HASH = ('.sh', '.cmake', '.conf', '.yml', '.yaml', '.toml', '.service', '.sbatch', '.cmake.in', 'CMakeLists.txt', 'Containerfile')

WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")
MASKED = re.compile(r'``.+?``|`[^`]*`|https?://\S+|\[[A-Z]\w*\d\d[^\]]*\]|<[^<>\n]{1,60}>|"[^"\n]{1,80}"|%[-0-9.*]*[a-z]+')
SENTENCE = re.compile(r'(?:[^.!?]|[.!?](?=\S))+[.!?]?')
VERB = re.compile(r"^(?:is|are|was|were|be|has|have|had|do|does|did|can|cannot|may|must|will|would|should|see|use|go|get|set|let|make|take|keep|"
                  r"put|read|write|run|need|add|stay|end|fail|stop|start|send|print|try|give|come|call|find|found|got|made|took|kept|gave)$|(?:s|ed|ing|n't)$")
# Name, expression, and an example that it must find.
PATTERNS = [(name, re.compile(expression), example) for name, expression, example in (
    ('what-clause', r'(?:\b(?:of|and|from|in|for|by|to|with|on|as|than|or|but)|[,;:]) what\b(?! (?:to|happens?|happened)\b)', 'the bytes of what it read'),
    ('what-start', r'(?:^|[.!?:*] )What\b(?! (?:to|happens|happened)\b)(?![^.]*\?)', 'What stands here is kept.'),
    ('pronoun', r'\b[Tt]hose (?:that|of|who|with)\b|\b[Oo]nes? (?:that|who|with)\b|\bthat of (?:the|an?|its|one)\b', 'the number is that of the record'),
    ('stands', r'\b(?:[Ss]tands?|stood|standing)\b(?! for\b)', 'the name stands in the header'),
    ('behind', r'\b[Bb]ehind\b', 'the bytes behind the header'),
    ('colon-clause', r'[a-z_)]: (?:it|they|there|that|this|these|then|so|nothing|none) [a-z]+', 'closes the file: it is no longer needed'),
    ('is-no', r'(?<![Tt]here )\b(?:is|are|was|were|be) no (?!longer|more|less|need|way|reason)[a-z]+', 'the value is no number'),
    ('beside', r'\b[Bb]esides?\b', 'a file beside the output'))]
FRAGMENT = 'the file is closed; never a second one'
LONG_EXAMPLE = 'This sentence has ' + 'very ' * LONG + 'many words.'
CLEAN = ['The header contains the name. The reader skips it.', 'What happens if the disk is full?', 'This stands for any name.', 'There is no limit.',
         'The file is closed; the caller opens it again.', 'It returns 0: the number of records.']


def hits_in(text):
    """Yields (offset, pattern, text) of each hit in a paragraph."""
    end = 0
    for match, name in sorted(((match, name) for name, expression, _ in PATTERNS for match in expression.finditer(text)), key=lambda found: found[0].start()):
        if match.start() >= end:
            yield match.start(), name, match.group().strip()
            end = match.end()
    for match in SENTENCE.finditer(text):
        sentence = match.group()
        words = WORD.findall(sentence)
        if len(words) > LONG and sentence.count(',') < len(words) / 4:
            yield match.start(), 'long-sentence', '%d words' % len(words)
        first, semicolon, second = sentence.partition('; ')
        lower = [word for word in WORD.findall(second.split('; ')[0]) if word.islower()]
        if semicolon and 3 <= len(lower) <= 15 and len(WORD.findall(first)) >= 3 and not any(VERB.search(word) for word in lower):
            yield match.start() + len(first), 'fragment', second[:60]


def without_license(lines):
    return [] if any('SPDX' in line or 'Copyright' in line for _, line in lines) else lines


def paragraphs(lines):
    """Yields lists of (line number, text), split at empty lines, list items, table rows and tags of doc comments."""
    group = []
    for number, line in without_license(lines):
        line = line.strip()
        starts = re.match(r'[-*•|] ?|\d+[.)] |@\w+|--\w|usage:|[\w.-]+ {2,}', line)
        if group and (not line or starts):
            yield group
            group = []
        if line:
            group.append((number, re.sub(r'^(?:[-*•] |\d+[.)] |@param(?:\[\w+\])? \w+|@\w+)', '', line)))
    if group:
        yield group


def of_slash(source):
    """Yields runs of comment lines, and messages, of a file with C syntax."""
    token = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.[^\']{0,8}|[^\'\\\n])\'', re.S)
    run, strings, last = [], [], 0
    for match in token.finditer(source):
        text, between = match.group(), source[last:match.start()]
        number, last = source.count('\n', 0, match.start()) + 1, match.end()
        if run and (not text.startswith('//') or between.strip() or between.count('\n') > 1):
            yield run
            run = []
        if strings and (not text.startswith('"') or between.strip()):
            yield from message(strings)
            strings = []
        if text.startswith('//'):
            run.append((number, text.lstrip('/!')))
        elif text.startswith('/*'):
            yield [(number + i, re.sub(r'^\s*\**!?<?', '', line)) for i, line in enumerate(text[2:-2].split('\n'))]
        elif text.startswith('"'):
            strings.append((number, text[1:-1]))
    yield run
    yield from message(strings)


def message(strings):
    """Yields adjacent C strings as one run if they are prose."""
    text = ''.join(part for _, part in strings)
    words = WORD.findall(text)
    if sum(word.islower() and len(word) > 1 for word in words) >= 3 and not re.search(r'[<{}]|\\x|\\0|\\r|://|WARC/|HTTP/', text):
        yield [(strings[0][0], re.sub(r'\\[nt"]', ' ', text))]


def of_hash(source):
    """Yields runs of lines that start with #."""
    run = []
    for number, line in enumerate(source.split('\n'), 1):
        found = re.match(r'\s*[#;](?!!) ?(.*)', line) or re.search(r'\s# (.*)', line)
        if run and (not found or run[-1][0] != number - 1):
            yield run
            run = []
        if found:
            run.append((number, found.group(1)))
    yield run


def of_python(source):
    """Yields docstrings and comments of a Python file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            yield list(enumerate(ast.get_docstring(node, clean=False).split('\n'), node.body[0].lineno))
    comments = [(token.start[0], token.string.lstrip('#! ')) for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type == tokenize.COMMENT]
    run = []
    for number, text in comments:
        if run and run[-1][0] != number - 1:
            yield run
            run = []
        run.append((number, text))
    yield run


def of_markdown(source):
    """Yields the lines of a page without code blocks, headings and separators of tables. Each cell of a table is a line."""
    lines, in_code = [], False
    for number, line in enumerate(source.split('\n'), 1):
        if re.match(r'\s*(?:```|~~~)', line):
            in_code = not in_code
            line = ''
        if in_code or re.match(r'#|<|\|[-: |]+\|$', line):
            line = ''
        line = re.sub(r'!?\[([^\]]*)\]\([^)]*\)', r'\1', line)
        if line.startswith('|'):
            for cell in re.split(r'(?<!\\)\|', line.strip('|')):
                lines += [(number, ''), (number, cell)]
        else:
            lines.append((number, line))
    yield lines


def reader_of(name):
    """Returns the function that finds prose in a file of this name, or None."""
    for endings, reader in ((SLASH, of_slash), (('.py',), of_python), (('.md',), of_markdown), (HASH, of_hash)):
        if name.endswith(endings):
            return reader
    return None


def units_of(path, reader):
    """Yields (line number by offset, text) of each paragraph of prose in a file."""
    with open(path, encoding='utf-8', errors='replace') as f:
        source = f.read()
    for run in reader(source):
        for group in paragraphs(run):
            text, starts = '', []
            for number, line in group:
                starts.append((len(text), number))
                text += MASKED.sub('_', line) + ' '
            if sum(word.islower() for word in WORD.findall(text)) >= 2:
                yield starts, text


def files_below(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not name.startswith(('.', 'build')))
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), root)


def folder_of(path):
    """Returns the first two folders of a path, or the name of a file in the root."""
    return '/'.join(path.split('/')[:-1][:2]) or path


def limits():
    """Returns {folder: limit} of plain_english.limits."""
    if not os.path.exists(LIMITS):
        return {}
    with open(LIMITS) as f:
        rows = [line.split() for line in f if line.strip() and not line.startswith('#')]
    return {folder: float(limit) for folder, limit in rows}


def count(root):
    """Returns the number of words by folder, and the hits as (folder, path, line, pattern, text)."""
    words, hits = collections.Counter(), []
    for path in files_below(root):
        reader = reader_of(path)
        if not reader or path.endswith('tests/docs/plain_english.py'):
            continue
        for starts, text in units_of(os.path.join(root, path), reader):
            words[folder_of(path)] += len(WORD.findall(text))
            for offset, name, found in hits_in(text):
                hits.append((folder_of(path), path, max(number for start, number in starts if start <= offset), name, found))
    return words, hits


def lower(rates, old):
    """Writes the limits of folders above LIMIT. A limit never increases."""
    rows = {folder: min(rate + SLACK, old.get(folder, rate + SLACK)) for folder, rate in rates.items() if rate > LIMIT}
    with open(LIMITS, 'w') as f:
        f.write('# Hits per 1,000 words that a folder may have until it is rewritten. tests/docs/plain_english.py --lower writes this file.\n')
        for folder, limit in sorted(rows.items()):
            f.write('%s %.1f\n' % (folder, limit))


def check_patterns():
    """Checks that each pattern finds its example, and that clean sentences have no hits."""
    examples = [(name, example) for name, _, example in PATTERNS] + [('fragment', FRAGMENT), ('long-sentence', LONG_EXAMPLE)]
    assert len(examples) == 10
    for name, example in examples:
        assert name in [found for _, found, _ in hits_in(example)], (name, example)
    for text in CLEAN:
        assert not list(hits_in(text)), (text, list(hits_in(text)))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('usage: ')[1].split('\n')[0])
    parser.add_argument('root')
    parser.add_argument('--list', nargs='?', const='', default=None)
    parser.add_argument('--lower', action='store_true')
    options = parser.parse_args()
    check_patterns()
    words, hits = count(options.root)
    for folder, path, line, name, found in hits:
        if options.list is not None and folder.startswith(options.list):
            print('%s:%d: %s: %s' % (path, line, name, found))
    of_folder = collections.Counter(hit[0] for hit in hits)
    rates = {folder: 1000 * of_folder[folder] / words[folder] for folder in words}
    old = limits()
    if options.lower:
        lower(rates, old)
        old = limits()
    failed = [(folder, rate) for folder, rate in sorted(rates.items()) if rate > old.get(folder, LIMIT)]
    for folder, rate in failed:
        print('%s: %.1f hits per 1,000 words, the limit is %.1f' % (folder, rate, old.get(folder, LIMIT)))
    total = 1000 * len(hits) / max(sum(words.values()), 1)
    print('%d words, %d hits, %.2f per 1,000; %d folders above %.0f' % (sum(words.values()), len(hits), total, len(old), LIMIT))
    if not old and total > LIMIT:
        failed.append(('tree', total))
    return 1 if failed or not words else 0


if __name__ == '__main__':
    sys.exit(main())
