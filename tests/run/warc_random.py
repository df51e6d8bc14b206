"""Archives with random damage, read by `records` and `run`, and compared with an oracle that knows the intact records.

usage: warc_random.py PROGRAM [--seed N] [--runs N] [--cpu-minutes M] [--keep FOLDER]

Each run has a separate seed, so that `--seed N --runs 1` repeats run N. A run writes several archives (plain, gzip and zstd, with a record, several records or all
of them in a member), and damages up to four records of each. A grammar makes the records: blocks of all sizes, also with trailing line ends, with version lines,
with complete records, and with the magic numbers of gzip and zstd. The damage:

* to the text of a record: a cut in its header or its block, removed or added bytes, a wrong, missing or unreadable length, flipped bits, other or missing line ends after
  it, a version line within its block
* between records: zeros, noise, text, line ends, a half header
* to a member: a cut at its end, its beginning or its middle, flipped bits, a wrong checksum, noise in it, empty members

The oracle checks:

* each intact record is listed exactly once, with its id, its address and the digest of its block, and without a diagnostic of a cut block
* a damaged record is listed at most once. If its block differs, it has a diagnostic, and the flag `warc_damaged` or `digest_mismatch` in `run`
* no listed record has the header of one record and the address of another one
* an error names each archive that lost a record, and no archive without damage
* `run` has one line for each listed record: emitted + refused = read
* the same bytes through a pipe give the same list
"""
import argparse
import collections
import ctypes
import ctypes.util
import hashlib
import itertools
import base64
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import archive

ARCHIVES = 12  # of a run
LOOK_BACK = 132 << 10  # bytes before the place where the damage of a member shows, in which the reader looks for members
# Diagnostics that say that bytes of a record are missing, wrong or not its own.
OF_DAMAGE = ('member_damaged', 'member_truncated', 'member_garbage', 'header_no_colon', 'no_content_length', 'bad_content_length', 'truncated_block', 'terminator_missing',
             'terminator', 'block_digest_bad', 'too_many_fields')
ZSTD = ctypes.util.find_library('zstd')
zstd = ctypes.CDLL(ZSTD) if ZSTD else None
if zstd:
    zstd.ZSTD_createCCtx.restype = ctypes.c_void_p
    zstd.ZSTD_compressBound.restype = zstd.ZSTD_compress2.restype = ctypes.c_size_t
    zstd.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    zstd.ZSTD_CCtx_setParameter.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
    zstd.ZSTD_compress2.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    CONTEXT = zstd.ZSTD_createCCtx()


def zstd_frame(data, has_checksum=True):
    zstd.ZSTD_CCtx_setParameter(CONTEXT, 201, has_checksum)
    out = ctypes.create_string_buffer(zstd.ZSTD_compressBound(len(data)))
    size = zstd.ZSTD_compress2(CONTEXT, out, len(out), data, len(data))
    return out.raw[:size]


def gzip_member(rng, data):
    squeeze = zlib.compressobj(rng.choice((0, 1, 6, 9)), zlib.DEFLATED, rng.choice((-15, -15, -9)))
    deflated = squeeze.compress(data)
    if rng.random() < .1:
        deflated += squeeze.flush(zlib.Z_FULL_FLUSH)
    deflated += squeeze.flush()
    flags, more = rng.choice(((0, b''), (0, b''), (0, b''), (4, b'\x08\0sl\x04\0\0\0\0\0'), (8, b'a.warc\0'), (16, b'text\0')))
    return b'\x1f\x8b\x08' + bytes([flags]) + bytes(4) + b'\0\x03' + more + deflated + zlib.crc32(data).to_bytes(4, 'little') + (len(data) & 0xffffffff).to_bytes(4, 'little')


def sha1(data):
    return hashlib.sha1(data).hexdigest()


