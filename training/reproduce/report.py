"""The report of a run, as Markdown and HTML."""
import html
import os
import re

STYLE = ("body{font:15px/1.45 sans-serif;max-width:1000px;margin:2em auto;padding:0 1em}table{border-collapse:collapse;font-size:13px}"
         "td,th{border:1px solid #ccc;padding:2px 7px;text-align:left}h2{border-top:2px solid #888;padding-top:.5em}.v{font-weight:bold}")


def slug(key):
    return re.sub(r"[^A-Za-z0-9]+", "-", key).strip("-").lower()


class Entry:
    """
    A row of the report.
    result: None if the experiment did not run, and then `why` says why
    seconds, megabytes: time of the clock, and the peak of memory of the run so far
    """

    def __init__(self, experiment, data, result=None, why="", seconds=0.0, megabytes=0, same_as=""):
        self.experiment, self.data, self.result, self.why = experiment, data, result, why
        self.seconds, self.megabytes, self.same_as = seconds, megabytes, same_as

    @property
    def verdict(self):
        return self.experiment.verdict if self.result else "not possible here"

    @property
    def sentence(self):
        return self.result.agreement if self.result else self.why

    def facts(self):
        e = self.experiment
        facts = [("paper", e.paper if e.paper != "-" else "no figures"), ("the paper's data", self.data.theirs if self.data else "none")]
        if self.result:
            facts.append(("data used", self.result.data or (self.data.ours if self.data else "the paper's figures")))
        facts.append(("difference", "; ".join(filter(None, [self.data.difference if self.data else "", e.note])) or "none"))
        if self.result:
            facts.append(("time and memory", f"{self.seconds:.1f} s, {self.megabytes} MB" + (f" (with {self.same_as})" if self.same_as else "")))
        return facts


def _markdown_table(heads, rows):
    clean = [[str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    heads = list(map(str, heads))
    return "\n".join(["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), *("| " + " | ".join(row) + " |" for row in clean)])


def _html_table(heads, rows):
    cells = lambda tag, row: "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in row) + "</tr>"
    return "<table>" + cells("th", heads) + "".join(cells("td", row) for row in rows) + "</table>"


def _summary(entries):
    counts = {}
    for entry in entries:
        counts[entry.verdict] = counts.get(entry.verdict, 0) + 1
    return counts


def write(folder, entries, seconds, megabytes, settings):
    """Writes report.md, report.html and one SVG file for each figure."""
    os.makedirs(folder, exist_ok=True)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(_summary(entries).items()))
    lead = f"{len(entries)} tables, figures and equations: {counts}. The run took {seconds:.0f} s and {megabytes} MB. {settings}"
    heads = ("key", "in the paper", "shows", "verdict", "agreement")
    index = [(e.experiment.key, e.experiment.title, e.experiment.shows, e.verdict, e.sentence) for e in entries]
    md = ["# The papers, repeated", "", lead, "", _markdown_table(heads, index), ""]
    page = [f"<!doctype html><html lang=en><meta charset=utf-8><title>The papers, repeated</title><style>{STYLE}</style><h1>The papers, repeated</h1><p>{html.escape(lead)}</p>",
            _html_table(heads, index)]
    for entry in entries:
        e = entry.experiment
        md += [f"## {e.key}: {e.shows}", "", f"**{entry.verdict}.** {entry.sentence}", ""]
        page += [f'<h2 id="{slug(e.key)}">{html.escape(e.key)}: {html.escape(e.shows)}</h2><p><span class=v>{entry.verdict}.</span> {html.escape(entry.sentence)}</p>']
        if entry.result and entry.result.rows:
            md += [_markdown_table(entry.result.heads, entry.result.rows), ""]
            page.append(_html_table(entry.result.heads, entry.result.rows))
        for name, chart in (entry.result.charts if entry.result else {}).items():
            file, text = f"{slug(e.key)}-{slug(name)}.svg", chart.text()
            with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                out.write(text)
            md += [f"![{name}]({file})", ""]
            page.append(text)
        md += [_markdown_table(("", ""), entry.facts()), ""]
        page.append(_html_table(("", ""), entry.facts()))
    for name, text in (("report.md", "\n".join(md)), ("report.html", "\n".join(page) + "\n")):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write(text)
