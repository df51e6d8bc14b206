#!/bin/sh
# The Debian packages in clean roots: lintian, installation, the daemon started as its unit says, upgrade, removal, purge; a program
# compiled against the -dev packages. As root, with mmdebstrap, lintian and the network; 5 minutes a suite.
# usage: packages.sh [SUITE...]      bookworm (default), noble
#        packages.sh --roots FOLDER [SUITE...]      the build roots are kept in FOLDER and used again
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
roots=$work
if [ "${1:-}" = --roots ]; then
    mkdir -p "$2"
    roots=$(cd "$2" && pwd)
    shift 2
fi
[ $# -gt 0 ] || set -- bookworm
say() { printf '\n== %s\n' "$1"; }
mirror() { # the lines of sources.list
    case $1 in
    noble | jammy) for part in "$1" "$1-updates"; do echo "deb [trusted=yes] http://archive.ubuntu.com/ubuntu $part main universe"; done ;;
    *) echo "deb http://deb.debian.org/debian $1 main" ;;
    esac
}
for suite; do
    say "$suite: packages"
    build=$roots/$suite-packages
    needed=$(tr ' \n' ',,' <"$source/.ci/build-packages" | sed 's/,$//'),dpkg-dev,file
    if [ "$needed" != "$(cat "$build/packages-of-root" 2>/dev/null)" ]; then
        rm -rf "$build"
        mirror "$suite" | "$here/in_root.sh" --make "$build" "$suite" "$needed" -
        echo "$needed" >"$build/packages-of-root"
    fi
    rm -rf "$build/src" "$build/made"
    mkdir "$build/src"
    tar -C "$source" --exclude='./build*' --exclude=./.git -cf - . | tar -C "$build/src" -xf -
    chmod -R g+w "$build/src" # as in a source tarball of git
    # Two versions: an upgrade goes from one to the other.
    "$here/in_root.sh" "$build" sh -ec 'export CMAKE_GENERATOR=Ninja
        /src/deploy/debian/build.sh /made/new /build-new
        sed -i "s/PACKAGE_RELEASE 0thresher1)/PACKAGE_RELEASE 0thresher0)/" /src/deploy/packages.cmake
        /src/deploy/debian/build.sh /made/old /build-new'

    say "$suite: lintian"
    lintian --allow-root --fail-on error,warning "$build"/made/new/*.deb

    say "$suite: a clean root"
    root=$work/$suite-clean
    mirror "$suite" | "$here/in_root.sh" --make "$root" "$suite" "" -
    cp -r "$build/made" "$root/made"
    mkdir "$root/t"
    cp "$source"/samples/news.warc.gz "$here"/page.c "$here"/archive.c "$here"/packages_inside.sh "$root/t"
    "$here/in_root.sh" "$root" sh /t/packages_inside.sh
done
say 'packages install, run, upgrade and go'
