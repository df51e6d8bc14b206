#!/usr/bin/env python3
"""
Counts the pages of corpora whose site is also a site of the training pages, and measures the corpora without these pages.

    unseen_sites.py --thresher build/src/thresher-lab --training OUT/base.features CORPUS...

A site is a registered domain. A page without a URL has the domain in its id (daniel: DATE_HOST_...).
"""
import argparse
import gzip
import json
import os
import re
import subprocess
import tempfile

import feature_file
from pipeline import extract


def hosts_of(program, corpus, folder):
    """By id: the registered domain of each page of a corpus, as the program computes it."""
    path = os.path.join(folder, "hosts.features")
    given = os.path.join(folder, "hosts")
    os.makedirs(given, exist_ok=True)
    with gzip.open(os.path.join(corpus, "pages.jsonl.gz"), "rt", encoding="utf-8") as pages, \
            open(os.path.join(given, "pages.jsonl"), "w", encoding="utf-8") as out:
        for line in pages:
            page = json.loads(line)
            named = re.search(r"\d_(?:www\.)?([a-z0-9.-]+\.[a-z]+)", page["id"])
            url = page.get("url") or ("http://%s/" % named.group(1) if named else "")
            out.write(json.dumps(dict(id=page["id"], url=url, html="<p>a b c d e f", gold_text="a b c d e f")) + "\n")
    extract(program, [given], path, 1)
    return {page["id"]: page.get("host") or "" for page in feature_file.read(path).pages}


def f1_of(program, corpora):
    command = [program, "eval", "extraction", "-q", "--json", "--resamples", "0", "--classifiers", "learned", *corpora]
    found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["corpora"]
    return [corpus["methods"][0]["words"]["f1"] for corpus in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", metavar="CORPUS")
    parser.add_argument("--thresher", default="thresher-lab")
    parser.add_argument("--training", required=True, metavar="FEATURES", help="feature file of the training pages")
    args = parser.parse_args()
    seen = {page.get("host") for page in feature_file.read(args.training).pages} - {None, ""}
    with tempfile.TemporaryDirectory() as folder:
        counts, copies = [], []
        for corpus in args.corpora:
            hosts = hosts_of(args.thresher, corpus, folder)
            copies.append(os.path.join(folder, os.path.basename(os.path.normpath(corpus))))
            os.mkdir(copies[-1])
            counts.append(0)
            with gzip.open(os.path.join(corpus, "pages.jsonl.gz"), "rt", encoding="utf-8") as pages, \
                    gzip.open(os.path.join(copies[-1], "pages.jsonl.gz"), "wt", encoding="utf-8", compresslevel=1) as out:
                for line in pages:
                    is_seen = hosts.get(json.loads(line)["id"]) in seen
                    counts[-1] += is_seen
                    if not is_seen:
                        out.write(line)
        whole, rest = f1_of(args.thresher, args.corpora), f1_of(args.thresher, copies)
    print("| corpus | pages of training sites | words F1 | without these pages |\n|---|---:|---:|---:|")
    for corpus, count, a, b in zip(args.corpora, counts, whole, rest):
        print(f"| {os.path.basename(os.path.normpath(corpus))} | {count} | {a:.4f} | {b:.4f} |")


if __name__ == "__main__":
    main()