class Record:
    """A record of the grammar, its text after the damage, and the expectations of the oracle."""

    def __init__(self, rng, number, inner=None):
        self.number = number
        self.kind = rng.choice(('response', 'response', 'response', 'resource', 'request', 'metadata', 'conversion', 'warcinfo', 'revisit'))
        self.id = '<urn:uuid:%08x-0000-4000-8000-%012x>' % (number, rng.randrange(1 << 48))
        self.uri = 'http://site%d.example/%d' % (number % 7, number)
        self.block = self.make_block(rng, inner)
        self.nested = inner
        self.has_digest = rng.random() < .8
        self.pad = b'\r\n\r\n'
        self.is_intact, self.may_vary = True, False
        self.is_unseen = False  # no reader can see the damage
        self.note = ''
        self.head = self.make_head(rng, str(len(self.block)))
        self.text = self.head + self.block + self.pad

    def make_head(self, rng, length):
        fields = [('WARC-Type', self.kind), ('WARC-Record-ID', self.id), ('WARC-Date', '2026-01-02T03:04:05Z'), ('WARC-Target-URI', self.uri)]
        fields.append(('Content-Type', 'application/http; msgtype=%s' % ('request' if self.kind == 'request' else 'response')
                       if self.kind in ('response', 'request', 'revisit') else 'text/html' if self.kind == 'resource' else 'text/plain'))
        if self.has_digest:
            fields.append(('WARC-Block-Digest', 'sha1:' + base64.b32encode(hashlib.sha1(self.block).digest()).decode()))
        if length is not None:
            fields.append(('Content-Length', length))
        rng.shuffle(fields)
        return ('WARC/%s\r\n' % rng.choice(('1.0', '1.1')) + ''.join('%s: %s\r\n' % field for field in fields) + '\r\n').encode()

    def make_block(self, rng, inner):
        body = self.make_body(rng, inner)
        if self.kind == 'response':
            return b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n' + body
        if self.kind == 'revisit':
            return b'HTTP/1.1 200 OK\r\n\r\n' if rng.random() < .5 else b''
        if self.kind == 'request':
            return b'GET / HTTP/1.1\r\nHost: a.example\r\n\r\n'
        return body

    def make_body(self, rng, inner):
        size = rng.choice((0, 1, 2, 10, 100, 1000, 1000, 5000, 30000, 70000)) if rng.random() < .97 else rng.randrange(200000, 600000)
        text = b'<!DOCTYPE html><p>page %d</p>' % self.number if size else b''
        while len(text) < size:
            text += b'<p>%s</p>\n' % archive.sentence(rng, 12).encode()
            if rng.random() < .02:
                text += rng.choice((b'WARC/1.0', b'see WARC/1.1\r\n', b'\nWARC/1.1\r\n\r\n', b'\nWARC/1.0\nno field here', bytes(50), rng.randbytes(200), b'\x1f\x8b\x08\0', b'\x28\xb5\x2f\xfd',
                                    b'\r\n\r\n\r\n', b'WARC/', b'W', b'\xff' * 9))
        if inner:
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice((b'', b'\r\n', b'\n')) + inner.text + text[at:]
        return text + rng.choice((b'', b'', b'', b'\n', b'\r\n', b'\r\n\r\n', b'\n\n\n', b'W', b'WARC/1.0', b'WARC/1.1\r\n', b'WARC/1.1\r\nWARC-T', bytes(3)))


def flip(rng, data, count=None):
    """The data with 1 to 4 flipped bits."""
    data = bytearray(data)
    for _ in range(count or rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(data))
        data[at] ^= 1 << rng.randrange(8)
    return bytes(data)


# ---------------------------------------------------------------- damage to the text of a record

def cut_head(rng, r, _):
    r.text = r.text[:rng.randrange(1, len(r.head))]
    # A cut in the value of the first field looks like a longer value, because an address may end in a version.
    r.is_unseen = r.text.count(b'\n') == 1 and b':' in r.text


def ends_with_another(r, missing, rest):
    """Whether the block of r, or the record in it, that lacks `missing` bytes ends, by its length, about where one of the next records ends: a reader cannot see that
    this is wrong."""
    behind = len(r.block.rpartition(r.nested.head + r.nested.block)[2]) if r.nested else 0
    return any(missing - behind - 8 <= end <= missing + 8 for end in itertools.accumulate(rest))


def cut_block(rng, r, rest):
    """Also without its line ends: then the record is complete, but a reader may call it damaged."""
    end = len(r.head) + len(r.block)
    at = rng.randrange(len(r.head), end + 1)
    if ends_with_another(r, end - at, rest):
        return cut_head(rng, r, rest)
    r.text = r.text[:at]


