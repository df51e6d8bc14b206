"""The server for language models, over stdin and stdout, by the client of the official SDK."""
import asyncio
import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading

import pytest

import thresher

pytest.importorskip('mcp', reason='the MCP SDK is not installed')
from mcp import ClientSession, StdioServerParameters  # noqa: E402
from mcp.client.stdio import stdio_client  # noqa: E402

WORDS = 'The rain had stopped when the first visitors came to the garden, and nobody expected so many of them.'
PAGE = '<title>A story</title><ul><li><a href="/">Home</a></ul><h1>A story</h1><p>%s</p><p>See <a href="/next">the next one</a>. %s</p>' % (WORDS, WORDS)
URL = 'https://example.org/story'


def talk(folder, *calls):
    """Calls tools of a server whose archives are in the folder. Returns (is an error, text) of each."""
    async def run():
        environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(os.path.abspath(thresher.__file__))) + os.pathsep + os.environ.get('PYTHONPATH', ''))
        parameters = StdioServerParameters(command=sys.executable, args=['-m', 'thresher.mcp', '--archives', str(folder)], env=environment)
        async with stdio_client(parameters) as (reader, writer), ClientSession(reader, writer) as session:
            await session.initialize()
            answers = [sorted(tool.name for tool in (await session.list_tools()).tools)]
            for name, arguments in calls:
                result = await session.call_tool(name, arguments)
                is_error = result.is_error if hasattr(result, 'is_error') else result.isError
                answers.append((bool(is_error), '\n'.join(part.text for part in result.content)))
            return answers
    return asyncio.run(asyncio.wait_for(run(), 280))


def test_extract_and_explain(tmp_path):
    tools, markdown, plain, record, cut, nothing, lines = talk(
        tmp_path, ('extract', {'html': PAGE, 'url': URL}), ('extract', {'html': PAGE, 'text_format': 'plain'}), ('extract', {'html': PAGE, 'url': URL, 'text_format': 'json'}),
        ('extract', {'html': PAGE, 'max_chars': 20}), ('extract', {}), ('explain', {'html': PAGE, 'url': URL}))
    assert tools == ['explain', 'extract', 'search_archive']
    assert markdown == (False, thresher.extract(PAGE, url=URL, text_format='markdown', text_links=True).text) and '(https://example.org/next)' in markdown[1]
    assert plain == (False, thresher.extract(PAGE).text)
    assert not record[0] and json.loads(record[1]) == thresher.extract(PAGE, url=URL).record
    assert not cut[0] and '[cut: 20 of ' in cut[1]
    assert nothing[0] and 'give html, or a url' in nothing[1]
    assert not lines[0] and WORDS[:30] in lines[1] and 'Home' in lines[1]


def test_url_has_the_rules_of_text(tmp_path):
    (tmp_path / 'page.html').write_text(PAGE)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    web = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    url = 'http://127.0.0.1:%d/page.html' % web.server_port
    _, private, explained, file = talk(tmp_path, ('extract', {'url': url}), ('explain', {'url': url}), ('extract', {'url': 'file:///etc/passwd'}))
    web.shutdown()
    message = subprocess.run([thresher.program(), 'text', url], capture_output=True, check=False).stderr.decode()
    for error, words in (private, explained):
        assert error and message.strip().replace('thresher: ', '') in words
    assert file[0] and 'give html, or a url' in file[1]


def test_search_archive(archive, tmp_path):
    inside = tmp_path / 'archives'
    inside.mkdir()
    shutil.copy(archive, inside / 'news.warc.gz')
    shutil.copy(archive, tmp_path / 'outside.warc.gz')
    os.symlink(tmp_path / 'outside.warc.gz', inside / 'link.warc.gz')
    index = subprocess.run([thresher.program(), 'records', '--cdxj', 'news.warc.gz'], capture_output=True, check=True, cwd=inside).stdout
    (inside / 'news.cdxj').write_bytes(index)
    pages = list(thresher.records(archive, text_format='markdown', text_links=True))
    wanted = pages[3]
    prefix = wanted['url'].rsplit('/', 1)[0] + '/*'
    _, by_warc, by_cdxj, some, none, explained, outside, link, missing = talk(
        inside, ('search_archive', {'archive': 'news.warc.gz', 'url': wanted['url']}), ('search_archive', {'archive': 'news.cdxj', 'url': wanted['url']}),
        ('search_archive', {'archive': 'news.cdxj', 'url': prefix}), ('search_archive', {'archive': 'news.cdxj', 'url': 'https://nowhere.example/'}),
        ('explain', {'archive': 'news.warc.gz', 'url': wanted['url']}), ('search_archive', {'archive': '../outside.warc.gz', 'url': '*'}),
        ('search_archive', {'archive': 'link.warc.gz', 'url': '*'}), ('search_archive', {'archive': 'absent.warc.gz', 'url': '*'}))
    assert by_warc == by_cdxj and not by_warc[0]
    found = json.loads(by_cdxj[1])
    assert found['count'] == len(found['captures']) == 1 and found['captures'][0]['url'] == wanted['url']
    assert found['text'].strip() == wanted['text'].strip()
    urls = [capture['url'] for capture in json.loads(some[1])['captures']]
    assert wanted['url'] in urls and all(url.startswith(prefix[:-1]) for url in urls)
    assert json.loads(none[1]) == {'count': 0, 'captures': []}
    assert not explained[0] and wanted['title'][:20] in explained[1]
    for error, words in (outside, link):
        assert error and 'outside the folder of archives' in words
    assert missing[0] and 'is not a file' in missing[1]


def test_without_the_sdk():
    code = "import sys; sys.modules['mcp'] = None; sys.modules['mcp.server'] = None; sys.argv = ['thresher-mcp']; from thresher.mcp import main; main()"
    environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(os.path.abspath(thresher.__file__))))
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, env=environment, check=False)
    assert done.returncode == 1 and b"pip install 'thresher-web[mcp]'" in done.stderr
