"""An object store for tests: GET with ranges, listings, PUT in one or more parts, signatures, errors on demand. Python's standard library only.

usage: store.py FOLDER [PORT]     serves the folders in FOLDER as buckets, until it is killed

This file computes signatures independently, from the request. The key is `test`, and its secret `secret`. The bucket
named `open` needs none. Below /web/ are the same buckets without signatures, as on a web server.
"""
import datetime
import fcntl
import hashlib
import hmac
import http.server
import itertools
import os
import socket
import struct
import sys
import termios
import threading
import time
import urllib.parse
import xml.sax.saxutils

KEYS = {'test': 'secret'}
REGION = 'us-east-1'
PART = 16384


def quote(text):
    return urllib.parse.quote(text, safe='-._~')


def signature_of(method, path, query, headers, names, payload, stamp, scope, secret):
    """AWS Signature Version 4 of a request."""
    pairs = sorted((quote(name), quote(value)) for name, value in urllib.parse.parse_qsl(query, keep_blank_values=True))
    canonical = '\n'.join([method, path, '&'.join('%s=%s' % pair for pair in pairs),
                           *['%s:%s' % (name, ' '.join(headers[name].split())) for name in names], '', ';'.join(names), payload])
    text = '\n'.join(['AWS4-HMAC-SHA256', stamp, '/'.join(scope), hashlib.sha256(canonical.encode()).hexdigest()])
    key = b'AWS4' + secret.encode()
    for part in (*scope, text):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key.hex()


def why_refused(method, target, headers, body=b''):
    """The code of an error, None where the signature is right."""
    path, _, query = target.partition('?')
    authorization = headers.get('authorization', '')
    if not authorization.startswith('AWS4-HMAC-SHA256 '):
        return 'AccessDenied'
    fields = dict(part.strip().split('=', 1) for part in authorization.split(' ', 1)[1].split(','))
    access_key, *scope = fields['Credential'].split('/')
    names = fields['SignedHeaders'].split(';')
    stamp, payload = headers.get('x-amz-date', ''), headers.get('x-amz-content-sha256', '')
    if access_key not in KEYS:
        return 'InvalidAccessKeyId'
    if scope[1:] != [REGION, 's3', 'aws4_request'] or scope[0] != stamp[:8]:
        return 'AuthorizationHeaderMalformed'
    signed_too = [name for name in headers if name.startswith('x-amz-') or name in ('host', 'range', 'if-match')]
    if names != sorted(names) or not set(signed_too) <= set(names):
        return 'AccessDenied'
    if payload not in ('UNSIGNED-PAYLOAD', hashlib.sha256(body).hexdigest()):
        return 'XAmzContentSHA256Mismatch'
    then = datetime.datetime.strptime(stamp, '%Y%m%dT%H%M%SZ').replace(tzinfo=datetime.timezone.utc)
    if abs((datetime.datetime.now(datetime.timezone.utc) - then).total_seconds()) > 900:
        return 'RequestTimeTooSkewed'
    wanted = signature_of(method, path, query, headers, names, payload, stamp, scope, KEYS[access_key])
    return None if hmac.compare_digest(wanted, fields['Signature']) else 'SignatureDoesNotMatch'


class Fault:
    """What happens to one GET of an object, or in `write_faults` to one PUT, POST or DELETE. `at`: the byte of the object where it does.

    Errors of reads: drip and drip-head (from `at` on a byte, or a line of the header, each `seconds`), byte (the connection ends after one byte),
    elsewhere (redirect to `place`).

    Errors of writes: 503, cut (the connection ends before the answer), lost (it ends after the work), late (200, then an error),
    slow (512 bytes are read each `seconds`), drip-head (as above, after the body), nothing (status `at`; nothing is stored).
    redirect sends status `at` to the same path of `other`, or to another URL of this store if there is no other."""

    def __init__(self, kind, at=0, seconds=0, place=''):
        self.kind, self.at, self.seconds, self.place = kind, at, seconds, place


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, *_):
        """A program that leaves in the middle is what the tests are about."""


