#!/usr/bin/env python3
"""Writes tag_slots.c: a perfect hash of the tag names in include/thresher/tag.h.

    src/base/tag_slots.py > src/base/tag_slots.c

A name is two words of eight bytes, little-endian, padded with zeros. The
program searches for a multiplier that maps each sum of the words to a different slot. See tag_words.h.
"""
import pathlib
import random
import re

BITS = 10


def main():
    header = pathlib.Path(__file__).resolve().parents[2] / "include/thresher/tag.h"
    names = re.findall(r'X\(\w+,"(\w+)"\)', header.read_text())
    assert names == sorted(names) and max(map(len, names)) <= 15
    keys = []
    for name in names:
        word = name.encode().ljust(16, b"\0")
        keys.append((int.from_bytes(word[:8], "little") + int.from_bytes(word[8:], "little")) % 2**64)
    dice = random.Random(1)
    while True:
        multiplier = dice.getrandbits(64) | 1
        slots = {(key * multiplier % 2**64) >> 64 - BITS for key in keys}
        if len(slots) == len(keys):
            break
    table = [len(names)] * (1 << BITS)
    for i, key in enumerate(keys):
        table[(key * multiplier % 2**64) >> 64 - BITS] = i
    print("/* Made by tag_slots.py: do not edit. */")
    print('#include "base/tag_words.h"\n')
    print("/* clang-format off */")
    print(f"const uint64_t th_tag_multiplier = 0x{multiplier:016X};\n")
    print("const uint8_t th_tag_slots[TH_TAG_SLOTS] = {")
    width = 24
    rows = [str(tag) for tag in table]
    for i in range(0, len(rows), width):
        print("    " + ", ".join(rows[i:i + width]) + ",")
    print("};\n")
    print("const char th_tag_names[TH_TAG_COUNT][16] = {")
    print("#define ROW(symbol, text) text,\n    TH_TAG_LIST(ROW)\n#undef ROW\n    \"*\",")
    print("};\n/* clang-format on */")


main()
