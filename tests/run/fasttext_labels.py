#!/usr/bin/env python3
"""Models of 2,000 labels: each text has the label of fastText's own program, in every field that has it.

Usage: fasttext_labels.py [--texts N] [--all] THRESHER [MODEL...]

Debian's `fasttext` trains models on made-up languages: each has letters of one script, syllables of these letters, and words of these syllables. The
labels have the form of GlotLID and OpenLID, `__label__abc_Latn`. Without --all only two of the six models are trained. Each MODEL (GlotLID, OpenLID,
lid.176) is compared too, and the files of the environment variable THRESHER_FASTTEXT_MODELS, separated by colons. Prints the number of equal labels of each
model. Exits with 77 if `fasttext` is missing.
"""
import argparse
import decimal
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

LABELS = 2000
SCRIPTS = {  # first and last letter
    "Latn": "az", "Cyrl": "ая", "Grek": "αω", "Hebr": "את", "Arab": "بي", "Deva": "कह", "Geor": "აჰ", "Thai": "กฮ", "Hang": "가깋", "Hani": "一丿", "Ethi": "ሀሏ",
}
# Options of training, and of quantization.
MODELS = {
    "tree.bin": (["-loss", "hs", "-minn", 2, "-maxn", 4, "-wordNgrams", 2, "-bucket", 20000], None),
    "softmax.ftz": (["-loss", "softmax", "-minn", 2, "-maxn", 3, "-bucket", 20000], ["-qnorm", "-cutoff", 20000]),
    "softmax.bin": (["-loss", "softmax", "-minn", 1, "-maxn", 5, "-bucket", 20000], None),
    "all.bin": (["-loss", "ova", "-minn", 2, "-maxn", 3, "-bucket", 20000, "-epoch", 2], None),
    "negatives.bin": (["-loss", "ns", "-minn", 0, "-maxn", 0, "-wordNgrams", 3, "-bucket", 20000], None),
    "tree.ftz": (["-loss", "hs", "-minn", 2, "-maxn", 4, "-wordNgrams", 2, "-bucket", 20000], ["-qout", "-dsub", 4]),
}
FEW = ("tree.bin", "softmax.ftz")
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    assert done.returncode == 0, (command, done.stderr[-2000:])
    return done.stdout


