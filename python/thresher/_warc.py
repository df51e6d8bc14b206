"""libwarc's reader: every record of a WARC or ARC file, plain, gzip or zstd, with any damage."""
from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from typing import Iterator, List, NamedTuple, NoReturn, Optional, Tuple, Union

from ._native import LIBRARY, ThresherError

__all__ = ['WarcError', 'WarcReader', 'WarcRecord', 'warc']

_OK, _END, _PAUSED = 0, 1, 2


class WarcError(OSError):
    """Raised if the archive is missing, is not an archive, or cannot be read from disk. Damage inside of the archive is not an error."""


class _View(ctypes.Structure):
    _fields_ = [('data', ctypes.c_void_p), ('len', ctypes.c_size_t)]


class _Field(ctypes.Structure):
    _fields_ = [('name', _View), ('value', _View)]


class _Position(ctypes.Structure):
    _fields_ = [('offset', ctypes.c_uint64), ('skip', ctypes.c_uint64), ('uoffset', ctypes.c_uint64),
                ('dict_offset', ctypes.c_uint64)]


class _Error(ctypes.Structure):
    _fields_ = [('status', ctypes.c_int), ('text', ctypes.c_char * 256)]


class _Stats(ctypes.Structure):
    """The begin of warc_reader_stats."""
    _fields_ = [('container', ctypes.c_int), ('is_arc', ctypes.c_bool),
                *((name, ctypes.c_uint64) for name in ('records', 'dropped_headers', 'bytes_in', 'bytes_out', 'members', 'damaged_members', 'stray_bytes'))]


class Position(NamedTuple):
    """Place of a record: of its member in the file, and the unpacked bytes before it within the member."""
    offset: int
    skip: int


_pointer = ctypes.c_void_p
for _name, _result, _arguments in (
        ('warc_reader_open_path', ctypes.c_int, [ctypes.c_char_p, _pointer, ctypes.POINTER(_pointer), ctypes.POINTER(_Error)]),
        ('warc_reader_free', None, [_pointer]),
        ('warc_reader_next', ctypes.c_int, [_pointer, ctypes.POINTER(_pointer), ctypes.POINTER(_Error)]),
        ('warc_reader_chunk', ctypes.c_int, [_pointer, ctypes.POINTER(_View), ctypes.POINTER(_Error)]),
        ('warc_reader_seek', ctypes.c_int, [_pointer, ctypes.POINTER(_Position), ctypes.POINTER(_Error)]),
        ('warc_reader_get_stats', ctypes.POINTER(_Stats), [_pointer]),
        ('warc_record_type', ctypes.c_int, [_pointer]),
        ('warc_type_name', ctypes.c_char_p, [ctypes.c_int]),
        ('warc_record_find', _View, [_pointer, ctypes.c_char_p]),
        ('warc_record_target_uri', _View, [_pointer]),
        ('warc_record_field_count', ctypes.c_size_t, [_pointer]),
        ('warc_record_field_at', _Field, [_pointer, ctypes.c_size_t]),
        ('warc_record_is_http', ctypes.c_bool, [_pointer]),
        ('warc_record_is_damaged', ctypes.c_bool, [_pointer]),
        ('warc_record_position', _Position, [_pointer])):
    _function = getattr(LIBRARY, _name)
    _function.restype, _function.argtypes = _result, _arguments


def _text(view: _View) -> Optional[str]:
    return None if view.data is None else ctypes.string_at(view.data, view.len).decode('utf-8', 'surrogateescape')


