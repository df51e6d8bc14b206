"""Archives to records, by the program that the package holds."""
from __future__ import annotations

import contextlib
import json
import os
import shutil
import ssl
import subprocess
import tempfile
import threading
import warnings
from typing import IO, TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Literal, Union, overload

from ._native import ThresherError, option_list

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ['Paths', 'program', 'program_environment', 'records', 'to_pandas', 'to_polars']

Paths = Union[str, bytes, 'os.PathLike[str]', Iterable[Union[str, 'os.PathLike[str]']], IO[bytes]]


def program() -> str:
    """Path of the program: THRESHER_PROGRAM, the one in this package, or the one in PATH."""
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'bin', 'thresher')
    found = os.environ.get('THRESHER_PROGRAM') or (inside if os.path.exists(inside) else shutil.which('thresher'))
    if not found:
        raise ThresherError('the program thresher was not found in the package or in PATH')
    return found


def program_environment() -> Dict[str, str]:
    """Environment for the program. SSL_CERT_FILE names the certificates that Python trusts, or the certificates of certifi, unless it is already set."""
    environment = dict(os.environ)
    system = ssl.get_default_verify_paths()
    if 'SSL_CERT_FILE' not in environment:
        if system.cafile:
            environment['SSL_CERT_FILE'] = system.cafile
        elif not (system.capath and os.listdir(system.capath)):
            try:
                import certifi
                environment['SSL_CERT_FILE'] = certifi.where()
            except ImportError:
                pass
    return environment


@overload
def records(paths: Paths, jobs: int = ..., damaged: str = ..., *, as_arrow: Literal[False] = ..., **options: Any) -> Iterator[Dict[str, Any]]: ...


@overload
def records(paths: Paths, jobs: int = ..., damaged: str = ..., *, as_arrow: Literal[True], **options: Any) -> pyarrow.RecordBatchReader: ...


def records(paths: Paths, jobs: int = 0, damaged: str = 'warn', *, as_arrow: bool = False, **options: Any) -> Any:
    """The record of each page of the archives, in their order, as `thresher run` writes them.

    paths: one or many files, folders, patterns, also s3:// and https://; or one open archive, a binary file of any library. jobs: threads of the program, 0 is one for each core. options: as for `run`,
    with underscores. damaged: reaction to a damaged archive after its readable records: 'warn', 'raise', 'ignore'.
    as_arrow: a pyarrow.RecordBatchReader with the columns of docs/parquet.md instead of an iterator of objects.
    The program runs in parallel, some megabytes ahead of the reader. It ends when the iterator is closed. With as_arrow it first
    writes all records into a temporary file.
    Raises ThresherError for wrong options and for unreadable inputs."""
    if not as_arrow:
        return _read(_command(paths, jobs, damaged, options), paths, damaged)
    import pyarrow
    from pyarrow.parquet import ParquetFile
    table = ParquetFile(_parquet(paths, jobs, damaged, options))  # keeps the file open until the last batch
    return pyarrow.RecordBatchReader.from_batches(table.schema_arrow, table.iter_batches())


def to_pandas(paths: Paths, jobs: int = 0, damaged: str = 'warn', **options: Any) -> pandas.DataFrame:
    """The records of all pages as a data frame of pandas (with pyarrow). It has the arguments of `records`."""
    import pandas
    with _parquet(paths, jobs, damaged, options) as file:
        return pandas.read_parquet(file)


def to_polars(paths: Paths, jobs: int = 0, damaged: str = 'warn', **options: Any) -> polars.DataFrame:
    """The records of all pages as a data frame of Polars. It has the arguments of `records`."""
    import polars
    with _parquet(paths, jobs, damaged, options) as file:
        return polars.read_parquet(file)


def _command(paths: Paths, jobs: int, damaged: str, options: Dict[str, Any], output: str = '-') -> List[Union[str, bytes]]:
    if damaged not in ('warn', 'raise', 'ignore'):
        raise ThresherError("damaged is %r (expected 'warn', 'raise' or 'ignore')" % damaged)
    _check_output(options)
    names: List[Union[str, bytes]]
    if isinstance(paths, (str, bytes, os.PathLike)):
        names = [os.fspath(paths)]
    else:
        names = ['-'] if hasattr(paths, 'read') else [os.fspath(path) for path in paths]
    if not names:
        raise ThresherError('no path is specified')
    pairs = option_list(options)
    command: List[Union[str, bytes]] = [program(), 'run', '--quiet', '--jobs', str(jobs), '--output', output]
    for key, value in zip(pairs[::2], pairs[1::2]):
        command += ['--option', '%s=%s' % (key, value)]
    return command + ['--'] + names


def _check_output(options: Dict[str, Any]) -> None:
    """Refuses options whose output cannot be read here as lines of JSON."""
    for name in ('output', 'compress'):
        if name in options:
            raise ThresherError('option %s is not available here; use the program (thresher.program())' % name)
    if options.get('format') in ('parquet', 'warc', 'wet', 'minhash-sig'):
        raise ThresherError('option format is %r (expected a format of JSON lines)' % options['format'])


def _judge(code: int, words: str, damaged: str) -> None:
    """Exit code 1 is damage of an archive; another code is a failure."""
    if code == 1 and damaged != 'raise':
        if damaged == 'warn':
            warnings.warn('an archive is damaged: %s' % words, RuntimeWarning, stacklevel=5)
    elif code:
        raise ThresherError(words or 'thresher exited with code %d' % code)


@contextlib.contextmanager
def _started(command: List[Union[str, bytes]], paths: Paths, damaged: str, stdout: int) -> Iterator[subprocess.Popen[bytes]]:
    """The program while it runs, with an open archive as its standard input. Raises the error of the archive or of the program at the end."""
    source: Any = paths if hasattr(paths, 'read') else None
    failed: List[BaseException] = []

    def feed(process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        try:
            shutil.copyfileobj(source, process.stdin, 1 << 20)
        except BrokenPipeError:
            pass  # the program has ended, and reports the reason
        except BaseException as error:  # before the end of stdin, which would be the end of the archive
            failed.append(error)
            process.terminate()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()

    with tempfile.TemporaryFile() as told:
        with subprocess.Popen(command, stdin=subprocess.PIPE if source else subprocess.DEVNULL, stdout=stdout, stderr=told,
                              env=program_environment()) as process:
            feeder = threading.Thread(target=feed, args=(process,)) if source else None
            try:
                if feeder:
                    feeder.start()
                yield process
                process.wait()
            except BaseException:
                process.terminate()
                raise
            finally:
                if feeder:
                    feeder.join()
        told.seek(0)
        words = told.read(4096).decode('utf-8', 'replace').strip()
    if failed:
        raise failed[0]
    _judge(process.returncode, words, damaged)


def _read(command: List[Union[str, bytes]], paths: Paths, damaged: str) -> Iterator[Dict[str, Any]]:
    with _started(command, paths, damaged, subprocess.PIPE) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield json.loads(line)


def _parquet(paths: Paths, jobs: int, damaged: str, options: Dict[str, Any]) -> IO[bytes]:
    """The records as an open Parquet file that has no name any more, so that its space is free after the last use."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'records.parquet')
        with _started(_command(paths, jobs, damaged, options, path), paths, damaged, subprocess.DEVNULL):
            pass
        return open(path, 'rb')
