"""Archives in an object store have the records of the local files, also after transfer errors.

usage: remote.py PROGRAM [CASE]     one case, or all
"""
import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from urllib.parse import quote

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import archive
from case import contents, expect, expect_soon, expect_true, start, thresher
from store import Fault, Store

# On a busy machine the store needs seconds for an answer, so only the test of a stall has a short limit.
FAST = ['--remote.backoff-ms', '1', '--remote.stall-ms', '60000', '-k', 'num-words']
KEY = 'crawl/part one/a+b=c&d%41~é.warc.gz'


class Scene:
    """Returns a store with an archive, and the output for the local file."""

    def __init__(self, folder, store, pages=60):
        self.folder, self.store = folder, store
        self.path = archive.write(os.path.join(folder, 'a.warc.gz'), archive.records(pages))
        self.data = contents(self.path)
        store.put('crawls', KEY, self.data)
        self.name = 's3://crawls/' + KEY
        self.local = self.records(thresher('run', '-j2', *FAST, self.path).stdout)

    @staticmethod
    def records(out):
        """Records without the name of their archive."""
        lines = [json.loads(line) for line in out.splitlines()]
        for line in lines:
            line['source'].pop('file')
        return lines

    def run(self, *args, **env):
        return thresher('run', '-j2', *FAST, *args, env=self.store.environment(**env))

    def expect_same(self, claim, run):
        expect(claim + ': exit code', (run.returncode, run.stderr if run.returncode else b''), (0, b''))
        expect_true(claim + ': the local records', self.records(run.stdout) == self.local)


def names(scene):
    scene.expect_same('a key with odd characters', scene.run(scene.name))
    scene.store.put('open', 'x.warc.gz', scene.data)
    scene.expect_same('unsigned', scene.run('--remote.credentials', 'none', 's3://open/x.warc.gz'))
    scene.expect_same('https or http', scene.run(scene.store.endpoint + '/web/open/x.warc.gz?Signature=1'))
    by_host = dict(AWS_ENDPOINT_URL='http://localhost:%d/' % scene.store.port)
    scene.store.log.clear()
    scene.expect_same('the bucket in the host', scene.run('--remote.path-style', 'off', scene.name, **by_host))
    expect('and not in the path', {path.partition('?')[0] for path, _ in scene.store.log}, {'/' + quote(KEY, safe='/-._~')})
    scene.store.log.clear()
    scene.expect_same('and in the path', scene.run('--remote.path-style', 'on', scene.name, **by_host))
    expect('it is in the path', {path.partition('?')[0] for path, _ in scene.store.log}, {'/crawls/' + quote(KEY, safe='/-._~')})
    run = scene.run(scene.name, AWS_SECRET_ACCESS_KEY='wrong')
    expect('wrong secret', (run.returncode, run.stdout), (1, b''))
    expect_true('it is reported', b'status 403 SignatureDoesNotMatch' in run.stderr and b'offset 0' in run.stderr, run.stderr)
    run = scene.run('--remote.region', 'moon-1', scene.name)
    expect_true('so is another region', run.returncode == 1 and b'status 403 AuthorizationHeaderMalformed' in run.stderr, run.stderr)
    run = scene.run('s3://crawls/none.warc.gz', scene.name)
    expect('an object that is not there stops no other', (run.returncode, len(scene.records(run.stdout))), (1, len(scene.local)))
    expect_true('it is reported', b's3://crawls/none.warc.gz: offset 0: not found: status 404 NoSuchKey' in run.stderr, run.stderr)
    out = os.path.join(scene.folder, 'out') + os.sep
    scene.run('-O', out, scene.store.endpoint + '/web/open/x.warc.gz?Signature=1')
    expect('a query is not part of an output name', sorted(os.listdir(out)), ['thresher.manifest.json', 'thresher.state', 'x.jsonl'])
    run = scene.run('https://user:pass@127.0.0.1/x.warc')
    expect('a password in a URL', run.returncode, 2)


def listing(scene):
    for key in ('many/b c.warc.gz', 'many/ä%.warc.gz', 'many/deep/+.warc.gz', 'many/notes.txt', 'many/folder/'):
        scene.store.put('crawls', key, scene.data)
    run = scene.run('s3://crawls/many/')
    expect('a prefix, page by page', run.returncode, 0)
    files = [json.loads(line)['source']['file'] for line in run.stdout.splitlines()]
    expect('archives in the order of their bytes', list(dict.fromkeys(files)),
           ['s3://crawls/many/' + name for name in ('b c.warc.gz', 'deep/+.warc.gz', 'ä%.warc.gz')])
    plain = scene.run('s3://crawls/many/').stdout
    for twist in ('twice', 'loud'):
        scene.store.twist = twist
        run = scene.run('s3://crawls/many/')
        expect('listing, %s: each object once' % twist, (run.returncode, run.stdout == plain), (0, True))
    for twist, words in (('outside', b'which is not under the listed prefix'), ('round', b'the same continuation token occurred twice')):
        scene.store.twist = twist
        run = scene.run('s3://crawls/many/')
        expect('listing, %s: refused' % twist, (run.returncode, run.stdout), (74, b''))
        expect_true('listing, %s: in words' % twist, words in run.stderr, run.stderr)
    scene.store.twist = None
    scene.store.put('crawls', 'paths.gz', gzip.compress(b'many/b c.warc.gz\n') + gzip.compress(b'# no\n\nmany/deep/+.warc.gz'))
    run = scene.run('--base', 's3://crawls', '@s3://crawls/paths.gz')
    expect('a remote list, packed, with a base', len(run.stdout.splitlines()), 2 * len(scene.local))
    local = os.path.join(scene.folder, 'paths.gz')
    with open(local, 'wb') as f:
        f.write(gzip.compress(b'many/b c.warc.gz\n')[:-6])
    run = scene.run('--base', 's3://crawls', '@' + local)
    expect_true('a list that is cut', run.returncode != 0 and b'not a complete gzip file' in run.stderr, run.stderr)
    run = scene.run('s3://crawls/nothing/')
    expect_true('a prefix without archives', b'no archive found under' in run.stderr, run.stderr)


