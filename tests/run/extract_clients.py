"""The examples of clients of POST /extract, with the real packages. Skipped (77) without them.

usage: extract_clients.py PROGRAM scrapy          python/examples/scrapy, with Scrapy from PyPI
       extract_clients.py PROGRAM stormcrawler    deploy/stormcrawler, with StormCrawler 2.4 from Maven Central
       extract_clients.py PROGRAM stormcrawler3   the same with Apache StormCrawler 3
"""
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'docs'))
import published
from case import contents, expect, expect_true, free_port, start, thresher

RUN = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(RUN, '..', '..')
EXAMPLE = os.path.join(ROOT, 'python', 'examples', 'scrapy')
DEPLOY = os.path.join(ROOT, 'deploy', 'stormcrawler')
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
    python = sys.executable
    if subprocess.run([python, '-c', 'import scrapy'], capture_output=True, check=False).returncode:
        try:
            python = os.path.join(published.tools(os.path.join(EXAMPLE, 'requirements.txt')), 'python')
        except (OSError, subprocess.SubprocessError) as error:
            skip('pip cannot install scrapy: %s' % error)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = 'http://127.0.0.1:%d/' % server.server_port
    out = os.path.join(folder, 'out.jsonl')
    done = subprocess.run([python, '-m', 'scrapy', 'runspider', os.path.join(EXAMPLE, 'spider.py'), '-a', 'start=' + site,
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


def java_classes(folder, profile, *tests):
    """Fetches StormCrawler with its dependencies, and compiles our client with the programs of the test; returns the class path."""
    for tool in ('java', 'javac', 'mvn'):
        if not shutil.which(tool):
            skip('%s is not installed' % tool)
    pom = os.path.join(DEPLOY, 'pom.xml')
    libs = os.path.join(os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'thresher-' + profile)
    if not os.path.exists(os.path.join(libs, 'complete')):
        done = subprocess.run(['mvn', '-B', '-q', '-f', pom, '-P', profile, 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies',
                               '-DoutputDirectory=' + libs], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            skip('Maven cannot fetch StormCrawler: %.300s' % re.sub('\x1b\\[[0-9;]*m', '', done.stdout + done.stderr).strip())
        with open(os.path.join(libs, 'complete'), 'w', encoding='utf-8'):
            pass
    classes = os.path.join(folder, 'classes')
    javac = subprocess.run(['javac', '-Xlint:all', '-Werror', '-proc:none', '-d', classes, '-cp', os.path.join(libs, '*'), os.path.join(DEPLOY, 'ThresherClient.java'), *tests],
                           capture_output=True, text=True, check=False)
    expect('javac', javac.stdout + javac.stderr, '')
    return classes + ':' + os.path.join(libs, '*')


def java(class_path, *arguments):
    done = subprocess.run(['java', '-cp', class_path, *arguments], capture_output=True, timeout=280, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def stormcrawler(folder, extract):
    """StormCrawler's own bolt parses pages, with its configuration files, and calls our filter."""
    class_path = java_classes(folder, 'stormcrawler-2', os.path.join(DEPLOY, 'ThresherTextFilter.java'), os.path.join(RUN, 'ParserBolt.java'))
    with open(os.path.join(folder, 'classes', 'jsoupfilters.json'), 'w', encoding='utf-8') as f:
        json.dump({'com.digitalpebble.stormcrawler.parse.JSoupFilters': [{'class': 'thresher.ThresherTextFilter', 'name': 'thresher'}]}, f)
    url = 'http://page.example/a?b=c'

    def emitted(page, accept='text/plain', content_type='text/html', endpoint=extract):
        code, out, err = java(class_path, 'ParserBolt', 'jsoupfilters.json', endpoint, accept, url, content_type, os.path.join(folder, page))
        expect_true('the bolt', code == 0, err)
        return out

    for page in ('story.html', 'latin.html'):
        for accept, name in (('text/plain', 'plain'), ('text/markdown', 'markdown')):
            wanted = thresher('text', '--text-format', name, '--url', url, os.path.join(folder, page)).stdout.decode()
            expect('%s: %s is that of `thresher text`' % (page, accept), emitted(page, accept), url + '\n' + wanted.strip())
    expect('the URL', json.loads(emitted('story.html', 'application/json').split('\n', 1)[1])['url'], url)
    with open(os.path.join(folder, 'greek.html'), 'wb') as f:
        f.write(('<title>x</title><p>\u03b7 \u03b3\u03b1\u03c4\u03b1 %s</p>' % WORDS).encode('iso-8859-7'))
    expect_true('the charset of the server', '\u03b7 \u03b3\u03b1\u03c4\u03b1' in emitted('greek.html', content_type='text/html; charset=iso-8859-7'))
    expect_true('HTML with a wrong type', WORDS in emitted('story.html', content_type='application/octet-stream'))
    with open(os.path.join(folder, 'empty.html'), 'wb') as f:
        f.write(b'<!doctype html><html><head><title></title></head><body></body></html>')
    expect('a page without text', emitted('empty.html'), url + '\n')
    expect_true('a wrong type of answer is an error of the page', re.fullmatch(r'status\n.*jsoup filtering.*: 406 .*not_acceptable.*', emitted('story.html', 'image/png'), re.S))
    expect_true('a daemon that does not answer, too', re.fullmatch(r'status\n.*ConnectException.*', emitted('story.html', endpoint='http://127.0.0.1:%d/extract' % free_port()), re.S))


def stormcrawler3(folder, extract):
    class_path = java_classes(folder, 'apache', os.path.join(DEPLOY, 'ThresherTextExtractor.java'), os.path.join(RUN, 'Extractors.java'))

    def text_of(accept, page, url='http://page.example/a?b=c'):
        path = os.path.join(folder, 'page.html')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(page)
        return java(class_path, 'Extractors', 'thresher.ThresherTextExtractor', extract, accept, url, path)
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
        {'scrapy': scrapy, 'stormcrawler': stormcrawler, 'stormcrawler3': stormcrawler3}[sys.argv[2]](folder, extract)
        daemon.terminate()
        expect('the daemon ends', daemon.wait(300), 0)


if __name__ == '__main__':
    main()
