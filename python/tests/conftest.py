import os

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join(HERE, '..', '..', 'samples')


@pytest.fixture
def archive():
    """A small archive of the project's."""
    return os.path.join(SAMPLES, 'news.warc.gz')
