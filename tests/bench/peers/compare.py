#!/usr/bin/env python3
"""Compares thresher with other programs in several jobs: the CPU time (user and system) of whole processes with one thread, in alternating pairs.

usage: compare.py THRESHER ARCHIVE.warc.gz [--rounds N] [--web SYNTHETIC_WEB] [--pages N] [JOB...]      with a Python that has
       fastwarc resiliparse warcio cdxj-indexer html-to-markdown html2text markdownify pycld2 networkit igraph

JOB: default all. --web: build-release/tests/bench/synthetic_web, for the graph of N pages (default 1,000,000, with 10 million links). A peer that
is not installed is named as skipped. Each row has the job, the seconds of thresher and of the peer, the ratio of the medians, and the quartiles of the pairs.
"""
import argparse
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# Name: the job, arguments of thresher, the peer's function and package. {}: files of a temporary folder. A job with "-" subtracts the time of the second command.
JOBS = {
    'extract': ('main content, its language and signatures of pages; FastWARC and resiliparse: the main content', 'run -q -j1 -O {null} {archive}', 'resiliparse {archive}', 'resiliparse'),
    'wet': ('a WET file; warcio and resiliparse', 'run -q -j1 -f warc -k num-words --language-detector none -O {wet} {archive}', 'wet {archive} {out}', 'warcio'),
    'cdxj': ('a CDXJ index; cdxj-indexer', 'records -q --cdxj {archive}', 'cdxj {archive} {out}', 'cdxj_indexer'),
    'html-to-markdown': ('Markdown of whole pages; html-to-markdown (Rust)', 'run -q -j1 -k keep-all --text-format markdown --language-detector none -O {null} {archive}', 'html_to_markdown {archive}',
                         'html_to_markdown'),
    'html2text': ('the same; html2text', 'run -q -j1 -k keep-all --text-format markdown --language-detector none -O {null} {archive}', 'html2text {archive}', 'html2text'),
    'markdownify': ('the same; markdownify', 'run -q -j1 -k keep-all --text-format markdown --language-detector none -O {null} {archive}', 'markdownify {archive}', 'markdownify'),
    'language': ('the language of the content; pycld2 on the same texts', 'run -q -j1 -O {null} {archive} - run -q -j1 --language-detector none -O {null} {archive}',
                 'pycld2 {records} - texts {records}', 'pycld2'),
    'networkit': ('graph of pages and PageRank; networkit, from a file of numbered links', 'graph -q --level page -O {graph} {web}', 'networkit {links}', 'networkit'),
    'igraph': ('the same; igraph', 'graph -q --level page -O {graph} {web}', 'igraph {links}', 'igraph'),
}


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(program, words):
    """Seconds of a command, less the seconds of the command after "-"."""
    first, _, second = words.partition(' - ')
    return seconds([*program, *first.split()]) - (seconds([*program, *second.split()]) if second else 0)


def make_web(args, files):
    """Records of a synthetic web, and its links by numbers."""
    with open(files['web'], 'wb') as out:
        subprocess.run([args.web, str(args.pages), '200', '10', '5.65', '6', '1'], check=True, stdout=out)
    numbers, count = {}, 0
    with open(files['web'], encoding='utf-8') as records, open(files['links'], 'w', encoding='ascii') as links:
        for line in records:
            record = json.loads(line)
            own = numbers.setdefault(record['url'], len(numbers))
            for link in record.get('links', ()):
                links.write('%d %d\n' % (own, numbers.setdefault(link['url'], len(numbers))))
                count += 1
    print('%d pages and %d links' % (len(numbers), count), file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('thresher')
    parser.add_argument('archive')
    parser.add_argument('jobs', nargs='*', metavar='JOB')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--web')
    parser.add_argument('--pages', type=int, default=1000000)
    args = parser.parse_intermixed_args()
    unknown = set(args.jobs) - JOBS.keys()
    if unknown:
        parser.error('unknown job %s; expected one of: %s' % (', '.join(sorted(unknown)), ', '.join(JOBS)))
    with tempfile.TemporaryDirectory() as folder:
        files = {name: os.path.join(folder, name) for name in ('out', 'graph', 'web', 'links', 'records')}
        files.update(archive=args.archive, wet=os.path.join(folder, 'a.warc.gz'), null=os.devnull)
        jobs = [name for name in args.jobs or JOBS if args.web or '{web}' not in JOBS[name][1]]
        if any('{web}' in JOBS[name][1] for name in jobs):
            make_web(args, files)
        if 'language' in jobs:
            subprocess.run([args.thresher, 'run', '-q', '-O', files['records'], args.archive], check=True)
        print('| job | seconds | peer, seconds | ratio (quartiles of %d pairs) |\n| --- | ---: | ---: | ---: |' % args.rounds)
        for name in jobs:
            what, ours, theirs, package = JOBS[name]
            if not importlib.util.find_spec(package):
                print('| %s | | skipped: %s is not installed | |' % (what, package))
                continue
            pairs = [(measured([args.thresher], ours.format(**files)), measured([sys.executable, os.path.join(HERE, 'peer.py')], theirs.format(**files)))
                     for _ in range(args.rounds)]
            mine, other = (statistics.median(column) for column in zip(*pairs))
            low, _, high = statistics.quantiles([b / a for a, b in pairs], n=4) if len(pairs) > 1 else (other / mine,) * 3
            print('| %s | %.3f | %.3f | %.1f (%.1f to %.1f) |' % (what, mine, other, other / mine, low, high), flush=True)


if __name__ == '__main__':
    main()
