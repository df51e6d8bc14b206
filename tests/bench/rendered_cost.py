#!/usr/bin/env python3
"""Prints the table of docs/measurements/rendered.md: processor time and memory of `run --rendered` on pages that a browser fills, by hand.

usage: rendered_cost.py PROGRAM PAGES
"""
import os
import random
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'run'))
import archive

PROGRAM, PAGES = sys.argv[1], int(sys.argv[2])
# A process of this program's size would count as memory of the child.
LAUNCH = """import os, sys
used = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)
assert used[1] == 0
print(used[2].ru_utime + used[2].ru_stime, used[2].ru_maxrss)"""
SHELL = '<!DOCTYPE html><html><head><title>App %d</title></head><body><div id="root"></div></body></html>'

with tempfile.TemporaryDirectory() as folder:
    rec, dom, wacz = (os.path.join(folder, name) for name in ('rec.warc.gz', 'dom.warc.gz', 'crawl.wacz'))
    archive.write(rec, (archive.response(SHELL % i, 'https://app.example/%d' % i, i) for i in range(PAGES)))
    archive.write(dom, (archive.record('resource', archive.page(random.Random(i), 8).encode(), 'urn:dom:https://app.example/%d' % i, i, 'text/html') for i in range(PAGES)))
    with zipfile.ZipFile(wacz, 'w') as out:
        out.write(rec, 'archive/rec.warc.gz')
        out.write(dom, 'archive/dom.warc.gz')
    print('| `--rendered` | inputs | processor time | memory |\n| --- | --- | ---: | ---: |')
    for use, what, inputs in (('off', 'both', (rec, dom)), ('only', 'the DOMs', (dom,)), ('dom', 'both', (rec, dom)), ('dom', 'both in a WACZ file', (wacz,))):
        command = [PROGRAM, 'run', '-q', '-j', '1', '--rendered', use, '-O', os.path.join(folder, 'out.jsonl'), *inputs]
        seconds, kilobytes = subprocess.run([sys.executable, '-S', '-c', LAUNCH, *command], stdout=subprocess.PIPE, check=True, text=True).stdout.split()
        print('| `%s` | %s | %.2f s | %.1f MB |' % (use, what, float(seconds), int(kilobytes) / 1024))
