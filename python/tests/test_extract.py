"""One page in: the same record as the program's, clear refusals, any number of threads."""
import base64
import concurrent.futures
import copy
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import sysconfig
import threading

import pytest

import thresher

STORY = '<title>T &amp; U</title><nav><a href="/">Home</a> <a href="/b">Back</a></nav><h1>Head</h1>' + ''.join(
    '<p>Paragraph %d has a sentence with quite some words in it, so that it is content, says the rule.</p>' % i for i in range(6))


def test_a_page_has_its_text_and_facts():
    page = thresher.extract(STORY, url='https://a.example/x')
    assert page.title == 'T & U'
    assert page.text.startswith('Head\n\nParagraph 0 has a sentence')
    assert 'Home' not in page.text
    assert page.record['url'] == 'https://a.example/x'
    assert 'source' not in page.record and 'id' not in page.record


def test_paragraphs_come_on_request():
    page = thresher.extract(STORY, emit=['paragraphs', 'full_text'])
    assert [p.text for p in page.paragraphs][-1].startswith('Paragraph 5')
    assert {p.kind for p in page.paragraphs} >= {'heading', 'paragraph'}
    assert not page.paragraphs[0].is_content and page.paragraphs[-1].is_content
    with pytest.raises(thresher.ThresherError, match='full_text'):
        thresher.extract(STORY).paragraphs


def test_options_are_the_programs():
    assert thresher.extract(STORY, text_format='markdown').text.startswith('# Head')
    assert 'Home' in thresher.extract(STORY, classifier='keep-all').text
    with pytest.raises(thresher.ThresherError, match="'classifier'"):
        thresher.extract(STORY, classifer='keep-all')
    with pytest.raises(thresher.ThresherError, match='num-words'):
        thresher.Extractor(classifier='nonsense')


def test_attributes_of_the_record():
    page = thresher.extract(STORY, text_format='plain,markdown', emit='posts')
    assert page.markdown.startswith('# Head\n\nParagraph 0') and page.text.startswith('Head\n')
    assert page.language == page.record.get('language_detected', {}).get('name')
    assert page.page_type == page.record['page_type']['name']
    assert page.posts == [] and page.comments == []
    with pytest.raises(thresher.ThresherError, match='text_format'):
        thresher.extract(STORY).markdown
    assert thresher.extract('<html lang=gd>' + STORY, language_detector='none').language == 'gd'
    shown = thresher.extract(STORY)._repr_html_()
    assert '<h3>T &amp; U</h3>' in shown and '<p>Paragraph 0 has' in shown


def test_the_report_of_a_page():
    page = thresher.extract('<meta charset=windows-1252>' + STORY.replace('sentence', 'sentence\u2014caf\u00e9'), url='https://a.example/x', classifier='num-words')
    report = page.report().decode()
    assert report.lstrip().lower().startswith('<!doctype html') and 'num-words' in report and 'https://a.example/x' in report and 'caf\u00e9' in report
    shown = page._repr_html_()
    assert base64.b64decode(shown.split('base64,')[1].split('"')[0]).decode() == report
    alone = thresher.Extractor()(STORY)
    assert 'base64' not in alone._repr_html_()
    with pytest.raises(thresher.ThresherError, match='does not keep'):
        alone.report()


def test_keywords_have_underscores_for_dots():
    with pytest.raises(thresher.Refused, match='words'):
        thresher.extract(STORY, filter_min_words=100000)
    assert thresher.extract(STORY, filter_min_words=20).title == 'T & U'
    with pytest.raises(thresher.ThresherError, match='filter.min-words'):
        thresher.extract(STORY, filter_min_words='many')


def test_options_without_effect_are_refused():
    for name, value in (('sites', '/none/x'), ('index.path', '/none/y'), ('isolation', 'process'), ('two_pass', True),
                        ('output', '/none/z'), ('rejects', '/none/r'), ('jobs', 2), ('sites_rule', 'labels')):
        with pytest.raises(thresher.ThresherError, match=name.replace('_', '-')):
            thresher.Extractor(**{name: value})
    with pytest.raises(thresher.Refused):
        thresher.Extractor(**{'filter.min-words': 100000})(STORY)


