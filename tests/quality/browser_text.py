"""Compares the text of pages with a browser: the share of lines of full_text in Chromium's innerText, by kind of paragraph.

usage: browser_text.py PROGRAM SHARED [--pages N] [--least SHARE] [--show N] [--predictions FILE]       exit 77 without corpora or without Chromium

Scripts are off and style sheets removed, so only the standard's own style sheet and inline styles apply. Elements that the program hides
for other reasons than display (aria-hidden, the link of a heading or term to itself), or that have no text (NOSCRIPT, SELECT, SVG,
TEXTAREA), are also hidden in the browser. List marks, whitespace inside a line and empty lines are not compared. --show prints N differing lines of each kind, with their cause. --predictions writes the
browser's text for tools/score_lines.py of the corpora, which then scores the text of a browser.
"""
import argparse
import bisect
import collections
import gzip
import json
import os
import re
import sys
import tempfile

import corpora

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'browser'))
import browser as chromium  # noqa: E402

MARK = re.compile(r'^ *(?:- |-?\d+\. )')
SPACE = re.compile(r'\s+')
STRIP = """(() => {
    for (const e of document.querySelectorAll('style, link[rel~=stylesheet i], noscript, select, svg, textarea, iframe, object, audio, video, canvas, [aria-hidden=true i], frameset, noframes'))
        e.remove();
    for (const e of document.querySelectorAll('h1 a[href^="#"], h2 a[href^="#"], h3 a[href^="#"], h4 a[href^="#"], h5 a[href^="#"], h6 a[href^="#"], dt a[href^="#"]'))
        if (['\u00b6', '#', '\u00a7'].includes(e.textContent.trim())) e.remove();
    for (const e of document.querySelectorAll('details, dialog')) e.setAttribute('open', '');
    for (const e of document.querySelectorAll('[hidden=until-found i]')) e.removeAttribute('hidden');
    for (const e of document.querySelectorAll('*')) {
        if (e.style.display && e.style.display != 'none') e.style.display = '';
        e.style.textTransform = 'none'; e.style.opacity = ''; e.style.whiteSpace = '';
    }
    for (const e of [document.documentElement, document.body]) if (e) { e.hidden = false; e.style.display = ''; e.style.visibility = ''; }
    return document.body ? document.body.innerText : '';
})()"""


def plain(text):
    return SPACE.sub(' ', text).strip()


def own_lines(record):
    """[(line without its mark, whole line, kind)] of a record made with --emit full_text,paragraphs."""
    text, starts = record['full_text'], [p['start'] for p in record['paragraphs']]
    at, lines = 0, []
    for line in text.split('\n'):
        if line.strip():
            number = max(0, bisect.bisect_right(starts, at + len(line)) - 1)
            lines.append((plain(MARK.sub('', line)), plain(line), record['paragraphs'][number]['kind']))
        at += len(line) + 1
    return [line for line in lines if line[0]]


def cause(line, shown, squeezed):
    tight = SPACE.sub('', line)
    if tight in shown:
        return 'white space'
    if tight in squeezed:
        return 'parted or joined otherwise'
    return 'not shown, or in another order'


parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1])
parser.add_argument('program')
parser.add_argument('shared')
parser.add_argument('--pages', type=int, default=300)
parser.add_argument('--least', type=float, default=0)
parser.add_argument('--show', type=int, default=0)
parser.add_argument('--predictions', default=os.devnull)
args = parser.parse_args()
if 'wcxb-dev' not in corpora.names(args.shared) or not chromium.path():
    print('skipped: no corpora or no Chromium')
    sys.exit(77)
equal, total, causes, shown_causes = collections.Counter(), collections.Counter(), collections.Counter(), collections.Counter()
samples = collections.defaultdict(list)
with tempfile.TemporaryDirectory() as folder, chromium.Browser() as browser, open(args.predictions, 'w', encoding='utf-8') as predictions:
    if not browser.starts():
        print('skipped: Chromium does not start')
        sys.exit(77)
    path, ids = corpora.archive(args.shared, 'wcxb-dev', folder)
    records = list(corpora.records(args.program, path, '-k', 'keep-all', '--emit', 'full_text,paragraphs,html'))
    step = max(1, len(records) // args.pages)
    for page_id, record in list(zip(ids, records))[::step][:args.pages]:
        name = os.path.join(folder, 'page.html')
        with open(name, 'w', encoding='utf-8-sig', errors='replace') as f:
            f.write(record['html'])
        page = browser.open(name, scripts=False)
        shown = page.run(STRIP) or ''
        page.close()
        print(json.dumps({'id': page_id, 'text': shown}), file=predictions)
        lines = [plain(line) for line in shown.split('\n')]
        theirs = collections.Counter(line for line in lines if line)
        tight = {SPACE.sub('', line) for line in theirs}
        squeezed = ''.join(SPACE.sub('', line) for line in lines)
        left = theirs.copy()
        for line, whole, kind in own_lines(record):
            total[kind] += 1
            if left[line] or left[whole]:
                left[line if left[line] else whole] -= 1
                equal[kind] += 1
            else:
                why = cause(line, tight, squeezed)
                causes[kind, why] += 1
                samples[kind, why].append((record['url'], line))
        shown_causes['lines'] += sum(theirs.values())
        shown_causes['missing'] += sum(left.values())
for kind in sorted(total, key=total.get, reverse=True):
    rest = ', '.join('%d %s' % (n, why) for (k, why), n in sorted(causes.items()) if k == kind)
    print('%-12s %6d lines, %.4f equal; %s' % (kind, total[kind], equal[kind] / total[kind], rest))
    for (k, why), found in sorted(samples.items()):
        if k == kind:
            for url, line in found[::max(1, len(found) // max(1, args.show))][:args.show]:
                print('    %s: %s  %s' % (why, line[:110], url))
share = sum(equal.values()) / max(1, sum(total.values()))
print('%d lines of %d pages, %.4f equal; of the %d that the browser shows %d are missing'
      % (sum(total.values()), min(args.pages, len(records[::step])), share, shown_causes['lines'], shown_causes['missing']))
sys.exit(1 if share < args.least else 0)
