"""The graph of boundaries, informative segments, and types of pages by terms at positions. [B14 §7, §8]"""
import collections
import math
import re

import numpy as np
from scipy import stats
from sklearn import metrics, model_selection, svm

from cuts import cumulative, mean, trained
from lab import record_id
from result import Result, number
from segmentation import short
from svg import Chart

CORPORA = ("segmentation/landmarks", "training/blocks-2013", "segmentation/l3s-runs")
TRAININGS = {"wps-margin": "boundary-graph", "wps-slack": "boundary-graph-slack", "gcuts": "gcuts", "cclus": "cclus"}
METHODS = ("bf-rulebased", "cclus", "gcuts", "wps-slack", "wps-margin")


def scores(lab, name, corpus):
    """Scores of each page by four folds of sites, in the order of the gold."""
    def make():
        if name not in TRAININGS:
            return lab.page_scores(corpus, "--segmenters", name)[name]
        path = lab._file(("folds", name, corpus), ".model")
        with open(path, "w", encoding="utf-8") as out:
            out.write(trained(lab, TRAININGS[name], corpus))
        method = TRAININGS[name].replace("-slack", "")
        return lab.page_scores(corpus, "--segmenters", method, "--segmenter-model", path)[method]
    return lab.once(("folds", name, corpus), lambda: sorted(make(), key=lambda row: row["page"]))


def types(lab, experiment):
    counts = collections.Counter(page.get("page_type") or "unknown" for page in lab.gold_segments(CORPORA[0]))
    rows = [(kind, count) for kind, count in counts.most_common()]
    return Result(f"landmarks has {sum(counts.values())} pages of {len(counts)} types; the paper has 1,000 pages of nine.", ("type", "pages of landmarks"), rows + [("home and front pages (blocks-2013)", len(lab.gold_segments(CORPORA[1])))])


def methods(lab, experiment):
    paper, rows, charts, below = {"gcuts": (.630, .770), "cclus": (.489, .662), "wps-margin": (.749, .841)}, [], {}, {}
    for corpus in CORPORA:
        chart = Chart(f"Pages below an AdjRand, {short(corpus)}", "AdjRand", "share of pages", y_range=(0, 1))
        margin = [row["adjusted_rand"] for row in scores(lab, "wps-margin", corpus)]
        for name in METHODS:
            values = [row["adjusted_rand"] for row in scores(lab, name, corpus)]
            below[name, corpus] = float(np.mean(np.array(values) < .6))
            p = float(stats.ttest_rel(margin, values).pvalue) if name != "wps-margin" else float("nan")
            rows.append((name, short(corpus), len(values), *(number(v) for v in paper.get(name, (None, None))), number(float(np.mean(values))), number(mean(scores(lab, name, corpus), "nmi")), f"{below[name, corpus]:.0%}", number(p)))
            cumulative(chart, name, values)
        charts[short(corpus)] = chart
    at = lambda name: ", ".join(f"{mean(scores(lab, name, corpus)):.3f}" for corpus in CORPORA)
    if experiment.key == "B14:F4":
        text = "Below .6 are " + "; ".join(f"{', '.join(f'{below[name, c]:.0%}' for c in CORPORA)} of the pages for {name}" for name in METHODS) + " (paper: 82% CClus, 56% BF, 52% GCuts, 20% to 30% WPS)."
    else:
        text = f"AdjRand is {at('wps-margin')} for margin and {at('wps-slack')} for slack re-scaling, {at('gcuts')} for gcuts; margin re-scaling is {'above' if all(mean(scores(lab, 'wps-margin', c)) > mean(scores(lab, 'wps-slack', c)) for c in CORPORA) else 'not always above'} slack re-scaling (paper: it is above)."
    return Result(text, ("method", "corpus", "pages", "AdjRand, paper", "NMI, paper", "AdjRand", "NMI", "pages below .6", "p of the paired t-test with wps-margin"), rows, charts)


