# shellcheck shell=sh
# For scripts that have $source and $work: start_store runs S3Proxy with samples/news.warc.gz. Needs Java, and Maven or S3PROXY_JARS (a folder of its jars).
# Sets store (its process), remote (the archive there; "-" without a store), and writes the variables of its address and keys into $work/s3.
# shellcheck disable=SC2154 # $source and $work
start_store() {
    python3 "$source/tests/remote/s3proxy_server.py" "$work/s3proxy" "$source/samples/news.warc.gz" >"$work/s3" 2>"$work/s3.log" &
    store=$!
    remote=s3://crawl/news.warc.gz
    while [ ! -s "$work/s3" ] && kill -0 "$store" 2>/dev/null; do sleep 1; done
    grep -q AWS_ "$work/s3" && return
    echo 's3:// is skipped: S3Proxy did not start (it needs Java and Maven)'
    remote=-
    : >"$work/s3"
}
