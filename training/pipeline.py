"""
From feature files to models. Learned values enter training as values of a model that has not
seen the page: the token tables and the page types, by folds within folds.
"""
import gzip
import json
import os
import subprocess
import time
from dataclasses import dataclass, field

import numpy as np
import xxhash
from scipy.optimize import minimize
from scipy.sparse import vstack

import ensemble
import feature_file
import measures
import model_file
import odds
import token_regression
from feature_file import NO_WEIGHT, PAGE_TYPES

FOLDS = 5
NEAR = 2  # an unlabeled paragraph with a required one so near on both sides trains nothing


@dataclass
class Settings:
    seed: int = 1
    jobs: int = 2
    sites: str = ""                   # a file of `thresher sites build`; columns of the sites are unknown without it
    # Weights of page types: 1 gives each type the same total weight, 0 gives each page the same weight.
    type_share: float = 0.75
    site_share: float = 0.5           # weight of a page: (1 / pages of its site) to this power
    article_corpora: tuple = ("fundus", "news-2023")  # their pages are articles, without a label
    partial_corpora: tuple = ("recipes",)  # their gold is content, and the rest of their pages has no label
    type_corpora: tuple = ("made-threads",)  # their pages train the page types, and no paragraph
    type_share_of_types: float = 0.5  # the same for learning page types
    token_rows_per_page: int = 120    # maximum of sampled rows per page for the regression
    rows_per_page: int = 400          # maximum of sampled rows per page
    bare_share: float = 0.25          # share of the training pages that are repeated without classes
    bare_weight: float = 0.5
    soft_labels: bool = False
    left_out: tuple = ()              # sites whose pages train nothing
    token_penalty: float = 0.3
    type_trees: dict = field(default_factory=lambda: dict(
        loss_function="MultiClass", iterations=240, depth=4, learning_rate=0.1, l2_leaf_reg=6,
        bootstrap_type="Bernoulli", subsample=0.8, rsm=0.5, border_count=64, leaf_estimation_iterations=1))
    # tells which unlabeled paragraphs of a partial corpus are content
    teacher_trees: dict = field(default_factory=lambda: dict(
        iterations=150, depth=6, learning_rate=0.2, l2_leaf_reg=5,
        bootstrap_type="Bernoulli", subsample=0.5, sampling_frequency="PerTree", rsm=0.2, border_count=64, leaf_estimation_iterations=1))
    paragraph_trees: dict = field(default_factory=lambda: dict(
        iterations=200, depth=6, learning_rate=0.2, l2_leaf_reg=5,
        bootstrap_type="Bernoulli", subsample=0.5, sampling_frequency="PerTree", rsm=0.2, border_count=64, leaf_estimation_iterations=1))


def draw(page_ids, share, seed):
    """Pages by the hash of their id: the same ones whatever else is in the file."""
    return np.array([xxhash.xxh3_64_intdigest(str(i).encode(), seed) % 10000 < share * 10000 for i in page_ids])


