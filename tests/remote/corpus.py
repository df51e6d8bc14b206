"""The corpus build of deploy/corpus: archives in S3Proxy to filtered, deduplicated Parquet, on two machines. One machine is killed in each
stage that reads archives, and started again. The result equals the result of an uninterrupted build, byte for byte.

usage: corpus.py PROGRAM [queries]     `queries`: the queries of deploy/corpus/README.md by DuckDB instead (exit 77 without it)

Without Maven and a network, the exit code is 77 as well. $THRESHER_JARS names a folder with S3Proxy's jars.
"""
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import archive
from case import PROGRAM, contents, expect, expect_true, thresher
from s3proxy_server import S3Proxy, jars

CORPUS = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'deploy', 'corpus'))
ARCHIVES, PAGES, COPIES = 12, 30, 6
HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n'


def records(number):
    """Pages of one archive, with copies of a page of the archive before, and pages that a filter omits for each reason."""
    rng, shared = random.Random(number), random.Random(1000 + number)
    host = 'http://site%d.example/' % number
    yield archive.response('User-agent: ExampleBot\nDisallow: /private\n', host + 'robots.txt', head='HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n')
    for i in range(PAGES):
        yield archive.response(archive.page(rng, 8), host + str(i))
    original = archive.page(shared, 8)
    yield archive.response(original, host + 'original')
    before = archive.page(random.Random(1000 + (number - 1) % ARCHIVES), 8)
    for i in range(COPIES):  # copies have another navigation, and the date of the original
        yield archive.response(before.replace('<ul>', '<ul><li>Copy %d</li>' % i), host + 'copy%d' % i)
    yield archive.response(archive.page(rng, 8), host + 'private/1')
    yield archive.response(archive.page(rng, 8), host + 'reserved', head=HEAD + 'tdm-reservation: 1\r\n')
    yield archive.response(archive.page(rng, 8).replace('<head>', '<head><link rel="license" href="https://creativecommons.org/licenses/by/4.0/">'), host + 'free')
    yield archive.response(archive.page(rng, 8), host + 'gone', head=HEAD.replace('200 OK', '404 Not Found'))
    yield archive.response('<p>Too short.', host + 'short')


def start(stage, machine, folder, environment):
    return subprocess.Popen(['sh', os.path.join(CORPUS, 'build.sh'), stage, '%d/2' % machine, 's3://crawls/', os.path.basename(folder)],
                            cwd=os.path.dirname(folder), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)


