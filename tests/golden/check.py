#!/usr/bin/env python3
"""Compares texts of the program with stored output.

usage: check.py PROGRAM CASE.args...      compares stdout, stderr and exit code with what is kept
       check.py --accept PROGRAM [CASE.args...]   keeps what the program says now (all cases when none is named): read the diff

NAME.args  arguments in shell quoting; {samples} is the folder samples/; the program runs in this folder, so that no path of the
           machine gets into what it says
NAME.out   stdout      NAME.err  stderr      NAME.code  exit code, where it is not 0
An empty file is not kept. Seconds, speeds and what depends on the inflater are masked.
"""
import difflib
import os
import re
import shlex
import subprocess
import sys

GOLDEN = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join('..', '..', 'samples')
MASKS = [(re.compile(r' in [0-9.]+ s: [0-9.]+ MB of HTML a second'), ' in T s: V MB of HTML a second'),
         # How far behind the damage an inflater notices it is its own affair.
         (re.compile(r'detected at [0-9]+'), 'detected at N')]


def said(program, case):
    """What the program says to a case: suffix to text."""
    with open(case, encoding='utf-8') as f:
        args = [arg.replace('{samples}', SAMPLES) for arg in shlex.split(f.read(), comments=True)]
    done = subprocess.run([program, *args], cwd=GOLDEN, capture_output=True, timeout=600, stdin=subprocess.DEVNULL)
    return {'.out': masked(done.stdout), '.err': masked(done.stderr), '.code': '%d\n' % done.returncode if done.returncode else ''}


def masked(output):
    text = output.decode('utf-8', 'backslashreplace')
    for pattern, mask in MASKS:
        text = pattern.sub(mask, text)
    return text


def kept(path):
    if not os.path.exists(path):
        return ''
    with open(path, encoding='utf-8', newline='') as f:
        return f.read()


def keep(path, text):
    if text:
        with open(path, 'w', encoding='utf-8', newline='') as f:
            f.write(text)
    elif os.path.exists(path):
        os.unlink(path)


def differs(path, text):
    lines = list(difflib.unified_diff(kept(path).splitlines(), text.splitlines(), path, 'now', lineterm='', n=1))
    if not lines and kept(path) != text:
        lines = ['%s: the line ends differ' % path]
    print('\n'.join(line[:2000] for line in lines), end='\n' if lines else '')
    return bool(lines)


def main(args):
    accept = '--accept' in args
    program, *cases = [arg for arg in args if arg != '--accept']
    if accept and not cases:
        cases = sorted(os.path.join(GOLDEN, name) for name in os.listdir(GOLDEN) if name.endswith('.args'))
    bad = 0
    for case in cases:
        for suffix, text in said(os.path.abspath(program), case).items():
            path = case[:-len('.args')] + suffix
            if accept:
                keep(path, text)
            else:
                bad += differs(path, text)
    return 1 if bad else 0


if __name__ == '__main__':
    if len(sys.argv) < 3 and '--accept' not in sys.argv:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