class Data:
    """A feature file with what all trainings ask of it."""

    def __init__(self, path, settings):
        f = self.f = feature_file.read(path)
        self.fold = f.array("fold").astype(int)
        self.corpus = f.array("corpus")
        self.site = np.array([page.get("host") or page["id"] for page in f.pages])
        types = [page.get("page_type") or ("article" if page["corpus"] in settings.article_corpora else "")
                 for page in f.pages]
        self.known_type = np.array([PAGE_TYPES.index(t) if t in PAGE_TYPES else -1 for t in types])
        self.is_partial = np.isin(self.corpus, settings.partial_corpora)
        self.is_partial_row = self.is_partial[f.page]
        self.is_for_types = np.isin(self.corpus, settings.type_corpora)
        self.label = np.where(self.is_partial_row & (f.label != 1) | self.is_for_types[f.page], NO_WEIGHT, f.label)
        self.row_fold = self.fold[f.page]
        self.target = (self.label == 1).astype(np.float64)
        is_used = ~np.isin(self.site, list(settings.left_out))
        self.page_weight = self._page_weights(is_used & ~self.is_for_types, settings.type_share, settings.site_share)
        self.weight = self._row_weights()
        self.sample = self._sample(settings.seed, settings.rows_per_page)
        self.token_sample = self._sample(settings.seed, settings.token_rows_per_page)
        self.type_weight = self._page_weights(is_used, settings.type_share_of_types, settings.site_share)

    def _page_weights(self, is_used, type_share, site_share):
        """
        Returns weights of the used pages, and 0 for the others. Pages of a frequent type, or of a site with many pages, have a lower weight.
        Each partial corpus is a type.
        """
        group = np.where(self.known_type < 0, PAGE_TYPES.index("article"), self.known_type)
        group[self.is_partial] = len(PAGE_TYPES)
        _, site = np.unique(self.site, return_inverse=True)
        by_site = is_used * (1.0 / np.maximum(np.bincount(site, weights=is_used), 1)[site]) ** site_share
        count = np.bincount(group, weights=by_site)
        weight = by_site * (1.0 / np.maximum(count, 1)[group]) ** type_share
        return weight / weight[is_used].mean()

    def _row_weights(self):
        f = self.f
        weight = np.sqrt(f.tokens) * (self.label != NO_WEIGHT)
        total = measures.page_sums(f, weight)
        return weight * (self.page_weight / np.maximum(total, 1e-9))[f.page]

    def _sample(self, seed, most):
        """Rows that train, with their weights: large pages are thinned."""
        f = self.f
        ranges = f.row_ranges()
        chosen, weights = [], []
        for page in range(len(f.pages)):
            rows = np.arange(ranges[page], ranges[page + 1])
            rows = rows[self.weight[rows] > 0]
            scale = 1.0
            if len(rows) > most:
                drawn = np.random.default_rng([seed, page]).choice(
                    len(rows), most, replace=False)
                scale = len(rows) / most
                rows = rows[np.sort(drawn)]
            chosen.append(rows)
            weights.append(self.weight[rows] * scale)
        return np.concatenate(chosen), np.concatenate(weights)


def say(text, start=time.time()):
    print(f"{time.time() - start:7.1f} s  {text}", flush=True)


def extract(program, corpora, path, jobs, *more):
    subprocess.run([program, "eval", "features", *corpora, "-O", path, "-j", str(jobs), "-q", *more], check=True)


def draw_corpora(corpora, folder, settings):
    """Folders with the drawn pages of the corpora, under their names."""
    paths = []
    for corpus in corpora:
        name = os.path.basename(os.path.normpath(corpus)).split(".jsonl")[0]
        path = os.path.join(folder, name)
        files = [corpus] if os.path.isfile(corpus) else [os.path.join(corpus, file) for file in ("pages.jsonl.gz", "pages.jsonl")]
        source = next(file for file in files if os.path.exists(file))
        os.makedirs(path, exist_ok=True)
        with (gzip.open if source.endswith(".gz") else open)(source, "rt", encoding="utf-8") as lines:
            pages = [line for line in lines if line.strip()]
        kept = draw([json.loads(line)["id"] for line in pages], settings.bare_share, settings.seed)
        if kept.any():
            with gzip.open(os.path.join(path, "pages.jsonl.gz"), "wt", encoding="utf-8") as file:
                file.writelines(line for line, is_kept in zip(pages, kept) if is_kept)
            paths.append(path)
    return paths


