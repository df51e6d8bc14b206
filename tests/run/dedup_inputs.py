"""`thresher dedup` and `thresher graph` on everything that thresher writes: each format gives the clusters of the JSON lines, or the reasons for
the differences. A wrong kind of input is one error with its name. Exact deduplication by text, URL and paragraph is compared with a dictionary.
"""
import collections
import glob
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

from case import contents, exists, expect, expect_true, thresher

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, '..', '..', 'samples', 'news.warc.gz')


def clusters(*args):
    """The clusters as a set of sets of ids."""
    run = thresher('dedup', '-q', *args)
    expect('dedup %s ends well' % ' '.join(os.path.basename(str(a)) for a in args), (run.returncode, run.stderr), (0, b''))
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    return {frozenset([line['representative']['id']] + [m['id'] for m in line['members']]) for line in lines}


def groups(pairs):
    """The same from (id, key)."""
    found = collections.defaultdict(set)
    for name, key in pairs:
        found[key].add(name)
    return {frozenset(ids) for ids in found.values() if len(ids) > 1}


def paragraphs_of(records):
    for record in records:
        for number, line in enumerate(record.get('text', '').split('\n')):
            if line.strip(' \t\r\v\f'):
                yield '%s#%06d' % (record['id'], number), line.strip(' \t\r\v\f')


def is_page(record):
    return 200 <= record.get('http', {}).get('status', 200) < 300


