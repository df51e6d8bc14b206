#!/bin/sh
# Checks the binary interface. A library exports the names in deploy/debian/*.symbols, each with the version that added it.
# Structs have the sizes and member offsets of tests/install/abi.txt. Accept additions with
# --accept. A change that removes or moves a member needs a new major version (CONTRIBUTING.md, "Versions") and new files.
# usage: abi.sh BUILD_FOLDER [--accept]      with libthresher.so and libwarc.so built
set -eu
build=$1 accept=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
version=$(sed -n 's/^project(thresher VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
for library in src/libthresher src/warc/libwarc; do
    file=$(readlink -f "$build/$library.so")
    soname=$(readelf -d "$file" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
    name=${soname%%.so*} number=${soname##*.so.}
    list=$source/deploy/debian/$name$number.symbols
    test -s "$list" || { echo "$soname: $list is missing"; exit 1; }
    grep -qx "$soname $name$number #MINVER#" "$list" || { echo "$list is not of $soname"; failed=1; }
    nm -D --defined-only "$file" | awk '{ print $NF }' | LC_ALL=C sort >"$work/given"
    sed -n 's/^ \(.*\)@Base .*/\1/p' "$list" | LC_ALL=C sort >"$work/listed"
    gone=$(LC_ALL=C comm -13 "$work/given" "$work/listed")
    new=$(LC_ALL=C comm -23 "$work/given" "$work/listed")
    [ -z "$gone" ] || { echo "$soname no longer gives out:" $gone; echo "  a program that uses them breaks: a new major version"; failed=1; }
    if [ -n "$new" ] && [ "$accept" = --accept ]; then
        { head -1 "$list"; { tail -n +2 "$list"; for symbol in $new; do echo " $symbol@Base $version"; done; } | LC_ALL=C sort; } >"$work/list"
        cp "$work/list" "$list"
    elif [ -n "$new" ]; then
        echo "$soname newly gives out:" $new
        echo "  a new minor version; then: tests/install/abi.sh $build --accept"
        failed=1
    fi
done
python3 "$here/structs.py" "$source/include" "$build/include" >"$work/structs.c"
"${CC:-cc}" -std=c11 -I"$source/include" -I"$build/include" "$work/structs.c" -o "$work/structs"
"$work/structs" >"$work/abi.txt"
test "$(wc -l <"$work/abi.txt")" -gt 100
case $(uname -m) in
x86_64 | aarch64) # the same sizes on both
    if [ "$accept" = --accept ]; then
        cp "$work/abi.txt" "$here/abi.txt"
    elif ! diff -u "$here/abi.txt" "$work/abi.txt"; then
        echo '  a member at the end of a struct with a size: a new minor version; then --accept. Anything else: a new major one'
        failed=1
    fi ;;
esac
[ $failed -eq 0 ] && echo 'the binary interface is the one of its version'
exit $failed
