"""Accuracy of the segmenters, their parameters, and Block Fusion by sweep. [KN08 §5, K11 §4.2.4]"""
import collections
import math

import numpy as np

from result import Result, number
from svg import Chart
from text_model import fuse, wrapped

GOLD = ("segmentation/l3s-runs", "segmentation/landmarks")
METHODS = ("word-wrap", "tag-gap", "bf-plain", "bf-smoothed", "bf-rulebased", "just-rules")


def short(corpus):
    return corpus.split("/")[-1]


def adjusted_rand(a, b):
    """[Hubert & Arabie 1985] of two lists of labels."""
    pairs = lambda counts: sum(n * (n - 1) / 2 for n in counts.values())
    together, in_a, in_b, all_pairs = pairs(collections.Counter(zip(a, b))), pairs(collections.Counter(a)), pairs(collections.Counter(b)), len(a) * (len(a) - 1) / 2
    chance, most = in_a * in_b / all_pairs if all_pairs else 0, (in_a + in_b) / 2
    return 1.0 if most == chance else (together - chance) / (most - chance)


def normalized_mutual_information(a, b):
    """[Strehl & Ghosh 2002] I / sqrt(H H), of two lists of labels."""
    entropy = lambda counts: -sum(n / len(a) * math.log(n / len(a)) for n in counts.values())
    h_a, h_b = entropy(collections.Counter(a)), entropy(collections.Counter(b))
    if h_a == h_b == 0:
        return 1.0
    return (h_a + h_b - entropy(collections.Counter(zip(a, b)))) / math.sqrt(h_a * h_b) if h_a and h_b else 0.0


def accuracy(lab, experiment):
    paper, result = experiment.values(), Result("", ("method", "profile", "AdjRand, paper", "NMI, paper", "blocks, paper", *[f"{short(c)} {figure}" for c in GOLD for figure in ("AdjRand", "NMI", "blocks")]))
    found = {corpus: lab.segmentation(corpus, "--profiles", "all", "--segmenters", ",".join((*METHODS, "gcuts")))["segment"] for corpus in GOLD}
    for i, row in enumerate(found[GOLD[0]]):
        theirs = paper.get(row["segmenter"], [None] * 3) if row.get("profile") != "html5" else [None] * 3
        ours = [number(found[corpus][i][key], 1 if key == "found_segments" else 3) for corpus in GOLD for key in ("adjusted_rand", "nmi", "found_segments")]
        result.rows.append((row["segmenter"], row.get("profile", "-"), *map(number, theirs), *ours))
    score = {(row["segmenter"], row.get("profile", "2008")): row["adjusted_rand"] for row in found[GOLD[0]]}
    ours = sorted(METHODS, key=lambda name: -score[name, "2008"])
    theirs = sorted(METHODS, key=lambda name: -paper[name][0])
    result.agreement = (f"The order by AdjRand on {short(GOLD[0])} is {', '.join(ours)}; in the paper it is {', '.join(theirs)}. "
                        "The gold here is coarser than that of the paper, so methods that fuse more have higher scores.")
    return result


def curves(lab, corpus):
    """Rows of theta_max and w_max. Each plot parses the pages at twelve widths."""
    def make():
        words = ("--profiles", "2008", "--segmenters", "bf-plain,bf-smoothed,bf-rulebased", "--plot", lab._file(("plot", corpus), ".svg"))
        return lab.segmentation(corpus, *words)["segment"]
    return lab.once(("curves", corpus), make)


def theta(lab, experiment):
    methods = ("bf-rulebased",) if experiment.key in ("KN08:F4", "K11:F4.5") else ("bf-plain", "bf-smoothed")
    paper, rows, charts, best = experiment.values(), [], {}, {}
    for corpus in GOLD:
        chart = Chart(f"Accuracy against theta_max, {short(corpus)}", "theta_max", "AdjRand and NMI")
        blocks = Chart(f"Segments per page against theta_max, {short(corpus)}", "theta_max", "segments per page")
        for name in methods:
            line = sorted((row["theta_max"], row["adjusted_rand"], row["nmi"], row["found_segments"]) for row in curves(lab, corpus)
                          if row["segmenter"] == name and "theta_max" in row and row["w_max"] == 80)
            xs = [point[0] for point in line]
            chart.add(name + ", AdjRand", xs, [p[1] for p in line]).add(name + ", NMI", xs, [p[2] for p in line], "dashes")
            blocks.add(name, xs, [p[3] for p in line])
            best[corpus, name] = max(line, key=lambda p: (p[1], -p[0]))
            at_end = line[-1]
            rows.append((name, short(corpus), number(paper["best"][0], 2), number(best[corpus, name][0], 2), number(best[corpus, name][1]), number(at_end[0], 2), number(at_end[1])))
        charts[short(corpus)], charts["blocks " + short(corpus)] = chart, blocks
    words = ", ".join(f"{found[0]:.2f} for {name} on {short(corpus)}" for (corpus, name), found in best.items())
    return Result(f"The best theta_max is {words} (paper: {paper['best'][0]}).", ("method", "corpus", "best, paper", "best", "AdjRand there", "largest theta_max", "AdjRand there"), rows, charts)