def faults(scene):
    store, half = scene.store, len(scene.data) // 2
    for kind, more in (('cut', []), ('reset', []), ('stall', []), ('cut', [Fault('whole')]),
                       ('cut', [Fault('503'), Fault('503', seconds=1), Fault('cut', half), Fault('cut', half + 1)])):
        is_stall = kind == 'stall'
        store.faults = [Fault(kind, half, seconds=30 if is_stall else 1), *more]
        store.log.clear()
        scene.expect_same('%s and %s' % (kind, [fault.kind for fault in more]), scene.run('--remote.stall-ms', '500' if is_stall else '60000', scene.name))
        expect_true('one GET, then ranges', store.log[0][1] == '' and all(r.startswith('bytes=') for _, r in store.log[1:]), store.log)
    for after in (Fault('changed'), Fault('nameless', half)):
        first = Fault('cut', half) if after.kind == 'changed' else after
        store.faults = [first, after]
        run = scene.run(scene.name)
        got = scene.records(run.stdout)
        whole = [line for line in got if line in scene.local]
        expect('%s: exits with 1' % after.kind, run.returncode, 1)
        expect_true('%s: nothing is spliced' % after.kind, len(got) - len(whole) <= 1 and whole == scene.local[:len(whole)])
        expect_true('%s: object and offset are named' % after.kind,
                    ('%s: offset %d: ' % (scene.name, half)).encode() in run.stderr, run.stderr)
    for kind, words in (('nothing', b'returned no object'), ('long-head', b'a header line is longer')):
        store.faults = [Fault(kind)]
        run = scene.run(scene.name, scene.name)
        expect('%s: costs one input' % kind, (run.returncode, scene.records(run.stdout)), (1, scene.local))
        expect_true('%s: in words' % kind, words in run.stderr, run.stderr)
    store.always = Fault('loop')
    run = scene.run(scene.name)
    expect_true('redirects without end', run.returncode == 1 and b'more than 5 redirects' in run.stderr, run.stderr)
    store.always = Fault('503')
    run = scene.run('--remote.retries', '3', scene.name)
    expect_true('no additional attempts', run.returncode == 1 and b'offset 0: the server is throttling requests: status 503 SlowDown' in run.stderr, run.stderr)
    store.always = None


def received(scene):
    """Records that came before a failure are emitted, as of a file that is cut there."""
    store, at = scene.store, 0
    path = archive.write(os.path.join(scene.folder, 'long.warc.gz'), archive.records(500))
    data = contents(path)
    store.put('crawls', 'p/1.warc.gz', scene.data)
    store.put('crawls', 'p/2.warc.gz', data)
    store.put('crawls', 'p/3.warc.gz', scene.data)
    for part in (.3, .6, .95):
        at = int(len(data) * part)
        short = os.path.join(scene.folder, 'short.warc.gz')
        with open(short, 'wb') as f:
            f.write(data[:at])
        whole = [line for line in scene.records(thresher('run', '-q', *FAST, short).stdout) if 'warc_damaged' not in line.get('flags', [])]
        for jobs in (1, 4):
            store.faults = [Fault('none'), Fault('cut', at), *[Fault('503')] * 2]
            run = scene.run('-j%d' % jobs, '--remote.retries', '1', 's3://crawls/p/')
            expect('the store goes away at %d, %d jobs' % (at, jobs), (run.returncode, scene.records(run.stdout) == scene.local + whole), (1, True))
            store.faults = [Fault('none'), Fault('cut', at), Fault('changed')]
            run = scene.run('-j%d' % jobs, 's3://crawls/p/')
            got = scene.records(run.stdout)
            cut = [line for line in got if 'warc_damaged' in line.get('flags', [])]
            got = [line for line in got if line not in cut]
            expect('the object changes at %d, %d jobs' % (at, jobs), (run.returncode, got == scene.local + whole + scene.local, len(cut) <= 1), (1, True, True))
            expect_true('no damage is told', b'member_' not in run.stderr and b'header_eof' not in run.stderr, run.stderr)
    table, other = (os.path.join(scene.folder, name) for name in ('received.jsonl', 'whole.jsonl'))
    for end in ('', '.gz'):
        store.faults = [Fault('none'), Fault('cut', at), *[Fault('503')] * 2]
        command = ['--remote.retries', '1', '--checkpoint-ms', '0', '--resume', '-O', table + end, 's3://crawls/p/']
        expect('a file: the same failure', scene.run(*command).returncode, 1)
        run = scene.run(*command)
        expect('and the same command', run.returncode, 0)
        whole = scene.run('-O', other + end, 's3://crawls/p/')
        expect('a run without failures', (whole.returncode, whole.stderr if whole.returncode else b''), (0, b''))
        expect_true('gives the same bytes', contents(table + end) == contents(other + end), whole.stderr)


