"""Counts the lines of code of src and include: lines of C and C++ that are neither blank nor only a comment.

usage: lines.py ROOT [--folders]

The program for research (src/lab) and generated files that earlier versions committed (GENERATED) are counted separately. --folders prints each
folder, the largest first.
"""
import collections
import os
import re
import sys

GENERATED = {'src/base/month_names.h', 'src/base/html_reference_table.c'}
# A string or a character, which may contain the start of a comment, or a comment.
PARTS = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)


def lines_of(text):
    """Returns the number of lines that have code."""
    def without_comment(match):
        part = match.group()
        return re.sub(r'[^\n]', ' ', part) if part.startswith('/') else part
    return sum(1 for line in PARTS.sub(without_comment, text).splitlines() if line.strip())


def main():
    root, folders = sys.argv[1], collections.Counter()
    for top in ('src', 'include'):
        for path, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith(('.c', '.h', '.cc', '.h.in')):
                    file = os.path.relpath(os.path.join(path, name), root)
                    with open(os.path.join(root, file), encoding='utf-8') as f:
                        kind = 'generated' if file in GENERATED else '/'.join(os.path.dirname(file).split('/')[:2])
                        folders[kind] += lines_of(f.read())
    if '--folders' in sys.argv:
        for folder, lines in folders.most_common():
            print('%7d %s' % (lines, folder))
    apart = folders.pop('src/lab', 0), folders.pop('generated', 0)
    print('%d lines of code; apart: %d of src/lab, %d generated' % (sum(folders.values()), *apart))


if __name__ == '__main__':
    main()
