"""Archives in a WACZ file are read in place, with the same result as outside of it.

usage: wacz.py PROGRAM [MUTATIONS]      MUTATIONS: number of additional damaged files (12)
"""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile

import archive
from case import PROGRAM, contents, expect, expect_true, thresher

MUTATIONS = int(sys.argv[2]) if len(sys.argv) > 2 else 12


def pack(path, members, deflated=(), big=()):
    """members: [(name, bytes)]; `big` ones have the fields of ZIP64"""
    with zipfile.ZipFile(path, 'w') as out:
        out.writestr('datapackage.json', '{}')
        for name, data in members:
            facts = zipfile.ZipInfo(name)
            facts.compress_type = zipfile.ZIP_DEFLATED if name in deflated else zipfile.ZIP_STORED
            with out.open(facts, 'w', force_zip64=name in big) as member:
                member.write(data)
        out.writestr('pages/pages.jsonl', '{}\n')
    return path


def run(*args):
    done = thresher('run', '-q', '-m', 'none', '--rejects', rejects, '-O', '-', *args)
    return done.returncode, done.stdout, done.stderr.decode('utf-8', 'replace')


def lines(text, member):
    """Records without the name of their archive, which must be `member`."""
    found = [json.loads(line) for line in text.splitlines()]
    expect('the source of each is %s' % os.path.basename(member), {record['source'].pop('file') for record in found}, {member})
    return found


