"""POST /extract of the daemon: answers, refusals, slow and many clients, shutdown.

usage: extract.py PROGRAM CASE [FAULTY]     CASE: answers, refusals, connections, limits, concurrency, shutdown, reload, spool, isolation, memory;
                                             FAULTY: the program with injected errors (faulty.c), for isolation
"""
import contextlib
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import archive
from case import PROGRAM, contents, expect, expect_true, free_port, is_sanitized, thresher

rng = random.Random(11)
URL = 'http://page.example/a?b=c'
PATH = '/extract?url=http%3A%2F%2Fpage.example%2Fa%3Fb%3Dc'
HTML = {'Content-Type': 'text/html'}
PAGE = (archive.page(rng, 6).replace('</h1>', '</h1><p>A paragraph with <b>bold words</b>, <a href="/next">a link to the next page</a> and <i>some</i> more.</p>'
                                     '<table><tr><th>Name<th>Size<tr><td>one<td>2<tr><td>three<td>4</table>').encode())


class Daemon:
    """A daemon that only answers requests."""

    def __init__(self, *options, program=PROGRAM, jobs=2):
        self.port = free_port()
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen([program, 'serve', '-o', 'endpoint.extract=yes', '-o', 'daemon.listen=127.0.0.1:%d' % self.port,
                                         '-j', str(jobs), *options], stderr=self.log)
        self.wait_for('event=ready')

    def wait_for(self, words):
        end = time.time() + 300
        while words not in self.lines():
            if time.time() > end or self.process.poll() is not None:
                expect_true('the log has %s' % words, words in self.lines(), self.lines())
            time.sleep(.01)

    def lines(self):
        self.log.seek(0)
        return self.log.read().decode()

    def connect(self):
        return http.client.HTTPConnection('127.0.0.1', self.port, timeout=300)

    def raw(self):
        return socket.create_connection(('127.0.0.1', self.port), timeout=300)

    def post(self, body=PAGE, path=PATH, connection=None, method='POST', **headers):
        """Returns status, body and headers. HTML of no stated type with type=None."""
        headers = {name.replace('_', '-'): value for name, value in headers.items()}
        connection = connection or self.connect()
        connection.request(method, path, body, {**({} if 'Content-Type' in headers else HTML), **headers})
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.headers

    def metric(self, name):
        connection = self.connect()
        connection.request('GET', '/metrics')
        text = connection.getresponse().read().decode()
        return float(re.search('^thresher_%s (.*)$' % re.escape(name), text, re.M).group(1))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(300)


@contextlib.contextmanager
def daemon(*options, **more):
    one = Daemon(*options, **more)
    try:
        yield one
        expect('the end is orderly', one.stop() if one.process.poll() is None else one.process.returncode, 0)
    finally:
        one.process.kill()


def expect_error(claim, answer, code, reason, words=''):
    status, body, headers = answer
    expect('%s: status' % claim, status, code)
    expect('%s: type' % claim, headers['Content-Type'], 'application/json')
    error = json.loads(body)
    expect('%s: reason' % claim, error['reason'], reason)
    expect_true('%s: detail' % claim, words in error['detail'], error['detail'])


def wait_until(claim, holds):
    end = time.time() + 300
    while not holds() and time.time() < end:
        time.sleep(.01)
    expect_true(claim, holds())


def text_of(*args, page=PAGE):
    return thresher('text', *args, '-', input=page).stdout


