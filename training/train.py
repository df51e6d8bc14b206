#!/usr/bin/env python3
"""
Trains a content model on pages with gold text, by folds of sites, and reports how well it does on sites that
it has not seen. README.md says how to use it.

    train.py --thresher build/src/thresher --out OUT CORPUS...
"""
import argparse
import dataclasses
import json
import os
import time

import numpy as np

import feature_file
import measures
import model_file
import report
from feature_file import NO_WEIGHT, PAGE_TYPES
from pipeline import FOLDS, Settings, Training, extract, fill_types, fit_calibration, say


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", metavar="CORPUS", help="corpora for `thresher-lab eval features`")
    parser.add_argument("--thresher", default="thresher", help="the program, of this version or later")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for features, models and report")
    parser.add_argument("--jobs", type=int, default=2, help="workers of `thresher-lab eval features`")
    parser.add_argument("--sources", metavar="FILE", help="JSON: sources of the corpora, for the model's header")
    parser.add_argument("--sites", metavar="FILE", help="counts of recurrent paragraphs, from `thresher sites build`")
    parser.add_argument("--folds-only", action="store_true", help="omit the final model and the report")
    parser.add_argument("--ablations", action="store_true", help="also train without each group of features")
    parser.add_argument("--without-sites-of", action="append", default=[], metavar="CORPUS",
                        help="exclude pages of sites of this corpus from training")
    parser.add_argument("--like", metavar="MODEL",
                        help="omit cross-validation and report; use the cut and the calibration of this model")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=JSON",
                        help="another setting: type_share=1, paragraph_trees.iterations=200")
    return parser.parse_args()


def settings_of(args):
    settings = Settings(jobs=args.jobs, sites=args.sites or "")
    for pair in args.set:
        key, value = pair.split("=", 1)
        name, _, inner = key.partition(".")
        if not hasattr(settings, name):
            raise SystemExit(f"--set {pair}: unknown setting {name}")
        if inner:
            getattr(settings, name)[inner] = json.loads(value)
        else:
            setattr(settings, name, json.loads(value))
    return settings


def sites_of(args, corpus, path):
    extract(args.thresher, [corpus], path, args.jobs)
    return tuple(sorted({page.get("host") or page["id"] for page in feature_file.read(path).pages}))


class CrossValidation:
    """Returns the scores of models for the fold that they have not seen."""

    def __init__(self, data):
        self.score = np.zeros(len(data.f.rows), dtype=np.int64)       # in 1/2^16
        self.probability = np.zeros(len(data.f.rows), dtype=np.int64)
        self.type_probability = np.zeros((len(data.f.pages), len(PAGE_TYPES)), dtype=np.int64)


def score_fold(training, filled, trees, fold, result):
    data, types = filled
    rows = np.flatnonzero(data.row_fold == fold)
    score = trees.score(fill_types(data.f.rows[rows], types[data.f.page[rows]]))[:, 0].astype(np.int64)
    result.score[rows] = score << (16 - trees.shift)
    result.type_probability[data.fold == fold] = types[data.fold == fold]


def calibration_of(data, result, folds):
    """Constants from these folds: each page counts the same, its paragraphs by their tokens."""
    f = data.f
    rows = np.flatnonzero(np.isin(data.row_fold, folds) & (data.label != NO_WEIGHT) & ~data.is_partial_row)
    gold = f.array("gold_tokens", 0)
    rows = rows[gold[f.page[rows]] > 0]
    tokens = f.tokens.astype(np.float64)
    weight = (tokens / np.maximum(measures.page_sums(f, tokens), 1)[f.page])[rows]
    return fit_calibration(result.score[rows], 16, result.type_probability[f.page[rows]], f.aligned[rows] / 255, weight)


def best_cut(data, result):
    cuts = range(int(.20 * 65535), int(.70 * 65535), 655)
    is_whole = ~data.is_partial & ~data.is_for_types
    means = [np.nanmean(measures.page_f1(data.f, measures.by_cut(result.probability, cut))[is_whole]) for cut in cuts]
    return cuts[int(np.argmax(means))]


