#!/bin/sh
# Builds the site with strict links: a link without a target is an error. Needs the program for the reference and the gallery, and the tools of
# requirements.txt, which are installed into build-site if THRESHER_SITE_TOOLS does not name a folder that has them. Pages load nothing from other hosts.
# usage: build.sh OUT_FOLDER [THRESHER]      THRESHER: default build-release/src/thresher
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
thresher=${2:-$here/../build-release/src/thresher}
[ -x "$thresher" ] || { echo "build.sh: no program '$thresher'; samples/run.sh builds it" >&2; exit 2; }
tools=${THRESHER_SITE_TOOLS:-}
if [ -z "$tools" ]; then
    tools=$here/../build-site/bin
    [ -x "$tools/mkdocs" ] || { python3 -m venv "$here/../build-site" && "$tools/pip" install -q -r "$here/requirements.txt"; }
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$here/stage.py" "$work/docs" "$thresher"
cp "$here/mkdocs.yml" "$work"
export NO_MKDOCS_2_WARNING=1
# With -q, strict would not count warnings.
"$tools/mkdocs" build --strict -f "$work/mkdocs.yml" -d "$out" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
echo "$(find "$out" -name '*.html' | wc -l) pages in $out"
