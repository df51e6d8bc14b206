"""What mixed_pages.py, made_pages.py, made_outputs.py, mixed_inputs.py and corpora.py share: random numbers that are the same everywhere, and a file of digests of what the program writes."""
import hashlib
import struct
import zlib


class Random:
    """A linear congruential generator: the same numbers with every version of Python."""

    def __init__(self, name):
        self.state = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], 'big')

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        return (self.state >> 33) % n

    def one(self, values):
        return values[self.below(len(values))]

    def bytes(self, n):
        return bytes(self.below(256) for _ in range(n))


def stored(body, raw):
    """A deflate stream of stored blocks: the same with every version of zlib. As gzip, zlib or raw."""
    out = b''
    for at in range(0, max(len(body), 1), 5000):
        part = body[at:at + 5000]
        out += struct.pack('<BHH', at + 5000 >= len(body), len(part), 0xFFFF - len(part)) + part
    return out if raw else b'\x1f\x8b\x08\0\0\0\0\0\0\xff' + out + struct.pack('<II', zlib.crc32(body), len(body))


def settle(kept_path, rows, is_accepted, is_part=False):
    """Keeps the rows, or compares them with the kept ones. is_part: kept rows of other names are not compared. Returns the exit code."""
    if is_accepted:
        with open(kept_path, 'w', encoding='utf-8') as out:
            out.writelines(rows)
        return 0
    with open(kept_path, encoding='utf-8') as file:
        names = {row.split()[0] for row in rows}
        kept = [row for row in file if not is_part or row.split()[0] in names]
    for mark, some, others in (('now  ', rows, kept), ('kept ', kept, rows)):
        for row in some:
            if row not in others:
                print(mark + row, end='')
    if rows != kept:
        print('To keep the new rows, use --accept.')
    return rows != kept
