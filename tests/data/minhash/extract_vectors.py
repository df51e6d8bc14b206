#!/usr/bin/env python3
"""Makes vectors.jsonl beside this file: a small part of the MinHash interoperability vectors.

usage: extract_vectors.py CORPORA/minhash/vectors.jsonl > vectors.jsonl

Kept, line for line as they stand: the permutation tables of every scheme, and the signatures, bands and LeanMinHash
bytes of the sets named below. The values were made with the code of datasketch 1.10 (MIT), datatrove and text-dedup (Apache-2.0) and the
formulas of datasketch 2.0; the texts are a nursery rhyme in the public domain and made-up words.
tests/unit/sketch/vectors_test.c reads this extract and, where it is there, the whole file.
"""
import json
import sys

SETS = {'hello', 'ds_fixture_A', 'rhyme_a_w5', 'lengths', 'empty'}

for line in open(sys.argv[1], encoding='ascii'):
    vector = json.loads(line)
    if vector['type'] == 'meta':
        continue
    name = vector.get('set') or vector.get('name')
    if vector['type'] == 'perm' or name in SETS:
        sys.stdout.write(line)
