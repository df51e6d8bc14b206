"""A server of the Model Context Protocol: pages as text for language models. It needs the official SDK: pip install 'thresher-web[mcp]'.

    thresher-mcp [--archives FOLDER]      or python -m thresher.mcp; speaks over stdin and stdout

Tools: `extract` (HTML, or a URL that is fetched), `search_archive` (captures of a URL in a WARC file or a CDXJ index) and `explain` (the lines
of a page with their labels). A fetch has the rules of `thresher text`: limits of size and time, and no address of this machine or of a private
network. Archives are files in FOLDER, by default the current one. Nothing is written.
"""
from __future__ import annotations

import argparse
import functools
import gzip
import importlib
import json
import os
import subprocess
import sys
from typing import Any, Callable, Dict, Iterable, List, Literal, Optional, Tuple

from ._extract import extract as extract_page
from ._native import ThresherError
from ._records import program, program_environment

Format = Literal['markdown', 'plain', 'html', 'json']
SECONDS = 120  # of the program


def _run(*args: str, data: Optional[str] = None) -> str:
    """Output of the program. Its message is the error. Exit code 1 with output means that a part was damaged."""
    try:
        done = subprocess.run([program(), *args], input=data and data.encode('utf-8', 'replace'), stdin=None if data else subprocess.DEVNULL,
                              capture_output=True, timeout=SECONDS, env=program_environment(), check=False)
    except subprocess.TimeoutExpired:
        raise ThresherError('no answer within %d s' % SECONDS) from None
    if done.returncode and not (done.returncode == 1 and done.stdout):
        raise ThresherError(done.stderr.decode('utf-8', 'replace').strip().replace('thresher: ', '')[:1000] or 'exit code %d' % done.returncode)
    return done.stdout.decode('utf-8', 'replace')


def _fetch(url: Optional[str], options: List[str]) -> str:
    """The text or record of a page of the web, with the program's rules for addresses."""
    if not url or not url.lower().startswith(('http://', 'https://')):
        raise ThresherError('give html, or a url of http or https')
    return _run('text', *options, '--', url)


def _cut(text: str, max_chars: int) -> str:
    """At most that many characters, and a line that says so."""
    return text if len(text) <= max_chars else '%s\n[cut: %d of %d characters]' % (text[:max_chars], max_chars, len(text))


def _text_options(text_format: Format) -> List[str]:
    return ['--json'] if text_format == 'json' else ['--text-format', text_format, '--text-links']


