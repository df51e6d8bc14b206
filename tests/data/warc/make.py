#!/usr/bin/env python3
"""Makes the oddity files of this folder, one oddity a file, named for it. Python 3 standard library
and the zstd program. The files are committed; run this only to change them:

    cd tests/data/warc && ./make.py
"""
import gzip, os, random, struct, subprocess, tempfile, zlib


def head(n, length, version=b'WARC/1.0', kind=b'response', extra=b'', eol=b'\r\n'):
    lines = [version, b'WARC-Type: ' + kind, b'WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-%012d>' % n,
             b'WARC-Date: 2020-01-01T00:00:00Z', b'WARC-Target-URI: http://example.org/%d' % n]
    if extra:
        lines.append(extra)
    if length is not None:
        lines.append(b'Content-Length: %s' % (length if isinstance(length, bytes) else b'%d' % length))
    return eol.join(lines) + eol + eol


def block(n, size=0):
    return b'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nbody number %d\n' % n + b'.' * size


def record(n, body=None, end=b'\r\n\r\n', **more):
    body = block(n) if body is None else body
    return head(n, more.pop('length', len(body)), **more) + body + end


def member(data, level=6):
    return gzip.compress(data, level, mtime=0)


def members(*records):
    return b''.join(member(r) for r in records)


def frame(data, *options):
    with tempfile.NamedTemporaryFile() as f:
        f.write(data)
        f.flush()
        return subprocess.run(['zstd', '-q', '-c', '-19', '--check', *options, f.name], check=True, stdout=subprocess.PIPE).stdout


def skippable(kind, data):
    return struct.pack('<II', 0x184D2A50 + kind, len(data)) + data


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1:]


def put(name, *parts):
    with open(name, 'wb') as f:
        f.write(b''.join(parts))


random.seed(2)
noise = bytes(random.randrange(256) for _ in range(3000))
three = [record(n) for n in (1, 2, 3)]

