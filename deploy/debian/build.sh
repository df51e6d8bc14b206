#!/bin/sh
# Builds the Debian packages of this source: the distribution's flags, the time of its changelog, the same bytes from any folder.
# usage: build.sh OUT_FOLDER [BUILD_FOLDER]      needs .ci/build-packages, dpkg-dev and file
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
build=${2:-}
if [ -z "$build" ]; then
    build=$(mktemp -d)
    trap 'rm -rf "$build"' EXIT
fi
umask 022
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date -u -d "$(sed -n 's/^ -- .*>  //p' "$source/deploy/debian/changelog.in")" +%s)}
flags() { DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get "$1" | sed 's/-ffile-prefix-map=[^ ]*//; s/-g //'; }
rm -rf "$build/packages"
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
cmake -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DTHRESHER_TESTS=OFF \
    "-DCMAKE_C_FLAGS=$(flags CFLAGS) $(flags CPPFLAGS)" "-DCMAKE_EXE_LINKER_FLAGS=$(flags LDFLAGS)" "-DCMAKE_SHARED_LINKER_FLAGS=$(flags LDFLAGS)" >"$build.log" 2>&1 &&
    cmake --build "$build" -j "$(nproc)" >>"$build.log" 2>&1 &&
    (cd "$build" && cpack -G DEB -B "$build/packages" >>"$build.log" 2>&1) || { tail -30 "$build.log"; exit 1; }
cp "$build"/packages/*.deb "$out"
ls -l "$out"/*.deb
