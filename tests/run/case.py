"""What the scripts in this folder share: running the program and judging what it did."""
import os
import subprocess
import sys

PROGRAM = sys.argv[1]


def thresher(*args, timeout=300, **kwargs):
    return subprocess.run([PROGRAM, *map(str, args)], capture_output=True, timeout=timeout, **kwargs)


def expect(claim, seen, wanted):
    if seen != wanted:
        print('FAILED: %s\n  seen   %.2000r\n  wanted %.2000r' % (claim, seen, wanted))
        sys.exit(1)
    print('ok: %s' % claim)


def expect_true(claim, holds, detail=''):
    if not holds:
        print('FAILED: %s %s' % (claim, detail))
        sys.exit(1)
    print('ok: %s' % claim)


def contents(path):
    with open(path, 'rb') as f:
        return f.read()


def exists(path):
    return os.path.exists(path)
