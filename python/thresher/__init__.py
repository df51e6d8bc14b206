"""Main text, labels, metadata and signatures of web pages.

    import thresher

    page = thresher.extract(html, url='https://example.org/story')
    page.text                        # the main text, paragraph by paragraph
    page.title, page.author, page.published

    for record in thresher.records(['crawl.warc.gz']):
        record['url'], record['text']

    for record in thresher.warc('crawl.warc.gz'):
        record.type, record.url, record.read()

The work is done by the same C code as the program `thresher`, with the same options and the same results.
"""
from ._extract import Extractor, Page, Paragraph, extract
from ._native import Refused, ThresherError, version as _version
from ._records import program, records, to_pandas, to_polars
from ._sign import sign
from ._warc import WarcError, WarcReader, WarcRecord, warc

__version__ = _version()
__all__ = ['Extractor', 'Page', 'Paragraph', 'Refused', 'ThresherError', 'WarcError', 'WarcReader', 'WarcRecord',
           'extract', 'program', 'records', 'sign', 'to_pandas', 'to_polars', 'warc']
