"""Band keys through a real Kafka: equal keys go to one consumer, which finds the injected near-duplicates from them.

usage: bands.py PROGRAM

A spool of pages goes to Kafka with bands-topic set. The consumer here knows only the format (docs/record.md, "Band keys as
messages"). It groups by key, and verifies with the low bits. The result must equal `thresher run --bands` for the same pages.
Exits with 77 if Java, Maven, libxxhash or the network is missing.
"""
import collections
import ctypes
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import archive  # noqa: E402
import broker as rig  # noqa: E402
from case import expect, expect_true, free_port, start, thresher  # noqa: E402

PARTITIONS = 4
PAGES = 120
PLANTED = ((3, 40), (7, 95), (52, 117))
SECONDS = 1767323045  # 2026-01-02T03:04:05Z, when archive.py's pages were captured


def make_archive(path):
    rng = random.Random(5)
    texts = [[archive.sentence(rng, 12) for _ in range(30)] for _ in range(PAGES)]
    for original, copy in PLANTED:
        texts[copy] = texts[original][:20] + ['One sentence is another.'] + texts[original][21:]
    texts[11] = ['Too few words.']
    return archive.write(path, [archive.response('<html><body><p>%s</p></body></html>' % ' '.join(text), 'http://b.example/%d' % i, i)
                                for i, text in enumerate(texts)])


def serve(folder, kafka, spool):
    config = os.path.join(folder, 'bands.conf')
    with open(config, 'w') as f:
        f.write('[sketch]\nsign = page\n[daemon]\nlisten = 127.0.0.1:%d\nflush-ms = 100\n'
                '[spool]\npath = %s\nsettle-ms = 1\nquiet-ms = 20\nmin-age-ms = 200\nrescan-ms = 100\n'
                '[kafka]\nbrokers = %s\nrecords-topic = out\nbands-topic = bands\nbands-bits = 8\nkey = id\n' % (free_port(), spool, kafka.bootstrap))
    with open(os.path.join(folder, 'log'), 'w') as log:
        process = start('serve', '-c', config, stderr=log)
    end = time.time() + 120
    while time.time() < end and process.poll() is None and not (os.path.isdir(spool + '/done') and os.listdir(spool + '/done')):
        time.sleep(0.2)
    process.terminate()
    with open(os.path.join(folder, 'log')) as log:
        expect_true('serve ends well', process.wait(60) == 0, log.read()[-1500:])


def xxh3():
    try:
        library = ctypes.CDLL('libxxhash.so.0')
    except OSError:
        raise rig.Skip('libxxhash.so.0 is missing') from None
    library.XXH3_64bits.restype = ctypes.c_uint64
    library.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    return lambda data: library.XXH3_64bits(data, len(data)).to_bytes(8, 'big')


def judge(messages, records, name_of):
    expect('no transaction is left open', messages.is_settled, True)
    pages = collections.defaultdict(list)
    buckets = collections.defaultdict(set)
    partitions = collections.defaultdict(set)
    low_bits = {}
    for message in messages.records:
        page, shingles = message.value[:8], int.from_bytes(message.value[12:14], 'big')
        pages[page].append(message.key)
        buckets[message.key].add(page)
        partitions[message.key].add(message.partition)
        low_bits[page] = message.value[14:]
        if (len(message.key), len(message.value), int.from_bytes(message.value[8:12], 'big')) != (9, 14 + 128, SECONDS) or not shingles:
            expect('a message', message, None)
    wanted = {name_of(record['id'].encode()): record for record in records}
    expect('every page, but for the short one', set(pages), {page for page, record in wanted.items() if 'bands' in record})
    expect('pages without keys', [record['minhash'].get('short') for record in wanted.values() if 'bands' not in record], [['page']])
    wrong = [page for page in pages if sorted(key.hex() for key in pages[page]) != sorted(wanted[page]['bands'])]
    expect('keys are those of the records', wrong, [])
    slots = {page: bytes.fromhex(wanted[page]['minhash']['page'])[3::4] for page in pages}
    expect('low bits are those of the slots', [page for page in pages if low_bits[page] != slots[page]], [])
    expect('a key has one partition', {len(places) for places in partitions.values()}, {1})
    expect_true('keys go to all partitions', len({place for places in partitions.values() for place in places}) == PARTITIONS)

    found = set()
    for together in buckets.values():
        for a in together:
            for b in together:
                equal = sum(x == y for x, y in zip(low_bits[a], low_bits[b])) / 128
                if a < b and (equal - 1 / 256) / (1 - 1 / 256) > 0.7:
                    found.add(frozenset((a, b)))
    by_url = {record['url']: page for page, record in wanted.items()}
    expect('near-duplicates, by the topic alone', found,
           {frozenset((by_url['http://b.example/%d' % a], by_url['http://b.example/%d' % b])) for a, b in PLANTED})


def main():
    folder = tempfile.mkdtemp(prefix='thresher-bands-')
    kafka = None
    try:
        name_of = xxh3()
        kafka = rig.Broker(os.path.join(folder, 'kafka'))
        kafka.start()
        for topic in ('out', 'bands'):
            kafka.create_topic(topic, partitions=PARTITIONS)
        spool = os.path.join(folder, 'spool')
        os.makedirs(spool)
        source = make_archive(os.path.join(folder, 'pages.warc.gz'))
        inline = [json.loads(line) for line in thresher('run', '-q', '--sign', 'page', '--bands', source).stdout.splitlines()]
        expect('pages', len(inline), PAGES)
        os.rename(source, os.path.join(spool, 'pages.warc.gz'))
        serve(folder, kafka, spool)
        judge(kafka.consume('bands'), inline, name_of)
        expect('records', len(list(kafka.consume('out').records)), PAGES)
    except rig.Skip as reason:
        print('skipped: %s' % reason)
        sys.exit(77)
    finally:
        if kafka:
            kafka.kill()
        shutil.rmtree(folder, ignore_errors=True)


main()
