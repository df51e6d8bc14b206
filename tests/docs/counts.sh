#!/bin/bash
# The last line of the test command counts what passed, failed and was skipped, and says "failed" if no test ran.
set -u
. "$(dirname "$0")/../counts.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

counts_of() { # what is expected, lines of CTestTestfile.cmake
    mkdir "$folder/$1"
    printf '%s\n' "${@:2}" >"$folder/$1/CTestTestfile.cmake"
    passed=0 failed=0 skipped=0
    suite "$folder/$1" >/dev/null 2>&1
    local seen status=0
    seen=$(print_counts) || status=$?
    [ "$seen" = "$1" ] || { echo "FAILED: '$seen', not '$1'"; exit 1; }
    [ $status -eq $((failed > 0)) ] || { echo "FAILED: '$1' ended with $status"; exit 1; }
}

skip='set_tests_properties(c PROPERTIES SKIP_RETURN_CODE 77)'
counts_of '2 passed, 3 failed, 1 skipped' 'add_test(a true)' 'add_test(b true)' 'add_test(c sh -c "exit 77")' "$skip" 'add_test(d false)' \
    'add_test(e sh -c "kill -SEGV $$")' 'add_test(f no_such_program)'
counts_of '1 passed, 0 failed, 1 skipped' 'add_test(a true)' 'add_test(c sh -c "exit 77")' "$skip"
counts_of '0 passed, 1 failed, 0 skipped' # a suite without tests
counts_of '0 passed, 1 failed, 1 skipped' 'add_test(c sh -c "exit 77")' "$skip" # nothing was tested