class Training:
    def __init__(self, program, corpora, out, settings):
        self.program, self.corpora, self.out, self.settings = program, corpora, out, settings
        self.tables, self.types, self.drawn = {}, {}, None

    def file(self, name):
        return os.path.join(self.out, name)

    def features(self, name, *more):
        """The feature file of this name, written where it is not there yet. Without classes: of the drawn pages alone."""
        path = self.file(name)
        corpora = self.corpora
        if "--without-classes" in more:
            self.drawn = self.drawn or draw_corpora(self.corpora, self.file("drawn"), self.settings)
            corpora = self.drawn
        if not os.path.exists(path):
            known = ["--sites", self.settings.sites] if self.settings.sites else []
            extract(self.program, corpora, path + ".part", self.settings.jobs, *known, *more)
            os.rename(path + ".part", path)
            say(f"{name} written")
        return Data(path, self.settings)

    # ---- tokens ----

    def begin(self):
        self.base = self.features("base.features")
        self.bare = self.features("bare.features", "--without-classes")
        self.row_of_bare = rows_of_pages(self.base.f, self.bare.f)
        self.token_input = {}
        for name, data in (("base", self.base), ("bare", self.bare)):
            rows, weight = data.token_sample
            kept = ~data.is_partial_row[rows]
            if name == "bare":
                weight = weight * self.settings.bare_weight
            rows, weight = rows[kept], weight[kept]
            self.token_input[name] = (token_regression.matrix(data.f)[rows], data.target[rows], weight,
                                      data.row_fold[rows])
        parts = self.token_input.values()
        self.token_input = [vstack([p[0] for p in parts], format="csr")] + [
            np.concatenate([p[i] for p in parts]) for i in (1, 2, 3)]

    def table(self, without):
        """The table that no page of these folds had a part in."""
        without = frozenset(without)
        if without not in self.tables:
            path = self.file("tokens" + "".join(f"-{i}" for i in sorted(without)) + ".npy")
            if not os.path.exists(path):
                self.fit_table(without, path)
            numbers = np.load(path)
            self.tables[without] = model_file.TokenTable(int(numbers[0]), numbers[1:].astype(np.int16))
        return self.tables[without]

    def fit_table(self, without, path):
        inputs, target, weight, fold = self.token_input
        kept = ~np.isin(fold, list(without))
        table = token_regression.fit(inputs[kept], target[kept], weight[kept], self.settings.token_penalty)
        np.save(path, np.r_[table.bias, table.weight.astype(np.int32)])
        say("tokens" + "".join(f", without fold {i}" for i in sorted(without)))

    # ---- page types ----

    def type_model(self, without):
        without = frozenset(without)
        if without not in self.types:
            rows, target, weight = [], [], []
            for data, scale in ((self.base, 1.0), (self.bare, self.settings.bare_weight)):
                kept = (data.known_type >= 0) & (data.type_weight > 0) & ~np.isin(data.fold, list(without))
                rows.append(data.f.page_rows[kept])
                target.append(data.known_type[kept])
                weight.append(data.type_weight[kept] * scale)
            target = np.concatenate(target)
            missing = set(range(len(PAGE_TYPES))) - set(target.tolist())
            if missing:
                raise SystemExit("no page of type " + ", ".join(PAGE_TYPES[i] for i in sorted(missing)))
            say("page types" + "".join(f", without fold {i}" for i in sorted(without)))
            self.types[without] = ensemble.train(np.concatenate(rows), target, np.concatenate(weight),
                                                 self.settings.type_trees, self.settings.seed)[0]
        return self.types[without]

    def type_probability(self, data, outer):
        """Returns values for each page, by a model without its fold and without the outer fold."""
        out = np.zeros((len(data.fold), len(PAGE_TYPES)), dtype=np.int64)
        for fold in range(FOLDS):
            model = self.type_model({fold, outer} - {None})
            pages = data.fold == fold
            if pages.any():
                out[pages] = odds.type_probabilities(model.score(data.f.page_rows[pages]), model.shift)
        return out

    # ---- paragraphs ----

    def filled(self, outer):
        """Feature files with token columns for an outer fold (None: the final model), and their page types."""
        name = "final" if outer is None else f"fold-{outer}"
        tables = self.file(name + ".tables")
        model_file.write_token_tables(tables, [self.table({fold, outer} - {None}) for fold in range(FOLDS)])
        result = []
        for kind, more in (("full", []), ("bare", ["--without-classes"])):
            data = self.features(f"{name}.{kind}.features", "--token-tables", tables, *more)
            result.append((data, self.type_probability(data, outer)))
        return result

    def training_rows(self, filled, outer):
        """Returns values, targets and weights: every page with its classes, and some also without."""
        parts = []
        for (data, types), scale in zip(filled, (1.0, self.settings.bare_weight)):
            rows, weight = data.sample
            kept = (data.row_fold[rows] != outer) & ~data.is_partial_row[rows]
            rows, weight = rows[kept], weight[kept] * scale
            target = data.f.aligned[rows] / 255 if self.settings.soft_labels else data.target[rows]
            parts.append((values_of(data, types, rows), target, weight))
        return [np.concatenate([part[i] for part in parts]) for i in range(3)]

    def partial_rows(self, filled, outer, teacher):
        """Returns the rows of partial corpora. Required rows are content. The teacher labels other rows if its score is confident."""
        score = teacher_score(filled[0], teacher, outer)  # of pages as they are, for both kinds
        parts = []
        for (data, types), score, scale in zip(filled, (score, score[self.row_of_bare]), (1.0, self.settings.bare_weight)):
            rows = np.flatnonzero(data.is_partial_row & (data.row_fold != outer))
            if not len(rows):
                continue
            is_required = data.label[rows] == 1
            p = np.where(is_required, 1.0, score[rows])
            sure = np.where(is_required, 1.0, np.abs(2 * p - 1))
            sure[~is_required & is_amid(data.label == 1, data.f.page)[rows]] = 0
            weight = np.sqrt(data.f.tokens[rows]) * sure
            page = data.f.page[rows]
            total = np.bincount(page, weights=weight, minlength=len(data.f.pages))
            weight *= (data.page_weight / np.maximum(total, 1e-9))[page] * scale
            kept = weight > 0
            parts.append((values_of(data, types, rows[kept]), (p[kept] >= 0.5).astype(np.float64), weight[kept]))
        return [np.concatenate([part[i] for part in parts]) for i in range(3)] if parts else None

    def paragraph_model(self, filled, outer, columns=None):
        full = self.training_rows(filled, outer)
        loss = "CrossEntropy" if self.settings.soft_labels else "Logloss"

        def train(parts, trees):
            values, target, weight = parts
            if columns is not None:
                values[:, ~columns] = 0
            return ensemble.train(values, target, weight, dict(trees, loss_function=loss), self.settings.seed)

        if filled[0][0].is_partial.any():
            teacher, _ = train(full, self.settings.teacher_trees)
            partial = self.partial_rows(filled, outer, teacher)
            full = [np.concatenate(pair) for pair in zip(full, partial)] if partial else full
        return train(full, self.settings.paragraph_trees)