def by_type(lab, experiment):
    kinds = [page.get("page_type") or "unknown" for page in lab.gold_segments(CORPORA[0])]
    rows, margin = [], collections.defaultdict(list)
    for kind in sorted(set(kinds)):
        row = [kind, kinds.count(kind)]
        for name in METHODS:
            values = [s["adjusted_rand"] for s in scores(lab, name, CORPORA[0]) if kinds[s["page"]] == kind]
            row.append(number(float(np.mean(values))))
            if name == "wps-margin":
                margin[kind] = values
        low, middle = (float(np.mean(np.array(margin[kind]) < cut)) for cut in (.6, .8))
        rows.append((*row, f"{low:.0%}", f"{middle - low:.0%}", f"{1 - middle:.0%}"))
    known = {kind: np.mean(values) for kind, values in margin.items() if len(values) >= 5}
    order = sorted(known, key=lambda kind: -known[kind])
    chart = Chart("Pages by AdjRand of wps-margin", "type, in the order of the table", "share of pages", y_range=(0, 1))
    names = sorted(set(kinds))
    for cut in (.4, .6, .8):
        chart.add(f"below {cut}", range(len(names)), [float(np.mean(np.array(margin[kind]) < cut)) for kind in names], "points")
    text = f"{order[0]} is the easiest type and {order[-1]} the hardest" if order else "There are too few pages of each type"
    return Result(f"{text}; the paper has blogs and search results as easy, and index pages and news as hard.", ("type", "pages", *METHODS, "below .6", ".6 to .8", "from .8"), rows, {"types": chart})


def informative(lab, experiment):
    rows, found = [], {}
    for corpus in CORPORA:
        for name in METHODS:
            found[name, corpus] = mean(scores(lab, name, corpus), "largest_found")
        rows.append((short(corpus), *(number(found[name, corpus]) for name in METHODS)))
    slack = sum(found["wps-slack", c] > found["wps-margin", c] for c in CORPORA)
    best = {short(c): max(METHODS, key=lambda name: found[name, c]) for c in CORPORA}
    return Result(f"The largest gold segment is found exactly most often by {', '.join(f'{name} ({c})' for c, name in best.items())}; slack re-scaling is above margin re-scaling on {slack} of {len(CORPORA)} corpora (paper: WPS Slack is best).",
                  ("corpus", *METHODS), rows)


# ---- types of pages ----

def term_vectors(pages):
    """
    TF-ISF of the terms of each page at each position. [B14 §8] TF is the term's frequency at this position of the page, and ISF = log(pages with the position / pages
    that have the term there).
    @param pages  by page: {position: [term, ...]}
    @return matrix, names
    """
    with_position, with_term = collections.Counter(), collections.Counter()
    for page in pages:
        for position, terms in page.items():
            with_position[position] += 1
            with_term.update({(position, term) for term in terms})
    names = sorted(key for key, count in with_term.items() if count >= 3)
    number_of = {name: i for i, name in enumerate(names)}
    table = np.zeros((len(pages), len(names)), np.float32)
    for row, page in enumerate(pages):
        for position, terms in page.items():
            for term, count in collections.Counter(terms).items():
                column = number_of.get((position, term))
                if column is not None:
                    table[row, column] = count * math.log(with_position[position] / with_term[position, term])
    return table, names


def gain_of_terms(table, labels):
    """Information gain of the presence of each term, in bits."""
    kinds = np.unique(labels)
    plog = lambda counts, total: -np.where(counts > 0, counts / np.maximum(total, 1) * np.log2(np.maximum(counts, 1e-12) / np.maximum(total, 1)), 0)
    present = np.array([(table[labels == kind] > 0).sum(0) for kind in kinds], float)
    sizes = np.array([(labels == kind).sum() for kind in kinds], float)[:, None]
    with_term, without = present.sum(0), len(labels) - present.sum(0)
    return plog(sizes, len(labels)).sum() - with_term / len(labels) * plog(present, with_term).sum(0) - without / len(labels) * plog(sizes - present, without).sum(0)


