"""Compares the two HTML parsers of the program on the same pages.

usage: parsers.py PROGRAM SHARED [--list] [--no-f1] [--parsers A,B] [CORPUS...]
    --list       a line for each page whose blocks differ
    --no-f1      leave out the table of words F1
    --parsers    default: whatwg,libxml2; the first is judged by the second
exit 77 where the corpora are absent or the program lacks a parser

First it prints the pages with different blocks (their texts, in order), by class:

  windows-1252 references   "&#150;" and similar; libxml2 returns a control character

  references                another reference that only one of them knows, or without its semicolon

  raw text elements         text of TITLE, TEXTAREA, IFRAME, NOEMBED, NOFRAMES, XMP, PLAINTEXT, or of a script that contains "</"

  lost text                 one has all words of the other, and more

  stray end tags            the same characters in other blocks, on a page with end tags that close nothing or a second HTML or BODY tag

  gaps                      the same on a page without such tags, as far as counting shows

  other text                anything else

Then it prints words F1 by classifier, as `thresher eval extraction` measures it, for the first parser, and the difference of the second.
"""
import argparse
import collections
import html
import os
import re
import subprocess
import sys
import tempfile

import corpora

RAW = 'title|textarea|iframe|noembed|noframes|xmp|plaintext|script|style'
SCRIPT = re.compile(r'\);|-->|\bvar \w+ =|\bfunction\b')  # does not occur in text for readers
NUMERIC_1252 = re.compile('&#(12[89]|1[345][0-9]|0*x0*[89][0-9a-f]);?', re.I)


def words_of(blocks):
    return collections.Counter(word for text, _ in blocks for word in corpora.words(text))


def raw_words(source):
    """Words inside raw text elements, as markup parsers would cut them."""
    inside = ' '.join(match.group(2) for match in re.finditer('(?is)<(%s)\\b[^>]*>(.*?)(?:</\\1|\\Z)' % RAW, source))
    return set(corpora.words(re.sub('<[^>]*>', ' ', inside))) | set(corpora.words(inside))


def has_stray_end_tag(source):
    """An end tag with more end tags than start tags, or HTML and BODY twice."""
    opened = collections.Counter(name.lower() for name in re.findall('<([a-zA-Z][a-zA-Z0-9]*)', source))
    closed = collections.Counter(name.lower() for name in re.findall('</([a-zA-Z][a-zA-Z0-9]*)', source))
    return bool(closed - opened) or opened['html'] > 1 or opened['body'] > 1


def reason(source, first, second):
    """Why the blocks differ: the class."""
    a, b = words_of(first), words_of(second)
    more, less = a - b, b - a
    if re.search('[\x80-\x9f]', ' '.join(less) + ' '.join(more)) and NUMERIC_1252.search(source):
        return 'windows-1252 references'
    if any('&' in word and html.unescape(word) != word for word in less):
        return 'references'
    if not more and not less:
        return 'stray end tags' if has_stray_end_tag(source) else 'gaps'
    if ''.join(text for text, _ in first).replace(' ', '') == ''.join(text for text, _ in second).replace(' ', ''):
        return 'stray end tags' if has_stray_end_tag(source) else 'gaps'
    changed = set(more) | set(less)
    if len(changed & raw_words(source)) * 2 >= len(changed) or (not more and SCRIPT.search(' '.join(less))):
        return 'raw text elements'
    if not more or not less:
        return 'lost text (the %s has more)' % ('first' if more else 'second')
    return 'other text'


def first_difference(first, second):
    for (a, _), (b, _) in zip(first, second):
        if a != b:
            return a, b
    at = min(len(first), len(second))
    return (first[at:] or [('', '')])[0][0], (second[at:] or [('', '')])[0][0]


