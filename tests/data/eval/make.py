#!/usr/bin/env python3
"""Writes the little corpora of this folder: pages of our own, with gold text and gold segments. Run it after a change; the files are kept.

extraction/pages.jsonl               a letter, a page that has snippets only, a record that is no page (it counts as empty)
extraction/peer-outputs/*.jsonl.gz   what a made-up peer extracted: it lacks a page
lines/pages.jsonl                    two pages, with lines, PRE and headings, and their kind, language and generator
lines/peer-outputs/*.jsonl.gz        a made-up peer, with lines of each kind: intact, glued, broken, nearly the same, torn, missing
segmentation/pages.warc.gz, gold.jsonl.gz   the letter and a page that the archive lacks
"""
import base64
import gzip
import io
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
BODY = ('Dear friends, the winter has been long here and the road to the village was closed for nine weeks, so this letter comes late. '
        'We have read all the books that you sent us in the autumn, some of them twice, and we thank you for every one of them.')
MORE = ('The mill runs again since Sunday. The new stones came over the ice in February, on two sledges, and the smith has set them '
        'without a single crack. There is bread enough for everybody now.')
LETTER = ('<html><head><title>A letter</title></head><body><ul><li><a href="/">Home</a></li><li><a href="/l">Letters</a></li>'
          '<li><a href="/m">Maps</a></li></ul><h1>A letter from the mill</h1><p>%s</p><p>%s</p>'
          '<hr><div>Printed by hand</div><div>Page 4</div></body></html>' % (BODY, MORE))
SNIPPETS = ('<html><body><div><a href="/">Shop</a> <a href="/b">Basket</a></div><p>%s</p><p>Call us.</p></body></html>' % MORE)


def write(path, data):
    path = os.path.join(HERE, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as out:
        out.write(data)


def packed(data):
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode='wb', mtime=0) as z:
        z.write(data)
    return out.getvalue()


def lines(rows):
    return ''.join(json.dumps(row, ensure_ascii=False) + '\n' for row in rows).encode()


def page(name, html, **fields):
    return dict(id='own:' + name, url='http://mill.example/' + name, html_b64=base64.b64encode(html).decode(), encoding='utf-8', **fields)


def record(name, html):
    block = b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n' + html.encode()
    head = ('WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:own:%s>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n'
            'WARC-Target-URI: http://mill.example/%s\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n'
            % (name, name, len(block)))
    return packed(head.encode() + block + b'\r\n\r\n')


write('extraction/pages.jsonl', lines([
    page('letter', LETTER.encode(), gold_text='A letter from the mill\n%s\n%s' % (BODY, MORE)),
    page('shop', SNIPPETS.encode(), gold_text=None, **{'with': ['The mill runs  again', 'bread enough'], 'without': ['Basket', 'Call us']}),
    page('file', b'%PDF-1.4 no page at all', gold_text='What the file would have said')]))
write('extraction/peer-outputs/peer.jsonl.gz', packed(lines([
    {'id': 'own:letter', 'text': BODY}, {'id': 'own:file', 'text': ''}])))

menu, title, text, foot = ['Home', 'Letters', 'Maps'], 'A letter from the mill'.split(), (BODY + ' ' + MORE).split(), 'Printed by hand Page 4'.split()
write('segmentation/pages.warc.gz', record('letter', LETTER))
write('segmentation/gold.jsonl.gz', packed(lines([
    {'id': '<urn:own:letter>', 'page': 'letter', 'tokens': menu + title + text + foot,
     'segment': [0] * len(menu) + [1] * (len(title) + len(text)) + [2] * len(foot)},
    {'id': '<urn:own:absent>', 'page': 'absent', 'tokens': ['not', 'there'], 'segment': [0, 1]}])))

LINES = ['The first line is of ten words that nobody changes.', 'The second line follows it in the same paragraph there.', 'The third line is cut in two by a line end.',
         'The fourth line, unlike others, has a comma and a capital.', 'The fifth line has lost its end somewhere on the way.', 'The sixth line is not in that text at all.',
         'A seventh line is on a page of its own here.', 'An eighth line is also cut in two by something.', 'Its ninth line is absent from the text as well.']
CODE = ['for each of the lines:', '    print the line', '    count it', 'print the count']


def with_code(title, texts):
    return ('<html><body><h1>%s</h1>%s<pre>%s</pre></body></html>' % (title, ''.join('<p>%s</p>' % text for text in texts), '\n'.join(CODE))).encode()


write('lines/pages.jsonl', lines([
    page('six', with_code('Six lines', LINES[:6]), gold_text='\n'.join(LINES[:6]), page_type='article', lang='en', generator='Loom 2'),
    page('three', with_code('Three lines', LINES[6:]), gold_text='\n'.join(LINES[6:]), page_type='forum', lang='de', generator='Mill')]))
write('lines/peer-outputs/peer.jsonl.gz', packed(lines([
    {'id': 'own:six', 'text': '\n'.join(['Six lines', ' '.join(LINES[:2]), LINES[2][:21], LINES[2][22:], LINES[3].replace(',', '').upper(), LINES[4][:34]] + CODE)},
    {'id': 'own:three', 'text': '\n'.join([LINES[6], LINES[7][:22], LINES[7][23:]] + [line.strip() for line in CODE])}])))
