#!/usr/bin/env python3
"""Measures the CPU time of extractors for the main text of a corpus's pages, in one process and one thread.

usage: peer_speed.py PAGES.jsonl.gz [ROUNDS [NAME]]

NAME: measure only this extractor. Without NAME, each extractor runs in a separate process, because memory that another extractor left would slow it down.
Needs the peers of peers.py and thresher's wheel. Pages are decoded before the clock starts. The fastest round counts. The first page is not counted.
"""
import subprocess
import sys
import time

import thresher

import peers


def ways():
    """How each extractor is called: name to a function of HTML and URL."""
    found = dict(peers.EXTRACT)
    for classifier in ('learned', 'num-words'):
        extractor = thresher.Extractor(classifier=classifier, minhash='none', language_detector='none')
        found['thresher, ' + classifier] = lambda html, url, extractor=extractor: extractor(html, url=url).text
    return found


def seconds_of(extract, pages):
    """@return seconds, and pages on which it failed"""
    failed = 0
    started = time.process_time()
    for html, url in pages:
        try:
            extract(html, url)
        except BaseException as problem:  # as in peers.py
            if isinstance(problem, KeyboardInterrupt):
                raise
            failed += 1
    return time.process_time() - started, failed


def main():
    if len(sys.argv) < 4:
        for name in ways():
            subprocess.run([sys.executable, __file__, sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else '1', name], check=True)
        return
    extract = ways()[sys.argv[3]]
    pages = [(page['html'].replace('\0', ''), page.get('url') or None) for page in peers.pages_of(sys.argv[1])]
    size = sum(len(html.encode('utf-8', 'replace')) for html, _ in pages) / 1e6
    extract(*pages[0])
    seconds, failed = min(seconds_of(extract, pages) for _ in range(int(sys.argv[2])))
    print('%-20s %6.2f s, %.1f MB/s, %d of %d pages failed' % (sys.argv[3], seconds, size / seconds, failed, len(pages)), flush=True)


if __name__ == '__main__':
    main()
