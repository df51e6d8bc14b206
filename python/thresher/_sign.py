"""MinHash signatures of texts."""
from __future__ import annotations

import ctypes
from typing import List

from ._native import LIBRARY, ThresherError, bytes_of_text

_MOST = 1024


def sign(text: str, preset: str = 'modern') -> List[int]:
    """Slots of a text's signature: the text is normalised, cut into shingles of words and signed as content is.

    preset: as of the option minhash, 'modern', 'datasketch2:k=256,w=7,seed=42', ... An empty list: the text has no token."""
    if not isinstance(text, str):
        raise TypeError('text must be str, not %s' % type(text).__name__)
    data = text.encode('utf-8', 'replace')
    slots = (ctypes.c_uint64 * _MOST)()
    error = ctypes.create_string_buffer(600)
    count = LIBRARY.thresher_sign(bytes_of_text('preset', preset), data, len(data), slots, _MOST, error, len(error))
    if count < 0:
        raise ThresherError(error.value.decode('utf-8', 'replace'))
    return list(slots[:count])
