"""thresher in datatrove pipelines (tested with datatrove 0.10.1): a reader of WARC files that returns documents with their main text, and an extractor for documents with HTML.

    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.writers import JsonlWriter
    from thresher.datatrove import WarcReader

    LocalPipelineExecutor([WarcReader('crawl/', glob_pattern='*.warc.gz'), JsonlWriter('out/')], tasks=8).run()
"""
from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from datatrove.pipeline.extractors.base import BaseExtractor
from datatrove.pipeline.readers.base import BaseDiskReader

from ._extract import Extractor as _Extractor
from ._records import records

__all__ = ['Extractor', 'WarcReader']

_FACTS = ('url', 'date', 'title', 'author', 'published', 'language', 'flags')


class Extractor(BaseExtractor):
    """Main text of documents that hold HTML. options: as of thresher.Extractor, text_format='markdown'."""

    name = '🌾 thresher'
    _requires_dependencies: list = []

    def __init__(self, timeout: float = 5, **options: Any) -> None:
        super().__init__(timeout)
        self.extractor = _Extractor(minhash=options.pop('minhash', 'none'), **options)

    def extract(self, text: str) -> str:
        return self.extractor(text).text if text else ''  # datatrove begins with an empty text


class WarcReader(BaseDiskReader):
    """The pages of WARC files, read, segmented and labelled by the program: a document a page, with its main text, and in its metadata url, date,
    title, author, published, language and flags. A page without main text gives no document. Files of another file system
    are streamed to the program.

    options: of `thresher run`, with underscores. jobs: threads for each task; a task takes one core by default."""

    name = '🌾 thresher Warc'
    _requires_dependencies: list = []

    def __init__(self, data_folder: Any, paths_file: Any = None, limit: int = -1, skip: int = 0, file_progress: bool = False,
                 doc_progress: bool = False, adapter: Optional[Callable] = None, text_key: str = 'text', id_key: str = 'id',
                 default_metadata: Optional[dict] = None, recursive: bool = True, glob_pattern: Optional[str] = None,
                 shuffle_files: bool = False, jobs: int = 1, **options: Any) -> None:
        super().__init__(data_folder, paths_file, limit, skip, file_progress, doc_progress, adapter, text_key, id_key, default_metadata,
                         recursive, glob_pattern, shuffle_files)
        self.jobs = jobs
        self.options: Dict[str, Any] = {'minhash': 'none', **options}

    def read_file(self, filepath: str):
        if self.data_folder.is_local():
            yield from self._documents(self.data_folder.resolve_paths(filepath), filepath)
            return
        with self.data_folder.open(filepath, 'rb', compression=None) as remote:
            yield from self._documents(remote, filepath)

    def _documents(self, archive: Any, filepath: str):
        for number, record in enumerate(records(archive, jobs=self.jobs, **self.options)):
            with self.track_time():
                data = {'text': record['text'], 'id': record['id'], **{key: record[key] for key in _FACTS if key in record}}
                document = self.get_document_from_dict(data, filepath, number)
            if document:
                yield document
