"""Reads and writes what `thresher-lab eval features` writes: rows of bytes with labels, page by page."""
import json
from dataclasses import dataclass

import numpy as np

FIRST_LINE = b"thresher features 1\n"
PAGE_TYPES = ["article", "collection", "documentation", "forum", "listing", "product", "service"]
NO_WEIGHT = 2  # label of a paragraph that is neither content nor boilerplate


@dataclass
class Features:
    header: dict
    rows: np.ndarray          # u1 [rows, columns]
    page_rows: np.ndarray     # u1 [pages, page columns]
    label: np.ndarray         # u1 [rows]
    aligned: np.ndarray       # u1 [rows], share of tokens that the gold has, of 255
    tokens: np.ndarray        # u4 [rows]
    page: np.ndarray          # u4 [rows]
    bucket_start: np.ndarray  # u4 [rows + 1]
    bucket: np.ndarray        # u2
    pages: list               # of dicts

    @property
    def columns(self):
        return self.header["columns"]

    def array(self, key, default=None):
        return np.array([page.get(key, default) for page in self.pages])

    def row_ranges(self):
        """Returns the first row of each page, and finally the number of rows."""
        return np.searchsorted(self.page, np.arange(len(self.pages) + 1))


def read(path):
    with open(path, "rb") as file:
        if file.readline() != FIRST_LINE:
            raise SystemExit(f"{path}: is not a feature file")
        header = json.loads(file.readline())
    data = np.memmap(path, dtype=np.uint8, mode="r")
    parts = {}
    for section in header["sections"]:
        name, kind, shape, offset = (section[key] for key in ("name", "type", "shape", "offset"))
        if name == "pages":
            size = shape[0] if shape else len(data) - offset
            text = bytes(data[offset:offset + size]).decode("utf-8")
            parts[name] = [json.loads(line) for line in text.splitlines() if line.strip()]
            continue
        dtype = np.dtype("<" + kind)
        count = int(np.prod(shape, dtype=np.int64))
        parts[name] = data[offset:offset + count * dtype.itemsize].view(dtype).reshape(shape)
    features = Features(header=header, **parts)
    if features.rows.shape[1] != len(header["columns"]):
        raise SystemExit(f"{path}: the rows and the header have different numbers of columns")
    return features


def write(path, features):
    """The same format, for tests."""
    order = ["rows", "page_rows", "label", "aligned", "tokens", "page", "bucket_start", "bucket"]
    kinds = dict(rows="u1", page_rows="u1", label="u1", aligned="u1", tokens="u4", page="u4",
                 bucket_start="u4", bucket="u2")
    blobs = [np.ascontiguousarray(getattr(features, name), dtype="<" + kinds[name]) for name in order]
    lines = "".join(json.dumps(page) + "\n" for page in features.pages).encode()
    room = 65536
    offset, sections = room, []
    for name, blob in zip(order, blobs):
        sections.append(dict(name=name, type=kinds[name], shape=list(blob.shape), offset=offset))
        offset = (offset + blob.nbytes + 63) // 64 * 64
    sections.append(dict(name="pages", type="json", shape=[len(lines)], offset=offset))
    header = dict(features.header, sections=sections)
    text = FIRST_LINE + json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(text + b" " * (room - 1 - len(text)) + b"\n")
        for section, blob in zip(sections, blobs):
            file.seek(section["offset"])
            file.write(blob.tobytes())
        file.seek(offset)
        file.write(lines)