def classified(table, labels, groups):
    """Labels by four folds of sites: the tenth of the terms with the most information about the type, then a linear machine for each type."""
    out = np.empty(len(labels), object)
    for train, test in model_selection.GroupKFold(4).split(table, labels, groups):
        chosen = np.argsort(-gain_of_terms(table[train], labels[train]), kind="stable")[:max(1, table.shape[1] // 10)]
        norm = lambda rows: rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        model = svm.LinearSVC(C=1, random_state=1, max_iter=5000).fit(norm(table[train][:, chosen]), labels[train])
        out[test] = model.predict(norm(table[test][:, chosen]))
    return out


STOP = set("the of and to in a is for on that with as it by at from be this are or an was have has not you your we our will can all more if but they their its he his her she which who one about what when there".split())


def page_types(lab, experiment):
    return lab.once("page types", lambda: classify_pages(lab))


def classify_pages(lab):
    corpus = "extraction/wcxb-dev"
    about = {record_id(page): page for page in lab.gold(corpus)}
    inputs, labels, groups, places = collections.defaultdict(list), [], [], collections.Counter()
    main = {}
    for record in lab.records(corpus, "bf-rulebased"):
        best = max(record["segments"], key=lambda s: s["tokens"] - s["linked"], default=None)
        main[record["id"]] = [record["full_text"][b["start"]:b["end"]] for b in record["blocks"] if best and b["segment"] == best["number"]]
    for record in lab.records(corpus, "boundary-graph"):
        page = about.get(record["id"])
        if not page or not page.get("page_type"):
            continue
        by_place, everything = collections.defaultdict(list), []
        for block in record["blocks"]:
            terms = [t for t in re.findall(r"[a-z]{2,}", record["full_text"][block["start"]:block["end"]].lower()) if t not in STOP]
            segment = record["segments"][block["segment"]]
            everything += terms
            for level in ("position", "inner"):
                if segment.get(level):
                    by_place[level, segment[level]] += terms
                    places[level, segment[level]] += 1
        inputs["positions"].append(dict(by_place))
        inputs["text"].append({"page": everything})
        inputs["largest segment of bf-rulebased"].append({"main": [t for t in re.findall(r"[a-z]{2,}", " ".join(main.get(record["id"], [])).lower()) if t not in STOP]})
        labels.append(page["page_type"])
        groups.append(re.sub(r"^https?://(?:www\.)?|/.*$", "", page.get("url") or page["id"]))
    labels, rows, scores_, by_kind = np.array(labels), [], {}, {}
    kinds = sorted(set(labels))
    for name, pages in inputs.items():
        found = classified(term_vectors(pages)[0], labels, groups)
        p, r, f1, _ = metrics.precision_recall_fscore_support(labels, found, labels=kinds, average="macro", zero_division=0)
        scores_[name], by_kind[name] = f1, metrics.f1_score(labels, found, labels=kinds, average=None, zero_division=0)
        rows.append((name, number({"positions": .936, "text": .685}.get(name)), number(p), number(r), number(f1), *map(number, by_kind[name])))
    shares = ", ".join(f"{place[1]} {places['position', place[1]] / max(sum(v for k, v in places.items() if k[0] == 'position'), 1):.0%}" for place in sorted(places) if place[0] == "position")
    chart = Chart("F1 by type", "type, in the order of the table", "F1", y_range=(0, 1))
    for name, values in by_kind.items():
        chart.add(name, range(len(kinds)), values, "points")
    hardest = kinds[int(by_kind["positions"].argmin())]
    return Result(f"Macro-averaged F1 is {scores_['positions']:.3f} with positions and {scores_['text']:.3f} with the text alone (paper .936 and .685), so positions {'help' if scores_['positions'] > scores_['text'] else 'do not help'} here; "
                  f"the hardest type is {hardest}. Blocks by position: {shares}.", ("terms", "F1, paper", "P", "R", "F1", *kinds), rows, {"types": chart}, data=f"{len(labels)} pages of wcxb-dev, {len(kinds)} types, four folds of sites")
