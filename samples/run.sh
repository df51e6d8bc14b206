#!/bin/sh
# Builds thresher and runs it on the archives in this folder. Needs nothing typed before it on Debian 12 or Ubuntu 24.04;
# asks for root only to install packages that are missing. Results: samples/out.
set -eu
cd "$(dirname "$0")/.."
build=build-release
out=samples/out
thresher=$build/src/thresher

# shellcheck disable=SC2046 # the list is meant to be split
.ci/packages.sh $(cat .ci/build-packages)

echo "building thresher in $build ..."
configure() { # a folder that has been set up keeps its generator
    tests=OFF
    ! pkg-config --exists cmocka || tests=ON
    if [ ! -f "$build/CMakeCache.txt" ] && command -v ninja >/dev/null; then set -- -G Ninja; fi
    cmake -S . -B "$build" -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release -DTHRESHER_TESTS="$tests" "$@"
}
{ configure && cmake --build "$build" --target thresher -j "$(nproc)"; } >"$build.log" 2>&1 || {
    cat "$build.log" >&2
    exit 1
}

mkdir -p "$out"
rm -f "$out"/*

# One of the archives is damaged on purpose: code 1 says that damage was met, and that the rest was read.
run() {
    code=0
    "$thresher" run "$@" samples/news.warc.gz samples/damaged.warc.gz || code=$?
    [ "$code" -eq 1 ] || { echo "samples/run.sh: thresher ended with code $code, 1 was expected" >&2; return 1; }
}

echo
echo "running: $thresher run -O $out/records.jsonl --rejects $out/rejects.jsonl samples/*.warc.gz"
run -O "$out/records.jsonl" --rejects "$out/rejects.jsonl" 2>&1
run -q -f warc -O "$out/text.warc.wet.gz" 2>"$build.log" || { cat "$build.log" >&2; exit 1; }
echo
echo "running: $thresher dedup -O $out/clusters.jsonl $out/records.jsonl"
"$thresher" dedup -O "$out/clusters.jsonl" "$out/records.jsonl" 2>&1
page=https://times.example/ferry.html
echo
echo "running: $thresher inspect --compare --html $out/report.html samples/news.warc.gz $page"
"$thresher" inspect -q --compare --html "$out/report.html" samples/news.warc.gz "$page"

echo
echo 'the first record:'
python3 - "$out/records.jsonl" <<'PYTHON'
import json
import sys
import textwrap

with open(sys.argv[1], encoding='utf-8') as records:
    record = json.loads(next(records))
sys.stdout.reconfigure(encoding='utf-8')
print('  title  %s\n  url    %s\n  text' % (record['title'], record['url']))
for line in textwrap.wrap(record['text'], 84)[:6]:
    print('    ' + line)
print('    ...')
PYTHON

cat <<END

look at
  $out/records.jsonl      one line for each page: text, title, author, date, signature, flags
  $out/rejects.jsonl      what gave no page, and why
  $out/clusters.jsonl     which pages tell the same story, and how like they are
  $out/report.html        one of the pages, explained: open it in a browser, click a block, switch the methods
  $out/text.warc.wet.gz   the texts as WARC records, as Common Crawl gives them out
  samples/README.md              what is in the archives; the damage told above was put there
  $thresher run --help
END
