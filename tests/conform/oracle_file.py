"""Compares one file of the WARC corpus with the oracle, with the corpus's own checker.

usage: oracle_file.py PROGRAM SHARED FILE       exit 77 where the corpus is absent
"""
import os
import subprocess
import sys
import tempfile

program, shared, name = sys.argv[1:]
corpus = os.path.join(shared, 'corpora', 'warc')
oracle = os.path.join(corpus, 'oracle.jsonl')
if not os.path.exists(oracle):
    print('skipped: no %s: the WARC corpus is not part of the repository' % oracle)
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    one = os.path.join(folder, 'one.jsonl')
    with open(oracle, encoding='utf-8') as lines, open(one, 'w', encoding='utf-8') as out:
        out.writelines(line for line in lines if '"file": "%s"' % name in line)
    checker = os.path.join(shared, 'tools', 'check_records.py')
    run = subprocess.run([sys.executable, checker, one, corpus, '--', program, 'records'],
                         capture_output=True, text=True)
print(run.stdout, run.stderr)
sys.exit(0 if run.stdout.rstrip().endswith('1 files passed, 0 failed') else 1)
