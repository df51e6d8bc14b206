#!/usr/bin/env python3
"""Makes vectors.jsonl beside this file: a small part of the MinHash interoperability vectors.

usage: extract_vectors.py CORPORA/minhash/vectors.jsonl > vectors.jsonl

Kept, line for line as they stand: the permutation tables and signatures of the schemes affine32 and
affine64, over the sets named below. The values were made with the formulas of datasketch 2.0 and agree
with the fixtures of its tests (ekzhu/datasketch, MIT licence); the texts are a nursery rhyme in the public
domain and made-up words. tests/unit/sketch/vectors_test.c reads this extract and, where it is there, the
whole file.
"""
import json
import sys

SETS = {'hello', 'ds_fixture_A', 'rhyme_a_w5', 'unicode', 'lengths', 'empty', 'gen_200'}

for line in open(sys.argv[1], encoding='ascii'):
    vector = json.loads(line)
    if vector['type'] == 'set' and vector['name'] in SETS:
        sys.stdout.write(line)
    elif 'affine' in vector.get('scheme', '') and vector.get('set', 'hello') in SETS:
        sys.stdout.write(line)
