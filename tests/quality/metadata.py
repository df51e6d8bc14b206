#!/usr/bin/env python3
"""Measures title, author and date of publication against gold data: precision and recall, by source.

Usage: metadata.py [--peer] [--halves] [--weak] [--misses FIELD] THRESHER CORPORA

CORPORA contains metadata/gold.jsonl.gz and the pages of extraction/wcxb-dev, training/wcxb-train and
training/fundus. A title is correct if its words are equal, or the ratio of matching characters is
over .9. An author is correct if one name contains the other, and a date if the day is the same. A value
without a gold value is wrong. --peer also measures trafilatura (it must be installed). --halves
measures the two halves of the sites separately, to detect rules that fit only one of them.
"""
import argparse
import base64
import collections
import difflib
import gzip
import hashlib
import json
import pathlib
import re
import subprocess
import tempfile
from urllib.parse import urlsplit

SETS = {"wcxb-dev": "extraction/wcxb-dev", "wcxb-train": "training/wcxb-train", "fundus": "training/fundus"}
FIELDS = ("title", "author", "published")


def words(text):
    return re.findall(r"\w+", (text or "").casefold())


def is_title(gold, value):
    if words(gold) == words(value):
        return True
    matcher = difflib.SequenceMatcher(None, gold.casefold(), value.casefold(), autojunk=False)
    return matcher.ratio() > 0.9


def is_author(gold, value):
    def names(text, marks):
        return [" ".join(words(name)) for name in [text, *re.split(marks, text)]]

    pairs = [(a, b) for a in names(gold, r"[;,&]| and | und ") for b in names(value, ";")]
    return any(a and b and (a in b or b in a) for a, b in pairs)


def is_date(gold, value):
    return value[:10] == gold


RIGHT = {"title": is_title, "author": is_author, "published": is_date}


def pages(corpora, folder, gold):
    with gzip.open(corpora / SETS[folder] / "pages.jsonl.gz") as lines:
        for row in map(json.loads, lines):
            if row["id"] in gold:
                html = base64.b64decode(row["html_b64"]) if "html_b64" in row else row["html"].encode()
                yield row["id"], gold[row["id"]]["url"], html


def warc(rows, path):
    with open(path, "wb") as out:
        for number, url, html in rows:
            head = (f"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:{number}>\r\n"
                    f"WARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
                    f"Content-Type: text/html\r\nContent-Length: {len(html)}\r\n\r\n")
            out.write(head.encode() + html + b"\r\n\r\n")


def ours(thresher, rows, options):
    with tempfile.TemporaryDirectory() as folder:
        archive = pathlib.Path(folder) / "pages.warc"
        warc(rows, archive)
        lines = subprocess.run([thresher, "run", "-q", "--page-ms", "0", *options, "-O", "-", str(archive)],
                               check=True, stdout=subprocess.PIPE).stdout
    found = {}
    for record in map(json.loads, lines.splitlines()):
        found[record["id"][len("<urn:x:"):-1]] = record
    return found


def peer(rows):
    import trafilatura
    found = {}
    for number, url, html in rows:
        text = html.decode("utf-8", "replace")
        try:
            document = trafilatura.bare_extraction(text, url=url, with_metadata=True)
        except Exception:  # an error counts as a page without facts
            document = None
        facts = document if isinstance(document, dict) else document.as_dict() if document else {}
        found[number] = {"title": facts.get("title"), "author": facts.get("author"), "published": facts.get("date")}
    return found


def judge(gold, found, numbers):
    """{field: [right, stated, in gold]}, and by (field, source) [right, stated]."""
    totals = {field: [0, 0, 0] for field in FIELDS}
    sources = collections.defaultdict(lambda: [0, 0])
    misses = []
    for number in numbers:
        row, record = gold[number], found.get(number, {})
        for field in FIELDS:
            wanted, value = row[field], record.get(field)
            right = bool(wanted and value and RIGHT[field](wanted, value))
            totals[field][2] += wanted is not None
            if not right and (wanted or value):
                misses.append((field, number, wanted, value, record.get(field + "_from"), row["url"]))
            if value:
                totals[field][0] += right
                totals[field][1] += 1
                source = sources[field, record.get(field + "_from")]
                source[0] += right
                source[1] += 1
    return totals, sources, misses


def show(name, totals):
    cells = [f"{name:<28}"]
    for field in FIELDS:
        right, stated, wanted = totals[field]
        cells.append(f"{right / max(wanted, 1):.3f} / {right / max(stated, 1):.3f}")
    print("  ".join(cells))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--halves", action="store_true")
    parser.add_argument("--weak", action="store_true")
    parser.add_argument("--misses")
    parser.add_argument("thresher")
    parser.add_argument("corpora", type=pathlib.Path)
    options = parser.parse_args()
    with gzip.open(options.corpora / "metadata/gold.jsonl.gz") as lines:
        gold = {row["id"]: row for row in map(json.loads, lines)}
    print(f"{'recall / precision':<28}  title          author         published")
    by_source = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for folder in SETS:
        rows = list(pages(options.corpora, folder, gold))
        numbers = [row[0] for row in rows]
        found = ours(options.thresher, rows, ["--weak-facts"] if options.weak else [])
        totals, sources, misses = judge(gold, found, numbers)
        show(f"{folder}, {len(numbers)} pages", totals)
        if options.halves:
            for half in (0, 1):
                part = [n for n in numbers if
                        hashlib.sha1(urlsplit(gold[n]["url"]).netloc.encode()).digest()[0] % 2 == half]
                show(f"  half {half} of the sites", judge(gold, found, part)[0])
        if options.peer:
            show("  trafilatura", judge(gold, peer(rows), numbers)[0])
        for key, value in sources.items():
            by_source[key][folder] = value
        if options.misses:
            for miss in misses:
                if miss[0] == options.misses:
                    print("   ", *miss[1:])
    print(f"\n{'right / stated':<28}  " + "  ".join(f"{folder:<15}" for folder in SETS))
    for field, source in sorted(by_source, key=str):
        cells = [f"{r:4}/{n:4} {r / max(n, 1):.2f}   " for r, n in (by_source[field, source][f] for f in SETS)]
        print(f"{field + ' ' + str(source):<28}  " + "  ".join(cells))


if __name__ == "__main__":
    main()
