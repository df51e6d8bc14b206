"""The examples of clients of POST /extract, with the real packages. Skipped (77) without them.

usage: extract_clients.py PROGRAM scrapy          python/examples/scrapy, with Scrapy from PyPI
       extract_clients.py PROGRAM stormcrawler    deploy/stormcrawler, with StormCrawler from Maven Central
"""
import functools
import glob
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

from case import PROGRAM, contents, expect, expect_true, free_port, start, thresher

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
WORDS = 'The rain had stopped when the first visitors came to the garden, and nobody expected so many of them.'
PAGES = {
    'index.html': '<title>Home</title><p>%s</p><ul><li><a href="/story.html">story</a><li><a href="/latin.html">latin</a><li><a href="/file.txt">file</a></ul>' % WORDS,
    'story.html': '<title>A story</title><h1>A story</h1><p>%s</p><p>%s</p><p><a href="/">Home</a></p>' % (WORDS, WORDS[::-1]),
    'latin.html': '<meta charset="iso-8859-1"><title>\xc4pfel</title><p>Gr\xf6\xdfe und Gewicht der \xc4pfel werden jeden Morgen gemessen. %s</p>' % WORDS,
    'file.txt': 'This file is not a page.',
}


def skip(why):
    print('skipped: ' + why)
    sys.exit(77)


def start_daemon():
    port = free_port()
    daemon = start('serve', '--endpoint.extract', '-o', 'daemon.listen=127.0.0.1:%d' % port, '-j', '2', stderr=subprocess.PIPE, text=True)
    for line in daemon.stderr:
        if 'event=ready' in line:
            break
    return daemon, 'http://127.0.0.1:%d/extract' % port


def write_pages(folder):
    for name, page in PAGES.items():
        with open(os.path.join(folder, name), 'wb') as f:
            f.write(page.encode('latin-1'))


def scrapy(folder, extract):
    if subprocess.run([sys.executable, '-c', 'import scrapy'], capture_output=True, check=False).returncode:
        skip('scrapy is not installed')
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = 'http://127.0.0.1:%d/' % server.server_port
    out = os.path.join(folder, 'out.jsonl')
    done = subprocess.run([sys.executable, '-m', 'scrapy', 'runspider', os.path.join(ROOT, 'python', 'examples', 'scrapy', 'spider.py'), '-a', 'start=' + site,
                           '-s', 'THRESHER_EXTRACT=' + extract, '-s', 'TELNETCONSOLE_ENABLED=0', '-O', out], capture_output=True, text=True, cwd=folder, timeout=280, check=False)
    expect_true('scrapy ends well', done.returncode == 0 and 'Traceback' not in done.stderr, done.stderr[-3000:])
    lines = contents(out).splitlines()
    items = {item['url']: item for item in map(json.loads, lines)}
    expect('one item for each page', sorted(items), sorted(site + name for name in ('', 'latin.html', 'story.html')))
    for url, item in items.items():
        page = os.path.join(folder, url[len(site):] or 'index.html')
        record = json.loads(thresher('text', '--json', '--url', url, page).stdout)
        expect('%s: the item has the values of the record' % url, {name: item[name] for name in ('title', 'text', 'quality')},
               {name: record.get(name) for name in ('title', 'text', 'quality')})
    expect('one request for each page', int(re.search(r"'downloader/request_method_count/POST': (\d+)", done.stderr).group(1)), len(lines))


def stormcrawler(folder, extract):
    for tool in ('java', 'javac', 'mvn'):
        if not shutil.which(tool):
            skip('%s is not installed' % tool)
    source = os.path.join(ROOT, 'deploy', 'stormcrawler')
    libs = os.path.join(os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'thresher-stormcrawler')
    if len(glob.glob(os.path.join(libs, '*.jar'))) < 2:
        done = subprocess.run(['mvn', '-B', '-q', '-f', os.path.join(source, 'pom.xml'), 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies',
                               '-DoutputDirectory=' + libs], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            skip('Maven cannot fetch StormCrawler: %.300s' % re.sub('\x1b\\[[0-9;]*m', '', done.stdout + done.stderr).strip())
    classes = os.path.join(folder, 'classes')
    javac = subprocess.run(['javac', '-Xlint:all', '-Werror', '-proc:none', '-d', classes, '-cp', os.path.join(libs, '*'), os.path.join(source, 'ThresherTextExtractor.java'),
                            os.path.join(ROOT, 'tests', 'run', 'Extractors.java')], capture_output=True, text=True, check=False)
    expect('javac', javac.stdout + javac.stderr, '')

    def text_of(accept, page, url='http://page.example/a?b=c'):
        path = os.path.join(folder, 'page.html')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(page)
        done = subprocess.run(['java', '-cp', classes + ':' + os.path.join(libs, '*'), 'Extractors', 'thresher.ThresherTextExtractor', extract, accept, url, path],
                              capture_output=True, timeout=280, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()
    for accept, name in (('text/plain', 'plain'), ('text/markdown', 'markdown')):
        wanted = thresher('text', '--text-format', name, os.path.join(folder, 'story.html')).stdout.decode()
        expect('%s is that of `thresher text`' % accept, text_of(accept, PAGES['story.html'])[:2], (0, wanted.strip()))
    expect_true('characters', 'Gr\xf6\xdfe' in text_of('text/plain', PAGES['latin.html'])[1])
    expect('the URL', json.loads(text_of('application/json', PAGES['story.html'])[1])['url'], 'http://page.example/a?b=c')
    code, out, err = text_of('image/png', PAGES['story.html'])
    expect_true('a wrong type of answer is an error', code and not out and '406' in err and 'not_acceptable' in err, err)


def main():
    with tempfile.TemporaryDirectory() as folder:
        write_pages(folder)
        daemon, extract = start_daemon()
        {'scrapy': scrapy, 'stormcrawler': stormcrawler}[sys.argv[2]](folder, extract)
        daemon.terminate()
        expect('the daemon ends', daemon.wait(300), 0)


if __name__ == '__main__':
    main()
