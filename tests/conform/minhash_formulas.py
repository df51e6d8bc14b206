"""Compares signatures of `thresher run` with a second implementation of the formulas, corpora/minhash/verify.py.

usage: minhash_formulas.py PROGRAM SHARED

verify.py has its own MT19937, XXH32, XXH64 and permutations in Python's integers, and shares no code with us or with the
programs that the schemes are from. The golden vectors hold two seeds and few lengths; here texts go through the whole
program with others. Python's standard library only; status 77 where SHARED or libxxhash is missing.
"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import archive  # noqa: E402
from case import expect, thresher  # noqa: E402

# Value of the preset option, scheme, hash and width in verify.py, and seed, k, w.
CASES = (
    ('datasketch1', 'datasketch-legacy', 'sha1_32', 32, 1, 128, 5),
    ('datasketch1:k=37,w=3,seed=0', 'datasketch-legacy', 'sha1_32', 32, 0, 37, 3),
    ('datasketch2:k=11,w=1,seed=4294967295', 'datasketch-affine32', 'sha1_32', 32, 4294967295, 11, 1),
    ('datasketch2:bits=64,k=200,seed=9', 'datasketch-affine64', 'sha1_64', 64, 9, 200, 5),
    ('modern', 'datasketch-affine32', 'xxh3_64_low32', 32, 1, 128, 5),
    ('crawl', 'datasketch-affine64', 'xxh3_64', 64, 1, 112, 5),
    ('paper-slots', 'datasketch-affine64', 'xxh3_64', 64, 1, 8, 6),
    ('datatrove', 'datatrove', 'xxh64', 64, 1, 112, 5),
    ('datatrove:bits=32,seed=123456789,bands=9x7', 'datatrove', 'xxh32', 32, 123456789, 63, 5),
    ('datatrove:hash=sha1,w=8', 'datatrove', 'sha1_64', 64, 1, 112, 8),
    ('textdedup', 'text-dedup64', 'xxh3_64_seed42_low32', 32, 42, 128, 5),
    ('textdedup:hash=sha1,k=50,seed=7', 'text-dedup64', 'sha1_32', 32, 7, 50, 5),
)
TEXTS = ('a', 'two words', 'one two three four five', 'caf\u00e9 na\u00efve \u043f\u0440\u0438\u0432\u0435\u0442 \u043c\u0438\u0440 \u0645\u0631\u062d\u0628\u0627 again and again',
         ' '.join('w%d' % (i * i % 101) for i in range(150)), 'the same words ' * 40)


def formulas(shared):
    """Returns the definitions of verify.py, without its own run over the vectors."""
    path = os.path.join(shared, 'corpora', 'minhash', 'verify.py')
    if not os.path.exists(path):
        print("skipped: '%s' is not there" % path)
        sys.exit(77)
    with open(path) as f:
        source = f.read()
    scope = {'__file__': path}
    exec(compile(source[:source.index('\nsets, ok, skip')], path, 'exec'), scope)
    if scope['x3'] is None:
        print('skipped: libxxhash.so.0 is missing')
        sys.exit(77)
    return scope


def windows(text, w):
    tokens = text.split()
    return [' '.join(tokens[i:i + w]).encode() for i in range(max(1, len(tokens) - w + 1))]


scope = formulas(sys.argv[2])
with tempfile.TemporaryDirectory() as folder:
    source = archive.write(os.path.join(folder, 'texts.warc.gz'),
                           [archive.response('<p>%s</p>' % text, 'http://f.example/%d' % i, i) for i, text in enumerate(TEXTS)])
    for words, scheme, hash_name, width, seed, k, w in CASES:
        run = thresher('run', '-q', '-m', words, '--sign', 'page', source)
        expect('%s: exit code' % words, (run.returncode, run.stderr), (0, b''))
        for text, line in zip(TEXTS, run.stdout.splitlines()):
            minhash = json.loads(line)['minhash']
            expect('%s: its message' % words, [minhash[name] for name in ('seed', 'w', 'k', 'bits', 'tokenizer')], [seed, w, k, width, 1])
            hashes = {scope['HASH'][hash_name](shingle) for shingle in windows(text, w)}
            digits = width // 4
            expect('%s: %.20s' % (words, text), [int(minhash['page'][i:i + digits], 16) for i in range(0, k * digits, digits)],
                   scope['sign'](scheme, hashes, seed, k, width))
            expect('%s: nothing more' % words, len(minhash['page']), k * digits)
