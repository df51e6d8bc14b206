#!/usr/bin/env python3
"""Tests of the corpora report "skipped" if the corpora are absent. No test passes without its checks.

usage: without_shared.py CTEST BUILD SHARED

Runs the tests whose command names SHARED again, with a folder in its place that does not exist. Each must end with its SKIP_RETURN_CODE and say why. If one
script has many tests (for each file of a corpus), four of them run, because the script decides before it looks at the file. Tests
that do not name SHARED cannot depend on it, because no other test knows where it is: the sources are searched for that, and for cmocka's skip(), which CTest
counts as passed.
"""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

MAY_SKIP = {'archive_folder_test.c'}  # one of its rows, if the kernel has no seccomp
HERE = os.path.dirname(os.path.abspath(__file__))


def faults_of_sources():
    for path in glob.glob(os.path.join(HERE, '..', 'unit', '**', '*.[ch]'), recursive=True):
        with open(path, encoding='utf-8') as file:
            text = file.read()
        if re.search(r'\bskip\(\)', text) and os.path.basename(path) not in MAY_SKIP:
            yield '%s: skip() is reported as passed; use a test of its own that ends with 77' % path
        if 'TH_SHARED' in text or '../shared' in text:
            yield '%s: takes the corpora from somewhere else than its arguments' % path


def some_of(tests):
    """Returns the tests, but at most four of each script or program."""
    groups = {}
    for test in tests:
        command = test['command']
        groups.setdefault(command[1] if command[1:] and command[1].endswith('.py') else command[0], []).append(test)
    for group in groups.values():
        step = max(1, (len(group) - 1) // 3)
        yield from group if len(group) <= 16 else group[::step][:4]


def run_without(test, shared):
    """Returns the error of the test; None if it is skipped."""
    command = [word.replace(shared, '/nonexistent/shared') for word in test['command']]
    skip = [p['value'] for p in test['properties'] if p['name'] == 'SKIP_RETURN_CODE']
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in skip or 'skipped' not in done.stdout + done.stderr:
        return '%s: exit %d: %s' % (test['name'], done.returncode, (done.stdout + done.stderr)[-300:])
    return None


def main():
    ctest, build, shared = sys.argv[1:]
    shown = subprocess.run([ctest, '--test-dir', build, '--show-only=json-v1'], capture_output=True, text=True, check=True).stdout
    tests = [test for test in json.loads(shown)['tests'] if any(shared in word for word in test.get('command', ())) and test['name'] != 'docs.without_shared']
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults = [fault for fault in pool.map(lambda test: run_without(test, shared), some_of(tests)) if fault] + list(faults_of_sources())
    print('\n'.join(faults + ['%d tests of the corpora, %d faults' % (len(tests), len(faults))]))
    return 1 if faults or not tests else 0


sys.exit(main())
