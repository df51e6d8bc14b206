#!/bin/sh
# Runs in tests/run/shares.py.
set -eu
usage="shares.sh PROCESSES INPUT DIR/ [OPTION...]"
processes=${1:?"$usage"} input=${2:?"$usage"} output=${3:?"$usage"}
shift 3
seq 0 $((processes - 1)) | xargs -P "$processes" -I{} thresher run --jobs 1 --quiet --shard "{}/$processes" --output "$output" "$@" "$input"
thresher summary "$output"
