#!/usr/bin/env python3
"""Where the instructions of a run go, by stage, for docs/measurements/speed.md.

usage: attribution.py ARCHIVE CALLGRIND_OUT...     one column for each file of callgrind

The bytes of the archive, unpacked, are the unit. Each file comes from

    valgrind --tool=callgrind --callgrind-out-file=FILE thresher run -q -j1 -O /dev/null ARCHIVE
"""
import gzip
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from instructions import inclusive  # noqa: E402

# Instructions of the functions, with what they call, less those of the functions after "-".
ROWS = (
    ("inflate and WARC", "th_batch_builder_fill", ""),
    ("charset", "th_charset_decode", ""),
    ("tokenizer", "th_html_tokenizer_feed", "th_builder_start_tag th_builder_end_tag th_builder_text"),
    ("start tags", "th_builder_start_tag", "th_class_table_add"),
    ("class table", "th_class_table_add", ""),
    ("end tags", "th_builder_end_tag", ""),
    ("text", "th_builder_text", ""),
    ("metadata, end of the page", "th_builder_finish", ""),
    ("segment", "th_segment_page", ""),
    ("features: text", "th_feature_text", ""),
    ("features: tree", "th_feature_tree", ""),
    ("features: tokens", "th_feature_tokens", ""),
    ("features: other", "th_features_compute", "th_feature_text th_feature_tree th_feature_tokens"),
    ("trees", "th_ensemble_score th_ensemble_score_one", ""),
    ("decision, comment areas", "th_content_decide", ""),
    ("select, other", "th_select_page", "th_features_compute th_ensemble_score th_ensemble_score_one th_content_decide"),
    ("language", "th_language_page", ""),
    ("sketch", "th_sketch_page", ""),
    ("write", "th_annotation_write", ""),
)


def main():
    archive, *files = sys.argv[1:]
    with gzip.open(archive) as packed:
        size = sum(map(len, iter(lambda: packed.read(1 << 20), b"")))
    names = {name for _, plus, minus in ROWS for name in (plus + " " + minus).split()}
    columns = []
    for file in files:
        costs, total = inclusive(file, names)
        values = [sum(costs[n] for n in plus.split()) - sum(costs[n] for n in minus.split()) for _, plus, minus in ROWS]
        columns.append([*values, total - sum(values), total])
    print("| instructions per byte |" + "".join(f" {pathlib.Path(file).name} |" for file in files))
    print("| --- |" + " ---: |" * len(files))
    for number, stage in enumerate([*(row[0] for row in ROWS), "start of the program, other", "all"]):
        print(f"| {stage} |" + "".join(f" {column[number] / size:.3f} |" for column in columns))


if __name__ == "__main__":
    main()