class WarcRecord:
    """A record. Its header is available at any time, and its block until the reader continues."""

    def __init__(self, reader: 'WarcReader', address: int) -> None:
        self._reader = reader
        self._turn = reader._turn
        self.type: str = LIBRARY.warc_type_name(LIBRARY.warc_record_type(address)).decode()
        self.url = _text(LIBRARY.warc_record_target_uri(address))
        self.headers: List[Tuple[str, str]] = []
        for index in range(LIBRARY.warc_record_field_count(address)):
            field = LIBRARY.warc_record_field_at(address, index)
            self.headers.append((_text(field.name) or '', _text(field.value) or ''))
        self.is_http: bool = LIBRARY.warc_record_is_http(address)
        place = LIBRARY.warc_record_position(address)
        self.position = Position(place.offset, place.skip)
        self._address = address

    def header(self, name: str) -> Optional[str]:
        """First value of a header field, its name in either case; None when it is absent."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    @property
    def id(self) -> Optional[str]:
        return self.header('WARC-Record-ID')

    @property
    def date(self) -> Optional[str]:
        return self.header('WARC-Date')

    def chunks(self) -> Iterator[bytes]:
        """The rest of the block, piece by piece."""
        while True:
            chunk = self._reader._chunk(self)
            if chunk is None:
                return
            yield chunk

    def read(self, limit: int = 1 << 30) -> bytes:
        """The rest of the block: of a response with its HTTP head. Raises ThresherError beyond `limit` bytes."""
        pieces, size = [], 0
        for chunk in self.chunks():
            size += len(chunk)
            if size > limit:
                raise ThresherError('the block of %s has more than %d bytes: read it with chunks()' % (self.id, limit))
            pieces.append(chunk)
        return b''.join(pieces)

    @property
    def is_damaged(self) -> bool:
        """Whether the block is shorter than declared or in a damaged member. Final after the block was read completely."""
        with self._reader._alone():
            self._reader._check(self)
            return LIBRARY.warc_record_is_damaged(self._address)

    def __repr__(self) -> str:
        return 'WarcRecord(%r, %r)' % (self.type, self.url)


class WarcReader:
    """Iterates over the records of a file. A context manager.

    Threads may share a reader: each call holds its lock. A block is there until any of them asks for the next record."""

    def __init__(self, path: Union[str, 'os.PathLike[str]']) -> None:
        self.path = os.fspath(path)
        name = os.fsencode(self.path)
        if b'\0' in name:
            raise ThresherError('path contains a NUL character')
        self._lock = threading.RLock()
        self._is_busy = False
        self._turn = 0
        self._has_sought = False
        self._handle = _pointer()
        self._error = _Error()
        self._expect(LIBRARY.warc_reader_open_path(name, None, ctypes.byref(self._handle),
                                                   ctypes.byref(self._error)))

    def _expect(self, status: int) -> None:
        if status not in (_OK, _PAUSED):
            raise WarcError('%s: %s' % (self.path, self._error.text.decode('utf-8', 'replace')))

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Keeps other threads out; refuses a call from a signal handler during another call of its thread."""
        with self._lock:
            if self._is_busy:
                raise ThresherError('the reader of %s is in use in this thread' % self.path)
            try:
                self._is_busy = True
                yield
            finally:
                self._is_busy = False

    def __iter__(self) -> 'WarcReader':
        return self

    def __next__(self) -> WarcRecord:
        address = _pointer()
        status = _PAUSED
        with self._alone():
            self._turn += 1
            while status == _PAUSED:
                status = LIBRARY.warc_reader_next(self._open(), ctypes.byref(address), ctypes.byref(self._error))
            if status != _END:
                self._expect(status)
                return WarcRecord(self, address.value or 0)
            stats = LIBRARY.warc_reader_get_stats(self._handle).contents
            if not stats.records and stats.stray_bytes and not self._has_sought:
                raise WarcError('%s: not a WARC or ARC file, or without a readable record' % self.path)
        raise StopIteration

    def __reduce__(self) -> NoReturn:
        """A copy would free the open file twice."""
        raise TypeError('a WarcReader cannot be copied or pickled; open the file again')

    def seek(self, offset: int, skip: int = 0) -> None:
        """The next record is the one at a position, as of WarcRecord.position or an index."""
        none = (1 << 64) - 1
        for name, value in (('offset', offset), ('skip', skip)):
            if not 0 <= value < 1 << 63:
                raise ThresherError('%s is %r (expected 0 to 2**63 - 1)' % (name, value))
        place = _Position(offset, skip, none, none)
        status = _PAUSED
        with self._alone():
            self._turn += 1
            self._has_sought = True
            while status == _PAUSED:
                status = LIBRARY.warc_reader_seek(self._open(), ctypes.byref(place), ctypes.byref(self._error))
            self._expect(status)

    def _open(self) -> _pointer:
        if not self._handle:
            raise ThresherError('the reader of %s is closed' % self.path)
        return self._handle

    def _check(self, record: WarcRecord) -> None:
        self._open()
        if record._turn != self._turn:
            raise ThresherError('the reader has advanced; the block of %s is no longer available' % record.id)

    def _chunk(self, record: WarcRecord) -> Optional[bytes]:
        view = _View()
        status = _PAUSED
        with self._alone():
            self._check(record)
            while status == _PAUSED:
                status = LIBRARY.warc_reader_chunk(self._handle, ctypes.byref(view), ctypes.byref(self._error))
            if status == _END:
                return None
            self._expect(status)
            return ctypes.string_at(view.data, view.len)

    def close(self) -> None:
        """Closes the file; a second call does nothing."""
        with self._alone():
            if self._handle:
                LIBRARY.warc_reader_free(self._handle)
                self._handle = _pointer()
                self._turn += 1

    def __enter__(self) -> 'WarcReader':
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, '_handle', None):
            self.close()


def warc(path: Union[str, 'os.PathLike[str]']) -> WarcReader:
    """The records of a WARC or ARC file: plain, gzip or zstd, found out by its bytes."""
    return WarcReader(path)
