#!/usr/bin/env python3
"""Compares signatures of 1,000 shingles with 128 slots by thresher and datasketch, in turn, in one run.

usage: signing_peers.py BENCH_SIGNING [ROUNDS]     7 rounds by default

BENCH_SIGNING is the program of bench_signing.c, built as Release. Run with a Python that has datasketch from 2.0 on, numpy
and xxhash; tests/conform/minhash_peers.py leaves one in ~/.cache/thresher-minhash-peers-1/venv/bin/python. Peers get
their shingles cut and encoded, which ours does itself: the comparison favours them. Prints best and median microseconds
and the ratio of the medians to ours.
"""
import random
import statistics
import subprocess
import sys
import time

import datasketch
import xxhash

SHINGLES = 1000
BATCH = 20


def make_shingles():
    rng = random.Random(1)
    words = [''.join(rng.choice('abcdefghijklmnopqrstuvwxyz') for _ in range(rng.randint(2, 9))) for _ in range(SHINGLES + 4)]
    return [' '.join(words[i:i + 5]).encode() for i in range(SHINGLES)]


def low32(data):
    return xxhash.xxh3_64_intdigest(data) & 0xffffffff


def peer(make, shingles):
    start = time.perf_counter()
    for _ in range(BATCH):
        make().update_batch(shingles)
    return (time.perf_counter() - start) / BATCH * 1e6


def ours(program):
    """Best of some rounds of each preset, in microseconds."""
    lines = subprocess.run([program, '--rounds', '11'], check=True, capture_output=True, text=True).stdout.splitlines()
    return {line[:34].strip(): float(line[34:44]) for line in lines[1:-1]}


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7
    shingles = make_shingles()
    peers = {'modern': ('datasketch affine32, XXH3', lambda: datasketch.MinHash(num_perm=128, seed=1, hashfunc=low32)),
             'datasketch2': ('datasketch affine32, SHA-1', lambda: datasketch.MinHash(num_perm=128, seed=1)),
             'datasketch1': ('datasketch legacy, SHA-1', lambda: datasketch.MinHash(num_perm=128, seed=1, scheme='legacy'))}
    seen = {name: ([], []) for name in peers}
    portable = ([], [])
    for round_number in range(-1, rounds):  # the first warms up
        figures = ours(program)
        for name, (_, make) in peers.items():
            theirs = peer(make, shingles)
            if round_number >= 0:
                seen[name][0].append(figures[name])
                seen[name][1].append(theirs)
        if round_number >= 0:
            portable[0].append(figures['affine32 k=128 fast'])
            portable[1].append(figures['affine32 k=128 portable'])
    print('%-42s %10s %10s %8s' % ('us for %d shingles, 128 slots' % SHINGLES, 'best', 'median', 'ratio'))
    for name, (title, _) in peers.items():
        mine, theirs = (statistics.median(column) for column in seen[name])
        print('%-42s %10.1f %10.1f' % (name, min(seen[name][0]), mine))
        print('%-42s %10.1f %10.1f %8.1f' % ('  ' + title, min(seen[name][1]), theirs, theirs / mine))
    fast, plain = (statistics.median(column) for column in portable)
    print('%-42s %10.1f %10.1f' % ('kernel of modern alone', min(portable[0]), fast))
    print('%-42s %10.1f %10.1f %8.1f' % ('  its portable twin', min(portable[1]), plain, plain / fast))


main()
