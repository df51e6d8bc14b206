"""A spool under a random writer, against a model of the records that must be emitted.

usage: spool_random.py PROGRAM search [SEED [ROUNDS [KEEP]]]
       spool_random.py PROGRAM cpu SEED MINUTES [PROCESSES [SECONDS]]     searches for this processor time, at most SECONDS
       spool_random.py PROGRAM soak SECONDS [FOLDER]            one daemon with many features, without kills: memory and descriptors

A round has one daemon, with settings drawn by its seed, and writers. A writer chooses at random among these actions:

* It writes under another name and renames the file, or writes under the final name. It pauses anywhere, also within a record.
* It closes a file and appends to it later. It cuts off an incomplete record and continues.
* It replaces a file that waits, overwrites it in place, copies it, or renames it. It cleans done/.

The daemon is killed (SIGKILL) or stopped (SIGTERM) now and then.

Each record has a unique address. The model says how often it must be published: once, or at most once if its bytes were replaced before the
read. A record may come twice only in a file that was overwritten in place, and only if the daemon's log has a warning about that file. `search` ends with 1 if a record is lost or doubled, and prints the seed.

The folder of a run has three logs to explain a lost or doubled record: `writer.log` has each action of the writer (time, action, paths, size, inode,
addresses), `published.log` each record (time, output file, address, input file, offset), and `log` the daemon's messages.
"""
import collections
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request

import archive
from case import PROGRAM, free_port, start

ONCE, AT_MOST_ONCE = 'once', 'at most once'


class Model:
    """Returns the expected number of each address, and the addresses of files that were rewritten in place."""

    def __init__(self):
        self.must, self.rewritten, self.labels = {}, {}, {}

    def add(self, urls):
        self.must.update((url, ONCE) for url in urls)

    def may_be_lost(self, urls):
        self.must.update((url, AT_MOST_ONCE) for url in urls)

    def judge(self, seen, log=''):
        warned = set(re.findall(r'([^/]+): the part already read was changed or truncated', log))
        warned.update(re.sub(r'\.\d+(?=\.warc)', '', name) for name in list(warned))  # x.1.warc is the second file of a name
        lost = [url for url, how in self.must.items() if how == ONCE and not seen[url]]
        doubled = [url for url, count in seen.items() if count > 1 and self.rewritten.get(url) not in warned]
        unknown = [url for url in seen if url not in self.must]
        return lost, doubled, unknown


class Content:
    """An archive: its records as bytes, with their addresses."""
    count = 0

    def __init__(self, rng, packed):
        Content.count += 1
        self.parts, self.urls = [], []
        for i in range(rng.choice([1, 2, 3, 5, 8, 13, 80])):
            url = 'http://w%d.example/%d' % (Content.count, i)
            text = '<title>%s</title>%s' % (archive.sentence(rng, 6), ''.join('<p>%s</p>' % archive.sentence(rng, rng.randint(8, 40)) for _ in range(rng.randint(1, 6))))
            part = archive.response(text, url, i)
            self.parts.append(archive.member(part) if packed else part)
            self.urls.append(url)
        self.suffix = '.warc.gz' if packed else '.warc'

    def bytes(self):
        return b''.join(self.parts)


