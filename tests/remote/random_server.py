"""The S3 client against a server that misbehaves at random, compared with a model.

usage: random_server.py PROGRAM [--seed N] [--runs N] [--cpu-minutes M] [--only MODE]

Each run has a separate seed, so that `--seed N --runs 1` repeats run N. Each run reads archives (or writes an output) through a server that cuts bodies, gives
wrong ranges, lengths and statuses, redirects, drips, changes objects, breaks headers and gives odd listings. Checks:

* the run ends, with exit code 0, 1 or 74
* exit code 0: exactly the records of the local files, in their order, each object in one of its states
* else: an error names the object (or the listing), and all records are records of the model, in order, none twice. At most one record of an object may be cut; it
  has the flag `warc_damaged`, and it is the last one of the object
* an upload: exit code 0 means that the store has the local bytes; no other host gets any

The server never cheats without a trace: two states of an object have different ETags.
"""
import argparse
import collections
import gzip
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import archive

LIMIT = 300  # seconds of a run: far more than any run takes
STATUSES = (201, 202, 203, 204, 205, 300, 304, 305, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 425, 429, 431,
            451, 500, 501, 502, 503, 504, 505, 507, 511, 599, 600, 999)
CODES = ('SlowDown', 'InternalError', 'RequestTimeout', 'AccessDenied', 'NoSuchKey', 'ExpiredToken', '', '<b>', '\x01')


class Item:
    """An object: its states (bytes), and the model of their records."""

    def __init__(self, states):
        self.states, self.current = states, 0

    def etag(self):
        return '"state-%d"' % self.current


