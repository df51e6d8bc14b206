"""Against S3Proxy, an independent store that checks signatures: keys, ranges, listings, outputs, a wrong secret, and HTTPS with our own CA.

usage: s3proxy.py PROGRAM [FOLDER OF ITS JARS]     without a folder Maven fetches them, 44 MB
"""
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
from case import contents, expect, expect_true, thresher
from s3proxy_server import S3Proxy, jars
from store import Store

FAST = ['-k', 'num-words', '-j2', '--remote.retries', '1', '--remote.backoff-ms', '1']
ODD = ['a b.warc.gz', 'a+b.warc.gz', 'a=b&c.warc.gz', 'a%41.warc.gz', 'ä/ü.warc.gz', "x/(1)'!*~.warc.gz", 'x/#?.warc.gz', 'x/y;z,@:$.warc.gz']


def records(out):
    lines = [json.loads(line) for line in out.splitlines()]
    for line in lines:
        line['source'].pop('file')
    return lines


def proxy(folder, path):
    libraries = sys.argv[2] if len(sys.argv) > 2 else jars(os.path.join(folder, 'jars'))
    with S3Proxy(os.path.join(folder, 's3proxy'), libraries) as store:
        data = contents(path)
        want = records(thresher('run', *FAST, path).stdout)
        store.ask('PUT', '/crawls')
        for key in ODD:
            store.ask('PUT', '/crawls/' + urllib.parse.quote(key, safe='-._~/'), data)
        env = {**{k: v for k, v in os.environ.items() if not k.startswith('AWS_')}, **store.environment()}
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
            expect_true('it is complete', store.ask('GET', '/crawls/' + urllib.parse.quote('out/é+ %d.jsonl' % count, safe='-._~/')) == wanted)
        for done in (0, 1):
            run = thresher('run', *FAST, *into, '-O', 's3://crawls/shares/', made, env=env)
            expect_true('a folder, %d done before' % done, run.returncode == 0 and b'%d done before, 0 failed' % done in run.stderr, run.stderr)
        run = thresher('run', *FAST, *into, '-O', 's3://crawls/no.jsonl', made, env={**env, 'AWS_SECRET_ACCESS_KEY': 'wrong'})
        expect_true('a wrong secret for an output', run.returncode == 1 and b'403 SignatureDoesNotMatch' in run.stderr, run.stderr)


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
