#!/usr/bin/env python3
"""
Near-duplicates of `lyrics-like`, by folds of donors. Each page is judged by a model that has not seen the site of its template.

    duplicates_by_fold.py --thresher build/src/thresher --lab build/src/thresher-lab --models OUT --corpora EXTRACTION DUPLICATES

A page is composed of a template and a content. Some pages need two folds, because both donors are in the training pages. `clean` leaves
out these pages.
"""
import argparse
import gzip
import json
import os
import subprocess
import tempfile

import feature_file
from pipeline import FOLDS, extract

TRAINED = ("wcxb-dev", "wcxb-train", "mozilla-readability", "news-2023")  # donors' corpora with training pages


def lines_of(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def folds_of(lab, corpora, donors, folder):
    """By id: the fold of each donor's site, as the program computes it."""
    os.mkdir(os.path.join(folder, "donors"))
    with open(os.path.join(folder, "donors", "pages.jsonl"), "w", encoding="utf-8") as out:
        for corpus in sorted({donor.split(":")[0] for donor in donors}):
            for page in lines_of(os.path.join(corpora, corpus, "pages.jsonl.gz")):
                if page["id"] in donors:
                    out.write(json.dumps(dict(id=page["id"], url=page.get("url") or "", html="<p>a b c d e f", gold_text="a b c d e f")) + "\n")
    path = os.path.join(folder, "donors.features")
    extract(lab, [os.path.join(folder, "donors")], path, 1)
    return {page["id"]: page["fold"] for page in feature_file.read(path).pages}


def model_of(page, folds):
    """@return the fold of the page's model, and whether this model has seen neither donor"""
    donors = [page[key] for key in ("template", "content_source") if page[key]]
    trained = [folds[donor] for donor in donors if donor.split(":")[0] in TRAINED]
    return (trained or [folds[donors[0]]])[0], len(set(trained)) <= 1


def records_of(program, models, duplicates, pages):
    """By id: the signatures of each page with its model."""
    found = {}
    for fold in range(FOLDS):
        run = subprocess.Popen([program, "run", "-q", "-m", "paper", "--content-model", os.path.join(models, f"fold-{fold}.model"), "-O", "-",
                                os.path.join(duplicates, "pages.warc.gz")], stdout=subprocess.PIPE)
        for line in run.stdout:
            record = json.loads(line)
            if pages[record["id"]][0] == fold:
                found[record["id"]] = record["minhash"]
        if run.wait():
            raise SystemExit(f"{program} ended with {run.returncode}")
    return found


def scores_of(program, duplicates, signatures, ids, text, folder):
    path = os.path.join(folder, "records.jsonl")
    with open(path, "w") as out:
        for key in ids:
            out.write(json.dumps(dict(id=key, minhash=dict(signatures[key], main=signatures[key].get(text)))) + "\n")
    pairs = os.path.join(folder, "pairs.tsv")
    with open(os.path.join(duplicates, "pairs.tsv")) as lines, open(pairs, "w") as out:
        out.writelines(line for line in lines if line.startswith("record_id") or {line.split("\t")[0], line.split("\t")[1]} <= ids)
    found = subprocess.run([program, "eval", "duplicates", "--json", folder, path], check=True, stdout=subprocess.PIPE)
    return {(group["label"], group["family"], group["length"]): group for group in json.loads(found.stdout)["methods"][0]["groups"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("duplicates", metavar="DUPLICATES", help="folder with pages.warc.gz, pairs.tsv and gold.jsonl.gz")
    parser.add_argument("--thresher", default="thresher")
    parser.add_argument("--lab", default="thresher-lab")
    parser.add_argument("--models", required=True, metavar="OUT", help="folder with fold-0.model and so on")
    parser.add_argument("--corpora", required=True, metavar="EXTRACTION", help="folder with the donors' corpora")
    args = parser.parse_args()
    gold = list(lines_of(os.path.join(args.duplicates, "gold.jsonl.gz")))
    with tempfile.TemporaryDirectory() as folder:
        donors = {page[key] for page in gold for key in ("template", "content_source")} - {None}
        folds = folds_of(args.lab, args.corpora, donors, folder)
        pages = {page["record_id"]: model_of(page, folds) for page in gold}
        signatures = records_of(args.thresher, args.models, args.duplicates, pages)
        clean = {key for key, (_, is_clean) in pages.items() if is_clean}
        print("| pages | text | " + " | ".join(
            f"{'found' if label == 'dup' else 'apart'}: {family}{'' if length == 'all' else ', ' + length}" for label, family, length in COLUMNS) + " |")
        print("|---|---|" + "---:|" * len(COLUMNS))
        for name, ids in (("all", set(pages)), ("clean", clean)):
            for text in ("main", "content"):
                scores = scores_of(args.thresher, args.duplicates, signatures, ids, text, folder)
                print(f"| {name} ({len(ids)}) | {text} | " + " | ".join(f"{scores[key]['rate']:.3f}" if key in scores else "-" for key in COLUMNS) + " |")


COLUMNS = ([("dup", "composed", length) for length in ("all", "short", "medium", "long")] +
           [("dup", family, "all") for family in ("markup", "edit90", "edit75", "edit50", "natural")] +
           [("distinct", family, "all") for family in ("composed", "natural", "random")])

if __name__ == "__main__":
    main()