def remove_bytes(rng, r, rest):
    begin = len(r.head)
    if not r.block:
        return cut_head(rng, r, rest)
    at = rng.randrange(begin, begin + len(r.block))
    count = rng.choice((1, 2, 16, 512, 5000))
    count = min(count, begin + len(r.block) - at)
    if ends_with_another(r, count, rest):
        return cut_head(rng, r, rest)
    r.text = r.text[:at] + r.text[at + count:]


def add_bytes(rng, r, _):
    """Not with line ends where the block ends by its length, because that would be a valid record."""
    text, end = r.text, len(r.head) + len(r.block)
    while r.text == text or r.text[end:end + len(r.pad)] == r.pad and r.text[:end] != text[:end]:
        at = rng.randrange(len(r.head), end + 1)
        r.text = text[:at] + noise(rng) + text[at:]


def wrong_length(rng, r, rest):
    """Not a length that ends at the end of another record, or before CR LF CR LF in the block, because that would be a valid record."""
    for _ in range(100):
        size = len(r.block)
        wrong = rng.choice((size + 1, size + 2, size + rng.randrange(1, 10000), max(0, size - 1), rng.randrange(size + 1), 0, size * 10, size + rng.randrange(1, 100), 10**9, 10**18))
        beyond = wrong - size
        if beyond and r.block[wrong:wrong + 4] != r.pad and not ends_with_another(r, beyond, rest) and not (0 < beyond <= 4):
            break
    else:
        return cut_block(rng, r, rest)
    r.text = r.make_head(rng, str(wrong)) + r.block + r.pad


def bad_length(rng, r, _):
    r.text = r.make_head(rng, rng.choice((None, '', 'x', '-1', '1e3', '99999999999999999999999', '12 13', '0x10'))) + r.block + r.pad


def flip_block(rng, r, _):
    if not r.block:
        return other_end(rng, r, _)
    block = flip(rng, r.block)
    r.text = r.head + block + r.pad
    if not r.has_digest:
        r.may_vary = True  # no reader can see it


def flip_head(rng, r, _):
    r.text = flip(rng, r.head) + r.block + r.pad
    r.may_vary = True


def other_end(rng, r, _):
    """Other line ends after the block: the record is complete."""
    r.text = r.head + r.block + rng.choice((b'', b'\n', b'\n\n', b'\r\n', b'\r\n\r', b'\r\n' * 3, b'\r\n' * 4, b'\n' * 20, b'\r\r\n\n'))


def version_within(rng, r, rest):
    """A version line in the place of a part of the block, then the end is missing or not."""
    if not r.block:
        return cut_head(rng, r, rest)
    at = rng.randrange(len(r.block))
    line = rng.choice((b'WARC/1.0\r\n', b'\r\nWARC/1.1\r\n', b'WARC/1.1'))
    block = r.block[:at] + line + r.block[at + len(line):][:rng.choice((0, 10, 10**9))]
    if ends_with_another(r, len(r.block) - len(block), rest):
        return cut_head(rng, r, rest)
    r.text = r.head + block


TEXT_DAMAGE = (cut_head, cut_head, cut_block, cut_block, cut_block, remove_bytes, add_bytes, wrong_length, wrong_length, bad_length, flip_block, flip_head, other_end, version_within)


def noise(rng):
    return rng.choice((bytes(rng.choice((1, 7, 16, 512, 5000))), rng.randbytes(rng.choice((1, 16, 300, 5000))), b'some text ' * rng.choice((1, 30)), b'line\n' * rng.choice((1, 30)),
                       b'\r\n' * rng.choice((1, 2, 5)), b'\n', b'WARC/1.0\r\n', b'WARC/1.1', b'WARC/1.1\r\nWARC-Type: response\r\n', b'WARC-Type: response\r\n', b'WARC', b'W',
                       b'\x1f\x8b', b'\x1f\x8b\x08\0\0\0\0\0\0\3', b'\x28\xb5\x2f\xfd', b'HTTP/1.1 200 OK\r\n\r\n', bytes(20) + b'\n', b'\xff' * 40))


# ---------------------------------------------------------------- damage to a member

def cut_member_end(rng, data):
    return data[:rng.randrange(1, len(data))]


def cut_member_begin(rng, data):
    return data[rng.randrange(1, len(data)):]


def cut_member_middle(rng, data):
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice((1, 10, 1000)):]


