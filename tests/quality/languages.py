#!/usr/bin/env python3
"""Compares the detected language with the corpus, with pycld2, and with Common Crawl's result.

Usage: languages.py [--peer] [--misses] [--second MODEL] THRESHER CORPORA
       languages.py --archives THRESHER ARCHIVE...

CORPORA contains extraction/daniel, extraction/zh-content and training/fundus, with pages that have a `lang`. A page counts if it has a `lang` and
content. It is correct if the first detected language is equal. --peer compares with pycld2 (PyPI) on the whole texts with the same hints, also on sets
with pages without `lang`. It exits with 1 if the first language is equal on less than 99.5 % of all pages. --second also measures a fastText model, and its agreement with CLD2. --archives reads Common Crawl's metadata records (languages-cld2) for the whole page's text, and prints how often
the first language is the same. Pages are counted separately if one of the two is not sure.
"""
import argparse
import base64
import collections
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from urllib.parse import urlsplit

from metadata import warc

SETS = ("extraction/daniel", "extraction/zh-content", "training/fundus")
PEER_SETS = (*SETS, "extraction/trafilatura-snippets", "extraction/news-2023", "extraction/wcxb-dev", "training/magic-html", "training/recipes")
CODE = "training/docs"  # half prose, half code: reported separately
# Labels of the corpora for languages that CLD2 names differently.
SAME = {"nb": "no", "zh-Hant": "zh"}


def pages(folder, all_of_them=False):
    with gzip.open(folder / "pages.jsonl.gz") as lines:
        for row in map(json.loads, lines):
            if row.get("lang") or all_of_them:
                html = base64.b64decode(row["html_b64"]) if "html_b64" in row else row["html"].encode()
                yield row["id"], row.get("url") or "http://page.example/", html, row.get("lang")


def records(thresher, path, options=()):
    done = subprocess.run([thresher, "run", "-q", "--page-ms", "0", "-m", "none", *options, "-O", "-", str(path)], stdout=subprocess.PIPE)
    return [json.loads(line) for line in done.stdout.splitlines()]


def hints(record):
    """As src/language/language.c makes them."""
    tag = record.get("language", "")
    host = urlsplit(record["url"]).hostname or ""
    tld = re.search(r"\.([A-Za-z]{1,4})$", host)
    return {"hintLanguageHTTPHeaders": tag if 0 < len(tag) <= 64 else None, "hintTopLevelDomain": tld.group(1).lower() if tld else None}


def peer(record):
    import pycld2
    text = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]", lambda m: " " * len(m[0].encode()), record["text"])
    given = {key: value for key, value in hints(record).items() if value}
    _, _, found = pycld2.detect(text, isPlainText=True, **given)
    return [code for _, code, percent, _ in found if percent and code not in ("un", "xxx")]


def ours(record):
    found = record.get("language_detected")
    if not found:
        return []
    today = {"he": "iw", "jv": "jw", "hmn": "blu"}
    return [today.get(one["name"], one["name"]) for one in [found, *found.get("others", [])]]


def judge(thresher, corpora, with_peer, shows_misses, second):
    all_asked = all_first = 0
    languages = set()
    for name in (*PEER_SETS, CODE) if with_peer else SETS:
        rows = list(pages(corpora / name, with_peer))
        known = {number: lang for number, _, _, lang in rows}
        with tempfile.TemporaryDirectory() as folder:
            archive = pathlib.Path(folder) / "pages.warc"
            warc([row[:3] for row in rows], archive)
            found = records(thresher, archive, ["--language-fasttext", second] if second else [])
        seen = set()
        right = asked = known_count = first = second_right = same = 0
        missed, second_missed = collections.Counter(), collections.Counter()
        for record in found:
            gold = known[record["id"][len("<urn:x:"):-1]]
            if not record["text"]:
                continue
            asked += 1
            mine = ours(record)
            code = mine[0] if mine else "none"
            is_right = SAME.get(code, code) == SAME.get(gold, gold)
            known_count += bool(gold)
            right += is_right
            if gold and not is_right:
                missed[gold, code] += 1
                if shows_misses:
                    print(record["id"], gold, mine, record["text"][:200].replace("\n", " "))
            if second:
                said = record.get("language_second", {})
                label = said.get("name", "none")
                is_right = SAME.get(label, label) == SAME.get(gold, gold)
                second_right += is_right
                if not is_right:
                    second_missed[gold, label] += 1
                same += said.get("iso") == record.get("language_detected", {}).get("iso")
            if with_peer:
                other = peer(record)
                first += mine[:1] == other[:1]
                seen.update(other[:1])
                if shows_misses and mine[:1] != other[:1]:
                    print(record["id"], mine, other)
        if known_count:
            print(f"{name}: {right} of {known_count} right, {right / known_count:.4f}", dict(missed))
        if second:
            print(f"    fastText: {second_right / asked:.4f} right, {dict(second_missed)}; the same as CLD2's on {same}")
        if with_peer:
            print(f"{name}: as pycld2 on the whole text: {first} of {asked}")
            if name != CODE:
                all_asked += asked
                all_first += first
                languages |= seen
    if with_peer:
        print(f"all but {CODE}: as pycld2 on the whole text: {all_first} of {all_asked}, {all_first / all_asked:.4f}, {len(languages)} languages")
    return not with_peer or all_first >= .995 * all_asked


def stated(path):
    """What Common Crawl's metadata records say, by the id of the response."""
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rb") as archive:
        data = archive.read()
    for head, body in re.findall(rb"(WARC/1\.[01]\r\n(?:[^\r\n]+\r\n)*WARC-Type: metadata\r\n(?:[^\r\n]+\r\n)*)\r\n(.*?)\r\n\r\n(?=WARC/1|\Z)", data, re.S):
        of = re.search(rb"WARC-Concurrent-To: (\S+)", head)
        said = re.search(rb"^languages-cld2: (\{.*\})", body, re.M)
        if of and said:
            yield of.group(1).decode(), json.loads(said.group(1))


def compare(thresher, archives):
    counts = collections.Counter()
    for path in archives:
        theirs = dict(stated(path))
        for record in records(thresher, path):
            if record.get("id") not in theirs:
                continue
            other = theirs[record["id"]]
            mine = record.get("language_detected")
            if not mine or not mine["sure"] or not other["reliable"]:
                counts["one of the two is not sure"] += 1
                continue
            code = other["languages"][0]["code-iso-639-3"]
            counts["same" if mine["iso"] == code else f"{mine['iso']} for {code}"] += 1
    print(dict(counts) or "no record has languages-cld2")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--second")
    parser.add_argument("--archives", action="store_true")
    parser.add_argument("thresher")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    if args.archives:
        compare(args.thresher, args.paths)
    else:
        sys.exit(not judge(args.thresher, args.paths[0], args.peer, args.misses, args.second))


if __name__ == "__main__":
    main()
