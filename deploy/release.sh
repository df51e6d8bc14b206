#!/bin/sh
# A release: builds every package in clean roots, checks each in another clean root, and prints the checksums. As root, with mmdebstrap, lintian, buildah, runc
# and the network. The source is the current commit: a changed file stops it.
# usage: DEBFULLNAME=... DEBEMAIL=... release.sh OUT_FOLDER [PART...]      parts: source sdist debian wheel container (default: all)
#        SUITES: Debian and Ubuntu suites of the packages, default "bookworm noble"; the container has the first
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || { sed -n '2,6s/^# //p' "$0"; exit 2; }
case ${DEBEMAIL:-} in
*@*.example | *@localhost | '') echo 'release.sh: DEBEMAIL must be an address that receives mail' >&2; exit 2 ;;
esac
[ -z "$(git -C "$here" status --porcelain --untracked-files=no)" ] || { echo 'release.sh: files are changed; commit them first' >&2; exit 2; }
python3 "$here/tests/docs/release.py" "$here" --final
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- source sdist debian wheel container
suites=${SUITES:-bookworm noble}
version=$(sed -n 's/^project(thresher VERSION \([0-9.]*\).*/\1/p' "$here/CMakeLists.txt")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/source"
git -C "$here" archive --format=tar HEAD | tar -C "$work/source" -xf -
source=$work/source
SOURCE_DATE_EPOCH=$(git -C "$here" log -1 --format=%ct)
export SOURCE_DATE_EPOCH
for part; do
    case $part in
    source) git -C "$here" archive --format=tar --prefix="thresher-$version/" HEAD | gzip -9n >"$out/thresher-$version.tar.gz" ;;
    debian)
        # shellcheck disable=SC2086 # the list is meant to be split
        "$source/tests/install/packages.sh" --roots "$work/roots" $suites
        for suite in $suites; do
            mkdir -p "$out/$suite"
            cp "$work/roots/$suite-packages"/made/new/*.deb "$out/$suite"
        done
        ;;
    sdist)
        "$source/python/wheel/sdist.sh" "$out"
        "$source/tests/install/sdist.sh"
        ;;
    wheel)
        "$source/python/wheel/build.sh" "$out"
        "$source/tests/install/wheel.sh" "$out"/thresher_web-"$version"-*.whl 100000 "$source/samples/news.warc.gz"
        ;;
    container)
        "$source/deploy/container/build.sh" "$out/${suites%% *}"/thresher_*.deb "$out/thresher-$version-image.tar"
        "$source/tests/install/container.sh" "$out/thresher-$version-image.tar"
        ;;
    *) echo "release.sh: unknown part '$part'" >&2; exit 2 ;;
    esac
done
cd "$out"
find . -type f ! -name SHA256SUMS | LC_ALL=C sort | xargs sha256sum | tee SHA256SUMS