class Connection(threading.Thread):
    """One connection; each request is answered well or badly."""

    def __init__(self, server, peer):
        super().__init__(daemon=True)
        self.server, self.peer, self.rest = server, peer, b''

    def run(self):
        try:
            self.peer.settimeout(30)
            while self.one():
                pass
        except (OSError, ValueError):
            pass
        finally:
            try:
                self.peer.close()
            except OSError:
                pass

    def read_head(self):
        while b'\r\n\r\n' not in self.rest:
            part = self.peer.recv(65536)
            if not part:
                return None
            self.rest += part
        head, _, self.rest = self.rest.partition(b'\r\n\r\n')
        return head.decode('latin1')

    def read_body(self, head, rng, is_slow):
        found = re.search(r'(?mi)^content-length: *(\d+)', head)
        want = int(found[1]) if found else 0
        while len(self.rest) < want:
            part = self.peer.recv(4096 if is_slow else 1 << 20)
            if not part:
                return None
            self.rest += part
            if is_slow:
                time.sleep(rng.random() * .01)
        body, self.rest = self.rest[:want], self.rest[want:]
        return body

    def send(self, data, rng, way):
        """False: the connection has ended."""
        if way == 'drip':
            at = 0
            while at < len(data):
                step = rng.randint(1, 400)
                self.peer.sendall(data[at:at + step])
                at += step
                time.sleep(rng.random() * .004)
                if rng.random() < .02:
                    time.sleep(.12)
        else:
            self.peer.sendall(data)
        return True

    def reset(self):
        self.peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        return False

    def one(self):
        head = self.read_head()
        if head is None:
            return False
        server = self.server
        with server.lock:
            server.asked += 1
            rng = random.Random('%d/%d' % (server.seed, server.asked))
            self.seed = server.seed
        method, target = head.split(' ', 2)[:2]
        if method in ('PUT', 'POST', 'DELETE'):
            return self.write(method, target, head, rng)
        path, _, query = target.partition('?')
        if 'list-type=2' in query:
            return self.list(dict(urllib.parse.parse_qsl(query)), rng)
        item = server.items.get(urllib.parse.unquote(path).partition('/bucket/')[2])
        if item is None:
            return self.send(b'HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n', rng, '')
        return self.give(item, target, head, rng)

    # ---- errors of any answer ----

    def bad_answer(self, rng, target, status_line=b'HTTP/1.1 200 OK\r\n'):
        """Sends a wrong answer. Returns whether the connection continues."""
        kind = rng.choice(('close', 'reset', 'status', 'status', 'status', 'redirect', 'redirect', 'stall', 'head-cut', 'head-bad', 'head-long', 'status-line', 'silent-close'))
        self.server.kinds[kind] += 1
        if kind in ('close', 'silent-close'):
            return False
        if kind == 'reset':
            return self.reset()
        if kind == 'stall':
            time.sleep(.3)
            return False
        if kind == 'status':
            status = rng.choice(STATUSES)
            body = b'<Error><Code>%s</Code></Error>' % rng.choice(CODES).encode() if rng.random() < .8 else b''
            fields = [b'Content-Length: %d' % (0 if status in (204, 304) else len(body))]
            if rng.random() < .2:
                fields.append(b'Retry-After: %s' % rng.choice((b'0', b'soon', b'-1', b'1', b'Wed, 21 Oct 2026 07:28:00 GMT')))
            if rng.random() < .2:
                fields.append(b'x-amz-bucket-region: %s' % rng.choice((b'eu-west-1', b'a/b', b'', b'\xff')))
            return self.send(b'HTTP/1.1 %d X\r\n%s\r\n\r\n%s' % (status, b'\r\n'.join(fields), b'' if status in (204, 304) else body), rng, '')
        if kind == 'redirect':
            place = rng.choice((target, target, '/bucket/none', 'http://127.0.0.1:%d%s' % (self.server.port, target), 'http://127.0.0.1:%d/x' % self.server.other_port,
                                'ftp://127.0.0.1/x', '//127.0.0.1/x', '', 'http://', 'http://user:pass@127.0.0.1:%d/x' % self.server.other_port, 'a' * 5000))
            return self.send(b'HTTP/1.1 %d X\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n' % (rng.choice((301, 302, 303, 307, 308)), place.encode()), rng, '')
        if kind == 'head-cut':
            self.peer.sendall(status_line + b'Content-Le')
            return False
        if kind == 'head-bad':
            self.peer.sendall(status_line + rng.choice((b'Content-Length: -5\r\n', b'Content-Length: 99999999999999999999\r\n', b'no colon\r\n', b'A: \0\r\n',
                                                                  b'Transfer-Encoding: chunked\r\n', b'Content-Length: 3\r\nContent-Length: 4\r\n')) + b'\r\nabc')
            return False
        if kind == 'head-long':
            self.peer.sendall(status_line + rng.choice((b'A: ' + b'x' * 150000 + b'\r\n', b'A: b\r\n' * 400)) + b'\r\n')
            return False
        self.peer.sendall(rng.choice((b'ICY 200 OK\r\n\r\n', b'HTTP/9.9 200 OK\r\n\r\n', b'HTTP/1.1 -1 X\r\n\r\n', b'HTTP/1.1 \r\n\r\n', b'garbage\r\n\r\n', b'\r\n\r\n')))
        return False

    # ---- objects ----

    def give(self, item, target, head, rng):
        server = self.server
        if rng.random() < server.badness / 2:
            return self.bad_answer(rng, target)
        with server.lock:
            if rng.random() < server.change and len(item.states) > 1:
                item.current = 1 - item.current
                server.kinds['changed'] += 1
            data, etag = item.states[item.current], item.etag()
        found = re.search(r'(?mi)^range: *bytes=(\d+)-(\d*)', head)
        match = re.search(r'(?mi)^if-match: *(\S+)', head)
        start, end = (int(found[1]), min(int(found[2]) + 1 if found[2] else len(data), len(data))) if found else (0, len(data))
        if match and match[1] != etag and rng.random() < .8:
            return self.send(b'HTTP/1.1 412 X\r\nContent-Length: 0\r\n\r\n', rng, '')
        if found and start >= len(data):
            return self.send(b'HTTP/1.1 416 X\r\nContent-Range: bytes */%d\r\nContent-Length: 0\r\n\r\n' % len(data), rng, '')
        kind = 'good'
        if rng.random() < server.badness:
            kind = rng.choice(('cut', 'cut', 'reset', 'stall', 'drip', 'whole', 'other-range', 'no-range', 'long', 'short-length', 'long-length', 'chunked', 'chunked-cut',
                               'weak', 'no-etag', 'other-etag', 'other-size', 'interim', 'no-length', 'byte', 'slow-head'))
        server.kinds[kind] += 1
        return self.give_as(kind, data, etag, start, end, found is not None, rng)

    def give_as(self, kind, data, etag, start, end, is_part, rng):
        size = len(data)
        if kind == 'whole' and is_part:
            start, end, is_part = 0, size, False
        if kind == 'other-range' and is_part:
            start = rng.choice((max(0, start - rng.randint(1, 5000)), min(end - 1, start + rng.randint(1, 5000)), 0))
        body, length = data[start:end], end - start
        if kind == 'short-length' and (is_part or length < 3):
            length = rng.randrange(length) if length else 0
            body = body[:length]
        if kind == 'long-length':
            length += rng.randint(1, 5000)
        if kind == 'long' and is_part:
            body += b'x' * rng.randint(1, 5000)
            length = len(body)
        etag = {'weak': 'W/' + etag, 'no-etag': None, 'other-etag': '"odd-%d"' % rng.randrange(9)}.get(kind, etag)
        lines = ['HTTP/1.1 206 Part' if is_part else 'HTTP/1.1 200 OK']
        if is_part and kind != 'no-range':
            lines.append('Content-Range: bytes %d-%d/%d' % (start, end - 1, size + (rng.randint(1, 9) if kind == 'other-size' else 0)))
        if etag:
            lines.append('ETag: ' + etag)
        is_chunked = kind.startswith('chunked')
        if is_chunked:
            lines.append('Transfer-Encoding: chunked')
            pieces = [body[at:at + 3000] for at in range(0, len(body), 3000)]
            body = b''.join(b'%x\r\n%s\r\n' % (len(piece), piece) for piece in pieces) + b'0\r\n\r\n'
        elif kind != 'no-length':
            lines.append('Content-Length: %d' % length)
        answer = '\r\n'.join(lines).encode() + b'\r\n\r\n'
        if kind == 'interim':
            answer = b'HTTP/1.1 103 Early Hints\r\nETag: "none"\r\nContent-Length: 7\r\n\r\n' + answer
        if kind == 'slow-head':
            for at in range(0, len(answer), 7):
                self.peer.sendall(answer[at:at + 7])
                time.sleep(.002)
            answer = b''
        if kind in ('cut', 'reset', 'stall', 'chunked-cut'):
            body = body[:rng.randrange(len(body) + 1)]
        if kind == 'byte':
            body = body[:1]
        self.send(answer + body, rng, 'drip' if kind == 'drip' else '')
        if kind == 'stall':
            time.sleep(.3)
        if kind == 'reset':
            return self.reset()
        return kind not in ('cut', 'stall', 'chunked-cut', 'no-length', 'byte', 'long-length') and not (kind == 'no-length')

    # ---- listings ----

    def list(self, query, rng):
        server = self.server
        if rng.random() < server.badness / 2:
            return self.bad_answer(rng, '/bucket')
        keys = sorted(key for key in server.items if key.startswith(query.get('prefix', '')))
        after = query.get('continuation-token', '')
        left = [key for key in keys if key > after]
        page = left[:server.page]
        is_last = page == left
        entries = ['<Contents><Key>%s</Key><Size>%d</Size></Contents>' % (urllib.parse.quote_plus(key), len(server.items[key].states[0])) for key in page]
        truth = 'false' if is_last else 'true'
        token = '' if is_last else '<NextContinuationToken>%s</NextContinuationToken>' % page[-1]
        kind = 'list'
        if rng.random() < server.badness:
            kind = rng.choice(('list-twice', 'list-loud', 'list-folders', 'list-shuffled', 'list-outside', 'list-no-token', 'list-same-token', 'list-cut-xml', 'list-dtd',
                               'list-other', 'list-cut', 'list-control', 'list-chunked'))
        server.kinds[kind] += 1
        is_wrong = kind in ('list-outside', 'list-no-token', 'list-same-token', 'list-cut-xml', 'list-dtd', 'list-other')
        is_wrong &= kind != 'list-same-token' or after != ''  # the first page may be empty; its token comes once then
        if kind == 'list-twice':
            entries = entries * 2
        if kind == 'list-loud':
            truth = rng.choice((' %s ', '\n%s', '%s\t')) % truth.upper()
        if kind == 'list-folders':
            entries += ['<Contents><Key></Key></Contents>', '<Contents><Size>5</Size></Contents>', '<Contents><Key>p/folder/</Key><Size>0</Size></Contents>']
        if kind == 'list-shuffled':
            rng.shuffle(entries)
        if kind == 'list-outside':
            entries.append('<Contents><Key>%s</Key><Size>5</Size></Contents>' % rng.choice(('q/a.warc.gz', 'p', '..%2Fp/a.warc.gz', '/p/x.warc.gz')))
        if kind == 'list-control':
            entries.append('<Contents><Key>p/a%0Ab.warc.gz</Key><Size>5</Size></Contents>')
        if kind == 'list-no-token':
            truth, token = 'true', ''
        if kind == 'list-same-token':
            truth, token = 'true', '<NextContinuationToken>%s</NextContinuationToken>' % (after or '!')
            entries = []
        body = '<?xml version="1.0"?><ListBucketResult><EncodingType>url</EncodingType><IsTruncated>%s</IsTruncated>%s%s</ListBucketResult>' % (truth, token, ''.join(entries))
        if kind == 'list-cut-xml':
            body = body[:rng.randrange(len(body) - 1)]
        if kind == 'list-dtd':
            body = body.replace('<ListBucketResult>', '<!DOCTYPE a [<!ENTITY b "cccccccc">]><ListBucketResult>', 1)
        if kind == 'list-other':
            body = rng.choice(('', '<html/>', '{}', '<Error><Code>AccessDenied</Code></Error>', '\0' * 50))
        with server.lock:
            if self.seed == server.seed:  # the last answer for a page counts: a client without time for the one before asks again
                (server.wrong_pages.add if is_wrong else server.wrong_pages.discard)(after)
        body = body.encode()
        if kind == 'list-chunked':
            return self.send(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n' + b''.join(b'1\r\n%c\r\n' % c for c in body) + b'0\r\n\r\n', rng, '')
        answer = b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n' % len(body) + body
        if kind == 'list-cut':
            self.send(answer[:rng.randrange(len(answer))], rng, '')
            return False
        return self.send(answer, rng, '')

    # ---- writes ----

    def write(self, method, target, head, rng):
        server = self.server
        kind = rng.choice(('drop', 'lost', 'slow', 'bad', 'bad', 'late', 'no-etag')) if rng.random() < server.badness else 'good'
        server.kinds['write-' + kind] += 1
        if kind == 'drop':
            self.peer.recv(100)
            return self.reset()
        body = self.read_body(head, rng, kind == 'slow')
        if body is None:
            return False
        if kind == 'bad':
            # Status 200 would say that the body is stored, whatever the header has after it.
            return self.bad_answer(rng, target, b'HTTP/1.1 500 X\r\n')
        with server.lock:
            if method == 'PUT' and self.seed == server.seed:  # else the run that has sent it is over
                server.written[urllib.parse.unquote(target)] = body
                server.redirected += [body] * (target == '/bucket/none')
        if kind == 'lost':
            return self.reset()
        etag = b'' if kind == 'no-etag' else b'ETag: "written"\r\n'
        answer = b'<Error><Code>InternalError</Code></Error>' if kind == 'late' and method == 'POST' else b''
        return self.send(b'HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n' % (etag, len(answer)) + answer, rng, '')


class Listener:
    def __init__(self):
        self.socket = socket.socket()
        self.socket.bind(('127.0.0.1', 0))
        self.socket.listen(64)
        self.port = self.socket.getsockname()[1]


class Server(Listener):
    """One for all runs; `prepare` sets what a run sees."""

    def __init__(self):
        super().__init__()
        self.lock, self.other = threading.Lock(), Listener()
        self.other_port, self.strayed = self.other.port, []
        self.kinds = collections.Counter()
        self.prepare(0, {}, random.Random(0))
        threading.Thread(target=self.accept, daemon=True).start()
        threading.Thread(target=self.accept_other, daemon=True).start()

    def prepare(self, seed, items, rng):
        with self.lock:
            self.seed, self.items, self.asked, self.written, self.wrong_pages = seed, items, 0, {}, set()
            self.redirected = []  # bodies that a redirect within the store led to another key
            self.badness = rng.choice((0, .1, .3, .5, .8))
            self.change = rng.choice((0, 0, .05, .3))
            self.page = rng.randint(1, 4)

    def accept(self):
        while True:
            Connection(self, self.socket.accept()[0]).start()

    def accept_other(self):
        """Another host. It records and refuses all requests."""
        while True:
            peer = self.other.socket.accept()[0]
            try:
                peer.settimeout(5)
                got = peer.recv(1 << 20)
                if got.startswith((b'PUT', b'POST')) or b'Authorization' in got:
                    self.strayed.append(got[:300])
                peer.sendall(b'HTTP/1.1 403 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
            except OSError:
                pass
            peer.close()


class Failure(Exception):
    """A check that failed, after it was printed."""


class Search:
    def __init__(self, program, folder):
        self.program, self.folder, self.server = program, folder, Server()
        self.results = collections.Counter()
        self.archives = [self.make(number) for number in range(6)]

    def call(self, *args):
        environment = {name: value for name, value in os.environ.items() if not name.startswith('AWS_') and not name.lower().endswith('_proxy')}
        environment.update(AWS_ENDPOINT_URL='http://127.0.0.1:%d' % self.server.port, AWS_ACCESS_KEY_ID='test', AWS_SECRET_ACCESS_KEY='secret',
                           AWS_EC2_METADATA_DISABLED='true', HOME=self.folder)
        try:
            return subprocess.run([self.program, 'run', '-q', '-k', 'num-words', *args], capture_output=True, timeout=LIMIT, env=environment, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return None

    def make(self, number):
        """An archive: suffix, bytes and records; of each record its line without the name of the archive."""
        suffix = ('.warc.gz', '.warc', '.warc.gz', '.warc.gz', '.wacz', '.warc')[number]
        path = os.path.join(self.folder, 'm%d%s' % (number, '.warc.gz' if suffix == '.wacz' else suffix))
        archive.write(path, archive.records(8 + 9 * number, number + 1), 'plain' if suffix == '.warc' else 'gzip')
        if suffix == '.wacz':
            inner, path = path, os.path.join(self.folder, 'm.wacz')
            with zipfile.ZipFile(path, 'w') as out:
                out.write(inner, 'archive/a.warc.gz')
                out.writestr('pages/pages.jsonl', '{}\n' * 200)
        with open(path, 'rb') as f:
            data = f.read()
        return suffix, data, self.lines(self.call(path).stdout)

    @staticmethod
    def lines(out):
        found = []
        for line in out.splitlines():
            record = json.loads(line)
            record['source'].pop('file')
            found.append(record)
        return found

    # ---- a run ----

    def once(self, seed, only):
        rng = random.Random(seed)
        mode = only or rng.choice(('names', 'names', 'prefix', 'prefix', 'pointers', 'resume', 'upload'))
        self.seed, self.mode = seed, mode
        items, model = {}, {}
        for number in range(rng.randint(1, 4)):
            first = rng.randrange(len(self.archives))
            suffix, data, lines = self.archives[first]
            same = [other for other in range(len(self.archives)) if self.archives[other][0] == suffix and other != first]
            second = rng.choice(same) if same else first
            key = 'p/%d %s%s' % (number, rng.choice('aé+%&'), suffix)
            items[key] = Item([data] + ([self.archives[second][1]] if second != first else []))
            model['s3://bucket/' + key] = [lines, self.archives[second][2]]
        self.server.prepare(seed, items, rng)
        if mode in ('resume', 'upload'):
            self.server.change = 0
        self.limits = ['-j%d' % rng.choice((1, 2)), '--remote.backoff-ms', '1', '--remote.stall-ms', '100', '--remote.min-rate-ms', '300', '--remote.retries', str(rng.randint(0, 5))]
        result = getattr(self, mode)(model, rng)
        self.results['%s: %s' % (mode, result)] += 1
        if self.server.strayed:
            self.fail('another host got %r' % self.server.strayed[0])

    def fail(self, words, run=None):
        print('FAILED: seed %d, %s: %s' % (self.seed, self.mode, words), flush=True)
        if run:
            print('exit %d\n%s' % (run.returncode, run.stderr.decode('utf8', 'replace')[-3000:]), flush=True)
        raise Failure

    def start(self, *args, may_be_silent=False, has_other_inputs=lambda run: False):
        run = self.call(*self.limits, *args)
        if run is None:
            self.fail('it does not end')
        if run.returncode not in (0, 1, 74) and not has_other_inputs(run):
            self.fail('a wrong exit code', run)
        if run.returncode and not run.stderr.startswith(b'thresher: ') and not may_be_silent:
            self.fail('no error is named', run)
        return run

    def check(self, run, model):
        """Records on stdout against the model: names in their order, each with the lines that its states have."""
        found = collections.OrderedDict()
        for line in run.stdout.splitlines():
            name = json.loads(line)['source']['file']
            found.setdefault(name.partition('!')[0], []).extend(self.lines(line))
            if next(reversed(found)) != name.partition('!')[0]:
                self.fail('records of %s come again' % name, run)
        order = [name for name in model if name in found]
        if list(found) != order:
            self.fail('objects come in another order: %s' % list(found), run)
        is_whole = True
        for name, states in model.items():
            is_whole &= self.check_object(name, found.get(name, []), states, run)
        if run.returncode == 0 and not is_whole:
            self.fail('records are missing, and the exit code is 0', run)
        return 'exit %d, %s' % (run.returncode, 'all records' if is_whole else 'some records')

    def check_object(self, name, got, states, run):
        whole = [line for line in got if 'warc_damaged' not in line.get('flags', [])]
        if len(got) - len(whole) > 1 or (len(got) > len(whole) and 'warc_damaged' not in got[-1].get('flags', [])):
            self.fail('%s: more than its last record is cut' % name, run)
        if len(got) > len(whole) and run.returncode == 0:
            self.fail('%s: a record is cut, and the exit code is 0' % name, run)
        for lines in states:
            if whole == lines[:len(whole)]:
                if len(whole) == len(lines):
                    return True
                if run.returncode == 0 or name.encode() not in run.stderr and not self.has_stopped(run, name):
                    self.fail('%s: %d of %d records, and no error names it' % (name, len(whole), len(lines)), run)
                return False
        self.fail('%s: records that are in no state of it, or not in their order' % name, run)

    @staticmethod
    def has_stopped(run, name):
        """A store that does not answer ends the job at the object that is named."""
        return b'; no retries left' in run.stderr or run.returncode == 74

    def names(self, model, rng):
        del rng
        return self.check(self.start(*model), model)

    def prefix(self, model, rng):
        del rng
        model = {name: model[name] for name in sorted(model, key=str.encode)}
        run = self.start('s3://bucket/p/')
        if run.returncode == 0 and self.server.wrong_pages:
            self.fail('a wrong listing is believed', run)
        if run.returncode == 74 and run.stdout:
            self.fail('records in spite of a listing that failed', run)
        return self.check(run, model)

    def pointers(self, model, rng):
        """Single records of archives that do not change."""
        self.server.change = 0
        wanted = []
        for name, states in model.items():
            if name.endswith('.wacz'):
                continue
            for line in states[0]:
                if rng.random() < .5:
                    place = line['source']
                    wanted.append(('%s#%d,%d' % (name, place['offset'], place['length']), line))
        rng.shuffle(wanted)
        if not wanted:
            return 'nothing to do'
        coalesce = rng.choice(('0', '1', '1M'))
        run = self.start('--remote.coalesce', coalesce, '--remote.requests', str(rng.choice((1, 4, 9))), *[name for name, _ in wanted])
        if coalesce != '0':  # by archive, as it is first named, and offset
            first = {}
            for name, _ in wanted:
                first.setdefault(name.rpartition('#')[0], len(first))
            wanted.sort(key=lambda pair: (first[pair[0].rpartition('#')[0]], pair[1]['source']['offset']))
        got = [line for line in self.lines(run.stdout) if 'warc_damaged' not in line.get('flags', [])]
        at = 0
        for line in got:
            while at < len(wanted) and wanted[at][1] != line:
                at += 1
            if at == len(wanted):
                self.fail('a record that no pointer asks for, or again', run)
            at += 1
        if (len(got) == len(wanted)) != (run.returncode == 0) and run.returncode == 0:
            self.fail('records are missing, and the exit code is 0', run)
        return 'exit %d, %s' % (run.returncode, 'all records' if len(got) == len(wanted) else 'some records')

    def resume(self, model, rng):
        """The same command again and again, until it is done or nothing helps."""
        out = os.path.join(self.folder, 'out.jsonl' + rng.choice(('', '.gz')))
        for end in ('', '.part', '.state'):
            if os.path.exists(out + end):
                os.remove(out + end)
        run = None
        for _ in range(6):
            # Errors that an earlier call has named count for the exit code of a later one, which with -q prints no line about them.
            # The archives of a WACZ file are inputs. If it could not be listed in one call, and could in another, the job is another one.
            run = self.start('--checkpoint-ms', '0', '--resume', '-O', out, *model, may_be_silent=run is not None,
                             has_other_inputs=lambda run: run.returncode == 2 and b'a WACZ file that could not be listed' in run.stderr and any(name.endswith('.wacz') for name in model))
            if run.returncode == 2:
                return 'exit 2, a WACZ file could not be listed'
            if run.returncode == 0 or os.path.exists(out):
                break
            with self.server.lock:
                self.server.badness /= 2
        if run.returncode:
            return 'exit %d' % run.returncode
        with open(out, 'rb') as f:
            data = f.read()
        got = self.lines(gzip.decompress(data) if out.endswith('.gz') else data)
        wanted = [line for states in model.values() for line in states[0]]
        if got != wanted:
            self.fail('other records after --resume: %d of %d' % (len(got), len(wanted)), run)
        return 'exit 0, all records'

    def upload(self, model, rng):
        del model
        staging, source = os.path.join(self.folder, 'staging'), os.path.join(self.folder, 'm%d.warc.gz' % rng.choice((0, 2, 3)))
        wanted = self.call(source).stdout
        name = rng.choice(('s3://bucket/out/x.jsonl', 's3://bucket/out/'))
        run = self.start('--remote.staging', staging, '-O', name, source)
        left = [part for part in os.listdir(staging) if part.endswith(('.jsonl', '.part'))] if os.path.exists(staging) else []
        shutil.rmtree(staging, True)
        bodies = [body for target, body in self.server.written.items() if target.endswith('.jsonl')]
        if any(body != wanted for body in bodies):
            self.fail('other bytes are in the store', run)
        if run.returncode == 0 and not bodies and wanted not in self.server.redirected:
            self.fail('nothing is in the store, and the exit code is 0', run)
        if run.returncode and not bodies and not left and b'the complete output is in' in run.stderr:
            self.fail('the output is lost', run)
        return 'exit %d, %s' % (run.returncode, 'written' if bodies else 'not written')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--runs', type=int, default=40)
    parser.add_argument('--cpu-minutes', type=float, default=0)
    parser.add_argument('--only')
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        search, runs, failed, stops = Search(os.path.abspath(asked.program), folder), 0, 0, []
        used = [0.0, 0.0]
        signal.signal(signal.SIGTERM, lambda *_: stops.append(True))  # ends after the current run, with the counts so far
        while not stops and (runs < asked.runs if not asked.cpu_minutes else sum(used) < asked.cpu_minutes * 60):
            try:
                search.once(asked.seed + runs, asked.only)
            except Failure:
                failed += 1
            runs += 1
            used = [time_of.ru_utime + time_of.ru_stime for time_of in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))]
        for words, count in sorted(search.results.items()):
            print('%6d  %s' % (count, words))
        print('answers: ' + ', '.join('%s %d' % pair for pair in sorted(search.server.kinds.items())))
        print('%d runs from seed %d, %d failed, %.1f min of processor time, %.1f of the program' % (runs, asked.seed, failed, sum(used) / 60, used[1] / 60))
        sys.exit(1 if failed else 0)


main()
