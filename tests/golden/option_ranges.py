#!/usr/bin/env python3
"""The values that each option accepts, as the messages about wrong values tell them.

usage: option_ranges.py PROGRAM           compares with option_ranges.out
       option_ranges.py --accept PROGRAM  keeps the messages of now

A row is the line of an option in the printed options, and the message about a number that is too large. Options that accept any text have no row.
"""
import os
import re
import subprocess
import sys
import tempfile

from mixed import settle

KEPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'option_ranges.out')


def rows(program):
    """Lets `config check` read a file with a wrong value for every option: it reports all of them."""
    listed = subprocess.run([program, 'config', 'options'], stdout=subprocess.PIPE, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'thresher.conf'), 'w', encoding='utf-8') as out:
            for line in listed.splitlines():
                if line and not line.startswith(';'):
                    out.write(re.sub(' = .*', ' = 99999999999999999999', line) + '\n')
        done = subprocess.run([program, 'config', 'check', 'thresher.conf'], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return [line.replace('thresher: thresher.conf:', '') + '\n' for line in done.stderr.splitlines()] + ['exit code %d\n' % done.returncode]


def main(args):
    return settle(KEPT, rows(os.path.abspath(args[-1])), args[0] == '--accept')


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
