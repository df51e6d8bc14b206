#!/bin/sh
# Builds the current commit (Release, warnings are errors) in roots of Debian 13 and Ubuntu 26.04, runs its tests, and compares its records with a program of this
# system. As root, with mmdebstrap, git and the network. 15 minutes a system. ../shared is not in the root, so the tests of the corpora are skipped.
# usage: other_systems.sh [PROGRAM ARCHIVE...]      prints the number of records that differ from the records of PROGRAM, by archive
#        SUITES: default "trixie resolute". ROOTS: a folder where the roots are kept and used again. TESTS: arguments of ctest, default "-LE kafka"
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
program=${1:+$(realpath "$1")}
[ $# -eq 0 ] || shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
roots=${ROOTS:-$work}
needed=$(tr ' \n' ',,' <"$source/.ci/build-packages")libcmocka-dev,dpkg-dev,file,git,mount,man-db,groff,zstd,brotli,kcat,lintian,strace,valgrind,fasttext,python3-venv,python3-pytest,default-jdk-headless,maven
status=0
mkdir "$work/here"
for archive; do cp "$archive" "$work/here"; done
for suite in ${SUITES:-trixie resolute}; do
    root=$roots/$suite
    case $suite in
    noble | resolute) mirror="deb [trusted=yes] http://archive.ubuntu.com/ubuntu $suite main universe" ;;
    *) mirror="deb http://deb.debian.org/debian $suite main" ;;
    esac
    if [ ! -d "$root/usr/share/maven" ]; then
        "$here/in_root.sh" --make "$root" "$suite" "$needed" "$mirror"
        # Java does not read the file of certificates that in_root.sh copies.
        cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/" 2>/dev/null && "$here/in_root.sh" "$root" update-ca-certificates >/dev/null 2>&1 || true
    fi
    rm -rf "$root/src" "$root/t"
    git clone -q --no-hardlinks "$source" "$root/src"
    # shellcheck disable=SC2016,SC2086 # the inner shell expands; the arguments are meant to be split
    "$here/in_root.sh" "$root" sh -c '
        . /etc/os-release && printf "\n== %s: gcc %s" "$PRETTY_NAME" "$(gcc -dumpfullversion)"
        for name in libxml-2.0 icu-uc libcurl rdkafka libzip cmocka; do printf ", %s %s" $name "$(pkg-config --modversion $name)"; done
        echo
        cd /src && { cmake -S . -B build-release -G Ninja -DTHRESHER_WERROR=ON -DTHRESHER_TESTS=ON -DCMAKE_BUILD_TYPE=Release && cmake --build build-release; } >build.log 2>&1 ||
            { tail -40 build.log; exit 1; }
        . tests/counts.sh
        export CTEST_OUTPUT_ON_FAILURE=1
        suite build-release "$@"
        print_counts' sh ${TESTS:--LE kafka} || status=1
    [ -n "$program" ] && [ -x "$root/src/build-release/src/thresher" ] || continue
    cp -r "$work/here" "$root/t"
    for archive; do
        name=$(basename "$archive")
        # Archives may be damaged: the exit codes are compared too.
        (cd "$work/here" && "$program" run -q -j1 -e all -O "$work/a" "$name" 2>/dev/null) || echo $? >>"$work/a"
        # shellcheck disable=SC2016
        "$here/in_root.sh" "$root" sh -c 'cd /t && /src/build-release/src/thresher run -q -j1 -e all -O /t/a "$1" 2>/dev/null' sh "$name" || echo $? >>"$root/t/a"
        touch "$work/a" "$root/t/a"
        echo "$suite: $name: $(grep -c '^{' "$work/a") records, $(diff "$work/a" "$root/t/a" | grep -c '^<') differ"
        rm -f "$work/a" "$root/t/a"
    done
done
exit $status
