"""Boilerplate detection with shallow features of text blocks. [K11 §4.4]"""
import collections
import json
import math
import re

import numpy as np
from sklearn import metrics, model_selection, pipeline, preprocessing, svm, tree

import fits
from lab import record_id, words_of
from laws import information_gain
from result import Result, number
from svg import Chart
from text_model import wrapped

NEWS, CLEANEVAL = "extraction/l3s-gn1", "extraction/cleaneval-en"
CLASSES = ("boilerplate", "headline", "fulltext", "supplemental", "related", "comments")
LOCAL = ("num-words", "text-density", "link-density", "avg-word-length", "avg-sentence-length", "num-sentences", "full-stop-ratio", "capitals", "capital-ratio", "upper", "upper-ratio",
         "dates", "bars", "position", "h1", "h2", "h3", "h4", "h5", "h6", "p", "div", "a")
FREQUENCY = "element-frequency"


def merged_blocks(record):
    """Text blocks that only A separates: the program's blocks already are. Returns for each its text, tokens, linked tokens, and path."""
    return [(record["full_text"][b["start"]:b["end"]], b["tokens"], b["linked"], b["path"]) for b in record["blocks"] if b["tokens"]]


def key_of(text):
    return "".join(c for c in text.casefold() if c.isalnum())


def labels_for(texts, labels):
    """
    The class of each text, by a longest common subsequence of the words of both sides, and the class of most of its words. None if no word has a class.
    @param labels  pairs of a text and its class, in the order of the page
    """
    import difflib
    ours = [(key_of(word), i) for i, text in enumerate(texts) for word in words_of(text)]
    theirs = [(key_of(word), kind) for text, kind in labels for word in words_of(text)]
    votes = collections.defaultdict(collections.Counter)
    matcher = difflib.SequenceMatcher(None, [w for w, _ in ours], [w for w, _ in theirs], autojunk=False)
    for a, b, size in matcher.get_matching_blocks():
        for i in range(size):
            votes[ours[a + i][1]][theirs[b + i][1]] += 1
    return [votes[i].most_common(1)[0][0] if votes[i] else None for i in range(len(texts))]


DATE = re.compile(r"^(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,?$|^\d{1,4}[/:.-]\d{1,2}|^(?:19|20)\d\d$|^[ap]m$", re.I)


def features_of(text, tokens, linked, path, position):
    """The local features of a block, in the order of LOCAL. [K11 §4.4.2]"""
    words = words_of(text)
    count = max(len(words), 1)
    sentences = max(len([s for s in re.split(r"[.?!;]+(?:\s|$)", text) if s.strip()]), 1)
    capitals, upper = sum(w[0].isupper() for w in words), sum(w.isupper() for w in words)
    names = set(path.split("/"))
    return [len(words), wrapped(text).density, linked / max(tokens, 1), sum(map(len, words)) / count, len(words) / sentences, sentences, text.count(".") / count, capitals, capitals / count, upper,
            upper / count, sum(bool(DATE.match(w)) for w in words), text.count("|"), position, *(float(name in names) for name in ("h1", "h2", "h3", "h4", "h5", "h6", "p", "div", "a"))]


