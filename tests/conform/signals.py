#!/usr/bin/env python3
"""Quality signals equal datatrove's: its filters keep a text with a threshold just above each value, and drop it just below.

Usage: signals.py [--own-words] THRESHER ARCHIVE...

Needs datatrove (PyPI; tested with 0.10.1). Its filters use a tokenizer for each language. Here they get our words, by a second implementation of the rule in
src/signals/signal_words.c, and then each number must be equal to 6 decimals. --own-words keeps their words (English:
spaCy, which must be installed) and prints for each filter, with its defaults, the number of English texts with the same decision.
"""
import collections
import functools
import json
import pathlib
import re
import subprocess
import sys

from datatrove.data import Document
from datatrove.pipeline.filters import c4_filters, fineweb_quality_filter, gopher_quality_filter, gopher_repetition_filter
from datatrove.utils.text import PUNCTUATION_SET

ROOT = pathlib.Path(__file__).resolve().parents[2]
RANGES = [tuple(int(end, 16) for end in row) for row in
          re.findall(r"\{ 0x([0-9A-F]+), 0x([0-9A-F]+) \}", (ROOT / "src/base/unicode.c").read_text().split("bool th_is_unspaced_slow")[1].split("};")[0])]
STOP_WORDS = {row[0]: re.findall(r'"([^"]+)"', row[1]) for row in
              re.findall(r'\{ "(\w\w)", \{ ([^}]*) \} \}', (ROOT / "src/signals/stop_words.c").read_text())}
EPS = 1.5e-6


def is_unspaced(char):
    return any(first <= ord(char) <= last for first, last in RANGES)


@functools.lru_cache(maxsize=1)  # about sixty requests per page's text, by one filter after the other
def words_of(text, language=None):
    found = []
    for run in text.split():
        start, end = 0, len(run)
        while start < end and run[start] in PUNCTUATION_SET:
            start += 1
        while end > start and run[end - 1] in PUNCTUATION_SET:
            end -= 1
        marks = lambda part: [m[0] for m in re.finditer(r"(.)\1*", part, re.S)]  # noqa: E731
        found += marks(run[:start])
        core = ""
        for char in run[start:end]:
            if is_unspaced(char):
                found += [core] * bool(core) + [char]
                core = ""
            else:
                core += char
        found += [core] * bool(core) + marks(run[end:])
    return found


def passes(filter_, text):
    answer = filter_.filter(Document(text=text, id="x"))
    return answer is True, None if answer is True else answer[1]


class Judge:
    def __init__(self):
        self.checked, self.wrong = collections.Counter(), collections.Counter()

    def say(self, name, is_right, words):
        self.checked[name] += 1
        if not is_right:
            self.wrong[name] += 1
            if self.wrong[name] < 4:
                print("DIFFERS:", name, words)

    def most(self, name, make, value, text):
        """`make(limit)` drops texts above its limit. It treats a limit of 0 as no limit."""
        above = passes(make(value + EPS), text)[0]
        below = value <= 2 * EPS or not passes(make(value - EPS), text)[0]
        self.say(name, above and below, (value, text[:80]))

    def least(self, name, make, value, text):
        below = value <= 2 * EPS or passes(make(value - EPS), text)[0]
        self.say(name, below and not passes(make(value + EPS), text)[0], (value, text[:80]))


