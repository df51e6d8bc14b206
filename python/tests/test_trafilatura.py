"""trafilatura's two functions."""
import json

import pytest

from thresher import ThresherError
from thresher.trafilatura import bare_extraction, extract

PAGE = ('<html lang=en><title>Rain - The Times</title><meta name=author content="Ann Lee"><body><h1>Rain</h1><article>'
        + '<p>The rain had stopped before the <a href="/ferry">ferry</a> left the harbour, and <b>nobody</b> was there.</p>' * 6
        + '</article></body></html>')


def test_text_and_none():
    text = extract(PAGE, url='https://times.example/rain')
    assert 'The rain had stopped before the ferry left' in text and '<' not in text
    assert extract(PAGE.encode()) == text
    assert extract('') is None and extract(None) is None and extract('<html><body></body></html>') is None


def test_formats():
    assert '[ferry](https://times.example/ferry)' in extract(PAGE, 'https://times.example/', output_format='markdown', include_links=True)
    assert '](' not in extract(PAGE, output_format='markdown')
    found = json.loads(extract(PAGE, output_format='json'))
    assert found == bare_extraction(PAGE) and found['title'] == 'Rain' and found['author'] == 'Ann Lee'


def test_what_there_is_not_is_refused_by_name():
    with pytest.raises(ThresherError, match='target_language'):
        extract(PAGE, target_language='de')
    with pytest.raises(ThresherError, match='xmltei'):
        extract(PAGE, output_format='xmltei')
    with pytest.raises(ThresherError, match='cannot be combined'):
        extract(PAGE, favor_precision=True, favor_recall=True)
    assert extract(PAGE, include_tables=True, deduplicate=False)
