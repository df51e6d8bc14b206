# Functions of tests/run.sh that run tests and count them. Read by ".".
passed=0
failed=0
skipped=0
jobs=$(nproc)

say() { printf '\n== %s (%d s)\n' "$1" $((SECONDS - started)); }
check() { # a check that is no CTest: name, command...
    local name=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $name"; fi
}
suite() { # folder, ctest arguments...: adds its counts
    local folder=$1 log=$1.ctest
    shift
    # One more than cores: some tests wait most of their time.
    ctest --test-dir "$folder" -j $((jobs + 1)) "$@" | tee "$log" | grep -vE '  Passed |^ +Start ' || true
    local ok bad
    ok=$(grep -c '  Passed ' "$log")
    bad=$(grep -cE '(\*\*\*Failed|\*\*\*Timeout|\*\*\*Exception|\*\*\*Not Run|Subprocess (aborted|killed|terminated))' "$log")
    [ $((ok + bad)) -gt 0 ] || bad=1
    passed=$((passed + ok))
    failed=$((failed + bad))
    skipped=$((skipped + $(grep -c '\*\*\*Skipped' "$log")))
}
print_counts() { # the last line of the test command; fails if a test did
    printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    [ "$failed" -eq 0 ]
}