def rows_of_pages(features, others):
    """Returns the row of `features` for each row of `others`. The pages of `others` are a subset, with the same rows."""
    first = dict(zip(features.array("id").tolist(), features.row_ranges().tolist()))
    ranges = others.row_ranges()
    start = np.array([first[page["id"]] for page in others.pages], dtype=np.int64)
    return start[others.page] + np.arange(len(others.page)) - ranges[others.page]


def values_of(data, types, rows):
    return fill_types(data.f.rows[rows], types[data.f.page[rows]])


def teacher_score(filled, teacher, outer):
    """Returns probabilities for the rows of partial corpora, and 0 for other rows."""
    data, types = filled
    out = np.zeros(len(data.f.rows))
    rows = np.flatnonzero(data.is_partial_row & (data.row_fold != outer))
    margin = teacher.score(values_of(data, types, rows))[:, 0] / 2.0 ** teacher.shift
    out[rows] = 1 / (1 + np.exp(-margin))
    return out


def is_amid(is_required, page):
    """Returns whether the same page has a required row at most NEAR rows before, and another at most NEAR rows after."""
    before, behind = np.zeros(len(page), dtype=bool), np.zeros(len(page), dtype=bool)
    for step in range(1, NEAR + 1):
        same = page[step:] == page[:-step]
        before[step:] |= same & is_required[:-step]
        behind[:-step] |= same & is_required[step:]
    return before & behind


def fill_types(rows, probability):
    """Rows with the page types' probabilities in their last columns, as the program fills them."""
    rows = np.array(rows)
    rows[:, -len(PAGE_TYPES):] = probability >> 8
    return rows


def fit_calibration(score, shift, type_probability, aligned, weight, penalty=2.0):
    """Slope and offset of each type: log-odds = sum over types of p (slope score + offset)."""
    p = type_probability / np.maximum(type_probability.sum(axis=1, keepdims=True), 1)
    margin = score / 2.0 ** shift
    types = p.shape[1]

    def loss(x):
        slope, offset = x[:types], x[types:]
        z = (p @ slope) * margin + p @ offset
        value = weight @ (np.logaddexp(0, z) - aligned * z)
        slack = weight * (1 / (1 + np.exp(-np.clip(z, -50, 50))) - aligned)
        grad = np.r_[p.T @ (slack * margin), p.T @ slack]
        center = np.r_[slope - slope.mean(), offset - offset.mean()]
        return value + 0.5 * penalty * center @ center, grad + penalty * center

    x = minimize(loss, np.r_[np.ones(types), np.zeros(types)], jac=True, method="L-BFGS-B",
                 options=dict(maxiter=200)).x
    return np.rint(np.stack([x[:types], x[types:]], axis=1) * 65536).astype(np.int32)