class News:
    """Blocks of l3s-gn1 with their class: one row for each block with a class."""

    def __init__(self, lab):
        gold = {record_id(page): page["labels"] for page in lab.gold(NEWS)}
        rows, self.pages, self.classes, self.texts, self.words, self.tokens = [], [], [], [], [], []
        for number_, record in enumerate(lab.records(NEWS, "tag-gap")):
            blocks = merged_blocks(record)
            kinds = labels_for([block[0] for block in blocks], gold[record["id"]])
            for i, (block, kind) in enumerate(zip(blocks, kinds)):
                if kind is None:
                    continue
                rows.append(features_of(*block, i / len(blocks)))
                self.pages.append(number_)
                self.classes.append(kind)
                self.texts.append(key_of(block[0]))
                self.words.append(block[1])
                self.tokens.append(len(block[0].split()))
        self.local = np.array(rows)
        self.pages, self.words, self.tokens = np.array(self.pages), np.array(self.words, float), np.array(self.tokens)
        pages_of = collections.defaultdict(set)
        for text, page in zip(self.texts, self.pages):
            pages_of[text].add(int(page))
        self.frequency = np.array([len(pages_of[text]) for text in self.texts], float)
        self.is_content = np.array([kind in ("headline", "fulltext", "supplemental", "comments") for kind in self.classes])
        four = {"headline": 1, "fulltext": 2, "comments": 2, "supplemental": 3}
        self.four = np.array([four.get(kind, 0) for kind in self.classes])

    def shifted(self, values, by):
        """The values of the previous (-1) or next (1) block of the page; 0 at its ends."""
        out = np.zeros_like(values)
        same = self.pages[1:] == self.pages[:-1]
        if by < 0:
            out[1:][same] = values[:-1][same]
        else:
            out[:-1][same] = values[1:][same]
        return out

    def columns(self, names):
        """Columns by name: num-words, num-words/P, num-words/N, num-words/Q (the quotient with the previous block)."""
        out = []
        for name in names:
            base, _, where = name.partition("/")
            values = self.frequency if base == FREQUENCY else self.local[:, LOCAL.index(base)]
            out.append(values if not where else self.shifted(values, -1 if where == "P" else 1) if where in "PN" else values / np.maximum(self.shifted(values, -1), .5))
        return np.array(out).T


def news(lab):
    return lab.once("news", lambda: News(lab))


def classes(lab, experiment):
    data, paper = news(lab), experiment.values()
    count = collections.Counter(data.classes)
    rows, totals = [], (len(data.classes), data.words.sum(), data.tokens.sum())
    rows.append(("total", *(f"{int(v)}" for v in paper["total"]), *(str(int(v)) for v in totals)))
    shares = {}
    for name, members in (("boilerplate", ("boilerplate",)), ("content", CLASSES[1:]), *((kind, (kind,)) for kind in CLASSES[1:])):
        at = np.array([kind in members for kind in data.classes])
        shares[name] = (at.mean(), data.words[at].sum() / totals[1], data.tokens[at].sum() / totals[2])
        rows.append((name, *(f"{v:.0%}" for v in paper[name]), *(f"{v:.1%}" for v in shares[name])))
    worst = max(abs(ours - theirs) for name in shares for ours, theirs in zip(shares[name], paper[name]))
    return Result(f"{shares['boilerplate'][0]:.0%} of the blocks are boilerplate (thesis 79%), with {shares['boilerplate'][1]:.0%} of the words (thesis 35%); the largest difference of all shares is {worst:.3f}. "
                  f"{sum(count.values())} blocks have a class.", ("class", "blocks, thesis", "words, thesis", "tokens, thesis", "blocks", "words", "tokens"), rows)