def inflated(data, at=0):
    """The data of the member at `at` before it ends or zlib reports an error, the place of that, and whether it is the end."""
    inflate, out = zlib.decompressobj(31), []
    try:
        while at < len(data) and not inflate.eof:
            out.append(inflate.decompress(data[at:at + 1]))
            at += 1
    except zlib.error:
        pass
    return b''.join(out), at, inflate.eof


def gzip_end(data, begin, limit):
    """The last place where the damaged member at `begin` may end: the place where zlib stops, or the end of a possible stored block [RFC 1951 3.2.4] that begins
    before `limit`."""
    at = inflated(data, begin)[1]
    stored = (i + 4 + data[i] + 256 * data[i + 1] for i in range(begin + 1, limit)
              if data[i] ^ data[i + 2] == 255 and data[i + 1] ^ data[i + 3] == 255 and data[i - 1] < 64 and b'\0\0\xff\xff' not in data[i - 2:i + 3])
    return max(at, *stored, 0)


def zstd_end(data, at, _):
    """Where the blocks of the frame at `at` end, by their headers [RFC 8878 3.1.1]."""
    if at + 5 > len(data):
        return at
    flags = data[at + 4]
    is_single = flags >> 5 & 1
    at += 5 + (not is_single) + (0, 1, 2, 4)[flags & 3] + (1 << (flags >> 6) if flags >> 6 else is_single)
    while at + 3 <= len(data):
        header = int.from_bytes(data[at:at + 3], 'little')
        kind, size = header >> 1 & 3, header >> 3
        if kind == 3 or size > 1 << 17:
            break
        at += 3 + (1 if kind == 1 else size)
        if header & 1:
            break
    return at


def flip_member(rng, data):
    return flip(rng, data)


def noise_in_member(rng, data):
    at = rng.randrange(len(data))
    return data[:at] + noise(rng) + data[at:]


def zeros_in_member(rng, data):
    at = rng.randrange(len(data))
    count = rng.choice((1, 8, 512))
    return data[:at] + bytes(min(count, len(data) - at)) + data[at + count:]


def wrong_checksum(rng, data):
    at = len(data) - rng.randrange(1, 5)
    return data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1:]


MEMBER_DAMAGE = (cut_member_end, cut_member_end, cut_member_begin, cut_member_middle, flip_member, flip_member, flip_member, noise_in_member, zeros_in_member, wrong_checksum)


# ---------------------------------------------------------------- an archive

