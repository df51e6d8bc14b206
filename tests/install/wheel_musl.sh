#!/bin/sh
# The wheel for musl in a clean root of Debian 12 with Debian's package musl, the loader and C library of Alpine. The root has no Python for musl: pip is not tried.
# The wheel is unpacked, its program does wheel_tasks.py, and wheel_load.c loads its library. With PROGRAM the records of samples/news.warc.gz are compared.
# As root, with mmdebstrap and the network, and for s3:// Java and Maven (or S3PROXY_JARS); a wheel for aarch64 needs qemu-user-static, binfmt-support and arch-test.
# usage: wheel_musl.sh WHEEL [PROGRAM]      ROOTS: a folder where the root is kept and used again
#        MUSL_CC: a compiler for the wheel's musl, default musl-gcc (package musl-tools). For aarch64: "zig cc -target aarch64-linux-musl -dynamic"
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
wheel=$(realpath "$1")
case $wheel in *_aarch64.whl) export ROOT_ARCH=arm64 ;; esac
work=$(mktemp -d)
store=
trap '[ -z "$store" ] || kill "$store" 2>/dev/null || true; rm -rf "$work"' EXIT
. "$here/store.sh"
start_store
root=${ROOTS:-$work}/bookworm-musl
[ -e "$root/usr/bin/python3" ] || "$here/in_root.sh" --make "$root" bookworm python3,musl 'deb http://deb.debian.org/debian bookworm main'
rm -rf "$root/t"
mkdir "$root/t"
python3 -m zipfile -e "$wheel" "$root/t"
chmod +x "$root/t/thresher/bin/thresher"
cp "$source/samples/news.warc.gz" "$source/tests/data/fasttext/softmax.bin" "$here/wheel_tasks.py" "$root/t"
python3 -c "print('<title>Rain</title>' + '<div>' * 400 + '<p>' + 'The rain had stopped before the ferry left the harbour. ' * 8)" >"$root/t/page.html"
${MUSL_CC:-musl-gcc} -O2 -Wall -Wextra -Werror -o "$root/t/wheel_load" "$here/wheel_load.c"
# shellcheck disable=SC2016,SC2046 # the inner shell expands; the store's variables are meant to be split
"$here/in_root.sh" "$root" env $(cat "$work/s3") sh -ec 'cd /t && ls /lib/ld-musl-*
    python3 wheel_tasks.py news.warc.gz softmax.bin "$1" thresher/bin/thresher
    ./wheel_load thresher/_thresher.so page.html >loaded || { cat loaded; exit 1; }
    echo "$(wc -c <loaded) bytes of a record"' sh "$remote"
if [ $# -gt 1 ]; then
    program=$(realpath "$2")
    (cd "$root/t" && "$program" run -q news.warc.gz | cmp - run.jsonl)
fi
sha256sum <"$root/t/run.jsonl"
