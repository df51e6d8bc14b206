"""Prints synthetic records with known clusters, for `thresher dedup` on more records than a test can contain. No numpy needed.

usage: dedup_records.py COUNT > records.jsonl        then, by hand:
       /usr/bin/time -v thresher dedup --output drop -O drop.txt records.jsonl

Preset modern, 128 random slots. One record in five belongs to a cluster of two, and of 100,000 records there is a cluster of 1,000. A copy has
some different slots (up to one in ten), so pairs are similar and not equal. The line of a member is spread over the file.
Deterministic: the same COUNT produces the same bytes. Prints to stderr the number of clusters and of records to drop in an exact answer.
"""
import random
import sys

SLOTS = 128


def main():
    count = int(sys.argv[1])
    rng = random.Random(5)
    out = sys.stdout
    clusters = dropped = made = 0
    waiting = []  # copies that come later
    number = 0

    def emit(slots, members_left):
        nonlocal number
        text = slots.hex()
        out.write('{"schema":"thresher/1","id":"<urn:uuid:%08x-0000-4000-8000-%012x>","url":"http://site%d.example/page/%d","date":"2024-%02d-%02dT%02d:%02d:%02dZ",'
                  '"source":{"file":"synthetic.warc.gz","offset":%d},"text":"a short text","counts":{"blocks":1},"minhash":{"preset":"modern","w":5,"k":128,"main":"%s"},"flags":[]}\n'
                  % (number * 2654435761 % 2**32, number, number % 10007, number, number % 12 + 1, number % 28 + 1, number % 24, number % 60, number // 60 % 60, number * 1000, text))
        number += 1

    def copy(slots):
        changed = bytearray(slots)
        for _ in range(rng.randrange(SLOTS // 10)):
            at = 4 * rng.randrange(SLOTS)
            changed[at:at + 4] = rng.randbytes(4)
        return changed

    while number < count:
        if waiting and rng.random() < 0.5 or len(waiting) > 5000:
            emit(waiting.pop(rng.randrange(len(waiting))), 0)
            continue
        slots = rng.randbytes(4 * SLOTS)
        kind = rng.random()
        copies = 999 if kind < 0.00001 else 1 if kind < 0.12 else 0
        copies = min(copies, count - number - len(waiting) - 1)
        if copies > 0:
            clusters += 1
            dropped += copies
            waiting.extend(copy(slots) for _ in range(copies))
        emit(slots, copies)
        if number + len(waiting) >= count:
            for slots in waiting:
                emit(slots, 0)
            waiting = []
    print('%d records, %d clusters, %d to drop' % (number, clusters, dropped), file=sys.stderr)


if __name__ == '__main__':
    main()