class Archive:
    def __init__(self, rng):
        self.packing = rng.choice(('plain', 'plain', 'plain', 'gzip', 'gzip', 'gzip', 'several', 'whole') + (('zstd', 'zstd', 'zstd_several') if zstd else ()))
        count = rng.choice((1, 2, 3, 5, 8, 13, 20))
        self.records = [Record(rng, i, Record(rng, 1000 + i) if rng.random() < .06 else None) for i in range(count)]
        self.notes = []
        is_damaged = rng.random() < .9
        self.hurt = sorted(rng.sample(range(count), min(count, rng.choice((1, 1, 2, 4))))) if is_damaged else []
        # In one member for several records, damage to the member costs all that follow in it: only the text is damaged there.
        how = rng.choice(('text', 'member', 'between')) if self.packing in ('gzip', 'zstd') else rng.choice(('text', 'text', 'between'))
        if how == 'member':  # docs/warc.md: a member between two damaged ones can be taken for a part of the first one
            self.hurt = [i for n, i in enumerate(self.hurt) if n == 0 or i > self.hurt[n - 1] + 3]
        self.between = {}
        self.members = {}
        self.places = {}  # of members, by the number of their record
        for i in reversed(self.hurt):  # the lengths of the records after it are known then
            r = self.records[i]
            if how == 'text':
                damage = rng.choice(TEXT_DAMAGE)
                damage(rng, r, [len(x.text) for x in self.records[i + 1:]])
                r.is_intact = False
                r.note = damage.__name__
            elif how == 'member':
                damage = rng.choice(MEMBER_DAMAGE)
                self.members[i] = damage
                r.is_intact = False
                r.note = damage.__name__
            else:
                self.between[i] = noise(rng) if rng.random() < .8 else noise(rng) + noise(rng)
                if i == 0 and re.search(rb'WARC|\x1f\x8b|\x28\xb5\x2f\xfd', self.between[i]):
                    self.between[i] = bytes(16)  # the first member or record of a file selects its format
                r.note = 'noise before'
        for r, after in zip(self.records, self.records[1:]):  # nothing begins the next header, so it continues the cut one
            r.is_unseen |= r.note == 'cut_head' and after.note == 'flip_head' and not re.match(rb'(?i)WARC/\d+\.\d+[ \t]*\r*\n', after.text)
        self.data = self.pack(rng)

    def pack(self, rng):
        out = b''
        squeeze = (lambda data: gzip_member(rng, data)) if self.packing in ('gzip', 'several', 'whole') else lambda data: zstd_frame(data, rng.random() < .7)
        group = []

        def close():
            nonlocal out
            if group:
                out += squeeze(b''.join(group))
                group.clear()
        for i, r in enumerate(self.records):
            if self.packing == 'plain':
                out += self.between.get(i, b'') + r.text
                continue
            if self.packing in ('gzip', 'zstd'):
                is_inside = i in self.between and rng.random() < .3
                member = squeeze((self.between[i] if is_inside else b'') + r.text)
                if i in self.members:
                    hurt = self.members[i](rng, member)
                    if i == 0 and hurt[:4] != member[:4] and b'WARC' in hurt:
                        hurt = cut_member_end(rng, member)  # the first member or record of a file selects its format
                    self.judge_member(r, member, hurt)
                    member = hurt
                if i in self.between and not is_inside:
                    out += self.between[i]
                elif rng.random() < .03:
                    out += squeeze(b'')
                self.places[i] = len(out), len(out) + len(member)
                out += member
                continue
            if i in self.between:
                group.append(self.between[i])
            group.append(r.text)
            if self.packing != 'whole' and rng.random() < .4:
                close()
        close()
        return out

    def judge_member(self, r, member, hurt):
        """Sets what a reader cannot see in the damaged member of r."""
        if self.packing == 'gzip':
            data, _, is_whole = inflated(hurt)
            r.may_vary = is_whole and data == r.text  # flips in unused bits, or in a field that no reader uses
        elif not r.has_digest or not member[4] & 4:
            r.may_vary = True  # a frame without a checksum does not show a flipped bit in its literals; the digest is only of the block

    def is_swallowed(self, i):
        """Whether record i may be in a damaged member before it, as the format says, and the reader cannot see that. This is so if a later member
        is also damaged, if the damage shows too late, or if the damaged frame ends, by its length, where a later member begins. docs/warc.md names
        these gaps: the bytes after a stored block that was cut can be taken for its own until the next damage."""
        if self.packing not in ('gzip', 'zstd'):
            return False
        end_of = gzip_end if self.packing == 'gzip' else zstd_end
        ends = [end_of(self.data, self.places[h][0], self.places[i][0]) for h in self.members if h < i]
        is_between = any(h > i for h in self.members)
        begins = {place[0] for j, place in self.places.items() if j > i} if self.packing == 'zstd' else set()
        return any(end - self.places[i][0] > LOOK_BACK or end in begins or is_between and end >= self.places[i][1] for end in ends)

    def suffix(self):
        return {'plain': '.warc', 'zstd': '.warc.zst', 'zstd_several': '.warc.zst'}.get(self.packing, '.warc.gz')


# ---------------------------------------------------------------- the checks

class Violation(Exception):
    pass


def demand(holds, text, *args):
    if not holds:
        raise Violation(text % args)


def diag_name(diag):
    return re.match(r'[a-z_]+', diag if isinstance(diag, str) else diag.get('code', '')).group()


