"""One page in, its record out."""
from __future__ import annotations

import base64
import ctypes
import functools
import json
import subprocess
import threading
from html import escape as html_escape
from typing import Any, Dict, List, NoReturn, Optional, Tuple, Union

from ._native import LIBRARY, Refused, ThresherError, bytes_of_text, option_list
from ._records import program

__all__ = ['Extractor', 'Page', 'Paragraph', 'extract']


_SIGNED = ('content', 'main', 'page', 'distinct')


class Paragraph:
    """A paragraph of a page in reading order, as the record states it."""

    __slots__ = ('text', 'kind', 'is_content', 'record')

    def __init__(self, record: Dict[str, Any], text: str) -> None:
        self.record = record
        self.text = text
        self.kind: str = record.get('kind', 'paragraph')
        self.is_content: bool = record.get('label') == 'content'

    @property
    def score(self) -> Optional[float]:
        """How sure the learned classifier is that this is content, 0 to 1; None with the rules."""
        return self.record.get('score')

    def __repr__(self) -> str:
        return 'Paragraph(%r, %s, %r)' % (self.kind, 'content' if self.is_content else 'boilerplate', self.text[:60])


class Page:
    """Result for a page. `record` is the whole record (schema thresher/1, docs/record.md), parsed at the first access."""

    __slots__ = ('json', '_record', '_document')

    def __init__(self, line: str) -> None:
        self.json = line
        self._record: Optional[Dict[str, Any]] = None
        self._document: Optional[Tuple[bytes, List[str]]] = None  # its bytes, and arguments of `thresher inspect`

    @property
    def record(self) -> Dict[str, Any]:
        if self._record is None:
            self._record = json.loads(self.json)
            for about_file in ('id', 'source'):
                self._record.pop(about_file, None)
        return self._record

    @property
    def text(self) -> str:
        """Main text: content paragraphs in order, in the form of the option text_format."""
        return self.record.get('text', '')

    @property
    def title(self) -> Optional[str]:
        return self.record.get('title')

    @property
    def author(self) -> Optional[str]:
        return self.record.get('author')

    @property
    def published(self) -> Optional[str]:
        """ISO 8601, as far as the page states it."""
        return self.record.get('published')

    @property
    def language(self) -> Optional[str]:
        """ISO 639 code: as detected in the main text ('en'), else as the page declares it ('en-GB'); None if neither is known."""
        return self.record.get('language_detected', {}).get('name') or self.record.get('language')

    @property
    def page_type(self) -> Optional[str]:
        """'article', 'forum', 'product', 'documentation', ...; None with the rules."""
        return self.record.get('page_type', {}).get('name')

    @property
    def markdown(self) -> str:
        """Main text as Markdown; the extractor needs text_format='plain,markdown'."""
        if 'text_markdown' not in self.record and self.text:
            raise ThresherError("the page has no Markdown: ask for it, extract(..., text_format='plain,markdown')")
        return self.record.get('text_markdown', '')

    @property
    def posts(self) -> List[Dict[str, Any]]:
        """Posts of a thread with author, date and text (docs/record.md); the extractor needs emit='posts'. [] for another page."""
        return self.record.get('posts', [])

    @property
    def comments(self) -> List[Dict[str, Any]]:
        """Comments below an article, in the form of posts. They are not in `text`."""
        return self.record.get('comments', [])

    @property
    def flags(self) -> List[str]:
        """Events during processing: 'charset_guessed', 'blocks_cut', ..."""
        return self.record.get('flags', [])

    @property
    def paragraphs(self) -> List[Paragraph]:
        """All paragraphs, boilerplate too; the extractor needs emit='paragraphs,full_text'."""
        if 'paragraphs' not in self.record or 'full_text' not in self.record:
            raise ThresherError("paragraphs were not requested; use extract(..., emit='paragraphs,full_text')")
        text = self.record['full_text']
        return [Paragraph(row, text[row['start']:row['end']]) for row in self.record['paragraphs']]

    def signature(self, text: str = 'content') -> Optional[List[int]]:
        """Slots of the MinHash signature of 'content', 'main', 'page' or 'distinct'; None: the text has no token or was not signed."""
        if text not in _SIGNED:
            raise ThresherError('signature of %r (expected one of: %s)' % (text, ', '.join(_SIGNED)))
        minhash = self.record.get('minhash') or {}
        packed = minhash.get(text)
        if not packed:
            return None
        digits = minhash['bits'] // 4
        return [int(packed[at:at + digits], 16) for at in range(0, len(packed), digits)]

    def report(self) -> bytes:
        """HTML report of `thresher inspect`, with the label of each line and its reason. Only for a page of thresher.extract(), which keeps the document."""
        if self._document is None:
            raise ThresherError('an Extractor does not keep documents: use thresher.extract(...).report()')
        document, arguments = self._document
        done = subprocess.run([program(), 'inspect', '--quiet', '--html', '-', *arguments, '-'], input=document, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            raise ThresherError(done.stderr.decode('utf-8', 'replace').strip())
        return done.stdout

    def __repr__(self) -> str:
        return 'Page(%r, %d characters of text)' % (self.title, len(self.text))

    def _repr_html_(self) -> str:
        """For notebooks: title, facts, text, and the report as a link."""
        facts = ' \u00b7 '.join(filter(None, (self.author, self.published, self.language, self.page_type)))
        paragraphs = ''.join('<p>%s</p>' % html_escape(part) for part in self.text.split('\n\n') if part)
        link = ''
        if self._document:
            link = '<p><a download="report.html" href="data:text/html;base64,%s">Report</a></p>' % base64.b64encode(self.report()).decode()
        return '<article><h3>%s</h3><p><small>%s</small></p>%s%s</article>' % (html_escape(self.title or ''), html_escape(facts), paragraphs, link)


class _Handle:
    """A C extractor, for one thread. `is_busy` during a call: a signal handler could call again."""

    def __init__(self, pairs: List[str]) -> None:
        self.is_busy = False
        error = ctypes.create_string_buffer(600)
        keys = (ctypes.c_char_p * (len(pairs) + 1))(*[part.encode('utf-8', 'surrogateescape') for part in pairs], None)
        self.address = LIBRARY.thresher_extractor_new(keys, error, len(error))
        if not self.address:
            raise ThresherError(error.value.decode('utf-8', 'replace'))

    def __reduce__(self) -> NoReturn:
        """A copy would free the extractor twice."""
        raise TypeError('a handle of the library cannot be copied or pickled')

    def __del__(self) -> None:
        if getattr(self, 'address', None):
            LIBRARY.thresher_extractor_free(self.address)
            self.address = None


class Extractor:
    """Reads pages with one set of options. Any number of threads can share it. The options are the program's options,
    with underscores: Extractor(classifier='num-words', text_format='markdown', emit=['paragraphs', 'full_text'], filter_min_words=50).

    Raises ThresherError for an option that is unknown, out of its range, or without effect on a single page (`sites`, `output`).
    Memory: some MB for each thread that calls."""

    def __init__(self, **options: Any) -> None:
        self._pairs = option_list(options)
        self._local = threading.local()
        self._local.handle = _Handle(self._pairs)

    def __call__(self, html: Union[str, bytes, bytearray, memoryview], url: Optional[str] = None,
                 content_type: Optional[str] = None) -> Page:
        """Reads one page.

        html: the document as it was served, bytes or text. content_type: of its HTTP header, for its charset and XHTML.
        Raises Refused for a document that gives no record ('not_html', 'time_limit', 'too_large', ...), and ThresherError if a
        signal handler calls the extractor during another call in the same thread."""
        data, content_type = _bytes_of(html, content_type)
        handle = getattr(self._local, 'handle', None)
        if handle is None:
            handle = self._local.handle = _Handle(self._pairs)
        if handle.is_busy:
            raise ThresherError('the extractor is in use in this thread; use a separate Extractor in a signal handler')
        text, size = ctypes.c_void_p(), ctypes.c_size_t()
        try:
            handle.is_busy = True
            reason = LIBRARY.thresher_extract(handle.address, data, len(data), _argument('url', url),
                                              _argument('content_type', content_type), ctypes.byref(text), ctypes.byref(size))
            words = ctypes.string_at(text, size.value).decode('utf-8', 'replace')
        finally:
            handle.is_busy = False
        if reason:
            raise Refused(reason.decode(), words)
        return Page(words)

    def __getstate__(self) -> Dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != '_local'}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._local = threading.local()