class Tools:
    """The tools, as methods with plain types."""

    def __init__(self, archives: str) -> None:
        self.archives = os.path.realpath(archives)

    def _path(self, name: str) -> str:
        """A file in the folder of archives, also through links."""
        path = os.path.realpath(os.path.join(self.archives, name))
        if os.path.commonpath([path, self.archives]) != self.archives:
            raise ThresherError('%r is outside the folder of archives, %s' % (name, self.archives))
        if not os.path.isfile(path):
            raise ThresherError('%r is not a file in %s' % (name, self.archives))
        return path

    def extract(self, html: Optional[str] = None, url: Optional[str] = None, text_format: Format = 'markdown', max_chars: int = 50000) -> str:
        """The main text of a web page, without navigation, advertisements and comments.

        Give `html`, and `url` for its relative links; or only `url`, which is then fetched (https or http, public addresses only).
        text_format: markdown, plain, html, or json (the record with title, author, dates, language, page type and text)."""
        if html:
            if text_format == 'json':
                return _cut(json.dumps(extract_page(html, url=url).record, ensure_ascii=False), max_chars)
            return _cut(extract_page(html, url=url, text_format=text_format, text_links=True).text, max_chars)
        return _cut(_fetch(url, _text_options(text_format)), max_chars)

    def search_archive(self, archive: str, url: str, text_format: Format = 'markdown', max_captures: int = 20, max_chars: int = 50000) -> Dict[str, Any]:
        """Captures of a URL in a web archive: a WARC file, or a CDXJ index (.cdxj, also .gz) next to its WARC files.

        `url` is complete, or a prefix that ends with *. Returns the captures (url, date as 14 digits, status, mime, file, offset), and the text of
        the newest page among them."""
        captures = [capture for capture in self._captures(archive) if _is_match(capture.get('url', ''), url)]
        found: Dict[str, Any] = {'count': len(captures), 'captures': captures[:max_captures]}
        pages = [capture for capture in captures if 'html' in capture.get('mime', '') and capture.get('status', '200') == '200']
        if pages:
            newest = max(pages, key=lambda capture: capture['date'])
            place = '%s#%s' % (self._path(os.path.join(os.path.dirname(archive), newest['file'])), newest['offset'])
            found['text_of'] = {'url': newest['url'], 'date': newest['date']}
            found['text'] = _cut(_run('text', *_text_options(text_format), '--', place), max_chars)
        return found

    def _captures(self, archive: str) -> Iterable[Dict[str, str]]:
        path = self._path(archive)
        if path.endswith(('.cdxj', '.cdxj.gz')):
            with (gzip.open if path.endswith('.gz') else open)(path, 'rt', encoding='utf-8', errors='replace') as lines:
                yield from filter(None, map(_capture_of, lines))
        else:
            for capture in filter(None, map(_capture_of, _run('records', '--cdxj', '--', path).splitlines())):
                yield {**capture, 'file': os.path.basename(path)}

    def explain(self, html: Optional[str] = None, url: Optional[str] = None, archive: Optional[str] = None, max_chars: int = 50000) -> str:
        """Why thresher keeps or drops each part of a page: its lines with segment, label, densities and the reason.

        Give `html`, or a `url` to fetch, or `archive` and `url` for a page of a WARC file."""
        if archive:
            if not url:
                raise ThresherError('give the url of a page in the archive')
            return _cut(_run('inspect', '-q', '--', self._path(archive), url), max_chars)
        if not html:
            html = json.loads(_fetch(url, ['--json', '--emit', 'html']))['html']
        return _cut(_run('inspect', '-q', *(['--url', url] if url else []), '-', data=html), max_chars)


def _is_match(found: str, wanted: str) -> bool:
    return found.startswith(wanted[:-1]) if wanted.endswith('*') else found == wanted


def _capture_of(line: str) -> Optional[Dict[str, str]]:
    """A line of CDXJ: key, 14 digits, JSON."""
    parts = line.split(' ', 2)
    try:
        values = json.loads(parts[2])
        return {'url': values['url'], 'date': parts[1], 'file': values['filename'], 'offset': str(int(values['offset'])),
                **{name: str(values[name]) for name in ('status', 'mime') if name in values}}
    except (IndexError, KeyError, TypeError, ValueError):
        return None


def _sdk() -> Tuple[Any, Any]:
    """The classes of a server and of an error with a message for the client, in the installed version of the SDK."""
    for module, name in (('mcp.server.mcpserver', 'MCPServer'), ('mcp.server.fastmcp', 'FastMCP')):
        try:
            return getattr(importlib.import_module(module), name), importlib.import_module(module + '.exceptions').ToolError
        except ImportError:
            pass
    raise ThresherError("the MCP SDK is not installed: pip install 'thresher-web[mcp]'")


def server(archives: str = '.') -> Any:
    """The server of the SDK, for a program that runs it over another transport."""
    server_class, tool_error = _sdk()
    made = server_class('thresher', instructions='Extracts the main text of web pages, searches web archives, and explains the extraction.')

    def add(method: Callable[..., Any]) -> None:
        @functools.wraps(method)
        def tool(*args: Any, **arguments: Any) -> Any:
            try:
                return method(*args, **arguments)
            except ThresherError as error:
                raise tool_error(str(error)) from None
        made.tool()(tool)

    tools = Tools(archives)
    for method in (tools.extract, tools.search_archive, tools.explain):
        add(method)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(prog='thresher-mcp', description='A server of the Model Context Protocol over stdin and stdout.')
    parser.add_argument('--archives', metavar='FOLDER', default='.', help='folder of the archives that search_archive and explain may read')
    archives = parser.parse_args().archives
    try:
        server(archives).run()
    except ThresherError as error:
        sys.exit('thresher-mcp: %s' % error)


if __name__ == '__main__':
    main()
