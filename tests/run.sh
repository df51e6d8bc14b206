#!/bin/bash
# Builds with sanitizers, runs every test, ends with "N passed, N failed, N skipped".
# usage: tests/run.sh            everything; 15 to 30 minutes on two cores, the goal is 20
#        tests/run.sh quick      one build, no static checks
set -u
cd "$(dirname "$0")/.." || exit 2
quick=${1:-}
started=$SECONDS

# shellcheck disable=SC2046 # lists are meant to be split
.ci/packages.sh $(cat .ci/build-packages) libcmocka-dev fasttext clang clang-format clang-tidy \
    libclang-rt-14-dev valgrind zstd brotli kcat lintian strace \
    $(command -v javac >/dev/null || echo default-jdk-headless) \
    $(command -v mvn >/dev/null || echo maven) \
    $(python3 -c 'import ensurepip' 2>/dev/null || echo python3-venv) \
    $(python3 -m pytest --version >/dev/null 2>&1 || echo python3-pytest) || exit 2
# Ubuntu has it only as a snap: the test of the report in a browser is skipped there.
command -v chromium >/dev/null || .ci/packages.sh chromium || true

# promtool, for the alert rules. The package is not installed, because it would start a server.
command -v promtool >/dev/null ||
    { mkdir -p build-promtool && (cd build-promtool && { apt-get download -qq prometheus || { apt-get update -qq && apt-get download -qq prometheus; }; } && dpkg-deb -x prometheus_*.deb .) >build-promtool.log 2>&1; } || true
export PATH="$PATH:$PWD/build-promtool/usr/bin"

export CTEST_OUTPUT_ON_FAILURE=1 CMAKE_GENERATOR=Ninja
# The standard linker takes four times as long, for 300 test programs in each build.
gold=$(command -v ld.gold >/dev/null && echo -fuse-ld=gold)

. tests/counts.sh

build() { # folder, targets, cmake arguments...
    local folder=$1 targets=$2
    shift 2
    # shellcheck disable=SC2086 # targets are meant to be split
    cmake -S . -B "$folder" -DTHRESHER_WERROR=ON -DTHRESHER_TESTS=ON "$@" >"$folder.log" 2>&1 &&
        cmake --build "$folder" -j "$jobs" --target $targets >>"$folder.log" 2>&1 || { tail -40 "$folder.log"; return 1; }
}

# Readers of Parquet files for tests/run/parquet.py and tests/remote/corpus.py. Without access to PyPI, values are not compared.
export THRESHER_READERS=$PWD/build-readers
"$THRESHER_READERS/bin/python" -c 'import pyarrow, duckdb' 2>/dev/null ||
    { python3 -m venv "$THRESHER_READERS" && "$THRESHER_READERS/bin/pip" install -q pyarrow duckdb; } >build-readers.log 2>&1 || true

export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

# Tests in which other programs do most of the work. All but a quick run have them once, with the Release build.
others='docs.(site|reuse|plain_english)$|^browser|install.(sbom|sdist)$|run.(extract_clients|fasttext_labels)'
[ "$quick" = quick ] && others_later='^$' || others_later=$others
say 'gcc, AddressSanitizer and UndefinedBehaviorSanitizer: every test but quality and Kafka'
if build build-asan all -DTHRESHER_PYTHON=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSANITIZE=address,undefined -DCMAKE_C_COMPILER=gcc \
    '-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g1' "-DCMAKE_EXE_LINKER_FLAGS=$gold"
then say 'its tests'; suite build-asan -LE 'quality|kafka' -E "$others_later" -j $((3 * jobs)) # many wait half of their time
else failed=$((failed + 1)); fi

