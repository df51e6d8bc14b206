#!/usr/bin/env python3
"""Measures in-segment positions as features of the page type and of the content model. [B14 §7]

usage: positions.py FEATURES RECORDS... [--trees 150] [--rows 0] [--threads 1]

FEATURES is what `thresher-lab eval features CORPUS -O FEATURES` wrote, RECORDS what `thresher run -s boundary-graph --emit blocks,segments` made of the same pages (one WARC of
them; a record's id is the UUID of the page's id). Each row gets one column a position (none, middle, top, bottom, left, right) and as many for the position inside the
greatest segment; each page the shares of its words at each of both, and their link density. Then two ensembles are trained by folds of sites, without and with these columns: one
tells content rows, one the page's type. The columns of the token regression are unknown here, and decision and calibration are left out: the figures show the difference that
positions make, not how good the model is that ships.
"""
import argparse, json, uuid

import numpy as np
from catboost import CatBoostClassifier

import feature_file

POSITIONS = [None, "middle", "top", "bottom", "left", "right"]
FOLDS = 5


def place_rows(features, record_paths):
    """Positions of each row: [row, 2 x 6] of 0 and 1; rows of pages without a record have none."""
    places = np.zeros((len(features.page), 2 * len(POSITIONS)), np.uint8)
    starts = features.row_ranges()
    number_of = {f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, page['id'])}>": i for i, page in enumerate(features.pages)}
    placed = 0
    for path in record_paths:
        for line in open(path, encoding="utf-8"):
            record = json.loads(line)
            page = number_of.get(record["id"])
            if page is None:
                continue
            segments, seen = record["segments"], set()
            rows = starts[page + 1] - starts[page]
            if rows != 1 + max((block["paragraph"] for block in record["blocks"]), default=-1):
                continue  # another reading of the page
            placed += 1
            for block in record["blocks"]:
                if block["paragraph"] in seen:
                    continue
                seen.add(block["paragraph"])
                segment, row = segments[block["segment"]], starts[page] + block["paragraph"]
                places[row, POSITIONS.index(segment.get("position"))] = 1
                places[row, len(POSITIONS) + POSITIONS.index(segment.get("inner"))] = 1
    print(f"{placed} of {len(features.pages)} pages placed")
    return places


def place_pages(features, places, linked):
    """Shares of a page's words at each position, and the link density there, as bytes."""
    starts, rows = features.row_ranges(), []
    for page in range(len(features.pages)):
        at = slice(starts[page], starts[page + 1])
        words = features.tokens[at].astype(float)
        there = words @ places[at]
        links = (words * linked[at]) @ places[at]
        rows.append(np.concatenate([255 * there / max(words.sum(), 1), links / np.maximum(there, 1)]))
    return np.array(rows)


def page_f1(features, is_kept):
    """Mean over pages of the F1 of words, from the share of each row that the gold has."""
    gold = features.tokens * (features.aligned / 255.0)
    scores, starts = [], features.row_ranges()
    for page in range(len(features.pages)):
        at = slice(starts[page], starts[page + 1])
        hits, kept, all_gold = gold[at][is_kept[at]].sum(), features.tokens[at][is_kept[at]].sum(), gold[at].sum()
        if all_gold:
            scores.append(2 * hits / (kept + all_gold))
    return float(np.mean(scores))


def by_folds(table, labels, weights, folds, known, args, **settings):
    """Probabilities of each row by the ensemble that has not seen its fold."""
    out = None
    for fold in range(FOLDS):
        train = known & (folds != fold)
        model = CatBoostClassifier(iterations=args.trees, depth=6, learning_rate=.1, random_seed=1, thread_count=args.threads, verbose=False, allow_writing_files=False,
                                   border_count=64, **settings)
        model.fit(table[train], labels[train], sample_weight=weights[train])
        found = model.predict_proba(table[folds == fold])
        out = np.zeros((len(labels), found.shape[1])) if out is None else out
        out[folds == fold] = found
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("features")
    parser.add_argument("records", nargs="+")
    parser.add_argument("--trees", type=int, default=150)
    parser.add_argument("--rows", type=int, default=0, help="number of sampled rows per page for learning (0: all)")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    features = feature_file.read(args.features)
    places = place_rows(features, args.records)
    folds = features.array("fold").astype(int) % FOLDS
    tokens = features.tokens.astype(float)
    per_page = np.bincount(features.page, tokens, minlength=len(features.pages))
    weights = np.sqrt(tokens) / np.maximum(np.sqrt(per_page[features.page]), 1)
    known = features.label != feature_file.NO_WEIGHT
    drawn = known.copy()
    if args.rows:
        share = np.minimum(1, args.rows / np.maximum(np.bincount(features.page[known], minlength=len(features.pages)), 1))
        drawn &= np.random.default_rng(1).random(len(known)) < share[features.page]
    rows = np.asarray(features.rows)
    for name, table in (("content, without", rows), ("content, with", np.hstack([rows, places]))):
        scores = by_folds(table, features.label, weights, folds[features.page], drawn, args)[:, 1]
        right = known & ((scores >= .5) == (features.label == 1))
        loss = -np.log(np.clip(np.where(features.label == 1, scores, 1 - scores), 1e-6, 1))[known]
        print(f"{name}: words F1 {page_f1(features, scores >= .5):.4f}, rows right {right.sum() / known.sum():.4f}, "
              f"log loss {np.average(loss, weights=weights[known]):.4f}", flush=True)
    linked = rows[:, features.columns.index("link_share")] if "link_share" in features.columns else np.zeros(len(rows))
    kinds = features.array("page_type")
    types = np.array([kind or "" for kind in kinds])
    page_rows = np.asarray(features.page_rows).astype(float)
    of_type = types != ""
    for name, table in (("page type, without", page_rows), ("page type, with", np.hstack([page_rows, place_pages(features, places, linked)])),
                        ("page type, positions alone", place_pages(features, places, linked))):
        found = by_folds(table, types, np.ones(len(types)), folds, of_type, args, loss_function="MultiClass")
        names = np.unique(types[of_type])
        right = (names[found.argmax(1)] == types)[of_type]
        error = (right.var() / len(right)) ** .5
        print(f"{name}: {right.mean():.4f} of {of_type.sum()} pages right (standard error {error:.4f})", flush=True)


if __name__ == "__main__":
    main()
