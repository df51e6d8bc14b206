#!/bin/sh
# Installs a build into a temporary folder and compiles programs of users against it.
# usage: check.sh BUILD_FOLDER
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
root=$work/all
trap 'rm -rf "$work"' EXIT
mkdir "$root"
cmake --install "$build" --prefix "$root/first" >/dev/null
# Units name the program and the configuration of their installation. An existing configuration is not replaced.
grep -q "^ExecStart=$root/first/bin/thresher serve -c $root/first/etc/thresher/thresher.conf" "$root/first/lib/systemd/system/thresher.service"
"$root/first/bin/thresher" config check "$root/first/etc/thresher/thresher.conf"
echo '; mine' >"$root/first/etc/thresher/thresher.conf"
cmake --install "$build" --prefix "$root/first" >/dev/null
grep -q '; mine' "$root/first/etc/thresher/thresher.conf"
# A moved installation works.
mv "$root/first" "$root/moved"
root=$root/moved
PKG_CONFIG_PATH=$(dirname "$(find "$root" -name libthresher.pc)")
export PKG_CONFIG_PATH
config() { pkg-config "$@"; }
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
for file in man/man1/thresher.1 man/man5/thresher.conf.5 man/man5/thresher-record.5 bash-completion/completions/thresher zsh/vendor-completions/_thresher \
    fish/vendor_completions.d/thresher.fish thresher/grafana/thresher.json thresher/prometheus/alerts.yml thresher/schema/record.json doc/thresher/NOTICE \
    doc/thresher/model-card.md; do
    test -s "$root/share/$file" || { echo "share/$file is not installed"; exit 1; }
done
# Every command has its page.
"$root/bin/thresher" --help | sed -n 's/^  thresher \([a-z]*\) .*/\1/p' >"$root/commands"
test "$(wc -l <"$root/commands")" -gt 10
while read -r command; do
    test -s "$root/share/man/man1/thresher-$command.1" || { echo "thresher-$command(1) is not installed"; exit 1; }
done <"$root/commands"

# Each library exports exactly the functions of its headers.
for library in thresher warc; do
    nm -D --defined-only "$libdir/lib$library.so" | awk '{ print $NF }' | sort >"$root/given"
    # A declaration starts in the first column with the mark; its name is the last word
    # before "(", "[" or ";".
    python3 "$here/declared.py" "$root/include/$library" | sort >"$root/declared"
    diff -u "$root/declared" "$root/given" || { echo "lib$library: declared (-) and given out (+) differ"; exit 1; }
done
needed() { readelf -d "$libdir/lib$1.so" | grep NEEDED; }
! needed thresher | grep -E 'rdkafka|microhttpd|warc' || { echo 'libthresher links what only the program needs'; exit 1; }

# An installation can be removed, except the configuration.
cmake --install "$build" --prefix "$work/again" >/dev/null
cmake -D BUILD="$build" -P "$here/../../deploy/uninstall.cmake" >/dev/null
test "$(cd "$work/again" && find . -type f -o -type l)" = ./etc/thresher/thresher.conf
test ! -e "$work/again/include/thresher" -a ! -e "$work/again/share/thresher"
echo 'installed headers, libraries and pkg-config files work'
