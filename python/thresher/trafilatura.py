"""For programs that call trafilatura: the same two functions, so that `from thresher.trafilatura import extract, bare_extraction` can replace
`from trafilatura import ...`.

Unsupported features are not ignored. An option that requests one raises ThresherError. The text itself is
thresher's, so it can have other paragraphs.
"""
from __future__ import annotations

import json
from typing import Any, Dict, Optional, Union

from ._extract import Extractor, Page
from ._native import Refused, ThresherError

__all__ = ['bare_extraction', 'extract']

_TEXT_FORMATS = {'txt': 'plain', 'markdown': 'markdown', 'html': 'html', 'json': 'plain'}
_extractors: Dict[tuple, Extractor] = {}


def _page(filecontent: Any, url: Optional[str], options: Dict[str, Any]) -> Optional[Page]:
    key = tuple(sorted(options.items()))
    extractor = _extractors.get(key)
    if extractor is None:
        if len(_extractors) >= 16:
            _extractors.clear()
        extractor = _extractors[key] = Extractor(minhash='none', **options)
    try:
        page = extractor(filecontent, url) if filecontent else None
    except Refused:
        return None
    return page if page and page.text else None


def _options(output_format: str, include_comments: bool, include_links: bool, include_images: bool, favor_precision: bool,
             favor_recall: bool, others: Dict[str, Any]) -> Dict[str, Any]:
    if output_format not in _TEXT_FORMATS and output_format != 'python':
        raise ThresherError('output_format is %r (expected one of: %s)' % (output_format, ', '.join(sorted(_TEXT_FORMATS))))
    asked = sorted(name for name, value in others.items() if value not in (None, False))
    if asked:
        raise ThresherError('unsupported options: %s' % ', '.join(asked))
    if favor_precision and favor_recall:
        raise ThresherError('favor_precision and favor_recall cannot be combined')
    options: Dict[str, Any] = {'text_format': _TEXT_FORMATS.get(output_format, 'plain'), 'comments': include_comments,
                               'strictness': 'strict' if favor_precision else 'wide' if favor_recall else 'balanced'}
    if output_format in ('markdown', 'html'):
        options.update(text_links=include_links, text_images=include_images)
    return options


def bare_extraction(filecontent: Union[str, bytes, None], url: Optional[str] = None, *, include_comments: bool = True,
                    favor_precision: bool = False, favor_recall: bool = False, **others: Any) -> Optional[Dict[str, Any]]:
    """Returns the data of a page with trafilatura's names: text, title, author, date (published, to the day), url, language. None if it has no main text.

    others: options of trafilatura. Options for unsupported features raise ThresherError."""
    others.pop('with_metadata', None)
    page = _page(filecontent, url, _options('python', include_comments, False, False, favor_precision, favor_recall, others))
    if page is None:
        return None
    return {'text': page.text, 'title': page.title, 'author': page.author, 'date': (page.published or '')[:10] or None, 'url': url,
            'language': page.language}


def extract(filecontent: Union[str, bytes, None], url: Optional[str] = None, *, output_format: str = 'txt', include_comments: bool = True,
            include_links: bool = False, include_images: bool = False, favor_precision: bool = False, favor_recall: bool = False,
            **others: Any) -> Optional[str]:
    """Returns the main text of a page, or None if there is none, like trafilatura's function of this name.

    output_format: 'txt', 'markdown', 'html' or 'json' (the result of bare_extraction). include_links, include_images: in Markdown and HTML.
    favor_precision, favor_recall: strictness = strict, wide. Tables and formatting are always kept.
    others: options of trafilatura. Unsupported options (target_language, deduplicate, ...) raise ThresherError."""
    for always in ('include_tables', 'include_formatting', 'with_metadata', 'no_fallback', 'fast'):
        others.pop(always, None)
    options = _options(output_format, include_comments, include_links, include_images, favor_precision, favor_recall, others)
    if output_format == 'json':
        found = bare_extraction(filecontent, url, include_comments=include_comments, favor_precision=favor_precision, favor_recall=favor_recall)
        return None if found is None else json.dumps(found, ensure_ascii=False)
    page = _page(filecontent, url, options)
    return None if page is None else page.text