def judge_page(judge, text, got, language):
    quality = gopher_quality_filter.GopherQualityFilter
    off = dict(min_doc_words=None, max_doc_words=None, min_avg_word_length=None, max_avg_word_length=None, max_symbol_word_ratio=None,
               max_bullet_lines_ratio=None, max_ellipsis_lines_ratio=None, max_non_alpha_words_ratio=None, min_stop_words=None)
    if got["plain_words"]:
        judge.say("plain_words", passes(quality(**{**off, "max_doc_words": got["plain_words"]}), text)[0]
                  and not passes(quality(**{**off, "min_doc_words": got["plain_words"] + 1}), text)[0], text[:80])
        judge.least("mean_word_length", lambda limit: quality(**{**off, "min_avg_word_length": limit}), got["mean_word_length"], text)
    judge.say("words", len(words_of(text)) == got["words"], text[:80])
    judge.most("hashes, ellipses", lambda limit: quality(**{**off, "max_symbol_word_ratio": limit}), max(got["hashes"], got["ellipses"]), text)
    judge.most("bullet_lines", lambda limit: quality(**{**off, "max_bullet_lines_ratio": limit}), got["bullet_lines"], text)
    judge.most("ellipsis_lines", lambda limit: quality(**{**off, "max_ellipsis_lines_ratio": limit}), got["ellipsis_lines"], text)
    judge.least("alphabetic_words", lambda limit: quality(**{**off, "max_non_alpha_words_ratio": limit}), got["alphabetic_words"], text)
    if "stop_words" in got:
        make = lambda least: quality(**{**off, "min_stop_words": least, "stop_words": STOP_WORDS[language]})  # noqa: E731
        judge.say("stop_words", passes(make(got["stop_words"]), text)[0] and not passes(make(got["stop_words"] + 1), text)[0], text[:80])

    repetition = gopher_repetition_filter.GopherRepetitionFilter
    off = dict(dup_line_frac=None, dup_para_frac=None, dup_line_char_frac=None, dup_para_char_frac=None, top_n_grams=(), dup_n_grams=())
    for name, option in (("duplicate_paragraphs", "dup_para_frac"), ("duplicate_paragraph_chars", "dup_para_char_frac"),
                         ("duplicate_lines", "dup_line_frac"), ("duplicate_line_chars", "dup_line_char_frac")):
        judge.most(name, lambda limit, option=option: repetition(**{**off, option: limit}), got[name], text)
    for option, name, first in (("top_n_grams", "top_ngrams", 2), ("dup_n_grams", "duplicate_ngrams", 5)):
        for n, value in enumerate(got[name], first):
            judge.most(f"{name} {n}", lambda limit, option=option, n=n: repetition(**{**off, option: ((n, limit),)}), value, text)

    fineweb = fineweb_quality_filter.FineWebQualityFilter
    off = dict(line_punct_thr=0, short_line_thr=1e9, char_duplicates_ratio=1e9, new_line_ratio=1e9)
    judge.least("terminal_lines", lambda limit: fineweb(**{**off, "line_punct_thr": limit}), got["terminal_lines"], text)
    for name, option in (("short_lines", "short_line_thr"), ("duplicate_chars", "char_duplicates_ratio"), ("newlines", "new_line_ratio")):
        judge.most(name, lambda limit, option=option: fineweb(**{**off, option: limit}), got[name], text)

    c4 = c4_filters.C4QualityFilter(min_num_sentences=-1)
    reason = passes(c4, text)[1]
    if got["lorem_ipsum"] or got["curly_bracket"]:
        judge.say("lorem_ipsum, curly_bracket", reason in ("lorem_ipsum", "curly_bracket") and got[reason], text[:80])
    else:
        kept, total = (c4.stats[name].total if name in c4.stats.stats else 0 for name in ("line-kept", "line-total"))
        judge.say("c4_lines", reason is None and abs(kept / total - got["c4_lines"]) < EPS, (kept, total, got["c4_lines"], text[:80]))


def decisions(text, got):
    """Each filter's decision with its defaults, by our numbers and by theirs."""
    ours = {
        "gopher quality": 50 <= got["plain_words"] <= 100000 and 3 <= got["mean_word_length"] <= 10 and got["hashes"] <= .1
        and got["ellipses"] <= .1 and got["bullet_lines"] <= .9 and got["ellipsis_lines"] <= .3 and got["alphabetic_words"] >= .8
        and got["stop_words"] >= 2,
        "gopher repetition": got["duplicate_paragraphs"] <= .3 and got["duplicate_paragraph_chars"] <= .2 and got["duplicate_lines"] <= .3
        and got["duplicate_line_chars"] <= .2 and all(v <= m for v, m in zip(got["top_ngrams"], (.2, .18, .16)))
        and all(v <= m for v, m in zip(got["duplicate_ngrams"], (.15, .14, .13, .12, .11, .10))),
        "fineweb": got["terminal_lines"] >= .12 and got["short_lines"] <= .67 and got["duplicate_chars"] <= .01 and got["newlines"] <= .3,
    }
    theirs = {
        "gopher quality": gopher_quality_filter.GopherQualityFilter(), "gopher repetition": gopher_repetition_filter.GopherRepetitionFilter(),
        "fineweb": fineweb_quality_filter.FineWebQualityFilter(),
    }
    for name, filter_ in theirs.items():
        yield name, ours[name], passes(filter_, text)[0]


def main(args):
    own_words = "--own-words" in args
    thresher, *archives = [arg for arg in args if arg != "--own-words"]
    if not own_words:
        for module in (gopher_quality_filter, gopher_repetition_filter, fineweb_quality_filter):
            module.split_into_words = words_of
    done = subprocess.run([thresher, "run", "-q", "-m", "none", "--page-ms", "0", "--emit", "signals", "-O", "-", *archives],
                          stdout=subprocess.PIPE)
    judge, pages = Judge(), 0
    for record in map(json.loads, done.stdout.splitlines()):
        text, got = record["text"], record.get("quality_signals")
        detected = record.get("language_detected", {})
        language = detected["name"].split("-")[0] if detected.get("sure") else "en"
        if not got:
            judge.say("a text without a word has none", not words_of(text), text[:80])
            continue
        if own_words and language != "en":
            continue
        pages += 1
        if own_words:
            for name, mine, other in decisions(text, got):
                judge.say(name, mine == other, (mine, other, record.get("url")))
        else:
            judge_page(judge, text, got, language)
    for name, count in judge.checked.items():
        print(f"{name}: equal on {count - judge.wrong[name]} of {count}")
    print(f"{pages} pages")
    return 1 if (judge.wrong and not own_words) or not pages else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