class Writer:
    """One crawler: each step is a generator, which yields where it may pause."""

    def __init__(self, rng, spool, model, pause, finish, log):
        self.rng, self.spool, self.model, self.pause, self.finish = rng, spool, model, pause, finish
        self.log = open(log, 'a', buffering=1)
        self.number, self.done = 0, collections.Counter()
        self.dropped = []
        self.waiting = {}  # path: addresses of the file that was put there last

    def path(self, suffix):
        """A new name."""
        self.number += 1
        return os.path.join(self.spool, self.rng.choice(['', 'launch/']), 'f%d%s' % (self.number, suffix))

    def new(self, label):
        content = Content(self.rng, self.rng.random() < 0.4)
        self.model.add(content.urls)
        self.model.labels.update((url, label) for url in content.urls)
        return content

    def put(self, temporary, path):
        """A rename over a file that waits replaces it: its records may not come."""
        old = self.waiting.get(path, ())
        self.model.may_be_lost(old)
        os.rename(temporary, path)

    def note(self, path, content):
        self.waiting[path] = content.urls
        self.model.labels.update((url, self.model.labels[url].split(' ')[0] + ' ' + os.path.basename(path)) for url in content.urls)

    def temporary(self, content):
        path = os.path.join(self.spool, 'w%d.open' % self.rng.getrandbits(60))
        with open(path, 'wb') as f:
            f.write(content.bytes())
        return path

    def drop(self):
        content = self.new('drop')
        again = [path for path in self.dropped if path.endswith(content.suffix)]
        path = self.rng.choice(again) if again and self.rng.random() < 0.15 else self.path(content.suffix)
        self.dropped.append(path)  # crawlers give a name again
        temporary = self.temporary(content)
        yield
        self.put(temporary, path)
        self.note(path, content)

    def write_pausing(self):
        """Pieces that end anywhere; the file is open all the time."""
        content = self.new('write_pausing')
        path = self.path(content.suffix)
        data, at = content.bytes(), 0
        self.note(path, content)
        with open(path, 'wb', buffering=0) as f:
            while at < len(data):
                size = self.rng.randint(1, max(1, len(data) // self.rng.randint(1, 5)))
                f.write(data[at:at + size])
                at += size
                yield

    def write_and_cut(self):
        """Starts a record, removes it, and continues, like a crawler after a broken connection."""
        content, spoilt = self.new('write_and_cut'), Content(self.rng, False)
        packed = content.suffix == '.warc.gz'
        path = self.path(content.suffix)
        self.note(path, content)
        with open(path, 'wb', buffering=0) as f:
            for part in content.parts:
                if self.rng.random() < 0.2:
                    bad = archive.member(spoilt.parts[0]) if packed else spoilt.parts[0]
                    f.write(bad[:self.rng.randint(1, len(bad) - 9)])
                    yield
                    f.truncate(f.tell() - (f.tell() - self.end_of(f, content, part)))
                    f.seek(0, os.SEEK_END)
                f.write(part)
                if self.rng.random() < 0.3:
                    yield

    @staticmethod
    def end_of(f, content, part):
        return sum(len(p) for p in content.parts[:content.parts.index(part)])

    def append_later(self):
        """Closes between two records, and appends by its name: to the file where it is still there, else to a new one."""
        content = self.new('append_later')
        path = self.path(content.suffix)
        cut = self.rng.randint(1, len(content.parts))
        self.note(path, content)
        with open(path, 'wb', buffering=0) as f:
            f.write(b''.join(content.parts[:cut]))
        yield
        rest, urls = b''.join(content.parts[cut:]), content.urls[cut:]
        if not rest:
            return
        with open(path, 'ab', buffering=0) as f:
            yield
            f.write(rest)
            if os.fstat(f.fileno()).st_nlink == 0:
                self.model.may_be_lost(urls)  # deleted between the two
                self.done['written to a deleted file'] += 1

    def write_anew(self):
        """The same inode gets other bytes, while it waits or is read."""
        old, new = self.new('old'), self.new('write_anew')
        while new.suffix != old.suffix:
            self.model.may_be_lost(new.urls)
            new = self.new('write_anew')
        path = self.path(old.suffix)
        self.model.rewritten.update((url, os.path.basename(path)) for url in old.urls + new.urls)
        self.note(path, new)
        with open(path, 'wb', buffering=0) as f:
            f.write(old.bytes())
            for _ in range(self.rng.randint(0, 2)):
                yield
            self.model.may_be_lost(old.urls)
            f.seek(0)
            f.truncate()
            if self.rng.random() < 0.5:
                yield
            f.write(new.bytes())

    def copy(self):
        content = self.new('copy')
        path, other = self.path(content.suffix), self.path(content.suffix)
        temporary = self.temporary(content)
        shutil.copyfile(temporary, temporary + '.open')
        yield
        self.put(temporary, path)
        for _ in range(self.rng.randint(0, 2)):
            yield
            self.note(path, content)
        self.put(temporary + '.open', other)
        self.note(other, content)

    def rename(self):
        content = self.new('rename')
        path, other = self.path(content.suffix), self.path(content.suffix)
        self.put(self.temporary(content), path)
        self.note(path, content)
        yield
        self.note(other, content)
        try:
            os.rename(path, other)
        except FileNotFoundError:
            pass  # it has been claimed

    def tidy(self):
        for folder, _, names in os.walk(os.path.join(self.spool, 'done')):
            for name in names:
                if self.rng.random() < 0.5:
                    path = os.path.join(folder, name)
                    try:
                        if time.time() - os.stat(path).st_mtime > 2:
                            os.unlink(path)
                    except FileNotFoundError:
                        pass  # it grew, so it is read on
        yield

    def advance(self, step):
        """Does the next action of a generator, and writes it to the log. Raises StopIteration after the last action."""
        frame, end, known = step.gi_frame, False, {}
        try:
            next(step)
        except StopIteration:
            end = True
            raise
        finally:
            known = frame.f_locals
            facts = {'at': round(time.time(), 3), 'step': step.__name__, 'number': id(step), 'end': end}
            facts.update((key, os.path.basename(known[key])) for key in ('path', 'other', 'temporary') if isinstance(known.get(key), str))
            facts.update((key, [known[key].urls[0], len(known[key].urls)]) for key in ('content', 'old', 'new') if isinstance(known.get(key), Content))
            f = known.get('f')
            if f is not None and not f.closed:
                state = os.fstat(f.fileno())
                facts.update(inode=state.st_ino, size=state.st_size, links=state.st_nlink)
            elif isinstance(known.get('path'), str):
                try:
                    state = os.stat(known['path'])
                    facts.update(inode=state.st_ino, size=state.st_size, links=state.st_nlink)
                except FileNotFoundError:
                    pass
            print(json.dumps(facts), file=self.log)

    STEPS = (('drop', 6), ('write_pausing', 4), ('write_and_cut', 2), ('append_later', 3), ('write_anew', 1), ('copy', 2), ('rename', 2), ('tidy', 1))

    def run(self, until, most, between=lambda: None):
        """Several steps at a time, in turns; then all of them to their ends."""
        steps = []
        names, weights = zip(*self.STEPS)
        while steps or time.time() < until:
            if time.time() < until and len(steps) < most:
                name = self.rng.choices(names, weights)[0]
                steps.append(getattr(self, name)())
                self.done[name] += 1
            step = self.rng.choice(steps)
            try:
                self.advance(step)
            except StopIteration:
                steps.remove(step)
            between()
            time.sleep(self.rng.choice([0, 0, 0, self.pause / 8, self.pause]) / most)


class Daemon:
    running = set()

    def __init__(self, folder, options, spool_options, port=None):
        self.folder, self.spool, self.out = folder, os.path.join(folder, 'in'), os.path.join(folder, 'out')
        os.makedirs(os.path.join(self.spool, 'launch'))
        self.port = port or free_port()
        self.config, self.logged, self.process, self.rest = os.path.join(folder, 'conf'), os.path.join(folder, 'log'), None, b''
        with open(self.config, 'w') as f:
            f.write('[run]\n%s[daemon]\nlisten = 127.0.0.1:%d\ndelivery = exactly-once\n%s[spool]\npath = %s\nledger = %s/ledger\n%s[files]\npath = %s\n%s' % (
                options.get('run', ''), self.port, options.get('daemon', ''), self.spool, folder, spool_options, self.out, options.get('more', '')))

    def start(self):
        with open(self.logged, 'ab') as log:
            self.process = start('serve', '-c', self.config, stderr=log, stdout=subprocess.DEVNULL)
        self.running.add(self)

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        code = self.process.wait(900)
        self.running.discard(self)
        return code

    def get(self, what):
        try:
            with urllib.request.urlopen('http://127.0.0.1:%d%s' % (self.port, what), timeout=30) as answer:
                return answer.read().decode()
        except OSError:
            return ''

    def metric(self, name):
        return sum(float(line.rsplit(' ', 1)[1]) for line in self.get('/metrics').splitlines() if line.startswith(name))

    def log(self):
        with open(self.logged, errors='replace') as f:
            return f.read()

    def collect(self, seen, removes=False):
        for name in sorted(os.listdir(self.out)) if os.path.isdir(self.out) else ():
            if name.startswith('thresher-') and name.endswith('.jsonl'):
                path = os.path.join(self.out, name)
                with open(path) as f:
                    records = [json.loads(line) for line in f]
                seen.update(record['url'] for record in records)
                if removes:
                    with open(os.path.join(self.folder, 'published.log'), 'a') as log:
                        for record in records:
                            print(round(time.time(), 3), name, record['url'], record['source']['file'], record['source']['offset'], file=log)
                    os.unlink(path)

    def waits(self):
        """Whether a file is still to be read, as far as names tell."""
        for folder, folders, names in os.walk(self.spool):
            if folder == self.spool:
                folders[:] = [name for name in folders if name not in ('done', 'failed')]
            if any(name.endswith(('.warc', '.warc.gz', '.processing')) for name in names):
                return True
        return False


def search_round(seed, keep):
    """@return counts, and whether the round held"""
    rng = random.Random(seed)
    folder = tempfile.mkdtemp(prefix='thresher-random-')
    finish, claim = rng.choice(['move', 'move', 'delete', 'keep']), rng.choice(['rename', 'rename', 'ledger'])
    min_age = rng.choice([30, 60, 120])
    daemon = Daemon(folder, {'run': 'jobs = %d\n' % rng.choice([1, 2]), 'daemon': 'drain-ms = 600000\nflush-ms = %d\n' % rng.choice([10, 50, 300]), 'more': 'roll-ms = 500\n'},
                    'finish = %s\nclaim = %s\nsettle-ms = 10\nquiet-ms = %d\nmin-age-ms = %d\nrescan-ms = %d\n' % (finish, claim, min_age // 2, min_age, rng.choice([50, 200])), 10000 + os.getpid() % 20000)
    model, seen, ends = Model(), collections.Counter(), collections.Counter()
    writer = Writer(rng, daemon.spool, model, 3 * min_age / 1000, finish, os.path.join(folder, 'writer.log'))
    daemon.start()
    next_end = [time.time() + rng.uniform(0.2, 2)]

    def end_daemon():
        if time.time() < next_end[0]:
            return
        how = rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
        ends[how.name] += 1
        daemon.end(how)
        daemon.start()
        next_end[0] = time.time() + rng.uniform(0.2, 2)

    writer.run(time.time() + 6, rng.choice([1, 4, 12, 40]), end_daemon)
    # What is left is read in peace: until nothing waits and all that must come has come, or nothing has changed for a long time.
    last, since = None, time.time()
    while time.time() - since < 60:
        seen.clear()
        daemon.collect(seen)
        lost = model.judge(seen)[0]
        ready = daemon.metric('thresher_spool_folders{state="read"}') > 0
        state = (ready, len(lost), sum(seen.values()), daemon.metric('thresher_spool_files{state="pending"}'), daemon.metric('thresher_spool_files{state="processing"}'),
                 finish != 'keep' and daemon.waits())
        if state != last:
            last, since = state, time.time()
        if ready and not lost and not any(state[3:]) and time.time() - since > 1:
            break
        time.sleep(0.2)
    seen.clear()
    code = daemon.end()
    daemon.collect(seen)
    log = daemon.log()
    lost, doubled, unknown = model.judge(seen, log)
    counts = collections.Counter(files=writer.number, records=len(model.must), published=sum(seen.values()), kills=ends['SIGKILL'], terms=ends['SIGTERM'], lost=len(lost),
                                 doubled=len(doubled), unknown=len(unknown), warned=log.count('was changed or truncated'), grown=log.count(' grew after it was '),
                                 copies=log.count('is a copy of'), to_deleted=writer.done['written to a deleted file'], rounds=1, bad_ends=code != 0)
    holds = not (lost or doubled or unknown or code)
    if not holds:
        print('SEED %d: finish %s, claim %s, lost %s, doubled %s, unknown %s, exit %d; %s' % (seed, finish, claim, *(
            [(url, model.labels.get(url)) for url in urls[:5]] for urls in (lost, doubled, unknown)), code, folder), flush=True)
    if holds or not keep:
        shutil.rmtree(folder)
    return counts, holds


def describe(counts):
    return ', '.join('%s %d' % (name, counts[name]) for name in ('rounds', 'files', 'records', 'published', 'kills', 'terms', 'grown', 'copies', 'warned', 'to_deleted', 'lost',
                                                                 'doubled', 'unknown', 'bad_ends'))


def search(seed, rounds, keep, enough=lambda: False):
    total, holds = collections.Counter(), True
    for number in range(rounds):
        try:
            counts, held = search_round(seed + number, keep)
        except Exception:  # such as a daemon that does not end in time: the search continues with the next seed
            print('SEED %d: %s' % (seed + number, traceback.format_exc()), flush=True)
            for daemon in list(Daemon.running):
                daemon.end(signal.SIGKILL)
            counts, held = {'rounds': 1, 'bad_ends': 1}, False
        total.update(counts)
        holds &= held
        if enough():
            break
    return total, holds


def used_seconds():
    """Returns the processor time of this process, and of its daemons that have ended."""
    return [sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]


def search_by_time(seed, minutes, processes, seconds):
    """Gives each process a part of the time, and separate seeds."""
    pipes, end = [], time.time() + seconds
    for number in range(processes):
        out, into = os.pipe()
        if os.fork() == 0:
            is_over = []
            signal.signal(signal.SIGTERM, lambda *_: is_over.append(True))  # ends after the current round, with the counts so far
            total, _ = search(seed + 100000 * number, 1 << 30, True, lambda: is_over or sum(used_seconds()) >= 60 * minutes / processes or time.time() > end)
            os.write(into, json.dumps([total, used_seconds()]).encode())
            os._exit(0)
        os.close(into)
        pipes.append(out)
    total, used = collections.Counter(), [0.0, 0.0]
    for out in pipes:
        with os.fdopen(out, 'rb') as f:
            text = f.read()
        counts, more = json.loads(text) if text else ({'bad_ends': 1}, (0, 0))  # without text it was killed
        total.update(counts)
        used = [one + two for one, two in zip(used, more)]
    print('%s; %.1f minutes of processor time, %.1f of the daemons' % (describe(total), sum(used) / 60, used[1] / 60))
    return total['lost'] + total['doubled'] + total['unknown'] + total['bad_ends'] == 0


def descriptors_and_memory(pid):
    with open('/proc/%d/status' % pid) as f:
        memory = {line.split(':')[0]: int(line.split()[1]) for line in f if line.startswith(('VmRSS', 'VmHWM'))}
    return len(os.listdir('/proc/%d/fd' % pid)), memory['VmRSS'], memory['VmHWM']


def soak(seconds, folder):
    """Two daemons, because a site memory and isolation cannot be combined. A has isolation, an index and a file of sites. B has an index and a site memory."""
    folder = folder or tempfile.mkdtemp(prefix='thresher-soak-')
    rng = random.Random(1)
    first = os.path.join(folder, 'first.warc')
    os.makedirs(folder, exist_ok=True)
    archive.write(first, archive.records(200), 'plain')
    subprocess.run([PROGRAM, 'sites', 'build', first, '--output', os.path.join(folder, 'sites'), '-q'], check=True)
    times = 'settle-ms = 200\nquiet-ms = 400\nmin-age-ms = 800\nrescan-ms = 2000\n'
    more = '[index]\npath = %s/index\nedges = %s/edges.jsonl\n[sites]\n%s'
    daemons = []
    for name, run, sites in (('a', 'jobs = 2\nemit = posts,segments,links\n[limits]\nisolation = process\n', 'sites = %s/sites\n' % folder), ('b', 'jobs = 2\nemit = posts,signals\n', 'path = %s/b/sites\n' % folder)):
        where = os.path.join(folder, name)
        os.makedirs(where)
        daemon = Daemon(where, {'run': run, 'daemon': 'drain-ms = 600000\nflush-ms = 500\n', 'more': 'roll-ms = 10000\n' + more % (where, where, sites)}, times)
        daemon.start()
        while not daemon.get('/livez') and daemon.process.poll() is None:
            time.sleep(0.1)
        daemons.append((daemon, Writer(rng, daemon.spool, Model(), 2, 'move', os.path.join(where, 'writer.log')), collections.Counter()))
    begin, next_look, next_hup, hups, scrapes = time.time(), 0, time.time() + 30, 0, 0
    steps = {id(daemon): [] for daemon, _, _ in daemons}
    names, weights = zip(*Writer.STEPS)
    codes = []
    end = [begin + seconds]
    signal.signal(signal.SIGTERM, lambda *_: end.__setitem__(0, 0))  # ends the writers early; the records are compared as always
    while time.time() < end[0] or any(steps.values()):
        is_over = time.time() >= end[0]
        for daemon, writer, seen in daemons:
            mine = steps[id(daemon)]
            if len(mine) < 6 and not is_over:
                name = rng.choices(names, weights)[0]
                writer.done[name] += 1
                mine.append(getattr(writer, name)())
            if mine:
                step = rng.choice(mine)
                try:
                    writer.advance(step)
                except StopIteration:
                    mine.remove(step)
            if daemon.process.poll() is not None:
                print('DAEMON ENDED with %d after %.0f s: %s' % (daemon.process.returncode, time.time() - begin, daemon.log()[-2000:]), flush=True)
                return False
        time.sleep(rng.uniform(0.05, 0.3))
        if time.time() > next_hup:
            for daemon, _, _ in daemons:
                daemon.process.send_signal(signal.SIGHUP)
            next_hup, hups = time.time() + rng.uniform(20, 60), hups + 1
        if time.time() > next_look:
            next_look = time.time() + 60
            for (daemon, writer, seen), name in zip(daemons, 'ab'):
                scrapes += daemon.get('/metrics') != ''
                daemon.get('/readyz')
                daemon.collect(seen, True)
                fds, now, most = descriptors_and_memory(daemon.process.pid)
                print('%6.0f s  %s  fds %d  rss %d KiB  most %d KiB  records %d  published %d  files %d' % (
                    time.time() - begin, name, fds, now, most, len(writer.model.must), sum(seen.values()), writer.number), flush=True)
        else:
            for daemon, _, _ in daemons:
                scrapes += daemon.get('/metrics') != ''
    ran = time.time() - begin
    holds = True
    for (daemon, writer, seen), name in zip(daemons, 'ab'):
        last, since = None, time.time()  # whatever the machine's speed: until nothing moves any more
        while time.time() - since < (60 if daemon.waits() else 5):
            state = daemon.metric('thresher_records_emitted_total')
            if state != last:
                last, since = state, time.time()
            time.sleep(1)
        codes.append(daemon.end())
        daemon.collect(seen)
        lost, doubled, unknown = writer.model.judge(seen, daemon.log())
        holds &= not (lost or doubled or unknown or codes[-1])
        print('%s: records %d, published %d, lost %d, doubled %d, unknown %d, exit %d; %s' % (
            name, len(writer.model.must), sum(seen.values()), len(lost), len(doubled), len(unknown), codes[-1], dict(writer.done)))
        print('   lost %s doubled %s' % (lost, doubled))
    print('ran %.0f s, %d SIGHUP, %d scrapes' % (ran, hups, scrapes))
    return holds


def main():
    what, rest = (sys.argv[2:] or ['search'])[0], sys.argv[3:]
    if what == 'soak':
        return soak(int(rest[0]), rest[1] if len(rest) > 1 else None)
    if what == 'cpu':
        return search_by_time(int(rest[0]), float(rest[1]), int(rest[2]) if len(rest) > 2 else 1, float(rest[3]) if len(rest) > 3 else 1e9)
    total, holds = search(int(rest[0]) if rest else 1, int(rest[1]) if len(rest) > 1 else 4, len(rest) > 2)
    print(describe(total))
    return holds


if __name__ == '__main__':
    sys.exit(0 if main() else 1)
