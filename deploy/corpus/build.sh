#!/bin/sh
# One stage of a corpus build, on one of several machines with a common folder. Run a killed stage again. Runs in tests/remote/corpus.py.
set -eu
usage="build.sh rules|sign|pairs|pages|describe MACHINE/MACHINES INPUT DIR   (MACHINE: 0 to MACHINES - 1)"
stage=${1:?"$usage"} shard=${2:?"$usage"} input=${3:?"$usage"} dir=${4:?"$usage"}
machine=${shard%/*} machines=${shard#*/}
parts=$((machines * 4)) own=$dir/machine-$machine
mkdir -p "$own"
# A damaged archive (exit code 1) costs its damaged records, and not the build.
read_archives() {
    code=0
    thresher "$@" "$input" || code=$?
    [ "$code" -le 1 ]
}
extract() {
    read_archives run --config "${CORPUS_CONF:-${0%/*}/corpus.conf}" --robots "$dir/rules.jsonl" --shard "$shard" "$@"
}
case $stage in
rules) # on one machine: robots.txt and tdmrep.json of every host
    read_archives robots build --quiet --output "$dir/rules.jsonl"
    ;;
sign) # on each machine: signatures of its archives
    extract --emit none --compress zstd --output "$own/signed/"
    thresher dedup partition --quiet --parts "$parts" --file "$own/keys" "$own/signed/"
    ;;
pairs) # on each machine: its ranges of the keys of all machines
    for part in $(seq "$machine" "$machines" $((parts - 1))); do
        thresher dedup pairs --quiet --part "$part/$parts" "$dir"/machine-*/keys
    done
    ;;
pages) # on each machine: its archives again, without the ids of duplicates
    thresher dedup components --quiet --output drop --file "$own/drop.txt" "$dir"/machine-*/keys
    extract --filter.not-ids "$own/drop.txt" --format parquet --output "$own/pages/"
    ;;
describe) # on one machine: counts, sums and a Croissant description of all pages
    cd "$dir"
    thresher summary machine-*/pages/
    thresher summary --sha256 machine-*/pages/ > SHA256SUMS
    thresher summary --croissant --name corpus machine-*/pages/ > croissant.json
    ;;
*)
    echo "$usage" >&2
    exit 2
    ;;
esac
