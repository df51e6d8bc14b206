"""
The text model of the papers on plain texts: lines, density, density quotients, and Block Fusion as its listing has it. The program has the same
model in C; `segmentation.iterations` counts the pages on which both give the same segments.
"""
import math
import unicodedata
from typing import NamedTuple


class Lines(NamedTuple):
    """A range of lines: the number of tokens and of lines, and the tokens of the last line."""
    tokens: int
    lines: int
    last: int

    @property
    def density(self):
        """[K11 Eq. 4.6]"""
        return (self.tokens - self.last) / (self.lines - 1) if self.lines > 1 else float(self.tokens)

    def __add__(self, after):
        """This range and the range after it. [K11 §4.2.2]"""
        return Lines(self.tokens + after.tokens, self.lines + after.lines, after.last)


def columns(word):
    return len(word) if word.isascii() else sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in word)


def wrapped(text, w_max=80):
    """Wraps a text at a number of columns. A word that is longer than a line has its own line."""
    total, lines, here, used = 0, 1, 0, 0
    for word in text.split():
        width = columns(word)
        if used and used + 1 + width > w_max:
            lines, here, used = lines + 1, 0, 0
        used += width + (1 if used else 0)
        is_token = any(c.isalnum() for c in word)
        here += is_token
        total += is_token
    return Lines(total, lines, here)


def slope_delta(x, y):
    """[K11 Eq. 4.7]"""
    return abs(x - y) / max(x, y) if max(x, y) else 0.0


def quotient_classes(densities):
    """[K11 Eq. 4.9]: ceil(|difference| / density) of each block and the block before it. Equal neighbors are one block, and have no class."""
    return [math.ceil(abs(a - b) / b - 1e-12) for a, b in zip(densities, densities[1:]) if a != b and b > 0]


def fuse(blocks, theta, is_smoothed=False):
    """
    Block Fusion [K11 Alg. 4.1], literally. Yields after each sweep the segments, as lists of block numbers. The last sweep fuses nothing.
    @param blocks  Lines of each atomic block
    """
    ranges = [(block, [number]) for number, block in enumerate(blocks)]
    has_fused = True
    while has_fused:
        has_fused, i = False, 1
        while i < len(ranges):
            before, here = ranges[i - 1], ranges[i]
            after = ranges[i + 1] if i + 1 < len(ranges) else None
            if is_smoothed and after and before[0].density == after[0].density and here[0].density < before[0].density:
                ranges[i - 1:i + 2] = [(before[0] + here[0] + after[0], before[1] + here[1] + after[1])]
                has_fused = True
            elif slope_delta(before[0].density, here[0].density) <= theta:
                ranges[i - 1:i + 1] = [(before[0] + here[0], before[1] + here[1])]
                has_fused = True
            else:
                i += 1
        yield [numbers for _, numbers in ranges]