def discretized(values, labels, weights):
    """Bins of a numeric feature by a tree of at most 16 leaves, which is near the supervised discretization of Weka."""
    found = tree.DecisionTreeClassifier(max_leaf_nodes=16, min_samples_leaf=max(20, len(values) // 500), criterion="entropy").fit(values[:, None], labels, weights)
    return found.apply(values[:, None])


def gain(lab, experiment):
    data = news(lab)
    names = [*LOCAL, *(f"{n}/P" for n in LOCAL if n not in ("position",)), *(f"{n}/N" for n in LOCAL if n not in ("position",)), "num-words/Q", "text-density/Q", FREQUENCY]
    table, found = data.columns(names), []
    for i, name in enumerate(names):
        two, four = (information_gain(discretized(table[:, i], labels, data.words), labels, data.words) for labels in (data.is_content, data.four))
        found.append((two, four, name))
    found.sort(reverse=True)
    top = [name for _, _, name in found[:12]]
    theirs = ("position", "avg-word-length", "num-words", "num-words/Q", "text-density/Q", "text-density")
    chart = Chart("Information gain, two classes", "rank of the feature", "bits").add("two classes", range(1, len(found) + 1), [f[0] for f in found], "bars")
    return Result(f"The features with the highest gain are {', '.join(top[:6])}; of the six that the thesis names, {sum(name in top for name in theirs)} are among our first twelve.",
                  ("feature (P previous, N next block, Q quotient)", "gain, two classes", "gain, four classes"), [(name, number(two), number(four)) for two, four, name in found], {"gain": chart})


# ---- classifiers ----

FEATURE_SETS = {
    "avg-sentence-length": ("1r", ("avg-sentence-length",)), "element-frequency": ("c48", (FREQUENCY, FREQUENCY + "/P", FREQUENCY + "/N")), "avg-word-length": ("1r", ("avg-word-length",)),
    "num-words": ("1r", ("num-words",)), "link-density": ("1r", ("link-density",)), "text-density": ("1r", ("text-density",)),
    "c48-link-density": ("c48", tuple("link-density" + s for s in ("", "/P", "/N"))), "c48-num-words": ("c48", tuple("num-words" + s for s in ("", "/P", "/N"))), "c48-local": ("c48", LOCAL),
    "numwords-link-simplified": ("simple", tuple(n + s for n in ("num-words", "link-density") for s in ("", "/P", "/N"))),
    "text-link-simplified": ("simple", tuple(n + s for n in ("text-density", "link-density") for s in ("", "/P", "/N"))), "c48-local-tdq": ("c48", (*LOCAL, "text-density/Q", "num-words/Q")),
    "c48-text-link": ("c48", tuple(n + s for n in ("text-density", "link-density") for s in ("", "/P", "/N"))),
    "c48-local-pcn": ("c48", tuple(n + s for n in LOCAL for s in (("", "/P", "/N") if n != "position" else ("",)))),
    "c48-all": ("c48", (*(n + s for n in LOCAL for s in (("", "/P", "/N") if n != "position" else ("",))), FREQUENCY, FREQUENCY + "/P", FREQUENCY + "/N")),
    "smo-all": ("smo", (*(n + s for n in LOCAL for s in (("", "/P", "/N") if n != "position" else ("",))), FREQUENCY, FREQUENCY + "/P", FREQUENCY + "/N")),
}


class OneRule:
    """1R [Holte 1993]: intervals of one feature, each with the class of most of its weight. An interval has at least the share `least` of all weight in one class."""

    def __init__(self, least):
        self.least = least

    def fit(self, values, labels, weights):
        values, kinds, least = values[:, 0], np.unique(labels), self.least * weights.sum()
        order = np.argsort(values, kind="stable")
        self.kinds, self.cuts, tables, here = kinds, [], [], np.zeros(len(kinds))
        for at, i in enumerate(order):
            if here.max() >= least and values[i] != values[order[at - 1]] and kinds[here.argmax()] != labels[i]:
                tables.append(here)
                self.cuts.append((values[i] + values[order[at - 1]]) / 2)
                here = np.zeros(len(kinds))
            here[np.searchsorted(kinds, labels[i])] += weights[i]
        tables.append(here)
        for i in range(len(tables) - 1, 0, -1):  # neighbors with the same class are one interval
            if tables[i].argmax() == tables[i - 1].argmax():
                tables[i - 1] = tables[i - 1] + tables.pop(i)
                self.cuts.pop(i - 1)
        self.table = np.array([row / max(row.sum(), 1e-9) for row in tables])
        return self

    def predict_proba(self, values):
        return self.table[np.searchsorted(self.cuts, values[:, 0], side="right")]

    @property
    def leaves(self):
        return len(self.table)


def learner(kind, rows):
    """C4.8 is a tree with gains in entropy and at least 1,000 of 72,662 blocks in a leaf. The simplified tree has 8 leaves. SMO is a linear support-vector machine."""
    least = max(2, round(rows * 1000 / 72662))
    if kind == "c48":
        return tree.DecisionTreeClassifier(criterion="entropy", min_samples_leaf=least, random_state=1)
    if kind == "simple":
        return tree.DecisionTreeClassifier(criterion="entropy", min_samples_leaf=least, max_leaf_nodes=8, random_state=1)
    if kind == "smo":
        return pipeline.make_pipeline(preprocessing.StandardScaler(), svm.LinearSVC(C=1, dual=False, random_state=1))
    return OneRule(1 / 500)


def cross_validated(data, kind, names, labels):
    """Scores of each row by ten folds of pages, and the leaves of the classifier of all rows."""
    table, out, classes_ = data.columns(names), None, np.unique(labels)
    fit = lambda model, at: model.fit(table[at], labels[at], **({"linearsvc__sample_weight": data.words[at]} if kind == "smo" else {"sample_weight": data.words[at]} if kind != "1r" else {"weights": data.words[at]}))
    for train, test in model_selection.GroupKFold(10).split(table, labels, data.pages):
        model = fit(learner(kind, len(labels)), train)
        if kind == "smo":
            found = model.decision_function(table[test])
            found = np.stack([-found, found], 1) if found.ndim == 1 else found
        else:
            found = model.predict_proba(table[test])
        out = np.zeros((len(labels), len(classes_))) if out is None else out
        out[test] = found
    model = fit(learner(kind, len(labels)), np.arange(len(labels)))
    leaves = model.leaves if kind == "1r" else model.get_n_leaves() if kind != "smo" else None
    return out, leaves, model


def scores_of(labels, scores, weights):
    """Precision, recall, F1, rate of false positives and area under the ROC curve, as means over classes by their weight, as Weka has them."""
    kinds = np.unique(labels)
    found = kinds[scores.argmax(1)]
    share = np.array([weights[labels == kind].sum() for kind in kinds]) / weights.sum()
    p, r, f1, _ = metrics.precision_recall_fscore_support(labels, found, labels=kinds, sample_weight=weights, average=None, zero_division=0)
    fp = np.array([weights[(labels != kind) & (found == kind)].sum() / weights[labels != kind].sum() for kind in kinds])
    auc = np.array([metrics.roc_auc_score(labels == kind, scores[:, i], sample_weight=weights) for i, kind in enumerate(kinds)])
    return tuple(float((share * values).sum()) for values in (p, r, f1, fp, auc))


def classifiers(lab, experiment):
    data, paper = news(lab), experiment.values()
    result = Result("", ("features", "dimensions", *[f"{m}, thesis" for m in ("P", "R", "F1", "FP", "AUC")], "P", "R", "F1", "FP", "AUC", "leaves", "F1, four classes", "AUC, four classes", "leaves, four classes"))
    constant = np.tile([0., 1.], (len(data.is_content), 1)) if data.words[data.is_content].sum() * 2 > data.words.sum() else np.tile([1., 0.], (len(data.is_content), 1))
    result.rows.append(("zeror", 0, *map(number, paper["zeror"]), *map(number, scores_of(data.is_content, constant, data.words)), "-", "-", "-", "-"))
    ours, rules = {}, {}
    for name, (kind, names) in FEATURE_SETS.items():
        two, leaves, model = cross_validated(data, kind, names, data.is_content)
        four, leaves4, _ = cross_validated(data, kind, names, data.four)
        ours[name], scores4 = scores_of(data.is_content, two, data.words), scores_of(data.four, four, data.words)
        result.rows.append((name, len(names), *map(number, paper[name]), *map(number, ours[name]), leaves or "-", number(scores4[2]), number(scores4[4]), leaves4 or "-"))
        if kind == "simple":
            rules[name] = tree.export_text(model, feature_names=list(names), decimals=3)
        elif name in ("num-words", "text-density", "link-density"):
            rules[name] = f"cuts of {name}: " + ", ".join(f"{cut:.3f}" for cut in model.cuts)
    for name, text in rules.items():
        result.rows.append((f"rules of {name}", " / ".join(text.strip().splitlines()), *[""] * 14))
    names = list(FEATURE_SETS)
    order = float(np.corrcoef(np.argsort(np.argsort([ours[n][2] for n in names])), np.argsort(np.argsort([paper[n][2] for n in names])))[0, 1])
    worst = max(names, key=lambda n: abs(ours[n][2] - paper[n][2]))
    result.agreement = (f"The F1 of all sets of features ranks as in the thesis (rank correlation {order:.2f}); the best is {max(ours[n][2] for n in names):.3f} (thesis .953), "
                        f"and the largest difference is {ours[worst][2] - paper[worst][2]:+.3f} ({worst}).")
    return result


# ---- words and densities by class ----

def by_class(data, values, limit):
    edges = np.arange(0, limit + 2)
    return {kind: np.histogram(np.minimum(values, limit), edges, weights=data.words * np.array([k == kind for k in data.classes]))[0] for kind in CLASSES}


def words_by_class(lab, experiment):
    data = news(lab)
    counts, longest = data.local[:, 0], int(data.local[:, 0].max())
    chart = Chart("Blocks by number of words", "words", "blocks", log_y=True)
    for name, wanted in (("boilerplate", False), ("content", True)):
        ys = np.histogram(np.minimum(counts[data.is_content == wanted], 100), np.arange(0, 102))[0]
        chart.add(name, range(101), ys, "bars" if not wanted else "points")
    short = {name: float((counts[data.is_content == wanted] <= 15).mean()) for name, wanted in (("boilerplate", False), ("content", True))}
    return Result(f"The longest block has {longest} words (thesis 1122); {short['boilerplate']:.0%} of boilerplate blocks and {short['content']:.0%} of content blocks have 15 words or fewer.",
                  ("class", "blocks of 15 words or fewer"), [(name, f"{share:.1%}") for name, share in short.items()], {"words": chart})


def density_by_class(lab, experiment):
    data = news(lab)
    densities = np.round(data.local[:, 1])
    values = {name: found[0] for name, found in experiment.values().items()}
    tables = by_class(data, densities, 24)
    chart = Chart("Words by text density and class", "text density", "words")
    for kind, ys in tables.items():
        chart.add(kind, range(len(ys)), ys, "steps")
    xs, x_norm, total = np.arange(1, 25), 36, sum(tables.values())[1:]
    ys = total / total.sum()
    fit = fits.least_squares(fits.mixture, xs / x_norm, ys, [(60, 120, 4, 50, .03, .6, 79, 0, 20, 3), (40, 90, 3, 40, .03, .7, 79, 0, 15, 4)],
                             ([1, 1, 1, 1, 0, 0, 1, -50, -50, .1], [500, 900, 50, 500, 1, 1, 200, 50, 100, 50]))
    full = tables["fulltext"]
    dense = full[10:].sum() / full.sum()
    boiler = tables["boilerplate"][:10].sum() / tables["boilerplate"].sum()
    return Result(f"{dense:.0%} of the words of full text have a density of 10 or more, and {boiler:.0%} of boilerplate less (thesis: nearly all). The mixture fits with R2 {fit.r2:.4f} (thesis {values['R2']}).",
                  ("figure", "thesis", "here"), [("R2", values["R2"], number(fit.r2, 4)), ("RMSE", values["RMSE"], number(fit.rmse, 4)), ("full text at density 10 or more", "-", number(dense)),
                                                  ("boilerplate below density 10", "-", number(boiler))], {"densities": chart})


def writer(lab, experiment):
    data, values = news(lab), {name: found[0] for name, found in experiment.values().items()}
    counts = data.local[:, 0].astype(int)
    xs = np.arange(1, counts.max() + 1)
    ys = np.bincount(counts, minlength=counts.max() + 1)[1:] / len(counts)
    one = fits.least_squares(fits.geometric, xs, ys, [(.3,)], ([1e-6], [1 - 1e-6]))
    two = fits.least_squares(fits.two_geometric, xs, ys, [(.75, .4, .05), (.6, .5, .03)], ([0, 1e-6, 1e-6], [1, 1 - 1e-6, 1 - 1e-6]))
    is_two = experiment.key.endswith("4.21")
    names, fit = (("short", "p-short", "p-long"), two) if is_two else (("p",), one)
    adjusted = fits.adjusted_r2(ys, fit.ys, len(names))
    chart = Chart("Blocks by number of words", "words", "share of blocks", log_y=True).add("blocks", xs[:120], ys[:120], "points").add("one kind of text", xs[:120], one.ys[:120]).add("two kinds of text", xs[:120], two.ys[:120])
    rows = [(name, values[name], number(value, 4)) for name, value in zip(names, fit.parameters)] + [("adjusted R2", values["R2"], number(adjusted, 4)), ("RMSE", values["RMSE"], number(fit.rmse, 4))]
    if is_two:
        rows += [("mean words of short text", 2.52, number(1 / two.parameters[1], 2)), ("mean words of long text", 22.89, number(1 / two.parameters[2], 2))]
    gained = fits.adjusted_r2(ys, two.ys, 3) - fits.adjusted_r2(ys, one.ys, 1)
    return Result(f"The model fits with an adjusted R2 of {adjusted:.4f} (thesis {values['R2']}); the second kind of text adds {gained:.4f} (thesis .0211).", ("parameter", "thesis", "here"), rows, {"writer": chart})


# ---- whole pages ----

def extraction(lab, experiment):
    rows, best = [], {}
    for corpus, theirs in ((CLEANEVAL, "cleaneval-en"), (NEWS, "l3s-gn1")):
        found = json.loads(lab.once(("extraction", corpus), lambda c=corpus: lab.call("eval", "extraction", "-q", "-j", lab.jobs, "--json", "--resamples", "0", "--classifiers",
                           "num-words,densitometric,keep-all,min-words,density-5,cleaneval,largest-content,main-content", lab.path(*c.split("/")))))
        for method in found["corpora"][0]["methods"]:
            name = method.get("classifier") or method.get("peer") or method.get("name")
            f1 = method["words"]["f1"]
            best[theirs, name] = f1
            rows.append((theirs, name, number(f1), number(method["words"].get("median_f1"))))
    base, num = best["l3s-gn1", "keep-all"], best["l3s-gn1", "num-words"]
    clean_gain = best["cleaneval-en", "num-words"] / best["cleaneval-en", "keep-all"] - 1
    return Result(f"On the news pages num-words is {num / base - 1:.1%} above the baseline (thesis 33.3%) and main-content has {best['l3s-gn1', 'main-content']:.3f} (thesis .959); "
                  f"on CleanEval num-words is {clean_gain:+.1%} from the baseline, and the thesis finds that keeping all text is hard to beat.", ("corpus", "method", "words F1", "median"), rows)


def density_histogram(texts):
    tokens = np.zeros(31)
    for text in texts:
        found = wrapped(text)
        tokens[min(int(round(found.density)), 30)] += found.tokens
    return tokens


def cleaneval_density(lab, experiment):
    tokens, news_tokens = (density_histogram(block[0] for record in lab.records(corpus, "tag-gap") for block in merged_blocks(record)) for corpus in (CLEANEVAL, NEWS))
    below, news_below = tokens[:11].sum() / tokens.sum(), news_tokens[:11].sum() / news_tokens.sum()
    chart = Chart("Tokens by text density", "text density", "share of tokens").add("CleanEval", range(31), tokens / tokens.sum(), "bars").add("news", range(31), news_tokens / news_tokens.sum(), "steps")
    return Result(f"{below:.0%} of the tokens of CleanEval are in blocks with a density below 11, and {news_below:.0%} of the news pages' tokens; the thesis concludes that CleanEval has less boilerplate.",
                  ("corpus", "tokens below density 11"), [("cleaneval-en", f"{below:.1%}"), ("l3s-gn1", f"{news_below:.1%}")], {"densities": chart})


def books(lab, experiment):
    import os
    papers = os.path.join(os.path.dirname(os.path.abspath(lab.corpora)), "papers")
    texts = {"samples": [block[0] for record in map(json.loads, lab.call("run", "-q", "-m", "none", "-k", "num-words", "-s", "tag-gap", "--emit", "full_text,blocks", lab.archive(CLEANEVAL)).splitlines())
                         for block in merged_blocks(record)]} if not os.path.isdir(papers) else {}
    for name in sorted(os.listdir(papers)) if os.path.isdir(papers) else ():
        if name.endswith(".txt"):
            with open(os.path.join(papers, name), encoding="utf-8") as lines:
                texts[name.split("-20")[0]] = re.split(r"\n\s*\n|\n(?=[|#-])", lines.read())
    rows, chart, modes = [], Chart("Tokens by text density", "text density", "share of tokens"), {}
    for name, parts in texts.items():
        tokens = density_histogram(parts)
        modes[name] = int(tokens.argmax())
        rows.append((name, int(tokens.sum()), modes[name], f"{tokens[:6].sum() / tokens.sum():.1%}"))
        chart.add(name, range(31), tokens / tokens.sum(), "steps")
    sparse = [row[3] for row in rows]
    return Result(f"Each text has one large mode, at density {min(modes.values())} to {max(modes.values())}, and {', '.join(sparse)} of its tokens are sparse; the thesis finds one mode for itself and Faust.",
                  ("text", "tokens", "mode", "tokens at density 5 or less"), rows, {"densities": chart}, data=", ".join(texts))


# ---- search ----

def ndcg(gains, ideal):
    """NDCG of a ranking: sum of (2^gain - 1) / log2(rank + 1), relative to the best order of `ideal`. [Järvelin & Kekäläinen 2002]"""
    value = lambda order: sum((2 ** g - 1) / math.log2(i + 2) for i, g in enumerate(order))
    best = value(sorted(ideal, reverse=True)[:len(gains)])
    return value(gains) / best if best else 0.0


class Index:
    """Term frequencies of blocks that are long or dense enough; TF-IDF with the length norm of Lucene."""

    def __init__(self, pages):
        self.pages, self.frequencies = len(pages), collections.defaultdict(collections.Counter)
        self.lengths = [0] * len(pages)
        for number_, texts in enumerate(pages):
            for text in texts:
                for term in re.findall(r"\w+", text.lower()):
                    self.frequencies[term][number_] += 1
                    self.lengths[number_] += 1

    def top(self, query, k=10):
        scores = collections.Counter()
        for term in query:
            hits = self.frequencies.get(term, {})
            weight = 1 + math.log(self.pages / (len(hits) + 1))
            for page, count in hits.items():
                scores[page] += math.sqrt(count) * weight ** 2 / math.sqrt(self.lengths[page])
        return [page for page, _ in sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:k]]


SEARCH = ("extraction/wcxb-dev", "extraction/mozilla-readability", "training/magic-html")


def search(lab, experiment):
    paper, pages, gold = experiment.values(), [], []
    for corpus in SEARCH:
        texts = {record_id(page): page.get("gold_text") or "" for page in lab.gold(corpus)}
        for record in lab.records(corpus, "tag-gap"):
            if record["id"] in texts or len(texts) == 0:
                known = texts[record["id"]]
            else:
                continue
            if known.isascii() or sum(c.isascii() for c in known) > .9 * len(known):
                pages.append([(text, tokens, wrapped(text).density) for text, tokens, _, _ in merged_blocks(record)])
                gold.append(collections.Counter(re.findall(r"\w+", known.lower())))
    in_pages = collections.Counter(term for words in gold for term in words)
    everywhere = collections.Counter(term for blocks in pages for term in {t for text, _, _ in blocks for t in re.findall(r"\w+", text.lower())})
    # terms of main texts that boilerplate also has: as names of other blogs in BLOGS06
    terms = sorted((term for term, count in in_pages.items() if 3 <= count <= 15 and everywhere[term] >= 2 * count and len(term) > 4 and term.isalpha()),
                   key=lambda term: (-everywhere[term] / in_pages[term], term))[:50]
    grade = lambda page, term: 0 if not gold[page][term] else 1 if gold[page][term] < 3 else 2

    def measured(keep):
        index = Index([[text for text, tokens, density in blocks if keep(tokens, density)] for blocks in pages])
        p, n = [], []
        for term in terms:
            found = [grade(page, term) for page in index.top([term])]
            p.append(sum(g > 0 for g in found) / 10)
            n.append(ndcg(found + [0] * (10 - len(found)), [grade(page, term) for page in range(len(pages))]))
        return float(np.mean(p or [0])), float(np.mean(n or [0]))

    words = {least: measured(lambda tokens, density, least=least: tokens >= least) for least in (1, 3, 5, 8, 11, 15, 20, 30, 50, 100)}
    dense = {least: measured(lambda tokens, density, least=least: density >= least) for least in (1, 3, 5, 7, 9, 11, 12, 13, 14, 16, 20)}
    chart = Chart("P@10 by the minimum of blocks", "minimum", "P@10").add("words", list(words), [v[0] for v in words.values()]).add("density", list(dense), [v[0] for v in dense.values()])
    rows = [("all blocks", *map(number, paper["baseline"]), *map(number, words[1])), ("density of 14 or more", *map(number, paper["density-14"]), *map(number, dense[14])),
            ("11 words or more", *map(number, paper["words-11"]), *map(number, words[11]))]
    rows += [(f"{least} words or more", "-", "-", *map(number, v)) for least, v in words.items()] + [(f"density of {least} or more", "-", "-", *map(number, v)) for least, v in dense.items()]
    return Result(f"P@10 rises from {words[1][0]:.3f} to {words[11][0]:.3f} with blocks of 11 words or more, and to {max(v[0] for v in dense.values()):.3f} with a minimum density (BLOGS06: .18, .44, .32).",
                  ("blocks", "P@10, thesis", "NDCG@10, thesis", "P@10", "NDCG@10"), rows, {"search": chart}, data=f"{len(pages)} pages of {', '.join(c.split('/')[1] for c in SEARCH)}, {len(terms)} queries of one term")
