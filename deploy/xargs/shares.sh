#!/bin/sh
# Runs in tests/run/shares.py.
set -eu
usage="shares.sh PROCESSES INPUT DIR/ [OPTION...]"
processes=${1:?"$usage"} input=${2:?"$usage"} output=${3:?"$usage"}
shift 3
code=0 # not 0, too, where an archive is damaged: then the sums are wanted most
seq 0 $((processes - 1)) |
    xargs -P "$processes" -I{} thresher run --jobs 1 --quiet --shard "{}/$processes" --output "$output" "$@" "$input" || code=$?
thresher summary "$output" || code=$?
exit "$code"
