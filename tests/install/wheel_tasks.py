"""Tasks of an installed wheel: a page with its language, a WACZ, Parquet, a fastText model, s3://. Prints the seconds of each in one line.

usage: wheel_tasks.py ARCHIVE MODEL S3_URL|- [COMMAND...]     in a folder where run.jsonl can be written: the records of the archive
       S3_URL: the archive in an object store. AWS_* has its address and keys
       COMMAND runs the program. Without it, the installed package is tried, and the program in it
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile

archive, model, remote, *command = sys.argv[1:]
package = not command
if package:
    import thresher
    from thresher._records import program_environment
    command = [thresher.program()]
GERMAN = '<p>' + 'Die Nachtf\u00e4hre nach den \u00e4u\u00dferen Inseln f\u00e4hrt wieder vom ersten April an, und die Stadt freut sich dar\u00fcber. ' * 6
folder = tempfile.mkdtemp()
environment = program_environment() if package else os.environ
seconds = []


def run(*arguments, data=b''):
    """The program's stdout."""
    return subprocess.run([*command, *arguments], input=data, stdout=subprocess.PIPE, check=True, env=environment).stdout


def records(path, *options):
    """The records of an archive without the name of their source."""
    lines = run('run', '-q', *options, path).splitlines()
    return [{name: value for name, value in json.loads(line).items() if name != 'source'} for line in lines]


def task(name):
    """Runs a function at once and notes its time."""
    def timed(function):
        start = time.perf_counter()
        function()
        seconds.append('%s %.2f' % (name, time.perf_counter() - start))
    return timed


run('run', '-q', '-O', 'run.jsonl', archive)
local = records(archive)
assert len(local) > 10


@task('language')
def _():
    if package:
        page = thresher.extract(GERMAN)
        assert page.language == 'de', page.record
    assert json.loads(run('text', '--json', '-', data=GERMAN.encode()))['language_detected']['name'] == 'de'
    assert sum(record.get('language_detected', {}).get('name') == 'en' for record in local) > len(local) / 2


@task('WACZ')
def _():
    path = os.path.join(folder, 'crawl.wacz')
    with zipfile.ZipFile(path, 'w') as out:
        out.writestr('datapackage.json', '{}')
        out.write(archive, 'archive/news.warc.gz')
    assert records(path) == local


@task('Parquet')
def _():
    path = os.path.join(folder, 'pages.parquet')
    run('run', '-q', '--format', 'parquet', '-O', path, archive)
    with open(path, 'rb') as file:
        data = file.read()
    assert data[:4] == data[-4:] == b'PAR1' and len(data) > 10000
    # The rows have the same near-duplicates as the lines.
    clusters = [run('dedup', '-q', '--output', 'drop', name) for name in (path, 'run.jsonl')]
    assert clusters[0] == clusters[1] != b''


@task('fastText')
def _():
    assert any('language_second' in record for record in records(archive, '--language-fasttext', model))


if remote != '-':
    @task('s3://')
    def _():
        assert records(remote) == local

parts = json.loads(run('version', '--json'))['parts']
assert all(parts[name] for name in ('cld2', 'remote', 'wacz', 'fasttext', 'parquet')), parts
print(', '.join(seconds))
