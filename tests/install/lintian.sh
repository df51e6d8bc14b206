#!/bin/sh
# The Debian packages of a build: lintian finds no error and no warning, each package has license, attributions and a maintainer with an address,
# and the program's package lists the libraries that are linked. Skipped with 77 without lintian. packages.sh also installs them.
# usage: lintian.sh BUILD_FOLDER
set -eu
command -v lintian >/dev/null || { echo 'skipped: no lintian (Debian package lintian)'; exit 77; }
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$build"
cpack -G DEB -B "$work" >"$work/log" 2>&1 || { tail -20 "$work/log"; exit 1; }
# A build with the prefix /usr (deploy/debian/build.sh) uses the distribution's folder of libraries, and has not this one.
lintian --allow-root --fail-on error,warning --suppress-tags pkg-config-unavailable-for-cross-compilation "$work"/*.deb
for package in "$work"/*.deb; do
    name=$(dpkg-deb -f "$package" Package)
    dpkg-deb -x "$package" "$work/$name"
    for file in copyright NOTICE; do
        grep -q 'Murrough Foley' "$work/$name/usr/share/doc/$name/$file" || { echo "$name: $file does not name the sources of the models"; exit 1; }
    done
    ! dpkg-deb -f "$package" Maintainer | grep -q localhost || { echo "$name: the maintainer has no address"; exit 1; }
done
grep -q '"name": "libxml2"' "$work/thresher/usr/share/thresher/sbom.cdx.json"
ls "$work"/thresher/usr/share/doc/thresher/model-card.* >/dev/null
echo 'the packages are clean, and carry their attributions'
