"""--rendered with pages that a real browser renders: an application whose pages are empty until a script loads their text, as Browsertrix Crawler would store them.

usage: rendered.py PROGRAM      (exit 77 without Chromium)
"""
import http.server
import json
import os
import random
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import archive
import browser
from case import expect, expect_true, thresher

PAGES = 4
SHELL = ('<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>App</title></head><body><div id="root"></div><script src="/app.js"></script>'
         '<noscript>You need to enable JavaScript to run this app.</noscript></body></html>')
# The article comes by fetch(), its second half when the reader scrolls.
SCRIPT = '''
const add = (parent, tag, text) => { const e = document.createElement(tag); if (text) e.textContent = text; parent.append(e); return e; };
fetch('/api' + location.pathname).then(answer => answer.json()).then(story => {
  const root = document.getElementById('root'), list = add(add(root, 'nav'), 'ul');
  for (let i = 0; i < 12; i++) { const link = add(add(list, 'li'), 'a', 'Section ' + i); link.href = '/section/' + i; }
  const article = add(add(root, 'main'), 'article');
  add(article, 'h1', story.title);
  story.first.forEach(text => add(article, 'p', text));
  add(root, 'footer', 'Terms of use. All rights reserved.');
  document.title = story.title;
  addEventListener('scroll', () => { story.second.forEach(text => add(article, 'p', text)); article.dataset.whole = ''; }, {once: true});
  article.dataset.shown = '';
});
'''


def story(path):
    rng = random.Random(path)
    texts = [' '.join(archive.sentence(rng, 14) for _ in range(4)) for _ in range(8)]
    return {'title': 'Grüße: ' + archive.sentence(rng, 5), 'first': texts[:4], 'second': texts[4:]}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        kind, body = (('application/json', json.dumps(story(self.path[4:]))) if self.path.startswith('/api/') else
                      ('text/javascript', SCRIPT) if self.path == '/app.js' else ('text/html; charset=utf-8', SHELL))
        data = body.encode()
        self.send_response(200)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def when(page, mark):
    """Waits until the article has a mark of the script."""
    page.run('new Promise(done => { const look = () => document.querySelector("article[data-%s]") ? done(0) : setTimeout(look, 10); look(); })' % mark)


def crawl(web, base):
    """Records of each page: its response, its DOM and text, and for every second page the DOM after scrolling."""
    records, page = [], browser.Page(web, web.ask('Target.createTarget', url='about:blank')['targetId'])
    page.shape(800, 300, False)
    for i in range(PAGES):
        url = '%s/story/%d' % (base, i)
        records.append(archive.response(SHELL, url, i))
        page.go(url)
        when(page, 'shown')
        html, text = 'document.documentElement.outerHTML', 'document.body.innerText'
        copies = [('dom', page.run(html)), ('text', page.run(text))]
        if i % 2:
            page.run('scrollTo(0, 400)')
            when(page, 'whole')
            copies.append(('domFinal', page.run(html)))
        for kind, body in copies:
            records.append(archive.record('resource', body.encode(), 'urn:%s:%s' % (kind, url), i, 'text/plain' if kind == 'text' else 'text/html'))
    return records


def main():
    if not browser.path():
        print('skipped: no Chromium found (Debian: apt install chromium); CHROMIUM names another one')
        return 77
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as web:
        if not web.starts():
            print('skipped: %s does not start on this machine' % browser.path())
            return 77
        path = os.path.join(folder, 'crawl.warc.gz')
        archive.write(path, crawl(web, 'http://127.0.0.1:%d' % server.server_port))
        server.shutdown()

        def records(how):
            run = thresher('run', '-q', '--rendered', how, path)
            expect('exit code of ' + how, run.returncode, 0)
            return [json.loads(line) for line in run.stdout.splitlines()]
        shells = records('off')
        expect('without copies the pages are empty', [story('/story/%d' % i)['first'][0] in row.get('text', '') for i, row in enumerate(shells)], [False] * PAGES)
        rows = records('dom')
        expect('one record for each page', [row.get('rendered') for row in rows], ['dom'] * PAGES)
        for i, row in enumerate(rows):
            told = story('/story/%d' % i)
            want = told['first'] + (told['second'] if i % 2 else [])
            expect_true('page %d: every paragraph of the article' % i, all(text in row['text'] for text in want), row['text'][:200])
            expect_true('page %d: no navigation, and nothing that was not shown' % i,
                        'Section 7' not in row['text'] and 'Terms of use' not in row['text'] and (i % 2 or told['second'][0] not in row['text']), row['text'])
            expect('page %d: its title' % i, row['title'], told['title'])
    return 0


sys.exit(main())
