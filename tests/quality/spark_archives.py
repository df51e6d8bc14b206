"""deploy/cc-pyspark/archives.py: one process per archive of a manifest has the same results as `thresher run`. Finished archives are skipped, and a damaged
archive is reported with exit code 1. Skipped without pyspark.

usage: spark_archives.py PROGRAM [MASTER]
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import pyspark  # noqa: F401
except ImportError:
    print('skipped: no pyspark (pip install pyspark; Java 17)')
    sys.exit(77)

PROGRAM, MASTER = os.path.abspath(sys.argv[1]), (sys.argv[2:] + ['local[2]'])[0]
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
JOB, SAMPLES = os.path.join(TOP, 'deploy', 'cc-pyspark', 'archives.py'), os.path.join(TOP, 'samples')


def expect(claim, seen, wanted):
    if seen != wanted:
        print('FAILED: %s\n  seen   %.1500r\n  wanted %.1500r' % (claim, seen, wanted))
        sys.exit(1)
    print('ok: %s' % claim)


def job(folder, *given):
    ran = subprocess.run([sys.executable, JOB, '--program', PROGRAM, '--input_base_url', folder + '/', folder + '/manifest', folder + '/out', '--', *given], capture_output=True, text=True,
                         env=dict(os.environ, PYSPARK_SUBMIT_ARGS='--master %s --driver-memory 512m --conf spark.ui.enabled=false pyspark-shell' % MASTER))
    return ran.returncode, ran.stdout.strip().splitlines()[-1:], [line for line in ran.stderr.splitlines() if line.startswith('archives.py:')]


def outputs(folder):
    found = {}
    for path in sorted(glob.glob(folder + '/*.jsonl')):
        with open(path, 'rb') as f:
            found[os.path.basename(path)] = f.read()
    return found


with tempfile.TemporaryDirectory() as folder:
    for name in 'abc':
        shutil.copy(os.path.join(SAMPLES, 'news.warc.gz'), os.path.join(folder, name + '.warc.gz'))
    shutil.copy(os.path.join(SAMPLES, 'damaged.warc.gz'), folder)
    names = ['a.warc.gz', 'b.warc.gz', 'c.warc.gz', 'damaged.warc.gz']
    with open(os.path.join(folder, 'manifest'), 'w') as f:
        f.write('\n'.join(names) + '\n')
    # Records have the name of their archive in the job's tasks.
    subprocess.run([PROGRAM, 'run', '-q', '-k', 'num-words', '-O', folder + '/one/', *(folder + '/' + name for name in names)], capture_output=True)
    # As a job that was killed leaves it: the first archive is done.
    subprocess.run([PROGRAM, 'run', '-q', '-k', 'num-words', '-j', '1', '--shard', '0/1', '-O', folder + '/out/', folder + '/a.warc.gz'], check=True)
    done = {path: os.stat(path).st_mtime_ns for path in glob.glob(folder + '/out/*.jsonl')}
    code, words, told = job(folder, '-k', 'num-words')
    expect('finished inputs are skipped', (len(done), [path for path, time in done.items() if os.stat(path).st_mtime_ns != time]), (1, []))
    expect('exit code and summary', (code, words), (1, ['4 archives: 3 done, 1 damaged or not read, 0 failed']))
    expect('the damaged archive is named', [line.split(':')[1].strip() for line in told], ['damaged.warc.gz'])
    expect('outputs are those of one run', outputs(folder + '/out'), outputs(folder + '/one'))