def check_archive(one, rows, lines, counts):
    """rows: of `records`; lines: of `run`, emitted and refused."""
    by_id = collections.defaultdict(list)
    for row in rows:
        by_id[row.get('record_id')].append(row)
    known = {r.id: r for r in one.records}
    inner = {r.nested.id: r for r in one.records if r.nested}
    has_head_flip = any(r.note in ('flip_head', 'flip_member', 'zeros_in_member', 'noise_in_member', 'cut_member_middle', 'wrong_checksum', 'cut_head', 'cut_member_end') for r in one.records)
    for r in one.records:
        found = by_id.get(r.id, [])
        name = 'record %d (%s, %s)' % (r.number, r.kind, r.note or 'intact')
        demand(len(found) <= 1, '%s is listed %d times', name, len(found))
        if r.is_intact:
            counts['intact'] += 1
            if not found and one.is_swallowed(r.number):
                counts['intact, in a damaged member'] += 1
                continue
            demand(found, '%s is not listed', name)
            row = found[0]
            demand(row.get('target_uri') == r.uri, '%s has the address %r', name, row.get('target_uri'))
            demand(row.get('block_sha1') == sha1(r.block), '%s has another block', name)
            wrong = [d for d in map(diag_name, row['diag']) if d in ('truncated_block', 'block_digest_bad', 'no_content_length', 'bad_content_length')]
            demand(not wrong, '%s has %s', name, wrong)
            continue
        counts['damaged'] += 1
        if not found:
            counts['damaged, not listed'] += 1
            continue
        row = found[0]
        if not (r.may_vary or r.is_unseen or any(diag_name(d) in OF_DAMAGE for d in row['diag'])):
            demand(row.get('target_uri') in (r.uri, None), '%s has the address %r', name, row.get('target_uri'))
        length = row.get('content_length') or 0
        if row.get('block_sha1') == sha1(r.block) or (not r.block[length:].strip(b'\r\n') and row.get('block_sha1') == sha1(r.block[:length])):
            counts['damaged, block complete'] += 1
        else:
            counts['damaged, listed'] += 1
            demand(r.may_vary or r.is_unseen or any(diag_name(d) in OF_DAMAGE for d in row['diag']), '%s has another block and no diagnostic: %s', name, row['diag'])
            line = lines.get(r.id)
            flags = line and (line.get('flags') or line.get('source', {}).get('flags') or [])
            # odd: the block is as long as it should be, and a record follows. A malformed digest is one of a header that was cut before this one.
            odd = ('terminator', 'terminator_missing', 'garbage_before', 'header_eof', 'several_records_in_one_member') + ('block_digest_malformed',) * (not r.has_digest)
            is_odd = all(diag_name(d) in odd for d in row['diag'])
            if line and 'reason' not in line and not r.may_vary and not is_odd:
                demand(r.is_unseen or 'warc_damaged' in flags or 'digest_mismatch' in flags, '%s has another block and no flag in run: %s', name, flags)
    for key, found in by_id.items():
        if key in known:
            continue
        if key in inner:
            demand(not inner[key].is_intact or one.is_swallowed(inner[key].number), 'the inner record of the intact record %d is listed', inner[key].number)
            demand(len(found) == 1, 'the inner record of %d is listed %d times', inner[key].number, len(found))
            continue
        is_inner = any(r.nested and not r.is_intact for r in one.records)  # its header is damaged, too
        demand(has_head_flip or is_inner or key is None, 'an unknown record %s is listed', key)
    counts['records'] += len(rows)


def emitted_id(line):
    return line.get('id')


def read_lines(path):
    with open(path, 'rb') as file:
        return [json.loads(line) for line in file]


