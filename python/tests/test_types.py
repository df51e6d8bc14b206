"""The package's annotations, by mypy --strict (values of a record have the types of its schema), and the types that a caller gets."""
import os

import pytest

import thresher

CALLER = """
import thresher
from thresher.trafilatura import extract
page = thresher.extract(b'', filter_min_words=50)
reveal_type(page.text)
reveal_type(page.posts)
reveal_type(thresher.records('a'))
reveal_type(next(thresher.warc('a')).position.offset)
reveal_type(extract(''))
"""
TYPES = ('"str"', 'list[dict[str, Any]]', 'Iterator[dict[str, Any]]', '"int"', '"str | None"')


def test_types(tmp_path):
    api = pytest.importorskip('mypy.api')
    package = os.path.dirname(os.path.abspath(thresher.__file__))
    assert os.path.exists(os.path.join(package, 'py.typed'))
    caller = tmp_path / 'caller.py'
    caller.write_text(CALLER)
    out, errors, code = api.run(['--strict', '--cache-dir', str(tmp_path / 'cache'), '--no-warn-return-any',
                                 '--ignore-missing-imports', '--exclude', 'datatrove', package, str(caller)])
    assert code == 0 and not errors, out + errors
    revealed = [line for line in out.splitlines() if 'Revealed type' in line]
    assert len(revealed) == len(TYPES)
    for line, name in zip(revealed, TYPES):
        assert name in line.replace('builtins.', ''), line