def kill(stage, machine, folder, environment, parts):
    """Starts a stage, and kills it with all of its processes between its first and last archive. If it was faster, it starts again without its results."""
    done = os.path.join(folder, 'machine-%d' % machine, parts[0], '*.done')
    for _ in range(50):
        process = start(stage, machine, folder, environment)
        while process.poll() is None and not glob.glob(done):
            time.sleep(.002)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if process.returncode == -signal.SIGKILL and 0 < len(glob.glob(done)) < ARCHIVES // 2:
            print('ok: stage %s was killed after %d of %d archives' % (stage, len(glob.glob(done)), ARCHIVES // 2))
            return
        for part in parts:
            shutil.rmtree(os.path.join(folder, 'machine-%d' % machine, part), ignore_errors=True)
    expect_true('stage %s was killed' % stage, False)


def build(folder, environment, kills):
    """All stages, each on both machines at once. Machine 1 is killed in the stages in `kills`, while machine 0 continues."""
    for stage, machines in (('rules', 1), ('sign', 2), ('pairs', 2), ('pages', 2), ('describe', 1)):
        running = [start(stage, 0, folder, environment)]
        if stage in kills:
            kill(stage, 1, folder, environment, kills[stage])
        if machines == 2:
            running.append(start(stage, 1, folder, environment))
        for process in running:
            said = process.communicate()[1]
            expect_true('stage %s' % stage, process.returncode == 0, said)


def results(folder):
    """Contents of all results, by name: tables, manifests, sums, the list of duplicates, and the description."""
    names = [name for pattern in ('machine-*/pages/*', 'machine-*/drop.txt', 'SHA256SUMS', 'croissant.json') for name in glob.glob(os.path.join(folder, pattern))]
    return {os.path.relpath(name, folder): contents(name) for name in names if not name.endswith('.done')}


def counts(folder):
    total = {}
    for name in glob.glob(os.path.join(folder, 'machine-*/pages/*.manifest.json')):
        with open(name, encoding='utf-8') as file:
            manifest = json.load(file)['counts']
        for reason, count in (*manifest['refused'].items(), ('read', manifest['read']), ('emitted', manifest['emitted'])):
            total[reason] = total.get(reason, 0) + count
    return total


def python_with_duckdb():
    for python in (sys.executable, os.path.join(os.environ.get('THRESHER_READERS', '/nowhere'), 'bin', 'python')):
        if os.path.exists(python) and subprocess.run([python, '-c', 'import duckdb'], capture_output=True).returncode == 0:
            return python
    print('skipped: no DuckDB')
    sys.exit(77)


def queries(folder, python):
    """Runs each query of the README. Its comment says what it returns."""
    with open(os.path.join(CORPUS, 'README.md'), encoding='utf-8') as file:
        found = re.findall(r'```sql\n(.*?)```', file.read(), re.S)
    expect_true('the README has queries', len(found) > 3)

    def rows_of(query):
        seen = subprocess.run([python, '-c', 'import duckdb, json, sys; print(json.dumps(duckdb.sql(sys.argv[1]).fetchall(), default=str))', query],
                              cwd=folder, capture_output=True, text=True)
        expect_true(query.split('\n')[0], seen.returncode == 0, seen.stderr)
        return json.loads(seen.stdout)

    for query in found:
        rows = rows_of(query)
        expect_true('no row' if 'no row' in query.split('\n')[0] else 'rows', bool(rows) != ('no row' in query.split('\n')[0]), rows)
    expect('rows of the tables', rows_of("select count(*) from 'machine-*/pages/*.parquet'"), [[counts(folder)['emitted']]])


is_queries = sys.argv[2:] == ['queries']
python = is_queries and python_with_duckdb()
with tempfile.TemporaryDirectory() as top:
    os.symlink(os.path.abspath(PROGRAM), os.path.join(top, 'thresher'))
    with S3Proxy(os.path.join(top, 's3proxy'), os.environ.get('THRESHER_JARS') or jars(os.path.join(top, 'jars'))) as store:
        store.ask('PUT', '/crawls')
        for number in range(ARCHIVES):
            made = archive.write(os.path.join(top, 'a.warc.gz'), records(number))
            store.ask('PUT', '/crawls/%02d.warc.gz' % number, contents(made))
        clean = {k: v for k, v in os.environ.items() if not k.startswith('AWS_')}
        environment = {**clean, **store.environment(), 'PATH': top + ':' + os.environ['PATH']}
        whole, cut = (os.path.join(top, name, 'corpus') for name in ('whole', 'cut'))  # manifests name the files of options
        for folder in (whole, cut):
            os.makedirs(folder)
        build(whole, environment, {})
        if is_queries:
            queries(whole, python)
            sys.exit()
        build(cut, environment, {'sign': ('signed', 'keys'), 'pages': ('pages',)})
        want, seen = results(whole), results(cut)
        expect('files', sorted(seen), sorted(want))
        expect('a table and a manifest of each archive', [sum(name.endswith(end) for name in want) for end in ('.parquet', '.manifest.json')], [ARCHIVES, ARCHIVES])
        for name in want:
            expect_true('%s is that of the uninterrupted build' % name, seen[name] == want[name])
        total = counts(cut)
        expect('emitted and refused are all records', total['read'], total['emitted'] + sum(n for reason, n in total.items() if reason not in ('read', 'emitted')))
        expect('duplicates were dropped', total['filter_id'], ARCHIVES * COPIES)
        expect('and each other filter has a part', {reason: total.get(reason) for reason in ('filter_rights', 'filter_status', 'filter_words', 'not_html', 'emitted')},
               {'filter_rights': 2 * ARCHIVES, 'filter_status': ARCHIVES, 'filter_words': ARCHIVES, 'not_html': ARCHIVES, 'emitted': ARCHIVES * (PAGES + 2)})
        check = subprocess.run(['sha256sum', '-c', '--quiet', 'SHA256SUMS'], cwd=cut)
        expect('sums', check.returncode, 0)
        described = json.loads(contents(os.path.join(cut, 'croissant.json')))
        expect('Croissant has all tables', len([f for f in described['distribution'] if f['name'].endswith('.parquet')]), ARCHIVES)
        again = start('pages', 1, cut, environment)
        expect_true('a finished stage does nothing', again.communicate() is not None and again.returncode == 0 and results(cut) == want)
