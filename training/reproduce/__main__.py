#!/usr/bin/env python3
"""Repeats the experiments of the papers. `thresher-lab reproduce` starts this program."""
import argparse
import importlib
import os
import resource
import shutil
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the folder can be read-only

import catalog
import report
from lab import Lab, Missing

NEEDS = ("numpy", "scipy", "sklearn", "xxhash")


def parse(words):
    parser = argparse.ArgumentParser(prog="thresher-lab reproduce", description="Repeats the experiments of five papers, and writes report.md, report.html and figures. "
                                     "Needs Python with " + ", ".join(NEEDS) + ".")
    parser.add_argument("--corpora", metavar="DIR", help="folder of corpora")
    parser.add_argument("-O", "--output", metavar="DIR", help="folder for the report")
    parser.add_argument("--list", action="store_true", help="list the experiments, and run none")
    parser.add_argument("--only", metavar="KEYS", default="", help="run these, separated by commas: K11:T4.9, K11:4.9 (table and figure), K11 (all of a paper)")
    parser.add_argument("--quick", action="store_true", help="use 20 pages of each corpus, at equal distances")
    parser.add_argument("-j", "--jobs", type=int, default=2, metavar="N", help="threads of the program [2]")
    parser.add_argument("--work", metavar="DIR", help="folder for measurements, to use again; it must be of the same program and corpora")
    args = parser.parse_args(words)
    if not args.list and not (args.corpora and args.output):
        parser.error("--corpora and --output are needed")
    if args.corpora and not os.path.isdir(args.corpora):
        parser.error(f"'{args.corpora}' is not a folder")
    return parser, args


def megabytes():
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) // 1024


def find_program():
    program = os.environ.get("THRESHER_LAB") or shutil.which("thresher-lab")
    if not program:
        raise SystemExit("thresher-lab reproduce: cannot find thresher-lab; set THRESHER_LAB")
    return program


def entries_of(lab, experiments, data):
    """Runs the experiments in order."""
    done = {}
    for experiment in experiments:
        about = data.get(experiment.data)
        if experiment.run == "-":
            yield report.Entry(experiment, about, why=experiment.note[0].upper() + experiment.note[1:] + ".")
            continue
        same_as = done.get(experiment.run, "")
        start = time.monotonic()
        try:
            module, function = experiment.run.split(".")
            result = getattr(importlib.import_module(module), function)(lab, experiment)
            entry = report.Entry(experiment, about, result, "", time.monotonic() - start, megabytes(), same_as)
        except Missing as error:
            entry = report.Entry(experiment, about, why=f"The data is not here: {error}.")
        done.setdefault(experiment.run, experiment.key)
        print(f"{experiment.key}: {entry.verdict}, {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
        yield entry


def main(words):
    parser, args = parse(words)
    experiments = catalog.read_experiments()
    try:
        experiments = catalog.chosen(experiments, [name for name in args.only.split(",") if name])
    except KeyError as error:
        parser.error(f"there is no experiment {error}; --list names them")
    if args.list:
        for e in experiments:
            print(f"{e.key}\t{e.title}\t{e.verdict}\t{e.shows}")
        return 0
    try:
        for name in NEEDS:
            importlib.import_module(name)
    except ImportError as error:
        print(f"thresher-lab reproduce: {error}; run pip install numpy scipy scikit-learn xxhash", file=sys.stderr)
        return 74
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="thresher-reproduce-") as folder:
        lab = Lab(find_program(), args.corpora, args.work or folder, args.jobs, 20 if args.quick else 0)
        entries = list(entries_of(lab, experiments, catalog.read_data()))
    report.write(args.output, entries, time.monotonic() - start, megabytes(), "Only 20 pages of each corpus were used." if args.quick else "")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
