#!/bin/sh
# Runs in tests/run/shards.py.
set -eu
usage="shards.sh PROCESSES INPUT DIR/ [OPTION...]"
processes=${1:?"$usage"} input=${2:?"$usage"} output=${3:?"$usage"}
shift 3
code=0 # also not 0 if an archive is damaged; print the sums in this case
seq 0 $((processes - 1)) |
    xargs -P "$processes" -I{} thresher run --jobs 1 --quiet --shard "{}/$processes" --output "$output" "$@" "$input" || code=$?
thresher summary "$output" || code=$?
exit "$code"
