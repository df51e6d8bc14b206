"""The C library of the package, by ctypes: every call releases the interpreter lock while it runs."""
from __future__ import annotations

import ctypes
import glob
import os
from typing import Any, List, Mapping, Tuple

__all__ = ['LIBRARY', 'Refused', 'ThresherError', 'bytes_of_text', 'option_list', 'version']


class ThresherError(ValueError):
    """A wrong option or argument. The text names it and the valid values."""


class Refused(ThresherError):
    """A page that gives no record. `reason` is a name as in reject lines: 'not_html', 'too_large', 'time_limit', ..."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__('%s: %s' % (reason, detail))
        self.reason = reason
        self.detail = detail

    def __reduce__(self) -> Tuple[Any, ...]:
        """For pools of processes, which pickle an error."""
        return type(self), (self.reason, self.detail)


def bytes_of_text(name: str, text: Any, errors: str = 'replace') -> bytes:
    """A text for the C library. Raises TypeError for another type, and ThresherError for a NUL character, where C would end it."""
    if not isinstance(text, str):
        raise TypeError('%s must be str, not %s' % (name, type(text).__name__))
    if '\0' in text:
        raise ThresherError('%s contains a NUL character' % name)
    return text.encode('utf-8', errors)


def _load() -> ctypes.CDLL:
    folder = os.environ.get('THRESHER_LIBRARY_DIR') or os.path.dirname(os.path.abspath(__file__))
    found = glob.glob(os.path.join(folder, '_thresher*.so'))
    if not found:
        raise ImportError('no _thresher*.so in %s: the package is incomplete; install it again' % folder)
    return ctypes.CDLL(found[0])


LIBRARY = _load()
_c_text = ctypes.c_char_p
_size = ctypes.c_size_t
LIBRARY.thresher_python_version.restype = _c_text
LIBRARY.thresher_extractor_new.argtypes = [ctypes.POINTER(_c_text), ctypes.c_char_p, _size]
LIBRARY.thresher_extractor_new.restype = ctypes.c_void_p
LIBRARY.thresher_extractor_free.argtypes = [ctypes.c_void_p]
LIBRARY.thresher_extractor_free.restype = None
LIBRARY.thresher_extract.argtypes = [ctypes.c_void_p, _c_text, _size, _c_text, _c_text, ctypes.POINTER(ctypes.c_void_p),
                                     ctypes.POINTER(_size)]
LIBRARY.thresher_extract.restype = _c_text
LIBRARY.thresher_sign.argtypes = [_c_text, _c_text, _size, ctypes.POINTER(ctypes.c_uint64), _size, ctypes.c_char_p, _size]
LIBRARY.thresher_sign.restype = ctypes.c_int64


def version() -> str:
    """Version of the C library."""
    return LIBRARY.thresher_python_version().decode()


def option_list(options: Mapping[str, Any]) -> List[str]:
    """Keyword arguments as keys and values of thresher.conf: text_links=True is text-links = yes, a list is comma-separated.
    The underscores stand for dots and dashes: filter_min_words is filter.min-words."""
    pairs = []
    for name, value in options.items():
        if value is None:
            raise ThresherError('option %s is None; omit it for its default' % name)
        if isinstance(value, bool):
            text = 'yes' if value else 'no'
        elif isinstance(value, (list, tuple, set, frozenset)):
            text = ','.join(map(str, sorted(value) if isinstance(value, (set, frozenset)) else value))
        else:
            text = str(value)
        if '\0' in name or '\0' in text:
            raise ThresherError('option %s: the %s contains a NUL character' % (name.replace('\0', '?'), 'name' if '\0' in name else 'value'))
        pairs += [name.replace('_', '-'), text]
    return pairs
