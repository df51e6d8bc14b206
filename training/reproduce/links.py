"""Ranks of a made web: partitions, convergence, topics and facets. [K11 ch. 3] The ranks are those of `thresher-lab graph`."""
import collections
import gzip
import json
import math
import os
import random
import re
import subprocess

import numpy as np
from scipy import sparse
import scipy.sparse.linalg

from result import Result, number
from svg import Chart, Matrix

PAGES, HOSTS, TOPICS, CHILDREN, PARTITIONS, ALPHA = 24000, 200, 4, 3, 8, .85
LINKS, OUTSIDE = 10, .0619  # links of a page, and the share to other hosts [K11 Tab. 3.2]


# ---- measures ----

def kendall_tau(a, b):
    """Kendall's tau-b of two lists of scores of the same things."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    signs_a, signs_b = (np.sign(x[:, None] - x[None, :]) for x in (a, b))
    ties = lambda signs: (signs != 0).sum()
    return float((signs_a * signs_b).sum() / math.sqrt(ties(signs_a) * ties(signs_b))) if ties(signs_a) and ties(signs_b) else float("nan")


def average_precision(relevant):
    """Mean of the precision at each relevant result of a list of booleans. 0 if none is relevant."""
    hits, total = 0, 0.0
    for rank, is_relevant in enumerate(relevant, 1):
        if is_relevant:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0


def combined(vectors, weights):
    """[K11 Eq. 3.6] The linear combination of biased rank vectors."""
    return sum(weight * np.asarray(vector, float) for vector, weight in zip(vectors, weights))


def membership(ranks, dimension):
    """
    The membership of a page in each facet. [K11 Eq. 3.13 to 3.15]
    @param ranks      by facet: the page's rank, relative to the mean of all pages
    @param dimension  by facet
    @return by facet: log(rank) divided by the number of facets of the dimension with a rank of at least 1; 0 if there is none
    """
    above = collections.Counter(dimension[facet] for facet, rank in ranks.items() if rank >= 1)
    return {facet: math.log(rank) / above[dimension[facet]] if above[dimension[facet]] and rank > 0 else 0.0 for facet, rank in ranks.items()}


def facet_shares(memberships, threshold=.1):
    """[K11 Eq. 3.16] By facet: the share of pages whose membership is at least the threshold."""
    facets = {facet for row in memberships for facet in row}
    return {facet: sum(row[facet] >= threshold for row in memberships) / len(memberships) for facet in facets}


def find_facets(seed, facets, sample, threshold=.1, least=.25, rounds=1):
    """
    [K11 Alg. 3.1] Extends a seed of facets by those that its results have.
    @param sample  function of a facet: the memberships of the top pages of a query, by the facet's ranks
    @return by facet: its share of all samples
    """
    known, new, shares = set(), set(seed), {}
    for _ in range(rounds):
        if not new - known:
            break
        known |= new
        rows = [row for facet in sorted(known) for row in sample(facet)]
        shares = {facet: sum(row[facet] >= threshold for row in rows) / max(len(rows), 1) for facet in facets}
        new = {facet for facet in facets if shares[facet] >= least}
    return shares


# ---- the web ----

class Web:
    """
    A made web. Hosts have sizes by a power law, and each host has a topic (one of TOPICS, and one of CHILDREN below it). Links of a page stay on its host, except for
    the share OUTSIDE. Of these links, seven of ten go to hosts of the same child topic, one to hosts of the same topic, and two to any host. All is drawn with one seed.
    """

    def __init__(self, lab, scale=1.0):
        draw = random.Random(33)
        pages, hosts = int(PAGES * scale), max(int(HOSTS * scale), 24)
        sizes = [1 / (i + 3) ** .9 for i in range(hosts)]
        sizes = [max(1, round(pages * size / sum(sizes))) for size in sizes]
        self.topic_of_host = [(i % TOPICS, (i // TOPICS) % CHILDREN) for i in range(hosts)]
        urls = [(h, i) for h, size in enumerate(sizes) for i in range(size)]
        of_child, of_topic = collections.defaultdict(list), collections.defaultdict(list)
        for h, topic in enumerate(self.topic_of_host):
            of_child[topic].append(h)
            of_topic[topic[0]].append(h)
        name = lambda h, i: f"http://www.host{h:04d}.example/{i}"

        def target(h):
            if draw.random() >= OUTSIDE:
                return h, min(int(draw.expovariate(4 / sizes[h])), sizes[h] - 1)
            where = draw.random()
            other = draw.choice(of_child[self.topic_of_host[h]] if where < .7 else of_topic[self.topic_of_host[h][0]] if where < .8 else range(hosts))
            return other, min(int(draw.expovariate(8 / sizes[other])), sizes[other] - 1)

        self.folder = os.path.join(lab.work, f"web-{pages}")
        os.makedirs(self.folder, exist_ok=True)
        self.records = os.path.join(self.folder, "records.jsonl")
        with open(self.records, "w", encoding="utf-8") as out:
            for h, i in urls:
                links = [dict(url=name(*target(h)), label="content") for _ in range(1 + int(draw.expovariate(1 / LINKS)))]
                out.write(json.dumps(dict(url=name(h, i), links=links)) + "\n")
        self.lab, self.name = lab, name
        self.rank(())

    def rank(self, hosts):
        """Ranks relative to their mean, biased to the pages of some hosts (none: to all). Reads the numbers of pages in the first call."""
        words = ["graph", "--level", "page", "-O", os.path.join(self.folder, "graph")]
        if hosts:
            bias = os.path.join(self.folder, "bias.txt")
            with open(bias, "w", encoding="utf-8") as out:
                out.writelines(self.urls[i] + "\n" for i in range(len(self.urls)) if self.host_of[i] in hosts)
            words += ["--bias", bias]
        done = subprocess.run([self.lab.program, *words, self.records], stderr=subprocess.PIPE, check=True)
        lines = lambda name: gzip.open(os.path.join(self.folder, "graph", name), "rt", encoding="utf-8").read().splitlines()
        if not hosts:
            self.summary = done.stderr.decode()
            rows = [line.split("\t") for line in lines("pages.txt.gz")]
            self.urls = [row[3] for row in rows]
            self.host_of = [int(re.search(r"host(\d+)", row[3]).group(1)) for row in rows]
            self.edges = np.array([line.split("\t")[:2] for line in lines("edges.txt.gz")], int)
            self.number_of = {url: i for i, url in enumerate(self.urls)}
        ranks = np.zeros(len(self.urls))
        for line in lines("ranks.txt.gz")[1:]:
            _, value, url = line.split("\t")
            ranks[self.number_of[url]] = float(value)
        return ranks / ranks.mean()

    @property
    def partition_of(self):
        """Hosts by number of pages, the largest first, dealt to the partitions in turn."""
        sizes = collections.Counter(self.host_of)
        return {host: i % PARTITIONS for i, (host, _) in enumerate(sorted(sizes.items(), key=lambda item: (-item[1], item[0])))}


def web(lab):
    return lab.once("web", lambda: Web(lab, .1 if lab.limit else 1))


def counts_of(found):
    host, partition = np.array(found.host_of), found.partition_of
    part = np.array([partition[h] for h in found.host_of])
    source, target = found.edges.T
    links, inter_host = len(source), int((host[source] != host[target]).sum())
    between = part[source] != part[target]
    votes = len({(int(p), int(t)) for p, t in zip(part[source][between], target[between])})
    return {"links": links, "intra-host": links - inter_host, "inter-host": inter_host, "inter-partition-links": int(between.sum()), "intra-partition": inter_host - int(between.sum()), "votes": votes}


def partitions(lab, experiment):
    found, paper = web(lab), experiment.values()
    ours = counts_of(found)
    rows = [(name, f"{int(v[0])}", f"{v[1]}%", ours[name], f"{100 * ours[name] / ours['links']:.2f}%") for name, v in paper.items()]
    shown = re.search(r"([\d.]+)% to another host", found.summary), re.search(r"([\d.]+)% to another part, with ([\d.]+)% votes", found.summary)
    rows.append(("printed by thresher-lab graph", "", "", f"{shown[0].group(1)}% to another host", f"{shown[1].group(1)}% to another part, {shown[1].group(2)}% votes"))
    saved = 1 - ours["votes"] / ours["inter-partition-links"]
    return Result(f"Votes instead of links between partitions save {saved:.0%} (thesis 89%); {ours['inter-host'] / ours['links']:.2%} of the links go to other hosts (thesis 6.19%).",
                  ("links", "amount, thesis", "share, thesis", "amount", "share"), rows)


def cells(rows, columns, source, target, order):
    table = np.zeros((rows, columns))
    np.add.at(table, (order[source] * rows // len(order), order[target] * columns // len(order)), 1)
    return table


def dot_plots(lab, experiment):
    found = web(lab)
    source, target = found.edges.T
    urls = np.argsort(np.argsort(np.array(found.urls)))
    hosts = list(dict.fromkeys(found.host_of))
    random.Random(1).shuffle(hosts)
    place = {h: i for i, h in enumerate(hosts)}
    shuffled = np.argsort(np.argsort([place[h] * 10 ** 6 + i for i, h in enumerate(found.host_of)]))
    tables = {name: cells(60, 60, source, target, order) for name, order in (("lexicographic", urls), ("hosts in random order", shuffled))}
    near = {name: float(sum(np.trace(table, k) for k in (-1, 0, 1)) / table.sum()) for name, table in tables.items()}
    return Result(f"{near['hosts in random order']:.0%} of the links are in cells next to the diagonal with hosts in random order, and {near['lexicographic']:.0%} in the order of URLs (thesis: the diagonal dominates).",
                  ("order", "links next to the diagonal"), [(name, f"{share:.1%}") for name, share in near.items()], {name: Matrix(name, table.tolist()) for name, table in tables.items()})


def partition_plot(lab, experiment):
    found, partition = web(lab), web(lab).partition_of
    source, target = found.edges.T
    part = np.array([partition[h] for h in found.host_of])
    table = np.zeros((PARTITIONS, PARTITIONS))
    np.add.at(table, (part[source], part[target]), 1)
    inside = np.trace(table) / table.sum()
    order = np.argsort(np.argsort([p * 10 ** 6 + i for i, p in enumerate(part)]))
    between = table - np.diag(np.diag(table))
    spread = between.sum(1) / between.sum()
    return Result(f"{inside:.1%} of the links stay in their partition (thesis 94.6%); a partition has {spread.min():.0%} to {spread.max():.0%} of the links between partitions (equal would be 12.5%).",
                  ("partition", *range(PARTITIONS)), [(i, *(int(v) for v in row)) for i, row in enumerate(table)], {"partitions": Matrix("links by partition", cells(64, 64, source, target, order).tolist())})


def hosts(lab, experiment):
    found, partition = web(lab), web(lab).partition_of
    sizes = collections.Counter(found.host_of)
    of_part = collections.Counter(partition[h] for h in found.host_of)
    chart = Chart("Pages per host", "rank of the host", "pages", log_x=True, log_y=True)
    for p in range(PARTITIONS):
        ranked = sorted((n for h, n in sizes.items() if partition[h] == p), reverse=True)
        chart.add(f"partition {p}", range(1, len(ranked) + 1), ranked)
    ranked = sorted(sizes.values(), reverse=True)
    chart.add("all", range(1, len(ranked) + 1), ranked, "dashes")
    low, high = min(of_part.values()), max(of_part.values())
    return Result(f"A partition has {low} to {high} pages ({low / high:.2f} of each other), and the distribution over hosts of the whole; the few largest hosts are {ranked[0] / np.mean(ranked):.0f} times the mean (thesis 37).",
                  ("partition", "hosts", "pages"), [(p, sum(1 for h in sizes if partition[h] == p), of_part[p]) for p in range(PARTITIONS)], {"hosts": chart})


def iterate(found, method, epsilon, most=200):
    """
    Mean change of the ranks (mean 1) by iteration. `jacobi` takes the last iteration's ranks, `gauss-seidel` the current ones in the order of pages, and
    `partitioned` the current ones inside of a partition. [K11 Eq. 3.1, 3.7, 3.10]
    """
    source, target = found.edges.T
    count = len(found.urls)
    degree = np.maximum(np.bincount(source, minlength=count), 1)
    part = np.array([found.partition_of[h] for h in found.host_of]) if method == "partitioned" else np.zeros(count, int)
    matrix = sparse.csr_matrix((ALPHA / degree[source], (target, source)), (count, count))
    if method == "jacobi":
        within, across = sparse.csr_matrix((count, count)), matrix
    else:
        same = part[source] == part[target]
        within = sparse.csr_matrix((ALPHA / degree[source][same], (target[same], source[same])), (count, count))
        across = matrix - within
    lower = (sparse.identity(count) - sparse.tril(within, 0)).tocsc()  # links of a page to itself use the current rank
    solver = sparse.linalg.splu(lower, permc_spec="NATURAL", diag_pivot_thresh=0)
    upper = sparse.triu(within, 1).tocsr()
    ranks, changes = np.ones(count), []
    while len(changes) < most and (not changes or changes[-1] >= epsilon):
        new = solver.solve((1 - ALPHA) + (upper + across) @ ranks)
        changes.append(float(np.abs(new - ranks).mean()))
        ranks = new
    return ranks, changes


def convergence(lab, experiment):
    import time
    found, rows, charts, ranks = web(lab), [], {}, {}
    chart = Chart("Mean change of the ranks", "iteration", "change", log_y=True)
    rounds = {}
    for method in ("jacobi", "gauss-seidel", "partitioned"):
        ranks[method], changes = iterate(found, method, 1e-8)
        rounds[method] = next(i + 1 for i, change in enumerate(changes) if change < 1e-3)
        chart.add(method, range(1, len(changes) + 1), changes)
        rows.append((method, rounds[method], next(i + 1 for i, change in enumerate(changes) if change < 1e-6)))
    start = time.monotonic()
    unbiased = found.rank(())
    seconds = time.monotonic() - start
    printed = re.search(r"(\d+) rounds of ranking in ([\d.]+) s", found.summary)
    rows.append(("thresher-lab graph", "-", int(printed.group(1))))
    scaled = ranks["partitioned"] / ranks["partitioned"].mean()
    difference = float(np.abs(scaled - unbiased).max() / scaled.max())
    charts["convergence"] = chart
    return Result(f"Below 1e-3 the partitioned method needs {rounds['partitioned']} iterations (thesis 17), Gauss-Seidel {rounds['gauss-seidel']} and Jacobi {rounds['jacobi']}. "
                  f"Its ranks differ from those of the program by at most {difference:.1e} of the largest. Building and ranking took {seconds:.1f} s.", ("method", "iterations to 1e-3", "to 1e-6"), rows, charts)


# ---- topics ----

def facets_of(found):
    """By name: the hosts of each topic (t0) and child topic (t0/c1)."""
    out = collections.defaultdict(set)
    for h, (topic, child) in enumerate(found.topic_of_host):
        out[f"t{topic}"].add(h)
        out[f"t{topic}/c{child}"].add(h)
    return dict(sorted(out.items()))


def biased(lab):
    """By facet: the ranks biased to a third of its hosts, as ODP knows a part of the web; and the unbiased ranks."""
    def make():
        found = web(lab)
        return {name: found.rank(set(sorted(members)[::3])) for name, members in facets_of(found).items()}, found.rank(())
    return lab.once("biased", make)


def query_scores(found, facet, number_of):
    """A made text score of each page: pages of the facet and 5% of the others match the query. Larger for a page of the facet by .2 on average."""
    draw, members = random.Random(f"{facet} {number_of}"), facets_of(found)[facet]
    scores = np.zeros(len(found.urls))
    for i, host in enumerate(found.host_of):
        if draw.random() < (.3 if host in members else .05):
            scores[i] = draw.random() + (.2 if host in members else 0)
    return scores


def top(scores, ranks, k):
    return [i for i in np.argsort(-scores * ranks, kind="stable")[:k] if scores[i] > 0]


def topics(lab, experiment):
    found = web(lab)
    ranks, unbiased = biased(lab)
    members, rows, taus, maps = facets_of(found), [], collections.defaultdict(list), []
    for facet in ranks:
        tau = {}
        for other in [None, *[o for o in ranks if o != facet and (o.startswith(facet + "/") or o.rpartition("/")[0] == facet.rpartition("/")[0] and "/" in facet and "/" in o)]]:
            values = []
            for q in range(3):
                scores = query_scores(found, facet, q)
                theirs = unbiased if other is None else ranks[other]
                pages = sorted(set(top(scores, ranks[facet], 30)) | set(top(scores, theirs, 30)))
                values.append(kendall_tau(scores[pages] * ranks[facet][pages], scores[pages] * theirs[pages]))
            tau[other] = float(np.mean(values))
            taus["unbiased" if other is None else "child" if other.startswith(facet) else "sibling"].append(tau[other])
        precision = {}
        for name, vector in (("biased", ranks[facet]), ("unbiased", unbiased)):
            precision[name] = float(np.mean([average_precision([found.host_of[i] in members[facet] for i in top(query_scores(found, facet, q), vector, 10)]) for q in range(5)]))
        maps.append(precision)
        rows.append((facet, len(members[facet]), number(tau[None]), number(precision["biased"]), number(precision["unbiased"])))
    means = {name: float(np.mean(values)) for name, values in taus.items()}
    better = sum(m["biased"] > m["unbiased"] for m in maps)
    return Result(f"Tau is {means['unbiased']:.2f} between biased and unbiased ranks, {means['child']:.2f} between parents and children, and {means['sibling']:.2f} between siblings (thesis about 0, below .2, below .2). "
                  f"The bias raises MAP for {better} of {len(maps)} topics.", ("topic", "hosts", "tau to unbiased", "MAP, biased", "MAP, unbiased"), rows)


def combination(lab, experiment):
    """PageRank is linear in the bias: the vector biased to the union of two sets is the mean of both, weighted by their sizes."""
    found = web(lab)
    facets = facets_of(found)
    a, b = facets["t0/c0"], facets["t1/c1"]
    sizes = [sum(found.host_of[i] in hosts_ for i in range(len(found.urls))) for hosts_ in (a, b)]
    # relative ranks: a leak at pages without links scales each vector; the program normalizes it, so all vectors are brought to their own sum first
    union, parts = found.rank(a | b), [found.rank(a), found.rank(b)]
    exact = combined(parts, [size / sum(sizes) for size in sizes])
    difference = float(np.abs(exact - union).max() / union.max())
    return Result(f"The combination of two biased vectors differs from the vector of the union by at most {difference:.1e} of the largest rank.", ("pages of the first set", "of the second", "largest difference"),
                  [(*sizes, f"{difference:.2e}")])


def facets(lab, experiment):
    found = web(lab)
    ranks, unbiased = biased(lab)
    names, dimension = list(ranks), {name: "topic" for name in ranks}

    def memberships(pages):
        return [membership({name: float(ranks[name][i]) for name in names}, dimension) for i in pages]

    hits, cases, example = 0, 0, None
    for facet in names:
        for q in range(5):
            scores = query_scores(found, facet, q)
            sample = lambda seed: memberships(top(scores, unbiased if seed == "unbiased" else ranks[seed], 100))
            shares = find_facets(["unbiased", *[name for name in names if "/" not in name]], names, sample)
            best = max(shares, key=lambda name: (shares[name], name))
            wanted = {facet, facet.split("/")[0]}
            cases += 1
            hits += bool(wanted & {name for name, share in shares.items() if share >= .25}) or best in wanted
            if example is None:
                example = (facet, shares, facet_shares(memberships(top(scores, unbiased, 100))))
    rows = [(name, f"{share:.0%}", f"{example[2][name]:.0%}") for name, share in sorted(example[1].items(), key=lambda item: (-item[1], item[0]))]
    return Result(f"For {hits} of {cases} queries ({hits / cases:.1%}) the topic or its parent is among the facets (thesis 91.6% of 155).", (f"facet of a query on {example[0]}", "share, Alg. 3.1", "share, Eq. 3.16"), rows)