def slow(scene):
    """A server that gives a byte now and then, or a byte for each connection, does not keep a run busy."""
    store = scene.store
    limits = ['--remote.min-rate-ms', '400', '--remote.retries', '2']
    for kind, at in (('drip', 0), ('drip', 20000), ('drip-head', 0)):
        store.always = Fault(kind, at, seconds=.02)
        run = scene.run(*limits, scene.name)
        expect_true('%s at %d ends' % (kind, at), run.returncode == 1 and b'slower than remote.min-rate: ' in run.stderr, run.stderr)
        expect('%s at %d: each further try is told' % (kind, at), run.stderr.count(b': retrying in '), 2)
    store.always = Fault('byte')
    store.log.clear()
    run = scene.run('--remote.retries', '3', scene.name)
    expect_true('a byte for each connection ends', run.returncode == 1 and b'no retries left' in run.stderr and len(store.log) == 4, (run.stderr, store.log))
    store.always = None
    store.faults = [Fault('byte')] * 2 + [Fault('drip', 20000, seconds=.02), Fault('byte')]
    scene.expect_same('slow for a while', scene.run(*limits, scene.name))
    store.faults = [Fault('cut', at) for at in range(2000, len(scene.data), 2000)]
    scene.expect_same('many cuts with progress between them', scene.run('--remote.retries', '1', scene.name))
    store.write_faults = [Fault('drip-head', seconds=.02)] * 2
    run = scene.run(*limits, '--remote.min-rate-ms', '40', '--remote.retries', '1', '--remote.staging', os.path.join(scene.folder, 'staging'), '-O', 's3://crawls/x.jsonl',
                    scene.path)
    expect_true('an upload without an answer ends', run.returncode == 1 and b'slower than remote.min-rate: ' in run.stderr, run.stderr)


def unreachable(scene):
    """A host that is not there is reported after three tries, for any remote.retries."""
    for url, words in (('http://127.0.0.1:1/a.warc.gz', b'connect'), ('https://archive.thresher-test.invalid/a.warc.gz', b'archive.thresher-test.invalid')):
        run = scene.run('--remote.retries', '1000', '--remote.connect-ms', '5000', url, scene.path)
        lines = run.stderr.splitlines()
        again = [line for line in lines if b': retrying in ' in line]
        expect_true('%s: three tries' % url, run.returncode == 1 and len(again) == 2 and again[0].endswith(b'(1 of 2)') and all(words in line for line in again), lines)
        expect_true('%s: and the reason' % url, any(line.startswith(b'thresher: %s: offset 0: ' % url.encode()) and line.endswith(b'; no retries left') for line in lines), lines)
        run = scene.run('-q', '--remote.retries', '0', '--remote.connect-ms', '5000', url)
        expect_true('%s: quiet, one try' % url, run.returncode == 1 and b'retrying' not in run.stderr and words in run.stderr, run.stderr)


