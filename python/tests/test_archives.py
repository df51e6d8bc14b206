"""Archives in: records by the program, any record by libwarc."""
import copy
import gzip
import io
import os
import pickle
import subprocess
import sys
import threading

import pytest

import thresher
from thresher.mcp import Tools


def test_records_are_the_programs(archive):
    import json
    lines = subprocess.run([thresher.program(), 'run', '-q', '-O', '-', archive], check=True, capture_output=True).stdout.splitlines()
    assert list(thresher.records(archive)) == [json.loads(line) for line in lines]
    assert len(list(thresher.records([archive, archive], jobs=2))) == 2 * len(lines)


def test_an_open_archive(archive):
    with open(archive, 'rb') as file:
        assert [record['text'] for record in thresher.records(file)] == [record['text'] for record in thresher.records(archive)]
    with open(archive, 'rb') as file:
        left = thresher.records(file)
        next(left)
        left.close()


def test_the_error_of_an_open_archive_is_raised(archive):
    class Broken(io.BytesIO):
        def read(self, size=-1):
            if self.tell():
                raise OSError('the store is gone')
            return super().read(20000)

    with open(archive, 'rb') as file, pytest.raises(OSError, match='the store is gone'):
        list(thresher.records(Broken(file.read())))


def test_an_iterator_that_is_left_ends_the_program(archive):
    records = thresher.records([archive] * 50)
    assert next(records)['url']
    records.close()


def test_wrong_options_and_missing_files_are_told(archive):
    with pytest.raises(thresher.ThresherError, match='classifier'):
        list(thresher.records(archive, classifier='nonsense'))
    with pytest.raises(thresher.ThresherError, match='/nonexistent'):
        list(thresher.records('/nonexistent'))
    with pytest.raises(thresher.ThresherError, match='no path'):
        thresher.records([])


def test_damage_is_told_and_costs_its_part(archive, tmp_path):
    cut = tmp_path / 'cut.warc.gz'
    cut.write_bytes(open(archive, 'rb').read()[:-200])
    with pytest.warns(RuntimeWarning, match='cut.warc.gz'):
        kept = list(thresher.records(cut))
    assert 0 < len(kept) < len(list(thresher.records(archive))) + 1
    with pytest.raises(thresher.ThresherError, match='cut.warc.gz'):
        list(thresher.records(cut, damaged='raise'))
    assert list(thresher.records(cut, damaged='ignore')) == kept


def test_every_record_of_an_archive(archive):
    with thresher.warc(archive) as reader:
        seen = [(record.type, record.url, record.id, len(record.read()), record.is_damaged) for record in reader]
    assert seen[0][0] == 'warcinfo'
    assert {kind for kind, *_ in seen} >= {'response'}
    assert not any(row[-1] for row in seen)
    unpacked = gzip.open(archive).read()
    assert len(seen) == unpacked.count(b'WARC-Record-ID: ')
    assert sum(row[3] for row in seen) < len(unpacked)


def test_a_record_is_found_again_by_its_position(archive):
    reader = thresher.warc(archive)
    records = [(record.position, record.header('warc-record-id'), record.read()) for record in reader]
    for position, name, block in reversed(records):
        reader.seek(*position)
        record = next(reader)
        assert (record.id, record.read()) == (name, block)
    reader.close()
    reader.close()
    with pytest.raises(thresher.ThresherError, match='closed'):
        next(reader)


def test_a_block_is_there_until_the_reader_goes_on(archive):
    reader = thresher.warc(archive)
    first = next(reader)
    next(reader)
    with pytest.raises(thresher.ThresherError, match='advanced'):
        first.read()
    with pytest.raises(thresher.ThresherError, match='more than 10 bytes'):
        next(reader).read(limit=10)


def test_threads_share_a_reader(archive):
    with thresher.warc(archive) as reader:
        ids = [record.id for record in reader]
    for _ in range(20):
        found = []
        with thresher.warc(archive) as reader:
            def work():
                for record in reader:
                    found.append(record.id)
                    try:
                        record.read()
                    except thresher.ThresherError:
                        pass  # another thread has asked for the next record
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert sorted(found) == sorted(ids)


