#!/bin/sh
# Installs a build into a temporary folder and compiles programs of users against it.
# usage: check.sh BUILD_FOLDER
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cmake --install "$build" --prefix "$root" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$root" -name libthresher.pc)")
export PKG_CONFIG_PATH
# The files name the prefix that was configured; this installation stands elsewhere.
config() { pkg-config --define-variable=prefix="$root" "$@"; }
libdir=$(config --variable=libdir libthresher)
for program in page archive; do
    library=libthresher
    [ $program = archive ] && library=libwarc
    # shellcheck disable=SC2046 # flags are meant to be split
    cc -std=c11 -Wall -Wextra -Werror "$here/$program.c" -o "$root/$program" \
        $(config --cflags --libs $library)
done
LD_LIBRARY_PATH=$libdir "$root/page" >"$root/page.out"
grep -q '^content .*: The rain had stopped' "$root/page.out"
grep -q '^boilerplate .*: Home$' "$root/page.out"
LD_LIBRARY_PATH=$libdir "$root/archive" "$here/../../samples/news.warc.gz" >"$root/archive.out"
grep -q '^response http' "$root/archive.out"
"$root/bin/thresher" --version | grep -q '^thresher [0-9]'
echo 'installed headers, libraries and pkg-config files work'