def width(lab, experiment):
    rows, charts, ranges = [], {}, []
    for corpus in GOLD:
        chart = Chart(f"Accuracy against w_max, {short(corpus)}", "w_max, columns", "AdjRand")
        for name in ("bf-plain", "bf-smoothed", "bf-rulebased"):
            line = {}
            for row in curves(lab, corpus):
                if row["segmenter"] == name and "theta_max" not in row:
                    line[row["w_max"]] = row["adjusted_rand"]
            xs = sorted(line)
            chart.add(name, xs, [line[x] for x in xs])
            stable = [line[x] for x in xs if 80 <= x <= 110]
            ranges.append(max(stable) - min(stable) if stable else float("nan"))
            best = max(xs, key=lambda x: line[x])
            rows.append((name, short(corpus), best, number(line[best]), number(line.get(80)), number(ranges[-1])))
        charts[short(corpus)] = chart
    return Result(f"Between 80 and 110 columns AdjRand changes by at most {np.nanmax(ranges):.3f}; the paper calls the same range stable, with a gain below .01 at its best width of 90.",
                  ("method", "corpus", "best w_max", "AdjRand there", "AdjRand at 80", "range, 80 to 110"), rows, charts)


# ---- sweeps of block fusion ----

def labels_of(page, record):
    """Pairs (block, gold) of the words that the gold and the blocks have in common, aligned in order."""
    import difflib
    words, blocks = [], []
    for number_, block in enumerate(record["blocks"]):
        for word in record["full_text"][block["start"]:block["end"]].split():
            if any(c.isalnum() for c in word):
                words.append(word)
                blocks.append(number_)
    matcher = difflib.SequenceMatcher(None, words, page["tokens"], autojunk=False)
    return [(blocks[a + i], page["segment"][b + i]) for a, b, size in matcher.get_matching_blocks() for i in range(size) if page["segment"][b + i] >= 0]


def iterations(lab, experiment):
    corpus, pages = GOLD[0], 60
    gold = {page["id"]: page for page in lab.gold_segments(corpus)[:pages]}
    sums, equal, compared, charts, rows = {}, 0, 0, {}, []
    for name, theta_max, is_smoothed in (("bf-plain", .38, False), ("bf-smoothed", .38, True)):
        sweeps = []
        for record in lab.records(corpus, name):
            page = gold.get(record["id"])
            if not page:
                continue
            blocks = [wrapped(record["full_text"][b["start"]:b["end"]]) for b in record["blocks"]]
            pairs = labels_of(page, record)
            if not pairs or len(blocks) < 2:
                continue
            states = [[[i] for i in range(len(blocks))], *fuse(blocks, theta_max, is_smoothed)]
            points = []
            for ranges in states:
                number_of = {block: i for i, numbers in enumerate(ranges) for block in numbers}
                found, wanted = [number_of[b] for b, _ in pairs], [g for _, g in pairs]
                points.append((1 - adjusted_rand(wanted, found), 1 - normalized_mutual_information(wanted, found), len(ranges)))
            sweeps.append(points)
            segments = [b["segment"] for b in record["blocks"]]
            compared += 1
            equal += [sum(1 for a, b in zip(segments[:i], segments[1:i + 1]) if a != b) for i in range(len(segments))] == [number_of[i] for i in range(len(segments))]
        last = max(map(len, sweeps))
        means = np.array([np.mean([points[min(i, len(points) - 1)] for points in sweeps], axis=0) for i in range(last)])
        sums[name] = means
        rows += [(name, i, *map(number, means[i][:2]), number(means[i][2], 1)) for i in range(last)]
        charts[name] = Chart(f"Error by sweep, {name}", "sweep", "1 - accuracy").add("AdjRand", range(last), means[:, 0]).add("NMI", range(last), means[:, 1])
        charts[name + " blocks"] = Chart(f"Blocks by sweep, {name}", "sweep", "blocks per page").add("blocks", range(last), means[:, 2])
    removed = {name: (means[0][0] - means[1][0]) / (means[0][0] - means[:, 0].min()) for name, means in sums.items()}
    return Result("The first sweep removes " + " and ".join(f"{share:.0%} of the error of {name}" for name, share in removed.items()) +
                  f" (paper: most of it). The listing in Python gives the program's segments on {equal} of {compared} pages.",
                  ("method", "sweep", "1 - AdjRand", "1 - NMI", "blocks"), rows, charts, data=f"the first {len(gold)} pages of {short(corpus)}")