# Checks without waiting tests. They run at a lower priority, at the same time as tests that mostly wait (threads, a real Kafka).
static_checks() {
    say 'format'
    check format sh -c "find src include tests -name '*.[ch]' -o -name '*.cc' | xargs clang-format --dry-run --Werror"
    say 'clang-tidy'
    # Limits the states per function to a fortieth of the standard. This takes half of the time of 20,000. One more report appears here, and it is wrong.
    check clang-tidy sh -c "find src -name '*.c' | sort | xargs -P $jobs -n 4 clang-tidy -p build-tsan --quiet \\
        --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=5000 2>/dev/null"
    say 'gcc, Release, without Kafka, endpoint, CLD2 and remote inputs: its build'
    check 'lean build' build build-lean 'thresher thresher-lab thresher_failing thresher_faulty' -DCMAKE_BUILD_TYPE=Release '-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG' "-DCMAKE_EXE_LINKER_FLAGS=$gold" -DCMAKE_C_COMPILER=gcc -DTHRESHER_KAFKA=OFF \
        -DTHRESHER_ENDPOINT=OFF -DTHRESHER_CLD2=OFF -DTHRESHER_REMOTE=OFF -DTHRESHER_WACZ=OFF -DTHRESHER_ISOLATION=OFF
    say 'static checks done'
    echo "$passed $failed" >build-static.count
}

# Checks of the packages that users install. They run at the same time as the last tests.
materials() {
    say 'configure without cmocka'
    check configure tests/install/without_cmocka.sh
    say 'install, and a program that uses the libraries'
    check install tests/install/check.sh build-release
    say 'its Debian packages'
    check packages tests/install/lintian.sh "$PWD/build-release"
    say 'its binary interface is the one of its version; two builds, the same bytes'
    check abi tests/install/abi.sh build-release
    check reproducible tests/install/reproducible.sh
    echo "$passed $failed" >build-materials.count
}

add_background() { # name: waits for the job in the background, prints its output and adds its counts
    wait
    cat "build-$1.log"
    local ok bad
    read -r ok bad <"build-$1.count" || { ok=0 bad=1; echo "FAILED: $1"; }
    passed=$((passed + ok))
    failed=$((failed + bad))
}

if [ "$quick" != quick ]; then
    say 'clang, ThreadSanitizer: what has threads'
    build build-tsan 'thresher thresher-lab unit.traffic.page_service unit.traffic.runner unit.traffic.serve unit.traffic.near_duplicate' -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DSANITIZE=thread -DCMAKE_C_COMPILER=clang
    is_built=$?
    rm -f build-static.count build-materials.count
    (passed=0 failed=0; renice -n 15 $BASHPID >/dev/null; static_checks) >build-static.log 2>&1 &
    if [ $is_built -eq 0 ]
    then say 'its tests'; suite build-tsan -R 'unit.traffic.(page_service|runner|serve|near_duplicate)$|run.same_bytes|run.serve.(kill|reload)|run.extract.(concurrency|shutdown|reload)|run.index.(answers|serve)|quality.agree.segm'
    else failed=$((failed + 1)); fi

    say 'gcc, Release: limits of time and memory, quality on the corpora, a real Kafka'
    if build build-release 'thresher thresher-lab thresher_faulty thresher_manual thresher_shared warc_shared sbom' -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=gcc
    then say 'its limits of time and memory'; suite build-release -L speed
        say 'quality and Kafka'
        suite build-release -L 'quality|kafka' -E 'kafka.rig' -j $((3 * jobs)) # three brokers at once
        say 'documents, materials, browser'
        suite build-release -R "$others" -j "$jobs"
    else failed=$((failed + 1)); fi
    add_background static

    # Code that does not depend on the omitted parts was tested above. No object of the unit tests does.
    say 'gcc, Release, without Kafka, endpoint and CLD2: its tests; install and packages'
    (passed=0 failed=0; materials) >build-materials.log 2>&1 &
    suite build-lean -L 'golden|run' -LE speed -E 'run.(signals|amplified|resume|same_bytes|sites|spool|progress|parquet|seekable|dedup|shards|pathological|fasttext|readme|failing)'
    add_background materials
fi

say 'done'
print_counts
