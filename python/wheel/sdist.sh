#!/bin/sh
# The source distribution for PyPI or a local index: thresher_web-VERSION.tar.gz. Needs python3-venv and the network.
# usage: sdist.sh OUT_FOLDER      Exits with 69 if the tools cannot be fetched
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/v"
"$work/v/bin/pip" install -q build twine 'scikit-build-core>=0.10' || exit 69
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct 2>/dev/null || echo 1767225600)}"
export SOURCE_DATE_EPOCH
"$work/v/bin/python" -m build --sdist --no-isolation -o "$1" "$source"
"$work/v/bin/twine" check --strict "$1"/thresher_web-*.tar.gz