def check_sample(path):
    for arguments in (['-e', 'links', '-O', 'r.jsonl'], ['-e', 'links', '-f', 'parquet', '-O', 'r.parquet'],
                      ['-e', 'links', '-f', 'parquet', '--compress', 'none', '--row-group', '64K', '-O', 'groups.parquet'],
                      ['-e', 'links', '-f', 'warc', '-O', 'r.warc.gz'], ['-f', 'wet', '-O', 'r.wet.gz'], ['-f', 'fineweb', '-O', 'f.jsonl'],
                      ['-f', 'minhash-sig', '--minhash', 'datatrove', '-O', 'sig/'], ['--minhash', 'datatrove', '-O', 'd.jsonl', '--filter.status', '2xx']):
        run = thresher('run', '-q', *arguments, SAMPLE, cwd=path(''))
        expect('run %s' % ' '.join(arguments), (run.returncode, run.stderr), (0, b''))
    records = [json.loads(line) for line in contents(path('r.jsonl')).splitlines()]
    pages = [r for r in records if is_page(r)]

    # The same records in another format: the same bytes.
    for options in ([], ['--by', 'text'], ['--by', 'url'], ['--unit', 'paragraph'], ['--output', 'pairs'], ['--unit', 'paragraph', '--output', 'drop']):
        wanted = thresher('dedup', '-q', *options, path('r.jsonl')).stdout
        for name in ('r.parquet', 'groups.parquet', 'r.warc.gz'):
            if name == 'r.warc.gz' and '--unit' in options:
                continue # its text begins with the title's line
            run = thresher('dedup', '-q', *options, path(name))
            expect('%s %s: as of JSON lines' % (name, ' '.join(options)), (run.returncode, run.stderr, run.stdout), (0, b'', wanted))
    for name in ('r.jsonl', 'r.parquet', 'groups.parquet', 'r.warc.gz'):
        run = thresher('graph', '-q', '-O', path('graph.' + name), path(name))
        expect('graph of %s' % name, (run.returncode, run.stderr), (0, b''))
        for file in glob.glob(path('graph.r.jsonl/*')):
            expect('graph of %s: %s' % (name, os.path.basename(file)), contents(path('graph.%s/%s' % (name, os.path.basename(file)))), contents(file))

    # Exact deduplication against a dictionary.
    expect('by text', clusters('--by', 'text', path('r.jsonl')), groups((r['id'], r['digest']['text']) for r in pages if 'text' in r.get('digest', {})))
    expect('by text, of lines without a digest', clusters('--by', 'text', path('f.jsonl')), clusters('--by', 'text', path('r.jsonl')))
    expect('by paragraph', clusters('--unit', 'paragraph', path('r.jsonl')), groups(paragraphs_of(pages)))
    expect_true('there are such paragraphs', len(clusters('--unit', 'paragraph', path('r.jsonl'))) > 10)
    with open(path('urls.jsonl'), 'w') as out:
        for number, url in enumerate(('http://a.example/', 'http://a.example/#x', 'http://a.example/?', 'http://A.example/', 'http://a.example/')):
            print(json.dumps({'id': 'u%d' % number, 'url': url, 'date': '2024-01-01T00:00:0%dZ' % number}), file=out)
    expect('by URL, without fragment', clusters('--by', 'url', path('urls.jsonl')), {frozenset(['u0', 'u1', 'u4'])})
    with open(path('letters.jsonl'), 'w') as out:
        for name in ('zebra', 'apple', 'zebras', 'a'):
            print(json.dumps({'id': name, 'url': 'http://a.example/', 'date': '2024-01-01T00:00:00Z'}), file=out)
    expect('ids without a common beginning', clusters('--by', 'url', path('letters.jsonl')), {frozenset(['zebra', 'apple', 'zebras', 'a'])})
    run = thresher('dedup', '--by', 'url', '--unit', 'paragraph', path('r.jsonl'))
    expect_true('paragraphs are not compared by URL', run.returncode == 2 and b'--by url' in run.stderr, run.stderr)
    run = thresher('dedup', '--unit', 'paragraph', path('urls.jsonl'))
    expect_true('records without text', run.returncode == 2 and b'no record has a text' in run.stderr, run.stderr)
    run = thresher('dedup', '-q', '--unit', 'paragraph', '--report', path('report.json'), '-O', path('x'), path('r.jsonl'))
    report = json.loads(contents(path('report.json')))
    expect('report of paragraphs', (report['equal'], report['records'], report['read'] > report['records']), ('paragraph', len(records), True))

    # Paragraphs in stages.
    for number in (0, 1):
        with open(path('half%d.jsonl' % number), 'w') as out:
            out.writelines(json.dumps(r) + '\n' for r in records[number::2])
        expect('partition %d' % number, thresher('dedup', 'partition', '-q', '--unit', 'paragraph', '--parts', '2', '-O', path('shards/%d' % number),
                                                 path('half%d.jsonl' % number)).returncode, 0)
    for part in (0, 1):
        expect('pairs %d' % part, thresher('dedup', 'pairs', '-q', path('shards'), '--part', '%d/2' % part).returncode, 0)
    run = thresher('dedup', 'components', '-q', path('shards'))
    expect('paragraphs in stages', run.stdout, thresher('dedup', '-q', '--unit', 'paragraph', path('r.jsonl')).stdout)
    run = thresher('dedup', 'partition', '-q', '--parts', '2', '-O', path('shards/0'), path('half0.jsonl'))
    expect_true('a shard of paragraphs is not one of records', run.returncode == 2 and b'other inputs or options' in run.stderr, run.stderr)

    # WET has the title in its text, so most clusters are those of the records.
    by_similarity = clusters(path('r.jsonl'))
    wet = clusters('--by', 'text', path('r.wet.gz'))
    expect_true('texts of WET that are equal are equal in the records', wet and all(any(w <= c for c in by_similarity) for w in wet), wet)
    signed = clusters(path('r.wet.gz'))
    expect_true('WET is signed', len(signed) > len(wet) and all(any(w <= c for c in by_similarity) for w in signed), signed)
    expect('a WARC file of pages', thresher('run', '-q', '-f', 'warc', '--filter.status', '2xx', '-O', path('pages.warc.gz'), SAMPLE).returncode, 0)
    expect('paragraphs of a WARC file', clusters('--unit', 'paragraph', path('pages.warc.gz')), clusters('--unit', 'paragraph', path('r.wet.gz')))
    lines = []
    for part in gzip.decompress(contents(path('r.wet.gz'))).split(b'WARC/1.')[1:]:
        head, body = part.split(b'\r\n\r\n', 1)
        fields = dict(line.split(': ', 1) for line in head.decode().split('\r\n')[1:])
        if fields['WARC-Type'] == 'conversion':
            lines.append({'id': fields['WARC-Refers-To'], 'text': body[:int(fields['Content-Length'])].decode()})
    expect('paragraphs of WET', clusters('--unit', 'paragraph', path('r.wet.gz')), groups(paragraphs_of(lines)))

    # A shard of signatures: its pages are the records with a status of 2xx, in order.
    numbered = [json.loads(line)['id'] for line in contents(path('d.jsonl')).splitlines()]
    wanted = {frozenset('00000/%d' % numbered.index(name) for name in cluster) for cluster in clusters('--sign', 'main', path('d.jsonl'))}
    seen = clusters(path('sig'))
    expect('clusters of a shard of signatures', seen, {c for c in wanted})
    return records


def refusal(path, *args):
    """The one error about an input of another kind."""
    run = thresher(*args, path)
    lines = [line for line in run.stderr.decode().splitlines() if line.startswith('thresher: ')]
    expect('%s %s: one error' % (args[0], os.path.basename(str(path))), (run.returncode, len(lines)), (1, 1))
    return lines[0]


