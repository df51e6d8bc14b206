"""Against S3Proxy, an independent store that checks signatures: keys, ranges, listings, outputs, a wrong secret, and HTTPS with our own CA.

usage: s3proxy.py PROGRAM [FOLDER OF ITS JARS]     without a folder Maven fetches them, 44 MB
"""
import datetime
import hashlib
import http.client
import json
import os
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import archive
from case import contents, expect, expect_true, free_port, thresher
from store import KEYS, Store, signature_of

HERE = os.path.dirname(os.path.abspath(__file__))
FAST = ['-k', 'num-words', '-j2', '--remote.retries', '1', '--remote.backoff-ms', '1']
ODD = ['a b.warc.gz', 'a+b.warc.gz', 'a=b&c.warc.gz', 'a%41.warc.gz', 'ä/ü.warc.gz', "x/(1)'!*~.warc.gz", 'x/#?.warc.gz', 'x/y;z,@:$.warc.gz']


def jars(folder):
    done = subprocess.run(['mvn', '-B', '-q', '-f', os.path.join(HERE, 's3proxy.xml'),
                           'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies', '-DincludeScope=runtime',
                           '-DoutputDirectory=' + folder], stdin=subprocess.DEVNULL)
    if done.returncode:
        print('skipped: Maven cannot fetch S3Proxy')
        sys.exit(77)
    return folder


def ask(method, port, path, data=b''):
    """A signed request. Returns the answer's body."""
    stamp = datetime.datetime.now(datetime.timezone.utc).strftime('%Y%m%dT%H%M%SZ')
    headers = {'host': '127.0.0.1:%d' % port, 'x-amz-content-sha256': hashlib.sha256(data).hexdigest(), 'x-amz-date': stamp}
    scope = (stamp[:8], 'us-east-1', 's3', 'aws4_request')
    signature = signature_of(method, path, '', headers, sorted(headers), headers['x-amz-content-sha256'], stamp, scope, KEYS['test'])
    headers['Authorization'] = 'AWS4-HMAC-SHA256 Credential=test/%s,SignedHeaders=%s,Signature=%s' % ('/'.join(scope), ';'.join(sorted(headers)), signature)
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=20)
    connection.request(method, path, data, headers)
    answer = connection.getresponse()
    body = answer.read()
    expect_true('%s %s' % (method, path), answer.status == 200, body[:1000])
    return body


def records(out):
    lines = [json.loads(line) for line in out.splitlines()]
    for line in lines:
        line['source'].pop('file')
    return lines


