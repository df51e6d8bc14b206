#!/bin/sh
# The source distribution in a clean root of Debian 12: pip compiles it from a local index, and every Python package that its build needs from source too.
# Then it runs what python/README.md starts with and wheel_tasks.py, and with PROGRAM compares the records.
# As root, with mmdebstrap and the network. 15 minutes. Exits with 77 if something is missing, and says what.
# usage: sdist.sh [PROGRAM]      ROOTS: a folder where the root is kept and used again
#        sdist.sh --files        only: no file that compiles is missing. Needs python3-venv, the network and the packages of the build, but not root
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
skip() {
    echo "skipped: $1"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
result=0
timeout 300 "$source/python/wheel/sdist.sh" "$work/sdist" >"$work/log" 2>&1 || result=$?
case $result in
0) ;;
69 | 124) skip 'the tools cannot be fetched: no network?' ;;
*) tail -3 "$work/log"; exit 1 ;;
esac
if [ "${1:-}" = --files ]; then
    tar -C "$work" -xzf "$work"/sdist/*.gz
    cmake -G Ninja -S "$work"/thresher_web-* -B "$work/build" -DTHRESHER_PYTHON=ON -DTHRESHER_TESTS=OFF -DTHRESHER_KAFKA=OFF -DTHRESHER_ENDPOINT=OFF \
        -DTHRESHER_ISOLATION=OFF >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    # Ninja names a file that is missing, and compiles nothing.
    ninja -C "$work/build" -n thresher_python thresher_python_program >"$work/log" || { tail -1 "$work/log"; exit 1; }
    tail -1 "$work/log"
    exit 0
fi
[ "$(id -u)" = 0 ] || skip 'the root needs root'
command -v mmdebstrap >/dev/null || skip 'mmdebstrap is not installed'
root=${ROOTS:-$work}/bookworm-sdist
packages=$(tr ' \n' ',,' <"$source/.ci/build-packages" | sed 's/,$//'),python3-venv
if [ ! -d "$root/usr/share/python-wheels" ]; then
    "$here/in_root.sh" --make "$root" bookworm "$packages" 'deb http://deb.debian.org/debian bookworm main' >"$work/log" 2>&1 || { tail -1 "$work/log"; skip 'the root cannot be made: no network?'; }
fi
rm -rf "$root/t"
index=$root/t/index/thresher-web
mkdir -p "$index"
cp "$work"/sdist/thresher_web-*.tar.gz "$index"
(cd "$index" && for file in *.gz; do echo "<a href=\"$file\">$file</a>"; done >index.html)
cp "$source/samples/news.warc.gz" "$source/tests/data/fasttext/softmax.bin" "$source/python/tests/first_lines.py" "$here/wheel_tasks.py" "$root/t"
# shellcheck disable=SC2016 # the inner shell expands
"$here/in_root.sh" "$root" sh -ec '
    cd /t && python3 -m venv v
    start=$(date +%s)
    v/bin/pip install thresher-web --no-binary :all: --extra-index-url file:///t/index --no-cache-dir
    echo "installed in $(($(date +%s) - start)) s"
    v/bin/python first_lines.py news.warc.gz >first.out
    v/bin/python wheel_tasks.py news.warc.gz softmax.bin -'
if [ $# -gt 0 ]; then
    program=$(realpath "$1")
    (cd "$root/t" && "$program" run -q news.warc.gz | cmp - run.jsonl)
fi
echo 'the source distribution installs and runs'
