"""S3Proxy, an independent store that checks signatures, from Maven Central (44 MB) or from a folder of its jars. The key is `test`, its secret `secret`.

usage: s3proxy_server.py FOLDER FILE...     runs it with files in the bucket `crawl`, and prints the variables that a client needs. S3PROXY_JARS: a folder of its jars
"""
import datetime
import hashlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from store import KEYS, signature_of

HERE = os.path.dirname(os.path.abspath(__file__))


def jars(folder):
    """Fetches S3Proxy's jars; exits with 77 if Maven cannot."""
    done = subprocess.run(['mvn', '-B', '-q', '-f', os.path.join(HERE, 's3proxy.xml'),
                           'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies', '-DincludeScope=runtime',
                           '-DoutputDirectory=' + folder], stdin=subprocess.DEVNULL, stdout=sys.stderr)
    if done.returncode:
        print('skipped: Maven cannot fetch S3Proxy')
        sys.exit(77)
    return folder


class S3Proxy:
    """A store on a free port of 127.0.0.1, with its objects in a folder."""

    def __init__(self, folder, libraries):
        os.makedirs(os.path.join(folder, 'data'))
        with socket.socket() as free:
            free.bind(('127.0.0.1', 0))
            self.port = free.getsockname()[1]
        self.endpoint = 'http://127.0.0.1:%d' % self.port
        properties = os.path.join(folder, 's3proxy.conf')
        with open(properties, 'w') as f:
            f.write('s3proxy.endpoint=%s\ns3proxy.authorization=aws-v2-or-v4\ns3proxy.identity=test\ns3proxy.credential=secret\njclouds.provider=filesystem\n'
                    'jclouds.identity=x\njclouds.credential=x\njclouds.filesystem.basedir=%s\n' % (self.endpoint, os.path.join(folder, 'data')))
        self.command = ['java', '-cp', os.path.join(libraries, '*'), 'org.gaul.s3proxy.Main', '--properties', properties]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while self.process.poll() is None:
            try:
                http.client.HTTPConnection('127.0.0.1', self.port, timeout=1).connect()
                return self
            except OSError:
                time.sleep(.1)
        raise OSError('S3Proxy ended with %d' % self.process.returncode)

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def environment(self):
        """Variables for a program that may read and write everything."""
        return {'AWS_ENDPOINT_URL': self.endpoint, 'AWS_ACCESS_KEY_ID': 'test', 'AWS_SECRET_ACCESS_KEY': 'secret'}

    def ask(self, method, path, data=b''):
        """A signed request. Returns the answer's body."""
        stamp = datetime.datetime.now(datetime.timezone.utc).strftime('%Y%m%dT%H%M%SZ')
        headers = {'host': '127.0.0.1:%d' % self.port, 'x-amz-content-sha256': hashlib.sha256(data).hexdigest(), 'x-amz-date': stamp}
        scope = (stamp[:8], 'us-east-1', 's3', 'aws4_request')
        signature = signature_of(method, path, '', headers, sorted(headers), headers['x-amz-content-sha256'], stamp, scope, KEYS['test'])
        headers['Authorization'] = 'AWS4-HMAC-SHA256 Credential=test/%s,SignedHeaders=%s,Signature=%s' % ('/'.join(scope), ';'.join(sorted(headers)), signature)
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=20)
        connection.request(method, path, data, headers)
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, (method, path, answer.status, body[:1000])
        return body


def main(folder, *files):
    """S3Proxy with files in the bucket `crawl`, until a signal: prints its variables in one line."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with S3Proxy(os.path.join(folder, 'store'), os.environ.get('S3PROXY_JARS') or jars(os.path.join(folder, 'jars'))) as store:
        store.ask('PUT', '/crawl')
        for path in files:
            with open(path, 'rb') as file:
                store.ask('PUT', '/crawl/' + os.path.basename(path), file.read())
        print(' '.join('%s=%s' % pair for pair in store.environment().items()), flush=True)
        signal.pause()


if __name__ == '__main__':
    main(*sys.argv[1:])