def compare(program, path, ids, parsers, classes, lines):
    """@return pages, pages that differ"""
    options = ['--emit', 'blocks,full_text,html']
    pages = [corpora.records(program, path, '-o', 'parser=' + parser, *options) for parser in parsers]
    count = differing = 0
    for name, first, second in zip(ids, *pages):
        count += 1
        one, other = corpora.blocks(first), corpora.blocks(second)
        if [text for text, _ in one] == [text for text, _ in other]:
            continue
        differing += 1
        why = reason(first['html'], one, other)
        classes[why] += 1
        lines.append('%s: %s: "%.70s" | "%.70s"' % (name, why, *first_difference(one, other)))
    return count, differing


def print_differences(program, archives, parsers, is_list):
    classes, lines = collections.Counter(), []
    print('| corpus | pages | blocks differ |')
    print('|---|---|---|')
    total = [0, 0]
    for corpus, path, ids in archives:
        found = compare(program, path, ids, parsers, classes, lines)
        total = [total[0] + found[0], total[1] + found[1]]
        print('| %s | %d | %d |' % (corpus, *found))
    print('| all | %d | %d |\n\nBy class:' % tuple(total))
    for why, count in classes.most_common():
        print('%6d %s' % (count, why))
    if is_list:
        print('\n' + '\n'.join(lines))


def f1_of(program, shared, names, parser):
    """{(corpus, classifier): words F1, of snippets where those are the gold}, as `thresher eval` measures it."""
    done = subprocess.run([program, 'eval', 'extraction', '-q', '--resamples', '0', '--markdown', '-o', 'parser=' + parser,
                           *(os.path.join(shared, 'corpora', 'extraction', name) for name in names)],
                          stdout=subprocess.PIPE, check=True, encoding='utf-8')
    scores, corpus = {}, None
    for line in done.stdout.splitlines():
        cells = [cell.strip() for cell in line.strip('|').split('|')]
        if line.startswith('### '):
            corpus = line[4:]
        elif line.startswith('|') and len(cells) > 4 and re.fullmatch('[0-9.]+', cells[4]):
            scores[corpus, cells[0]] = float(cells[4])
    return scores


def print_f1(program, shared, names, parsers):
    """Words F1 of every classifier, with the default profile."""
    scores = [f1_of(program, shared, names, parser) for parser in parsers]
    classifiers = [name for name in dict.fromkeys(name for _, name in scores[0]) if all((corpus, name) in scores[0] for corpus in names)]
    print('\nWords F1, default profile: %s, and how much more that is than with %s\n' % parsers)
    print('| classifier | %s | mean |' % ' | '.join(names))
    print('|---' * (len(names) + 2) + '|')
    for classifier in classifiers:
        pairs = [[of_parser[corpus, classifier] for of_parser in scores] for corpus in names]
        pairs.append([sum(pair[i] for pair in pairs) / len(names) for i in (0, 1)])
        print('| %s | %s |' % (classifier, ' | '.join('%.3f %+.3f' % (one, one - other) for one, other in pairs)))


def main():
    options = argparse.ArgumentParser(usage=__doc__.split('usage: ')[1].split('\n\n')[0])
    options.add_argument('program')
    options.add_argument('shared')
    options.add_argument('--list', action='store_true')
    options.add_argument('--no-f1', action='store_true')
    options.add_argument('--parsers', default='whatwg,libxml2')
    options.add_argument('corpora', nargs='*')
    asked = options.parse_intermixed_args()
    parsers = tuple(asked.parsers.split(','))
    names = asked.corpora or corpora.names(asked.shared)
    if not names:
        print('skipped: no extraction corpora in %s' % asked.shared)
        return 77
    for parser in parsers:
        if not corpora.has_parser(asked.program, parser):
            print('skipped: the program has no parser %s' % parser)
            return 77
    os.nice(10)
    with tempfile.TemporaryDirectory() as folder:
        archives = [(name, *corpora.archive(asked.shared, name, folder)) for name in names]
        print_differences(asked.program, archives, parsers, asked.list)
    if not asked.no_f1:
        print_f1(asked.program, asked.shared, names, parsers)
    return 0


if __name__ == '__main__':
    sys.exit(main())