def resume(scene):
    out = os.path.join(scene.folder, 'out.jsonl')
    command = ['run', '-j2', *FAST, '--checkpoint-ms', '0', '-O', out, '--resume', scene.name]
    scene.store.faults = [Fault('cut', len(scene.data) * 2 // 3), *[Fault('503')] * 3]
    run = thresher(*command, '--remote.retries', '2', env=scene.store.environment())
    expect_true('the store goes away', run.returncode == 1 and b'repeat the command with --resume' in run.stderr, run.stderr)
    scene.store.log.clear()
    scene.store.faults = []
    run = thresher(*command, env=scene.store.environment())
    expect('--resume continues', (run.returncode, run.stderr[-300:] if run.returncode else b''), (0, b''))
    expect_true('inside the object', [r for _, r in scene.store.log][-1].startswith('bytes='), scene.store.log)
    expect_true('to the local records', scene.records(contents(out)) == scene.local)
    os.remove(out)
    os.remove(out + '.state')
    scene.store.faults = [Fault('cut', len(scene.data) * 2 // 3), *[Fault('503')] * 3]
    thresher(*command, '--remote.retries', '2', env=scene.store.environment())
    scene.store.put('crawls', KEY, scene.data + b'\n')
    run = thresher(*command, env=scene.store.environment())
    expect_true('an object that was replaced meanwhile', run.returncode == 1 and b'changed during reading' in run.stderr, run.stderr)
    scene.store.put('crawls', KEY, scene.data)


def stop(scene):
    """A signal ends a wait soon."""
    scene.store.always = Fault('stall', 1000, seconds=600)
    process = start('run', '--remote.stall-ms', '60000', scene.name, env=scene.store.environment(), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    time.sleep(.5)
    process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    expect('interrupted', process.wait(timeout=300), 130)
    expect_soon('a signal ends a wait', time.monotonic() - began, 5)
    scene.store.always = None


def pages(scene):
    listed = thresher('records', '-q', scene.name, env=scene.store.environment())
    here = thresher('records', '-q', scene.path)
    without = [[{k: v for k, v in json.loads(line).items() if k != 'file'} for line in run.stdout.splitlines()] for run in (listed, here)]
    expect_true('records lists the same', without[0] == without[1] and len(without[0]) > 100)
    offset = [row['offset'] for row in without[0] if row['type'] == 'response'][-1]
    scene.store.log.clear()
    shown = thresher('inspect', '--json', '%s#%d' % (scene.name, offset), env=scene.store.environment())
    expect('by one range', [asked for _, asked in scene.store.log], ['bytes=%d-' % offset])
    local = thresher('inspect', '--json', '%s#%d' % (scene.path, offset))
    expect('inspect by offset', shown.stdout.replace(scene.name.encode(), b''), local.stdout.replace(scene.path.encode(), b''))
    expect('it found it', shown.returncode, 0)
    scene.store.log.clear()
    shown = thresher('inspect', '--json', '%s#%d,%d' % (scene.name, offset, 3000), env=scene.store.environment())
    expect('of its length', (shown.returncode, [asked for _, asked in scene.store.log]), (0, ['bytes=%d-%d' % (offset, offset + 2999)]))
    shown = thresher('inspect', '%s#%d' % (scene.name, offset - 1), env=scene.store.environment())
    expect_true('no record there', shown.returncode == 1 and b'no record starts at offset %d; the next record starts at %d' % (offset - 1, offset) in shown.stderr, shown.stderr)
    scene.store.put('open', 'page.html', b'<title>t</title><p>one two three')
    shown = thresher('inspect', '--json', scene.store.endpoint + '/web/open/page.html', env=scene.store.environment())
    expect_true('a page', shown.returncode == 0 and b'one two three' in shown.stdout, shown.stderr)


def pointers(scene):
    """Single records, by the lines of an index: a range each, over one connection. hits.py has merged ranges."""
    each = ['--remote.coalesce', '0']
    store = scene.store
    index = thresher('records', '--cdxj', scene.path).stdout.decode().splitlines()
    index = [line.replace('"filename":"a.warc.gz"', json.dumps({'filename': KEY})[1:-1]) for line in index]
    expect_true('an index', len(index) >= len(scene.local), len(index))
    rows = [json.loads(line.split(' ', 2)[2]) for line in index]
    table = ['url,warc_filename,warc_record_offset,warc_record_length'] + ['"%s",%s,%s,%s' % (row['url'], row['filename'], row['offset'], row['length']) for row in rows]
    by_place = {record['source']['offset']: record for record in scene.local}
    for name, lines in (('cdxj', index), ('csv', table)):
        path = os.path.join(scene.folder, 'list.' + name)
        with open(path, 'w') as f:
            f.write('# pointers\n' + '\n'.join(lines) + '\n')
        store.log.clear()
        for base in ('s3://crawls', scene.folder):
            run = scene.run(*each, '--base', base, '@' + path) if base != scene.folder else \
                thresher('run', '-j2', *FAST, '--base', base, '@' + path.replace('list.', 'here.'))
            if base == 's3://crawls':
                expect_true('%s: exit code' % name, run.returncode == 0, run.stderr)
                expect_true('%s: each record as from the archive' % name, scene.records(run.stdout) == [by_place[int(row['offset'])] for row in rows
                                                                                                        if int(row['offset']) in by_place])
                ranges = ['bytes=%d-%d' % (int(row['offset']), int(row['offset']) + int(row['length']) - 1) for row in rows]
                expect('%s: these ranges and nothing else' % name, [r for _, r in store.log], ranges)
                with open(path.replace('list.', 'here.'), 'w') as f:
                    f.write('\n'.join(line.replace(KEY, 'a.warc.gz').replace(json.dumps(KEY)[1:-1], 'a.warc.gz') for line in lines))
            else:
                expect_true('%s: the same, local' % name, run.returncode == 0 and scene.records(run.stdout) == scene.records(
                    scene.run(*each, '--base', 's3://crawls', '@' + path).stdout), run.stderr)
    expect('one connection for all of a run', len({port for port in store.ports[-len(rows):]}), 1)
    good = '%s#%s,%s' % (scene.name, rows[1]['offset'], rows[1]['length'])
    run = scene.run('s3://crawls/none.warc.gz#5,6', '%s#%d,900' % (scene.name, int(rows[1]['offset']) + 1), good)
    expect('an unreadable input does not stop the others', (run.returncode, len(run.stdout.splitlines())), (1, 1))
    at = int(rows[1]['offset']) + 1
    expect_true('it is reported once', run.stderr.startswith(b'thresher: s3://crawls/none.warc.gz: offset 5: not found') and
                b': no record starts at offset %d' % at in run.stderr, run.stderr)
    expect_true('damage has its offset in the whole object', b',900: offset %d: garbage_at_end: 900 bytes' % at in run.stderr, run.stderr)
    shared = os.path.join(scene.folder, 'shared.warc.gz')  # all records in one member
    with open(shared, 'wb') as f:
        f.write(gzip.compress(gzip.decompress(scene.data)))
    within = json.loads(thresher('run', '-q', *FAST, shared).stdout.splitlines()[1])
    place = shared, within['source']['offset'], within['source']['skip']
    run = thresher('run', '-q', *FAST, '%s#%d+%d' % place)
    expect_true('a record within a member', run.returncode == 0 and json.loads(run.stdout) == within, run.stderr)
    run = thresher('run', '-q', *FAST, '%s#%d+%d' % (*place[:2], place[2] - 9))
    expect('not the record after the offset', (run.returncode, run.stdout), (1, b''))
    out = os.path.join(scene.folder, 'pointers.jsonl')
    store.faults = [Fault('none'), Fault('503'), *[Fault('none')] * 5, *[Fault('503')] * 3]
    command = [*each, '--remote.retries', '2', '--checkpoint-ms', '0', '--resume', '--base', 's3://crawls', '-O', out, '@' + os.path.join(scene.folder, 'list.cdxj')]
    run = scene.run(*command)
    expect_true('the store goes away', run.returncode == 1 and b'repeat the command with --resume' in run.stderr, run.stderr)
    store.log.clear()
    expect('--resume continues', scene.run(*command).returncode, 0)
    expect_true('at the next pointer', len(store.log) < len(rows) - 3, len(store.log))
    expect_true('to the same records', scene.records(contents(out)) == [by_place[int(row['offset'])] for row in rows if int(row['offset']) in by_place])


def keys(scene):
    """Credentials from a file, a container, an instance."""
    scene.store.put('endpoints', 'keys', json.dumps({'AccessKeyId': 'test', 'SecretAccessKey': 'secret', 'Token': 'session',
                                                    'Expiration': '2099-01-01T00:00:00Z'}).encode())
    profile = os.path.join(scene.folder, 'credentials')
    with open(profile, 'w') as f:
        f.write('[default]\naws_access_key_id=no\n[work]\naws_access_key_id = test\naws_secret_access_key = secret\n')
    clean = dict(AWS_ACCESS_KEY_ID='', AWS_SECRET_ACCESS_KEY='', HOME=scene.folder)
    scene.expect_same('profile', scene.run(scene.name, **clean, AWS_SHARED_CREDENTIALS_FILE=profile, AWS_PROFILE='work'))
    scene.expect_same('container', scene.run(scene.name, **clean, AWS_CONTAINER_CREDENTIALS_FULL_URI=scene.store.endpoint + '/web/endpoints/keys'))
    scene.expect_same('instance', scene.run(scene.name, **clean, AWS_EC2_METADATA_DISABLED='false',
                                            AWS_EC2_METADATA_SERVICE_ENDPOINT=scene.store.endpoint + '/imds'))
    container = dict(clean, AWS_CONTAINER_CREDENTIALS_FULL_URI=scene.store.endpoint + '/web/endpoints/keys')
    token, absent = os.path.join(scene.folder, 'container-token'), os.path.join(scene.folder, 'absent')
    for text, wanted in (('a b.c\r\nd\n', 'a b.c'), ('', None)):
        with open(token, 'w', newline='') as f:
            f.write(text)
        scene.store.tokens.clear()
        scene.expect_same('container, with a token of %r' % text, scene.run(scene.name, **container, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=token))
        expect('the token is the first line', set(scene.store.tokens), {wanted})
    good = scene.store.buckets['endpoints']['keys']
    for claim, body, more, words in (('without a token file', good, dict(AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=absent), "cannot open '%s': No such file or directory" % absent),
                                     ('with another answer', b'none', {}, '/web/endpoints/keys returned no credentials'),
                                     ('with half an answer', b'{}', {}, '/web/endpoints/keys: incomplete credentials'),
                                     ('with a long answer', good + b' ' * (1 << 20), {}, '/web/endpoints/keys: the answer is too long')):
        scene.store.put('endpoints', 'keys', body)
        run = scene.run('--remote.retries', '0', scene.name, **container, **more)
        expect_true('container %s' % claim, run.returncode == 1 and words.encode() in run.stderr, run.stderr)
    scene.store.put('endpoints', 'keys', good)
    # Keys that expire soon are refreshed for the second archive. The instance returns none, and the current keys are used.
    scene.store.put('crawls', 'again.warc.gz', scene.data)
    scene.store.key_answers = [time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(time.time() + 200)), None]
    run = scene.run(scene.name, 's3://crawls/again.warc.gz', **clean, AWS_EC2_METADATA_DISABLED='false',
                    AWS_EC2_METADATA_SERVICE_ENDPOINT=scene.store.endpoint + '/imds')
    expect('keys that end soon', (run.returncode, len(run.stdout.splitlines()), scene.store.key_answers), (0, 2 * len(scene.local), []))
    del scene.store.buckets['crawls']['again.warc.gz']
    run = scene.run(scene.name, **clean, AWS_CONTAINER_CREDENTIALS_FULL_URI='http://example.org/keys')
    expect_true('not to every host', b'must use https or an address of this machine' in run.stderr, run.stderr)
    run = scene.run(scene.name, **clean)
    expect_true('none', b'no credentials found' in run.stderr, run.stderr)
    for lines in (run.stderr, thresher('inspect', scene.name + '#0', env=scene.store.environment(**clean)).stderr):
        expect_true('the object is named once', lines.startswith(b'thresher: %s: offset 0: no credentials' % scene.name.encode()), lines)
    run = scene.run('s3://crawls/', **clean)
    expect('none for a listing', (run.returncode, run.stderr), (
        74, b"thresher: cannot list 's3://crawls/': no credentials found; for public objects set remote.credentials = none\n"))
    for name in ('s3://crawls/', '@s3://crawls/list'):
        run = scene.run('--remote.retries', '1', '--remote.backoff-ms', '1', '--remote.endpoint', 'http://127.0.0.1:1', name)
        expect_true('no store: ' + name, run.returncode == 74 and b'connect' in run.stderr, run)


def web_identity(scene):
    """The token of a pod (EKS) is exchanged for keys; without them no other way is tried."""
    store, token = scene.store, os.path.join(scene.folder, 'token')
    with open(token, 'w') as f:
        f.write('jwt.a+b/c=\n')
    store.put('endpoints', 'keys', json.dumps({'AccessKeyId': 'node', 'SecretAccessKey': 'node'}).encode())
    pod = dict(AWS_ACCESS_KEY_ID='', AWS_SECRET_ACCESS_KEY='', HOME=scene.folder, AWS_WEB_IDENTITY_TOKEN_FILE=token, AWS_ROLE_ARN='arn:aws:iam::1:role/reader',
               AWS_ENDPOINT_URL_STS=store.endpoint + '/sts', AWS_CONTAINER_CREDENTIALS_FULL_URI=store.endpoint + '/web/endpoints/keys')
    for more in ([], ['--remote.credentials', 'web-identity']):
        scene.expect_same('a token, %s' % more, scene.run(*more, scene.name, **pod))
    expect('the session has a name', [form['RoleSessionName'] for form in store.exchanges], ['thresher'] * 2)
    store.exchange_faults = [(503, 'ServiceUnavailable'), (400, 'IDPCommunicationError')]
    scene.expect_same('after errors that pass', scene.run(scene.name, **pod))
    store.log.clear()
    refusals = [(dict(pod, AWS_ROLE_ARN='arn:aws:iam::1:role/other'), b'cannot exchange the web identity token: status 403 AccessDenied'),
                (dict(pod, AWS_ROLE_ARN=''), b'AWS_ROLE_ARN is not'),
                (dict(pod, AWS_WEB_IDENTITY_TOKEN_FILE=token + 'x'), b'cannot open'),
                (dict(pod, AWS_REGION='a b'), b"'a b' is not a region"),
                (dict(pod, AWS_ENDPOINT_URL_STS='http://sts.example.org/'), b'must use https or an address of this machine')]
    for environment, words in refusals:
        run = scene.run(scene.name, **environment)
        expect_true('refused: %s' % words.decode(), run.returncode == 1 and words in run.stderr and b'no retries left' not in run.stderr, run.stderr)
    store.exchange_faults = [(400, 'ExpiredTokenException')]
    run = scene.run(scene.name, **pod)
    expect_true('an expired token', run.returncode == 1 and b'cannot exchange the web identity token: status 400 ExpiredTokenException' in run.stderr, run.stderr)
    expect('the role of the node is not asked for', store.log, [])


def output(scene):
    """Records into the store: complete objects, also after errors."""
    store, staging = scene.store, os.path.join(scene.folder, 'staging')
    into = ['--remote.staging', staging]
    name = 's3://crawls/out put/é+.jsonl.gz'
    run = scene.run(*into, '-O', name, scene.name)
    expect('an output', (run.returncode, run.stdout), (0, b''))
    whole = store.buckets['crawls']['out put/é+.jsonl.gz']
    expect_true('its records', scene.records(gzip.decompress(whole)) == scene.local)
    expect('nothing stays here', os.listdir(staging), [])
    told = json.loads(store.buckets['crawls']['out put/é+.jsonl.gz.manifest.json'])
    expect('its manifest', [(o['name'], o['sha256']) for o in told['outputs']], [('é+.jsonl.gz', hashlib.sha256(whole).hexdigest())])
    expect('an object has no digest there', told['inputs'], [{'name': scene.name}])
    run = scene.run(*into, '-O', name, scene.name, AWS_SECRET_ACCESS_KEY='wrong')
    expect_true('a wrong secret', run.returncode == 1 and b'read access denied' in run.stderr, run.stderr)
    run = scene.run(*into, '-O', 's3://nobody/x.jsonl', scene.path)
    expect_true('a bucket that is not there', run.returncode != 0 and b"cannot write 's3://nobody/x.jsonl': not found: status 404 NoSuchBucket" in run.stderr,
                run.stderr)
    expect_true('the remaining parts are named', b'To upload it, repeat the command with --resume' in run.stderr and len(os.listdir(staging)) == 6, os.listdir(staging))
    store.buckets['nobody'] = {}
    run = scene.run(*into, '--resume', '-O', 's3://nobody/x.jsonl', scene.path)
    expect('and sent later', (run.returncode, scene.records(store.buckets['nobody']['x.jsonl']) == scene.local, len(os.listdir(staging))), (0, True, 3))
    for wrong, words in (('https://127.0.0.1/x.jsonl', b'writing to a web server is not supported'), ('s3://crawls', b'has no key'), (scene.name, b'both input and output')):
        run = scene.run(*into, '--compress', 'none', '-O', wrong, scene.name)
        expect_true('refused: ' + wrong, run.returncode == 2 and words in run.stderr, run.stderr)
    for broken in (['503', '503'], ['cut'], ['lost'], ['cut', '503', 'lost']):
        store.buckets['crawls'].pop('x.jsonl', None)
        store.write_faults = [Fault(kind) for kind in broken]
        run = scene.run(*into, '-O', 's3://crawls/x.jsonl', scene.path)
        expect('after %s' % broken, (run.returncode, scene.records(store.buckets['crawls']['x.jsonl']) == scene.local), (0, True))
    for status in (201, 204, 206):
        store.buckets['crawls'].pop('x.jsonl', None)
        store.write_faults = [Fault('nothing', status)]
        run = scene.run(*into, '-O', 's3://crawls/x.jsonl', scene.path)
        expect_true('a store that answers %d has not stored the object' % status, run.returncode == 1 and b'status %d' % status in run.stderr, run.stderr)
        run = scene.run(*into, '--resume', '-O', 's3://crawls/x.jsonl', scene.path)
        expect('and it is sent later', (run.returncode, scene.records(store.buckets['crawls']['x.jsonl']) == scene.local), (0, True))


def redirects(scene):
    """An output goes to the store's own host and to no other, also where requests are not signed."""
    store, staging = scene.store, os.path.join(scene.folder, 'staging')
    with Store() as other:
        other.put('crawls', 'seed', b'')
        store.put('open', 'seed', b'')
        for place in ('http://user:pass@127.0.0.1:%d/x' % other.port, 'http://test@127.0.0.1:%d/x' % other.port):
            store.always = Fault('elsewhere', place=place)
            run = scene.run(scene.name)
            expect_true('a redirect with a password', run.returncode == 1 and b'not followed because it contains a password' in run.stderr and not other.log, run.stderr)
        store.always = None
        for status in (301, 302, 303, 307, 308):
            for name, more in (('s3://crawls/x.jsonl', []), ('s3://open/x.jsonl', ['--remote.credentials', 'none'])):
                store.other, store.write_faults = other.endpoint, [Fault('redirect', status)]
                run = scene.run('--remote.staging', staging, *more, '-O', name, scene.path)
                expect('%d of %s to another host' % (status, name), (run.returncode, other.written), (1, []))
                expect_true('in words', b"redirect of an upload to '%s/" % other.endpoint.encode() in run.stderr, run.stderr)
                expect_true('the output stays here', any(part.endswith('.state') for part in os.listdir(staging)), os.listdir(staging))
                for part in os.listdir(staging):
                    os.remove(os.path.join(staging, part))
            store.other, store.write_faults = None, [Fault('redirect', status)]
            store.buckets['crawls'].pop('x.jsonl', None)
            run = scene.run('--remote.staging', staging, '-O', 's3://crawls/x.jsonl', scene.path)
            followed = 'x.jsonl' in store.buckets['crawls']
            expect('%d to the same host' % status, (run.returncode, followed), (1, False) if status == 303 else (0, True))


def parts(scene):
    """A long output goes in parts."""
    store, staging = scene.store, os.path.join(scene.folder, 'staging')
    records = archive.records(1500)
    path = archive.write(os.path.join(scene.folder, 'long.warc'), records)
    command = ['run', '-q', '-j2', *FAST, '--remote.retries', '4', '--remote.staging', staging, '--emit', 'all', '-O', 's3://crawls/long.jsonl', path]
    local = os.path.join(scene.folder, 'long.jsonl')
    thresher('run', '-q', '-j2', *FAST, '--emit', 'all', '-O', local, path)
    wanted = contents(local)
    expect_true('it has two parts', 16 << 20 < len(wanted) < 32 << 20, len(wanted))
    # begin, part 1, part 2, complete
    for broken in (['none', '503', 'cut', 'lost'], ['none', 'none', 'none', 'lost'], ['lost', 'none', 'none', 'late']):
        store.buckets['crawls'].pop('long.jsonl', None)
        store.write_faults = [Fault(kind) for kind in broken]
        run = thresher(*command, env=store.environment())
        expect('parts, %s' % broken, (run.returncode, run.stderr, store.buckets['crawls'].get('long.jsonl') == wanted), (0, b'', True))
        expect_true('no part is left, but of a beginning whose answer was lost', len(store.uploads) == (broken[0] == 'lost'), store.uploads)
        store.uploads.clear()
    store.buckets['crawls'].pop('long.jsonl')
    store.write_faults = [Fault('none'), *[Fault('slow', seconds=.1)] * 2]
    run = thresher(*command, '--remote.retries', '1', '--remote.min-rate', '1M', '--remote.min-rate-ms', '1000', env=store.environment())
    expect_true('a store that reads slowly', run.returncode == 1 and b'slower than remote.min-rate: ' in run.stderr and not store.uploads, run.stderr)
    store.write_faults = [Fault('none'), Fault('none'), *[Fault('503')] * 5]
    run = thresher(*command, env=store.environment())
    expect_true('the store goes away', run.returncode == 1 and b'no' in run.stderr and not store.uploads and 'long.jsonl' not in store.buckets['crawls'], run.stderr)
    process = start(*command, '--resume', '--remote.backoff-ms', '60000', env=store.environment(), stderr=subprocess.DEVNULL)
    store.write_faults = [Fault('none'), Fault('none'), Fault('503')]
    # Killed after it saved the upload's id. It cannot know an upload without an answer.
    until = time.monotonic() + 300
    while not any(name.endswith('.upload') for name in os.listdir(staging)) and time.monotonic() < until:
        time.sleep(.05)
    process.kill()
    process.wait()
    expect('a kill leaves an upload', len(store.uploads), 1)
    store.write_faults = []
    run = thresher(*command, '--resume', env=store.environment())
    expect('the next run gives it up, and sends all', (run.returncode, len(store.uploads), store.buckets['crawls']['long.jsonl'] == wanted, os.listdir(staging)),
           (0, 0, True, []))


def shares(scene):
    """A folder in the store: an object and a marker for each input. Inputs with a marker are skipped."""
    store, staging = scene.store, os.path.join(scene.folder, 'staging')
    inputs = []
    for i in range(5):
        store.put('crawls', 'in/%d.warc.gz' % i, scene.data)
        inputs.append('s3://crawls/in/%d.warc.gz' % i)
    def share(*more):
        return scene.run('--remote.staging', staging, '-O', 's3://crawls/out/', *more, *inputs)
    expect('half of them', share('--shard', '0/2').returncode, 0)
    outputs = sorted(key for key in store.buckets['crawls'] if key.startswith('out/'))
    expect('objects, markers and manifests', outputs, ['out/%d.jsonl%s' % (i, end) for i in (0, 2, 4) for end in ('', '.done', '.manifest.json')])
    store.written.clear()
    run = share()
    expect_true('all of them', run.returncode == 0 and b'5 of this shard, 3 done before, 0 failed' in run.stderr, run.stderr)
    expect('only missing outputs are written', len(store.written), 6)
    expect_true('each is complete', all(scene.records(store.buckets['crawls']['out/%d.jsonl' % i]) == scene.local for i in range(5)))
    expect('nothing stays here', os.listdir(staging), [])
    run = share('--emit', 'blocks')
    expect_true('other options', run.returncode == 2 and b'marker of a run with other options' in run.stderr, run.stderr)
    run = share('--rejects', os.path.join(scene.folder, 'r'))
    expect_true('the same for all', b'an output folder in a store cannot be combined with rejects' in run.stderr, run.stderr)
    del store.buckets['crawls']['out/1.jsonl.done']
    store.write_faults = [Fault('503')] * 3
    run = share('--remote.retries', '2')
    expect_true('a store that does not answer', run.returncode == 1 and b'4 done before, 1 failed' in run.stderr, run.stderr)
    run = share()
    expect_true('the same command tries again', run.returncode == 0 and b'4 done before, 0 failed' in run.stderr and 'out/1.jsonl.done' in store.buckets['crawls'],
                run.stderr)


def wacz(scene):
    """Archives in a WACZ file, by ranges of it."""
    store, local = scene.store, os.path.join(scene.folder, 'c.wacz')
    with zipfile.ZipFile(local, 'w') as out:
        out.writestr('datapackage.json', '{}')
        for name, way in (('one', zipfile.ZIP_STORED), ('three', zipfile.ZIP_DEFLATED), ('two', zipfile.ZIP_STORED)):
            out.writestr('archive/%s.warc.gz' % name, scene.data, way)
        out.writestr('pages/pages.jsonl', '{}\n' * 50000)
    data = contents(local)
    store.put('crawls', 'w/c.wacz', data)
    name = 's3://crawls/w/c.wacz'

    def named(out, file):
        return out.replace(file.encode(), b'FILE')
    wanted = named(thresher('run', '-j2', *FAST, local).stdout, local)

    def expect_same(claim, run):
        expect(claim + ': exit code', (run.returncode, run.stderr if run.returncode else b''), (0, b''))
        expect_true(claim + ': the local records', named(run.stdout, name) == wanted and len(wanted.splitlines()) == 3 * len(scene.local))
    expect_same('by name', scene.run(name))
    expect_true('nothing but ranges is asked for', all(asked.startswith('bytes=') for _, asked in store.log), store.log)
    expect_true('and few', len(store.log) <= 4 * 4, store.log)
    expect_same('below a prefix', scene.run('s3://crawls/w/'))
    run = scene.run(store.endpoint + '/web/crawls/w/c.wacz')
    expect_true('on a web server', run.returncode == 0 and named(run.stdout, store.endpoint + '/web/crawls/w/c.wacz') == wanted, run.stderr)
    member = name + '!archive/two.warc.gz'
    expect_true('a member by its name', scene.records(scene.run(member).stdout) == scene.local)
    at = [line['source']['offset'] for line in scene.local][-1]
    expect_true('a record by its offset', scene.records(scene.run('%s#%d' % (member, at)).stdout) == scene.local[-1:])
    shown = [thresher('records', *more, env=store.environment()).stdout for more in ([name], [local])]
    expect_true('records', named(shown[0], name) == named(shown[1], local) and shown[0])
    for at in range(1, len(data), len(data) // 3):
        store.faults = [Fault('cut', at)] * 5
        expect_same('cut at byte %d' % at, scene.run(name))
    store.faults = [Fault('503'), Fault('none'), Fault('reset', 1000), Fault('503')]
    expect_same('503 and resets', scene.run(name))
    for faults, always, words in (([], Fault('whole'), b'the server returned the complete object instead of the requested range'),
                                  ([Fault('none')] * 2 + [Fault('changed')], None, b'the object changed during reading'),
                                  ([Fault('nameless')], None, b'the server sends neither ETag nor Last-Modified')):
        store.faults, store.always = faults, always
        run = scene.run(member)
        store.faults, store.always = [], None
        expect_true('exits with 1 and reports: %s' % words.decode(), run.returncode == 1 and words in run.stderr and name.encode() in run.stderr, run.stderr)
    store.always = Fault('503')
    run = scene.run('--remote.retries', '2', member)
    store.always = None
    expect_true('no additional attempts', run.returncode == 1 and b'status 503 SlowDown; no retries left' in run.stderr, run.stderr)
    store.put('crawls', 'w/bad.wacz', data[:-100])
    run = scene.run('s3://crawls/w/bad.wacz', member)
    expect_true('no ZIP file stops no other', run.returncode == 1 and scene.records(run.stdout) == scene.local and b'bad.wacz' in run.stderr, run.stderr)
    # Its archives are inputs: if they could not be listed then, and can be listed now, this is not the same job.
    out = os.path.join(scene.folder, 'b.jsonl')
    run = scene.run('-O', out, '--resume', 's3://crawls/w/bad.wacz')
    expect('a WACZ file that cannot be listed', run.returncode, 1)
    store.put('crawls', 'w/bad.wacz', data)
    run = scene.run('-O', out, '--resume', 's3://crawls/w/bad.wacz')
    expect_true('--resume names the reason', run.returncode == 2 and b'a WACZ file that could not be listed' in run.stderr, run.stderr)
    # Resumed in the middle of a member, behind the bytes that are read ahead when it is opened.
    large = archive.write(os.path.join(scene.folder, 'large.warc.gz'), archive.records(1200))
    with zipfile.ZipFile(local, 'w') as out:
        out.write(large, 'archive/large.warc.gz')
    store.put('crawls', 'w/large.wacz', contents(local))
    out = os.path.join(scene.folder, 'w.jsonl')
    command = ['--checkpoint-ms', '0', '--remote.retries', '0', '-O', out, '--resume', 's3://crawls/w/large.wacz!archive/large.warc.gz']
    store.faults = [Fault('none'), Fault('none'), Fault('cut', os.path.getsize(large) * 2 // 3)]
    run = scene.run(*command)
    wanted = scene.records(thresher('run', '-j2', *FAST, large).stdout)
    expect_true('the tries are used up', run.returncode == 1 and b'repeat the command with --resume' in run.stderr and os.path.exists(out + '.state'), run.stderr)
    store.log.clear()
    run = scene.run(*command)
    expect_true('and continues', run.returncode == 0 and scene.records(contents(out)) == wanted, run.stderr)
    expect_true('inside the member', int(store.log[-1][1].split('=')[1].split('-')[0]) > 60000, store.log)
    os.remove(out)
    os.remove(out + '.state')
    store.faults = [Fault('none'), Fault('none'), Fault('cut', os.path.getsize(large) * 2 // 3)]
    scene.run(*command)
    store.put('crawls', 'w/large.wacz', contents(local) + b'\0')
    run = scene.run(*command)
    expect_true('in the same object only', run.returncode == 1 and b'the object changed during reading' in run.stderr, run.stderr)


CASES = {case.__name__: case for case in (names, listing, faults, received, slow, unreachable, resume, stop, pages, pointers, keys, web_identity, output, redirects, parts, shares, wacz)}


def main():
    for name in sys.argv[2:] or CASES:
        with tempfile.TemporaryDirectory() as folder, Store(page=2) as store:
            CASES[name](Scene(folder, store, 900 if name == 'resume' else 60))


main()
