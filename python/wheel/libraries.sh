#!/bin/sh
# The libraries of a wheel, static, from Debian's source packages, with the C and C++ compiler of zig for TARGET. build.sh calls it. 10 minutes on two cores.
# usage: libraries.sh TARGET WORK      needs what build.sh needs, and WORK/v with ziglang and cmake
# WORK/TARGET gets: bin (cc, c++, ar, ranlib), include, lib, lib/pkgconfig, toolchain.cmake, licenses. A library that exists is not built again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
target=$1 work=$2
prefix=$work/$target
sources=$work/sources
jobs=$(nproc)
arch=${target%%-*}
mkdir -p "$prefix/bin" "$prefix/include" "$prefix/lib/pkgconfig" "$prefix/licenses" "$sources" "$work/log"
export PATH="$prefix/bin:$work/v/bin:$PATH" ZIG_GLOBAL_CACHE_DIR="$work/zig" ZIG_LOCAL_CACHE_DIR="$work/zig"
zig=$(echo "$work"/v/lib/python3*/site-packages/ziglang)
# CMake names zig's own libraries, which zig links too, after the C library. Named before it, they replace its memcpy and strlen.
# glibc's are faster than zig's. zig's are faster than musl's for x86-64 (its memcpy is "rep movsq"). zig's libc.a is another musl.
omitted='*.a'
[ "$target" != x86_64-linux-musl ] || omitted='libc.a'
for tool in cc c++; do
    cat >"$prefix/bin/$tool" <<END
#!/bin/sh
for argument; do
    shift
    case \$argument in
    "$work"/zig/*/$omitted) ;;
    *) set -- "\$@" "\$argument" ;;
    esac
done
exec "$zig/zig" $tool -target $target "\$@"
END
done
for tool in ar ranlib; do
    printf '#!/bin/sh\nexec "%s/zig" %s "$@"\n' "$zig" $tool >"$prefix/bin/$tool"
done
chmod +x "$prefix"/bin/*
flags='-O2 -g0 -fPIC -DNDEBUG -ffunction-sections -fdata-sections -fno-sanitize=undefined'
# For functions that use AVX2 or AVX-512 (src/content/ensemble.c): zig turns a part of AVX-512 off, and lacks the data of __builtin_cpu_supports, which gcc has.
vectors= found=
if [ "$arch" = x86_64 ]; then
    vectors=' -mcpu=x86_64+evex512'
    found=$prefix/lib/libcpuinfo.a
    (cd "$prefix/lib" && "$prefix/bin/ar" x "$(gcc -print-libgcc-file-name)" cpuinfo.o && "$prefix/bin/ar" rcs "$found" cpuinfo.o && rm cpuinfo.o)
    { echo '==== cpuinfo.o of libgcc' && echo && cat /usr/share/doc/libgcc-s1/copyright; } >"$prefix/licenses/libgcc"
fi
# Functions that replace functions of musl and LLVM.
case $target in
*musl*)
    made=$prefix/build/musl
    mkdir -p "$made"
    # shellcheck disable=SC2086 # the flags are meant to be split
    "$prefix/bin/c++" $flags -std=c++17 -c "$here/musl/large_blocks.cc" -o "$made/large_blocks.o"
    # shellcheck disable=SC2086
    [ "$arch" != x86_64 ] || "$prefix/bin/cc" $flags -fno-builtin -c "$here/musl/memchr.c" -o "$made/memchr.o"
    rm -f "$prefix/lib/libfast.a"
    "$prefix/bin/ar" rcs "$prefix/lib/libfast.a" "$made"/*.o
    found="$found $prefix/lib/libfast.a"
    ;;
esac
cat >"$prefix/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $arch)
set(CMAKE_C_COMPILER $prefix/bin/cc)
set(CMAKE_CXX_COMPILER $prefix/bin/c++)
set(CMAKE_AR $prefix/bin/ar CACHE FILEPATH "")
set(CMAKE_RANLIB $prefix/bin/ranlib CACHE FILEPATH "")
set(CMAKE_C_FLAGS_INIT "$flags$vectors")
set(CMAKE_CXX_FLAGS_INIT "$flags")
set(CMAKE_C_STANDARD_LIBRARIES "$found")
set(CMAKE_CXX_STANDARD_LIBRARIES "$found")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-Wl,--gc-sections -s")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--gc-sections -s")
set(CMAKE_FIND_ROOT_PATH $prefix)
set(CMAKE_PREFIX_PATH /)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} $prefix/lib/pkgconfig)
set(ENV{PKG_CONFIG_ARGN} --static)
END

# Debian 12's source packages. The second list is without security updates, the third Debian 13's: mirrors have gaps. A version that is not the newest is named.
for list in bookworm-security bookworm trixie; do
    apt=$work/apt/$list
    [ ! -d "$apt/lists" ] || continue
    mkdir -p "$apt/new/partial" "$apt/cache/archives/partial"
    suite=${list%-security}
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    echo "deb-src [signed-by=$keyring] http://deb.debian.org/debian $suite main" >"$apt/sources.list"
    [ "$list" = "$suite" ] || echo "deb-src [signed-by=$keyring] http://deb.debian.org/debian-security $list main" >>"$apt/sources.list"
    printf 'Dir::Etc::SourceList "%s";\nDir::Etc::SourceParts "-";\nDir::State::Lists "%s";\nDir::Cache "%s";\nAPT::Sandbox::User "root";\n' \
        "$apt/sources.list" "$apt/new" "$apt/cache" >"$apt/apt.conf"
    APT_CONFIG=$apt/apt.conf apt-get -qq update
    mv "$apt/new" "$apt/lists"
    sed -i "s#$apt/new#$apt/lists#" "$apt/apt.conf"
done

# get PACKAGE: its source in the folder $sources/PACKAGE, patched; without Debian's patches if only the original can be had.
get() {
    [ ! -d "$sources/$1" ] || return 0
    rm -rf "$sources/new"
    mkdir "$sources/new"
    log=$work/log/get-$1
    : >"$log"
    for list in bookworm-security bookworm trixie; do
        if (cd "$sources/new" && APT_CONFIG=$work/apt/$list/apt.conf apt-get -q source "$1") >>"$log" 2>&1; then
            [ $list = bookworm-security ] || echo "$1: from $list"
            mv "$sources"/new/*/ "$sources/$1"
            return 0
        fi
        rm -rf "$sources"/new/*/
    done
    (cd "$sources/new" && APT_CONFIG=$work/apt/bookworm/apt.conf apt-get -q source --tar-only "$1") >>"$log" 2>&1 || { tail -3 "$log"; exit 1; }
    echo "$1: without Debian's patches"
    mkdir "$sources/$1"
    tar -C "$sources/$1" --strip-components=1 -xf "$sources"/new/*.orig.tar.*
}

all='zlib libzstd brotli xxhash libinih libdeflate uchardet cld2 icu libpsl libisal openssl libxml2 libzip curl'
for package in $all; do
    get "$package"
    {
        echo "==== $package $(sed -n '1s/.*(\(.*\)).*/\1/p' "$sources/$package/debian/changelog" 2>/dev/null)"
        echo
        cat "$sources/$package/debian/copyright" 2>/dev/null || cat "$sources/$package/LICENSE"
    } >"$prefix/licenses/$package"
