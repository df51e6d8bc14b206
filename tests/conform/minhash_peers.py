"""Compares signatures and band keys with the programs that use them: datasketch (both generations), datatrove, text-dedup.

usage: minhash_peers.py PROGRAM

The same texts go through `thresher run` and through the peers' own code from PyPI, which is in a virtual environment in
the user's cache (about 300 MB; the first run with THRESHER_PEERS=1 downloads it). Every slot and every key must be equal. The .minhash.sig files
must equal datatrove's byte for byte. Its stages 2 to 4 run completely on ours and find the injected duplicates.
Exits with 77 and a message if the packages are missing or not available.

text-dedup's published MinHash (0.4.0) is one function of a module that wants all of Hugging Face; it is cut out of the
module's source and run alone. It leaves XXH3 unseeded where its main branch takes the configuration's seed, so here the
hash is passed with the seed 42.
"""
import fcntl
import os
import subprocess
import sys

PACKAGES = ['datasketch==2.0.0', 'datatrove==0.10.1', 'tokenizers', 'xxhash==3.5.0', 'regex']  # xxhash from 4.0 on takes no str, which datatrove gives it
ASIDE = {'datasketch1': 'datasketch==1.10.0', 'textdedup': 'text-dedup==0.4.0'}  # without what they depend on
SKIPPED = 77
INSTALL_SECONDS = 300


def cache_folder():
    base = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    return os.path.join(base, 'thresher-minhash-peers-1')


