"""Laws of lengths, densities, terms and templates. [KN08 §5, K11 §4.2.3, §4.3]"""
import collections
import json
import math
import re
from typing import NamedTuple

import numpy as np

import fits
from lab import words_of
from result import Result, number
from svg import Chart
from text_model import quotient_classes, wrapped

COLLECTION = ("extraction/wcxb-dev", "extraction/l3s-gn1", "extraction/cleaneval-en", "training/wcxb-train")
GOLD = ("segmentation/l3s-runs", "segmentation/landmarks")
METHODS = ("word-wrap", "tag-gap", "bf-plain", "bf-smoothed", "bf-rulebased", "just-rules")
ALTMANN = (1802, 180, 92, 80, 34, 36, 24, 18, 14, 16, 12, 12, 4, 2, 4, 2, 0, 2)  # F[i] of [K11 Fig. 4.12]


# ---- density quotients ----

def gold_runs(page):
    """The words of each gold segment where it is contiguous, in order."""
    runs, last = [], -1
    for word, label in zip(page["tokens"], page["segment"]):
        if label >= 0:
            if label != last:
                runs.append([])
            runs[-1].append(word)
        last = label
    return runs


def quotients(lab, experiment):
    values = {name: found[0] for name, found in experiment.values().items()}
    printed = fits.chi_squared(ALTMANN, sum(ALTMANN) * fits.negative_hypergeometric(np.arange(18), 2.30453585151999, .109889153462268, 17), (2.30454, .10989, 17), 3)
    found = fits.fit_negative_hypergeometric(ALTMANN)
    result = Result("", ("data", "classes", "sample", "K", "M", "n", "chi2", "DF", "P", "C"), data="the paper's class frequencies; then " + " and ".join(GOLD))
    result.rows.append(("paper, as printed", 18, 2334, values["K"], values["M"], 17, values["chi2"], 13, values["P"], values["C"]))
    for name, fit, seen in (("paper's frequencies, its parameters", printed, ALTMANN), ("paper's frequencies, our fit", found, ALTMANN)):
        result.rows.append(row_of(name, fit, seen))
    charts = {"paper": chart_of("Classes of the paper", ALTMANN, found)}
    ours = []
    for corpus in GOLD:
        classes = collections.Counter()
        for page in lab.gold_segments(corpus):
            classes.update(quotient_classes([wrapped(" ".join(run)).density for run in gold_runs(page)]))
        seen = [classes[i] for i in range(1, max(classes, default=1) + 1)]
        if len(seen) < 4:
            continue
        fit = fits.fit_negative_hypergeometric(seen)
        ours.append(fit)
        result.rows.append(row_of(corpus, fit, seen))
        charts[corpus] = chart_of(corpus, seen, fit)
    result.charts = charts
    exact = abs(printed.chi2 - values["chi2"]) < 5e-5
    result.agreement = (f"With the paper's parameters, chi squared is {printed.chi2:.4f} ({'equal to' if exact else 'not'} the paper's {values['chi2']}), if the last two classes are joined. "
                        f"A fit finds {found.chi2:.4f}. The gold here fits with C = " + ", ".join(f"{fit.c:.4f}" for fit in ours) + ".")
    return result


def row_of(name, fit, seen):
    k, m, n = fit.parameters
    return (name, len(seen), int(sum(seen)), number(k, 5), number(m, 5), int(n), number(fit.chi2, 4), fit.df, number(fit.p, 4), number(fit.c, 4))


def chart_of(title, seen, fit):
    xs = range(1, len(seen) + 1)
    return Chart(title, "class of the density quotient", "frequency", log_y=True).add("data", xs, seen, "points").add("fit", xs, fit.expected)


# ---- lengths of segments ----

def gold_lengths(lab, corpus):
    return [len(run) for page in lab.gold_segments(corpus) for run in gold_runs(page)]


def found_lengths(lab, corpus, segmenter):
    return lab.once(("lengths", corpus, segmenter), lambda: [s["tokens"] for record in lab.records(corpus, segmenter) for s in record["segments"] if s["tokens"]])