# gzip
put('three_members.warc.gz', members(*three))
put('one_member.warc.gz', member(b''.join(three)))
put('record_in_two_members.warc.gz', members(three[0], three[1][:230], three[1][230:], three[2]))
put('header_in_two_members.warc.gz', members(three[0], three[1][:60], three[1][60:], three[2]))
put('empty_members.warc.gz', members(b'', three[0], b'', b'', three[1], b''))
put('clipped_member.warc.gz', members(three[0], three[1])[:-40])
put('clipped_gzip_header.warc.gz', members(three[0]), member(three[1])[:7])
put('clipped_trailer.warc.gz', members(three[0], three[1])[:-3])
bad = member(record(2, noise))
put('damaged_member.warc.gz', member(three[0]), flipped(bad, len(bad) // 2), member(three[2]))
bad = member(three[1])
put('damaged_crc.warc.gz', member(three[0]), flipped(bad, len(bad) - 6), member(three[2]))
put('damaged_gzip_header.warc.gz', member(three[0]), flipped(bad, 1), member(three[2]))
put('damaged_first_magic.warc.gz', flipped(member(three[0]), 0), member(three[1]), member(three[2]))
put('damaged_deflate_start.warc.gz', member(three[0]), flipped(bad, 11), member(three[2]))
put('damaged_one_member.warc.gz', flipped(member(record(1, noise) + three[1]), 2000))
put('zero_padding.warc.gz', members(*three[:2]), bytes(600))
put('trailing_junk.warc.gz', members(*three[:2]), b'this is no member' * 9)
put('junk_between.warc.gz', member(three[0]), b'junk \x1f\x8b\x08 junk', member(three[1]))
put('gzip_fields.warc.gz', b'\x1f\x8b\x08\x1e\0\0\0\0\0\xff' + struct.pack('<H', 8) + b'sl\x04\0abcd' + b'name\0' + b'comment\0' + b'hc',
    member(three[0])[10:], member(three[1]))
put('gzip_of_gzip.warc.gz', member(members(*three)))
put('nothing.warc.gz', member(b''))
inner = members(record(8), record(9))
put('warc_in_stored_block_clipped.warc.gz', member(three[0]), member(record(2, noise + inner), 0)[:-900])
stored = member(record(2, noise), 0)
put('cut_in_stored_block.warc.gz', member(three[0]), stored[:-1500], members(three[2], record(4)))
put('cut_in_stored_block_large.warc.gz', member(three[0]), stored[:-1500], member(record(3, noise * 2), 0), member(record(4)))
put('gzip_magic_at_start.warc.gz', member(b'\x1f\x8b\x08\0\0\0\0\0\0\3' + three[0]), member(three[1]))
put('version_line_at_start.warc.gz', b'WARC/1.1\r\n', members(*three[:2]))
put('overrun_into_member.warc.gz', members(record(1, length=5000), three[1]))

# found by fuzzing: ISA-L 2.30 leaves avail_in = -2
put('isal_count_wraps.warc.gz', bytes.fromhex('1f8b08000000000000034bcbcc49d7afd04b2c4a5630d003432004038592d48a12fd829cc40a574152432d5265636f72642d4944081ad9'))

# zstd
put('three_frames.warc.zst', *map(frame, three))
put('one_frame.warc.zst', frame(b''.join(three)))
put('record_in_two_frames.warc.zst', frame(three[0]), frame(three[1][:230]), frame(three[1][230:]), frame(three[2]))
put('extension_frames.warc.zst', frame(b''), skippable(3, b'extension'), frame(three[0]), skippable(13, b'no dictionary here'), frame(three[1]), skippable(0, b''))
bad = frame(record(2, noise))
put('damaged_block.warc.zst', frame(three[0]), flipped(frame(record(2, block(2, 40) * 40)), 150), frame(three[2]))
put('damaged_checksum.warc.zst', frame(three[0]), flipped(bad, len(bad) - 2), frame(three[2]))
at = 4 + 1 + 2  # magic, descriptor, content size of 2 bytes: the block header
put('damaged_block_header.warc.zst', frame(three[0]), bad[:at] + b'\xff\xff\xff' + bad[at + 3:], frame(three[2]))
put('cut_in_raw_block.warc.zst', frame(three[0]), bad[:-1500], frame(three[2]))
put('zstd_magic_at_start.warc.zst', frame(b'\x28\xb5\x2f\xfd' + three[0]), frame(three[1]))
put('clipped_frame.warc.zst', frame(three[0]), frame(record(2, noise))[:-1000])
put('junk_between.warc.zst', frame(three[0]), b'junk between', frame(three[1]))
with tempfile.TemporaryDirectory() as folder:
    for n in range(200):
        put('%s/%d' % (folder, n), record(n))
    dicts = []
    for name, want in (('one', 7), ('two', 9)):
        subprocess.run(['zstd', '-q', '--train', '-r', folder, '--maxdict=600', '--dictID=%d' % want, '-o', folder + '.' + name], check=True)
        dicts.append(open(folder + '.' + name, 'rb').read())
    one, two = folder + '.one', folder + '.two'
    packed = frame(dicts[0])
    put('dict_raw.warc.zst', skippable(13, dicts[0]), *[frame(r, '-D', one) for r in three])
    put('dict_packed.warc.zst', skippable(13, packed), *[frame(r, '-D', one) for r in three])
    put('dict_twice.warc.zst', skippable(13, dicts[0]), frame(three[0], '-D', one), frame(three[1], '-D', one),
        skippable(13, dicts[1]), frame(record(4), '-D', two), frame(record(5), '-D', two))
    put('dict_missing.warc.zst', frame(three[0]), frame(three[1], '-D', one), frame(three[2]))
    put('dict_wrong.warc.zst', skippable(13, dicts[1]), frame(three[1], '-D', one), frame(three[2]))
    put('dict_bad.warc.zst', skippable(13, flipped(packed, 30)), frame(three[0]))
    put('frame_alone.warc.zst', frame(three[0], '-D', one))
    put('frame_alone.dict', dicts[0])
    os.unlink(one)
    os.unlink(two)

# framing
put('length_too_small.warc', record(1, length=20), three[1])
put('length_too_small_lf.warc', record(1, b'a\nb\nc\nd\ne\n', length=2, end=b'\n\n', eol=b'\n'), record(2, b'f\n', end=b'\n\n', eol=b'\n'))
put('length_too_large.warc', record(1, length=len(block(1)) + 60), three[1], three[2])
put('length_2_63.warc', three[0], record(2, length=b'9223372036854775807'))
put('length_2_64.warc', three[0], record(2, length=b'18446744073709551617'), three[2])
put('length_absent.warc', three[0], record(2, length=None), three[2])
bad = member(record(2, b''.join(b'%d ' % (n * n) for n in range(999))))
empty = b'\x1f\x8b\x08\0\0\0\0\0\0\x03\x01\0\0\xff\xff' + bytes(8)  # a stored block without bytes
put('empty_after_damage.warc.gz', member(three[0]), bad[:len(bad) // 2], empty, member(record(3)), flipped(member(record(4)), 40), member(record(5)))
put('begins_with_colon.warc.gz', member(record(1), 0)[191:], member(record(2)), member(record(3), 0))
put('cut_at_stored_start.warc.gz', member(three[0], 0)[:19], member(record(2), 0), member(record(3)))
put('cut_before_stored_bytes.warc.gz', member(record(1, block(1, 1000)), 0)[:15], member(record(2)), member(record(3)))
cut = member(record(1, block(1, 900)), 0)[:700]
put('inner_in_stored_block.warc.gz', cut, member(record(2, block(2) + record(4)), 0), member(record(3)))
squeeze = zlib.compressobj(6, zlib.DEFLATED, -15)
into = squeeze.compress(three[0] + b'junk') + squeeze.flush(zlib.Z_FULL_FLUSH) + b'\0\x0a\0\xf5\xff'  # a stored block for the 10 bytes of the next header
put('runs_into_stored_block.warc.gz', member(b'')[:10] + into, member(record(2), 0), member(record(3)))
checked = member(three[0] + b'x')
put('damaged_crc_then_junk.warc.gz', flipped(checked, len(checked) - 6), member(record(2)))
put('two_cut_headers.warc', three[0], b'WARC/1.0\r\nWARC-Payload-Digest: sha1:AB', head(2, 59)[:-len('ngth: 59\r\n\r\n')], three[2])
# Record 1 contains a cut header. Its length ends, by chance, before the blank line of the next header.
joined = b'<p>a\nWARC/1.0\r\nWARC-Record-ID: <urn:uuid:0' + head(2, 59)[:-4]
put('ends_at_blank_line.warc', head(1, len(joined)) + joined + b'\r\n\r\n' + block(2) + b'\r\n\r\n', three[2])
# The same in the header after the next one. The cut record within record 1 would end in record 2.
joined = b'<p>a\n' + head(4, 200) + b'<p>b\n' + record(2) + head(3, 59)[:-4]
put('ends_in_later_header.warc', head(1, len(joined)) + joined + b'\r\n\r\n' + block(3) + b'\r\n\r\n', record(5))
put('frame_header_before_record.warc.zst', frame(three[0]), frame(b'(\xb5/\xfd\x20\x05\x29\0\0' + three[1]))
# Noise that makes a header of a frame with a dictionary out of the next frame's header: its blocks are those of the next frame.
put('noise_of_dictionary_frame.warc.zst', frame(three[0]), b'(\xb5/\xfd\x81', b'(\xb5/\xfd\x20' + bytes([len(three[1])]) + (len(three[1]) << 3 | 1).to_bytes(3, 'little') + three[1], frame(three[2]))
# The same with a window that exceeds the limit. The header of the next frame is the content size, and its block has 65,536 bytes at most.
long = record(2, block(2, 300))
put('noise_of_large_window.warc.zst', frame(three[0]), b'(\xb5/\xfd\xe0', b'(\xb5/\xfd\x40\x58' + (len(long) - 256).to_bytes(2, 'little') + (len(long) << 3 | 1).to_bytes(3, 'little') + long, frame(three[2]))
put('magic_before_record.warc.zst', frame(record(1, block(1) + b'(\xb5/\xfd12345') + three[1] + three[2]))
put('length_absent_no_line.warc', three[0], record(2, block(2) + b'WARC/1', length=None, end=b''), three[2])
put('length_empty.warc', three[0], record(2, length=b''), three[2])
put('length_word.warc', three[0], record(2, length=b'twelve'), three[2])
put('length_signed.warc', three[0], record(2, length=b'+62'), record(3, length=b'-1'), record(4))
put('length_twice.warc', record(1, extra=b'Content-Length: %d' % len(block(1)), length=7), three[1])
put('length_tab.warc', head(1, None, extra=b'Content-Length:\t%d\t' % len(block(1))) + block(1) + b'\r\n\r\n', three[1])
put('terminator_one.warc', record(1, end=b'\r\n'), three[1])
put('terminator_three.warc', record(1, end=b'\r\n\r\n\r\n'), three[1])
put('terminator_none.warc', record(1, end=b''), record(2, end=b''), three[2])
put('terminator_lf.warc', record(1, end=b'\n\r\n\r\n'), three[1])
put('garbage_at_end.warc', three[0], three[1], b'\x80garbage\nmore garbage \xff\n' * 5)
put('garbage_at_start.warc', b'garbage\n\nmore\n', three[0])
put('lf_only.warc', *[record(n, eol=b'\n', end=b'\n\n') for n in (1, 2)])
put('crcrlf.warc', *[record(n, eol=b'\r\r\n') for n in (1, 2)])
put('no_blank_line.warc', three[0], head(2, 9)[:-2], three[2])
put('clipped_header.warc', three[0], head(2, 9)[:-30])
put('clipped_block.warc', three[0], record(2)[:-30])
put('zeros_between.warc', three[0], bytes(16), three[1], b'junk' * 10, three[2])
put('zeros_at_start.warc', bytes(16), record(1, gzip.compress(three[2], mtime=0), kind=b'resource'), three[1])
put('cut_in_field_name.warc', three[0], record(2)[:14], three[2])
put('cut_in_version.warc', three[0], record(2)[:6], three[2])
put('cut_in_id.warc', three[0], record(2)[:70], three[2])
put('cut_in_address.warc', three[0], head(2, 59)[:-24], three[2])
put('cut_in_length.warc', three[0], head(2, 59)[:-5], three[2])
put('cut_before_blank_line.warc', three[0], head(2, 59)[:-1], three[2])
put('cut_in_block.warc', three[0], record(2, block(2) + b'x' * 500)[:-200], three[2], record(4))
put('cut_before_block.warc', three[0], head(2, 59), three[2], record(4))
put('cut_by_three.warc', three[0], record(2)[:-7], three[2], record(4))
put('cut_twice.warc', three[0], record(2, length=700)[:-20], record(3, length=700)[:-20], record(4))
put('cut_behind_warc.warc', record(1, three[1] + b'WARC/1.0 is a format.\n' * 9, kind=b'resource')[:-30], three[2])
put('address_ends_in_version.warc', record(1).replace(b'example.org/1', b'example.org/WARC/1.0'), three[1])
put('warc_in_warc_cut_terminator.warc', record(1, three[1] + three[2], kind=b'resource', end=b'\r\n'), record(4))
put('warc_in_warc.warc', record(1, three[1] + three[2], kind=b'resource'), record(4))
put('warc_in_warc_then_junk.warc', record(1, three[1] + three[2], kind=b'resource'), b'WARC/1.1\r\n\r\n', record(4), b'junk')
put('cut_length_far_away.warc', record(1, kind=b'resource', length=10**12)[:-30], three[1], three[2])
put('version_line_in_block.warc', record(1, b'WARC/1.0\r\nWARC-Type: x\r\n\r\n' * 3, kind=b'resource'), record(4))
put('zero_length.warc', record(1, b'', kind=b'revisit'), record(2, b'', kind=b'revisit'))
put('empty.warc')
put('blank_lines.warc', b'\r\n\n\r\n', three[0], b'\r\n\r\n')

# headers
put('lower_case.warc', three[0].replace(b'WARC/', b'warc/').replace(b'WARC-Type: response', b'warc-type: RESPONSE').replace(b'Content-', b'CONTENT-'), three[1])
put('folded.warc', record(1, extra=b'X-Long: one\r\n  two\r\n\tthree \r\nX-Empty:\r\n four\r\nX-None: '), three[1])
put('not_utf8.warc', record(1, extra=b'X-Latin: caf\xe9'), three[1])
put('nul_in_uri.warc', record(1).replace(b'example.org', b'exa\0ple.org'), three[1])
put('brackets.warc', record(1).replace(b'http://example.org/1', b'<http://example.org/a b>'), three[1])
put('no_colon.warc', record(1, extra=b'no colon here'), three[1])
put('versions.warc', *[record(i, version=v) for i, v in enumerate([b'WARC/0.12', b'WARC/0.17', b'WARC/0.18', b'WARC/1.1', b'WARC/2.0', b'WARC/1.0 '])])
put('no_mandatory.warc', b'WARC/1.0\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n', three[1])
put('bad_dates.warc', record(1).replace(b'T00:00:00Z', b'T00:00Z'), record(2, version=b'WARC/1.1').replace(b'00Z', b'00.123456789Z'),
    record(3, version=b'WARC/1.1').replace(b'00Z', b'00.Z'))
put('repeated.warc', record(1, extra=b'WARC-Concurrent-To: <a>\r\nWARC-Concurrent-To: <b>\r\nWARC-Type: request'), three[1])
put('blanks_in_names.warc', record(1, extra=b'Power by: x\r\nSpaced : y'), three[1])
digest = b'WARC-Block-Digest: '
body = b'abc'
put('digests.warc', *[record(i, body, extra=digest + d) for i, d in enumerate([
    b'sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5', b'sha1:a9993e364706816aba3e25717850c26c9cd0d89d', b'SHA-1:A9993E364706816ABA3E25717850C26C9CD0D89D',
    b'sha1:qZk+NkcGgWq6PiVxeFDCbJzQ2J0=', b'sha1:900150983cd24fb0d6963f7d28e17f72', b'md5:kAFQmDzST7DWlj99KOF/cg==',
    b'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', b'sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE6',
    b'crc32:352441c2', b'sha1:short', b'nothing'])])

# ARC
arc = b'filedesc://x.arc 0.0.0.0 20200101000000 text/plain %d\n' % 76 + b'1 0 test                            \n' [:21] + b'URL IP-address Archive-date Content-type Archive-length\n'
arc = arc.split(b'\n', 1)
info = arc[1]
url = lambda n, body: b'http://example.org/%d 192.0.2.1 2020010100000%d text/html %d\n' % (n, n, len(body)) + body + b'\n'
opening = b'filedesc://x.arc 0.0.0.0 20200101000000 text/plain %d\n' % len(info) + info + b'\n'
put('two_records.arc', opening, url(1, block(1)), url(2, block(2)))
put('two_records.arc.gz', members(opening, url(1, block(1)), url(2, block(2))))
put('length_wrong.arc', opening, url(1, block(1)).replace(b'%d\nHTTP' % len(block(1)), b'9\nHTTP'), url(2, block(2)))
put('version_2.arc', opening, b'http://example.org/a b 192.0.2.1 20200101000000 text/html 200 - - 77 x.arc 3\nabc\n', url(2, block(2)))

# containers that are none of ours
put('lz4.warc', b'\x04\x22\x4d\x18' + bytes(20))
put('xz.warc', b'\xfd7zXZ\0' + bytes(20))
put('html.warc', b'<html><body>' + b'<p>no archive</p>\n' * 10)
