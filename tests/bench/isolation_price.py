"""Measures the CPU time of `run -j2` with and without isolation, in turns.

usage: isolation_price.py PROGRAM ARCHIVE [ROUNDS]
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile


def seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def one(program, archive, how, folder):
    before = seconds()
    subprocess.run([program, 'run', '-q', '-j2', '-O', os.path.join(folder, 'out.jsonl'), '--isolation', how, archive], check=True)
    return seconds() - before


def main():
    program, archive = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    seen = {'none': [], 'process': []}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(rounds):
            for how in sorted(seen, reverse=bool(turn % 2)):
                seen[how].append(one(program, archive, how, folder))
    pairs = sorted(process / none for none, process in zip(seen['none'], seen['process']))
    for how, values in seen.items():
        print('%-8s median %.3f s, least %.3f s' % (how, statistics.median(values), min(values)))
    print('process / none: median %.3f of %d pairs, middle half %.3f to %.3f; of the least %.3f'
          % (statistics.median(pairs), rounds, pairs[rounds // 4], pairs[-1 - rounds // 4], min(seen['process']) / min(seen['none'])))


main()