def install(folder):
    """Makes the environment if there is none; processes that come at once wait for the first."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'lock'), 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = os.path.join(folder, 'complete')
        if os.path.exists(done):
            return
        if os.environ.get('THRESHER_PEERS') != '1':
            print('skipped: the peers are not in %s; THRESHER_PEERS=1 fetches them from PyPI, some 300 MB' % folder)
            sys.exit(SKIPPED)
        venv = os.path.join(folder, 'venv')
        pip = [os.path.join(venv, 'bin', 'python'), '-m', 'pip', 'install', '-q', '--no-compile', '--disable-pip-version-check']
        commands = [[sys.executable, '-m', 'venv', '--clear', venv], pip + PACKAGES]
        commands += [pip + ['--no-deps', '--upgrade', '--target', os.path.join(folder, name), package] for name, package in ASIDE.items()]
        for command in commands:
            subprocess.run(command, check=True, timeout=INSTALL_SECONDS, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        open(done, 'w').close()


def outside():
    """In the test's own Python: starts the environment's Python."""
    folder = cache_folder()
    try:
        install(folder)
    except (OSError, subprocess.SubprocessError) as error:
        words = (getattr(error, 'stderr', None) or b'').decode(errors='replace').strip().splitlines()
        print('skipped: the peers cannot be installed: %s' % (words[-1] if words else error))
        sys.exit(SKIPPED)
    python = os.path.join(folder, 'venv', 'bin', 'python')
    os.environ['TQDM_DISABLE'] = '1'
    os.execv(python, [python, os.path.abspath(__file__), *sys.argv[1:], '--inside', folder])


if '--inside' not in sys.argv:
    outside()

import ast  # noqa: E402
import importlib.util  # noqa: E402
import itertools  # noqa: E402
import json  # noqa: E402
import random  # noqa: E402
import struct  # noqa: E402
import tempfile  # noqa: E402

import numpy as np  # noqa: E402
import xxhash  # noqa: E402

FOLDER = sys.argv[sys.argv.index('--inside') + 1]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import archive  # noqa: E402
from case import contents, expect, expect_true, thresher  # noqa: E402

W = 5
PLANTED = ((3, 40), (7, 41), (7, 95), (52, 117))  # a page, and a page that repeats it except a few words


def make_texts():
    """Words of a to z, so that all tokenisers agree. Lengths from nothing over less than a shingle to thousands of tokens;
    planted near-duplicates."""
    rng = random.Random(11)
    words = [''.join(rng.choice('abcdefghijklmnopqrstuvwxyz') for _ in range(rng.randint(2, 9))) for _ in range(3000)]
    lengths = [0, 1, 4, 60, 5, 6, 7, 80, 12, 30] + [rng.randint(20, 400) for _ in range(140)] + [3000]
    texts = [' '.join(rng.choice(words) for _ in range(length)) for length in lengths]
    for original, copy in PLANTED:
        tokens = texts[original].split()
        tokens[len(tokens) // 2] = 'changed' + 'abcdefgh'[copy % 8]
        texts[copy] = ' '.join(tokens)
    return texts


def write_archive(path, texts):
    html = ['<!DOCTYPE html><html><body><p>%s</p></body></html>' % text for text in texts]
    return archive.write(path, [archive.response(page, 'http://a.example/%d' % i, i) for i, page in enumerate(html)])


def windows(text, w=W):
    tokens = text.split()
    return [' '.join(tokens[i:i + w]).encode() for i in range(max(1, len(tokens) - w + 1))] if tokens else []


def signatures(path, preset):
    """Returns for each page slots and band keys, or None for absent signatures."""
    run = thresher('run', '-q', '-m', preset, '--sign', 'page', '--bands', path)
    expect('%s: exit code' % preset, run.returncode, 0)
    found = []
    for line in run.stdout.splitlines():
        record = json.loads(line)
        minhash = record.get('minhash', {})
        digits = minhash.get('bits', 0) // 4
        page = minhash.get('page')
        found.append(([int(page[i:i + digits], 16) for i in range(0, len(page), digits)] if page else None,
                      [bytes.fromhex(key) for key in record.get('bands', [])], minhash.get('short', [])))
    return found


def module_from(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def first_generation():
    """Imports datasketch 1.10 in addition to 2.0, from a separate folder, and removes its name."""
    sys.path.insert(0, os.path.join(FOLDER, 'datasketch1'))
    import datasketch
    generation = datasketch.MinHash
    expect('datasketch 1', datasketch.__version__.split('.')[0], '1')
    sys.path.pop(0)
    for name in [name for name in sys.modules if name.split('.')[0] == 'datasketch']:
        del sys.modules[name]
    return generation


def check_slots(preset, path, texts, sign):
    """`sign` takes the shingles of a text."""
    ours = signatures(path, preset)
    expect('%s: pages' % preset, len(ours), len(texts))
    wrong = [i for i, text in enumerate(texts) if ours[i][0] != (sign(windows(text)) if text else None)]
    expect('%s: slots of %d texts' % (preset, len(texts)), wrong, [])
    expect('%s: short texts' % preset, [i for i, page in enumerate(ours) if page[2]], [i for i, text in enumerate(texts) if 0 < len(text.split()) < W])
    return ours


def check_keys(preset, ours, texts, rows, pack):
    """Keys are the band's number and XXH3 of the bytes by which the peer knows the band."""
    for (slots, keys, _), text in zip(ours, texts):
        wanted = [bytes([i]) + xxhash.xxh3_64_digest(struct.pack('>%d%s' % (rows, pack), *slots[i * rows:(i + 1) * rows]))
                  for i in range(len(slots) // rows)] if len(text.split()) >= W else []
        if keys != wanted:
            expect('%s: keys' % preset, keys, wanted)
    print('ok: %s: band keys' % preset)


def datasketch(path, texts):
    legacy = first_generation()
    from datasketch import MinHash, MinHashLSH, __version__
    expect('datasketch 2', __version__.split('.')[0], '2')

    def signer(make):
        def sign(shingles):
            minhash = make()
            for shingle in shingles:
                minhash.update(shingle)
            return [int(value) for value in minhash.hashvalues]
        return sign

    def low32(data):
        return xxhash.xxh3_64_intdigest(data) & 0xffffffff

    check_slots('datasketch1', path, texts, signer(lambda: legacy(num_perm=128, seed=1)))
    check_slots('datasketch1:k=300,seed=77', path, texts, signer(lambda: legacy(num_perm=300, seed=77)))
    check_slots('datasketch1', path, texts, signer(lambda: MinHash(num_perm=128, seed=1, scheme='legacy')))
    check_slots('datasketch2', path, texts, signer(lambda: MinHash(num_perm=128, seed=1)))
    check_slots('datasketch2:k=256,seed=42', path, texts, signer(lambda: MinHash(num_perm=256, seed=42)))
    check_slots('datasketch2:bits=64,k=9', path, texts, signer(lambda: MinHash(num_perm=9, seed=1, scheme='affine64')))
    check_slots('crawl', path, texts, signer(lambda: MinHash(num_perm=112, seed=1, scheme='affine64', hashfunc=xxhash.xxh3_64_intdigest)))
    modern = signer(lambda: MinHash(num_perm=128, seed=1, hashfunc=low32))
    ours = check_slots('modern', path, texts, modern)
    check_keys('modern', ours, texts, 8, 'I')
    # Queries a store of datasketch with our slots, and the reverse.
    lsh = MinHashLSH(params=(16, 8), num_perm=128)
    for i, text in enumerate(texts):
        if len(text.split()) >= W:
            theirs = MinHash(num_perm=128, seed=1, hashfunc=low32)
            theirs.update_batch(windows(text))
            lsh.insert(i, theirs)
    for original, copy in PLANTED:
        asked = MinHash(num_perm=128, seed=1, scheme='affine32', hashfunc=low32, hashvalues=np.array(ours[copy][0], dtype=np.uint64))
        expect_true('datasketch finds %d for our %d' % (original, copy), original in lsh.query(asked))


def text_dedup(path, texts):
    package = os.path.join(FOLDER, 'textdedup', 'text_dedup')
    hashes = module_from(os.path.join(package, 'utils', 'hashfunc.py'), 'td_hashfunc')
    tokens = module_from(os.path.join(package, 'utils', 'tokenization.py'), 'td_tokenization')
    source = ast.parse(contents(os.path.join(package, 'minhash.py')))
    function = next(node for node in source.body if isinstance(node, ast.FunctionDef) and node.name == 'embed_func')
    import re
    scope = {'np': np, 'ngrams': tokens.ngrams, 'NON_ALPHA': re.compile(r'\W', re.UNICODE), 'SIGNATURE_COLUMN': 's', 'INDEX_COLUMN': 'i'}
    exec('from __future__ import annotations\nfrom typing import Any, Callable', scope)
    exec(compile(ast.Module(body=[function], type_ignores=[]), 'text_dedup/minhash.py', 'exec'), scope)
    prime, largest = np.uint64((1 << 61) - 1), np.uint32((1 << 32) - 1)
    for preset, k, bands, rows, hash_func in (('textdedup', 128, 16, 8, lambda data: hashes.xxh3_32hash(data, 42)),
                                              ('textdedup:k=250,hash=sha1,bands=25x10', 250, 25, 10, lambda data: hashes.sha1_hash(data, d=32))):
        rng = np.random.RandomState(42)
        permutations = (rng.randint(1, prime, size=(k,), dtype=np.uint64), rng.randint(0, prime, size=(k,), dtype=np.uint64))
        ranges = [(i * rows, (i + 1) * rows) for i in range(bands)]
        for text, (slots, keys, _) in zip(texts, signatures(path, preset)):
            if len(text.split()) < W:
                continue
            theirs = scope['embed_func'](text, 0, num_perm=k, ngram_size=W, min_length=0, hashranges=ranges, permutations=permutations,
                                         hash_func=hash_func, dtype=np.uint64, max_hash=largest, modulo_prime=prime)['s']
            if [struct.pack('>%dQ' % rows, *slots[a:b]) for a, b in ranges] != theirs:
                expect('%s: bands' % preset, slots, theirs)
            if keys != [bytes([i]) + xxhash.xxh3_64_digest(band) for i, band in enumerate(theirs)]:
                expect('%s: keys' % preset, keys, theirs)
        print('ok: %s: slots and band keys' % preset)


def datatrove(folder, texts):
    from loguru import logger
    from datatrove.data import Document
    from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.utils.hashing import HashConfig
    from datatrove.utils.word_tokenizers import WordTokenizer
    logger.remove()  # datatrove's own lines

    class Blanks(WordTokenizer):
        """The texts are tokens with one space in between, so the language does not matter."""
        def word_tokenize(self, text):
            return text.split()

        def sent_tokenize(self, text):
            return [text]

        def span_tokenize(self, text):
            return [(0, len(text))]

    def documents(shard):
        return [Document(text=text, id='%d' % i) for i, text in enumerate(shard)]

    def files(of):
        return {os.path.relpath(os.path.join(base, name), of): contents(os.path.join(base, name)) for base, _, names in os.walk(of) for name in names}

    # Three shards; the second begins with the page that the first one's last repeats.
    half = len(texts) // 2
    shards = [texts[:half], texts[half:], [texts[7], texts[0], 'too few words', texts[60]]]
    paths = [write_archive(os.path.join(folder, 'shard%d.warc.gz' % i), shard) for i, shard in enumerate(shards)]
    for preset, config in (('datatrove', MinhashConfig()),
                           ('datatrove:bits=32,hash=sha1,seed=5,w=3,bands=20x5',
                            MinhashConfig(n_grams=3, num_buckets=20, hashes_per_bucket=5, seed=5, hash_config=HashConfig(precision=32, hash_fc='sha1')))):
        ours, theirs = (os.path.join(folder, '%s-%d' % (name, config.num_buckets)) for name in ('ours', 'theirs'))
        stage1 = MinhashDedupSignature(theirs, config=config, language=Blanks())
        for rank, shard in enumerate(shards):
            stage1.run(documents(shard), rank=rank + 4, world_size=len(shards))
        run = thresher('run', '-q', '-j2', '-m', preset, '--sign', 'page', '-f', 'minhash-sig', '--rank', '4', '-O', ours + '/', *paths)
        expect('%s: exit code' % preset, (run.returncode, run.stderr), (0, b''))
        wanted = files(theirs)
        expect('%s: files' % preset, sorted(files(ours)), sorted(wanted))
        expect('%s: bytes of %d files' % (preset, len(wanted)), [name for name, data in files(ours).items() if data != wanted[name]], [])

        pairs, removed = os.path.join(folder, 'pairs-%d' % config.num_buckets), os.path.join(folder, 'removed-%d' % config.num_buckets)
        stage2 = MinhashDedupBuckets(ours, pairs, config=config)
        for rank in range(config.num_buckets):
            stage2.run(rank=rank, world_size=config.num_buckets)
        MinhashDedupCluster(pairs, removed, config=config).run()
        kept = [[document.id for document in MinhashDedupFilter(removed).run(documents(shard), rank=rank + 4)] for rank, shard in enumerate(shards)]
        gone = {(rank, i) for rank, shard in enumerate(shards) for i in range(len(shard)) if '%d' % i not in kept[rank]}
        # One page of each cluster stays, and no other page is removed. Pages 7 and 60 are also in the third shard.
        clusters = [[3, 40], [7, 41, 95, half + len(texts)], [52, 117], [60, half + len(texts) + 3]]
        places = [(0, i) if i < half else (1, i - half) for i in range(len(texts))]

        def place(number):
            return places[number] if number < len(texts) else (2, number - half - len(texts))

        left = {place(number) for number in itertools.chain(*clusters)} - gone
        expect('%s: stages 2 to 4 leave one page of each cluster' % preset, [sum(place(n) in left for n in cluster) for cluster in clusters], [1] * len(clusters))
        expect('%s: and take no other' % preset, gone - {place(number) for number in itertools.chain(*clusters)}, set())


def main():
    texts = make_texts()
    with tempfile.TemporaryDirectory() as folder:
        path = write_archive(os.path.join(folder, 'texts.warc.gz'), texts)
        datasketch(path, texts)
        text_dedup(path, texts)
        datatrove(folder, texts)


main()
