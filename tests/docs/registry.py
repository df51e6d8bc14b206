"""Runs the command of docs/kafka.md that registers the records' schema, with a server that answers like Confluent's registry.

usage: registry.py PROGRAM ROOT
"""
import base64
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), sys.argv[2]
USER, PASSWORD, ID = 'thresher', 'open sesame', 100007


class Registry(http.server.BaseHTTPRequestHandler):
    """POST /subjects/SUBJECT/versions: 401, 404, 409 where `mood` is that, 415, 422, or 200 with the id."""
    mood = 200
    seen = []

    def answer(self, status, value):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header('Content-Type', 'application/vnd.schemaregistry.v1+json')
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        if self.headers.get('Authorization') != 'Basic ' + base64.b64encode(('%s:%s' % (USER, PASSWORD)).encode()).decode():
            return self.answer(401, {'error_code': 401, 'message': 'User cannot be authenticated'})
        if self.headers['Content-Type'] not in ('application/vnd.schemaregistry.v1+json', 'application/json'):
            return self.answer(415, {'error_code': 415, 'message': 'HTTP 415 Unsupported Media Type'})
        found = re.fullmatch('/subjects/([^/]+)/versions', self.path)
        if not found:
            return self.answer(404, {'error_code': 404, 'message': 'HTTP 404 Not Found'})
        if self.mood == 409:
            return self.answer(409, {'error_code': 409, 'message': 'Schema being registered is incompatible with an earlier schema'})
        try:
            request = json.loads(body)
            schema = json.loads(request['schema'])
            assert request['schemaType'] == 'JSON' and schema['title'] == 'thresher/1'
        except (ValueError, KeyError, AssertionError) as fault:
            return self.answer(422, {'error_code': 42201, 'message': 'Invalid schema: %r' % fault})
        self.seen.append((found[1], request['schema']))
        return self.answer(200, {'id': ID})

    def log_message(self, *words):
        pass


def command():
    with open(os.path.join(ROOT, 'docs', 'kafka.md')) as f:
        blocks = re.findall(r'```sh\n(.*?)```', f.read(), re.S)
    return next(block for block in blocks if '/versions' in block)


def main():
    if not shutil.which('curl'):
        print('skipped: curl is not installed')
        return 77
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Registry)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as home:
        def register(password):
            with open(os.path.join(home, '.netrc'), 'w') as f:
                f.write('machine 127.0.0.1 login %s password "%s"\n' % (USER, password))
            environment = dict(os.environ, HOME=home, REGISTRY='http://127.0.0.1:%d' % server.server_port)
            return subprocess.run(['sh', '-c', command()], cwd=ROOT, env=environment, capture_output=True, timeout=60)

        for mood, password, words in ((200, 'wrong', b'cannot be authenticated'), (409, PASSWORD, b'incompatible')):
            Registry.mood = mood
            done = register(password)
            assert done.returncode != 0 and words in done.stdout and not Registry.seen, done
        Registry.mood = 200
        done = register(PASSWORD)
        with open(os.path.join(ROOT, 'docs', 'schema', 'record.json')) as f:
            assert Registry.seen == [('pages-value', f.read())], Registry.seen
        assert done.returncode == 0, done
        # The id in a configuration that `serve` accepts.
        config = os.path.join(home, 'thresher.conf')
        with open(config, 'w') as f:
            f.write('[kafka]\nbrokers = localhost\ntopics = in\nrecords-topic = out\nschema-id = %d\n' % json.loads(done.stdout)['id'])
        checked = subprocess.run([PROGRAM, 'config', 'check', config], capture_output=True, timeout=60)
        assert checked.returncode == 0 or b'built without Kafka' in checked.stderr, checked
    print('the schema is registered, and refusals are told')
    return 0


if __name__ == '__main__':
    sys.exit(main())
