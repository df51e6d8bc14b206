#!/bin/sh
# Runs in tests/run/shares.py. usage: shares.sh PROCESSES INPUT DIR/ [OPTION...]
set -eu
processes=$1 input=$2 output=$3
shift 3
seq 0 $((processes - 1)) | xargs -P "$processes" -I{} thresher run --jobs 1 --quiet --shard "{}/$processes" --output "$output" "$@" "$input"
thresher summary "$output"