# ---- one page ----

class Densities:
    """Bars of the density of each block over its lines, with the borders of segments."""

    def __init__(self, title, blocks, borders):
        self.title, self.blocks, self.borders = title, blocks, borders

    def text(self):
        wide, high, at = 760, 180, 0
        total = sum(block.lines for block in self.blocks) or 1
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide + 20} {high + 50}" width="{wide + 20}" height="{high + 50}" font-family="sans-serif" font-size="12">',
               f'<rect width="{wide + 20}" height="{high + 50}" fill="#fff"/><text x="10" y="18">{self.title}</text>']
        for block, is_border in zip(self.blocks, self.borders):
            x, width_ = 10 + wide * at / total, wide * block.lines / total
            tall = high * min(block.density, 20) / 20
            out.append(f'<rect x="{x:.1f}" y="{high + 30 - tall:.1f}" width="{max(width_ - .3, .3):.1f}" height="{tall:.1f}" fill="#888"/>')
            if is_border:
                out.append(f'<path d="M{x:.1f} 26V{high + 32}" stroke="#d00" stroke-width=".8"/>')
            at += block.lines
        return "\n".join(out + [f'<text x="10" y="{high + 45}">lines of the page; height: tokens per line, 0 to 20; red: borders of segments</text></svg>']) + "\n"


def page_of(lab, segmenter):
    """The page of landmarks with the median number of blocks."""
    records = sorted(lab.records(GOLD[1], segmenter), key=lambda r: (len(r["blocks"]), r["id"]))
    return records[len(records) // 2]


def picture(lab, experiment):
    segmenter = {"8": "bf-plain", "9": "bf-smoothed", "10": "bf-rulebased", "4.9": "bf-plain", "4.10": "bf-smoothed", "4.11": "bf-rulebased"}[experiment.key.split(":F")[1]]
    record = page_of(lab, segmenter)
    blocks = [wrapped(record["full_text"][b["start"]:b["end"]]) for b in record["blocks"]]
    segments = [b["segment"] for b in record["blocks"]]
    borders = [i > 0 and segments[i] != segments[i - 1] for i in range(len(segments))]
    dense = [s["density"] for s in record["segments"] if s["tokens"] >= 50]
    return Result(f"{segmenter} makes {len(record['segments'])} segments of {len(blocks)} blocks; its segments of 50 tokens or more have a density of {min(dense, default=0):.1f} or more (the paper's page: full text has high bars).",
                  ("page", "blocks", "segments", "tokens"), [(record.get("url", record["id"]), len(blocks), len(record["segments"]), record["counts"]["tokens"])],
                  {segmenter: Densities(segmenter, blocks, borders)})


def picture_gold(lab, experiment):
    record = page_of(lab, "bf-plain")
    page = next(page for page in lab.gold_segments(GOLD[1]) if page["id"] == record["id"])
    blocks = [wrapped(record["full_text"][b["start"]:b["end"]]) for b in record["blocks"]]
    votes = collections.defaultdict(collections.Counter)
    for block, label in labels_of(page, record):
        votes[block][label] += 1
    borders, last = [], None
    for number_ in range(len(blocks)):
        label = votes[number_].most_common(1)[0][0] if votes[number_] else last
        borders.append(last is not None and label != last)
        last = label
    changes = [abs(a.density - b.density) for a, b in zip(blocks, blocks[1:])]
    at, elsewhere = [c for c, border in zip(changes, borders[1:]) if border], [c for c, border in zip(changes, borders[1:]) if not border]
    return Result(f"The density changes by {np.mean(at or [0]):.1f} at borders of the gold and by {np.mean(elsewhere or [0]):.1f} elsewhere.", ("page", "blocks", "borders"),
                  [(record.get("url", record["id"]), len(blocks), sum(borders))], {"gold": Densities("gold segments", blocks, borders)})