def ranked_frequencies(lengths):
    """Number of segments of each length, the most frequent first, as shares of the first."""
    counts = sorted(collections.Counter(lengths).values(), reverse=True)
    return np.array(counts, float) / counts[0], counts[0]


def zipf(lab, experiment):
    corpus, paper = GOLD[0], experiment.values()
    result = Result("", ("method", "C, paper", "C", "b, paper", "b", "chi2, paper", "chi2", "RMSE, paper", "RMSE", "R2"))
    chart = Chart(f"Segments by tokens, {corpus}", "tokens of a segment", "segments", log_x=True, log_y=True)
    r2 = {}
    for name in (*METHODS, "gold"):
        lengths = gold_lengths(lab, corpus) if name == "gold" else found_lengths(lab, corpus, name)
        ys, largest = ranked_frequencies(lengths)
        fit, chi2 = fits.fit_zipf(ys)
        theirs = paper.get(name, [None] * 4) if len(paper.get(name, [])) == 4 else [None] * 4
        result.rows.append((name, number(theirs[0], 4), number(fit.parameters[0], 4), number(theirs[1], 4), number(fit.parameters[1], 4), number(theirs[2], 2),
                            number(chi2 * largest, 2), number(theirs[3], 4), number(fit.rmse, 4), number(fit.r2, 4)))
        counts = collections.Counter(lengths)
        chart.add(name, sorted(counts), [counts[x] for x in sorted(counts)], "points")
        r2[name] = fit.r2
    result.charts = {"lengths": chart}
    fused = [r2[name] for name in METHODS[2:]]
    result.agreement = (f"The frequencies of lengths follow Zipf's law for block fusion and just-rules (R2 {min(fused):.3f} to {max(fused):.3f}), and for the gold ({r2['gold']:.3f}); "
                        f"R2 is {r2['tag-gap']:.3f} for tag-gap and {r2['word-wrap']:.3f} for word-wrap. "
                        "The paper does not say how it scales both axes; here y is the share of the most frequent length, by rank.")
    return result


# ---- the collection ----

class Segment(NamedTuple):
    page: int
    tokens: int
    density: float
    letters: int  # characters of all tokens
    fingerprint: str
    text: str


def collection(lab):
    """Segments of bf-rulebased of all pages of the collection."""
    def make():
        segments, pages = [], 0
        for corpus in COLLECTION:
            for record in lab.records(corpus, "bf-rulebased"):
                texts = [[] for _ in record["segments"]]
                for block in record["blocks"]:
                    texts[block["segment"]].append(record["full_text"][block["start"]:block["end"]])
                for segment, parts in zip(record["segments"], texts):
                    if segment["tokens"]:
                        text = " ".join(" ".join(parts).split())
                        words = words_of(text)
                        segments.append(Segment(pages, segment["tokens"], segment["density"], sum(map(len, words)), segment.get("fingerprint", text), text))
                pages += 1
        return segments, pages
    return lab.once("collection", make)


def histogram(segments, top=40):
    """Tokens by density, rounded down."""
    tokens = np.zeros(top + 1)
    for segment in segments:
        tokens[min(int(segment.density), top)] += segment.tokens
    return tokens


def page_means(segments, value):
    """The mean of a value over the tokens of each page, relative to the largest, in decreasing order."""
    sums = collections.defaultdict(lambda: [0.0, 0])
    for segment in segments:
        found = sums[segment.page]
        found[0] += value(segment) * segment.tokens
        found[1] += segment.tokens
    means = np.sort([total / count for total, count in sums.values()])[::-1]
    return means / means[0]