class Language:
    """A made-up language."""

    def __init__(self, number, chance):
        letters = [chr(97 + number // 26 ** k % 26) for k in range(3)]
        script = chance.choice(list(SCRIPTS))
        first, last = map(ord, SCRIPTS[script])
        alphabet = [chr(code) for code in range(first, last + 1) if chr(code).isalpha()]
        own = chance.sample(alphabet, min(len(alphabet), 12))
        self.label = f"{''.join(letters)}_{script}"
        self.syllables = ["".join(chance.choices(own, k=chance.randint(1, 3))) for _ in range(16)]

    def words(self, chance, count):
        return ["".join(chance.choices(self.syllables, k=chance.randint(1, 3))) for _ in range(count)]


def texts_of(languages, count, chance):
    """Texts of one or two languages, from one word on, some with numbers, signs and words that no model knows."""
    texts = []
    while len(texts) < count:
        words = chance.choice(languages).words(chance, chance.choice((1, 2, 3, 5, 8, 13, 40)))
        if chance.random() < .2:
            words += chance.choice(languages).words(chance, chance.randint(1, 12))
        if chance.random() < .2:
            words.insert(chance.randrange(len(words) + 1), chance.choice(("1998", "§", "zzzzzzzz", "😀", "ﬁ", "</s>x", "__label__unknown", "2.50")))
        chance.shuffle(words)
        texts.append(" ".join(words))
    return texts


def sample_texts(thresher):
    """Paragraphs of the sample archives."""
    texts = []
    for path in sorted(SAMPLES.glob("*.warc.gz")):
        for line in run(thresher, "run", "-q", "-m", "none", path).splitlines():
            texts += [part.strip() for part in json.loads(line).get("text", "").split("\n")]
    return [text for text in dict.fromkeys(texts) if text and len(text.encode()) < 4000 and not re.search(r"\s\s|\t", text)]


def train(folder, languages, chance, names):
    with open(folder / "text", "w", encoding="utf-8") as out:
        for _ in range(6):
            for language in languages:
                print("__label__" + language.label, *language.words(chance, chance.randint(4, 16)), file=out)
    for name in names:
        stem = folder / name.replace(".", "_")
        options, quantization = MODELS[name]
        shared = ["-input", folder / "text", "-output", stem, "-thread", 1, "-verbose", 0]
        run("fasttext", "supervised", *shared, "-dim", 16, "-epoch", 3, "-lr", "1.0", "-seed", 7, *options)
        if quantization:
            run("fasttext", "quantize", *shared, *quantization)
        yield stem.with_suffix(".ftz" if quantization else ".bin")


def archive(path, texts):
    with gzip.open(path, "wb", compresslevel=1) as out:
        for number, text in enumerate(texts):
            escaped = text.replace("&", "&amp;").replace("<", "&lt;")
            html = f'<meta charset="utf-8"><body><article><p>{escaped}</p></article>'.encode()
            head = (f"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:{number}>\r\nWARC-Target-URI: http://a.example/{number}\r\n"
                    f"WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: text/html\r\nContent-Length: {len(html)}\r\n\r\n")
            out.write(head.encode() + html + b"\r\n\r\n")


def compare(thresher, model, pages, texts, folder):
    """Returns the number of equal labels, and prints the others."""
    begun = time.monotonic()
    records = [json.loads(line, parse_float=decimal.Decimal) for line in
               run(thresher, "run", "-q", "-k", "keep-all", "-m", "none", "-j", 1, "--language-detector", "fasttext", "--language-fasttext", model, "--language-bytes",
                   1 << 20, "--emit", "paragraph_languages,languages", pages).splitlines()]
    seconds = time.monotonic() - begun
    (folder / "asked").write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    answers = run("fasttext", "predict-prob", model, folder / "asked").decode().split("\n")
    assert len(records) == len(texts) == len(answers) - 1, (len(records), len(texts), len(answers))
    same = 0
    for text, record, answer in zip(texts, records, answers):
        assert record["text"] == text, (record["text"], text)
        second, (paragraph,) = record.get("language_second"), record["paragraph_languages"]
        assert text[paragraph["start"]:paragraph["end"]] == text, paragraph
        assert sum(share["share"] for share in record["languages"]) == 1, record["languages"]
        if not answer:
            assert not second and paragraph["label"] == "und" and "language_detected" not in record, record
            same += 1
            continue
        label, probability = answer.split(" ")
        name, score = label[len("__label__"):], min(1, float(probability))
        if second and second["name"] == name:
            same += 1
        else:
            print(f"{model.name}: fastText {answer}, thresher {second}: {text}")
            continue
        assert abs(float(second["score"]) - score) < 6e-5, (second, answer)
        assert abs(float(paragraph["score"]) - score) < 6e-5, (paragraph, answer)
        if re.fullmatch("[a-z]{3}_[A-Z][a-z]{3}", name):
            assert paragraph["label"] == name and f"{second['iso']}_{second['script']}" == name, record
        assert record["languages"] == [{"label": paragraph["label"] if paragraph["sure"] else "und", "share": 1}], record["languages"]
        assert record["language_detected"]["sure"] == paragraph["sure"] == (second["score"] >= .5) or abs(score - .5) < 1e-4, record
    distinct = len(set(answer.split(" ")[0] for answer in answers))
    print(f"{model.name}: {same} of {len(texts)} labels are equal, {distinct} are distinct; thresher took {seconds:.1f} s", flush=True)
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("thresher")
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    if not shutil.which("fasttext"):
        print("skipped: the program fasttext is missing (Debian: fasttext)")
        return 77
    given = args.models + [pathlib.Path(name) for name in os.environ.get("THRESHER_FASTTEXT_MODELS", "").split(":") if name]
    chance = random.Random(32)
    languages = [Language(number, chance) for number in range(LABELS)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        texts = texts_of(languages, args.texts, chance)
        archive(folder / "pages.warc.gz", texts)
        wrong = 0
        for model in train(folder, languages, chance, MODELS if args.all else FEW):
            wrong += len(texts) - compare(args.thresher, model, folder / "pages.warc.gz", texts, folder)
        if given:
            texts = (sample_texts(args.thresher) + texts)[:args.texts]
            archive(folder / "pages.warc.gz", texts)
        for model in given:
            wrong += len(texts) - compare(args.thresher, model, folder / "pages.warc.gz", texts, folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
