"""https with certificates that must not be trusted: a named error, no second try, and no record.

usage: tls.py PROGRAM     exit 77 where openssl is missing
"""
import os
import shutil
import ssl
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import archive
from case import contents, expect, expect_true, thresher
from store import Store

CONF = '[ca]\ndefault_ca = d\n[d]\ndatabase = index\nserial = serial\nnew_certs_dir = .\ndefault_md = sha256\npolicy = p\nunique_subject = no\n[p]\ncommonName = supplied\n'


class Authority:
    def __init__(self, folder):
        self.folder = folder
        for name, text in (('ca.conf', CONF), ('index', ''), ('serial', '01\n')):
            with open(os.path.join(folder, name), 'w') as f:
                f.write(text)
        self.openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=test CA', '-days', '2')

    def openssl(self, *args):
        subprocess.run(['openssl', *args], cwd=self.folder, check=True, capture_output=True)

    def context(self, name, begin, end):
        """A server's certificate for a host, valid from one time to another."""
        with open(os.path.join(self.folder, 'san'), 'w') as f:
            f.write('subjectAltName = DNS:%s\n' % name)
        self.openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', 's.key', '-out', 's.csr', '-subj', '/CN=' + name)
        self.openssl('ca', '-batch', '-config', 'ca.conf', '-cert', 'ca.pem', '-keyfile', 'ca.key', '-in', 's.csr', '-notext', '-out', 's.pem', '-extfile', 'san',
                     '-startdate', begin, '-enddate', end)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(os.path.join(self.folder, 's.pem'), os.path.join(self.folder, 's.key'))
        return tls


def main():
    if not shutil.which('openssl'):
        print('skipped: openssl is missing')
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        authority, trusted = Authority(folder), ['--remote.ca-file', os.path.join(folder, 'ca.pem')]
        path = archive.write(os.path.join(folder, 'a.warc.gz'), archive.records(10))
        past, now, later, last = '20200101000000Z', '20210101000000Z', '20980101000000Z', '20990101000000Z'
        cases = (('good', 'localhost', past, last, trusted, None),
                 ('expired', 'localhost', past, now, trusted, b'expired'),
                 ('not valid yet', 'localhost', later, last, trusted, b'not yet valid'),
                 ('of another host', 'other.example', past, last, trusted, b'localhost'),
                 ('of an unknown authority', 'localhost', past, last, [], b'certificate'))
        for name, host, begin, end, more, words in cases:
            with Store(tls=authority.context(host, begin, end)) as store:
                store.put('crawls', 'a.warc.gz', contents(path))
                common = ['-q', '-k', 'num-words', '--remote.retries', '1000', *more]
                url = store.endpoint + '/web/crawls/a.warc.gz'
                runs = [(url, thresher('run', *common, url, path, env=store.environment())),
                        ('s3://crawls/a.warc.gz', thresher('run', *common, 's3://crawls/a.warc.gz', path, env=store.environment()))]
                listing = thresher('run', *common, 's3://crawls/', env=store.environment())
                staging = os.path.join(folder, 'staging')
                upload = thresher('run', *common, '--remote.staging', staging, '-O', 's3://crawls/x.jsonl', path, env=store.environment())
                for input_name, run in runs:
                    expect('%s, %s: exit code, records' % (name, input_name[:5]), (run.returncode, len(run.stdout.splitlines())), (1, 10) if words else (0, 20))
                if not words:
                    expect('%s: listing, upload' % name, (listing.returncode, upload.returncode), (0, 0))
                    continue
                for input_name, run in runs:
                    lines = [line for line in run.stderr.splitlines() if input_name.encode() in line]
                    expect_true('%s, %s: named, once' % (name, input_name[:5]), len(lines) == 1 and words in lines[0] and b'offset 0: ' in lines[0], run.stderr)
                expect_true('%s: a listing' % name, listing.returncode == 74 and not listing.stdout and b"cannot list 's3://crawls/'" in listing.stderr and words in listing.stderr,
                            listing.stderr)
                expect_true('%s: an upload' % name, upload.returncode == 1 and words in upload.stderr and 'x.jsonl' not in store.buckets['crawls'], upload.stderr)
                expect_true('%s: the output stays here' % name, os.listdir(staging) != [])
                expect('%s: nothing was asked' % name, (store.log, store.written), ([], []))
                shutil.rmtree(staging)


main()