def ranks(lab, experiment):
    segments, _ = collection(lab)
    paper = experiment.values()
    measures = {"token-length": lambda s: s.letters / max(s.tokens, 1), "density": lambda s: s.density, "ratio": lambda s: s.density / max(s.letters / max(s.tokens, 1), 1e-9)}
    result = Result("", ("measure", "a1", "C", "d", "R2, paper", "R2", "RMSE, paper", "RMSE"))
    chart, r2 = Chart("Means of pages by rank", "rank", "share of the largest mean"), {}
    for name, measure in measures.items():
        ys = page_means(segments, measure)
        if name == "token-length":  # the thesis leaves out its 100 pages with the longest tokens, of 316,448
            ys = ys[max(1, round(len(ys) * 100 / 316448)):]
            ys = ys / ys[0]
        fit = fits.fit_menzerath(ys)
        c, a1, d = fit.parameters
        result.rows.append((name, number(a1, 4), number(c, 4), number(d, 4), number(paper[name][3], 4), number(fit.r2, 4), number(paper[name][4], 4), number(fit.rmse, 4)))
        chart.add(name, range(1, len(ys) + 1), ys, "points").add(name + ", fit", range(1, len(ys) + 1), fit.ys)
        r2[name] = fit.r2
    result.charts = {"ranks": chart}
    result.agreement = ("Equation 4.12 fits with R2 " + ", ".join(f"{value:.3f} ({name})" for name, value in r2.items()) + "; the thesis has .934, .965 and .970. "
                        "Its printed parameters cannot be compared, because they do not give values between 0 and 1 in Eq. 4.12 as printed.")
    return result


def mixture(lab, experiment):
    values = {name: found[0] for name, found in experiment.values().items()}
    out = json.loads(lab.once("density", lambda: lab.call("eval", "density", "-q", "-j", lab.jobs, "-k", "num-words", "--json", *[lab.archive(c) for c in COLLECTION])))
    ours = out["mixture"]
    modes = [(ours["a" + i] - 1) / (ours["a" + i] + ours["b" + i] - 2) * ours["x_norm"] for i in "21"]
    tokens = np.array(out["tokens_by_density"], float) / out["tokens"]
    xs = np.arange(len(tokens))
    names = ("a1", "b1", "a2", "b2", "c", "d", "e", "f", "mu")
    fitted = fits.mixture(np.minimum(xs / ours["x_norm"], 1), *[ours[n] for n in names], math.sqrt(ours["sigma2"]))
    chart = Chart("Tokens by text density", "text density", "share of tokens").add("tokens", xs, tokens, "bars").add("fit", xs[xs <= ours["x_norm"]], fitted[xs <= ours["x_norm"]])
    rows = [("R2", values["R2"], number(ours["r2"], 4)), ("RMSE", values["RMSE"], number(ours["rmse"], 4)), ("d, share of full text", values["d"], number(ours["d"])),
            ("mode of template text", values["mode1"], number(modes[0], 2)), ("mode of full text", values["mode2"], number(modes[1], 2)),
            ("share of tokens at density 5 or less", .23, number(out["sparse_tokens"] / out["tokens"]))]
    rows += [(name, "-", number(ours[name], 4)) for name in (*names, "sigma2", "x_norm")]
    return Result(f"The same mixture describes the tokens with R2 {ours['r2']:.4f} (thesis {values['R2']}); the modes are at {modes[0]:.1f} and {modes[1]:.1f} (thesis {values['mode1']} and {values['mode2']}).",
                  ("figure", "thesis", "here"), rows, {"densities": chart})


