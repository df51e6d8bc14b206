#!/usr/bin/env python3
"""Instructions of the language stage: CLD2, and models of 2,000 labels with 256 dimensions as GlotLID and OpenLID have them.

usage: languages.py [--only WORD] THRESHER...     one row for each mode and program; --only: the modes whose name contains the word

Debian's `fasttext` trains the models on the languages of tests/run/fasttext_labels.py: with softmax, and with a tree (hierarchical softmax). Both are
nearly untrained, which does not change the cost of softmax. A tree that is sure costs less, because its search omits more nodes. callgrind counts
on tests/data/instructions.warc.gz, with one worker. Modes that a program does not know are left out.
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "run")]
import fasttext_labels
import instructions

PAGES = 56
MODES = {  # name, options; MODEL is the name of a model
    "off": [],
    "languages": ["--emit", "languages"],
    "paragraph_languages": ["--emit", "paragraph_languages"],
    "softmax second": ["--language-fasttext", "softmax"],
    "softmax first": ["--language-fasttext", "softmax", "--language-detector", "fasttext"],
    "softmax first, paragraph_languages": ["--language-fasttext", "softmax", "--language-detector", "fasttext", "--emit", "paragraph_languages"],
    "tree second": ["--language-fasttext", "hs"],
    "tree first, paragraph_languages": ["--language-fasttext", "hs", "--language-detector", "fasttext", "--emit", "paragraph_languages"],
}


def train(folder):
    chance = random.Random(1)
    languages = [fasttext_labels.Language(number, chance) for number in range(fasttext_labels.LABELS)]
    with open(folder / "text", "w", encoding="utf-8") as out:
        for language in languages:
            print("__label__" + language.label, *language.words(chance, 10), file=out)
    for loss in ("softmax", "hs"):
        fasttext_labels.run("fasttext", "supervised", "-input", folder / "text", "-output", folder / loss, "-dim", 256, "-minn", 2, "-maxn", 5, "-bucket", 200000,
                            "-epoch", 1, "-thread", 1, "-verbose", 0, "-loss", loss)


def measure(thresher, options, folder):
    """Returns the costs of functions and of the program, None if the program does not know an option."""
    out = folder / "callgrind.out"
    named = [str(folder / (option + ".bin")) if option in ("softmax", "hs") else option for option in options]
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", thresher, "run", "-q", "-j", "1", "--page-ms", "0", "-O", "/dev/null", *named,
                           str(instructions.ARCHIVE)], capture_output=True, text=True, env=dict(os.environ, LC_ALL="C"))
    if done.returncode == 2:
        return None
    assert done.returncode == 0, done.stderr[-2000:]
    return instructions.inclusive(out, {"th_language_page", "th_annotation_write", "th_fasttext_load"})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("programs", nargs="+")
    args = parser.parse_args()
    print(f"{'mode':36} {'program':>10} {'a page':>13} {'language':>13} {'write':>10} {'load':>13}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        train(folder)
        for mode, options in MODES.items():
            for number, program in enumerate(args.programs):
                found = measure(program, options, folder) if args.only in mode else None
                if not found:
                    continue
                costs, total = found
                load = costs["th_fasttext_load"]
                print(f"{mode:36} {number + 1:10} {(total - load) // PAGES:13,} {costs['th_language_page'] // PAGES:13,} {costs['th_annotation_write'] // PAGES:10,} {load:13,}",
                      flush=True)


if __name__ == "__main__":
    main()
