#!/usr/bin/env python3
"""Segments from pages whose authors marked their regions: gold for `thresher-lab train` and `thresher-lab eval segmentation`.

usage: landmarks.py PAGES.jsonl[.gz] OUT [--source NAME]

PAGES has a line for each page with id, url and html (or html_b64 and encoding), as `thresher eval` reads it. OUT becomes a folder with pages.warc.gz and gold.jsonl.gz.

* A landmark is main, article, nav, header, footer, aside, search, a section with a label or its own heading, and any element with such a role. A word's segment is the
  innermost landmark around it (`segment_top`: the outermost). Words outside of every landmark have -1.
* A page is used if it has at least 4 segments of 5 words or more, landmarks around 80 % of its words, and 2 top segments of 5 words. No segment may have over 85 % of the
  words. For each host, only the two pages with the smallest SHA-1 of their ids are used.
* The marks are removed from the page: landmark elements become div, and their role, aria-label and aria-labelledby attributes are removed. A page is omitted if
  this would move an element or a text. Class and id names remain, so a method that reads them can see the gold.
"""
import argparse, base64, collections, gzip, hashlib, io, json, os, re, unicodedata, uuid
from urllib.parse import urlsplit

from resiliparse.parse.html import HTMLTree, NodeType

SECTIONS = {'main', 'article', 'nav', 'header', 'footer', 'aside', 'search', 'section'}
ROLES = {'banner', 'navigation', 'main', 'complementary', 'contentinfo', 'search', 'region'}
HEADINGS = {'h1', 'h2', 'h3', 'h4', 'h5', 'h6'}
TEXTLESS = {'head', 'script', 'style', 'noscript', 'template', 'option', 'textarea', 'iframe', 'object', 'svg'}
MOST_BYTES = 700000
TAG = re.compile(r'<!--.*?-->|<(script|style|textarea|title|iframe|noscript|xmp)\b(?:[^"\'>]|"[^"]*"|\'[^\']*\')*>.*?</\1\s*>|'
                 r'<(/?)([a-zA-Z][^\s/>]*)((?:[^"\'>]|"[^"]*"|\'[^\']*\')*)>', re.S | re.I)
ATTRIBUTE = re.compile(r'\s+([^\s=/>"\']+)(?:\s*=\s*("[^"]*"|\'[^\']*\'|[^\s"\'>]+))?')


def is_hidden(node):
    style = node.getattr('style') or ''
    return (node.hasattr('hidden') or (node.getattr('aria-hidden') or '').lower() == 'true' or
            re.search(r'(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b', style, re.I) is not None)


def has_own_heading(node):
    """Whether the section contains a heading that is not in a landmark inside it."""
    waiting = list(node.child_nodes)
    while waiting:
        at = waiting.pop()
        if at.type != NodeType.ELEMENT or at.tag in SECTIONS:
            continue
        if at.tag in HEADINGS:
            return True
        waiting.extend(at.child_nodes)
    return False


def is_landmark(node):
    role = (node.getattr('role') or '').strip().lower()
    if role in ('none', 'presentation'):
        return False
    if role in ROLES:
        return True
    if node.tag == 'section':
        return any(node.hasattr(name) for name in ('aria-label', 'aria-labelledby', 'title')) or has_own_heading(node)
    return node.tag in SECTIONS


def walk(tree):
    """Yields (event, node, ancestors' landmarks): 'open' and 'close' of each element, 'text'. Without recursion: pages are deep."""
    stack = [(tree.document, False)]
    while stack:
        node, is_end = stack.pop()
        if is_end:
            yield 'close', node
        elif node.type == NodeType.TEXT:
            yield 'text', node
        elif node.type in (NodeType.ELEMENT, NodeType.DOCUMENT):
            yield 'open', node
            stack.append((node, True))
            if node.tag != 'template':
                stack.extend((child, False) for child in reversed(list(node.child_nodes)))


def is_word(text):
    return any(unicodedata.category(c)[0] in 'LN' for c in text)


def read_gold(tree):
    """The visible words in document order, with the innermost and the outermost landmark of each."""
    words, inner, outer, run = [], [], [], []
    landmarks, numbers, silent, silent_at = [], 0, 0, []

    def flush():
        for word in ''.join(run).split():
            if is_word(word):
                words.append(word)
                inner.append(landmarks[-1] if landmarks else -1)
                outer.append(landmarks[0] if landmarks else -1)
        run.clear()

    opened = []
    for event, node in walk(tree):
        if event == 'text':
            if not silent:
                run.append(node.text)
            continue
        if node.type == NodeType.DOCUMENT:
            continue
        if node.tag != 'a':
            flush()
        if event == 'open':
            mute = node.tag in TEXTLESS or is_hidden(node)
            mark = not mute and not silent and is_landmark(node)
            if mark and node.tag == 'a':
                flush()
            silent += mute
            if mark:
                landmarks.append(numbers)
                numbers += 1
            opened.append((mute, mark))
        else:
            mute, mark = opened.pop()
            if mark and node.tag == 'a':
                flush()
            silent -= mute
            if mark:
                landmarks.pop()
    flush()
    return words, dense(inner), dense(outer)


def dense(labels):
    numbers = {}
    return [-1 if label < 0 else numbers.setdefault(label, len(numbers)) for label in labels]


