#!/usr/bin/env python3
"""Compares archives packed by `wacz` (PyPI) with the same archives outside of the WACZ file, by hand.

usage: wacz_peer.py THRESHER WACZ ARCHIVE...      WACZ: the program of `pip install wacz` (tried with 0.6.0)

Each archive that wacz can index is packed alone, and all of them together. Compared are the records of `run` (all fields except the file's name), the
lines of `records`, and the number of captures in wacz's own index.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import zipfile


def call(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, errors='surrogateescape')


def records(thresher, path):
    done = call(thresher, 'run', '-q', '-j1', '--rejects', os.devnull, '--emit', 'all', '-O', '-', path)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [(os.path.basename(row['source'].pop('file')), row) for row in rows], done


def listed(thresher, path):
    rows = [json.loads(line) for line in call(thresher, 'records', path).stdout.splitlines()]
    for row in rows:
        row.pop('file', None)
    return rows


def main(thresher, wacz, archives):
    wrong = packed = 0
    whole = []
    with tempfile.TemporaryDirectory() as folder:
        for archive in archives + ['all']:
            inputs = whole if archive == 'all' else [archive]
            target = os.path.join(folder, 'x.wacz')
            if os.path.exists(target):
                os.unlink(target)
            made = call(wacz, 'create', '-o', target, '-f', *inputs)
            if made.returncode != 0 or not zipfile.is_zipfile(target):
                print('wacz cannot pack %s: %s' % (os.path.basename(archive), (made.stderr.strip().splitlines() or [''])[-1][:100]))
                continue
            packed += 1
            got, done = records(thresher, target)
            wanted = []
            for name in sorted(inputs, key=os.path.basename):
                wanted += records(thresher, name)[0]
            rows = listed(thresher, target)
            alone = [row for name in sorted(inputs, key=os.path.basename) for row in listed(thresher, name)]
            with zipfile.ZipFile(target) as packed_file:
                indexes = [name for name in packed_file.namelist() if name.endswith(('.cdx.gz', '.cdx', '.cdxj'))]
                captures = sum(len((gzip.decompress(packed_file.read(name)) if name.endswith('.gz') else packed_file.read(name)).splitlines())
                               for name in indexes)
                methods = sorted({info.compress_type for info in packed_file.infolist() if info.filename.startswith('archive/')})
            same = got == wanted and rows == alone
            wrong += not same
            print('%s: %d pages, %d records, %s; wacz indexed %d; method %s' % (os.path.basename(archive), len(got), len(rows), 'equal' if same else 'DIFFER', captures, methods))
            if archive != 'all':
                whole.append(archive)
    print('%d packed, %d differ' % (packed, wrong))
    return 1 if wrong or not packed else 0


if __name__ == '__main__':
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