def _of_pairs(pairs: Tuple[str, ...]) -> Extractor:
    return Extractor(**{key.replace('-', '_'): value for key, value in zip(pairs[::2], pairs[1::2])})


def _bytes_of(html: Any, content_type: Optional[str]) -> Tuple[bytes, Optional[str]]:
    _argument('content_type', content_type)
    if isinstance(html, str):
        kind = (content_type or 'text/html').split(';')[0]
        return html.encode('utf-8', 'replace'), kind + '; charset=utf-8'
    if isinstance(html, bytes):
        return html, content_type
    if isinstance(html, (bytearray, memoryview)):
        return bytes(html), content_type
    raise TypeError('html must be str or bytes, not %s' % type(html).__name__)


def _argument(name: str, text: Optional[str]) -> bytes:
    return b'' if text is None else bytes_of_text(name, text)


_shared = functools.lru_cache(maxsize=16)(_of_pairs)


def extract(html: Union[str, bytes, bytearray, memoryview], url: Optional[str] = None,
            content_type: Optional[str] = None, **options: Any) -> Page:
    """Reads one page: Extractor(**options)(html, url, content_type). Extractors are kept by their options. The page keeps the document for its report."""
    key = tuple(option_list(options))
    page = _shared(key)(html, url, content_type)
    arguments = ['--url', _argument('url', url).decode()] if url else []
    for name, value in zip(key[::2], key[1::2]):
        arguments += ['--option', '%s=%s' % (name, value)]
    data, kind = _bytes_of(html, content_type)
    head = b'HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n' % ' '.join(kind.split()).encode('utf-8', 'replace') if kind else b''
    page._document = head + data, arguments
    return page
