"""Compares the daemon's CPU for Kafka in and out with files in and out, for the same records, as a ratio.

usage: kafka_overhead.py PROGRAM ARCHIVE.warc.gz [COPIES [ROUNDS]]       needs Java and Maven, as tests/kafka does

Both ways read the same response records and write the same JSON. Files: a spool of gzip members in, plain files out. Kafka: one plain WARC
record a message in, exactly once out. CPU is user and system time of the daemon alone.
"""
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, '..', 'kafka'))
sys.path.insert(0, os.path.join(here, '..', 'run'))
import archive as warc  # noqa: E402
import broker as rig  # noqa: E402

program, source = sys.argv[1:3]
copies, rounds = (list(map(int, sys.argv[3:5])) + [4, 3][len(sys.argv[3:5]):])[:2]


def responses():
    """The archive's response records, each as its bytes."""
    with gzip.open(source, 'rb') as f:
        data = f.read()
    at = 0
    while data.startswith(b'WARC/', at):
        head, _, _ = data[at:at + 65536].partition(b'\r\n\r\n')
        fields = dict(line.split(b': ', 1) for line in head.split(b'\r\n')[1:])
        end = at + len(head) + 4 + int(fields[b'Content-Length']) + 4
        if fields[b'WARC-Type'] == b'response':
            yield data[at:end]
        at = end


def cpu_of(config, is_done):
    """CPU seconds of a daemon from its start until is_done() and an orderly end."""
    process = subprocess.Popen([program, 'serve', '-c', config], stderr=subprocess.DEVNULL)
    while not is_done():
        time.sleep(0.2)
    process.terminate()
    _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime


def written(path, text):
    with open(path, 'w') as f:
        f.write(text)
    return path


def files_round(folder, records):
    base = tempfile.mkdtemp(dir=folder)
    spool, out = os.path.join(base, 'spool'), os.path.join(base, 'out')
    os.makedirs(spool)
    for i in range(copies):
        warc.write(os.path.join(spool, '%03d.warc.gz' % i), [warc.record('warcinfo', b'%d' % i, number=i)] + records)
    config = written(base + '.conf', '[run]\njobs = 1\n[daemon]\nlisten = none\n[spool]\npath = %s\nsettle-ms = 1\nquiet-ms = 1\nmin-age-ms = 1\nrescan-ms = 200\n'
                                     '[files]\npath = %s\n' % (spool, out))
    done = os.path.join(spool, 'done')
    cpu = cpu_of(config, lambda: os.path.isdir(done) and len(os.listdir(done)) == copies)
    shutil.rmtree(base)
    return cpu


def kafka_round(kafka, folder, number, records):
    for topic in ('in%d', 'out%d'):
        kafka.create_topic(topic % number, partitions=4, config={'max.message.bytes': '8388608'})
    kafka.produce('in%d' % number, (rig.Record(key=b'%d' % i, value=record) for _ in range(copies) for i, record in enumerate(records)),
                  {'max.request.size': '8388608'})
    config = written(os.path.join(folder, 'k.conf'), '[run]\njobs = 1\n[daemon]\nlisten = none\ndelivery = exactly-once\n[kafka]\nbrokers = %s\ngroup = g%d\ntopics = in%d\n'
                     'records-topic = out%d\ntransactional-id = t%d\nmax-message = 8M\n' % (kafka.bootstrap, number, number, number, number))
    want = copies * len(records)
    return cpu_of(config, lambda: sum(kafka.committed('g%d' % number).values()) >= want)


def main():
    records = list(responses())
    folder = tempfile.mkdtemp(prefix='thresher-overhead-')
    try:
        with rig.Broker(os.path.join(folder, 'kafka'), heap_mb=512) as kafka:
            kafka.start()
            ratios = []
            for i in range(rounds):
                files, topics = files_round(folder, records), kafka_round(kafka, folder, i, records)
                ratios.append(topics / files)
                print('round %d: %d records, files %.2f s, Kafka %.2f s of CPU, ratio %.3f' % (i, copies * len(records), files, topics, topics / files))
            print('Kafka : files, median ratio %.3f' % sorted(ratios)[len(ratios) // 2])
    except rig.Skip as reason:
        print('skipped: %s' % reason)
        sys.exit(77)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