def check_kinds(path):
    with zipfile.ZipFile(path('a.jsonl'), 'w') as z:
        z.writestr('x', 'y' * 1000)
    files = {'index.cdxj': '!meta {}\n' + 'org,example)/ 2024 {"a":1}\n' * 30, 'text.txt': 'Some words.\n' * 100, 'page.html': '<html>\n<p>x\n' * 30,
             'array.json': '[\n' + '{"id":"a"},\n' * 30 + ']', 'notes': ('Words.\n' * 20 + '{"id":"example"}\n') * 3}
    for name, text in files.items():
        with open(path(name), 'w') as out:
            out.write(text)
    thresher('dedup', '-q', '-O', path('clusters.jsonl'), path('r.jsonl'))
    thresher('dedup', '-q', '-f', 'parquet', '-O', path('clusters.parquet'), path('r.jsonl'))
    thresher('records', '-q', '--parquet', path('captures.parquet'), SAMPLE)
    with open(path('cut.parquet'), 'wb') as out:
        out.write(contents(path('r.parquet'))[:-100])
    with open(path('binary'), 'wb') as out:
        out.write(bytes(range(256)) * 40)
    for name, words in (('a.jsonl', 'ZIP'), ('index.cdxj', 'CDXJ'), ('text.txt', "begins with 'Some words.'"), ('page.html', 'HTML'), ('array.json', 'JSON array'),
                        ('notes', "begins with 'Words.'"), ('clusters.jsonl', 'clusters of `thresher dedup`'), ('clusters.parquet', "Parquet file of 'clusters'"),
                        ('captures.parquet', "Parquet file of 'captures'"), ('cut.parquet', 'does not end with PAR1'), ('binary', 'binary data'),
                        ('sig/bucket_003/00000.minhash.sig', 'one bucket of a minhash-sig shard')):
        for command in (['dedup'], ['graph', '-q', '-O', path('graph')]) if '.sig' not in name else (['dedup'],):
            line = refusal(path(name), *command)
            expect_true('%s: %s' % (name, words), words in line, line)
    with open(path('r.parquet'), 'rb') as table:
        run = thresher('dedup', '-q', '-', stdin=table)
        expect_true('Parquet from stdin', run.returncode == 1 and b'this is Parquet, which is read from a file' in run.stderr, run.stderr)
    expect_true('a graph of WET', 'text without links' in refusal(path('r.wet.gz'), 'graph', '-q', '-O', path('graph')), '')
    expect_true('a graph of signatures', 'minhash-sig' in refusal(path('sig/bucket_000/00000.minhash.sig'), 'graph', '-q', '-O', path('graph')), '')
    os.remove(path('sig/bucket_005/00000.minhash.sig'))
    expect_true('a bucket is missing', 'bucket_005' in refusal(path('sig'), 'dedup'), '')

    # A damaged row group: the others are read.
    expect('two row groups', thresher('run', '-q', '-f', 'parquet', '--row-group', '64K', '-O', path('two.parquet'), SAMPLE, SAMPLE).returncode, 0)
    table = bytearray(contents(path('two.parquet')))
    table[200] ^= 4
    with open(path('damaged.parquet'), 'wb') as out:
        out.write(table)
    run = thresher('dedup', path('damaged.parquet'))
    expect_true('damage in a row group', run.returncode == 1 and b'row group 1: column' in run.stderr and b'damage    1 of 1' in run.stderr, run.stderr)
    expect('the other row group is read', run.stdout, thresher('dedup', '-q', path('r.jsonl')).stdout)


def check_folder(path):
    os.mkdir(path('in'))
    for name in ('r.jsonl', 'r.parquet', 'r.wet.gz', 'clusters.jsonl.state'):
        if exists(path(name)):
            shutil.copy(path(name), path('in'))
    run = thresher('dedup', path('in'))
    expect_true('a folder of several formats', run.returncode == 1 and b'repeated_id' in run.stderr and b'3 inputs' not in run.stderr, run.stderr)


def check_corpus(path, archives):
    """The archives of ../shared/corpora/warc: each format gives the clusters of the JSON lines."""
    for name, arguments in (('r.jsonl.gz', []), ('r.parquet', ['-f', 'parquet', '--row-group', '64K']), ('r.warc.gz', ['-f', 'warc']), ('r.wet.gz', ['-f', 'wet'])):
        thresher('run', '-q', *arguments, '-O', path(name), *archives)  # some archives are damaged
    for options in ([], ['--by', 'text'], ['--by', 'url'], ['--unit', 'paragraph']):
        wanted = thresher('dedup', '-q', *options, path('r.jsonl.gz'))
        expect_true('JSON lines %s: there are clusters' % ' '.join(options), len(wanted.stdout.splitlines()) > 3, wanted.stderr)
        for name in ('r.parquet', 'r.warc.gz') if '--unit' not in options else ('r.parquet',):
            run = thresher('dedup', '-q', *options, path(name))
            expect('%s %s: as of JSON lines' % (name, ' '.join(options)), (run.returncode, run.stdout), (wanted.returncode, wanted.stdout))
        expect_true('WET %s: there are clusters' % ' '.join(options), thresher('dedup', '-q', *options, path('r.wet.gz')).stdout)


if __name__ == '__main__' and len(sys.argv) > 2:
    CORPUS = sorted(glob.glob(os.path.join(sys.argv[2], 'corpora', 'warc', '*.warc*')))
    if not CORPUS:
        print('skipped: no archives in %s' % sys.argv[2])
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        check_corpus(lambda name: os.path.join(folder, name), CORPUS)
elif __name__ == '__main__':
    with tempfile.TemporaryDirectory() as folder:
        in_folder = lambda name: os.path.join(folder, name)
        check_sample(in_folder)
        check_kinds(in_folder)
        check_folder(in_folder)
