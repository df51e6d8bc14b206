"""Compares `--redact email,ip` with datatrove's PIIFormatter on the same texts.

usage: redact_peer.py PROGRAM PYTHON SHARED CORPUS...
PYTHON has datatrove (pip install datatrove==0.10.1). CORPUS: a folder of corpora/extraction, or `warc` for all archives.
Prints one table row for each corpus, then examples of each kind of difference.
"""
import base64
import collections
import glob
import gzip
import ipaddress
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import archive

MARKER = re.compile('(EMAIL|IP|PHONE)-REDACTED')
PEER = '''
import json, sys
from datatrove.pipeline.formatters import PIIFormatter
pii = PIIFormatter()
for line in sys.stdin:
    text = json.loads(line)
    found = [['EMAIL', *m.span()] for m in pii.emails_replacer.regex.finditer(text)]
    found += [['IP', *m.span()] for m in pii.ip_replacer.regex.finditer(text) if pii.ip_replacer.validator(m.group(0))]
    print(json.dumps(found))
'''


def texts(program, inputs, *options):
    run = subprocess.run([program, 'run', '-q', '-m', 'none', '--emit', 'full_text', *options, *inputs], stdout=subprocess.PIPE, check=False)
    return [json.loads(line)['full_text'] for line in run.stdout.splitlines()]


def spans(before, after):
    """Places in `before` that the markers of `after` replace."""
    found, at, last = [], 0, 0
    pieces = list(MARKER.finditer(after))
    for i, piece in enumerate(pieces):
        start = at + piece.start() - last
        end_piece = pieces[i + 1].start() if i + 1 < len(pieces) else len(after)
        rest = after[piece.end():end_piece]
        last = piece.end()
        at = before.index(rest, start + 5) if rest else len(before) if i + 1 == len(pieces) else start + 1
        found.append((piece.group(1), start, at))
    return found


def reason(kind, text, start, end, is_ours):
    got, before, after = text[start:end], text[max(0, start - 1):start], text[end:end + 2]
    if kind == 'EMAIL' and not is_ours:
        return 'last label of the domain is not letters' if not re.search(r'\.([A-Za-z]{2,}|xn--[\w-]+)$', got) else 'other bounds of the same address'
    if kind == 'EMAIL':
        return 'a letter outside ASCII before it' if before and before[-1] > '\x7f' else 'other bounds of the same address'
    if ':' in got:
        return 'IPv6, compressed'
    if ipaddress.ip_address(got).is_multicast:
        return 'multicast'
    if before[-1:].isalnum() or before[-1:] in '._-' or after[:1].isalnum() or re.match(r'[.][0-9]', after):
        return 'part of a longer number or word'
    return 'other range of addresses'


def inputs_of(shared, name):
    if name == 'warc':
        return sorted(p for p in glob.glob(shared + '/corpora/warc/*warc*') if os.path.isfile(p))
    path = os.path.join(tempfile.mkdtemp(), name + '.warc')
    with gzip.open('%s/corpora/extraction/%s/pages.jsonl.gz' % (shared, name)) as pages:
        archive.write(path, [archive.record('resource', base64.b64decode(p['html_b64']), p['url'] or 'http://x.example/', i, 'text/html')
                             for i, p in enumerate(map(json.loads, pages))], 'plain')
    return [path]


def main():
    program, python, shared, *names = sys.argv[1:]
    examples = collections.defaultdict(list)
    reasons = collections.Counter()
    for name in names:
        inputs = inputs_of(shared, name)
        plain, redacted = texts(program, inputs), texts(program, inputs, '--redact', 'email,ip')
        run = subprocess.run([python, '-c', PEER], input='\n'.join(map(json.dumps, plain)), text=True, stdout=subprocess.PIPE, check=True)
        row = collections.Counter()
        for text, after, line in zip(plain, redacted, run.stdout.splitlines()):
            ours, theirs = set(spans(text, after)), {tuple(m) for m in json.loads(line)}
            for side, found in (('both', ours & theirs), ('ours', ours - theirs), ('theirs', theirs - ours)):
                for kind, start, end in sorted(found):
                    row[kind, side] += 1
                    if side != 'both':
                        why = (side, kind, reason(kind, text, start, end, side == 'ours'))
                        reasons[why] += 1
                        examples[why].append(text[max(0, start - 12):end + 12].replace('\n', ' '))
        print('| %s | %d | %s |' % (name, len(plain), ' | '.join(str(row[k, s]) for k in ('EMAIL', 'IP') for s in ('both', 'ours', 'theirs'))), flush=True)
    for why, count in sorted(reasons.items()):
        print(*why, count, examples[why][:4])


if __name__ == '__main__':
    main()
