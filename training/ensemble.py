"""Symmetric trees: trained with CatBoost, turned to integers, evaluated as src/content/ensemble.c does."""
import json
import os
import tempfile
from dataclasses import dataclass

import numpy as np
from catboost import CatBoost, Pool

THREADS = 2  # a part of the result: sums of floats depend on how rows are dealt out


@dataclass
class Ensemble:
    depth: int
    shift: int
    bias: np.ndarray       # i4 [outputs]
    column: np.ndarray     # u1 [trees, depth]
    threshold: np.ndarray  # u1 [trees, depth]; 255: never exceeded
    leaf: np.ndarray       # i2 [trees, outputs, 2^depth]

    def score(self, rows):
        """Integer scores [rows, outputs] in 1/2^shift."""
        out = np.tile(self.bias.astype(np.int32), (len(rows), 1))
        planes = np.ascontiguousarray(np.asarray(rows).T)
        for column, threshold, leaf in zip(self.column, self.threshold, self.leaf):
            index = np.zeros(len(rows), dtype=np.uint8)
            for level, (c, t) in enumerate(zip(column, threshold)):
                index |= (planes[c] > t).astype(np.uint8) << np.uint8(level)
            out += leaf.astype(np.int32)[:, index].T
        return out

    def header(self):
        return dict(trees=len(self.column), depth=self.depth, shift=self.shift, bias=[int(b) for b in self.bias])

    def bytes(self):
        levels = np.stack([self.column, self.threshold], axis=2).astype(np.uint8)
        raw = self.leaf.astype("<i2").tobytes()
        leaves = np.frombuffer(raw, dtype=np.uint8).reshape(-1, 2)
        return levels.tobytes() + leaves[:, 0].tobytes() + leaves[:, 1].tobytes()


def from_bytes(header, outputs, data, at):
    """An ensemble and where it ends in `data`."""
    trees, depth = header["trees"], header["depth"]
    count = trees * outputs << depth
    levels = np.frombuffer(data, np.uint8, 2 * trees * depth, at).reshape(trees, depth, 2)
    at += levels.size
    low = np.frombuffer(data, np.uint8, count, at).astype(np.int32)
    high = np.frombuffer(data, np.uint8, count, at + count).astype(np.int32)
    leaf = (low | high << 8).astype(np.uint16).view(np.int16).reshape(trees, outputs, 1 << depth)
    return Ensemble(depth, header["shift"], np.array(header["bias"], dtype=np.int32),
                    levels[:, :, 0], levels[:, :, 1], leaf), at + 2 * count


def train(rows, target, weight, parameters, seed, names=None):
    """Trains with CatBoost. @return the Ensemble, and the importance of each column"""
    settings = dict(random_seed=seed, thread_count=THREADS, verbose=False, allow_writing_files=False,
                    boosting_type="Plain", **parameters)
    model = CatBoost(settings)
    model.fit(Pool(np.asarray(rows, dtype=np.float32), target, weight=weight, feature_names=names))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        model.save_model(path, format="json")
        with open(path) as file:
            text = json.load(file)
    return to_integers(text, parameters["depth"]), model.get_feature_importance()


def to_integers(text, depth):
    """CatBoost's JSON as integers, with the finest power of two that holds every leaf."""
    scale, bias = text["scale_and_bias"]
    bias = np.atleast_1d(np.array(bias, dtype=np.float64))
    outputs = len(bias)
    trees = text["oblivious_trees"]
    column = np.zeros((len(trees), depth), dtype=np.uint8)
    threshold = np.full((len(trees), depth), 255, dtype=np.uint8)
    leaf = np.zeros((len(trees), outputs, 1 << depth))
    for i, tree in enumerate(trees):
        splits = tree["splits"] or []
        for level, split in enumerate(splits):
            column[i, level] = split["float_feature_index"]
            threshold[i, level] = int(np.floor(split["border"]))
        values = np.array(tree["leaf_values"]).reshape(1 << len(splits), outputs).T * scale
        # levels that a tree lacks are never exceeded: their leaves are not reached
        leaf[i, :, :values.shape[1]] = values
    largest = max(np.abs(leaf).max(initial=0), 1e-9)
    shift = int(min(16, np.floor(np.log2(32767 / largest))))
    return Ensemble(depth, shift, np.rint(bias * 2 ** shift).astype(np.int32), column, threshold,
                    np.rint(leaf * 2 ** shift).astype(np.int16))
