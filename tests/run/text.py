"""`thresher text`: pages of files, stdin, archives and (with `fetch`) URLs."""
import gzip
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

from case import PROGRAM, contents, expect, expect_true, thresher

PARAGRAPHS = ('We walked for hours along the river, until the sun went down behind the hills, and nobody spoke a word.',
              'In the morning we counted the huts on the map again, and found that two of them had burned down.')
TEXT = 'A walk\n\n%s\n\n%s\n' % PARAGRAPHS
PAGE = ('<!DOCTYPE html><html lang=en><title>A walk - Site</title><body><nav><a href=/>Home</a> <a href=/all>All walks</a></nav>'
        '<article><h1>A walk</h1><p>%s<p>%s <a href="/map">Map</a></article></body></html>' % (PARAGRAPHS[0], PARAGRAPHS[1])).encode()
TEXT = TEXT[:-1] + ' Map\n'


def lines(*args, **kwargs):
    run = thresher('text', *args, **kwargs)
    return run.returncode, run.stdout.decode(), run.stderr.decode()


def files(folder):
    os.chdir(folder)
    with open('walk.html', 'wb') as out:
        out.write(PAGE)
    expect('a file', lines('walk.html'), (0, TEXT, ''))
    expect('stdin', lines('-', input=PAGE), (0, TEXT, ''))
    for start in ('form', 'section', 'article', 'ul', 'svg'):  # not tags of the standard's sniffing
        expect('stdin that starts with <%s>' % start, lines('-', input=('\n<%s><p>Some words of a page.</p></%s>' % (start, start)).encode()), (0, 'Some words of a page.\n', ''))
    expect('two pages', lines('walk.html', 'walk.html'), (0, TEXT + '\n' + TEXT, ''))
    expect('Markdown with links', lines('--text-format', 'markdown', '--text-links', '--url', 'https://w.example/a/', 'walk.html'),
           (0, '# ' + TEXT.replace(' Map', ' [Map](https://w.example/map)'), ''))
    code, out, _ = lines('--text-format', 'markdown', '--text-front-matter', '--url', 'https://w.example/a/', 'walk.html')
    expect_true('front matter', code == 0 and out.startswith('---\nurl: "https://w.example/a/"\ntitle: "A walk"\n'), out)
    code, out, _ = lines('--text-format', 'html', 'walk.html')
    expect_true('HTML', code == 0 and '<h1>A walk</h1>' in out and '<nav>' not in out, out)
    record = json.loads(lines('--json', '--url', 'https://w.example/', 'walk.html')[1])
    expect('JSON', (record['url'], record['text'] + '\n'), ('https://w.example/', TEXT))

    os.mkdir('b')
    with open('b/walk.html', 'wb') as out:
        out.write(PAGE)
    expect('a folder', lines('-O', 'out/', 'walk.html', 'b/walk.html')[0], 0)
    expect('a file for each page', sorted(os.listdir('out')), ['walk.1.txt', 'walk.txt'])
    expect('the same text', contents('out/walk.txt').decode(), TEXT)
    odd = '.a b~\u00e9.c.html'
    shutil.copyfile('walk.html', odd)
    expect('a folder, and a name with odd bytes', lines('-O', 'odd/', odd)[0], 0)
    expect('its name', os.listdir('odd'), ['_a_b___.c.txt'])
    expect('an output file', (lines('-O', 'walk.txt', 'walk.html'), contents('walk.txt').decode()), ((0, '', ''), TEXT))

    with open('long.html', 'wb') as out:
        out.write(b'<p>' + b'word ' * 1000000)
    piped = subprocess.run(['sh', '-c', '"$0" text -k keep-all --language-detector none long.html | head -c 100', PROGRAM], capture_output=True, timeout=600)
    expect('a reader that closes the pipe is not an error', (len(piped.stdout), piped.stderr), (100, b''))
    code, out, err = lines('missing.html', 'walk.html')
    expect('a missing page is named, the next one follows', (code, out, err.count('\n')), (1, TEXT, 1))
    expect_true('its name', "cannot open 'missing.html'" in err, err)
    with gzip.open('a.warc.gz', 'wb') as out:
        out.write(b'WARC/1.1\r\n')
    code, out, err = lines('a.warc.gz', 'walk.html')
    expect_true('an archive is refused in words, the next page follows', code == 1 and out == TEXT and 'is an archive' in err, (code, out, err))
    with open('walk.html', 'rb') as page, gzip.open('walk.html.gz', 'wb') as out:
        out.write(page.read())
    with open('walk.html.gz', 'rb') as packed, open('walk', 'wb') as out:
        packed = packed.read()
        out.write(packed)
    with open('cut.html.gz', 'wb') as out:
        out.write(packed[:len(packed) * 2 // 3])
    expect('a compressed page', lines('walk.html.gz'), (0, TEXT, ''))
    expect('by its bytes, from stdin and a name without a type', (lines('-', input=packed), lines('walk')), ((0, TEXT, ''),) * 2)
    code, out, err = lines('--json', 'cut.html.gz')
    expect_true('a cut one is flagged', code == 0 and 'coding_damaged' in json.loads(out)['flags'], (code, out[-100:], err))
    code, out, err = lines('cut.html.gz', 'walk.html')
    expect('a cut one is reported', (code, err), (1, 'thresher: cut.html.gz: only a part could be read: its compressed data is damaged or ends early\n'))
    expect_true('with the text that can be read', out.endswith('\n' + TEXT) and out.startswith('A walk\n\nWe walked'), out)
    with gzip.open('large.html.gz', 'wb') as out:
        out.write(b'<p>' + b'word ' * 10000)
    code, out, err = lines('--json', '--max-record', '1K', 'large.html.gz')
    expect_true('the limit holds for what comes out', code == 0 and 'record_truncated' in json.loads(out)['flags'], (code, out[-200:], err))
    code, out, err = lines('--max-record', '1K', 'large.html.gz')
    expect_true('the cut is reported', code == 1 and 'large.html.gz: only a part could be read: it is larger than max-record' in err, (code, err))
    with open('not.html.gz', 'wb') as out:
        out.write(b'\x1f\x8bnothing of the kind')
    code, out, err = lines('not.html.gz', 'walk.html')
    expect_true('false gzip', code in (0, 1) and TEXT in out and 'archive' not in err, (code, out, err))
    open('empty.html', 'wb').close()
    code, out, err = lines('empty.html', 'walk.html')
    expect_true('an empty file stops no other page', code in (0, 1) and out == TEXT, (code, out, err))
    expect('many pages of a name', lines('-k', 'keep-all', '--language-detector', 'none', '-O', 'many/', *['b/walk.html'] * 400)[0], 0)
    expect('each has a file', sorted(os.listdir('many')), sorted(['walk.txt'] + ['walk.%d.txt' % i for i in range(1, 400)]))
    code, out, err = lines('-', input=b'%PDF-1.7\n')
    expect_true('not HTML: 1 with the reason', code == 1 and not out and 'not_html' in err, err)
    expect('no page: 2', lines()[0], 2)
    expect('several formats: 2', lines('--text-format', 'plain,markdown', 'walk.html')[0], 2)
    expect('one URL for two pages: 2', lines('--url', 'https://w.example/', 'walk.html', '-')[0], 2)
    expect('an output over an input: 2', lines('-O', 'walk.html', 'walk.html')[0], 2)
    expect('the input is intact', contents('walk.html'), PAGE)


class Pages(http.server.BaseHTTPRequestHandler):
    agents = []

    def do_GET(self):
        self.agents.append(self.headers['User-Agent'])
        parts = self.path.partition('?')[0].strip('/').split('/')
        if parts[0] == 'hop':  # /hop/N: N redirects
            left = int(parts[1])
            self.send_response(302)
            self.send_header('Location', str(left - 1) if left > 1 else '/walk')
            self.end_headers()
        elif parts[0] == 'to':
            self.send_response(301)
            self.send_header('Location', self.path[len('/to/'):])
            self.end_headers()
        elif parts[0] in ('walk', 'packed', 'pdf', 'latin'):
            body = gzip.compress(PAGE) if parts[0] == 'packed' else PAGE.replace(b'Map', b'M\xe4p') if parts[0] == 'latin' else PAGE
            self.send_response(200)
            self.send_header('Content-Type', {'pdf': 'application/pdf', 'latin': 'text/html; charset=iso-8859-1'}.get(parts[0], 'text/html'))
            if parts[0] == 'packed':
                self.send_header('Content-Encoding', 'gzip')
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        else:
            self.send_error(404)

    def log_message(self, *args):
        pass


def fetch(folder):
    os.chdir(folder)
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = 'http://127.0.0.1:%d' % server.server_port
    expect('a URL', lines('--allow-private', base + '/walk'), (0, TEXT, ''))
    expect_true('the user agent names the program', Pages.agents[-1].startswith('thresher/'), Pages.agents)
    expect('gzip', lines('--allow-private', base + '/packed'), (0, TEXT, ''))
    expect('the charset of the header', lines('--allow-private', base + '/latin'), (0, TEXT.replace('Map', 'M\xe4p'), ''))
    expect('the URL is the base of links, after 5 redirects',
           lines('--allow-private', '--text-format', 'markdown', '--text-links', base + '/hop/5'),
           (0, '# ' + TEXT.replace(' Map', ' [Map](%s/map)' % base), ''))
    for claim, path, words in (('a sixth redirect', '/hop/6', 'more than 5 redirects'), ('status 404', '/none', 'HTTP status 404'),
                               ('a redirect to a file', '/to/file:///etc/passwd', 'not http or https'), ('a PDF', '/pdf', 'not_html')):
        code, out, err = lines('--allow-private', base + path)
        expect_true('%s: 1 with the reason' % claim, code == 1 and not out and words in err and base + path in err, (code, out, err))

    seen = len(Pages.agents)
    for url in (base + '/walk', 'http://localhost:%d/walk' % server.server_port, 'http://[::ffff:127.0.0.1]:%d/walk' % server.server_port,
                'http://0x7f.1:%d/walk' % server.server_port):
        code, out, err = lines(url, env={**os.environ, 'http_proxy': base, 'https_proxy': base})
        expect_true('%s is refused' % url.replace(str(server.server_port), 'PORT'), code == 1 and not out and 'cannot fetch' in err, (code, err))
    expect('no request reached the server, nor the proxy', len(Pages.agents), seen)
    with socket.socket() as unused:
        unused.bind(('127.0.0.1', 0))
        expect('nobody listens: 1', lines('--allow-private', 'http://127.0.0.1:%d/' % unused.getsockname()[1])[0], 1)
    expect('a folder, named by the URL', lines('--allow-private', '-O', 'out/', base + '/walk?x=1', base + '/')[0], 1)
    expect('its file', os.listdir('out'), ['walk.txt'])


with tempfile.TemporaryDirectory() as temporary:
    (fetch if 'fetch' in sys.argv else files)(temporary)
    os.chdir('/')
