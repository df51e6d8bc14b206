"""The daemon with brokers that require TLS and a password (SASL_SSL, SCRAM-SHA-512), and with wrong credentials and certificates.

usage: security.py PROGRAM [CASE]

  doors     correct credentials, a wrong password, certificates that are expired, of a foreign authority or of another host, and no TLS

  rotation  the broker's certificate is replaced while the daemon runs, then its authority

Exits with 77 if Java, Maven, openssl or the network is missing.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import broker as rig  # noqa: E402
from case import expect, expect_true, free_port, start, thresher  # noqa: E402

USER, PASSWORD, WRONG = 'thresher', 'S3cret-of-the-test', 'Wr0ng-of-the-test'
JAAS = 'org.apache.kafka.common.security.scram.ScramLoginModule required;'


def openssl(*args):
    done = subprocess.run(['openssl', *map(str, args)], capture_output=True, text=True)
    if done.returncode:
        raise rig.RigError('openssl %s: %s' % (args[0], done.stderr))


class Authority:
    """A certificate authority in a folder: ca.pem, and pairs of key and certificate that it signs."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.key, self.certificate = (os.path.join(folder, '%s.%s' % (name, end)) for end in ('key', 'pem'))
        openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', 2, '-subj', '/CN=%s' % name,
                '-keyout', self.key, '-out', self.certificate)

    def sign(self, name, host='IP:127.0.0.1', is_expired=False):
        """Returns the path of a file with key and chain, as Kafka's PEM key stores are."""
        key, request, certificate, store, conf = (os.path.join(self.folder, '%s.%s' % (name, end))
                                                  for end in ('key', 'csr', 'crt', 'store.pem', 'cnf'))
        openssl('req', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=%s' % name, '-keyout', key, '-out', request)
        with open(conf, 'w') as f:
            f.write('subjectAltName=%s\n' % host)
        if is_expired:
            self._sign_in_the_past(request, certificate, host)
        else:
            openssl('x509', '-req', '-in', request, '-CA', self.certificate, '-CAkey', self.key, '-CAcreateserial',
                    '-days', 2, '-extfile', conf, '-out', certificate)
        with open(store + '.new', 'w') as out:
            for path in (key, certificate, self.certificate):
                with open(path) as f:
                    out.write(f.read())
        os.rename(store + '.new', store)
        return store

    def _sign_in_the_past(self, request, certificate, host):
        """`openssl x509` cannot date backwards; `openssl ca` can."""
        folder = tempfile.mkdtemp(dir=self.folder)
        conf = os.path.join(folder, 'ca.cnf')
        with open(os.path.join(folder, 'index.txt'), 'w'):
            pass
        with open(conf, 'w') as f:
            f.write('[ca]\ndefault_ca=c\n[c]\ndatabase=%s/index.txt\nnew_certs_dir=%s\nrand_serial=yes\ndefault_md=sha256\n'
                    'policy=p\nx509_extensions=e\n[p]\ncommonName=supplied\n[e]\nsubjectAltName=%s\n' % (folder, folder, host))
        openssl('ca', '-batch', '-config', conf, '-cert', self.certificate, '-keyfile', self.key, '-in', request, '-notext',
                '-out', certificate, '-startdate', '20200101000000Z', '-enddate', '20200201000000Z')


def secure(store):
    """A SASL_SSL listener with this key and certificate."""
    return ('SASL_SSL', {'sasl.enabled.mechanisms': 'SCRAM-SHA-512', 'scram-sha-512.sasl.jaas.config': JAAS,
                         'ssl.keystore.type': 'PEM', 'ssl.keystore.location': store})


class Daemon:
    def __init__(self, folder, name, brokers, ca, password=PASSWORD, protocol='SASL_SSL'):
        self.name, self.port = name, free_port()
        self.log_path = os.path.join(folder, name + '.log')
        self.config = os.path.join(folder, name + '.conf')
        secret = os.path.join(folder, name + '.password')
        with open(secret, 'w') as f:
            f.write(password + '\n')
        with open(self.config, 'w') as f:
            f.write('[sketch]\nminhash = none\n[daemon]\nlisten = 127.0.0.1:%d\ndelivery = exactly-once\nflush-ms = 100\nlog-level = debug\n'
                    'drain-ms = 2000\n[kafka]\nbrokers = %s\ntopics = in\ngroup = %s\nrecords-topic = out.%s\ntransactional-id = %s\n'
                    'session-ms = 6000\nlibrdkafka.socket.timeout.ms = 3000\nlibrdkafka.reconnect.backoff.max.ms = 500\n'
                    'librdkafka.security.protocol = %s\n' % (self.port, brokers, name, name, name, protocol))
            if protocol == 'SASL_SSL':
                f.write('librdkafka.sasl.mechanism = SCRAM-SHA-512\nlibrdkafka.sasl.username = %s\npassword-file = %s\n'
                        'librdkafka.ssl.ca.location = %s\n' % (USER, secret, ca))
        self.process = None

    def start(self):
        with open(self.log_path, 'ab') as log:
            self.process = start('serve', '-c', self.config, stderr=log)
        return self

    def log(self):
        with open(self.log_path, errors='replace') as f:
            return f.read()

    def reason(self):
        """Returns the text of /readyz, '' if it is ready, or None without an answer."""
        try:
            urllib.request.urlopen('http://127.0.0.1:%d/readyz' % self.port, timeout=2).close()
            return ''
        except urllib.error.HTTPError as answer:
            with answer:
                return answer.read().decode()
        except OSError:
            return None

    def wait_for_reason(self, pattern, seconds=300):
        end = time.time() + seconds
        while time.time() < end:
            reason = self.reason()
            if reason is not None and re.search(pattern, reason):
                return reason
            time.sleep(0.1)
        raise SystemExit('FAILED: %s: /readyz says %r, not %r\n%s' % (self.name, self.reason(), pattern, self.log()[-3000:]))

    def stop(self):
        self.process.terminate()
        return self.process.wait(30)


def no_secret(daemons):
    for daemon in daemons:
        shown = thresher('config', 'show', daemon.config).stdout + thresher('config', 'check', daemon.config).stdout
        texts = daemon.log() + shown.decode()
        expect_true('%s: no password in the log or in config show and check' % daemon.name,
                    PASSWORD not in texts and WRONG not in texts)


def read_back(kafka, topic, count, seconds=300):
    end = time.time() + seconds
    while time.time() < end:
        values = [record.value for record in kafka.consume(topic).records]
        if len(values) >= count:
            break
    expect('%s: records' % topic, len(values), count)


def fill(kafka, first, count):
    kafka.produce('in', (rig.Record(key=b'http://k.example/%d' % n, value=b'<title>%d</title><p>This is page number %d of a row.' % (n, n))
                         for n in range(first, first + count)))


def doors(folder):
    own, foreign = Authority(folder, 'own'), Authority(folder, 'foreign')
    listeners = {'SECURE': secure(own.sign('good')), 'EXPIRED': secure(own.sign('expired', is_expired=True)),
                 'ELSEWHERE': secure(own.sign('elsewhere', host='DNS:elsewhere.example'))}
    with rig.Broker(os.path.join(folder, 'kafka'), listeners=listeners, users={USER: PASSWORD}) as kafka:
        kafka.start()
        names = ('right', 'password', 'expired', 'foreign', 'elsewhere', 'plain')
        for topic in ('in', 'out.right'):
            kafka.create_topic(topic)
        fill(kafka, 0, 20)
        good = kafka.address('SECURE')
        rows = {
            'right': Daemon(folder, 'right', good, own.certificate),
            'password': Daemon(folder, 'password', good, own.certificate, password=WRONG),
            'expired': Daemon(folder, 'expired', kafka.address('EXPIRED'), own.certificate),
            'foreign': Daemon(folder, 'foreign', good, foreign.certificate),
            'elsewhere': Daemon(folder, 'elsewhere', kafka.address('ELSEWHERE'), own.certificate),
            'plain': Daemon(folder, 'plain', good, own.certificate, protocol='PLAINTEXT'),
        }
        for name in names:
            rows[name].start()
        rows['right'].wait_for_reason('^$')
        read_back(kafka, 'out.right', 20)
        for name, pattern in (('password', r'(?i)authentication.*password-file'), ('expired', r'(?i)certificate.*expired.*ssl\.ca\.location'),
                              ('foreign', r'(?i)certificate.*ssl\.ca\.location'),
                              ('elsewhere', r'(?i)certificate.*ssl\.endpoint\.identification\.algorithm'), ('plain', r'security\.protocol')):
            print('   %s: %s' % (name, rows[name].wait_for_reason(pattern).strip()))
            expect_true('%s: /readyz has the problem and the property' % name, True)
            expect('%s: it waits' % name, rows[name].process.poll(), None)
        for name in names:
            code = rows[name].stop()
            expect_true('%s: SIGTERM ends it, %d' % (name, code), code == 0 or (name != 'right' and code == 75), code)
        no_secret(rows.values())


def rotation(folder):
    own = Authority(folder, 'own')
    with rig.Broker(os.path.join(folder, 'kafka'), listeners={'SECURE': secure(own.sign('good'))}, users={USER: PASSWORD}) as kafka:
        kafka.start()
        for topic in ('in', 'out.one'):
            kafka.create_topic(topic)
        daemon = Daemon(folder, 'one', kafka.address('SECURE'), own.certificate).start()
        fill(kafka, 0, 20)
        read_back(kafka, 'out.one', 20)
        own.sign('good')  # the same path, another key and certificate
        kafka.restart()
        fill(kafka, 20, 20)
        read_back(kafka, 'out.one', 40)
        expect('the same process continues with the new certificate', daemon.process.poll(), None)
        successor = Authority(folder, 'successor')
        store = successor.sign('later')
        os.replace(store, os.path.join(folder, 'good.store.pem'))
        kafka.restart()
        fill(kafka, 40, 20)
        daemon.wait_for_reason(r'ssl\.ca\.location', 40)
        with open(own.certificate, 'a') as bundle, open(successor.certificate) as more:
            bundle.write(more.read())
        code = daemon.stop()
        expect_true('a new authority: it waits, and SIGTERM ends it', code in (0, 75), code)
        daemon.start()
        read_back(kafka, 'out.one', 60)
        expect('with both in the bundle, after a restart: 0', daemon.stop(), 0)
        no_secret([daemon])


if __name__ == '__main__':
    folder = tempfile.mkdtemp(prefix='thresher-kafka-tls-')
    try:
        if not shutil.which('openssl'):
            raise rig.Skip("'openssl' is missing")
        for case in sys.argv[2:] or ('doors', 'rotation'):
            globals()[case](folder)
    except rig.Skip as reason:
        print('skipped: %s' % reason)
        sys.exit(77)
    finally:
        if not os.environ.get('THRESHER_KEEP'):
            shutil.rmtree(folder, ignore_errors=True)