def shape(tree, is_original):
    """Returns the tree as a list, which is equal if only the marks have changed."""
    rows = []
    for event, node in walk(tree):
        if event == 'text':
            rows.append(node.text)
        elif node.type == NodeType.ELEMENT:
            is_search = node.tag == 'form' and (node.getattr('role') or '').strip().lower() == 'search'
            name = 'div' if is_original and (node.tag in SECTIONS or is_search) else node.tag
            rows.append((event, name))
    return rows


def hide_marks(html):
    """The page's source without the marks."""
    is_search_form = [False]

    def replace(match):
        end, name, rest = match.group(2), match.group(3), match.group(4)
        if name is None:
            return match.group(0)
        low = name.lower()
        if end:
            if low == 'form' and is_search_form[0]:
                is_search_form[0] = False
                return '</div' + rest + '>'
            return '</div' + rest + '>' if low in SECTIONS else match.group(0)
        role = next(((value or '').strip('"\' ').lower() for key, value in ATTRIBUTE.findall(rest) if key.lower() == 'role'), '')
        if low not in SECTIONS and role not in ROLES:
            return match.group(0)
        is_search = low == 'form' and role == 'search'
        is_search_form[0] = is_search_form[0] or is_search
        kept = ATTRIBUTE.sub(lambda a: '' if a.group(1).lower() in ('role', 'aria-label', 'aria-labelledby') else a.group(0), rest)
        return '<' + ('div' if low in SECTIONS or is_search else name) + kept + '>'

    return TAG.sub(replace, html)


def reason_against(words, inner, outer):
    sizes, tops = collections.Counter(inner), collections.Counter(outer)
    outside = sizes.pop(-1, 0)
    tops.pop(-1, 0)
    if not sizes:
        return 'no landmark'
    if sum(size >= 5 for size in sizes.values()) < 4:
        return 'fewer than 4 segments'
    if outside > .2 * len(words):
        return 'landmarks around less than 80 %'
    if max(sizes.values()) > .85 * len(words):
        return 'one segment over 85 %'
    if sum(size >= 5 for size in tops.values()) < 2:
        return 'fewer than 2 top segments'
    return None


def read_page(page):
    if 'html' in page:
        return page['html']
    return base64.b64decode(page['html_b64']).decode(page.get('encoding') or 'utf-8', 'replace')


def make_page(page, source, left_out):
    html = read_page(page)
    if len(html) > MOST_BYTES:
        left_out['over 700 kB'] += 1
        return None
    tree = HTMLTree.parse(html)
    words, inner, outer = read_gold(tree)
    reason = reason_against(words, inner, outer)
    if reason:
        left_out[reason] += 1
        return None
    hidden = hide_marks(html)
    if shape(tree, True) != shape(HTMLTree.parse(hidden), False):
        left_out['hiding changes the tree'] += 1
        return None
    gold = {'id': record_id(page['id']), 'page': page['id'], 'source': source, 'tokens': words, 'segment': inner, 'segment_top': outer}
    return page.get('url') or 'http://page.invalid/' + page['id'], hidden, gold


def record_id(page_id):
    return '<urn:uuid:%s>' % uuid.uuid5(uuid.NAMESPACE_URL, page_id)


def host_of(url):
    return (urlsplit(url).hostname or '').lower()


def member(head, block):
    lines = ['WARC/1.1'] + ['%s: %s' % pair for pair in head] + ['Content-Length: %d' % len(block), '', '']
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode='wb', compresslevel=6, mtime=0) as z:
        z.write('\r\n'.join(lines).encode() + block + b'\r\n\r\n')
    return out.getvalue()


def write(folder, pages):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'pages.warc.gz'), 'wb') as out:
        for url, html, gold in pages:
            body = html.encode('utf-8', 'replace')
            block = b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n' % len(body) + body
            out.write(member([('WARC-Type', 'response'), ('WARC-Target-URI', url), ('WARC-Date', '2020-01-01T00:00:00Z'), ('WARC-Record-ID', gold['id']),
                              ('Content-Type', 'application/http; msgtype=response')], block))
    with open(os.path.join(folder, 'gold.jsonl.gz'), 'wb') as raw, gzip.GzipFile(fileobj=raw, mode='wb', mtime=0, filename='') as out:
        for _, _, gold in pages:
            out.write((json.dumps(gold, ensure_ascii=False, separators=(',', ':')) + '\n').encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('pages')
    parser.add_argument('out')
    parser.add_argument('--source', help='name of the source in the gold, for `thresher-lab train --without` [name of the folder of PAGES]')
    args = parser.parse_args()
    source = args.source or os.path.basename(os.path.dirname(os.path.abspath(args.pages)))
    left_out, taken, of_host = collections.Counter(), [], collections.Counter()
    with (gzip.open if args.pages.endswith('.gz') else open)(args.pages, 'rt', encoding='utf-8') as lines:
        for line in lines:
            made = make_page(json.loads(line), source, left_out)
            if made:
                taken.append(made)
    chosen = set()
    for made in sorted(taken, key=lambda made: hashlib.sha1(made[2]['page'].encode()).digest()):
        of_host[host_of(made[0])] += 1
        if of_host[host_of(made[0])] <= 2:
            chosen.add(made[2]['id'])
    write(args.out, [made for made in taken if made[2]['id'] in chosen])
    left_out['third page of a host'] = len(taken) - len(chosen)
    print('%d pages; left out: %s' % (len(chosen), ', '.join('%s %d' % item for item in left_out.most_common())))


if __name__ == '__main__':
    main()
