"""The list of experiments (experiments.tsv) and of data (data.tsv)."""
import csv
import os
from typing import NamedTuple

FOLDER = os.path.dirname(os.path.abspath(__file__))
VERDICTS = ("reproduced", "reproduced on other data", "not possible here")
PAPERS = ("KN08", "K11", "CKP08", "B14", "H25")


class Data(NamedTuple):
    name: str
    theirs: str
    ours: str
    difference: str


class Experiment(NamedTuple):
    """A table, figure, equation or appendix of a paper. `run` names a function of a module here, "-" if there is none."""
    key: str
    shows: str
    data: str
    run: str
    columns: str
    paper: str
    verdict: str
    note: str

    @property
    def paper_name(self):
        return self.key.split(":")[0]

    @property
    def title(self):
        """The name in the paper, such as Table 4.9."""
        kind, number = self.key.split(":")[1][0], self.key.split(":")[1][1:]
        return {"T": "Table ", "F": "Figure ", "E": "Equation ", "A": "Appendix A"}[kind] + number

    def values(self):
        """The paper's figures by name: `bf-plain=.60 .75; gcuts=.60 .76` is {"bf-plain": [.6, .75], ...}. A part without numbers is left out."""
        found = {}
        for part in self.paper.split("; "):
            name, _, numbers = part.rpartition("=")
            try:
                found[name] = [float("nan") if word == "-" else float(word) for word in numbers.split()]
            except ValueError:
                continue
        found.pop("", None)
        return found


def _rows(name):
    with open(os.path.join(FOLDER, name), newline="", encoding="utf-8") as lines:
        rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    if any(len(row) != len(rows[0]) for row in rows):
        raise ValueError(f"{name}: each line needs {len(rows[0])} fields")
    return rows[1:]


def read_data():
    return {row[0]: Data(*row) for row in _rows("data.tsv")}


def read_experiments():
    """All rows, in the order of the list. A row whose values are `as KEY` has the values and columns of that row."""
    rows = {row[0]: Experiment(*row) for row in _rows("experiments.tsv")}
    for key, row in rows.items():
        if row.paper.startswith("as "):
            same = rows[row.paper[3:]]
            rows[key] = row._replace(paper=same.paper, columns=same.columns)
    return list(rows.values())


def chosen(experiments, names):
    """The experiments that `names` select: a key (K11:T4.9), a number without its kind (K11:4.9), or a paper (K11). Raises KeyError for others."""
    if not names:
        return experiments
    found = set()
    for name in names:
        hits = {e.key for e in experiments if name in (e.key, e.paper_name, e.key.replace(":" + e.key.split(":")[1][0], ":"))}
        if not hits:
            raise KeyError(name)
        found |= hits
    return [e for e in experiments if e.key in found]