done
# A builtin of an instruction set that is off is unknown to clang, except in functions for that set: libdeflate would omit its fast code.
sed -i -E 's/__has_builtin\(__builtin_(ia32|neon)_[a-z0-9_]+\)/CLANG_PREREQ(3, 9, 8020000)/' "$sources"/libdeflate/lib/*/*.h
# Clang's assembler wants the names of a half and of a whole register where one half is extended.
sed -i 's/x_dist, uxtw/dist, uxtw/; s/uxtw\(.\)read_in_length/uxtw\1x_read_in_length/' "$sources"/libisal/igzip/aarch64/*.S
# The linker of zig merges and moves constants of 16 bytes, and this table has 32: adler32_neon would compute wrong sums.
sed -i 's/\.rodata\.cst16,"aM",@progbits,16/.rodata,"a",@progbits/' "$sources/libisal/igzip/aarch64/igzip_isal_adler32_neon.S"
for part in libcxx libcxxabi libunwind; do
    { echo "==== $part of LLVM" && echo && cat "$zig/lib/$part/LICENSE.TXT"; } >"$prefix/licenses/llvm-$part"
done

# cmake_library NAME LIBRARY [OPTION...]: builds sources/NAME, unless the library exists
cmake_library() {
    name=$1 library=$2
    shift 2
    [ ! -e "$prefix/lib/$library.a" ] || return 0
    if cmake -G Ninja -S "$sources/$name" -B "$prefix/build/$name" -DCMAKE_TOOLCHAIN_FILE="$prefix/toolchain.cmake" -DCMAKE_BUILD_TYPE=None -DBUILD_SHARED_LIBS=OFF \
        -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib "$@" >"$work/log/$name" 2>&1 && cmake --build "$prefix/build/$name" -j "$jobs" >>"$work/log/$name" 2>&1 &&
        cmake --install "$prefix/build/$name" >>"$work/log/$name" 2>&1; then
        echo "$name: built"
        return 0
    fi
    tail -30 "$work/log/$name"
    exit 1
}
ln -sfn "$here/small" "$sources/small"
cmake_library small libpsl -DSOURCES="$sources" -DCUT_ICU="$here/../../deploy/cut_icu.sh"

if [ ! -e "$prefix/lib/libisal.a" ]; then
    mkdir -p "$prefix/build"
    rm -rf "$prefix/build/libisal"
    cp -r "$sources/libisal" "$prefix/build/libisal"
    assembler=nasm
    [ "$arch" = x86_64 ] || assembler="$prefix/bin/cc -D__ASSEMBLY__"
    make -C "$prefix/build/libisal" -f Makefile.unx -j "$jobs" units=igzip host_cpu="$arch" CC="$prefix/bin/cc $flags" AS="$assembler" AR="$prefix/bin/ar" lib >"$work/log/libisal" 2>&1 ||
        { tail -30 "$work/log/libisal"; exit 1; }
    mkdir -p "$prefix/include/isa-l"
    cp "$prefix"/build/libisal/include/*.h "$prefix/include/isa-l"
    cp "$prefix/build/libisal/bin/isa-l.a" "$prefix/lib/libisal.a"
    printf 'Name: libisal\nDescription: libisal\nVersion: 2\nLibs: -L%s/lib -lisal\nCflags: -I%s/include\n' "$prefix" "$prefix" >"$prefix/lib/pkgconfig/libisal.pc"
    echo 'libisal: built'
fi

# Digests and TLS only. Certificates: /etc/ssl, where most systems have them; SSL_CERT_FILE names others.
if [ ! -e "$prefix/lib/libssl.a" ]; then
    made=$prefix/build/openssl
    if [ ! -e "$made/configured" ]; then
        rm -rf "$made"
        cp -r "$sources/openssl" "$made"
        # shellcheck disable=SC2086 # the flags are meant to be split
        (cd "$made" && CC="$prefix/bin/cc" CXX="$prefix/bin/c++" AR="$prefix/bin/ar" RANLIB="$prefix/bin/ranlib" ./Configure "linux-$arch" --prefix="$prefix" --libdir=lib \
            --openssldir=/etc/ssl no-shared no-tests no-engine no-dso no-module no-legacy no-comp no-afalgeng no-async no-srp no-psk no-dtls no-srtp no-sctp no-ts no-cms no-ct \
            no-aria no-bf no-camellia no-cast no-des no-gost no-idea no-md4 no-mdc2 no-rc2 no-rc4 no-rmd160 no-seed no-siphash no-sm2 no-sm3 no-sm4 no-whirlpool no-ocb \
            no-ui-console no-cmp no-ec2m $flags) >"$work/log/openssl" 2>&1 || { tail -30 "$work/log/openssl"; exit 1; }
        : >"$made/configured"
    fi
    { make -C "$made" -j "$jobs" build_libs && make -C "$made" install_dev; } >>"$work/log/openssl" 2>&1 || { tail -30 "$work/log/openssl"; exit 1; }
    echo 'openssl: built'
fi

off=
for part in C14N CATALOG DEBUG DOCB FTP HTTP ICONV LEGACY LZMA MODULES OUTPUT PATTERN PROGRAMS PYTHON READER REGEXPS SCHEMAS SCHEMATRON TESTS VALID WRITER XINCLUDE \
    XPATH XPTR ZLIB; do
    off="$off -DLIBXML2_WITH_$part=OFF"
done
# shellcheck disable=SC2086 # options
cmake_library libxml2 libxml2 $off
cmake_library libzip libzip -DENABLE_COMMONCRYPTO=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF -DENABLE_OPENSSL=OFF -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF -DBUILD_TOOLS=OFF \
    -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF
cmake_library curl libcurl -DHTTP_ONLY=ON -DBUILD_CURL_EXE=OFF -DBUILD_TESTING=OFF -DCURL_USE_OPENSSL=ON -DUSE_LIBIDN2=OFF -DCURL_USE_LIBPSL=OFF -DCURL_USE_LIBSSH2=OFF \
    -DENABLE_MANUAL=OFF -DCURL_DISABLE_NTLM=ON -DCURL_DISABLE_DOH=ON -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none -DCURL_CA_FALLBACK=ON -DCURL_ZLIB=OFF
# curl lists zig's own libraries, which zig links anyway, with paths in its cache.
sed -i "s#[^ ]*$work/zig/[^ ]*\.a##g" "$prefix/lib/pkgconfig/libcurl.pc"