def run_seed(program, seed, folder, counts):
    rng = random.Random(seed)
    archives = [Archive(rng) for _ in range(ARCHIVES)]
    paths = []
    for i, one in enumerate(archives):
        paths.append(os.path.join(folder, '%d%s' % (i, one.suffix())))
        with open(paths[-1], 'wb') as out:
            out.write(one.data)
    out, refused = os.path.join(folder, 'out.jsonl'), os.path.join(folder, 'refused.jsonl')
    listing = subprocess.run([program, 'records', '-q', '--verify-digests', *paths], capture_output=True, timeout=1200)
    run = subprocess.run([program, 'run', '--verify-digests', '-j', str(rng.choice((1, 3))), '--rejects', refused, '-O', out, *paths], capture_output=True, timeout=1200)
    demand(listing.returncode in (0, 1), 'records ended with %d: %s', listing.returncode, listing.stderr[-2000:])
    demand(run.returncode == listing.returncode, 'run ended with %d, records with %d: %s', run.returncode, listing.returncode, run.stderr[-2000:])
    rows = collections.defaultdict(list)
    for line in listing.stdout.splitlines():
        row = json.loads(line)
        rows[row['file']].append(row)
    lines = collections.defaultdict(list)
    for line in read_lines(out) + read_lines(refused):
        lines[line['source']['file']].append(line)
    summary = re.search(rb'records +(\d+) read, (\d+) emitted, (\d+) refused', run.stderr)
    demand(summary, 'run printed no summary: %s', run.stderr[-2000:])
    read, emitted, dropped = map(int, summary.groups())
    demand(read == emitted + dropped, '%d read, %d emitted, %d refused', read, emitted, dropped)
    demand(read == sum(map(len, rows.values())), 'run read %d records, records lists %d', read, sum(map(len, rows.values())))
    demand(read == sum(map(len, lines.values())), 'run read %d records, and wrote %d lines', read, sum(map(len, lines.values())))
    violations = []
    for path, one in zip(paths, archives):
        try:
            places = collections.Counter(row['offset'] if one.packing != 'whole' else None for row in rows[path])
            told = collections.Counter(line['source'].get('offset') if one.packing != 'whole' else None for line in lines[path])
            demand(sum(places.values()) == sum(told.values()), 'records lists %d records, run writes %d', sum(places.values()), sum(told.values()))
            check_archive(one, rows[path], {line.get('id'): line for line in lines[path]}, counts)
            is_named = path.encode() + b':' in listing.stderr
            if not one.hurt:
                demand(not is_named, 'an intact archive has damage: %s', [line for line in listing.stderr.splitlines() if path.encode() in line])
            listed = {row.get('record_id') for row in rows[path]}
            for r in one.records:
                demand(is_named or r.is_intact or r.may_vary or r.is_unseen or r.id in listed, 'no error names the loss of record %d (%s)', r.number, r.note)
        except Violation as violation:
            violations.append('%s (%s, %d records, damage: %s): %s' % (os.path.basename(path), one.packing, len(one.records),
                                                                     ', '.join('%d %s' % (r.number, r.note) for r in one.records if r.note), violation))
        counts['archives'] += 1
        counts[one.packing] += 1
    piped = rng.randrange(len(paths))
    try:
        check_pipe(rng, program, archives[piped], rows[paths[piped]])
    except Violation as violation:
        violations.append('%s: %s' % (os.path.basename(paths[piped]), violation))
    if violations:
        raise Violation('\n    '.join([''] + violations))


def check_pipe(rng, program, one, rows):
    """The same list if the bytes come in small pieces."""
    process = subprocess.Popen([program, 'records', '-q', '--verify-digests', '-'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def feed():
        at = 0
        try:
            while at < len(one.data):
                count = rng.choice((1, 3, 100, 4096, 70000))
                process.stdin.write(one.data[at:at + count])
                process.stdin.flush()
                at += count
            process.stdin.close()
        except BrokenPipeError:
            pass
    feeder = threading.Thread(target=feed)
    feeder.start()
    text = process.stdout.read()
    process.wait()
    feeder.join()
    seen = [dict(json.loads(line), file='') for line in text.splitlines()]
    demand(seen == [dict(row, file='') for row in rows], 'a pipe gives another list: %d and %d records', len(seen), len(rows))


def main():
    parser = argparse.ArgumentParser(description='Random damage to archives; the head of this file has the rules.')
    parser.add_argument('program')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--runs', type=int, default=0)
    parser.add_argument('--cpu-minutes', type=float, default=0)
    parser.add_argument('--keep', default='', help='a folder for the archives of a run that fails')
    args = parser.parse_args()
    counts, failed, seed = collections.Counter(), 0, args.seed

    def cpu():
        return sum(getattr(resource.getrusage(who), key) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN) for key in ('ru_utime', 'ru_stime'))
    stops = []
    signal.signal(signal.SIGTERM, lambda *_: stops.append(True))  # ends after the current run, with the counts so far
    while not stops and ((seed < args.seed + args.runs) if args.runs else cpu() < 60 * args.cpu_minutes):
        with tempfile.TemporaryDirectory() as folder:
            try:
                run_seed(args.program, seed, folder, counts)
            except Violation as violation:
                failed += 1
                print('FAILED: --seed %d: %s' % (seed, violation), flush=True)
                if args.keep:
                    os.makedirs(args.keep, exist_ok=True)
                    for name in os.listdir(folder):
                        os.replace(os.path.join(folder, name), os.path.join(args.keep, '%d-%s' % (seed, name)))
        seed += 1
    print('%d runs, %d failed, %.1f CPU minutes: %s' % (seed - args.seed, failed, cpu() / 60, ', '.join('%s %d' % item for item in sorted(counts.items()))))
    sys.exit(1 if failed else 0)


main()