def token_length(lab, experiment):
    segments, _ = collection(lab)
    values = {name: found[0] for name, found in experiment.values().items()}
    lengths = np.array([s.letters / s.tokens for s in segments])
    weights = np.array([s.tokens for s in segments], float)
    x_norm, width = 30.0, .25
    ys, edges = np.histogram(lengths, bins=np.arange(0, x_norm + width, width), weights=weights / weights.sum())
    xs = (edges[:-1] + edges[1:]) / 2
    fit = fits.fit_beta(xs / x_norm, ys)
    c, a, b = fit.parameters
    mode, theirs = (a - 1) / (a + b - 2) * x_norm, (values["a"] - 1) / (values["a"] + values["b"] - 2) * values["x_norm"]
    chart = Chart("Tokens by the average token length of their segment", "characters", "share of tokens").add("tokens", xs, ys, "bars").add("fit", xs, fit.ys)
    rows = [("R2", values["R2"], number(fit.r2, 4)), ("RMSE", values["RMSE"], number(fit.rmse, 4)), ("mode, characters", number(theirs, 2), number(mode, 2)),
            ("a", values["a"], number(a, 2)), ("b", values["b"], number(b, 2)), ("c", values["c"], number(c, 5)), ("x_norm", values["x_norm"], x_norm)]
    return Result(f"The average token length has one mode, at {mode:.2f} characters (thesis {theirs:.2f}), and a Beta distribution fits with R2 {fit.r2:.3f} (thesis {values['R2']}).",
                  ("figure", "thesis", "here"), rows, {"lengths": chart})


# ---- terms ----

def document_frequencies(segments, is_second):
    """By term: the number of pages that contain it in segments of each of two classes. `is_second` returns None for segments of neither class."""
    seen = collections.defaultdict(lambda: [0, 0])
    terms_of = collections.defaultdict(lambda: (set(), set()))
    for segment in segments:
        kind = is_second(segment)
        if kind is not None:
            terms_of[segment.page][kind].update(re.findall(r"[^\W\d_](?:[\w.'-]*\w)?", segment.text.lower()))
    for pair in terms_of.values():
        for kind in (0, 1):
            for term in pair[kind]:
                seen[term][kind] += 1
    return seen


def typicality_of(w1, w2, documents):
    """[K11 Eq. 4.19] -1 to 1."""
    return math.log((w2 + 1) / (w1 + 1)) / math.log(documents + 1)


def templates_of(segments):
    return collections.Counter(segment.fingerprint for segment in segments)


def frequency_ratio(lab, experiment):
    segments, _ = collection(lab)
    values = {name: found[0] for name, found in experiment.values().items()}
    seen = document_frequencies(segments, lambda s: int(s.density >= 9))
    ratios = np.sort([w2 / w1 for w1, w2 in seen.values() if w1 + w2 >= 20 and w1])[::-1]
    ratios = ratios / ratios[0]
    fit = fits.fit_lavalette(ratios)
    chart = Chart("Ratio of document frequencies by rank", "rank", "ratio", log_y=True).add("terms", range(1, len(ratios) + 1), ratios, "points").add("fit", range(1, len(ratios) + 1), fit.ys)
    return Result(f"Lavalette's law fits {len(ratios)} terms with R2 {fit.r2:.3f} and the exponent {fit.parameters[1]:.2f} (thesis {values['R2']} and {values['a1']}).", ("figure", "thesis", "here"),
                  [("a1", values["a1"], number(fit.parameters[1])), ("c", values["c"], number(fit.parameters[0])), ("R2", values["R2"], number(fit.r2, 4)), ("RMSE", values["RMSE"], number(fit.rmse, 4))],
                  {"ratios": chart})


def typicality(lab, experiment):
    segments, pages = collection(lab)
    is_frequent = experiment.key.endswith("4.4")
    counts, least = templates_of(segments), max(3, round(pages / 100))
    if is_frequent:
        limit = max(2, round(100 * pages / 316448))
        seen = document_frequencies([s for s in segments if s.density <= 5.99], lambda s: int(counts[s.fingerprint] < limit))
    else:
        seen = document_frequencies(segments, lambda s: int(s.density >= 9))
    found = sorted((typicality_of(w1, w2, pages), term) for term, (w1, w2) in seen.items() if w1 + w2 >= least)
    first, second = found[:20], found[::-1][:20]
    rows = [(i + 1, a[1], number(a[0], 2), b[1], number(b[0], 2)) for i, (a, b) in enumerate(zip(first, second))]
    sparse, dense = sum(e <= -.05 for e, _ in found) / max(len(found), 1), sum(e >= .05 for e, _ in found) / max(len(found), 1)
    known = {"sitemap", "bookmark", "accessibility", "skip", "shipping", "affiliates", "username", "faq", "basket", "faqs", "currency", "homepage", "checkout", "privacy", "copyright", "login", "subscribe"}
    hits = [term for e, term in found if term in known and e <= 0]
    what = "frequent and rare templates" if is_frequent else "sparse and dense segments"
    return Result(f"Of {len(found)} terms in at least {least} pages, {sparse:.0%} are typical of the first class and {dense:.0%} of the second ({what}; thesis for Table 4.5: 20% and 43%); "
                  f"terms of navigation ({', '.join(hits[:6]) or 'none of the known'}) are in the first class.", ("rank", "first class", "typicality", "second class", "typicality"), rows)