def answers():
    with daemon('-o', 'text-links=yes') as one:
        status, body, headers = one.post(Content_Type='')
        expect('a record: status', (status, headers['Content-Type']), (200, 'application/json'))
        expect('a record is that of `thresher text --json`', body, text_of('--json', '--url', URL))
        expect('a fragment without a type', one.post('<section><p>Some words of a page.</p>', Content_Type='', Accept='text/plain')[:2], (200, b'Some words of a page.\n'))
        expect('without a URL too', one.post(path='/extract', Content_Type='')[1], text_of('--json'))
        for accept, name in (('text/markdown', 'markdown'), ('text/plain', 'plain'), ('text/html', 'html')):
            status, body, headers = one.post(Accept=accept)
            expect('%s: type' % accept, (status, headers['Content-Type']), (200, accept + '; charset=utf-8'))
            expect('%s is that of `thresher text`' % accept, body, text_of('--url', URL, '--text-format', name, '--text-links'))
            expect('%s has the link' % accept, b'http://page.example/next' in body, name != 'plain')
        expect('the heaviest type', one.post(Accept='text/html;q=.5, text/*;q=0.2, text/plain;q=0.7')[2]['Content-Type'][:10], 'text/plain')
        latin = '<p>Gr\xf6\xdfe und Gewicht der \xc4pfel werden jeden Morgen gemessen.</p>'.encode('latin-1')
        record = json.loads(one.post(latin, Content_Type='text/html; charset=iso-8859-1')[1])
        expect('charset of Content-Type', (record['http']['charset_from'], record['text'][:5]), ('http', 'Gr\xf6\xdfe'))
        with tempfile.TemporaryDirectory() as folder:
            warc = archive.write(os.path.join(folder, 'one.warc.gz'), [archive.record('resource', latin, URL, 1, 'text/html; charset=iso-8859-1')])
            by_run = json.loads(thresher('run', '-q', warc).stdout)
        for of_record in ('id', 'date', 'source'):
            by_run.pop(of_record)
        record.pop('source')
        expect('the record is that of `run`', list(record.items()), list(by_run.items()))
        empty = one.post(b'<p></p>', Accept='text/plain')
        expect('a page without content', empty[:2], (200, b''))


