"""Near-duplicates by the largest segment. [KN08 §5.3, K11 §4.2.5, CKP08 §5.2]"""
import json
import os

from result import Result, number

CORPUS = "duplicates/lyrics-like"
METHODS = ("full-text", "word-wrap", "tag-gap", "bf-plain", "bf-smoothed", "bf-rulebased", "just-rules", "dom-cohesion", "gcuts", "cclus", "boundary-graph")
FAMILIES = (("dup", "composed"), ("dup", "markup"), ("dup", "edit90"), ("dup", "edit75"), ("dup", "edit50"), ("dup", "natural"), ("distinct", "composed"), ("distinct", "natural"), ("distinct", "random"))


def rates(lab, segmenter, rule):
    """By label and family: the share of pairs that are judged right."""
    def make():
        path = lab._file(("records", segmenter, rule), ".jsonl")
        words = ["run", "-q", "-j", lab.jobs, "-m", "paper", "-k", "num-words", "-s", segmenter, "-o", f"main-segment={rule}"]
        if segmenter == "full-text":
            words += ["--sign", "page"]
        lines = lab.call(*words, lab.archive(CORPUS))
        if segmenter == "full-text":
            lines = lines.replace(b'"page":"', b'"main":"')
        with open(path, "wb") as out:
            out.write(lines)
        found = json.loads(lab.call("eval", "duplicates", "-q", "--json", lab.path(*CORPUS.split("/")), path))
        os.unlink(path)
        return {(g["label"], g["family"]): g["rate"] for g in found["methods"][0]["groups"] if g["length"] == "all"}
    return lab.once(("duplicates", segmenter, rule), make)


def segmenters(lab, experiment):
    theirs = {"KN08:T3": experiment.values()} if not experiment.key.startswith("CKP08") else {}
    paper = experiment.values() or next(iter(theirs.values()), {})
    rows = []
    for rule in ("largest", "weighed"):
        for name in METHODS:
            if name == "full-text" and rule == "weighed":
                continue
            found = rates(lab, name, rule)
            rows.append((name, "-" if name == "full-text" else rule, *(number(v) for v in paper.get(name, (None, None))), *(number(found.get(key)) for key in FAMILIES)))
    at = lambda name: rates(lab, name, "largest").get(("dup", "composed"), float("nan"))
    apart = lambda name: rates(lab, name, "largest").get(("distinct", "composed"), float("nan"))
    if experiment.key.startswith("CKP08"):
        text = (f"With the largest segment gcuts finds {at('gcuts'):.3f} and cclus {at('cclus'):.3f} of the composed pairs (paper .617 and .343), and keeps {apart('gcuts'):.3f} and {apart('cclus'):.3f} of the others apart (.999 and .949). "
                "Cclus is not worse here, because it knows the tree (see CKP08:F2); some templates have more text than the contents, which lyrics sites do not have.")
    else:
        text = (f"With the largest segment bf-rulebased finds {at('bf-rulebased'):.3f} and just-rules {at('just-rules'):.3f} of the composed pairs (paper .863 and .894), full text {at('full-text'):.3f} (.199), word-wrap {at('word-wrap'):.3f} (.054) and "
                f"tag-gap {at('tag-gap'):.3f} (.169). Word-wrap and tag-gap are better here, because their largest segment is one whole paragraph, and contents are prose; lines of lyrics are short blocks.")
    return Result(text, ("method", "main segment", "found, paper", "distinguished, paper", *(f"{'found' if label == 'dup' else 'apart'}: {family}" for label, family in FAMILIES)), rows)