# ---- full stops ----

ABBREVIATIONS = {"vs", "dc", "inc", "ltd", "no", "vat", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"}


def has_full_stop(text):
    """A dot after a word of at least two letters, at the end of the word, except after some abbreviations. [K11 §4.3.2]"""
    return any(word[-1] == "." and word[:-1].isalpha() and len(word) > 2 and word[:-1].lower() not in ABBREVIATIONS for word in text.split())


def entropy(counts):
    counts = np.asarray(counts, float)
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def information_gain(values, classes, weights=None):
    """Bits about the class that a discrete value gives: H(class) - H(class | value)."""
    table = collections.defaultdict(lambda: collections.Counter())
    for i, (value, label) in enumerate(zip(values, classes)):
        table[value][label] += 1 if weights is None else weights[i]
    labels = sorted({label for row in table.values() for label in row}, key=str)
    rows = np.array([[row[label] for label in labels] for row in table.values()], float)
    return entropy(rows.sum(0)) - sum(row.sum() / rows.sum() * entropy(row) for row in rows)


def full_stop(lab, experiment):
    segments, _ = collection(lab)
    paper, marked = experiment.values(), [has_full_stop(s.text) for s in segments]
    total, x_norm = sum(s.tokens for s in segments), 31
    xs = (np.arange(x_norm) + .5) / x_norm
    result = Result("", ("segments", "a, thesis", "a", "b, thesis", "b", "R2, thesis", "R2", "RMSE, thesis", "RMSE", "mode, thesis", "mode", "share of tokens"))
    chart, modes = Chart("Tokens by text density", "text density", "share of tokens"), {}
    for name, wanted in (("without", False), ("with", True)):
        tokens = histogram([s for s, mark in zip(segments, marked) if mark == wanted])[:x_norm]
        fit = fits.fit_beta(xs, tokens / tokens.sum())
        c, a, b = fit.parameters
        modes[name] = (a - 1) / (a + b - 2) * x_norm
        theirs = paper[name]
        result.rows.append((name + " full stop", theirs[0], number(a, 3), theirs[1], number(b, 3), theirs[3], number(fit.r2), theirs[4], number(fit.rmse), 1.4 if name == "without" else 11.7,
                            number(modes[name], 1), number(tokens.sum() / total)))
        chart.add(name, np.arange(x_norm), tokens / total, "bars").add(name + ", fit", np.arange(x_norm), fit.ys * tokens.sum() / total)
    densities = [int(s.density) for s in segments]
    gain = information_gain(densities, marked)
    values = np.array([s.density for s in segments])
    truth = np.array(marked)
    accuracy = max(float(np.mean((values > cut) == truth)) for cut in np.unique(np.round(values)))
    result.rows.append(("information gain of the density", paper["gain"][0], number(gain), "", "", "", "", "", "", "", "", ""))
    result.rows.append(("accuracy of a threshold of the density", paper["accuracy"][0], number(accuracy), "", "", "", "", "", "", "", "", ""))
    result.charts = {"full stops": chart}
    result.agreement = (f"Segments with and without a full stop have different densities (modes {modes['with']:.1f} and {modes['without']:.1f}; thesis 11.7 and 1.4). "
                        f"A threshold of the density predicts full stops with an accuracy of {accuracy:.3f} (thesis .914).")
    return result


# ---- templates ----

def templates(lab, experiment):
    segments, pages = collection(lab)
    counts = templates_of(segments)
    text_of = {}
    for segment in segments:
        text_of.setdefault(segment.fingerprint, segment.text)
    if experiment.key.endswith("4.6"):
        paper = {name.lower(): int(found[0]) for name, found in experiment.values().items()}
        top = [(text_of[key][:60], count, count / pages) for key, count in counts.most_common(40)]
        rows = [(text, count, number(share, 4), paper.get(text.lower(), "-")) for text, count, share in top]
        common = [name for name in paper if any(name == text.lower() for text, _, _ in top)]
        return Result(f"{len(common)} of the five most frequent segments of the thesis are among our forty ({', '.join(common) or 'none'}).", ("segment", "frequency", "per page", "thesis"), rows)
    rare = sorted((s for s in segments if s.density <= 5.99 and counts[s.fingerprint] <= 3), key=lambda s: s.fingerprint)[:12]
    rows = [(counts[s.fingerprint], s.text[:70]) for s in rare]
    return Result(f"A sample of 12 of {sum(s.density <= 5.99 and counts[s.fingerprint] <= 3 for s in segments)} rare and sparse segments, in the order of fingerprints, can be held against the thesis's sample: headlines, links and short remarks.", ("frequency", "segment"), rows)


def segment_ranks(lab, experiment):
    segments, _ = collection(lab)
    values = {name: found[0] for name, found in experiment.values().items()}
    ys = np.array(sorted(templates_of(segments).values(), reverse=True), float)
    fit = fits.fit_lavalette(ys)
    xs = np.unique(np.geomspace(1, len(ys), 400).astype(int))
    chart = Chart("Segments by frequency", "rank", "frequency", log_x=True, log_y=True).add("templates", xs, ys[xs - 1], "points").add("fit", xs, fit.ys[xs - 1])
    return Result(f"{len(ys)} distinct fingerprints follow Lavalette's law with the exponent {fit.parameters[1]:.3f} and R2 {fit.r2:.3f} (thesis {values['a1']} and {values['R2']}).", ("figure", "thesis", "here"),
                  [("fingerprints", 1717039, len(ys)), ("a1", values["a1"], number(fit.parameters[1], 4)), ("R2", values["R2"], number(fit.r2, 4)), ("RMSE", values["RMSE"], number(fit.rmse, 4))], {"ranks": chart})


def template_density(lab, experiment):
    segments, pages = collection(lab)
    values = {name: found[0] for name, found in experiment.values().items()}
    counts, limit = templates_of(segments), 10
    frequent = [s for s in segments if counts[s.fingerprint] >= limit]
    all_tokens, in_frequent = histogram(segments), histogram(frequent)
    share = in_frequent.sum() / all_tokens.sum()
    sparse_in, in_sparse = in_frequent[:6].sum() / max(in_frequent.sum(), 1), in_frequent[:6].sum() / all_tokens[:6].sum()
    removed = all_tokens[:6].sum() / all_tokens.sum()
    chart = Chart("Tokens by text density", "text density", "tokens").add("all", range(41), all_tokens, "bars").add("frequent templates", range(41), in_frequent, "bars")
    rows = [("tokens in templates with 10 copies or more", .28, number(share)), ("of these, at density 5 or less", values["sparse-in-templates"], number(sparse_in)),
            ("tokens at density 5 or less in such templates", values["templates-in-sparse"], number(in_sparse)), ("tokens at density 5 or less", .23, number(removed))]
    return Result(f"Templates with ten copies hold {share:.1%} of the tokens (thesis 28%), because {pages} pages of many sites repeat fewer templates than 316,448 pages; {sparse_in:.0%} of these tokens are sparse (thesis 47%).",
                  ("figure", "thesis", "here"), rows, {"densities": chart})