def refusals():
    with daemon('-o', 'endpoint.max-body=100K', '-o', 'page-ms=1') as one:
        connection = one.connect()  # one connection for all of them: none of them ends it
        for claim, code, reason, words, request in (
                ('no URL', 400, 'bad_request', "'x' is not an absolute URL", {'path': '/extract?url=x'}),
                ('another scheme', 400, 'bad_request', 'not an absolute URL', {'path': '/extract?url=ftp%3A%2F%2Fa%2F'}),
                ('a space', 400, 'bad_request', 'not an absolute URL', {'path': '/extract?url=http%3A%2F%2Fa%2F%20b'}),
                ('a NUL', 400, 'bad_request', 'not an absolute URL', {'path': '/extract?url=http%3A%2F%2Fa%2F%00b'}),
                ('an empty URL', 400, 'bad_request', 'not an absolute URL', {'path': '/extract?url='}),
                ('a URL without a value', 400, 'bad_request', "'' is not an absolute URL", {'path': '/extract?url'}),
                ('a long URL', 400, 'bad_request', 'not an absolute URL', {'path': '/extract?url=http://a/' + 'x' * 9000}),
                ('another parameter', 400, 'bad_request', "'uri'", {'path': '/extract?uri=http://a/'}),
                ('an empty body', 400, 'no_payload', 'empty', {'body': b''}),
                ('GET', 405, 'method_not_allowed', 'POST', {'method': 'GET', 'body': None}),
                ('PUT', 405, 'method_not_allowed', 'POST', {'method': 'PUT'}),
                ('an image', 406, 'not_acceptable', 'text/markdown', {'Accept': 'image/png'}),
                ('nothing of weight', 406, 'not_acceptable', "'*/*;q=0'", {'Accept': '*/*;q=0'}),
                ('a large body', 413, 'too_large', '102400', {'body': b'<p>' + b'x' * 102400}),
                ('a coding', 415, 'bad_coding', "'gzip'", {'Content-Encoding': 'gzip'}),
                ('a form', 415, 'not_html', "'application/x-www-form-urlencoded'", {'Content-Type': 'application/x-www-form-urlencoded'}),
                ('a PDF', 415, 'not_html', '', {'body': b'%PDF-1.4 \x00'}),
                ('a slow page', 422, 'time_limit', '', {'body': b'<p>a <b>b' * 10000})):
            expect_error(claim, one.post(connection=connection, **request), code, reason, words)
        expect('405 has Allow', one.post(method='DELETE')[2].get_all('Allow'), ['POST'])
        expect('/metrics has its own', one.post(path='/metrics')[2].get_all('Allow'), ['GET, HEAD'])
        with one.raw() as raw:
            raw.sendall(b'POST /extract HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
            answer = raw.makefile('rb').read()
            expect_true('no length', answer.startswith(b'HTTP/1.1 411 ') and b'"length_required"' in answer, answer)
        with one.raw() as raw:  # the client waits for permission: no byte of the body is sent
            raw.sendall(b'POST /extract?x=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\nExpect: 100-continue\r\n\r\n')
            answer = raw.recv(65536)
            expect_true('refused before the body', answer.startswith(b'HTTP/1.1 400 '), answer)
        with one.raw() as raw:
            raw.sendall(b'POST /extract HTTP/1.1\r\nHost: x\r\nContent-Length: 102401\r\nExpect: 100-continue\r\n\r\n')
            answer = raw.recv(65536)
            expect_true('a large body is refused before it is sent', answer.startswith(b'HTTP/1.1 413 '), answer)
        codes = {code: one.metric('extract_requests_total{code="%d"}' % code) for code in (200, 400, 405, 406, 411, 413, 415, 422, 500, 503)}
        expect('each answer is counted', codes, {200: 0, 400: 10, 405: 3, 406: 2, 411: 1, 413: 2, 415: 3, 422: 1, 500: 0, 503: 0})
        expect('no request is left', one.metric('extract_requests_in_progress'), 0)


def message(body, head=b'Content-Type: text/html\r\nAccept: text/plain\r\n', path=b'/extract'):
    return b'POST %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s' % (path, head, len(body), body)


def read_answers(raw, count):
    """Status and body of `count` answers on one connection."""
    found = []
    with raw.makefile('rb') as lines:
        for _ in range(count):
            status, length = int(lines.readline().split()[1]), 0
            for line in iter(lines.readline, b'\r\n'):
                name, value = line.split(b':', 1)
                length = int(value) if name.lower() == b'content-length' else length
            found.append((status, lines.read(length)))
    return found


def connections():
    with daemon('-o', 'endpoint.timeout-ms=2000') as one:
        pages = [b'<p>Page %d has a paragraph of some words, and nothing else at all.</p>' % i for i in range(20)]
        wanted = [(200, re.sub(b'<.*?>', b'', page) + b'\n') for page in pages]
        with one.raw() as raw:
            raw.sendall(b''.join(map(message, pages)))
            expect('pipelined requests are answered in order', read_answers(raw, 20), wanted)
            raw.sendall(message(pages[3]))
            expect('the connection is kept', read_answers(raw, 1), wanted[3:4])
        with one.raw() as raw:
            raw.sendall(b'POST /extract HTTP/1.1\r\nHost: x\r\nContent-Type: text/html\r\nAccept: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n')
            for i in range(0, len(pages[7]), 5):
                raw.sendall(b'%x\r\n%s\r\n' % (len(pages[7][i:i + 5]), pages[7][i:i + 5]))
            raw.sendall(b'0\r\n\r\n')
            expect('a chunked body', read_answers(raw, 1), wanted[7:8])
        with one.raw() as raw:
            for byte in message(pages[8]):
                raw.sendall(bytes((byte,)))
            expect('byte by byte', read_answers(raw, 1), wanted[8:9])
        slow, silent = one.raw(), one.raw()
        slow.sendall(message(pages[0])[:-10])
        for _ in range(10):  # the others are answered meanwhile
            expect('another client', one.post(pages[9], Accept='text/plain')[0], 200)
        expect('a request that never ends is closed', slow.recv(100), b'')
        expect('an idle connection is closed', silent.recv(100), b'')
        bad = one.raw()
        bad.sendall(b'POST /extract HTTP/1.1\r\nHost: x\r\nContent-Length: 1x\r\n\r\n<p>')
        expect_true('a length that is not a number', bad.makefile('rb').read().startswith(b'HTTP/1.1 400 '))
        broken = one.raw()
        broken.sendall(message(pages[0])[:-10])
        broken.close()
        gone = one.raw()  # gone before its answer
        gone.sendall(message(PAGE))
        gone.close()
        wait_until('no request is left', lambda: one.metric('extract_requests_in_progress') == 0)


def limits():
    with daemon('-o', 'endpoint.queue=2', '-o', 'max-in-flight=64K', '-o', 'endpoint.timeout-ms=300000') as one:
        held = [one.raw() for _ in range(2)]
        for raw in held:
            raw.sendall(message(b'<p>One two three.</p>')[:-10])
        wait_until('both are in progress', lambda: one.metric('extract_requests_in_progress') == 2)
        expect('the limit of requests', one.metric('extract_requests_limit'), 2)
        connection = one.connect()
        answer = one.post(connection=connection)
        expect_error('two requests are in progress', answer, 503, 'overloaded', '2 requests')
        expect('Retry-After', answer[2]['Retry-After'], '1')
        for raw in held:
            raw.sendall(b'three.</p>')
            expect('a request that waited', read_answers(raw, 1), [(200, b'One two three.\n')])
        expect('the place is free again', one.post(connection=connection)[0], 200)
        page, last = PAGE + b'<p>word</p>' * 1000, []

        def post_beside_another():
            """The daemon may read the second body first, and then refuses the other one. So the next try waits longer between the two."""
            with one.raw() as other:
                other.sendall(message(b'<p>' + b'x' * 60000)[:-10])
                time.sleep(.02 * len(last))
                last.append(one.post(page, connection=connection))
            return last[-1][0] == 503 and b'65536 bytes' in last[-1][1]
        wait_until('another body is being received', post_beside_another)
        expect_error('memory of all bodies', last[-1], 503, 'overloaded', '65536 bytes')
        wait_until('the memory is free again', lambda: one.post(page, connection=connection)[0] == 200)


def concurrency():
    pages = [archive.page(rng, 1 + i % 9).encode() for i in range(12)]
    wanted = [text_of('--json', '--url', URL, page=page) for page in pages]
    wrong = []
    with daemon('-o', 'endpoint.queue=16') as one:
        def client(number):
            connection = one.connect()
            for i in range(40):
                at = (number * 5 + i) % len(pages)
                status, body, _ = one.post(pages[at], connection=connection, Content_Type='')
                if status != 503 and (status, body) != (200, wanted[at]):
                    wrong.append((status, body))
        threads = [threading.Thread(target=client, args=(i,)) for i in range(12)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            one.metric('extract_requests_in_progress')  # answered meanwhile
        for thread in threads:
            thread.join()
        expect('wrong answers of 480', wrong[:1], [])
        counted = sum(one.metric('extract_requests_total{code="%d"}' % code) for code in (200, 503))
        expect('each answer is counted', counted, 480)


def shutdown():
    with daemon('-o', 'daemon.drain-ms=300000', '-o', 'endpoint.timeout-ms=300000') as one:
        half, other = one.raw(), one.connect()
        half.sendall(message(b'<p>One two three.</p>')[:-10])
        expect('a request before the stop', one.post(connection=other)[0], 200)
        one.process.send_signal(signal.SIGTERM)
        one.wait_for('event=draining')
        answer = one.post(connection=other)
        expect_error('a request after the stop', answer, 503, 'stopping')
        expect('the connection ends', answer[2]['Connection'], 'close')
        expect('the daemon waits for the other request', one.process.poll(), None)
        half.sendall(b'three.</p>')
        expect('a request in progress is completed', read_answers(half, 1), [(200, b'One two three.\n')])
        expect('exit code', one.process.wait(300), 0)
    with daemon('-o', 'daemon.drain-ms=2000', '-o', 'endpoint.timeout-ms=300000') as one:
        half = one.raw()
        half.sendall(message(b'<p>One two three.</p>')[:-10])
        wait_until('it is in progress', lambda: one.metric('extract_requests_in_progress') == 1)
        expect('exit code at the deadline', one.stop(), 0)
        expect_true('the log names the request', 'event=requests_interrupted requests=1' in one.lines(), one.lines())
        expect('its connection is closed', half.recv(100), b'')


def reload():
    page = b'<p>Some words, and <a href="/next">a link to the next page</a>, and some more words.</p>'
    with tempfile.NamedTemporaryFile('w+', suffix='.conf') as config:
        def write(links):
            config.seek(0)
            config.truncate()
            config.write('[text]\ntext-links = %s\n' % links)
            config.flush()
        write('no')
        with daemon('-c', config.name) as one:
            expect('before', b'](' in one.post(page, Accept='text/markdown')[1], False)
            for i in range(4):
                write('no' if i % 2 else 'yes')
                one.process.send_signal(signal.SIGHUP)
                wait_until('after reload %d' % i, lambda: (b'](' in one.post(page, Accept='text/markdown')[1]) == (not i % 2))


def spool():
    with tempfile.TemporaryDirectory() as folder:
        inside, out = os.path.join(folder, 'spool'), os.path.join(folder, 'out')
        os.makedirs(inside)
        archive.write(os.path.join(inside, 'a.warc.gz'), archive.records(200))
        with daemon('-o', 'spool.path=' + inside, '-o', 'files.path=' + out, '-o', 'spool.min-age-ms=1', '-o', 'spool.rescan-ms=50') as one:
            wait_until('a request next to a spool', lambda: one.post(Content_Type='')[1] == text_of('--json', '--url', URL))
            wait_until('the spool is read', lambda: one.metric('records_emitted_total{sink="files"}') == 200)
        lines = b''.join(contents(os.path.join(out, name)) for name in os.listdir(out) if name.startswith('thresher-') and name.endswith('.jsonl')).splitlines()
        expect('records of the spool', len(lines), 200)


def isolation(faulty):
    with daemon('-o', 'isolation=process', '-o', 'isolation-ms=5000', program=faulty) as one:
        expect('the same record', one.post(Content_Type='')[1], text_of('--json', '--url', URL))
        expect('the same text', one.post(Accept='text/markdown')[1], text_of('--url', URL, '--text-format', 'markdown'))
        for fault, words in (('segv', 'SIGSEGV'), ('abort', 'SIGABRT'), ('loop', '5000 ms')):
            words = words if b'__asan_init' not in contents(faulty) and b'__tsan_init' not in contents(faulty) else ''
            expect_error(fault, one.post(path='/extract?url=http://fault.example/' + fault), 422, 'crashed', words)
            expect('a request after it', one.post()[0], 200)
        wait_until('deaths are counted', lambda: one.metric('page_processes_died_total') >= 3)


def memory():
    """Memory does not grow with the number of requests. Not under a sanitizer, which keeps freed memory."""
    if is_sanitized():
        print('skipped: a sanitizer keeps freed memory')
        sys.exit(77)
    def resident():
        with open('/proc/%d/status' % one.process.pid) as f:
            return int(re.search(r'VmRSS:\s+(\d+)', f.read()).group(1))
    pages = [archive.page(rng, 20 + 40 * (i % 5)).encode() for i in range(10)]
    with daemon() as one:
        connection, seen = one.connect(), []
        for i in range(3000):
            one.post(pages[i % 10], connection=connection)
            if i % 1000 == 999:
                seen.append(resident())
        expect('answers', one.metric('extract_requests_total{code="200"}'), 3000)
        expect_true('resident KiB after 1,000, 2,000 and 3,000 requests: %s' % seen, seen[2] < seen[0] + 2048, seen)


if __name__ == '__main__':
    globals()[sys.argv[2]](*sys.argv[3:])
