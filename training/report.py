"""Writes the results of a training as Markdown and JSON."""
import json
import subprocess

import numpy as np

import measures
from feature_file import PAGE_TYPES
from pipeline import say

WORST = 50


def sources_of(path, data):
    """Lists corpora with their pages and their entries in the file of sources."""
    known = {}
    if path:
        with open(path) as file:
            known = json.load(file)
    names, counts = np.unique(data.corpus[data.type_weight > 0], return_counts=True)
    return [dict(name=str(name), pages=int(count), **known.get(str(name), {})) for name, count in zip(names, counts)]


def groups_of(data):
    """Names and pages: every corpus, wcxb-dev by type, both parts of WCXB."""
    groups = [(str(name), data.corpus == name) for name in np.unique(data.corpus)]
    wcxb = np.isin(data.corpus, ["wcxb-dev", "wcxb-train"])
    if wcxb.any():
        groups.append(("wcxb-dev and wcxb-train", wcxb))
    typed = np.array([page.get("page_type") or "" for page in data.f.pages])
    for corpus in ("wcxb-dev", "wcxb-train"):
        for name in PAGE_TYPES:
            pages = (data.corpus == corpus) & (typed == name)
            if pages.any():
                groups.append((f"{corpus}, {name}", pages))
    return groups


def scores(data, result, cut):
    return dict(cut=measures.page_f1(data.f, measures.by_cut(result.probability, cut)),
                expected=measures.page_f1(data.f, measures.by_expected_f1(data.f, result.probability)),
                best=measures.page_f1(data.f, (data.f.aligned >= 128).astype(float)))


def row(cell):
    return "–" if cell is None else f"{cell['mean']:.3f} ({cell['low']:.3f}–{cell['high']:.3f})"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


def ablate(training, fill, cross_validate):
    """F1 on wcxb-dev and on all pages without each group of features."""
    data = training.base
    groups = np.array(data.f.header["groups"])
    out = {}
    for group in dict.fromkeys(groups.tolist()):
        known = data.f.rows[:, groups == group]
        if group != "type" and (known == known[0]).all():  # the types' columns are filled in later
            continue  # nothing is known of it
        results, _, _, _ = cross_validate(training, fill, groups != group)
        f1 = measures.page_f1(data.f, measures.by_expected_f1(data.f, results[0].probability))
        out[group] = dict(all=float(np.nanmean(f1)), wcxb_dev=float(np.nanmean(f1[data.corpus == "wcxb-dev"])))
        say(f"without {group}: {out[group]['all']:.4f}, wcxb-dev {out[group]['wcxb_dev']:.4f}")
    return out


def parts_of(name, method):
    """Rows of the table by kind of page, language and generator."""
    for key, member in (("page_types", "page_type"), ("languages", "lang"), ("generators", "generator")):
        for part in method.get(key, []):
            yield [name, part[member], part["pages"], f"{part['f1']:.4f}"]


def decision(program, corpora, out):
    """
    Measures the complete decision with the fold models in `out`.
    @return the tables as Markdown, and the report of `thresher-lab eval`
    """
    command = [program, "eval", "extraction", "-q", "--json", "--resamples", "0", "--classifiers", "learned", "--fold-models", out]
    found = json.loads(subprocess.run(command + list(corpora), check=True, stdout=subprocess.PIPE).stdout)["corpora"]
    methods = {corpus["corpus"]: corpus["methods"][0] for corpus in found}
    partial = {name: method["required"] for name, method in methods.items() if method.get("required")}
    complete = {name: method for name, method in methods.items() if name not in partial and "words" in method}  # not snippets
    text = ["## The complete decision", "",
            "`thresher-lab eval extraction --classifiers learned --fold-models OUT CORPUS...`: each page is judged by the model that has not seen its site.", "",
            table(["corpus", "pages", "words F1"], [[name, m["pages"], f"{m['words']['f1']:.4f}"] for name, m in complete.items()]),
            table(["corpus", "kind, language or generator", "pages", "words F1"],
                  [row for name, m in complete.items() for row in parts_of(name, m)])]
    if partial:
        text.append(table(["corpus", "required lines", "pages", "kept", "pages that lose them", "words for each required word"],
                          [[name, kind["kind"], kind["pages"], f"{kind['kept']:.4f}", f"{kind['lost']:.4f}", f"{lines['words_per_required']:.3f}"]
                           for name, lines in partial.items() for kind in lines["kinds"]]))
    return "\n".join(text), found


