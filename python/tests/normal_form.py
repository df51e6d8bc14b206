"""The normal form of a text before it is cut into shingles, in plain Python: docs/near-duplicates.md, "Texts". For programs that compute signatures without thresher, and for the tests, which compare thresher.sign with it."""
import unicodedata

UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x19E0, 0x19FF), (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029),
            (0x3038, 0x303B), (0x3040, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F),
            (0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x1B000, 0x1B16F), (0x20000, 0x3FFFF))


def is_unspaced(char):
    return any(first <= ord(char) <= last for first, last in UNSPACED)


def tokens(text):
    """The tokens of a text."""
    found, is_open, is_letter = [], False, False
    for char in (folded for each in text for folded in each.casefold()):
        kind = unicodedata.category(char)
        if kind[0] == 'L' or kind == 'Nd':
            alone = is_unspaced(char)
            if is_open and not is_letter and not alone:
                found[-1] += char
            else:
                found.append(char)
            is_open, is_letter = True, alone
        elif kind in ('Mn', 'Mc'):
            if is_open:
                found[-1] += char
        elif kind != 'Cf':
            is_open = False
    return found


def shingles(text, w=5):
    """Returns the hashed strings: w tokens joined by spaces, at each position. A shorter text is one string."""
    words = tokens(text)
    return [' '.join(words[at:at + w]) for at in range(max(len(words) - w + 1, 1 if words else 0))]