def cross_validate(training, fill, columns=None):
    """Five trainings. @return results with and without classes, the trees of each fold, importances"""
    base, results, models, importance = training.base, None, [], 0
    results = CrossValidation(base), CrossValidation(training.bare)
    for fold in range(FOLDS):
        filled = fill(fold)
        trees, weight_of = training.paragraph_model(filled, fold, columns)
        models.append(trees)
        importance = importance + np.array(weight_of)
        for result, kind in zip(results, filled):
            score_fold(training, kind, trees, fold, result)
        say(f"fold {fold}: trained")
        if columns is None:
            rough = np.tile(np.array([65536, 0], dtype=np.int32), (len(PAGE_TYPES), 1))
            write_model(training, training.file(f"fold-{fold}.model"), "fold, not calibrated", fold, trees, rough, 29000, [], {})
    calibrations = [calibration_of(base, results[0], [k for k in range(FOLDS) if k != fold]) for fold in range(FOLDS)]
    for result, kind in zip(results, (base, training.bare)):
        for fold in range(FOLDS):
            rows = np.flatnonzero(kind.row_fold == fold)
            result.probability[rows] = model_file.odds.calibrate(
                calibrations[fold], result.type_probability[kind.f.page[rows]], result.score[rows], 16)
    return results, models, calibrations, importance / FOLDS


def write_model(training, path, name, outer, trees, calibration, cut, sources, figures):
    data = training.base
    used = (data.fold != outer) & (data.type_weight > 0)
    model = model_file.Model(
        columns=data.f.columns, page_columns=data.f.header["page_columns"],
        tokens=training.table({outer} - {None}), type=training.type_model({outer} - {None}), paragraph=trees,
        calibration=calibration, cut=cut, without_fold=outer, sources=sources,
        training=dict(name=name, pages=int(used.sum()), settings=dict(dataclasses.asdict(training.settings), left_out=len(training.settings.left_out)), **figures))
    data = model_file.encode(model)
    with open(path, "wb") as file:
        file.write(data)
    say(f"{path}: {len(data)} bytes")


def main():
    args = arguments()
    os.makedirs(args.out, exist_ok=True)
    settings = settings_of(args)
    for i, corpus in enumerate(args.without_sites_of):
        settings.left_out += sites_of(args, corpus, os.path.join(args.out, f"sites-{i}.features"))
    training = Training(args.thresher, args.corpora, args.out, settings)
    training.begin()
    begun = time.time()
    data = training.base
    sources = report.sources_of(args.sources, data)
    kept = {}

    def fill(fold):
        if fold not in kept:
            kept[fold] = training.filled(fold)
        return kept[fold]

    if args.like:
        with open(args.like, "rb") as file:
            like = model_file.decode(file.read())
        trees, _ = training.paragraph_model(fill(None), None)
        write_model(training, training.file("final.model"), "final", None, trees, like.calibration, like.cut, sources, {})
        return
    results, models, calibrations, importance = cross_validate(training, fill)
    cut = best_cut(data, results[0])
    for fold in range(FOLDS):
        write_model(training, training.file(f"fold-{fold}.model"), "fold", fold, models[fold], calibrations[fold],
                    cut, sources, {})
    if args.folds_only:
        return
    final_trees, _ = training.paragraph_model(fill(None), None)
    final_calibration = calibration_of(data, results[0], range(FOLDS))
    say("final model: trained")
    ablations = report.ablate(training, fill, cross_validate) if args.ablations else {}
    text, figures = report.make(training, results, cut, importance, ablations)
    tables, figures["decision"] = report.decision(args.thresher, args.corpora, args.out)
    text = text.replace("## Groups of features", tables + "\n## Groups of features", 1)
    write_model(training, training.file("final.model"), "final", None, final_trees, final_calibration, cut, sources,
                dict(f1=figures["summary"]))
    with open(training.file("report.md"), "w") as file:
        file.write(text)
    with open(training.file("report.json"), "w") as file:
        json.dump(figures, file, indent=1)
    say(f"trained in {time.time() - begun:.0f} s")
    print(text.split("## Worst")[0])


if __name__ == "__main__":
    main()
