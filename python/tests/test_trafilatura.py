"""trafilatura's two functions."""
import inspect
import json

import pytest

from thresher import ThresherError
from thresher import trafilatura as shim
from thresher.trafilatura import bare_extraction, extract

PAGE = ('<html lang=en><title>Rain - The Times</title><meta name=author content="Ann Lee; Bo Li"><meta property=article:published_time content=2024-05-06T07:08:09Z>'
        '<link rel=canonical href=https://times.example/rain><body><h1>Rain</h1><article>'
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
    assert '**nobody**' in extract(PAGE, include_formatting=True) and '**' not in extract(PAGE, output_format='markdown', include_formatting=False)
    assert '<b>' in extract(PAGE, output_format='html') or '<strong>' in extract(PAGE, output_format='html')


def test_metadata():
    found = bare_extraction(PAGE)
    assert (found.title, found['author'], found.date, found.hostname, found.url) == ('Rain', 'Ann Lee; Bo Li', '2024-05-06', 'times.example',
                                                                                  'https://times.example/rain')
    assert found.as_dict() == found and not hasattr(found, 'nonsense')
    assert json.loads(extract(PAGE, output_format='json')) == {'text': found.text, 'comments': ''}
    described = json.loads(extract(PAGE, output_format='json', with_metadata=True, record_id='7', author_blacklist={'ann lee'}))
    assert (described['source'], described['id'], described['author']) == ('https://times.example/rain', '7', 'Bo Li')
    for form in ('txt', 'markdown'):
        front = extract(PAGE, output_format=form, with_metadata=True)
        assert front.startswith('---\ntitle: ') and extract(PAGE, output_format=form) in front


def test_pages_that_are_excluded():
    assert extract(PAGE, target_language='en') and bare_extraction(PAGE, target_language='en')
    assert extract(PAGE, target_language='de') is None and bare_extraction(PAGE, target_language='de') is None
    assert extract(PAGE, only_with_metadata=True) and extract(PAGE.replace('published_time', 'x'), only_with_metadata=True) is None
    assert extract(PAGE, url_blacklist={'https://times.example/rain'}) is None and extract(PAGE, url_blacklist={'https://times.example/'})


def test_comments_are_kept_apart_in_documents():
    comments = ''.join('<div class=comment id=comment-%d><span class=comment-author>Reader %d</span><p>I was there on that evening and it rained all the '
                       'time, number %d.</p></div>' % (i, i, i) for i in range(4))
    page = PAGE.replace('</article>', '</article><section id=comments class=comments><h2>4 Comments</h2>%s</section>' % comments)
    assert 'I was there' in extract(page) and 'I was there' not in extract(page, include_comments=False)
    found = bare_extraction(page)
    assert 'I was there' in found.comments and 'I was there' not in found.text
    assert bare_extraction(page, include_comments=False).comments is None


@pytest.mark.parametrize('options', (
    {'output_format': 'csv'}, {'output_format': 'xml'}, {'output_format': 'xmltei'}, {'tei_validation': True}, {'deduplicate': True},
    {'include_tables': False}, {'date_extraction_params': {}}, {'max_tree_size': 9}, {'settingsfile': 'x'}, {'prune_xpath': '//p'}, {'include_links': True},
    {'include_images': True}, {'output_format': 'html', 'include_formatting': False}, {'output_format': 'html', 'with_metadata': True}, {'config': object()},
    {'options': object()}))
def test_what_there_is_not_is_refused_by_name(options):
    with pytest.raises(ThresherError, match=list(options.values())[0] if set(options) == {'output_format'} else list(options)[-1]):
        extract(PAGE, **options)


def test_wrong_calls():
    with pytest.raises(ThresherError, match='cannot be combined'):
        extract(PAGE, favor_precision=True, favor_recall=True)
    with pytest.raises(TypeError, match='nonsense'):
        extract(PAGE, nonsense=1)
    assert extract(PAGE, include_tables=True, deduplicate=False, fast=True)


@pytest.mark.parametrize('name', ('extract', 'bare_extraction'))
def test_every_option_of_trafilatura_is_known(name):
    trafilatura = pytest.importorskip('trafilatura')
    known = set(inspect.signature(getattr(shim, name)).parameters) | shim._WITHOUT_EFFECT | set(shim._REFUSED)
    assert set(inspect.signature(getattr(trafilatura, name)).parameters) <= known


def test_a_url_of_the_page_need_not_be_valid():
    for url in ('http://[', 'http://[x/', 'http://\u2100/'):
        document = bare_extraction('<link rel=canonical href="%s">' % url + PAGE)
        assert document.hostname is None and document.text
        assert bare_extraction(PAGE, url=url).hostname is None
