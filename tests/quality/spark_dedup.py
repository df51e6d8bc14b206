"""deploy/spark/dedup.py finds the clusters of `thresher dedup`: similarity, members and representatives. Skipped without pyspark.

usage: spark_dedup.py PROGRAM [RECORDS [MASTER [FORM]]]     FORM: jsonl (records made here) or parquet (what `run -f parquet` writes of pages made here)

    spark_dedup.py build-release/src/thresher 500000 'local-cluster[2,1,1024]' parquet
"""
import glob
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import archive  # noqa: E402

try:
    import pyspark  # noqa: F401
except ImportError:
    print('skipped: no pyspark (pip install pyspark; Java 17)')
    sys.exit(77)

PROGRAM = sys.argv[1]
RECORDS, MASTER, FORM = int((sys.argv[2:] + ['1200'])[0]), (sys.argv[3:] + ['local[2]'])[0], (sys.argv[4:] + ['jsonl'])[0]
JOB = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'deploy', 'spark', 'dedup.py')
SLOTS, FAN_OUT = 128, 3


def hexed(slots):
    return ''.join('%08x' % slot for slot in slots)


def records(count):
    """Clusters with and without `distinct`, known and unknown templates, equal digests, short texts, ids that come twice, dates of all lengths."""
    rng = random.Random(21)
    made, number = [], 0

    def drawn():
        return [rng.getrandbits(32) for _ in range(SLOTS)]

    def changed(slots):
        slots = list(slots)
        for at in rng.sample(range(SLOTS), rng.randrange(20)):
            slots[at] = rng.getrandbits(32)
        return slots

    while len(made) < count:
        main, own, digest = drawn(), drawn(), '%032x' % rng.getrandbits(128)
        for _ in range(rng.choice((1, 1, 2, 3, 12))):
            minhash = {'preset': 'modern', 'w': 5, 'k': SLOTS, 'main': hexed(changed(main))}
            if rng.random() < .4:
                minhash['distinct'] = hexed(changed(own))
            if rng.random() < .1:
                minhash['short'] = ['main']
            date = '2024-0%d-1%dT10:00:%02d.%03dZ' % (rng.randrange(1, 4), rng.randrange(10), rng.randrange(60), rng.randrange(1000))
            page = {'id': '<urn:uuid:%08x>' % rng.getrandbits(32), 'url': 'http://a.example/%d' % number, 'minhash': minhash}
            page['date'] = rng.choice((date, date, date[:10], date[:4], '2024-01-11', None, 'yesterday'))
            if rng.random() < .3:
                page['digest'] = {'text': rng.choice((digest, digest.upper()))}
            if rng.random() < .5:
                page['template_known'] = rng.random() < .7
            made.append({name: value for name, value in page.items() if value is not None})
            if rng.random() < .1:
                made.append(dict(rng.choice(made), url='http://b.example/%d' % number))
            number += 1
    rng.shuffle(made)
    return made


def write_pages(path, count):
    """An archive of short pages; every fifth is a copy of one of the last thousand, whole or with some words changed."""
    rng = random.Random(23)
    words = [''.join(rng.choice('abcdefghijklmnopqrstuvwxyz') for _ in range(rng.randrange(3, 9))) for _ in range(5000)]
    kept = []
    with gzip.open(path, 'wb', 1) as out:
        for number in range(count):
            if kept and rng.random() < .2:
                text = list(rng.choice(kept))
                for at in rng.sample(range(len(text)), rng.choice((0, 0, 1, 2, 5))):
                    text[at] = rng.choice(words)
            else:
                text = rng.choices(words, k=120)
            kept = kept[-999:] + [text]
            out.write(archive.response('<html><body><p>%s.</p></body></html>' % ' '.join(text), 'http://s%d.example/%d' % (number % 997, number), number))


def run(pages, out, form):
    subprocess.run([PROGRAM, 'run', '-q', '-k', 'num-words', '-f', form, '-O', out, pages], check=True)


def ours(path, *options):
    found = {}
    ran = subprocess.run([PROGRAM, 'dedup', '-q', *options, path], capture_output=True)
    for line in ran.stdout.splitlines():
        cluster = json.loads(line)
        found.update((m['id'], (cluster['representative']['id'], m['jaccard'], m.get('exact', False))) for m in cluster['members'])
    return found


def theirs(path, out, *options):
    ran = subprocess.run([sys.executable, JOB, *options, path, out], capture_output=True,
                         env=dict(os.environ, PYSPARK_SUBMIT_ARGS='--master %s --driver-memory 1g --conf spark.ui.enabled=false --conf spark.sql.shuffle.partitions=4 pyspark-shell' % MASTER))
    if ran.returncode != 0:
        print('FAILED: the job ended with %d\n%s' % (ran.returncode, ran.stderr.decode()[-3000:]))
        sys.exit(1)
    lines = [json.loads(line) for part in glob.glob(out + '/members/*.json') for line in open(part, encoding='utf-8')]
    return {m['id']: (m['representative'], m['jaccard'], m['exact']) for m in lines}


with tempfile.TemporaryDirectory() as top:
    path = os.path.join(top, 'records.jsonl')
    options = ('--fan-out', str(FAN_OUT))
    if FORM == 'jsonl':
        with open(path, 'w', encoding='utf-8') as out:
            out.writelines(json.dumps(page) + '\n' for page in records(RECORDS))
        got = theirs(path, os.path.join(top, 'out'), *options)
    else:
        pages, table = os.path.join(top, 'pages.warc.gz'), os.path.join(top, 'records.parquet')
        write_pages(pages, RECORDS)
        run(pages, path, 'jsonl')
        run(pages, table, 'parquet')
        got = theirs(table, os.path.join(top, 'out'), '--format', 'parquet', *options)
    want = ours(path, *options)
    if len(want) < RECORDS // 8 or got != want:
        print('FAILED: %d members here, %d there' % (len(want), len(got)))
        print([(name, want.get(name), got.get(name)) for name in sorted(want.keys() | got.keys()) if want.get(name) != got.get(name)][:5])
        sys.exit(1)
    print('ok: %d members with the same representative, likeness and digest' % len(want))
