#!/usr/bin/env python3
"""
A whole training on synthetic pages, in seconds: the expected patterns are learned, a model is read as it was
written, and a second training gives the same bytes. Skipped (77) if the packages are missing.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

try:
    import catboost  # noqa: F401
    import numpy as np
    import scipy  # noqa: F401
    import xxhash  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import ensemble  # noqa: E402
import feature_file  # noqa: E402
import made_threads  # noqa: E402
import measures  # noqa: E402
import model_file  # noqa: E402
import odds  # noqa: E402
import pipeline  # noqa: E402
from feature_file import PAGE_TYPES, Features  # noqa: E402

COLUMNS = ["tokens", "links", "token_own", "noise"] + ["type_" + name for name in PAGE_TYPES]
GROUPS = ["text", "text", "token", "text"] + ["type"] * 7


def made_up(pages, seed, tables=None, bare=False, kept=None):
    """Makes pages. Long rows with few links are content and have bucket 7. The page's vector determines its type. One page
    in ten requires only a part of its content."""
    rng = np.random.default_rng(seed)
    rows, label, aligned, tokens, page_of, start, bucket, about, vectors = [], [], [], [], [], [0], [], [], []
    for page in range(pages):
        if kept is not None and f"p{page}" not in kept:
            continue
        is_partial = page % 10 == 3
        gold = 0
        for _ in range(30):
            content = rng.random() < .4
            words = int(rng.gamma(3, 12 if content else 2)) + 1
            links = int(np.clip(rng.normal(30 if content else 150, 40), 0, 255))
            said = [7 if content else 8] if rng.random() < .8 and not bare else []
            value = 128
            if tables is not None:
                table = tables[page % 5]
                value = 128 + sum(int(table.weight[b]) for b in said) // 64
            rows.append([min(255, 16 * int(np.log2(words + 1))), links, np.clip(value, 0, 255),
                         rng.integers(256)] + [255] * 7)
            required = int(content and not (is_partial and words % 2))
            label.append(required)
            aligned.append(255 * required)
            tokens.append(words)
            page_of.append(len(about))
            bucket += said
            start.append(len(bucket))
            gold += words * required
        kind = page % 7
        vectors.append([40 * kind, int(rng.integers(256))])
        site = dict(host=f"h{page % 35}") if page % 9 else {}
        about.append(dict(id=f"p{page}", corpus="recipes" if is_partial else "made-up", **site, fold=page % 5,
                          page_type=PAGE_TYPES[kind], gold_tokens=gold, rows=30))
    header = dict(columns=COLUMNS, groups=GROUPS, page_columns=["kind", "noise"], page_types=PAGE_TYPES,
                  rows=len(rows), pages=len(about))
    u1 = np.uint8
    return Features(header, np.array(rows, u1), np.array(vectors, u1), np.array(label, u1), np.array(aligned, u1),
                    np.array(tokens, np.uint32), np.array(page_of, np.uint32), np.array(start, np.uint32),
                    np.array(bucket, np.uint16), about)


def stand_in(arguments):
    """Replaces `thresher-lab eval` for synthetic pages. This file is the program of the test."""
    if "extraction" in arguments:
        assert os.path.exists(os.path.join(arguments[arguments.index("--fold-models") + 1], "fold-4.model"))
        kinds = [dict(kind="steps", pages=7, kept=.9, lost=.125)]
        print(json.dumps(dict(corpora=[
            dict(corpus="made-up", methods=[dict(pages=63, words=dict(f1=.75), languages=[dict(lang="en", pages=9, f1=.5)])]),
            dict(corpus="snippets", methods=[dict(pages=2, snippets=dict(f1=.25))]),
            dict(corpus="partial", methods=[dict(pages=7, words=dict(f1=.25), required=dict(words_per_required=2, kinds=kinds))])])))
        return
    out = arguments[arguments.index("-O") + 1]
    tables = None
    if "--token-tables" in arguments:
        with open(arguments[arguments.index("--token-tables") + 1], "rb") as file:
            assert file.readline() == b"thresher token tables 1\n"
            assert b'"tables": 5' in file.readline()
            tables = [model_file.TokenTable(int(np.frombuffer(file.read(4), "<i4")[0]),
                                            np.frombuffer(file.read(8192), "<i2")) for _ in range(5)]
    kept = set()
    for corpus in arguments[4:arguments.index("-O")]:
        path = os.path.join(corpus, "pages.jsonl")
        with open(path) if os.path.exists(path) else gzip.open(path + ".gz", "rt") as lines:
            kept |= {json.loads(line)["id"] for line in lines}
    feature_file.write(out, made_up(70, 3, tables, "--without-classes" in arguments, kept))


def test_trees_are_catboosts():
    """The integers of the trees equal CatBoost's own predictions, for one value and for classes."""
    from catboost import CatBoost, Pool
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 256, (2000, 5)).astype(np.uint8)
    for loss, target in (("Logloss", (rows[:, 0] > 99) ^ (rows[:, 1] > 180)), ("MultiClass", rows[:, 2] // 37)):
        parameters = dict(loss_function=loss, iterations=30, depth=5, learning_rate=.2, border_count=64)
        trees, _ = ensemble.train(rows, target.astype(int), None, parameters, 1)
        model = CatBoost(dict(random_seed=1, thread_count=ensemble.THREADS, verbose=False, boosting_type="Plain",
                              allow_writing_files=False, **parameters))
        model.fit(Pool(rows.astype(np.float32), target.astype(int)))
        want = model.predict(rows.astype(np.float32), prediction_type="RawFormulaVal").reshape(len(rows), -1)
        got = trees.score(rows) / 2.0 ** trees.shift
        assert np.abs(got - want).max() < 31 * 2.0 ** -trees.shift, np.abs(got - want).max()


def test_odds():
    z = np.arange(-30 * 65536, 30 * 65536, 997)
    assert np.abs(odds.logistic(z) - 65535 / (1 + np.exp(-z / 65536))).max() <= 1.5
    p = odds.softmax(np.array([[3 * 65536, 2 * 65536, 65536]]))
    assert (np.abs(p - [[43598, 16038, 5900]]) <= 3).all(), p


def test_expected_f1():
    f = made_up(20, 5)
    p = np.where(f.label == 1, 60000, 2000)
    kept = measures.by_expected_f1(f, p)
    assert (kept == f.label).all()
    assert np.nanmin(measures.page_f1(f, kept)) == 1


def train(out):
    program = os.path.join(out, "program")
    with open(program, "w") as file:
        file.write(f"#!/bin/sh\nexec '{sys.executable}' '{os.path.abspath(__file__)}' --stand-in \"$@\"\n")
    os.chmod(program, 0o755)
    corpus = os.path.join(out, "made-up")
    os.mkdir(corpus)
    with open(os.path.join(corpus, "pages.jsonl"), "w") as file:
        file.writelines(json.dumps(dict(id=f"p{page}")) + "\n" for page in range(70))
    subprocess.run([sys.executable, os.path.join(HERE, "train.py"), "--thresher", program, "--out", out,
                    "--set", "paragraph_trees.iterations=30", "--set", "type_trees.iterations=20",
                    "--set", "teacher_trees.iterations=20", corpus],
                   check=True, stdout=subprocess.DEVNULL)
    return {name: open(os.path.join(out, name), "rb").read() for name in sorted(os.listdir(out))
            if name.endswith((".model", ".md", ".json"))}


def test_whole_training():
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        files = train(first)
        assert len(files) == 8, list(files)
        model = model_file.decode(files["final.model"])
        assert model_file.encode(model) == files["final.model"]
        assert model.columns == COLUMNS and model.without_fold is None
        assert model.tokens.weight[7] > 1000 > -1000 > model.tokens.weight[8], model.tokens.weight[7:9]
        assert model_file.decode(files["fold-3.model"]).without_fold == 3
        assert b'"made-up": 0.9' in files["report.json"], files["report.md"][:900]
        for line in (b"| made-up | 63 | 0.7500 |", b"| made-up | en | 9 | 0.5000 |", b"| partial | steps | 7 | 0.9000 | 0.1250 | 2.000 |"):
            assert line in files["report.md"], line
        assert train(second) == files, "a second training gave other bytes"


def data_with_threads(out, left_out, kept=None):
    """Pages, of which one in ten is of a corpus that trains page types only."""
    f = made_up(70, 3, kept=kept)
    for page in f.pages:
        if page["id"].endswith("6"):
            page["corpus"] = "made-threads"
    path = os.path.join(out, f"{len(f.pages)}.features")
    feature_file.write(path, f)
    return pipeline.Data(path, pipeline.Settings(left_out=left_out))


def test_type_corpora():
    """Pages of these corpora train the page types. They train no paragraph, and do not change the weights of other pages."""
    with tempfile.TemporaryDirectory() as out:
        data = data_with_threads(out, ("h2",))
        others = data_with_threads(out, ("h2",), {f"p{page}" for page in range(70) if page % 10 != 6})
    is_left_out = data.site == "h2"
    assert data.is_for_types.sum() == 7 and is_left_out.sum() == 2
    assert ((data.type_weight > 0) == ~is_left_out).all()
    assert ((data.page_weight > 0) == ~is_left_out & ~data.is_for_types).all()
    assert not data.weight[data.is_for_types[data.f.page]].any()
    assert np.allclose(data.page_weight[~data.is_for_types], others.page_weight)


def test_made_threads():
    """Each synthetic page has its gold in its HTML, has both kinds, and is the same each time."""
    pages = list(made_threads.pages())
    assert [page["page_type"] for page in pages].count("forum") * 2 == len(pages) == 216
    assert len({page["id"] for page in pages}) == len(pages)
    for page in pages:
        assert all(text in page["html"] for text in page["gold_text"].split("\n")), page["id"]
    assert list(made_threads.pages()) == pages


def test_drawn_corpora():
    """The drawn pages of a corpus have its name, and are the same each time."""
    with tempfile.TemporaryDirectory() as out:
        corpus = os.path.join(out, "some")
        os.mkdir(corpus)
        with open(os.path.join(corpus, "pages.jsonl"), "w") as file:
            file.writelines(json.dumps(dict(id=f"p{page}")) + "\n" for page in range(400))
        [drawn] = pipeline.draw_corpora([corpus], os.path.join(out, "drawn"), pipeline.Settings())
        assert os.path.basename(drawn) == "some"
        with gzip.open(os.path.join(drawn, "pages.jsonl.gz"), "rt") as lines:
            assert 70 < len(list(lines)) < 130


def test_amid_required():
    """A row between required ones of its page has no label; one at the end, and one of another page, has."""
    required = np.array([1, 0, 0, 1, 0, 0, 1], bool)
    page = np.array([0, 0, 0, 0, 0, 1, 1])
    assert pipeline.is_amid(required, page).tolist() == [False, True, True, False, False, False, False]


if __name__ == "__main__":
    if "--stand-in" in sys.argv:
        stand_in(sys.argv)
    else:
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                test()
                print(f"{name}: holds")