def test_what_is_no_archive_is_told(tmp_path):
    with pytest.raises(OSError, match='/nonexistent'):
        thresher.warc('/nonexistent')
    other = tmp_path / 'a.bz2'
    other.write_bytes(b'BZh91AY&SY' + bytes(100))
    with pytest.raises(thresher.WarcError):
        list(thresher.warc(other))
    page = tmp_path / 'a.html'
    page.write_text('<p>A page.')
    with pytest.raises(thresher.WarcError, match='a.html: not a WARC or ARC file'):
        list(thresher.warc(page))
    page.write_bytes(b'')
    assert list(thresher.warc(page)) == []


def test_a_reader_has_one_owner_and_positions_in_range(archive):
    with thresher.warc(archive) as reader:
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match='cannot be copied'):
                copied(reader)
        for offset, skip in ((-1, 0), (1 << 64, 0), (0, -1)):
            with pytest.raises(thresher.ThresherError, match='expected 0 to'):
                reader.seek(offset, skip)
        reader.seek(os.path.getsize(archive))
        assert list(reader) == []
    with pytest.raises(thresher.ThresherError, match='NUL'):
        thresher.warc(archive + '\0')


def test_options_of_another_output_are_refused(archive, tmp_path):
    for options, words in (({'output': str(tmp_path / 'x')}, 'output'), ({'compress': 'gzip'}, 'compress'), ({'format': 'wet'}, 'format'), ({'format': 'parquet'}, 'format')):
        with pytest.raises(thresher.ThresherError, match='option ' + words):
            thresher.records(archive, **options)
    assert os.listdir(tmp_path) == []
    assert next(thresher.records(os.fsencode(archive), format='fineweb'))['text']


def test_any_error_of_an_open_archive_ends_the_program(archive):
    class Interrupted(io.BytesIO):
        def read(self, size=-1):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(thresher.records(Interrupted(b'')))


def test_a_warning_names_the_line_of_the_caller(tmp_path):
    cut = tmp_path / 'cut.warc'
    cut.write_bytes(b'WARC/1.1\r\n')
    with pytest.warns(RuntimeWarning, match='damaged') as told:
        list(thresher.records(cut))
    assert told[0].filename == __file__


def test_the_tools_for_models_search_a_damaged_archive(archive, tmp_path):
    with open(archive, 'rb') as file:
        (tmp_path / 'cut.warc.gz').write_bytes(file.read()[:-200])
    url = next(thresher.records(archive))['url']
    found = Tools(str(tmp_path)).search_archive('cut.warc.gz', url)
    assert found['count'] >= 1 and found['text']


def test_the_program_is_at_hand(archive):
    told = subprocess.run([sys.executable, '-m', 'thresher', 'records', archive], capture_output=True, check=True)
    assert told.stdout.count(b'\n') > 3
    assert subprocess.run([sys.executable, '-m', 'thresher', 'nonsense'], capture_output=True).returncode == 2


def test_records_as_tables(archive):
    pyarrow = pytest.importorskip('pyarrow')
    wanted = list(thresher.records(archive))
    reader = thresher.records(archive, as_arrow=True)
    assert isinstance(reader, pyarrow.RecordBatchReader)
    table = reader.read_all()
    assert table.column('text').to_pylist() == [record['text'] for record in wanted]
    assert table.column('counts').to_pylist()[0]['content_tokens'] == wanted[0]['counts']['content_tokens']
    with pytest.raises(thresher.ThresherError, match='classifier'):
        thresher.records(archive, as_arrow=True, classifier='nonsense')


@pytest.mark.parametrize('library', ('pandas', 'polars'))
def test_records_as_data_frames(archive, library):
    pytest.importorskip(library)
    if library == 'pandas':
        pytest.importorskip('pyarrow')
    frame = getattr(thresher, 'to_' + library)([archive, archive], filter_min_words=100)
    assert frame['url'].to_list() == 2 * [record['url'] for record in thresher.records(archive, filter_min_words=100)]


def test_damage_is_told_for_tables(archive, tmp_path):
    pytest.importorskip('pyarrow')
    cut = tmp_path / 'cut.warc.gz'
    cut.write_bytes(open(archive, 'rb').read()[:-200])
    with pytest.warns(RuntimeWarning, match='cut.warc.gz'):
        kept = thresher.records(cut, as_arrow=True).read_all()
    assert kept.column('id').to_pylist() == [record['id'] for record in thresher.records(cut, damaged='ignore')]
    with pytest.raises(thresher.ThresherError, match='cut.warc.gz'):
        thresher.records(cut, damaged='raise', as_arrow=True)
