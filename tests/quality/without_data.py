#!/usr/bin/env python3
"""Copies a corpus without the data for machines in its pages: JSON-LD, and the attributes itemscope, itemtype and itemprop.

usage: without_data.py OUT_FOLDER CORPUS...      then `thresher eval extraction OUT_FOLDER/NAME`

Pages that state their ingredients or their body as data are easier than others. The copy shows what is left without.
"""
import base64
import gzip
import json
import os
import re
import sys

SCRIPT = re.compile(rb'<script[^>]*\bld\+json\b[^>]*>.*?</script\s*>', re.S | re.I)
ITEM = re.compile(rb'\sitem(?:scope|type|prop)(?:\s*=\s*(?:"[^"]*"|\'[^\']*\'|[^\s>]+))?(?=[\s/>])', re.I)


def main(out, *corpora):
    for corpus in corpora:
        folder = os.path.join(out, os.path.basename(os.path.normpath(corpus)))
        os.makedirs(folder, exist_ok=True)
        pages = changed = 0
        with gzip.open(os.path.join(corpus, 'pages.jsonl.gz'), 'rt', encoding='utf-8') as rows, \
                gzip.open(os.path.join(folder, 'pages.jsonl.gz'), 'wt', encoding='utf-8') as copy:
            for line in rows:
                row = json.loads(line)
                html = base64.b64decode(row['html_b64']) if row.get('html_b64') else row['html'].encode('utf-8', 'surrogatepass')
                bare = ITEM.sub(b'', SCRIPT.sub(b'', html))
                pages, changed = pages + 1, changed + (bare != html)
                row.pop('html', None)
                row.pop('sha256', None)
                row['html_b64'] = base64.b64encode(bare).decode()
                copy.write(json.dumps(row, ensure_ascii=False) + '\n')
        print('%s: %d pages, %d changed' % (folder, pages, changed))


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
