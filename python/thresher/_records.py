"""Archives to records, by the program that the package holds."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any, Dict, Iterable, Iterator, List, Union

from ._native import ThresherError, option_list

__all__ = ['program', 'records']


def program() -> str:
    """Path of the program: THRESHER_PROGRAM, the one in this package, or the one in PATH."""
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'bin', 'thresher')
    found = os.environ.get('THRESHER_PROGRAM') or (inside if os.path.exists(inside) else shutil.which('thresher'))
    if not found:
        raise ThresherError('the program thresher was not found in the package or in PATH')
    return found


def records(paths: Union[str, os.PathLike, Iterable[Union[str, os.PathLike]]], jobs: int = 0, damaged: str = 'warn',
            **options: Any) -> Iterator[Dict[str, Any]]:
    """The record of each page of the archives, in their order, as `thresher run` writes them.

    paths: one or many files, folders, patterns. jobs: threads of the program, 0 is one for each core. options: as for `run`,
    with underscores. damaged: reaction to a damaged archive after its readable records: 'warn', 'raise', 'ignore'.
    The program runs in parallel, some megabytes ahead of the reader. It ends when the iterator is closed.
    Raises ThresherError for wrong options and for unreadable inputs."""
    if damaged not in ('warn', 'raise', 'ignore'):
        raise ThresherError("damaged is %r (expected 'warn', 'raise' or 'ignore')" % damaged)
    names = [os.fspath(paths)] if isinstance(paths, (str, os.PathLike)) else [os.fspath(path) for path in paths]
    if not names:
        raise ThresherError('no path is specified')
    pairs = option_list(options)
    command: List[str] = [program(), 'run', '--quiet', '--jobs', str(jobs), '--output', '-']
    for key, value in zip(pairs[::2], pairs[1::2]):
        command += ['--option', '%s=%s' % (key, value)]
    return _read(command + ['--'] + names, damaged)


def _read(command: List[str], damaged: str) -> Iterator[Dict[str, Any]]:
    import tempfile
    import warnings
    with tempfile.TemporaryFile() as told:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=told) as process:
            try:
                for line in process.stdout:
                    yield json.loads(line)
            except BaseException:
                process.terminate()
                raise
        told.seek(0)
        words = told.read(4096).decode('utf-8', 'replace').strip()
    if process.returncode == 1 and damaged != 'raise':
        if damaged == 'warn':
            warnings.warn('an archive is damaged: %s' % words, RuntimeWarning, stacklevel=2)
    elif process.returncode:
        raise ThresherError(words or 'thresher exited with code %d' % process.returncode)
