"""Compares signatures with Python's own programs, on texts that were cut only by the rules of docs/near-duplicates.md."""
import random
import unicodedata

import pytest

import thresher
from normal_form import shingles, tokens

TEXTS = ('The rain had stopped before the ferry left the harbour of Saltmouth.',
         "Stra\u00dfe, STRASSE; \u0130stanbul, istanbul. It's 3.14 or \u0663\u0664? e\u0301t\u00e9 co\u00adoperate x\u200by z\u0301",
         '\u96e8\u304c\u6b62\u3093\u3060\u3002\u30d5\u30a7\u30ea\u30fc 2 goes \u0e1d\u0e19\u0e2b\u0e22\u0e38\u0e14\u0e41\u0e25\u0e49\u0e27 \u0928\u092e\u0938\u094d\u0924\u0947',
         'short text')


def any_text(seed):
    """Code points of Unicode that this Python and ICU 67 both know, many from one block, with spaces."""
    draw = random.Random(seed)
    chars = []
    while len(chars) < 300:
        first = draw.choice((0x20, 0xC0, 0x370, 0x900, 0xE00, 0x1E90, 0x3040, 0x4E00, 0xAC00, 0xFB00, 0x10400, 0x20000))
        for _ in range(draw.randrange(1, 12)):
            char = chr(first + draw.randrange(0x60))
            if unicodedata.ucd_3_2_0.category(char) != 'Cn':
                chars.append(char)
        chars.append(draw.choice(('', ' ', '-', '\u00ad')))
    return ''.join(chars)


@pytest.mark.parametrize('text', TEXTS + tuple(any_text(seed) for seed in range(20)))
def test_a_text_signs_as_datasketch_signs_it(text):
    datasketch = pytest.importorskip('datasketch')
    peer = datasketch.MinHash(num_perm=64, seed=7)
    for shingle in shingles(text):
        peer.update(shingle.encode())
    preset = 'datasketch%s:k=64,w=5,seed=7' % datasketch.__version__.split('.')[0] if hasattr(datasketch, '__version__') else 'datasketch1:k=64,w=5,seed=7'
    assert thresher.sign(text, preset) == [int(value) for value in peer.hashvalues]


def test_tokens_are_what_the_document_says():
    assert tokens(TEXTS[1]) == ['strasse', 'strasse', 'i\u0307stanbul', 'istanbul', 'it', 's', '3', '14', 'or', '\u0663\u0664', 'e\u0301t\u00e9', 'cooperate',
                                'xy', 'z\u0301']
    assert shingles('short text') == ['short text'] and shingles('!') == []
    assert tokens(TEXTS[2])[:3] == ['\u96e8', '\u304c', '\u6b62'] and 'goes' in tokens(TEXTS[2])


def test_a_text_signs_as_its_normal_form():
    for seed in range(20):
        text = any_text(seed)
        assert thresher.sign(text) == thresher.sign(' '.join(tokens(text)))
