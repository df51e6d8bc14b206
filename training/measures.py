"""Words F1 of pages from rows, decisions that need nothing but scores, intervals by site."""
import numpy as np

import odds


def page_sums(features, values):
    return np.bincount(features.page, weights=values, minlength=len(features.pages))


def gold_tokens(features):
    """Returns for each page the size of its gold, in the unit of rows' tokens. The gold's own counts are characters for Chinese."""
    gold = features.array("gold_tokens", 0).astype(np.float64)
    words = features.array("words", 0).astype(np.float64)
    tokens = page_sums(features, features.tokens)
    return np.where(words > 0, gold * tokens / np.maximum(words, 1), gold)


def page_f1(features, kept):
    """Words F1 of each page when the rows `kept` are its content; nan where the gold has no full text."""
    tokens = features.tokens.astype(np.float64)
    found = page_sums(features, kept * tokens * features.aligned / 255)
    printed = page_sums(features, kept * tokens)
    gold = gold_tokens(features)
    with np.errstate(divide="ignore", invalid="ignore"):
        f1 = 2 * found / (printed + gold)
    return np.where(gold > 0, np.minimum(f1, 1), np.nan)


def by_cut(probability, cut):
    return (probability >= cut).astype(np.float64)


def by_expected_f1(features, probability, lowest=0.25, highest=0.60):
    """The prefix by falling probability with the highest expected F1, its cut held between two ends."""
    p = probability / odds.ONE
    tokens = features.tokens.astype(np.float64)
    order = np.lexsort((-p, features.page))
    page = features.page[order]
    starts = np.flatnonzero(np.r_[True, page[1:] != page[:-1]])
    hit, printed = np.cumsum((p * tokens)[order]), np.cumsum(tokens[order])
    lengths = np.diff(np.r_[starts, len(page)])
    before = np.repeat(np.r_[0, hit[starts[1:] - 1]], lengths)
    before_printed = np.repeat(np.r_[0, printed[starts[1:] - 1]], lengths)
    hit, printed = hit - before, printed - before_printed
    total = np.repeat(np.add.reduceat((p * tokens)[order], starts), lengths)
    expected = 2 * hit / np.maximum(printed + total, 1e-9)
    best = np.maximum.reduceat(expected, starts)
    is_best = expected >= np.repeat(best, lengths)
    cut = np.minimum.reduceat(np.where(is_best, p[order], 2), starts)
    cut_of = np.full(len(features.pages), 0.5)
    cut_of[page[starts]] = np.clip(cut, lowest, highest)
    return (p >= cut_of[features.page]).astype(np.float64)


def interval(values, sites, rounds=1000, seed=1):
    """Mean and its 95 % interval; sites are drawn, with all their pages."""
    is_known = ~np.isnan(values)
    values, sites = values[is_known], sites[is_known]
    if not len(values):
        return None
    _, number = np.unique(sites, return_inverse=True)
    sums, counts = np.bincount(number, weights=values), np.bincount(number)
    draws = np.random.default_rng(seed).integers(0, len(sums), (rounds, len(sums)))
    means = sums[draws].sum(axis=1) / counts[draws].sum(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return dict(mean=float(values.mean()), low=float(low), high=float(high), pages=int(len(values)))
