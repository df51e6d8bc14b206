"""Damaged archives: intact records are emitted, damaged records are counted and reported, and the run continues."""
import json
import os
import random
import tempfile
import zlib

import archive
from case import contents, expect, expect_true, thresher

rng = random.Random(11)
with tempfile.TemporaryDirectory() as folder:
    parts = list(archive.records(200))
    members = [archive.member(part) for part in parts]
    path = os.path.join(folder, 'd.warc.gz')

    # One member in a hundred gets a flipped bit: all others come through.
    hurt = set(rng.sample(range(len(members)), len(members) // 100))
    with open(path, 'wb') as out:
        for i, data in enumerate(members):
            if i in hurt:
                at = rng.randrange(20, len(data) - 10)
                data = data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1:]
            out.write(data)
    run = thresher('records', path)
    seen = [json.loads(line).get('record_id') for line in run.stdout.splitlines()]
    whole = [part.split(b'WARC-Record-ID: ')[1].split(b'\r')[0].decode() for i, part in enumerate(parts) if i not in hurt]
    expect('bit flips: all intact records', [i for i in seen if i in set(whole)], whole)
    expect('bit flips: exit code', run.returncode, 1)
    expect_true('bit flips: file and offset are named', path.encode() in run.stderr and b'offset' in run.stderr)

    # Truncated anywhere: the data before the cut is emitted, and the program ends.
    data = b''.join(members[:12])
    for cut in sorted(rng.sample(range(1, len(data)), 40)):
        with open(path, 'wb') as out:
            out.write(data[:cut])
        run = thresher('run', '-q', path, timeout=300)
        expect_true('cut at %d' % cut, run.returncode in (0, 1))

    # After garbage a member with any fields in its header is found.
    start, body = members[1][:10], members[1][10:]
    for flags in range(32):
        fields = (b'\x05\0extra' if flags & 4 else b'') + (b'name\0' if flags & 8 else b'') + (b'comment\0' if flags & 16 else b'')
        head = start[:3] + bytes([flags]) + start[4:] + fields
        head += (zlib.crc32(head) & 0xffff).to_bytes(2, 'little') if flags & 2 else b''
        with open(path, 'wb') as out:
            out.write(members[0] + b'garbage' + head + body)
        expect('a header with the flags %d' % flags, len(thresher('records', path).stdout.splitlines()), 2)

    # Garbage of every kind is reported and skipped.
    for name, data in (('zeros', bytes(100000)), ('noise', rng.randbytes(100000)), ('text', b'hello\n' * 10000),
                       ('gzip of noise', archive.member(rng.randbytes(100000))), ('magic only', b'\x1f\x8b'),
                       ('lz4', b'\x04\x22\x4d\x18' + bytes(100)), ('gzip of gzip', archive.member(archive.member(parts[0])))):
        with open(path, 'wb') as out:
            out.write(data)
        run = thresher('run', '-q', path, timeout=300)
        expect_true('garbage: %s' % name, run.returncode == 1 and run.stdout == b'' and path.encode() in run.stderr, run)

    # One bad archive does not stop the next.
    good = archive.write(os.path.join(folder, 'good.warc.gz'), parts)
    run = thresher('run', path, good)
    expect('the next archive is read', (run.returncode, len(run.stdout.splitlines())), (1, 200))
    expect('padding after the last member is an oddity', thresher('run', '-q', archive.write(
        os.path.join(folder, 'p.warc'), [b''.join(members) + bytes(512)], 'plain')).returncode, 0)
