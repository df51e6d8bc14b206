"""For programs that call trafilatura: the same two functions, so that `from thresher.trafilatura import extract, bare_extraction` can replace
`from trafilatura import ...` (version 2.3).

Every option of trafilatura has its effect, or raises a ThresherError that names it. The text itself is thresher's, so it can have other paragraphs.
"""
from __future__ import annotations

import json
from typing import Any, Container, Dict, Iterable, Optional, Union
from urllib.parse import urlsplit

from ._extract import Page, extract as _extract
from ._native import Refused, ThresherError

__all__ = ['Document', 'bare_extraction', 'extract']

_FORMATS = ('html', 'json', 'markdown', 'txt')
_JSON_NAMES = {'url': 'source', 'sitename': 'source-hostname', 'description': 'excerpt'}
# Options that change nothing here, and options that are refused unless they have their default.
_WITHOUT_EFFECT = {'fast', 'no_fallback', 'as_dict'}
_REFUSED: Dict[str, Any] = {'tei_validation': False, 'include_tables': True, 'deduplicate': False, 'date_extraction_params': None, 'max_tree_size': None,
                            'settingsfile': None, 'prune_xpath': None, 'config': None, 'options': None}


class Document(Dict[str, Any]):
    """Data of a page with trafilatura's names, as attributes (document.title) and as keys: text, comments, title, author, date (published, to the
    day), url, hostname, description, sitename, language, id. A value that is unknown is None."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def as_dict(self) -> Dict[str, Any]:
        return dict(self)


def _page(filecontent: Union[str, bytes, None], url: Optional[str], others: Dict[str, Any], *, favor_precision: bool, favor_recall: bool,
          target_language: Optional[str], only_with_metadata: bool, url_blacklist: Optional[Container[str]], **text: Any) -> Optional[Page]:
    """The page; None if it has no main text or is excluded."""
    unknown = sorted(set(others) - _WITHOUT_EFFECT - set(_REFUSED))
    if unknown:
        raise TypeError('unknown options: %s' % ', '.join(unknown))
    asked = sorted(name for name, value in others.items() if name in _REFUSED and value != _REFUSED[name])
    if asked:
        raise ThresherError('unsupported options: %s' % ', '.join('%s=%r' % (name, others[name]) for name in asked))
    if favor_precision and favor_recall:
        raise ThresherError('favor_precision and favor_recall cannot be combined')
    strictness = 'strict' if favor_precision else 'wide' if favor_recall else 'balanced'
    if not filecontent:
        return None
    try:
        page = _extract(filecontent, url, minhash='none', strictness=strictness, **text)
    except Refused:
        return None
    address = url or page.record.get('canonical_url')
    if not page.text or (only_with_metadata and not (page.published and page.title and address)) or (url_blacklist and address in url_blacklist):
        return None
    is_other = target_language and page.language and page.language.split('-')[0].lower() != target_language.lower()
    return None if is_other else page


def _host(address: Optional[str]) -> Optional[str]:
    """The host of a URL. The URL can come from the page, and need not be valid."""
    try:
        return urlsplit(address).hostname if address else None
    except ValueError:
        return None


def _document(page: Page, url: Optional[str], record_id: Optional[str], include_comments: bool, author_blacklist: Optional[Iterable[str]]) -> Document:
    record = page.record
    address = url or record.get('canonical_url')
    unwanted = {name.lower() for name in author_blacklist or ()}
    authors = [name for name in (page.author or '').split('; ') if name and name.lower() not in unwanted]
    comments = '\n'.join(comment.get('text', '') for comment in page.comments) if include_comments else None
    return Document(text=page.text, comments=comments, title=page.title, author='; '.join(authors) or None, date=(page.published or '')[:10] or None, url=address,
                    hostname=_host(address), description=record.get('description'), sitename=record.get('site_name'),
                    language=page.language, id=record_id)


def bare_extraction(filecontent: Union[str, bytes, None], url: Optional[str] = None, *, include_comments: bool = True, favor_precision: bool = False,
                    favor_recall: bool = False, output_format: str = 'python', target_language: Optional[str] = None, include_images: bool = False,
                    include_formatting: Optional[bool] = None, include_links: bool = False, with_metadata: bool = False, only_with_metadata: bool = False,
                    url_blacklist: Optional[Container[str]] = None, author_blacklist: Optional[Iterable[str]] = None, **others: Any) -> Optional[Document]:
    """Returns the data of a page, or None if it has no main text. Metadata is always included.

    include_formatting: the text is Markdown, with links and images if include_links and include_images are set.
    target_language: None for a page in another language, as detected or as the page states it.
    others: options of trafilatura. Options for unsupported features raise ThresherError."""
    if output_format != 'python':
        raise ThresherError("output_format is %r (expected 'python'; extract() has the others)" % output_format)
    page = _page(filecontent, url, others, favor_precision=favor_precision, favor_recall=favor_recall, target_language=target_language,
                 only_with_metadata=only_with_metadata, url_blacklist=url_blacklist, **_text('txt', include_formatting, include_links, include_images))
    return None if page is None else _document(page, url, None, include_comments, author_blacklist)


def _text(output_format: str, include_formatting: Optional[bool], include_links: bool, include_images: bool) -> Dict[str, Any]:
    """Options for the form of the text."""
    if output_format not in _FORMATS:
        raise ThresherError('output_format is %r (expected one of: %s)' % (output_format, ', '.join(_FORMATS)))
    if output_format == 'html':
        form = 'html'
        if include_formatting is False:
            raise ThresherError("unsupported options: include_formatting=False with output_format='html'")
    else:
        is_formatted = include_formatting if include_formatting is not None else output_format == 'markdown'
        form = 'markdown' if is_formatted and output_format != 'json' else 'plain'
    if form == 'plain':
        asked = [name for name, value in (('include_links', include_links), ('include_images', include_images)) if value]
        if asked:
            raise ThresherError('unsupported options: %s without formatting (expected output_format markdown or html)' % ', '.join(asked))
        return {'text_format': form}
    return {'text_format': form, 'text_links': include_links, 'text_images': include_images}


def extract(filecontent: Union[str, bytes, None], url: Optional[str] = None, record_id: Optional[str] = None, *, output_format: str = 'txt',
            include_comments: bool = True, include_formatting: Optional[bool] = None, include_links: bool = False, include_images: bool = False,
            favor_precision: bool = False, favor_recall: bool = False, target_language: Optional[str] = None, with_metadata: bool = False,
            only_with_metadata: bool = False, url_blacklist: Optional[Container[str]] = None, author_blacklist: Optional[Iterable[str]] = None,
            **others: Any) -> Optional[str]:
    """Returns the main text of a page, or None if there is none, like trafilatura's function of this name.

    output_format: 'txt', 'markdown', 'html', or 'json' (text and comments; with_metadata all of bare_extraction, with trafilatura's names). 'csv', 'xml' and 'xmltei' raise ThresherError.
    with_metadata: front matter before text and Markdown. include_links, include_images: in Markdown and HTML.
    favor_precision, favor_recall: strictness = strict, wide. Tables are always kept.
    others: options of trafilatura. Unsupported options (deduplicate, prune_xpath, ...) raise ThresherError."""
    text = _text(output_format, include_formatting, include_links, include_images)
    has_front = with_metadata and output_format in ('txt', 'markdown')
    if with_metadata and output_format == 'html':
        raise ThresherError("unsupported options: with_metadata=True with output_format='html'")
    if has_front and (record_id or author_blacklist):
        raise ThresherError("unsupported options: record_id and author_blacklist in front matter (expected output_format='json')")
    is_json = output_format == 'json'
    page = _page(filecontent, url, others, favor_precision=favor_precision, favor_recall=favor_recall, target_language=target_language,
                 only_with_metadata=only_with_metadata, url_blacklist=url_blacklist, comments=include_comments and not is_json,
                 text_front_matter=has_front, **text)
    if page is None or not is_json:
        return None if page is None else page.text
    found = _document(page, url, record_id, include_comments, author_blacklist)
    kept = {_JSON_NAMES.get(key, key): value for key, value in found.items() if with_metadata or key in ('text', 'comments')}
    return json.dumps(kept, ensure_ascii=False)
