"""Small files that occupy a reader for hours, or forever."""
import os
import struct
import zlib

GARBAGE = 400 << 30
HEADER = b'WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n' \
         b'WARC-Target-URI: http://huge.example/\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n'


def sparse(path, size=GARBAGE, before=b'', behind=b''):
    """Zeros without disk space, with data before and after them."""
    with open(path, 'wb') as file:
        file.write(before)
        file.truncate(len(before) + size)
        file.seek(0, os.SEEK_END)
        file.write(behind)
    return path


def zstd_record(path, size=40 << 30):
    """A record of `size` zeros in one zstd frame of four bytes for 128 KiB: the block type that repeats one byte.  [RFC 8878 3.1.1.2]"""
    head = HEADER % size
    block = 128 << 10
    with open(path, 'wb') as file:
        file.write(struct.pack('<IBB', 0xfd2fb528, 0, 0x58))  # no sizes, no checksum, a window of 2 MiB
        file.write(struct.pack('<I', len(head) << 3)[:3] + head)
        file.write((struct.pack('<I', block << 3 | 1 << 1)[:3] + b'\0') * (size // block - 1))
        file.write(struct.pack('<I', block << 3 | 1 << 1 | 1)[:3] + b'\0')
    return path


def gzip_record(path, size=4 << 30, is_damaged=False):
    """The same in one gzip member, one byte for 1,030. A member with a damaged end is decompressed twice."""
    piece = 16 << 20
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    head = packer.compress(HEADER % size) + packer.flush(zlib.Z_FULL_FLUSH)
    zeros = packer.compress(bytes(piece)) + packer.flush(zlib.Z_FULL_FLUSH)
    with open(path, 'wb') as file:
        file.write(b'\x1f\x8b\x08\0\0\0\0\0\0\xff' + head + zeros * (size // piece))
        file.write(b'\x07' if is_damaged else b'\x03\0')  # an invalid block type, or an empty last block
        file.write(bytes(8))
    return path
