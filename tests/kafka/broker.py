#!/usr/bin/env python3
"""A real Apache Kafka for the delivery tests: one KRaft node, without Docker or root.

The jars come from Maven Central once and stay in a cache. A broker has a separate folder
and fixed ports, so it can be killed and restarted with its data. A Java program (Reader.java)
without code of librdkafka reads its topics.

As a program: `broker.py --help`. As a module:

    broker = Broker(folder)
    broker.start()
    broker.create_topic('in', partitions=4)
    broker.produce('in', [Record(key=b'k', value=b'v', headers=[('h', b'1')])])
    broker.kill()
    broker.restart()
    reading = broker.consume('in')
    reading.records, reading.partitions, reading.is_settled

Fails with Skip where Java, Maven or the network is missing (exit status 77), else RigError.
"""
import argparse
import base64
import collections
import contextlib
import fcntl
import hashlib
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ('Reader', 'Writer', 'Control')
SKIPPED = 77
START_SECONDS = 600
STOP_SECONDS = 300
# Messages of the virtual machine must not appear between a program's lines on stdout.
JAVA_FLAGS = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xlog:disable', '-Xlog:all=warning:stderr', '-Djava.awt.headless=true',
              '-Dlog4j.configuration=file:' + os.path.join(HERE, 'log4j.properties')]
# By its full name: found by prefix, a plugin that cannot be fetched is called unknown instead.
COPY_GOAL = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies'
# Words of Maven for "I cannot reach the repository", as against "your project is wrong".
NO_NETWORK = re.compile(r'Could not transfer|Unknown host|UnknownHost|Connection (refused|reset|timed out)|'
                        r'Connect to .* failed|Network is unreachable|No route to host|'
                        r'Temporary failure in name resolution|connect timed out|in offline mode')

Record = collections.namedtuple('Record', 'key value headers partition offset timestamp',
                                defaults=(None, None, (), None, None, None))
Record.__doc__ = """One record. key and value are bytes or None; headers is a list of (str, bytes or None).
offset is None when written; partition and timestamp (ms) may be."""

Ends = collections.namedtuple('Ends', 'partition begin end high_watermark')
Ends.__doc__ = 'Offsets of a partition. end is what the isolation level sees as the end.'


class RigError(Exception):
    """The rig or the broker failed."""


class Skip(RigError):
    """Something that this machine lacks: the test is to be skipped, with this message."""


# ---------------------------------------------------------------- the jars

def kafka_version():
    pom = xml.etree.ElementTree.parse(os.path.join(HERE, 'kafka.xml'))
    named = pom.find('.//{http://maven.apache.org/POM/4.0.0}kafka.version').text
    return os.environ.get('THRESHER_KAFKA_VERSION', named)


def cache_folder():
    base = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    return os.path.join(base, 'thresher-kafka-' + kafka_version())


