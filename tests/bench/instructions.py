#!/usr/bin/env python3
"""Instructions of each stage, held to the kept numbers: a budget that cannot be lost unnoticed.

usage: instructions.py THRESHER             compare; exit code 1 if a stage differs by more than 2 %
       instructions.py --accept THRESHER    keep this program's numbers, after a change that is meant

callgrind counts the instructions of a Release build on tests/data/instructions.warc.gz (instructions_pages.py), with one worker. It offers AVX2
and nothing wider, so the program takes the same branches on every machine with AVX2; GLIBC_TUNABLES fixes libc's choices. The numbers belong
to a compiler and to the versions of the libraries; for others, and without valgrind or AVX2, the test is skipped (exit code 77). A stage below
its number fails too: accept the new number, so that the gain is kept.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ARCHIVE = HERE.parent / "data" / "instructions.warc.gz"
KEPT = HERE / "instructions.json"
TOLERANCE = .02
LEAST = 100_000  # a stage with fewer instructions does nothing in this mode
# A stage's function, which no compiler inlines: another file calls it. A stage has what its callees take, in libraries too.
STAGES = {
    "read": "th_batch_builder_fill",
    "parse": "th_parse_html",
    "segment": "th_segment_page",
    "select": "th_select_page",
    "features": "th_features_compute",
    "language": "th_language_page",
    "sketch": "th_sketch_page",
    "write": "th_annotation_write",
    "page": "th_pipeline_run",
}
MODES = {"default": [], "rules": ["-k", "num-words", "--language-detector", "none"]}
LIBRARIES = ("icu", "cld2", "libxml2", "xxhash", "zlib")


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def build_of(thresher):
    """The key of the kept numbers: compiler, libraries."""
    sections = subprocess.run(["readelf", "-p", ".comment", thresher], capture_output=True, text=True).stdout
    compilers = sorted(set(re.findall(r"\]\s+(.+)", sections)))
    version = json.loads(subprocess.run([thresher, "version", "--json"], capture_output=True, text=True, check=True).stdout)
    linked = subprocess.run(["ldd", thresher], capture_output=True, text=True).stdout
    inflate = "libdeflate" if "libdeflate" in linked else "ISA-L" if "libisal" in linked else "zlib"
    libraries = [f"{name} {version['libraries'][name]}" for name in LIBRARIES if name in version["libraries"]]
    return "; ".join([", ".join(compilers) or "unknown compiler", *libraries, inflate, os.confstr("CS_GNU_LIBC_VERSION")])


def inclusive(path, names):
    """Instructions of functions with what they call, and of the program, out of callgrind's file."""
    costs, known = dict.fromkeys(names, 0), {}
    now, total = None, 0
    for line in open(path, errors="replace"):
        if line.startswith(("fn=", "cfn=")):
            number, name = re.match(r"c?fn=(?:\((\d+)\) ?)?(.*)", line).groups()
            if number and name:
                known[number] = name
            if line.startswith("fn="):
                now = re.sub(r"'\d+$", "", name or known[number])
        elif line[:1].isdigit() or line[:1] in "+-*":
            if now in costs:
                costs[now] += int(line.split()[1])
        elif line.startswith(("totals:", "summary:")):
            total = int(line.split()[1])
    return costs, total


def measure(thresher):
    found = {}
    environment = dict(os.environ, GLIBC_TUNABLES="glibc.cpu.hwcaps=-ERMS,-FSRM,-AVX512F,-AVX512VL,-AVX512BW", LC_ALL="C")
    for mode, options in MODES.items():
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}",
                                   thresher, "run", "-q", "-j", "1", "--page-ms", "0", "-O", "/dev/null", *options, str(ARCHIVE)],
                                  capture_output=True, text=True, env=environment)
            if done.returncode:
                sys.exit(f"valgrind failed:\n{done.stderr[-2000:]}")
            costs, _ = inclusive(out, set(STAGES.values()))
        for stage, function in STAGES.items():
            if not costs[function] and mode == "default":
                sys.exit(f"callgrind saw no call of {function}")
            if costs[function] >= LEAST:
                found[f"{mode} {stage}"] = costs[function]
    return found


def main():
    is_accepted = sys.argv[1:2] == ["--accept"]
    thresher = sys.argv[-1]
    if not shutil.which("valgrind"):
        skip("valgrind is not installed")
    if not shutil.which("readelf"):
        skip("readelf is not installed")
    cpu = pathlib.Path("/proc/cpuinfo")
    if not cpu.exists() or " avx2 " not in cpu.read_text():
        skip("this processor has no AVX2")
    build = build_of(thresher)
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if not is_accepted and build not in kept:
        skip(f"no numbers are kept for {build}")
    found = measure(thresher)
    if is_accepted:
        kept[build] = found
        KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    before = kept[build]
    bad = []
    print(f"{'stage':18} {'kept':>13} {'found':>13}")
    for stage in sorted(before.keys() | found.keys()):
        old, new = before.get(stage, 0), found.get(stage, 0)
        is_bad = not old or abs(new - old) > TOLERANCE * old
        bad += [stage] if is_bad else []
        print(f"{stage:18} {old:13,} {new:13,} {100 * (new - old) / old if old else 100:+7.2f} %{' <-- differs' if is_bad else ''}")
    if bad:
        print(f"{len(bad)} stages differ by more than {100 * TOLERANCE:g} %. If that is meant: {pathlib.Path(sys.argv[0]).name} --accept {thresher}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
