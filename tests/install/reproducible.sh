#!/bin/sh
# One source, built in two folders of different names at different times, gives the same bytes.
# usage: reproducible.sh             libwarc, shared and static: a few seconds
#        reproducible.sh packages    everything: the Debian packages, with all that is in them; minutes
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
one=$work/one two=$work/two/with/a/longer/name
for folder in "$one" "$two"; do
    mkdir -p "$folder"
    tar -C "$source" --exclude='./build*' --exclude=./.git -cf - . | tar -C "$folder" -xf -
    find "$folder" -exec touch {} + # times of files do not count
    if [ "${1:-}" = packages ]; then
        CCACHE_DISABLE=1 "$folder/deploy/debian/build.sh" "$folder/made" "$folder/build-deb" >/dev/null
    else
        cmake -S "$folder/src/warc" -B "$folder/build" -DCMAKE_BUILD_TYPE=RelWithDebInfo '-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g' >/dev/null
        CCACHE_DISABLE=1 cmake --build "$folder/build" -j 2 >/dev/null
        mkdir "$folder/made"
        cp "$folder/build/libwarc.a" "$folder"/build/libwarc.so.*.* "$folder/made"
    fi
    sleep 1
done
diff -r "$one/made" "$two/made" || { echo 'two builds differ'; exit 1; }
test "$(find "$one/made" -type f | wc -l)" -gt 1
! grep -rlF "$work" "$one/made" || { echo 'a folder of the build is in what was made'; exit 1; }
(cd "$one/made" && sha256sum ./*)
echo 'two builds, the same bytes'