def install():
    """Provides the jars and the compiled programs. Returns the class path.

    Concurrent processes wait for the first. The cache contains only complete folders, because each folder
    gets its name when it is complete."""
    for tool, package in (('java', 'default-jre-headless'), ('javac', 'default-jdk-headless')):
        if not shutil.which(tool):
            raise Skip("'%s' is missing: apt-get install %s" % (tool, package))
    cache = cache_folder()
    os.makedirs(cache, exist_ok=True)
    libs = os.path.join(cache, 'libs')
    with open(os.path.join(cache, 'lock'), 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.isdir(libs):
            with fresh_folder(libs) as folder:
                fetch_jars(folder)
        programs = os.path.join(cache, 'programs-' + sources_digest())
        if not os.path.isdir(programs):
            with fresh_folder(programs) as folder:
                compile_programs(libs, folder)
        classpath = os.path.join(programs, 'programs.jar') + ':' + os.path.join(libs, '*')
        if not os.path.isdir(shared_folder()):
            with fresh_folder(shared_folder()) as folder:
                share_classes(classpath, folder)
    return classpath


def shared_folder():
    """Archives of loaded classes (class data sharing), for these programs and this Java."""
    java = os.stat(shutil.which('java'))
    return os.path.join(cache_folder(), 'shared-%s-%x' % (sources_digest(), java.st_mtime_ns))


def share_classes(classpath, folder):
    """Starts everything once and keeps the classes that were loaded: later starts take half the processor time."""
    with tempfile.TemporaryDirectory() as where:
        broker = Broker(where)
        broker.classpath, broker.shares_into = classpath, folder
        with broker:
            broker.start()
            broker.create_topic('shared')
            broker.produce('shared', [Record(value=b'shared')])
            broker.consume('shared')
            broker.stop()


@contextlib.contextmanager
def fresh_folder(path):
    folder = tempfile.mkdtemp(dir=os.path.dirname(path))
    try:
        yield folder
        os.chmod(folder, 0o755)
        os.rename(folder, path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def fetch_jars(folder):
    if not shutil.which('mvn'):
        raise Skip("'mvn' is missing: apt-get install maven")
    print('fetching Kafka %s from Maven Central, about 46 MB' % kafka_version(), file=sys.stderr)
    done = subprocess.run(['mvn', '-B', '-q', '-U', '--strict-checksums', '-f', os.path.join(HERE, 'kafka.xml'),
                           '-Dkafka.version=' + kafka_version(), COPY_GOAL,
                           '-DincludeScope=runtime', '-DoutputDirectory=' + folder],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        words = re.sub('\x1b\\[[0-9;]*m', '', done.stdout + done.stderr).strip()
        kind = Skip if NO_NETWORK.search(words) else RigError
        raise kind('Maven cannot fetch Kafka %s: %.600s' % (kafka_version(), words.partition('\n')[0]))


def sources_digest():
    digest = hashlib.sha256()
    for name in PROGRAMS:
        with open(os.path.join(HERE, name + '.java'), 'rb') as source:
            digest.update(source.read())
    return digest.hexdigest()[:16]


def compile_programs(libs, folder):
    """Makes programs.jar in a folder; class data sharing takes jars only."""
    with tempfile.TemporaryDirectory() as classes:
        done = subprocess.run(['javac', '-proc:none', '-d', classes, '-cp', os.path.join(libs, '*')] +
                              [os.path.join(HERE, name + '.java') for name in PROGRAMS],
                              capture_output=True, text=True)
        if done.returncode:
            raise RigError('javac: ' + done.stderr)
        with zipfile.ZipFile(os.path.join(folder, 'programs.jar'), 'w') as jar:
            for name in sorted(os.listdir(classes)):
                jar.write(os.path.join(classes, name), name)


# ---------------------------------------------------------------- the broker

class Broker:
    cluster_id = None  # a new id
    ports = None  # free ports for clients and the controller

    """One broker in one folder: broker.json (what it is), server.properties, data/, broker.log.
    An object is only a view of the folder: another process may make its own."""

    def __init__(self, folder, heap_mb=256, listeners=None, users=None, host='127.0.0.1', properties=None):
        """listeners: additional listeners, {NAME: (PROTOCOL, {property: value})}; address(NAME) returns the address.

        users: {name: password}, for SCRAM-SHA-512 from the first start. host: where it listens, and its advertised
        address. properties: of the broker, with priority over the template. All apply from the first start."""
        self.folder = os.path.abspath(folder)
        self.listeners, self.users, self.host, self.properties = listeners or {}, users or {}, host, properties or {}
        self.heap_mb = heap_mb
        self.start_seconds = None  # how long the last start took
        self.classpath = None
        self.shares_into = None  # a folder: classes that are loaded are archived there

    # Life.

    def start(self, port=None, timeout=START_SECONDS):
        """Starts with a new folder or with the data of an earlier run, always on the same ports.
        Returns when a metadata request names this broker and a leader for every partition.

        port: port of the first start, or None for a free port. Returns the bootstrap address."""
        if self.pid():
            raise RigError("a broker runs already in '%s'" % self.folder)
        self.classpath = self.classpath or install()
        os.makedirs(self.folder, exist_ok=True)
        state = self._state()
        if not state:
            state = self._format(port)
        elif port not in (None, state['port']):
            raise RigError("the broker in '%s' has port %d for good" % (self.folder, state['port']))
        if metadata(state['port'], state['host']):  # its answers would be taken for ours
            raise RigError('another broker answers on port %d' % state['port'])
        began = time.monotonic()
        with open(self._path('broker.log'), 'ab') as log:
            process = subprocess.Popen(
                self._command('kafka.Kafka', self._path('server.properties'), flags=['-Xms%dm' % self.heap_mb, '-XX:+ExitOnOutOfMemoryError']),
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        state.update(pid=process.pid, started=process_start(process.pid))
        self._save(state)
        while not self._is_ready():
            if process.poll() is not None:
                raise RigError('the broker stopped, status %d:\n%s' % (process.returncode, self._log_tail()))
            if time.monotonic() - began > timeout:
                self.kill()
                raise RigError('the broker is not ready after %d s:\n%s' % (timeout, self._log_tail()))
            time.sleep(0.05)
        self.start_seconds = time.monotonic() - began
        return self.bootstrap

    def stop(self, timeout=STOP_SECONDS):
        """Stops it cleanly (SIGTERM) and waits; does nothing if it does not run."""
        self._end(signal.SIGTERM, timeout)

    def kill(self):
        """kill -9, and waits for the end of the process; does nothing if it does not run."""
        self._end(signal.SIGKILL, STOP_SECONDS)

    def restart(self, timeout=START_SECONDS):
        """Stops it if it runs, and starts it on its data and ports."""
        self.stop()
        return self.start(timeout=timeout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def pid(self):
        """The process id, None if it does not run."""
        state = self._state()
        pid = state.get('pid') if state else None
        return pid if pid and process_start(pid) == state['started'] else None

    def rss_bytes(self):
        with open('/proc/%d/status' % self.pid()) as status:
            return 1024 * int(re.search(r'VmRSS:\s*(\d+) kB', status.read()).group(1))

    @property
    def bootstrap(self):
        """HOST:PORT, for bootstrap.servers; the same through all restarts."""
        state = self._state()
        if not state:
            raise RigError("no broker was ever started in '%s'" % self.folder)
        return '%s:%d' % (state['host'], state['port'])

    def address(self, listener):
        """HOST:PORT of one of the further listeners."""
        state = self._state()
        return '%s:%d' % (state['host'], state['listeners'][listener])

    # Topics, records, groups.

    def create_topic(self, name, partitions=1, config=None):
        """Returns when every partition has its leader. config: topic options, a dict."""
        self._control('create', name, partitions, *('%s=%s' % pair for pair in (config or {}).items()))
        deadline = time.monotonic() + START_SECONDS
        while len(self._leaders().get(name, ())) < partitions or not self._is_ready():
            if time.monotonic() > deadline:
                raise RigError("topic '%s' has no leaders" % name)
            time.sleep(0.05)

    def delete_topic(self, name):
        """Returns when the name is free again."""
        self._control('delete', name)

    def truncate(self, topic, partition, offset):
        """Deletes the records before an offset, as retention does."""
        self._control('truncate', topic, partition, offset)

    def configure_topic(self, name, config):
        """Changes topic options, a dict."""
        self._control('configure', name, *('%s=%s' % pair for pair in config.items()))

    def change_password(self, user, password):
        """Changes the password of a user of SCRAM-SHA-512. Connections that are open stay."""
        self._control('password', user, password)

    def produce(self, topic, records, config=None):
        """Writes records (Record, or dicts of README.md's format, also its transaction marks), acknowledged by
        the broker. config: producer options, transactional.id for one; its default is idempotent, acks=all.
        Returns {'sent', 'committed', 'aborted', 'open'}, counts of records."""
        with tempfile.TemporaryFile() as lines:
            for record in records:
                lines.write(json.dumps(as_line(record) if isinstance(record, Record) else record).encode() + b'\n')
            lines.seek(0)
            return self.produce_lines(topic, lines, config)

    def produce_lines(self, topic, lines, config=None):
        """As produce(), from a file of JSON lines that is open for reading."""
        options = ['%s=%s' % pair for pair in (config or {}).items()]
        return json.loads(self._java('Writer', self.bootstrap, topic, *options, stdin=lines).splitlines()[-1])

    def writer(self, topic, config=None):
        """A process that writes the JSON lines of its stdin until that is closed, then ends with 0."""
        options = ['%s=%s' % pair for pair in (config or {}).items()]
        return subprocess.Popen(self._command('Writer', self.bootstrap, topic, *options), stdin=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def consume(self, topic, isolation='read_committed', until_quiet=None, timeout=600):
        """Reads all records of a topic for the isolation level, up to the current end. With until_quiet (seconds)
        it reads until the end has not moved for that time. Returns a Reading."""
        until = 'now' if until_quiet is None else str(int(until_quiet * 1000))
        return Follower(self, topic, isolation, until).finish(timeout)

    def follow(self, topic, isolation='read_committed'):
        """Starts to read a topic in the background, through any failure of the broker. Returns a Follower. Its
        finish() reads to the current end and returns the Reading."""
        return Follower(self, topic, isolation, 'closed')

    def committed(self, group):
        """The committed offsets of a group: {(topic, partition): offset}. Waits for the outcome of offsets that
        an open transaction has sent."""
        return {(row['topic'], row['partition']): row['offset'] for row in self.describe_group(group)}

    def describe_group(self, group):
        """One dict a partition: group, topic, partition, offset, end (as read_committed), metadata."""
        return [json.loads(line) for line in self._control('committed', group).splitlines()]

    # Below: how.

    def _format(self, port):
        """Lays out a fresh folder: ports, properties, formatted storage."""
        ports = self.ports or free_ports(2 + len(self.listeners))
        if port is not None:
            ports = [port] + [p for p in free_ports(2 + len(self.listeners)) if p != port]
        more = dict(zip(self.listeners, ports[2:]))
        state = {'version': kafka_version(), 'bootstrap': '%s:%d' % (self.host, ports[0]), 'host': self.host, 'port': ports[0],
                 'controller_port': ports[1], 'listeners': more, 'pid': None, 'started': None}
        with open(os.path.join(HERE, 'server.properties.in')) as template:
            text = template.read()
        for name, value in (('HOST', self.host), ('PORT', ports[0]), ('CONTROLLER_PORT', ports[1]), ('DATA', self._path('data')),
                            ('MORE_LISTENERS', ''.join(',%s://%s:%d' % (name, self.host, p) for name, p in more.items())),
                            ('MORE_PROTOCOLS', ''.join(',%s:%s' % (name, pair[0]) for name, pair in self.listeners.items()))):
            text = text.replace('@%s@' % name, str(value))
        for name, (_, properties) in self.listeners.items():
            text += ''.join('listener.name.%s.%s=%s\n' % (name.lower(), key, value) for key, value in properties.items())
        for key, value in self.properties.items():
            text = re.sub(r'(?m)^%s=.*\n' % re.escape(key), '', text) + '%s=%s\n' % (key, value)
        with open(self._path('server.properties'), 'w') as properties:
            properties.write(text)
        cluster = self.cluster_id or make_cluster_id()
        users = [word for pair in self.users.items()
                 for word in ('--add-scram', 'SCRAM-SHA-512=[name=%s,password=%s]' % pair)]
        self._java('kafka.tools.StorageTool', 'format', '-t', cluster, '-c', self._path('server.properties'), *users)
        self._save(state)
        return state

    def _control(self, *args):
        return self._java('Control', self.bootstrap, *args)

    def _java(self, program, *args, stdin=subprocess.DEVNULL):
        done = subprocess.run(self._command(program, *args), stdin=stdin, capture_output=True, text=True)
        if done.returncode:
            raise RigError('%s: status %d\n%s' % (' '.join(map(str, (program,) + args)), done.returncode,
                                                  done.stderr[-3000:]))
        return done.stdout

    def _command(self, program, *args, flags=()):
        self.classpath = self.classpath or install()
        return ['java', *flags, '-Xmx%dm' % self.heap_mb, *JAVA_FLAGS, *self._sharing(program), '-cp', self.classpath, program, *map(str, args)]

    def _sharing(self, program):
        if self.shares_into:
            return ['-XX:ArchiveClassesAtExit=' + os.path.join(self.shares_into, program + '.jsa')]
        archive = os.path.join(shared_folder(), program + '.jsa')
        return ['-XX:SharedArchiveFile=' + archive] if os.path.exists(archive) else []

    def _leaders(self):
        """{topic: [leaders of its partitions]}, {} while the broker does not answer."""
        answer = metadata(self._state()['port'], self._state()['host'])
        return answer[1] if answer else {}

    def _is_ready(self):
        answer = metadata(self._state()['port'], self._state()['host'])
        return bool(answer) and 1 in answer[0] and all(leader == 1 for leaders in answer[1].values()
                                                       for leader in leaders)

    def _end(self, number, timeout):
        pid = self.pid()
        if not pid:
            return
        os.kill(pid, number)
        deadline = time.monotonic() + timeout
        while self.pid():
            with contextlib.suppress(ChildProcessError):  # reaps it if it is ours
                os.waitpid(pid, os.WNOHANG)
            if time.monotonic() > deadline:
                raise RigError('the broker did not end within %d s of signal %d' % (timeout, number))
            time.sleep(0.02)

    def _state(self):
        try:
            with open(self._path('broker.json')) as state:
                return json.load(state)
        except FileNotFoundError:
            return None

    def _save(self, state):
        with open(self._path('broker.json.new'), 'w') as out:
            json.dump(state, out, indent=1)
            out.write('\n')
        os.rename(self._path('broker.json.new'), self._path('broker.json'))

    def _path(self, name):
        return os.path.join(self.folder, name)

    def _log_tail(self):
        with open(self._path('broker.log'), errors='replace') as log:
            return ''.join(log.readlines()[-30:])


def make_cluster_id():
    """16 bytes in base64 for URLs; StorageTool's random-uuid costs a second JVM."""
    return base64.urlsafe_b64encode(b'\x01' + os.urandom(15)).rstrip(b'=').decode()


def process_start(pid):
    """When the process began, in clock ticks since boot: with the pid it names one process for good.
    None if there is none, or only its zombie."""
    try:
        with open('/proc/%d/stat' % pid) as stat:
            fields = stat.read().rpartition(')')[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in 'ZX' else int(fields[19])


def free_ports(count):
    """Returns free ports outside of the kernel's range for outgoing connections. Otherwise a client that retries a
    stopped broker can get the broker's own port, connect to itself, and keep the port."""
    with open('/proc/sys/net/ipv4/ip_local_port_range') as ports:
        low = int(ports.read().split()[0])
    found = []
    for port in random.Random().sample(range(10240, max(low, 20480)), 1000):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind(('127.0.0.1', port))
                found.append(port)
        if len(found) == count:
            return found
    raise RigError('no free ports')


def metadata(port, host='127.0.0.1'):
    """Queries the broker like a client (Metadata, version 1, all topics). Returns ([node ids], {topic: [leader of
    each partition]}, partitions with a lagging replica). An unknown or leaderless partition has leader -1. Returns None if it does not answer."""
    request = struct.pack('>hhih', 3, 1, 1, 3) + b'rig' + struct.pack('>i', -1)
    try:
        with socket.create_connection((host, port), timeout=5) as connection:
            connection.sendall(struct.pack('>i', len(request)) + request)
            with connection.makefile('rb') as stream:
                (size,) = struct.unpack('>i', stream.read(4))
                body = stream.read(size)
        return parse_metadata(body)
    except (OSError, struct.error):  # refused, closed, cut
        return None


def parse_metadata(body):
    at = 0

    def number(code):
        nonlocal at
        (value,) = struct.unpack_from('>' + code, body, at)
        at += struct.calcsize('>' + code)
        return value

    def text():
        nonlocal at
        size = max(number('h'), 0)  # -1: none
        at += size
        return body[at - size:at].decode()

    number('i')  # correlation
    nodes, topics, lagging = [], {}, 0
    for _ in range(number('i')):
        nodes.append(number('i'))
        text(), number('i'), text()  # host, port, rack
    number('i')  # controller
    for _ in range(number('i')):
        number('h')  # error
        name = text()
        number('b')  # internal
        leaders = topics[name] = []
        for _ in range(number('i')):
            error, _, leader = number('h'), number('i'), number('i')
            leaders.append(-1 if error else leader)
            replicas, in_sync = (len([number('i') for _ in range(number('i'))]) for _ in range(2))
            lagging += in_sync < replicas
    return nodes, topics, lagging


# ---------------------------------------------------------------- records

class Follower:
    """A reader in a separate process. Its lines go to a file without a name."""

    def __init__(self, broker, topic, isolation, until):
        self.lines = tempfile.TemporaryFile()
        self.words = tempfile.TemporaryFile()
        self.process = subprocess.Popen(broker._command('Reader', broker.bootstrap, topic, isolation, until),
                                        stdin=subprocess.PIPE, stdout=self.lines, stderr=self.words)

    def finish(self, timeout=600):
        """Lets it read to the end and returns the Reading."""
        self.process.stdin.close()
        try:
            status = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        if status:
            self.words.seek(0)
            raise RigError('the reader failed, status %d\n%s' % (status, self.words.read().decode()[-3000:]))
        self.words.close()
        return Reading(self.lines)


class Reading:
    """Result of a reader."""

    def __init__(self, lines):
        self.lines = lines  # a file: README.md's format, and the line of ends last
        self.partitions = []
        lines.seek(0, os.SEEK_END)
        lines.seek(max(0, lines.tell() - (1 << 20)))
        last = lines.read().splitlines()[-1]
        self.partitions = [Ends(**row) for row in json.loads(last)['partitions']]

    @property
    def records(self):
        """Yields each Record in order within its partition, partitions mixed. Can be called repeatedly."""
        self.lines.seek(0)
        for line in self.lines:
            row = json.loads(line)
            if 'offset' in row:
                yield as_record(row)

    @property
    def is_settled(self):
        """Whether no transaction was open at the end, so all committed records were read."""
        return all(p.end == p.high_watermark for p in self.partitions)


def as_line(record):
    """Record -> dict of README.md's format."""
    row = {'key': encoded(record.key), 'value': encoded(record.value),
           'headers': [[name, encoded(value)] for name, value in record.headers]}
    row.update((name, getattr(record, name)) for name in ('partition', 'timestamp')
               if getattr(record, name) is not None)
    return row


def as_record(row):
    """dict of README.md's format, as Reader prints it -> Record."""
    return Record(decoded(row['key']), decoded(row['value']), [(name, decoded(value)) for name, value in row['headers']],
                  row['partition'], row['offset'], row['timestamp'])


def encoded(some):
    return None if some is None else base64.b64encode(some).decode()


def decoded(some):
    return None if some is None else base64.b64decode(some)


# ---------------------------------------------------------------- the command line

def option(text):
    name, equals, value = text.partition('=')
    if not name or not equals:
        raise argparse.ArgumentTypeError("'%s' is not NAME=VALUE" % text)
    return name, value


def command_line():
    parser = argparse.ArgumentParser(description='A real Apache Kafka for tests; see README.md beside it.')
    commands = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')

    def command(name, words, *arguments, under=commands):
        sub = under.add_parser(name, help=words, description=words)
        for argument in arguments:
            sub.add_argument(argument)
        return sub

    command('install', 'fetch the jars into the cache')
    sub = command('start', 'start a broker in DIR, print its address', 'dir')
    sub.add_argument('--port', type=int)
    sub.add_argument('--heap-mb', type=int, default=256)
    command('stop', 'SIGTERM, and wait', 'dir')
    command('kill', 'kill -9', 'dir')
    sub = command('restart', 'stop if it runs, start again on its data', 'dir')
    sub.add_argument('--heap-mb', type=int, default=256)
    command('status', 'print broker.json and the resident memory; status 1 if it does not run', 'dir')

    topic = commands.add_parser('topic', help='make or delete a topic').add_subparsers(dest='action', required=True)
    sub = command('create', 'make a topic', 'dir', 'name', under=topic)
    sub.add_argument('--partitions', type=int, default=1)
    sub.add_argument('--config', type=option, action='append', default=[], metavar='NAME=VALUE')
    command('delete', 'delete a topic', 'dir', 'name', under=topic)

    sub = command('produce', 'write JSON lines of FILE (- is stdin) to a topic', 'dir', 'name', 'file')
    sub.add_argument('--transactional-id')
    sub.add_argument('--config', type=option, action='append', default=[], metavar='NAME=VALUE')
    sub = command('consume', 'print a topic from beginning to end as JSON lines, last the ends', 'dir', 'name')
    sub.add_argument('--isolation', choices=('read_committed', 'read_uncommitted'), default='read_committed')
    sub.add_argument('--until-quiet', type=float, metavar='S', help='read on until nothing came for S seconds')
    sub.add_argument('--count', action='store_true', help='print only the number of records, and the ends')

    groups = commands.add_parser('groups', help='consumer groups').add_subparsers(dest='action', required=True)
    command('describe', 'committed offsets of a group, a JSON line a partition', 'dir', 'group', under=groups)
    return parser.parse_args()


def run(args):
    if args.command == 'install':
        install()
        print(cache_folder())
        return 0
    broker = Broker(args.dir, getattr(args, 'heap_mb', 256))
    name = args.command + (' ' + args.action if 'action' in args else '')
    if name == 'start':
        print(broker.start(args.port))
    elif name == 'restart':
        print(broker.restart())
    elif name in ('stop', 'kill'):
        getattr(broker, name)()
    elif name == 'status':
        pid = broker.pid()
        print(json.dumps({'bootstrap': broker.bootstrap, 'pid': pid, 'rss_bytes': broker.rss_bytes() if pid else None}))
        return 0 if pid else 1
    elif name == 'topic create':
        broker.create_topic(args.name, args.partitions, dict(args.config))
    elif name == 'topic delete':
        broker.delete_topic(args.name)
    elif name == 'produce':
        config = dict(args.config)
        if args.transactional_id:
            config['transactional.id'] = args.transactional_id
        with contextlib.nullcontext(sys.stdin) if args.file == '-' else open(args.file, 'rb') as lines:
            print(json.dumps(broker.produce_lines(args.name, lines, config)))
    elif name == 'consume':
        reading = broker.consume(args.name, args.isolation, args.until_quiet)
        if args.count:
            print(json.dumps({'records': sum(1 for _ in reading.records), 'settled': reading.is_settled,
                              'partitions': [p._asdict() for p in reading.partitions]}))
        else:
            reading.lines.seek(0)
            shutil.copyfileobj(reading.lines, sys.stdout.buffer)
    else:
        for row in broker.describe_group(args.group):
            print(json.dumps(row))
    return 0


def main():
    try:
        sys.exit(run(command_line()))
    except Skip as missing:
        print('skipped: %s' % missing, file=sys.stderr)
        sys.exit(SKIPPED)
    except RigError as error:
        print('broker.py: %s' % error, file=sys.stderr)
        sys.exit(1)


if __name__ == '__main__':
    main()