def proxy(folder, path):
    port = free_port()
    properties = os.path.join(folder, 's3proxy.conf')
    os.mkdir(os.path.join(folder, 'data'))
    with open(properties, 'w') as f:
        f.write('s3proxy.endpoint=http://127.0.0.1:%d\ns3proxy.authorization=aws-v2-or-v4\ns3proxy.identity=test\ns3proxy.credential=secret\n'
                'jclouds.provider=filesystem\njclouds.identity=x\njclouds.credential=x\njclouds.filesystem.basedir=%s\n' % (port, os.path.join(folder, 'data')))
    libraries = sys.argv[2] if len(sys.argv) > 2 else jars(os.path.join(folder, 'jars'))
    process = subprocess.Popen(['java', '-cp', os.path.join(libraries, '*'), 'org.gaul.s3proxy.Main', '--properties', properties],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            try:
                http.client.HTTPConnection('127.0.0.1', port, timeout=1).connect()
                break
            except OSError:
                time.sleep(.1)
        data = contents(path)
        want = records(thresher('run', *FAST, path).stdout)
        ask('PUT', port, '/crawls')
        for key in ODD:
            ask('PUT', port, '/crawls/' + urllib.parse.quote(key, safe='-._~/'), data)
        env = {**{k: v for k, v in os.environ.items() if not k.startswith('AWS_')}, 'AWS_ENDPOINT_URL': 'http://127.0.0.1:%d' % port,
               'AWS_ACCESS_KEY_ID': 'test', 'AWS_SECRET_ACCESS_KEY': 'secret'}
        for key in ODD:
            run = thresher('run', *FAST, 's3://crawls/' + key, env=env)
            expect('key %s' % key, (run.returncode, run.stderr if run.returncode else b''), (0, b''))
            expect_true('the local records', records(run.stdout) == want)
        run = thresher('run', *FAST, 's3://crawls/', env=env)
        listed = list(dict.fromkeys(json.loads(line)['source']['file'] for line in run.stdout.splitlines()))
        expect('a listing', listed, ['s3://crawls/' + key for key in sorted(ODD, key=str.encode)])
        run = thresher('run', *FAST, 's3://crawls/x/', env=env)
        expect('of a prefix', len(run.stdout.splitlines()), len(want) * sum(key.startswith('x/') for key in ODD))
        rows = [json.loads(line) for line in thresher('records', '-q', path).stdout.splitlines()]
        offset = [row['offset'] for row in rows if row['type'] == 'response'][-1]
        shown = thresher('inspect', '--json', 's3://crawls/a b.warc.gz#%d' % offset, env=env)
        expect_true('a range: inspect by offset', shown.returncode == 0 and json.loads(shown.stdout), shown.stderr)
        run = thresher('run', *FAST, 's3://crawls/a b.warc.gz', env={**env, 'AWS_SECRET_ACCESS_KEY': 'wrong'})
        expect_true('a wrong secret', run.returncode == 1 and b'403 SignatureDoesNotMatch' in run.stderr and not run.stdout, run.stderr)
        run = thresher('run', *FAST, 's3://crawls/', env={**env, 'AWS_SECRET_ACCESS_KEY': 'wrong'})
        expect_true('also for a listing', run.returncode != 0 and b'403 SignatureDoesNotMatch' in run.stderr, run.stderr)
        into = ['--remote.staging', os.path.join(folder, 'staging')]
        for count, emit in ((300, 'blocks'), (1500, 'all')):  # one request; parts
            made = archive.write(os.path.join(folder, '%d.warc' % count), archive.records(count))
            wanted = thresher('run', *FAST, '--emit', emit, made).stdout
            run = thresher('run', *FAST, *into, '--emit', emit, '-O', 's3://crawls/out/é+ %d.jsonl' % count, made, env=env)
            expect('an output of %d bytes' % len(wanted), (run.returncode, run.stderr if run.returncode else b''), (0, b''))
            expect_true('it is complete', ask('GET', port, '/crawls/' + urllib.parse.quote('out/é+ %d.jsonl' % count, safe='-._~/')) == wanted)
        for done in (0, 1):
            run = thresher('run', *FAST, *into, '-O', 's3://crawls/shares/', made, env=env)
            expect_true('a folder, %d done before' % done, run.returncode == 0 and b'%d done before, 0 failed' % done in run.stderr, run.stderr)
        run = thresher('run', *FAST, *into, '-O', 's3://crawls/no.jsonl', made, env={**env, 'AWS_SECRET_ACCESS_KEY': 'wrong'})
        expect_true('a wrong secret for an output', run.returncode == 1 and b'403 SignatureDoesNotMatch' in run.stderr, run.stderr)
    finally:
        process.kill()
        process.wait()


def https(folder, path):
    """A certificate of a CA of our own is trusted where it is named, and nowhere else."""
    def openssl(*args):
        subprocess.run(['openssl', *args], cwd=folder, check=True, capture_output=True)
    openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=test CA', '-days', '2')
    openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost')
    with open(os.path.join(folder, 'san'), 'w') as f:
        f.write('subjectAltName=DNS:localhost')
    openssl('x509', '-req', '-in', 'server.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-out', 'server.pem', '-days', '2', '-extfile', 'san')
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(os.path.join(folder, 'server.pem'), os.path.join(folder, 'server.key'))
    with Store(tls=tls) as store:
        store.put('crawls', 'a.warc.gz', contents(path))
        want = records(thresher('run', *FAST, path).stdout)
        ca = os.path.join(folder, 'ca.pem')
        for name in ('s3://crawls/a.warc.gz', store.endpoint + '/web/crawls/a.warc.gz'):
            run = thresher('run', *FAST, '--remote.ca-file', ca, name, env=store.environment())
            expect_true('https: ' + name.split(':')[0], run.returncode == 0 and records(run.stdout) == want, run.stderr)
        run = thresher('run', *FAST, 's3://crawls/a.warc.gz', env=store.environment(AWS_CA_BUNDLE=ca))
        expect('AWS_CA_BUNDLE', run.returncode, 0)
        began = time.monotonic()
        run = thresher('run', *FAST, '--remote.retries', '10', '--remote.backoff-ms', '5000', 's3://crawls/a.warc.gz', env=store.environment())
        expect_true('another CA is refused', run.returncode == 1 and b'SSL certificate' in run.stderr and not run.stdout, run.stderr)
        expect_true('at once', time.monotonic() - began < 4)


with tempfile.TemporaryDirectory() as scratch:
    source = archive.write(os.path.join(scratch, 'a.warc.gz'), archive.records(300))
    https(scratch, source)
    proxy(scratch, source)
