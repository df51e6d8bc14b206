#!/bin/sh
# The complete wheel for every Linux with the C library of TARGET. The compiler is zig, so the C library of this machine does not matter.
# Without root, on Debian 12 or Ubuntu 24.04, with the network and these packages:
#   binutils debian-archive-keyring dpkg-dev gcc git icu-devtools make nasm ninja-build perl pkg-config publicsuffix python3-venv
# usage: build.sh [--target TARGET] OUT_FOLDER [WORK]      WORK keeps tools, sources and libraries for the next build (default: a temporary folder)
#        TARGET: x86_64-linux-gnu.2.28 (default), aarch64-linux-gnu.2.28, x86_64-linux-musl, aarch64-linux-musl
set -eu
here=$(cd "$(dirname "$0")" && pwd)
target=x86_64-linux-gnu.2.28
if [ "${1:-}" = --target ]; then
    target=$2
    shift 2
fi
arch=${target%%-*}
source=$(cd "$here/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=${2:-}
if [ -z "$work" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work"
work=$(cd "$work" && pwd)
if [ ! -x "$work/v/bin/twine" ]; then
    python3 -m venv "$work/v"
    "$work/v/bin/pip" install -q ziglang==0.15.2 'scikit-build-core>=0.10' 'cmake<4' wheel twine
fi
sh "$here/libraries.sh" "$target" "$work"
prefix=$work/$target
rm -rf "$prefix/source" "$prefix/made"
mkdir -p "$prefix/source" "$prefix/made/files"
tar -C "$source" --exclude='./build*' --exclude=./.git -cf - . | tar -C "$prefix/source" -xf -
cat "$prefix"/licenses/* >"$prefix/source/LICENSES-OF-LIBRARIES"
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct 2>/dev/null || echo 1767225600)}"
export SOURCE_DATE_EPOCH PATH="$work/v/bin:$PATH" ZIG_GLOBAL_CACHE_DIR="$work/zig" ZIG_LOCAL_CACHE_DIR="$work/zig"
_PYTHON_HOST_PLATFORM=linux-$arch CMAKE_ARGS="-DCMAKE_TOOLCHAIN_FILE=$prefix/toolchain.cmake -DTHRESHER_CLD2=ON" \
    pip wheel -q --no-deps --no-build-isolation --config-settings=build-dir="$prefix/build/thresher" -w "$prefix/made" "$prefix/source"
# The tag says the newest version of glibc whose symbols are used. zig has musl 1.2.
(cd "$prefix/made/files" && python3 -m zipfile -e ../thresher_web-*.whl .)
needed=$(readelf -VW "$prefix"/made/files/thresher/_thresher.so "$prefix"/made/files/thresher/bin/thresher | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -Vu | tail -1)
case $target in
*musl*) tag=musllinux_1_2_$arch ;;
*) tag=manylinux_$(echo "$needed" | cut -d. -f1-2 | tr . _)_$arch ;;
esac
# Nothing else is needed from the system.
others=$(readelf -dW "$prefix"/made/files/thresher/_thresher.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(lib(c|m|pthread|dl|rt|util|resolv)\.so(\.[0-9])?|ld-.*)$' || true)
[ -z "$others" ] || { echo "the library needs $others" >&2; exit 1; }
wheel tags --remove --platform-tag "$tag" "$prefix"/made/thresher_web-*.whl >/dev/null
twine check --strict "$prefix"/made/*.whl
cp "$prefix"/made/*.whl "$out"
for wheel in "$prefix"/made/*.whl; do
    size=$(wc -c <"$wheel")
    echo "${wheel##*/}: $size bytes"
    [ "$size" -lt 13000000 ] || { echo 'a wheel has less than 13,000,000 bytes' >&2; exit 1; }
done
