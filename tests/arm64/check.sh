#!/bin/bash
# Builds for arm64 on a Debian machine of another kind, and compares it under qemu with the
# program built here. Both must write the same bytes for the same archives. By hand; needs root once, for
# apt, and changes nothing on the machine but its packages (compilers and emulator).
# usage: tests/arm64/check.sh PROGRAM FOLDER ARCHIVE...    FOLDER is made and kept; a second run is quick
set -eu
[ $# -ge 3 ] || { sed -n '2,5s/^# //p' "$0"; exit 2; }
program=$(realpath "$1")
folder=$(realpath -m "$2")
shift 2
source=$(cd "$(dirname "$0")/../.." && pwd)
root=$folder/root
mkdir -p "$folder/debs/partial"

if [ ! -d "$root" ]; then
    "$source/.ci/packages.sh" gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
    dpkg --add-architecture arm64
    apt-get update -qq
    # Its own libraries are only fetched: installed, some would push this machine's out.
    libraries=$(tr ' ' '\n' <"$source/.ci/build-packages" | grep -- '-dev$' | sed 's/$/:arm64/')
    # shellcheck disable=SC2086 # the list is meant to be split
    apt-get install -qq -y -d --no-install-recommends -o Dir::Cache::archives="$folder/debs" \
        $libraries libcmocka-dev:arm64 >"$folder/apt.log"
    for deb in "$folder"/debs/*_arm64.deb "$folder"/debs/*_all.deb; do dpkg -x "$deb" "$root"; done
fi

libraries=$root/usr/lib/aarch64-linux-gnu
emulator="qemu-aarch64 -L $root -E LD_LIBRARY_PATH=$libraries:$root/lib/aarch64-linux-gnu"
cat >"$folder/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT $root)
set(CMAKE_C_FLAGS_INIT "-isystem $root/usr/include -isystem $root/usr/include/aarch64-linux-gnu")
set(CMAKE_CXX_FLAGS_INIT "\${CMAKE_C_FLAGS_INIT}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-B$libraries -L$libraries -Wl,-rpath-link,$libraries:$root/lib/aarch64-linux-gnu")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "\${CMAKE_EXE_LINKER_FLAGS_INIT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR "${emulator// /;}")
END
export PKG_CONFIG_LIBDIR=$libraries/pkgconfig:$root/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root CMAKE_GENERATOR=Ninja
cmake -S "$source" -B "$folder/build" -DCMAKE_TOOLCHAIN_FILE="$folder/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DTHRESHER_WERROR=ON >"$folder/build.log"
cmake --build "$folder/build" -j "$(nproc)" >>"$folder/build.log"

failed=0
ctest --test-dir "$folder/build" -j "$(nproc)" -R '^(conform.html|unit.(warc|base|sketch|segment|select|parse.(html_tok|page|light|text|url)))' \
    --output-on-failure >"$folder/ctest.log" 2>&1 || { failed=1; echo "FAILED: tests, see $folder/ctest.log"; }
grep 'tests passed' "$folder/ctest.log"
for options in '--emit all --bands' '-s dom-cohesion --emit segments' '-s gcuts --emit segments' '-s cclus --emit segments' \
    '-s boundary-graph --emit segments' '-m paper -s just-rules' '-m datatrove' '-m datasketch1:k=128,w=5,seed=1'; do
    # shellcheck disable=SC2086
    "$lab" run -q $options -O "$folder/here.jsonl" --rejects "$folder/here.rejects" "$@" 2>"$folder/here.err" || [ $? = 1 ]
    # shellcheck disable=SC2086
    $emulator "$folder/build/src/thresher-lab" run -q $options -O "$folder/there.jsonl" --rejects "$folder/there.rejects" "$@" \
        2>"$folder/there.err" || [ $? = 1 ]
    for part in jsonl rejects err; do
        cmp "$folder/here.$part" "$folder/there.$part" || { failed=1; echo "FAILED: $options"; }
    done
    echo "$options: $(wc -c <"$folder/here.jsonl") bytes of records compared"
done
exit $failed
