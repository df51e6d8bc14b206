#!/bin/sh
# Installs a wheel in clean roots without compiler or libraries: Debian 11 to 13, Ubuntu 24.04 and 26.04. In each it runs what python/README.md starts with and
# wheel_tasks.py, and compares the records. Prints a table, and names a system that cannot be fetched.
# As root, with mmdebstrap and the network, and for s3:// Java and Maven (or S3PROXY_JARS, a folder of S3Proxy's jars). 5 minutes.
# usage: wheel.sh WHEEL [CALLS ARCHIVE...]      CALLS: python/tests/many_extracts.py in the first root, on the archives
#        SUITES: default "bookworm trixie noble resolute bullseye". ROOTS: a folder where the roots are kept and used again
#        A wheel for aarch64 is tried under qemu (qemu-user-static, binfmt-support, arch-test).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
wheel=$(realpath "$1") calls=${2:-0}
case $wheel in *_aarch64.whl) export ROOT_ARCH=arm64 ;; esac
shift
[ $# -eq 0 ] || shift
work=$(mktemp -d)
store=
trap '[ -z "$store" ] || kill "$store" 2>/dev/null || true; rm -rf "$work"' EXIT
. "$here/store.sh"
start_store
mkdir "$work/t"
cp "$wheel" "$source/samples/news.warc.gz" "$source/tests/data/fasttext/softmax.bin" "$source"/python/tests/first_lines.py "$source"/python/tests/many_extracts.py \
    "$here/wheel_tasks.py" "$work/t"
echo "${wheel##*/}: $(wc -c <"$wheel") bytes"
echo '| system | C library | Python | installed | tasks, seconds |'
echo '| --- | --- | --- | --- | --- |'
roots=${ROOTS:-$work}
first=
for suite in ${SUITES:-bookworm trixie noble resolute bullseye}; do
    root=$roots/$suite
    case $suite in
    noble | resolute)
        mirror=http://archive.ubuntu.com/ubuntu
        [ "${ROOT_ARCH:-amd64}" = amd64 ] || mirror=http://ports.ubuntu.com/ubuntu-ports
        mirror="deb [trusted=yes] $mirror $suite main universe"
        ;;
    *) mirror="deb http://deb.debian.org/debian $suite main" ;;
    esac
    if [ ! -d "$root/usr/share/python-wheels" ] && ! "$here/in_root.sh" --make "$root" "$suite" python3-venv "$mirror" >"$work/log" 2>&1; then
        echo "| $suite | skipped: $(grep -m 1 '^E: ' "$work/log" || tail -1 "$work/log") |"
        rm -rf "$root"
        continue
    fi
    rm -rf "$root/t"
    cp -r "$work/t" "$root/t"
    # shellcheck disable=SC2016,SC2046 # the inner shell expands; the store's variables are meant to be split
    "$here/in_root.sh" "$root" env $(cat "$work/s3") sh -ec '
        for compiler in cc gcc clang; do
            if command -v $compiler; then exit 1; fi
        done
        cd /t && python3 -m venv v && start=$(date +%s%N) && v/bin/pip install -q --no-index ./*.whl && end=$(date +%s%N)
        . /etc/os-release
        v/bin/python first_lines.py news.warc.gz >first.out
        tasks=$(v/bin/python wheel_tasks.py news.warc.gz softmax.bin "$1")
        v/bin/thresher run -q news.warc.gz | cmp - run.jsonl
        size=$(du -sm v/lib/python3*/site-packages/thresher | cut -f1)
        version=$(v/bin/python --version)
        echo "| $PRETTY_NAME | glibc $(ldd --version | head -1 | grep -o "[0-9.]*$") | ${version#* } | $size MiB in $(((end - start) / 1000000)) ms | $tasks |"' sh "$remote"
    if [ -z "$first" ]; then
        first=$root
    else
        cmp "$first/t/run.jsonl" "$root/t/run.jsonl"
    fi
done
[ -n "$first" ]
sha256sum <"$first/t/run.jsonl"
if [ "$calls" -gt 0 ]; then
    for archive; do cp "$archive" "$first/t"; done
    # shellcheck disable=SC2016 # the inner shell expands
    "$here/in_root.sh" "$first" sh -ec 'cd /t && exec v/bin/python many_extracts.py "$@"' sh "$calls" 4 $(for archive; do basename "$archive"; done)
fi
echo 'the wheel installs and runs in all of them'
