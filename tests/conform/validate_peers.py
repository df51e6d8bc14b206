#!/usr/bin/env python3
"""Compares the verdicts of `thresher records --validate` with `warcio check` and `jwarc validate`, by hand.

usage: validate_peers.py THRESHER JWARC.jar ARCHIVE...      needs: pip install warcio, Java, and jwarc's jar (Maven: org.netpreserve:jwarc)

Prints one line for each archive on which they differ, with the reasons of thresher, and then how many archives each accepts.
"""
import collections
import json
import subprocess
import sys


def thresher(program, path):
    run = subprocess.run([program, 'records', '-q', '--validate', '--json', path], capture_output=True, text=True, timeout=600)
    if not run.stdout:
        return False, run.stderr.strip()
    row = json.loads(run.stdout)
    return row['ok'], ', '.join(dict.fromkeys(problem['problem'].split(':')[0] for problem in row['first']))


def passes(command):
    try:
        return subprocess.run(command, capture_output=True, timeout=600).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def main():
    program, jar, archives = sys.argv[1], sys.argv[2], sys.argv[3:]
    counts, pairs = collections.Counter(), collections.Counter()
    for path in archives:
        is_ok, why = thresher(program, path)
        warcio = passes([sys.executable, '-m', 'warcio.cli', 'check', path])
        jwarc = passes(['java', '-jar', jar, 'validate', path])
        counts.update(name for name, ok in (('thresher', is_ok), ('warcio check', warcio), ('jwarc validate', jwarc)) if ok)
        pairs[is_ok, warcio, jwarc] += 1
        if len({is_ok, warcio, jwarc}) > 1:
            print('%s: thresher %s, warcio %s, jwarc %s' % (path.rsplit('/', 1)[-1], 'ok' if is_ok else '(%s)' % why, *('ok' if ok else 'no' for ok in (warcio, jwarc))))
    print('%d archives. Accepted by: %s' % (len(archives), ', '.join('%s %d' % row for row in sorted(counts.items()))))
    print('thresher, warcio, jwarc: ' + '; '.join('%s %d' % ('/'.join('ok' if ok else 'no' for ok in key), n) for key, n in sorted(pairs.items(), reverse=True)))


if __name__ == '__main__':
    main()
