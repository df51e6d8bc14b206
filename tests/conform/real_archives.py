"""Statuses, seekable output and manifests on the real archives of the corpora (warcio, pywb, WACZ, Browsertrix and others).

usage: real_archives.py PROGRAM SHARED      (exit 77 without the corpora)

For each archive:
  * formats for training have the pages with a status of 2xx or without one; the others are counted as `filter_status`, and JSON lines have all of them with a flag
  * zstd reads the seekable output, it has the same records, and `get` reads each of a sample by its id
  * the manifest has the digests and counts of the run
"""
import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
from case import contents, expect, expect_true, thresher

SAMPLE = 5


def archives(shared):
    return [path for path in sorted(glob.glob(os.path.join(shared, 'corpora', 'warc', '*'))) if not os.path.basename(path).lower().startswith(('manifest', 'oracle', 'readme'))]


def main():
    paths, total = archives(sys.argv[2]), {'archives': 0, 'pages': 0, 'of other statuses': 0, 'read by id': 0}
    if not paths:
        print('skipped: the corpora are not part of the repository')
        return 77
    if not shutil.which('zstd'):
        print('skipped: zstd is missing')
        return 77
    with tempfile.TemporaryDirectory() as folder:
        lines, packed = os.path.join(folder, 'o.jsonl'), os.path.join(folder, 'o.jsonl.zst')
        for path in paths:
            name = os.path.basename(path)
            code = thresher('run', '-q', '-O', lines, path).returncode
            if code == 74:
                continue  # not an archive
            expect_true('%s: exit code' % name, code in (0, 1), code)
            text = contents(lines)
            rows = [json.loads(line) for line in text.splitlines()]
            bad = [row for row in rows if not 200 <= row.get('http', {}).get('status', 200) < 300]
            expect_true('%s: error pages have the flag' % name, all('unsuccessful' in row['flags'] for row in bad), [row['url'] for row in bad])
            told = json.loads(contents(lines + '.manifest.json'))
            expect('%s: manifest' % name, ([o['sha256'] for o in told['outputs']], [i['sha256'] for i in told['inputs']], told['counts']['emitted']),
                   ([hashlib.sha256(text).hexdigest()], [hashlib.sha256(contents(path)).hexdigest()], len(rows)))
            expect('%s: read = emitted + refused' % name, told['counts']['read'], told['counts']['emitted'] + sum(told['counts']['refused'].values()))
            out = os.path.join(folder, 'd.jsonl')
            thresher('run', '-q', '-f', 'dclm', '-O', out, path)
            counts = json.loads(contents(out + '.manifest.json'))['counts']
            expect('%s: pages for training' % name, counts['emitted'], len(rows) - len(bad))
            skipped = counts['refused'].get('filter_status', 0)  # also pages that JSON lines refuse for another reason
            expect_true('%s: the others are counted' % name, skipped >= len(bad), (skipped, len(bad)))
            thresher('run', '-q', '--compress', 'zstd:seekable', '-O', packed, path)
            expect('%s: zstd reads it' % name, subprocess.run(['zstd', '-dc', packed], stdout=subprocess.PIPE, check=True).stdout, text)
            named = [(row['id'], line) for row, line in zip(rows, text.splitlines()) if 'id' in row]
            for number, _ in named[::max(1, len(named) // SAMPLE)][:SAMPLE]:
                same = [line for other, line in named if other == number]
                expect_true('%s: get' % name, thresher('get', packed, number).stdout.splitlines()[0] in same)
                total['read by id'] += 1
            total['archives'] += 1
            total['pages'] += len(rows)
            total['of other statuses'] += len(bad)
    print(', '.join('%s: %d' % pair for pair in total.items()))
    return 0


sys.exit(main())
