"""`thresher dedup` and `thresher graph` read what thresher writes from an object store: the output of the local files, also after transfer errors.

usage: dedup.py PROGRAM
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'run'))
from case import contents, expect, expect_true, thresher
from store import Fault, Store

SAMPLE = os.path.join(HERE, '..', '..', 'samples', 'news.warc.gz')
FAST = ['--remote.backoff-ms', '1', '--remote.stall-ms', '60000']


def check(folder, store):
    local = lambda name: os.path.join(folder, name)
    for arguments in (['-O', 'r.jsonl.zst', '-e', 'links'], ['-f', 'parquet', '-O', 'r.parquet', '-e', 'links'], ['-f', 'warc', '-O', 'r.warc.gz', '-e', 'links'],
                      ['-f', 'wet', '-O', 'w.wet.gz'], ['-f', 'minhash-sig', '--minhash', 'datatrove', '-O', 'sig/']):
        expect('run %s' % ' '.join(arguments), thresher('run', '-q', *arguments, SAMPLE, cwd=folder).returncode, 0)
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.relpath(os.path.join(root, name), folder)
            store.put('records', path, contents(local(path)))
    env = store.environment()
    for name in ('r.jsonl.zst', 'r.parquet', 'r.warc.gz', 'w.wet.gz', 'sig/'):
        for options in ([], ['--by', 'text'], ['--unit', 'paragraph']) if name != 'sig/' else ([],):
            wanted = thresher('dedup', '-q', *options, local(name))
            for fault in ([], [Fault('cut', 1000)]):
                store.faults = fault
                run = thresher('dedup', '-q', *FAST, *options, 's3://records/' + name, env=env)
                expect('dedup %s s3://records/%s%s' % (' '.join(options), name, ', cut' if fault else ''),
                       (run.returncode, run.stderr, run.stdout), (0, b'', wanted.stdout))
    store.log.clear()
    thresher('dedup', '-q', 's3://records/r.parquet', env=env)
    expect_true('the columns are read in parts', len([r for r in store.log if r[1]]) > 3, store.log)
    for good in range(6):
        store.faults = [Fault('none')] * good + [Fault('503')] * 4
        run = thresher('dedup', '-q', '--remote.backoff-ms', '1', '--remote.retries', '1', 's3://records/r.parquet', env=env)
        expect('a store that fails after %d answers' % good, (run.returncode, run.stdout), (1, b''))
        expect_true('its answer is reported', run.stderr.endswith(b': the server is throttling requests: status 503 SlowDown; no retries left\n'), run.stderr)
    store.faults = []
    for name in ('r.jsonl.zst', 'r.parquet'):
        expect('graph of %s' % name, thresher('graph', '-q', '-O', local('graph.' + name), 's3://records/' + name, env=env).returncode, 0)
    for name in os.listdir(local('graph.r.parquet')):
        expect('graph: %s' % name, contents(local('graph.r.parquet/' + name)), contents(local('graph.r.jsonl.zst/' + name)))
    expect('partition', thresher('dedup', 'partition', '-q', '--parts', '1', '-O', local('shard'), 's3://records/r.parquet', env=env).returncode, 0)
    expect('pairs', thresher('dedup', 'pairs', '-q', '--part', '0/1', local('shard')).returncode, 0)
    expect('stages', thresher('dedup', 'components', '-q', local('shard')).stdout, thresher('dedup', '-q', local('r.jsonl.zst')).stdout)
    run = thresher('dedup', '-q', *FAST, 's3://records/none.jsonl', 's3://records/r.parquet', env=env)
    expect('an object that is not there stops no other', (run.returncode, run.stdout), (1, thresher('dedup', '-q', local('r.parquet')).stdout))
    expect_true('it is reported', b'404 NoSuchKey' in run.stderr, run.stderr)


if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as made, Store() as served:
        check(made, served)
