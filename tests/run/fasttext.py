#!/usr/bin/env python3
"""A fastText model of the user: the records have the labels of fastText's own program, and damaged files fail with their name.

Usage: fasttext.py THRESHER

The models are trained here, by Debian's `fasttext`; without it the test is left out (77).
"""
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

SENTENCES = {
    "en": "the people of this town are born free and equal and all of them live with one another in the old houses by the sea",
    "de": "die Leute dieser Stadt sind frei und gleich geboren und alle leben miteinander in den alten Häusern an der See",
    "fr": "les gens de cette ville sont nés libres et égaux et tous vivent ensemble dans les vieilles maisons près de la mer",
}


def run(*command, **options):
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def train(folder):
    """Trains a plain model with n-grams, and a quantized model with some of its buckets."""
    lines = []
    chance = random.Random(17)
    for _ in range(300):
        for name, text in SENTENCES.items():
            lines.append(f"__label__{name} " + " ".join(chance.choices(text.split(), k=12)))
    (folder / "text").write_text("\n".join(lines) + "\n")
    shared = ["-input", folder / "text", "-output", folder / "plain", "-dim", 8, "-minn", 2, "-maxn", 3, "-bucket", 500, "-epoch", 5, "-verbose", 0,
              "-thread", 1, "-lr", "1.0", "-loss", "hs"]
    assert run("fasttext", "supervised", *shared).returncode == 0
    quantised = ["-input", folder / "text", "-output", folder / "plain", "-cutoff", 400, "-qnorm", "-thread", 1]
    assert run("fasttext", "quantize", *quantised).returncode == 0
    return folder / "plain.bin", folder / "plain.ftz"


def train_with_many_labels(folder):
    """Trains models with 2,000 labels: a tree, and a softmax that is also quantized."""
    words = [word for text in SENTENCES.values() for word in text.split()]
    chance = random.Random(5)
    lines = [f"__label__l{i % 2000} w{i % 2000} " + " ".join(chance.choices(words, k=5)) for i in range(4000)]
    (folder / "many").write_text("\n".join(lines) + "\n")
    models = []
    for loss in ("hs", "softmax"):
        shared = ["-input", folder / "many", "-output", folder / loss, "-thread", 1]
        assert run("fasttext", "supervised", *shared, "-dim", 6, "-minn", 2, "-maxn", 3, "-wordNgrams", 2, "-bucket", 3000, "-epoch", 2, "-verbose", 0, "-lr",
                   "1.0", "-loss", loss).returncode == 0
        models.append(folder / f"{loss}.bin")
    assert run("fasttext", "quantize", *shared, "-qout", "-qnorm").returncode == 0
    return [*models, folder / "softmax.ftz"]


def archive(path):
    with open(path, "wb") as out:
        for number, text in enumerate([*SENTENCES.values(), "", "日本国民は正当に選挙された国会における代表者を通じて行動し"]):
            html = f"<html><body><article><p>{text}. {text},\n{text}.</p></article></body></html>".encode()
            head = (f"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:{number}>\r\nWARC-Target-URI: http://a.example/{number}\r\n"
                    f"WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: text/html\r\nContent-Length: {len(html)}\r\n\r\n")
            out.write(head.encode() + html + b"\r\n\r\n")


def says_what_the_program_says(thresher, model, pages, folder, is_of_languages):
    done = run(thresher, "run", "-q", "-k", "keep-all", "-j", 1, "--language-fasttext", model, pages)
    assert done.returncode == 0, done.stderr
    assert done.stdout == run(thresher, "run", "-q", "-k", "keep-all", "-j", 4, "--language-fasttext", model, pages).stdout
    records = [json.loads(line) for line in done.stdout.splitlines()]
    with_text = [record for record in records if record["text"]]
    (folder / "asked").write_text("".join(record["text"].replace("\n", " ") + "\n" for record in with_text))
    answers = run("fasttext", "predict-prob", model, folder / "asked").stdout.decode().splitlines()
    assert len(records) == 5 and len(answers) == len(with_text) >= 4
    for record, answer in zip(with_text, answers):
        label, score = answer.split()
        second = record["language_second"]
        assert second["name"] == label[len("__label__"):], (second, answer)
        assert abs(second["score"] - min(1, float(score))) < 6e-5, (second, answer)
    if is_of_languages:
        assert [record["language_second"]["iso"] for record in with_text[:3]] == ["eng", "deu", "fra"]
    assert not any("language_second" in record for record in records if not record["text"])


def refuses(thresher, pages, path, words):
    done = run(thresher, "run", "-q", "--language-fasttext", path, pages)
    assert done.returncode == 2 and not done.stdout, (path, done.returncode, done.stderr)
    assert words in done.stderr.decode() and str(path) in done.stderr.decode(), done.stderr


def refuses_what_is_damaged(thresher, model, pages, folder):
    whole = model.read_bytes()
    path = folder / "damaged"
    for cut in sorted({0, 63, len(whole) // 2, len(whole) - 1}):
        path.write_bytes(whole[:cut])
        refuses(thresher, pages, path, "truncated file")
    path.write_bytes(whole + b"x")
    refuses(thresher, pages, path, "unexpected bytes after the end of the model")
    for at, words in ((0, "not a fastText model"), (4, "version"), (8, "dimensions"), (28, "word n-grams"), (32, "loss"),
                      (36, "expected a classifier"), (40, "buckets"), (44, "character n-grams"), (64, "dictionary"), (72, "labels")):
        damaged = bytearray(whole)
        damaged[at:at + 4] = b"\xff\xff\xff\xff"
        path.write_bytes(damaged)
        refuses(thresher, pages, path, words)


def knows_its_model_again(thresher, models, pages, folder):
    """--resume with another model under the same name is another job."""
    out, path = folder / "records.jsonl", folder / "model"
    shutil.copy(models[0], path)
    for model, code in ((models[0], 0), (models[1], 2)):
        shutil.copy(model, path)
        done = run(thresher, "run", "-q", "--resume", "--language-fasttext", path, "-O", out, pages)
        assert done.returncode == code, (code, done.stderr)
    assert b"other options" in done.stderr, done.stderr


def main(thresher):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        archive(folder / "pages.warc")
        if not shutil.which("fasttext"):
            print("fasttext (Debian: fasttext) is not there")
            return 77
        models = train(folder)
        for model in models:
            says_what_the_program_says(thresher, model, folder / "pages.warc", folder, True)
        for model in train_with_many_labels(folder):
            says_what_the_program_says(thresher, model, folder / "pages.warc", folder, False)
        refuses_what_is_damaged(thresher, models[1], folder / "pages.warc", folder)
        refuses(thresher, folder / "pages.warc", pathlib.Path(__file__), "not a fastText model")
        knows_its_model_again(thresher, models, folder / "pages.warc", folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
