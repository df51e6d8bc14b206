#!/usr/bin/env python3
"""Pictures of pages next to our Markdown as a browser shows it, to look at.

usage: side_by_side.py PROGRAM FOLDER [SET:NUMBER...]

Left: the page, without scripts and network. Right: `thresher text --text-format markdown`, rendered by markdown-it-py. FOLDER gets SET-NUMBER.png.
SET:NUMBER  a page of ../shared/corpora, for example training/docs:17; default: ten pages of ten kinds
Needs Chromium and markdown-it-py.
"""
import base64
import gzip
import html
import json
import os
import subprocess
import sys
import tempfile

import markdown_it

import browser

CORPORA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'shared', 'corpora')
PAGES = ('training/docs:30', 'training/docs:200', 'training/docs:410', 'training/recipes:12', 'training/magic-html:40', 'extraction/wcxb-dev:7', 'extraction/wcxb-dev:120', 'extraction/zh-content:3',
         'extraction/mozilla-readability:20', 'extraction/news-2023:15')
FRAME = '<!DOCTYPE html><meta charset="utf-8"><style>body{margin:0;display:flex;gap:8px;background:#888}iframe{border:0;background:#fff;width:796px;height:2400px}</style><iframe src="page.html"></iframe><iframe src="text.html"></iframe>'
STYLE = '<!DOCTYPE html><meta charset="utf-8"><style>body{font:16px/1.4 sans-serif;margin:24px}table{border-collapse:collapse}td,th{border:1px solid #aaa;padding:2px 6px}pre{background:#eee;padding:8px;overflow-x:auto}img{max-width:100%}blockquote{border-left:3px solid #aaa;margin-left:0;padding-left:12px}</style>'


def page_of(name):
    """The URL and the bytes of a page of the corpora."""
    path, number = name.rsplit(':', 1)
    with gzip.open(os.path.join(CORPORA, path, 'pages.jsonl.gz'), 'rt', encoding='utf-8') as file:
        for i, line in enumerate(file):
            if i == int(number):
                row = json.loads(line)
                return row.get('url') or 'http://page.invalid/', base64.b64decode(row['html_b64']) if 'html_b64' in row else row['html'].encode()
    sys.exit('%s has no page %s' % (path, number))


def main(program, folder, *names):
    if not browser.path():
        sys.exit('no Chromium found (Debian: apt install chromium)')
    os.makedirs(folder, exist_ok=True)
    reader = markdown_it.MarkdownIt('commonmark').enable(['table', 'strikethrough'])
    with tempfile.TemporaryDirectory() as scratch, browser.Browser() as web:
        for name in names or PAGES:
            url, page = page_of(name)
            text = subprocess.run([program, 'text', '--text-format', 'markdown', '--text-links', '--url', url, '-'], input=page, stdout=subprocess.PIPE, check=True).stdout.decode()
            for file, data in (('page.html', page), ('text.html', (STYLE + reader.render(text)).encode()), ('frame.html', FRAME.encode())):
                with open(os.path.join(scratch, file), 'wb') as out:
                    out.write(data)
            out = os.path.join(folder, name.replace('/', '-').replace(':', '-') + '.png')
            web.open(os.path.join(scratch, 'frame.html'), 1600, 2400, scripts=False).screenshot(out)
            print(out, html.unescape(url), flush=True)


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
