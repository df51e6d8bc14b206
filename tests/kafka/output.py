"""Messages in the records topic: compressed by each codec, framed for a schema registry, and tombstones for missing pages.

usage: output.py PROGRAM [CODEC...]     none, gzip, snappy, lz4, zstd; default all

Exits with 77 if Java, Maven or the network is missing.
"""
import collections
import glob
import json
import os
import shutil
import struct
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import broker as rig  # noqa: E402
from case import expect, expect_true, start  # noqa: E402

CODECS = ('none', 'gzip', 'snappy', 'lz4', 'zstd')  # by their numbers in a batch's attributes
PAGES, SCHEMA = 40, 0x01020304
TEXT = b'<title>%d</title><p>This is page number %d of a row of pages that all say the same, so that packing them pays.'


def codecs_used(kafka, topic):
    """Returns the codec numbers of a topic's batches in the broker's log."""
    used = collections.Counter()
    for path in glob.glob(os.path.join(kafka.folder, 'data', topic + '-*', '*.log')):
        with open(path, 'rb') as f:
            log = f.read()
        at = 0
        while at + 61 <= len(log):
            (length,) = struct.unpack_from('>i', log, at + 8)
            (attributes,) = struct.unpack_from('>h', log, at + 21)
            if length <= 0:
                break
            if not attributes & 0x20:  # no end of a transaction
                used[attributes & 7] += 1
            at += 12 + length
    return used


def run(folder, kafka, name, lines):
    config = os.path.join(folder, name + '.conf')
    with open(config, 'w') as f:
        f.write('[run]\njobs = 1\n[sketch]\nminhash = none\n[daemon]\nlisten = none\ndelivery = exactly-once\nflush-ms = 100\n[kafka]\nbrokers = %s\n'
                'topics = in\ngroup = %s\nrecords-topic = out.%s\ntransactional-id = %s\nsession-ms = 6000\n%s' % (kafka.bootstrap, name, name, name, lines))
    log = open(os.path.join(folder, name + '.log'), 'ab')
    process = start('serve', '-c', config, stderr=log)
    log.close()
    return process


def records_of(kafka, name, count):
    end = time.time() + 300
    while True:
        records = list(kafka.consume('out.' + name).records)
        if len(records) >= count or time.time() > end:
            expect('out.%s: messages' % name, len(records), count)
            return records


def url(n):
    return b'http://k.example/%d' % n


def main(folder):
    with rig.Broker(os.path.join(folder, 'kafka')) as kafka:
        kafka.start()
        codecs = sys.argv[2:] or CODECS
        names = (*codecs, 'framed')
        kafka.create_topic('in')
        for name in names:
            kafka.create_topic('out.' + name, config={'cleanup.policy': 'compact'} if name == 'framed' else None)
        gone = [(b'404', PAGES), (b'410', PAGES + 1)]
        kafka.produce('in', [rig.Record(key=url(n), value=TEXT % (n, n)) for n in range(PAGES)] +
                      [rig.Record(key=url(n), value=b'HTTP/1.1 %s Gone\r\nContent-Type: text/html\r\n\r\n' % status + TEXT % (n, n)) for status, n in gone] +
                      [rig.Record(key=url(0), value=None)])
        processes = [run(folder, kafka, name, 'librdkafka.compression.type = %s\n' % name) for name in codecs]
        processes.append(run(folder, kafka, 'framed', 'tombstones = 404,410,null\nschema-id = %d\n' % SCHEMA))
        bodies = None
        for name in codecs:
            values = [record.value for record in records_of(kafka, name, PAGES + 2)]
            bodies = bodies or values
            expect_true('%s: the same records as without' % name, values == bodies)
            expect('%s: codecs of the batches' % name, set(codecs_used(kafka, 'out.' + name)), {CODECS.index(name)})
        framed = records_of(kafka, 'framed', PAGES + 3)
        expect('each record has a frame, followed by JSON',
               [record.value[:5] + bytes(json.loads(record.value[5:])['schema'], 'ascii') for record in framed if record.value],
               [struct.pack('>bI', 0, SCHEMA) + b'thresher/1'] * PAGES)
        expect('404, 410 and a null message give their keys without a value',
               [record.key for record in framed if record.value is None], [url(PAGES), url(PAGES + 1), url(0)])
        for process in processes:
            process.terminate()
        expect('they end', [process.wait(30) for process in processes], [0] * len(processes))


if __name__ == '__main__':
    folder = tempfile.mkdtemp(prefix='thresher-kafka-out-')
    try:
        main(folder)
    except rig.Skip as reason:
        print('skipped: %s' % reason)
        sys.exit(77)
    finally:
        if not os.environ.get('THRESHER_KEEP'):
            shutil.rmtree(folder, ignore_errors=True)