def test_a_call_during_another_call_of_its_thread_is_refused():
    extractor, outcomes = thresher.Extractor(), []
    text = extractor(STORY).json
    long = STORY * 40

    def handler(*_):
        try:
            outcomes.append(extractor(long).json)
        except thresher.ThresherError as refusal:
            outcomes.append(str(refusal))

    before = signal.signal(signal.SIGALRM, handler)
    try:
        while not any('in use' in outcome for outcome in outcomes):  # a signal during a call comes soon or late
            signal.setitimer(signal.ITIMER_REAL, .0007)
            assert extractor(STORY).json == text
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert extractor(STORY).json == text


def test_the_record_is_the_programs(tmp_path):
    path = tmp_path / 'page.html'
    path.write_text(STORY)
    archive = tmp_path / 'a.warc'
    block = STORY.encode()
    archive.write_bytes(b'WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n'
                        b'WARC-Target-URI: https://a.example/x\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n'
                        % len(block) + block + b'\r\n\r\n')
    line = subprocess.run([thresher.program(), 'run', '-q', '-O', '-', str(archive)], check=True, capture_output=True).stdout
    record = json.loads(line)
    for of_the_archive in ('id', 'source', 'date'):
        record.pop(of_the_archive)
    assert thresher.extract(STORY, url='https://a.example/x').record == record


def test_bytes_are_decoded_as_a_browser_would():
    text = 'caf\u00e9 ' * 40
    page = thresher.extract(('<meta charset=windows-1252><p>%s</p>' % text).encode('cp1252'))
    assert 'caf\u00e9' in page.text
    assert page.record['http']['charset_from'] == 'meta'
    assert thresher.extract('<meta charset=windows-1252><p>%s</p>' % text).text == page.text
    served = thresher.extract(('<p>%s</p>' % text).encode('latin-1'), content_type='text/html; charset=iso-8859-1')
    assert served.text == page.text
    assert thresher.extract(bytearray(STORY, 'utf-8')).text == thresher.extract(memoryview(STORY.encode())).text


def test_bytes_are_html_whatever_they_begin_with():
    words = 'The quick brown fox jumps over the lazy dog and runs through the wide forest. ' * 3
    for tag in ('section', 'article', 'main', 'form', 'ul', 'h2', 'svg', 'figure', 'custom-element'):
        html = '<%s>%s</%s>' % (tag, words, tag)
        assert thresher.extract(html.encode()).text == thresher.extract(html).text, tag
    assert thresher.extract(words.encode()).text == thresher.extract(words).text
    for data in (b'%PDF-1.4', b'\x89PNG\r\n\x1a\n\0\0', b'GIF89a\1\0\1\0', b'PK\3\4'):
        with pytest.raises(thresher.Refused):
            thresher.extract(data)


def test_bad_input_is_refused_in_words():
    with pytest.raises(thresher.Refused) as refused:
        thresher.extract(b'%PDF-1.4 and so on')
    assert refused.value.reason == 'not_html'
    with pytest.raises(TypeError, match='int'):
        thresher.extract(7)
    with pytest.raises(thresher.ThresherError, match='NUL'):
        thresher.extract(STORY, url='a\0b')
    with pytest.raises(thresher.ThresherError, match='NUL'):
        thresher.extract(STORY, classifier='num-words\0')
    assert 'lone' in thresher.extract('<p>' + 'a lone \ud800 surrogate ' * 20).text
    assert thresher.extract('<p></p>').text == ''
    assert thresher.extract(STORY).text, 'the extractor goes on after a refusal'


def test_threads_share_an_extractor():
    extractor = thresher.Extractor(minhash='none')
    wanted = [extractor(STORY.replace('Head', 'Head %d' % i)).text for i in range(20)]
    seen = [[] for _ in range(4)]

    def work(out):
        for _ in range(10):
            out.append([extractor(STORY.replace('Head', 'Head %d' % i)).text for i in range(20)])

    threads = [threading.Thread(target=work, args=(out,)) for out in seen]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(texts == wanted for out in seen for texts in out)


