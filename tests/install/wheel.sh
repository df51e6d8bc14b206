#!/bin/sh
# Installs a wheel in clean Debian 11 and Debian 12 roots, without compiler or libraries, and runs what python/README.md starts with.
# As root, with mmdebstrap and the network; a minute.
# usage: wheel.sh WHEEL [CALLS ARCHIVE...]      CALLS: python/tests/many_extracts.py in the Debian 12 root, on the archives
#        A wheel for aarch64 is tried under qemu (qemu-user-static, binfmt-support). The digest of the records is the same for all.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
wheel=$1 calls=${2:-0}
case $wheel in *_aarch64.whl) export ROOT_ARCH=arm64 ;; esac
shift
[ $# -eq 0 ] || shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for suite in bullseye bookworm; do
    root=$work/$suite
    "$here/in_root.sh" --make "$root" "$suite" python3-venv http://deb.debian.org/debian
    mkdir "$root/t"
    cp "$wheel" "$source/samples/news.warc.gz" "$source"/python/tests/first_lines.py "$source"/python/tests/many_extracts.py "$root/t"
    "$here/in_root.sh" "$root" sh -ec '
        cd /t && python3 -m venv v && v/bin/pip install -q --no-index ./*.whl
        . /etc/os-release && echo "$PRETTY_NAME, glibc $(ldd --version | head -1 | grep -o "[0-9.]*$"), $(v/bin/python --version)"
        v/bin/python first_lines.py news.warc.gz
        v/bin/thresher version --json
        v/bin/python -m thresher run -q -O /t/records.jsonl news.warc.gz
        v/bin/thresher run -q news.warc.gz | cmp - /t/records.jsonl'
done
cmp "$work/bullseye/t/records.jsonl" "$work/bookworm/t/records.jsonl"
sha256sum <"$work/bookworm/t/records.jsonl"
if [ "$calls" -gt 0 ]; then
    for archive; do cp "$archive" "$root/t"; done
    # shellcheck disable=SC2016 # the inner shell expands
    "$here/in_root.sh" "$root" sh -ec 'cd /t && exec v/bin/python many_extracts.py "$@"' sh "$calls" 4 $(for archive; do basename "$archive"; done)
fi
echo 'the wheel installs and runs in both'
