"""Runs datatrove's own pipeline, if it is installed."""
import gzip
import json
import os
import shutil

import pytest

import thresher

pytest.importorskip('datatrove')


def documents(folder):
    return [json.loads(line) for name in sorted(os.listdir(folder)) for line in gzip.open(os.path.join(folder, name))]


@pytest.fixture
def folders(archive, tmp_path):
    crawl = tmp_path / 'crawl'
    crawl.mkdir()
    shutil.copy(archive, crawl / 'a.warc.gz')
    shutil.copy(archive, crawl / 'b.warc.gz')
    return str(crawl), str(tmp_path / 'out'), str(tmp_path / 'logs')


def test_a_reader_of_archives(archive, folders):
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.writers import JsonlWriter

    from thresher.datatrove import WarcReader
    crawl, out, logs = folders
    LocalPipelineExecutor([WarcReader(crawl, glob_pattern='*.warc.gz'), JsonlWriter(out)], tasks=2, workers=1, logging_dir=logs).run()
    wanted = [record for record in thresher.records(archive) if record['text']]
    seen = documents(out)
    assert [row['text'] for row in seen] == 2 * [record['text'] for record in wanted]
    assert {row['metadata']['url'] for row in seen} == {record['url'] for record in wanted}


def test_tasks_share_the_files_and_read_each_page_once(archive, tmp_path):
    from thresher.datatrove import WarcReader
    crawl = tmp_path / 'crawl'
    crawl.mkdir()
    for number in range(5):
        shutil.copy(archive, crawl / ('%d.warc.gz' % number))
    wanted = sorted(record['id'] for record in thresher.records(archive) if record['text'])
    for tasks in (1, 2, 3, 7):
        parts = [[document.id for document in WarcReader(str(crawl))(rank=rank, world_size=tasks)] for rank in range(tasks)]
        assert sorted(sum(parts, [])) == sorted(5 * wanted)
        assert [document.id for document in WarcReader(str(crawl), skip=3, limit=4)(rank=0, world_size=tasks)] == parts[0][3:7]


def test_a_page_of_one_line_has_its_text():
    from datatrove.pipeline.extractors import Trafilatura

    from thresher.datatrove import Extractor
    page = '<html><body><article><p>Hello World!</p></article></body></html>'
    try:
        wanted = Trafilatura().extract(page)
    except ImportError:
        wanted = 'Hello World!'
    assert Extractor().extract(page) == wanted


def test_a_reader_of_another_file_system(archive, folders):
    fsspec = pytest.importorskip('fsspec')
    from thresher.datatrove import WarcReader
    with fsspec.open('memory://crawl/a.warc.gz', 'wb') as file:
        file.write(open(archive, 'rb').read())
    texts = [document.text for document in WarcReader('memory://crawl', glob_pattern='*.warc.gz').run()]
    assert texts == [record['text'] for record in thresher.records(archive) if record['text']]


def test_an_extractor_behind_another_reader(folders):
    from datatrove.data import Document
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.writers import JsonlWriter

    from thresher.datatrove import Extractor
    _, out, logs = folders
    html = '<nav><a href=/>Home</a></nav>' + '<p>A sentence with quite some words in it, so that it is content here.</p>' * 4
    pages = [Document(text=html, id='1'), Document(text='%PDF-1.4', id='2'), Document(text=html.replace('A sen', 'One sen'), id='3')]
    LocalPipelineExecutor([pages, Extractor(classifier='num-words'), JsonlWriter(out)], tasks=1, logging_dir=logs).run()
    assert [(row['id'], row['text'].split()[0]) for row in documents(out)] == [('1', 'A'), ('3', 'One')]
