"""Writes and reads a content model's file; src/content/content_model.h describes it."""
import json
from dataclasses import dataclass, field

import numpy as np
import xxhash

import ensemble
import odds
from feature_file import PAGE_TYPES

FIRST_LINE = b"thresher content model 1\n"
BUCKETS = 4096


@dataclass
class TokenTable:
    bias: int             # log-odds in 1/1024, as the weights
    weight: np.ndarray    # i2 [BUCKETS]


@dataclass
class Model:
    columns: list
    page_columns: list
    tokens: TokenTable
    type: ensemble.Ensemble
    paragraph: ensemble.Ensemble
    calibration: np.ndarray  # i4 [types, 2]: slope, offset in 1/65536
    cut: int
    without_fold: int | None
    sources: list
    training: dict = field(default_factory=dict)

    def type_probability(self, page_rows):
        return odds.type_probabilities(self.type.score(page_rows), self.type.shift)

    def probability(self, rows, type_probability):
        """Scores rows with filled token and type columns; type_probability [rows, types]."""
        score = self.paragraph.score(rows)[:, 0]
        return odds.calibrate(self.calibration, type_probability, score, self.paragraph.shift)


def encode(model):
    header = dict(columns=model.columns, page_columns=model.page_columns, page_types=PAGE_TYPES,
                  tokens=dict(buckets=BUCKETS, bias=int(model.tokens.bias)),
                  type=model.type.header(), paragraph=model.paragraph.header(),
                  calibration=[[int(v) for v in pair] for pair in model.calibration],
                  cut=int(model.cut), without_fold=model.without_fold,
                  sources=model.sources, training=model.training)
    data = (FIRST_LINE + json.dumps(header, separators=(",", ":")).encode("ascii") + b"\n" +
            model.tokens.weight.astype("<i2").tobytes() + model.type.bytes() + model.paragraph.bytes())
    return data + xxhash.xxh3_64_intdigest(data).to_bytes(8, "little")


def decode(data):
    if not data.startswith(FIRST_LINE):
        raise ValueError("not a content model")
    if xxhash.xxh3_64_intdigest(data[:-8]) != int.from_bytes(data[-8:], "little"):
        raise ValueError("damaged: wrong checksum")
    end = data.index(b"\n", len(FIRST_LINE))
    header = json.loads(data[len(FIRST_LINE):end])
    weight = np.frombuffer(data, "<i2", BUCKETS, end + 1)
    types, at = ensemble.from_bytes(header["type"], len(PAGE_TYPES), data, end + 1 + 2 * BUCKETS)
    paragraph, at = ensemble.from_bytes(header["paragraph"], 1, data, at)
    if at != len(data) - 8:
        raise ValueError("wrong length: the header declares another length")
    return Model(header["columns"], header["page_columns"], TokenTable(header["tokens"]["bias"], weight),
                 types, paragraph, np.array(header["calibration"]), header["cut"], header["without_fold"],
                 header["sources"], header["training"])


def write_token_tables(path, tables):
    """Writes the file for `thresher-lab eval features --token-tables`: a table for each fold."""
    with open(path, "wb") as file:
        file.write(b"thresher token tables 1\n")
        file.write(json.dumps(dict(buckets=BUCKETS, tables=len(tables))).encode() + b"\n")
        for table in tables:
            file.write(np.array([table.bias], dtype="<i4").tobytes())
            file.write(table.weight.astype("<i2").tobytes())
