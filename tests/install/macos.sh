#!/bin/sh
# Compiles libthresher, libwarc and the library of the Python package for macOS on arm64, with zig's headers of macOS, warnings as errors. Nothing is linked or run.
# Each function that they call must be their own, of macOS, or of a library by its prefix.
# usage: macos.sh [WORK]     needs Debian's development packages of .ci/build-packages (their headers do not depend on the system), llvm (llvm-nm), ninja-build, python3-venv and the network
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
work=${1:-$(mktemp -d)}
[ $# -gt 0 ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work/include" "$work/bin"
if [ ! -x "$work/v/bin/python" ]; then
    python3 -m venv "$work/v"
    "$work/v/bin/pip" install -q ziglang==0.15.2
fi
triple=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
for name in brotli curl ini.h isa-l isa-l.h libdeflate.h libpsl.h libxml2 openssl uchardet unicode xxh3.h xxhash.h zconf.h zdict.h zip.h zipconf.h zlib.h zstd.h zstd_errors.h; do
    for folder in /usr/include "/usr/include/$triple"; do
        [ ! -e "$folder/$name" ] || cp -rL "$folder/$name" "$work/include"
    done
done
for tool in cc ar ranlib; do
    target=
    [ $tool != cc ] || target='-target aarch64-macos'
    printf '#!/bin/sh\nexec "%s/v/bin/python" -m ziglang %s %s "$@"\n' "$work" $tool "$target" >"$work/bin/$tool"
    chmod +x "$work/bin/$tool"
done
cat >"$work/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
set(CMAKE_C_COMPILER $work/bin/cc)
set(CMAKE_AR $work/bin/ar)
set(CMAKE_RANLIB $work/bin/ranlib)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT "-isystem $work/include")
END
cmake -G Ninja -S "$source" -B "$work/build" -DCMAKE_TOOLCHAIN_FILE="$work/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release -DTHRESHER_WERROR=ON -DTHRESHER_PYTHON=ON \
    -DTHRESHER_CLD2=OFF -DTHRESHER_KAFKA=OFF -DTHRESHER_ENDPOINT=OFF -DTHRESHER_ISOLATION=OFF -DTHRESHER_TESTS=OFF >"$work/cmake.log"
cd "$work/build"
# The library of the package is compiled, but cannot be linked.
ninja -k0 -j"$(nproc)" thresher_static warc thresher_app thresher_python >ninja.log 2>&1 || true
if grep -E "(error|warning): " ninja.log | grep -v "unable to find dynamic system library"; then exit 1; fi
objects="$(find . -name '*.a') $(find python -name '*.o')"
# shellcheck disable=SC2086 # several files
{
    llvm-nm -g --defined-only $objects | awk 'NF == 3 {print $3}' | sort -u >defined
    llvm-nm -g -u $objects | grep -E '^ *(U )?_' | awk '{print $NF}' | sort -u >wanted
}
grep -oE '[_$A-Za-z0-9]+' "$(find "$work/v" -name libSystem.tbd)" | sort -u >system
comm -23 wanted defined | comm -23 - system | grep -vE '^_(BrotliDecoder|EVP_|HMAC|OPENSSL_|OpenSSL_|SHA1|XXH|ZSTD_|crc32|curl_|deflate|inflate|zlibVersion|html|input|ini_|isal_|libdeflate_|psl_|u_|ubrk_|ucasemap_|uchardet_|ucnv_|udata_|uidna_|uloc_|ures_|uscript_|xml|zip_)' >missing || true
[ ! -s missing ] || { echo 'neither of macOS nor of a library:'; cat missing; exit 1; }
echo "$(wc -l <defined) functions and tables compile; $(comm -23 wanted defined | comm -12 - system | wc -l) of macOS and $(comm -23 wanted defined | comm -23 - system | wc -l) of libraries are called"