def make(training, results, cut, importance, ablations):
    """@return the report's text, and its figures"""
    data, bare = training.base, training.bare
    with_classes, without = scores(data, results[0], cut), scores(bare, results[1], cut)
    figures, lines = dict(summary={}, groups={}), []
    drawn = dict(groups_of(bare))
    for name, pages in groups_of(data):
        if data.is_partial[pages].all():
            continue
        cells = {key: measures.interval(values[pages], data.site[pages])
                 for key, values in (("cut", with_classes["cut"]), ("expected", with_classes["expected"]),
                                     ("best", with_classes["best"]))}
        cells["without_classes"] = measures.interval(without["expected"][drawn[name]], bare.site[drawn[name]]) if name in drawn else None
        if cells["cut"] is None:
            continue
        figures["groups"][name] = cells
        figures["summary"][name] = round(cells["expected"]["mean"], 4)
        lines.append([name, cells["cut"]["pages"], row(cells["cut"]), row(cells["expected"]),
                      row(cells["without_classes"]), f"{cells['best']['mean']:.3f}"])
    text = ["# Content model: cross-validation by site", "",
            f"{len(data.f.pages)} pages, {len(data.f.rows)} paragraphs, {len(np.unique(data.site))} sites, 5 folds. "
            "Words F1 from aligned paragraphs, means of pages with 95 % intervals (sites drawn with replacement). "
            "`cut` uses the same threshold for all pages. `expected` uses each page's best expected F1, with its threshold between "
            ".25 and .60. `best` uses all paragraphs with half of their words in the gold.", "",
            table(["pages", "number", f"cut {cut / 65535:.3f}", "expected", "expected, no classes, a quarter of the pages", "best"], lines)]
    known = data.known_type >= 0
    said = results[0].type_probability.argmax(axis=1)
    right = float((said == data.known_type)[known].mean())
    dev = known & (data.corpus == "wcxb-dev")
    figures["page_type"] = dict(all=right, wcxb_dev=float((said == data.known_type)[dev].mean()) if dev.any() else None)
    text += [f"Correct page types: {right:.3f}" + (f", wcxb-dev {figures['page_type']['wcxb_dev']:.3f}" if dev.any() else ""), "",
             table(["true type, predicted type"] + PAGE_TYPES,
                   [[name] + [int(((data.known_type == i) & (said == j)).sum()) for j in range(len(PAGE_TYPES))]
                    for i, name in enumerate(PAGE_TYPES)])]
    groups, columns = np.array(data.f.header["groups"]), np.array(data.f.columns)
    share = importance / max(importance.sum(), 1e-9)
    figures["importance"] = dict(groups={g: float(share[groups == g].sum()) for g in dict.fromkeys(groups.tolist())},
                                 columns={str(columns[i]): float(share[i]) for i in np.argsort(-share)})
    text += ["## Groups of features", "",
             table(["group", "importance"] + (["F1 of all without it", "wcxb-dev"] if ablations else []),
                   [[g, f"{v:.3f}"] + ([f"{ablations[g]['all']:.4f}", f"{ablations[g]['wcxb_dev']:.4f}"]
                                       if g in ablations else ["–", "–"] if ablations else [])
                    for g, v in sorted(figures["importance"]["groups"].items(), key=lambda pair: -pair[1])]),
             "", "Most important features: " + ", ".join(
                 f"{columns[i]} {share[i]:.3f}" for i in np.argsort(-share)[:25]), ""]
    figures["ablations"] = ablations
    f1 = np.where(data.is_partial, np.nan, with_classes["expected"])
    worst = [i for i in np.argsort(np.where(np.isnan(f1), 2, f1), kind="stable")[:WORST]]
    figures["worst"] = [dict(id=str(data.f.pages[i]["id"]), corpus=str(data.corpus[i]), f1=float(f1[i]),
                             best=float(with_classes["best"][i]), type=data.f.pages[i].get("page_type"),
                             called=PAGE_TYPES[said[i]]) for i in worst]
    text += ["## Worst pages", "", table(["id", "corpus", "F1", "best", "type", "called"],
                                         [[p["id"], p["corpus"], f"{p['f1']:.3f}", f"{p['best']:.3f}",
                                           p["type"] or "", p["called"]] for p in figures["worst"]])]
    return "\n".join(text), figures