def test_threads_begin_together_and_keep_their_options():
    formats = ['plain', 'markdown', 'html', 'plain']
    wanted = {name: thresher.Extractor(text_format=name)(STORY).text for name in formats}
    start, seen = threading.Barrier(len(formats)), []

    def work(name):
        start.wait()
        for number in range(50):  # the limit has no effect on this page, but each needs its own extractor
            seen.append((name, thresher.extract(STORY, text_format=name, filter_min_words=number).text))

    threads = [threading.Thread(target=work, args=(name,)) for name in formats]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 50 * len(formats)
    assert all(text == wanted[name] for name, text in seen)


@pytest.mark.skipif(not sysconfig.get_config_var('Py_GIL_DISABLED'), reason='this Python has the interpreter lock')
def test_free_threads_stay_free():
    thresher.extract(STORY)
    assert not sys._is_gil_enabled()


def test_an_extractor_can_be_sent_to_another_process():
    extractor = thresher.Extractor(text_format='markdown', text_links=True)
    assert pickle.loads(pickle.dumps(extractor))(STORY).text == extractor(STORY).text


def test_signatures():
    page = thresher.extract(STORY)
    slots = page.signature('content')
    assert len(slots) == 128 and slots == thresher.sign(page.text)
    assert thresher.sign('') == []
    assert len(thresher.sign('some words that are signed here', 'datasketch2:k=16')) == 16
    with pytest.raises(thresher.ThresherError, match='nonsense'):
        thresher.sign('text', 'nonsense')
    with pytest.raises(thresher.ThresherError, match='none'):
        thresher.sign('text', 'none')


def test_errors_pass_between_processes():
    with pytest.raises(thresher.Refused) as caught:
        thresher.extract(b'')
    for copied in (copy.copy(caught.value), pickle.loads(pickle.dumps(caught.value))):
        assert (copied.reason, copied.detail, str(copied)) == ('no_payload', 'block is empty', 'no_payload: block is empty')
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context('spawn')) as pool:
        with pytest.raises(thresher.Refused, match='no_payload'):
            pool.submit(thresher.extract, b'').result(120)


class _Named(thresher.Extractor):
    def __init__(self, name, **options):
        super().__init__(**options)
        self.name = name


def test_a_copy_of_a_subclass_has_its_attributes():
    extractor = _Named('n', text_format='markdown')
    for copied in (copy.copy(extractor), copy.deepcopy(extractor), pickle.loads(pickle.dumps(extractor))):
        assert type(copied) is _Named and copied.name == 'n' and copied(STORY).text.startswith('# Head')


def test_arguments_of_other_types_are_named():
    for arguments, name in (((STORY, 5), 'url'), ((STORY, b'http://a.example/'), 'url'), ((STORY, None, 5), 'content_type'), ((STORY.encode(), None, b'text/html'), 'content_type')):
        with pytest.raises(TypeError, match=name + ' must be str'):
            thresher.extract(*arguments)
    with pytest.raises(thresher.ThresherError, match='filter_language is None'):
        thresher.extract(STORY, filter_language=None)
    with pytest.raises(thresher.ThresherError, match='name contains a NUL'):
        thresher.extract(STORY, **{'minhash\0x': 'none'})
    with pytest.raises(thresher.ThresherError, match='expected one of: content, main'):
        thresher.extract(STORY).signature('bits')


def test_an_option_may_be_a_path_of_any_bytes(tmp_path):
    path = os.fsencode(tmp_path) + b'/\xff'
    with open(path, 'w', encoding='ascii') as patterns:
        patterns.write('a.example\n')
    assert thresher.extract(STORY, url='http://a.example/', filter_urls=os.fsdecode(path)).title == 'T & U'
    with pytest.raises(thresher.Refused, match='filter_url'):
        thresher.extract(STORY, url='http://b.example/', filter_urls=os.fsdecode(path))


def test_the_report_has_the_type_of_the_page():
    page = thresher.extract(STORY.replace('sentence', '\u0441\u043b\u043e\u0432\u043e').encode('koi8-r'), content_type='text/html;\r\n charset=koi8-r')
    assert '\u0441\u043b\u043e\u0432\u043e' in page.text and '\u0441\u043b\u043e\u0432\u043e' in page.report().decode()
    assert 'a.example' in thresher.extract(STORY, url='http://a.example/\ud800').report().decode()
