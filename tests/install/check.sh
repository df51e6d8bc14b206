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
    # The same program in C++: names are the library's, not C++'s.
    # shellcheck disable=SC2046
    ! command -v c++ >/dev/null || c++ -std=c++20 -Wall -Werror -x c++ "$here/$program.c" -x none \
        -o "$root/$program.cpp" $(config --cflags --libs $library)
done
LD_LIBRARY_PATH=$libdir "$root/page" >"$root/page.out"
grep -q '^content .*: The rain had stopped' "$root/page.out"
grep -q '^boilerplate .*: Home$' "$root/page.out"
LD_LIBRARY_PATH=$libdir "$root/archive" "$here/../../samples/news.warc.gz" >"$root/archive.out"
grep -q '^response http' "$root/archive.out"
"$root/bin/thresher" --version | grep -q '^thresher [0-9]'
for file in man/man1/thresher.1 man/man1/thresher-run.1 man/man5/thresher.conf.5 bash-completion/completions/thresher; do
    test -s "$root/share/$file" || { echo "share/$file is not installed"; exit 1; }
done

# Each library gives out what its headers declare, all of it and nothing else.
for library in thresher warc; do
    nm -D --defined-only "$libdir/lib$library.so" | awk '{ print $NF }' | sort >"$root/given"
    # A declaration starts in the first column with the mark; its name is the last word
    # before "(", "[" or ";".
    python3 "$here/declared.py" "$root/include/$library" | sort >"$root/declared"
    diff -u "$root/declared" "$root/given" || { echo "lib$library: declared (-) and given out (+) differ"; exit 1; }
done
needed() { readelf -d "$libdir/lib$1.so" | grep NEEDED; }
! needed thresher | grep -E 'rdkafka|lmdb|microhttpd|warc' || { echo 'libthresher links what only the program needs'; exit 1; }
echo 'installed headers, libraries and pkg-config files work'
