"""The result of an experiment."""
from dataclasses import dataclass, field


@dataclass
class Result:
    """
    agreement: one sentence that compares our figures with the paper's.
    heads, rows: our figures, and the paper's next to them.
    charts: by name, objects with text() that returns SVG.
    data: the data that was used, if not the data of the list.
    """
    agreement: str
    heads: tuple = ()
    rows: list = field(default_factory=list)
    charts: dict = field(default_factory=dict)
    data: str = ""


def number(value, digits=3):
    """A figure for a table: -, or the number without a leading zero, or in scientific notation if it is very small or large."""
    if value is None or value != value:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    if value and not 10 ** -digits <= abs(value) < 1e6:
        return f"{value:.3g}"
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