with tempfile.TemporaryDirectory() as folder:
    def path(name):
        return os.path.join(folder, name)

    rejects = path('rejects.jsonl')
    plain = archive.write(path('one.warc'), archive.records(40, 1), 'plain')
    packed = archive.write(path('two.warc.gz'), archive.records(40, 2))
    members = [('archive/two.warc.gz', contents(packed)), ('archive/one.warc', contents(plain)), ('archive/three.warc.gz', contents(packed)),
               ('indexes/index.cdx.gz', b'no archive'), ('archive/notes.txt', b'no archive'), ('other/two.warc.gz', contents(packed))]
    good = pack(path('crawl.wacz'), members, deflated=('archive/one.warc',), big=('archive/three.warc.gz',))
    wanted = {name: lines(run(name)[1], name) for name in (plain, packed)}

    # Members by name, without other files. Each has the same records as the separate archive.
    code, text, said = run(good)
    rows = [json.loads(line) for line in text.splitlines()]
    expect('exit code', (code, said), (0, ''))
    expect('archives, by name', list(dict.fromkeys(row['source']['file'] for row in rows)),
           [good + '!archive/' + name for name in ('one.warc', 'three.warc.gz', 'two.warc.gz')])
    for name, alone in (('one.warc', plain), ('two.warc.gz', packed), ('three.warc.gz', packed)):
        member = good + '!archive/' + name
        expect_true(name + ': as alone', lines(run(member)[1], member) == wanted[alone])
    expect_true('-j3: the same', run('-j3', good)[1] == text)
    os.mkdir(path('tree'))
    shutil.copy(good, path('tree'))
    expect_true('in a folder', run(path('tree'))[1].replace((path('tree') + '/').encode(), (folder + '/').encode()) == text)

    # One record from a stored and from a deflated member.
    for name in ('two.warc.gz', 'one.warc'):
        member = good + '!archive/' + name
        row = [json.loads(line) for line in run(member)[1].splitlines()][20]
        place = '%s#%d' % (member, row['source']['offset'])
        expect_true('a record of ' + name, [json.loads(line) for line in run(place)[1].splitlines()] == [row])
        seen = thresher('inspect', '--json', place)
        expect_true('inspect', seen.returncode == 0 and row['url'].encode() in seen.stdout, seen.stderr)

    # Each archive has a separate output, which names its source.
    thresher('run', '-q', '-m', 'none', '-O', path('out') + '/', good)
    expect('outputs', sorted(name for name in os.listdir(path('out')) if name.endswith('.jsonl')),
           ['crawl-one.jsonl', 'crawl-three.jsonl', 'crawl-two.jsonl'])
    listed = thresher('records', good).stdout.splitlines()
    expect('records', len(listed), 3 * 81)
    counted = thresher('sites', 'build', '-q', '-O', path('x.sites'), good)
    expect('sites', counted.returncode, 0)
    refused = thresher('run', '-q', '-O', good, good + '!archive/one.warc')
    expect_true('not written over', refused.returncode == 2 and b'crawl.wacz' in refused.stderr and zipfile.is_zipfile(good), refused.stderr)

    # Killed, and resumed within a member that is deflated. The archive grows until the program does not end before the first kill.
    dice, kills, count = random.Random(7), 0, 900
    while not kills:
        big = pack(path('big%d.wacz' % count), [('archive/big.warc', b''.join(archive.records(count, 3)))], deflated=('archive/big.warc',))
        whole, out = run(big)[1], path('k%d.jsonl' % count)
        for name in (out, out + '.state', out + '.part'):
            assert not os.path.exists(name)
        for _ in range(200):
            resume = ['--resume'] if os.path.exists(out + '.state') else []
            job = subprocess.Popen([PROGRAM, 'run', '-q', '-m', 'none', '--rejects', path('r.jsonl'), '--checkpoint-ms', '1', '-O', out, *resume, big],
                                   stderr=subprocess.PIPE)
            try:
                job.wait(timeout=dice.uniform(.02, .3) if kills < 6 else 300)
            except subprocess.TimeoutExpired:
                job.send_signal(signal.SIGKILL)
                job.wait()
                kills += 1
                continue
            expect('ends well', (job.returncode, job.stderr.read()), (0, b''))
            break
        expect_true('%d records, %d kills: the output of a run without them' % (count, kills), contents(out) == whole)
        count *= 2

    # A problem in one archive is reported and does not stop the others.
    data = contents(good)
    first = data.find(b'PK\1\2', data.find(b'PK\1\2') + 1)  # two.warc.gz: the second member
    local = data.find(b'PK\3\4', 10)
    page = data.find(b'archive/two.warc.gz', local) + len(b'archive/two.warc.gz') + wanted[packed][5]['source']['offset'] + 60
    wrong = {
        'encrypted': ([(first + 8, 1), (local + 6, 1)], 'No password', 80),
        'of another method': ([(first + 10, 77), (local + 8, 77)], 'Compression method not supported', 80),
        'with another checksum': ([(first + 16, data[first + 16] ^ 1)], 'wrong checksum in the ZIP file', 120),
        'damaged': ([(page, data[page] ^ 1)], 'member_damaged', 119),
        'a directory of millions': ([(data.rfind(b'PK\5\6') + 8 + i, 0xfe) for i in range(4)], 'cannot open', 0),
        'a directory elsewhere': ([(data.rfind(b'PK\5\6') + 16 + i, 0x7f) for i in range(4)], 'cannot open', 0),
    }
    for what, (changes, words, count) in wrong.items():
        other = bytearray(data)
        for at, byte in changes:
            other[at] = byte
        bad = path('bad.wacz')
        with open(bad, 'wb') as out:
            out.write(other)
        code, text, said = run(bad, packed)
        expect('%s: records' % what, len(text.splitlines()), count + 40)
        expect_true('%s: reported' % what, code == 1 and words in said and 'bad.wacz' in said, (code, said))
    for what, other in (('cut', data[:len(data) // 2]), ('empty', b''), ('no ZIP file', b'WARC/1.0\r\n' * 9)):
        with open(bad, 'wb') as out:
            out.write(other)
        code, text, said = run(bad, packed)
        expect_true('%s: the other is read' % what, code == 1 and len(text.splitlines()) == 40 and 'bad.wacz' in said, (code, said))
    none = pack(path('none.wacz'), members[3:])
    code, text, said = run(none, packed)
    expect_true('a file without archives is reported', code == 1 and 'without an archive under archive/' in said and len(text.splitlines()) == 40, said)
    code, text, said = run(good + '!archive/four.warc.gz', packed)
    expect_true('a member that is not there', code == 1 and 'four.warc.gz' in said and len(text.splitlines()) == 40, said)
    code, text, said = run(path('four.wacz'))
    expect_true('a file that is not there', code == 74 and 'four.wacz' in said, said)

    # For any bytes the program ends, with one of its exit codes.
    dice = random.Random(11)
    small = contents(pack(path('small.wacz'), [('archive/a.warc', b''.join(archive.records(3, 5))), ('archive/b.warc.gz', archive.member(b''.join(archive.records(3, 6))))],
                          deflated=('archive/a.warc',)))
    for number in range(MUTATIONS):
        other = bytearray(small)
        tail = small.find(b'PK\1\2')
        for _ in range(dice.randint(1, 4)):
            at = dice.randrange(tail if dice.random() < .8 else 0, len(other))
            other[at] = dice.choice((0, 1, 0x7f, 0xff, dice.randrange(256)))
        with open(bad, 'wb') as out:
            out.write(other if dice.random() < .8 else other[:dice.randrange(len(other))])
        done = thresher('run', '-q', '-O', path('m.jsonl'), bad, timeout=300)
        if done.returncode not in (0, 1):
            expect('damaged file %d' % number, (done.returncode, done.stderr), (1, b''))
    print('ok: %d damaged files' % MUTATIONS)
