"""The examples for engines, as separate files, if the engine is installed."""
import os
import shutil
import subprocess
import sys

import pytest

import thresher

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'examples')
COLUMNS = ('id', 'url', 'date', 'title', 'language', 'text')


def pages_of_example(name, archive, tmp_path):
    """Runs an example on two archives of the same pages; the rows of the Parquet files that it wrote."""
    from pyarrow import parquet
    paths = [str(tmp_path / one) for one in ('a.warc.gz', 'b.warc.gz')]
    for path in paths:
        shutil.copy(archive, path)
    out = str(tmp_path / 'out')
    environment = dict(os.environ, PYSPARK_PYTHON=sys.executable, RAY_DISABLE_DOCKER_CPU_WARNING='1', RAY_USAGE_STATS_ENABLED='0',
                       SPARK_LOCAL_IP='127.0.0.1')
    environment['PYTHONPATH'] = os.path.dirname(os.path.dirname(os.path.abspath(thresher.__file__)))
    done = subprocess.run([sys.executable, os.path.join(EXAMPLES, name), out, *paths], capture_output=True, timeout=280, env=environment,
                          cwd=str(tmp_path))
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return parquet.read_table(out).to_pylist()


def check(rows, archive):
    wanted = [{name: record.get(name) for name in COLUMNS} for record in thresher.records(archive)]
    assert len(wanted) > 5
    assert sorted(rows, key=lambda row: row['id']) == sorted(wanted + wanted, key=lambda row: row['id'])


def test_ray_data(archive, tmp_path):
    pytest.importorskip('ray.data', reason='ray[data] is not installed')
    check(pages_of_example('ray_data.py', archive, tmp_path), archive)


def test_spark(archive, tmp_path):
    pytest.importorskip('pyspark', reason='pyspark is not installed')
    pytest.importorskip('pyarrow', reason='pyarrow is not installed')
    if not shutil.which('java'):
        pytest.skip('java is not installed')
    check(pages_of_example('spark.py', archive, tmp_path), archive)


def test_nemo_curator(archive, tmp_path):
    pytest.importorskip('nemo_curator.backends.ray_data', reason='nemo-curator and ray[data] are not installed')
    check(pages_of_example('nemo_pages.py', archive, tmp_path), archive)
