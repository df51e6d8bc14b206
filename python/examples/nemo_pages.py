"""Archives to Parquet with NVIDIA NeMo Curator: one task per archive, one row per page. Each task runs the program with one thread.

    python3 nemo_pages.py OUT_FOLDER ARCHIVE...      with nemo-curator, ray[data] and the package installed; an archive can be s3://BUCKET/KEY
"""
import os
import sys

import pandas
from nemo_curator.backends.ray_data import RayDataExecutor
from nemo_curator.pipeline import Pipeline
from nemo_curator.stages.base import ProcessingStage
from nemo_curator.stages.text.io.writer import ParquetWriter
from nemo_curator.tasks import DocumentBatch, FileGroupTask

COLUMNS = ['id', 'url', 'date', 'title', 'language', 'text']


class ThresherPages(ProcessingStage[FileGroupTask, DocumentBatch]):
    """The pages of each task's archives. The program reads s3:// itself, so no archive is copied. options: of thresher.records."""

    name = 'thresher_pages'

    def __init__(self, **options):
        self.options = {'jobs': 1, 'minhash': 'none', **options}

    def inputs(self):
        return ['data'], []

    def outputs(self):
        return ['data'], COLUMNS

    def process(self, task):
        import thresher
        rows = [{name: record.get(name) for name in COLUMNS} for path in task.data for record in thresher.records(path, **self.options)]
        return DocumentBatch(dataset_name=task.dataset_name, data=pandas.DataFrame(rows, columns=COLUMNS), _metadata=task._metadata, _stage_perf=task._stage_perf)


def main():
    out, paths = os.path.abspath(sys.argv[1]), [path if '://' in path else os.path.abspath(path) for path in sys.argv[2:]]
    tasks = [FileGroupTask(dataset_name='crawl', data=[path], _metadata={'source_files': [path]}) for path in paths]
    Pipeline(name='pages', stages=[ThresherPages(), ParquetWriter(out)]).run(RayDataExecutor(), initial_tasks=tasks)


if __name__ == '__main__':
    main()
