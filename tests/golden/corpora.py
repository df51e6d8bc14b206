#!/usr/bin/env python3
"""Digests of what the program writes about the pages of the corpora. Skipped (exit code 77) without the corpora, or with another ICU than the one of the digests.

usage: corpora.py PROGRAM SHARED [--first]         compares with corpora.out; --first: only the first row of each set, and of these without FULL_RUNS
       corpora.py PROGRAM SHARED --accept          keeps the digests of now
       corpora.py PROGRAM SHARED --write FOLDER    writes the records to FOLDER: to see a difference, write with both programs, and compare the folders

PROGRAM is thresher-lab.

mixed_pages.py has small pages with unusual markup. These are whole pages as sites serve them. A row of corpora.out is an eighth of the pages of a set (MORE_SETS have one row),
a column is a set of options of RUNS, a cell is a digest of its output.
"""
import argparse
import ctypes.util
import hashlib
import os
import re
import subprocess
import sys
import tempfile

from mixed import settle

HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = os.path.join(HERE, 'corpora.out')
PARTS = 8
SETS = ('extraction/wcxb-dev', 'extraction/mozilla-readability', 'extraction/daniel', 'extraction/zh-content', 'training/magic-html', 'training/docs', 'training/recipes')
MORE_SETS = ('extraction/chaos-2017', 'extraction/cleaneval-en', 'extraction/cleanportaleval', 'extraction/htmltotext', 'extraction/l3s-gn1', 'extraction/news-2023', 'training/fundus',
             'training/wcxb-train')
MORE_RUNS = ('all',)
FULL_RUNS = ('warc', 'scores', 'lines')  # omitted with --first
RUNS = {
    'all': ['run', '-e', 'all', '--sign', 'all', '--bands', '--minhash', 'paper', '--text-format', 'markdown,plain', '--text-title', 'yes', '--text-links',
            '--strictness', 'strict,balanced,wide'],
    'html': ['run', '-e', 'blocks,rights', '--text-format', 'html', '--comments', '-s', 'just-rules', '--minhash', 'datatrove'],
    'rules': ['run', '-k', 'num-words', '--language-detector', 'none', '-s', 'boundary-graph'],
    'density': ['run', '-k', 'densitometric', '-s', 'bf-plain', '-f', 'fineweb', '--filter.status', 'all'],
    'tables': ['run', '-e', 'all', '-f', 'parquet', '--compress', 'none', '-m', 'datatrove'],
    'warc': ['run', '-f', 'warc', '--compress', 'none', '--redact', 'email,ip,phone', '--filter.rights', 'noai', '--weak-facts', '--text-plain'],
    'features': ['eval', 'features'],
    'scores': ['eval', 'extraction', '--json', '--resamples', '20', '--worst', '3'],
    'lines': ['eval', 'lines', '--json', '--without-classes'],
}
SKIPPED = 77


def icu_version():
    """The version of ICU in the names of its libraries."""
    found = re.search(r'\d+', ctypes.util.find_library('icuuc') or '')
    return found.group() if found else 'none'


def written(program, shared, rows, folder, runs):
    """What each run writes about rows of a set, or nothing if it is not in `runs`."""
    os.mkdir(folder)
    with open(os.path.join(folder, 'pages.jsonl.gz'), 'wb') as out:
        subprocess.run(['gzip', '-1n'], input=b''.join(rows), stdout=out, check=True)
    subprocess.run([sys.executable, os.path.join(shared, 'tools', 'pages_to_warc.py'), os.path.join(folder, 'pages.jsonl.gz'), 'pages.warc.gz'], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    for run, options in RUNS.items():
        if run not in runs:
            yield b''
            continue
        # The tables of eval go to stdout, all else to a file.
        to_file = [] if options[0] == 'eval' and run != 'features' else ['-O', run]
        more = ['.'] if options[0] == 'eval' else ['-j1', '--page-ms', '0', 'pages.warc.gz']
        with open(os.path.join(folder, os.devnull if to_file else run), 'wb') as out:
            done = subprocess.run([program, *options, '-q', *to_file, *more], cwd=folder, stdout=out, timeout=600)
        if done.returncode not in (0, 1):
            sys.exit('%s: %s: exit code %d' % (folder, run, done.returncode))
        with open(os.path.join(folder, run), 'rb') as file:
            yield file.read()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('program', type=os.path.abspath)
    parser.add_argument('shared', type=os.path.abspath)
    parser.add_argument('--first', action='store_true')
    parser.add_argument('--accept', action='store_true')
    parser.add_argument('--write', type=os.path.abspath)
    args = parser.parse_args()
    if not all(os.path.exists(os.path.join(args.shared, 'corpora', name, 'pages.jsonl.gz')) for name in SETS + MORE_SETS):
        print('skipped: no corpora in %s' % args.shared)
        return SKIPPED
    icu = 'icu %s\n' % icu_version()
    with open(KEPT, encoding='utf-8') as file:
        kept, *cells = file.read().splitlines(keepends=True)
        cells = {name: row for name, *row in map(str.split, cells)}
    if kept != icu and not args.accept:
        print('skipped: the digests are of %s, here is %s' % (kept.strip(), icu.strip()))
        return SKIPPED
    rows = [icu, '%-34s %s\n' % ('set', ' '.join('%-8s' % run for run in RUNS).rstrip())]
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.write or scratch
        os.makedirs(folder, exist_ok=True)
        for name in SETS if args.first else SETS + MORE_SETS:
            parts, runs = (PARTS, [run for run in RUNS if not args.first or run not in FULL_RUNS]) if name in SETS else (1, MORE_RUNS)
            pages = os.path.join(args.shared, 'corpora', name, 'pages.jsonl.gz')
            lines = subprocess.run(['gzip', '-dc', pages], stdout=subprocess.PIPE, check=True).stdout.splitlines(keepends=True)
            for at in range(1 if args.first else parts):
                found = written(args.program, args.shared, lines[at::PARTS], os.path.join(folder, '%s.%d' % (os.path.basename(name), at)), runs)
                row = '%s.%d' % (name, at)
                found = [hashlib.sha256(data).hexdigest()[:8] if data else '-' * 8 for data in found]
                if args.first:  # what is omitted is not compared
                    found = [cells[row][i] if run in FULL_RUNS else cell for i, (run, cell) in enumerate(zip(RUNS, found))]
                rows.append('%-34s %s\n' % (row, ' '.join(found)))
    return 0 if args.write else settle(KEPT, rows, args.accept, args.first)


if __name__ == '__main__':
    sys.exit(main())