class Store:
    """Buckets in memory. Each GET of an object uses the next item of `faults`. `log` has the requests."""

    def __init__(self, page=1000, tls=None, port=0):
        self.buckets, self.faults, self.log, self.page = {}, [], [], page
        self.uploads, self.write_faults, self.written = {}, [], []  # written: 'PUT', 'POST' or 'DELETE' with path and query
        self.ports = []  # ports of the clients, one for each GET.
        self.always = None  # error for every GET.
        self.other = None  # target endpoint of redirects of writes, or None for this store.
        self.twist = None  # problem of listings: 'twice', 'outside', 'round' or 'loud'.
        self.key_answers = []  # expiry of each set of keys from the instance's metadata. None is a 503. An empty list means permanent keys.
        self.tokens = []  # Authorization of each request for the keys of a container
        self.exchanges, self.exchange_faults = [], []  # of web identity tokens: forms; (status, code) of the next answers
        self.lock = threading.Lock()
        store = self

        class Handler(RequestHandler):
            pass
        Handler.store = store
        self.server = Server(('127.0.0.1', port), Handler)
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.endpoint = '%s://%s:%d' % ('https' if tls else 'http', 'localhost' if tls else '127.0.0.1', self.port)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def put(self, bucket, key, data):
        self.buckets.setdefault(bucket, {})[key] = data

    def environment(self, **more):
        """That of a program that may read everything here."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith('AWS_') and not name.lower().endswith('_proxy')}
        return {**clean, 'AWS_ENDPOINT_URL': self.endpoint, 'AWS_ACCESS_KEY_ID': 'test', 'AWS_SECRET_ACCESS_KEY': 'secret',
                'AWS_EC2_METADATA_DISABLED': 'true', **more}


class RequestHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    store = None

    def log_message(self, *_):
        pass

    def answer(self, status, body=b'', **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace('_', '-'), value)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, code, **headers):
        self.answer(status, b'<?xml version="1.0"?><Error><Code>%s</Code></Error>' % code.encode(), **headers)

    def do_PUT(self):
        if not self.path.startswith('/imds/'):
            return self.write('PUT')
        # The metadata of an instance gives a token first (IMDSv2).
        is_right = self.path == '/imds/latest/api/token' and self.headers.get('X-aws-ec2-metadata-token-ttl-seconds')
        self.answer(200 if is_right else 403, b'tok')

    def do_POST(self):
        if self.path.startswith('/sts/'):
            return self.exchange()
        self.write('POST')

    def exchange(self):
        """AssumeRoleWithWebIdentity: the token `jwt.a+b/c=` for the keys of the role `arn:aws:iam::1:role/reader`."""
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers['Content-Length'])).decode()))
        with self.store.lock:
            self.store.exchanges.append(form)
            status, code = self.store.exchange_faults.pop(0) if self.store.exchange_faults else (200, '')
        wanted = {'Action': 'AssumeRoleWithWebIdentity', 'Version': '2011-06-15', 'RoleArn': 'arn:aws:iam::1:role/reader', 'WebIdentityToken': 'jwt.a+b/c='}
        if status == 200 and {name: form.get(name) for name in wanted} != wanted:
            status, code = 403, 'AccessDenied'
        if status != 200:
            return self.answer(status, b'<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code></Error></ErrorResponse>' % code.encode())
        self.answer(200, b'<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>'
                    b'<Credentials><SessionToken>session</SessionToken><SecretAccessKey>secret</SecretAccessKey><Expiration>2099-01-01T00:00:00Z</Expiration>'
                    b'<AccessKeyId>test</AccessKeyId></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>')

    def do_DELETE(self):
        self.write('DELETE')

    def drop(self):
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def drip(self, pieces, seconds, before=b''):
        """Slowly, until the program leaves."""
        self.close_connection = True
        try:
            self.connection.sendall(before)
            for piece in pieces:
                self.connection.sendall(piece)
                time.sleep(seconds)
        except OSError:
            pass

    def write(self, method):
        if self.store.write_faults and self.store.write_faults[0].kind == 'slow':
            fault = self.store.write_faults.pop(0)
            self.close_connection = True
            while self.connection.recv(512):
                time.sleep(fault.seconds)
            return
        body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
        path, _, query = self.path.partition('?')
        bucket, _, key = urllib.parse.unquote(path).lstrip('/').partition('/')
        query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        with self.store.lock:
            self.store.written.append((method, self.path))
            fault = self.store.write_faults.pop(0) if self.store.write_faults else Fault('none')
        why = why_refused(method, self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        if fault.kind == '503':
            return self.refuse(503, 'SlowDown')
        if fault.kind == 'cut':
            return self.drop()
        if fault.kind == 'drip-head':
            return self.drip(itertools.repeat(b'X: y\r\n'), fault.seconds, b'HTTP/1.1 200 OK\r\n')
        if fault.kind == 'redirect':
            return self.answer(fault.at, Location=(self.store.other or '') + self.path)
        if fault.kind == 'nothing':
            return self.answer(fault.at)
        if why:
            return self.refuse(403, why)
        if bucket not in self.store.buckets:
            return self.refuse(404, 'NoSuchBucket')
        with self.store.lock:
            status, answer, headers = self.change(method, bucket, key, query, body, fault.kind == 'late')
        if fault.kind == 'lost':
            return self.drop()
        self.answer(status, answer, **headers)

    def change(self, method, bucket, key, query, body, fails_late):
        """Handles a request. Returns status, body and headers."""
        uploads, number = self.store.uploads, query.get('uploadId')
        if method == 'PUT' and not query:
            self.store.buckets[bucket][key] = body
            return 200, b'stored', {'ETag': '"%s"' % hashlib.md5(body).hexdigest()}
        if method == 'POST' and query == {'uploads': ''}:
            number = 'up load+%d' % len(self.store.written)
            uploads[number] = (bucket, key, {})
            return 200, b'<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>' % number.encode(), {}
        if number not in uploads or uploads[number][:2] != (bucket, key):
            return 404, b'<Error><Code>NoSuchUpload</Code></Error>', {}
        if method == 'PUT':
            uploads[number][2][int(query['partNumber'])] = body
            return 200, b'', {'ETag': '"%s"' % hashlib.md5(body).hexdigest()}
        if method == 'DELETE':
            del uploads[number]
            return 204, b'', {}
        if fails_late:
            return 200, b' \n<Error><Code>InternalError</Code></Error>', {}
        parts = uploads[number][2]
        wanted = ''.join('<Part><PartNumber>%d</PartNumber><ETag>"%s"</ETag></Part>' % (at, hashlib.md5(parts[at]).hexdigest()) for at in sorted(parts))
        if body.decode() != '<CompleteMultipartUpload>%s</CompleteMultipartUpload>' % wanted or any(len(parts[at]) < 5 << 20 for at in sorted(parts)[:-1]):
            return 400, b'<Error><Code>InvalidPart</Code></Error>', {}
        self.store.buckets[bucket][key] = b''.join(parts[at] for at in sorted(parts))
        del uploads[number]
        return 200, b'<CompleteMultipartUploadResult/>', {}

    def metadata(self):
        role = '/imds/latest/meta-data/iam/security-credentials/'
        if self.headers.get('X-aws-ec2-metadata-token') != 'tok' or not self.path.startswith(role):
            return self.answer(401)
        if self.path != role + 'reader':
            return self.answer(200, b'reader')
        end = self.store.key_answers.pop(0) if self.store.key_answers else '2099-01-01T00:00:00Z'
        keys = b'{"Code":"Success","AccessKeyId":"test","SecretAccessKey":"secret","Token":"session","Expiration":"%s"}' % (end or '').encode()
        self.answer(200 if end else 503, keys if end else b'')

    def do_GET(self):
        if self.path.startswith('/imds/'):
            return self.metadata()
        path, _, query = self.path.partition('?')
        host, is_virtual, _ = self.headers.get('Host', '').partition('.localhost')
        bucket, _, key = urllib.parse.unquote('/%s%s' % (host, path) if is_virtual else path).lstrip('/').partition('/')
        is_web = bucket == 'web'
        if is_web:
            bucket, _, key = key.partition('/')
        headers = {name.lower(): value for name, value in self.headers.items()}
        if bucket == 'endpoints':
            self.store.tokens.append(headers.get('authorization'))
        with self.store.lock:
            self.store.log.append((self.path, headers.get('range', '')))
            self.store.ports.append(self.client_address[1])
        why = None if is_web or bucket == 'open' and 'authorization' not in headers else why_refused('GET', self.path, headers)
        if why:
            self.refuse(403, why)
        elif bucket not in self.store.buckets:
            self.refuse(404, 'NoSuchBucket')
        elif not key:
            self.list(bucket, dict(urllib.parse.parse_qsl(query, keep_blank_values=True)))
        elif key not in self.store.buckets[bucket]:
            self.refuse(404, 'NoSuchKey')
        else:
            self.get(self.store.buckets[bucket][key], headers)

    def list(self, bucket, query):
        if query.get('list-type') != '2':
            return self.refuse(400, 'InvalidArgument')
        prefix, after = query.get('prefix', ''), query.get('continuation-token', '')
        keys = [key for key in sorted(self.store.buckets[bucket], key=str.encode) if key.startswith(prefix) and key > after]
        page = keys[:self.store.page]
        twist = self.store.twist
        if twist == 'twice':
            page = page * 3
        if twist == 'outside':
            page = page + sorted(set(self.store.buckets[bucket]) - set(keys))[:1]
        if twist == 'round':
            token = {'': 'a', 'a': 'b', 'b': 'c'}.get(after, 'a')
            body = '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>%s</NextContinuationToken></ListBucketResult>' % token
            return self.answer(200, body.encode(), Content_Type='application/xml')
        is_encoded = query.get('encoding-type') == 'url'
        shown = urllib.parse.quote_plus if is_encoded else xml.sax.saxutils.escape
        body = ['<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
                '<EncodingType>url</EncodingType>' if is_encoded else '', '<IsTruncated>%s</IsTruncated>' % (' %s\n' if twist == 'loud' else '%s') % (str.upper if twist == 'loud' else str.lower)(str(page[-1:] != keys[-1:]))]
        if page[-1:] != keys[-1:]:
            body.append('<NextContinuationToken>%s</NextContinuationToken>' % xml.sax.saxutils.escape(page[-1]))
        body += ['<Contents><Key>%s</Key><Size>%d</Size></Contents>' % (shown(key), len(self.store.buckets[bucket][key])) for key in page]
        self.answer(200, ''.join([*body, '</ListBucketResult>']).encode(), Content_Type='application/xml')

    def get(self, data, headers):
        with self.store.lock:
            fault = self.store.always or (self.store.faults.pop(0) if self.store.faults else Fault('none'))
        etag = '"%s"' % hashlib.md5(data).hexdigest()
        if fault.kind == '503':
            retry = {'Retry_After': str(fault.seconds)} if fault.seconds else {}
            return self.refuse(503, 'SlowDown', **retry)
        if fault.kind == 'nothing':
            return self.answer(204)
        if fault.kind == 'drip-head':
            return self.drip(itertools.repeat(b'X: y\r\n'), fault.seconds, b'HTTP/1.1 200 OK\r\n')
        if fault.kind == 'long-head':
            return self.answer(200, data, X_Long='x' * 200000)
        if fault.kind == 'elsewhere':
            return self.answer(307, Location=fault.place)
        if fault.kind == 'loop':
            return self.answer(307, Location=self.path)
        if fault.kind == 'changed':
            data, etag = data[::-1], '"other"'
        if fault.kind != 'changed' and headers.get('if-match', etag) != etag:
            return self.refuse(412, 'PreconditionFailed')
        start, stop, size = 0, len(data), len(data)
        is_part = headers.get('range', '') != '' and fault.kind != 'whole'
        if is_part:
            first, _, last = headers['range'].split('=')[1].partition('-')
            start, stop = int(first), min(int(last) + 1 if last else size, size)
            if start >= size:
                return self.refuse(416, 'InvalidRange', Content_Range='bytes */%d' % size)
        self.send_response(206 if is_part else 200)
        if is_part:
            self.send_header('Content-Range', 'bytes %d-%d/%d' % (start, stop - 1, size))
        if fault.kind != 'nameless':
            self.send_header('ETag', etag)
        self.send_header('Content-Length', str(stop - start))
        self.end_headers()
        breaks = fault.kind in ('cut', 'reset', 'stall', 'nameless', 'drip', 'byte')
        end = max(start, min(fault.at, stop)) if breaks else stop
        if fault.kind == 'byte':
            end = min(start + 1, stop)
        for at in range(start, end, PART):
            self.wfile.write(data[at:min(at + PART, end)])
        self.wfile.flush()
        if not breaks:
            return
        if fault.kind == 'drip':
            return self.drip((data[at:at + 1] for at in range(end, stop)), fault.seconds)
        if fault.kind == 'stall':
            time.sleep(fault.seconds)
        if fault.kind == 'reset':
            self.wait_for_receipt()
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR) if fault.kind != 'reset' else self.connection.close()
        except OSError:
            pass

    def wait_for_receipt(self):
        """Waits until the client's kernel has all bytes: a reset discards bytes that are still on their way."""
        until = time.monotonic() + 300
        while time.monotonic() < until:
            waiting, = struct.unpack('i', fcntl.ioctl(self.connection.fileno(), termios.TIOCOUTQ, bytes(4)))
            if waiting == 0:
                return
            time.sleep(.001)


def main():
    folder = sys.argv[1]
    store = Store(port=int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    for top, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            bucket, _, key = os.path.relpath(path, folder).partition(os.sep)
            if key:
                with open(path, 'rb') as f:
                    store.put(bucket, key, f.read())
    print('export AWS_ENDPOINT_URL=%s AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=secret' % store.endpoint, flush=True)
    store.server.serve_forever()


if __name__ == '__main__':
    main()
