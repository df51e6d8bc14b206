#!/bin/sh
# Without cmocka, a build without options omits the tests and reports it, and a build
# with -DTHRESHER_TESTS=ON fails.
set -eu
cd "$(dirname "$0")/../.."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir "$root/pc"
for folder in $(pkg-config --variable pc_path pkg-config | tr ':' ' '); do
    find "$folder" -name '*.pc' ! -name cmocka.pc -exec ln -sf {} "$root/pc" ';' 2>/dev/null || true
done
export PKG_CONFIG_LIBDIR="$root/pc"
cmake -S . -B "$root/build" >"$root/log" 2>&1 || { tail -20 "$root/log"; exit 1; }
grep -q 'tests are off: they need cmocka' "$root/log"
grep -q '^THRESHER_TESTS:BOOL=OFF' "$root/build/CMakeCache.txt"
if cmake -S . -B "$root/asked" -DTHRESHER_TESTS=ON >"$root/log" 2>&1; then
    echo 'tests that were asked for were left out in silence'
    exit 1
fi
grep -q 'the tests need cmocka' "$root/log"
echo 'without cmocka the tests are left out, and that is said'
