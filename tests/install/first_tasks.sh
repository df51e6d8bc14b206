#!/bin/sh
# Ten first tasks, each at most three lines, as the docs give them (the place is named with each), and the quick starts of README.md that are not among them.
# A task whose means are missing is printed as skipped, with the reason.
# usage: first_tasks.sh [WHEEL]      in the project's folder. WHEEL is installed in a new environment. Without it, `thresher` of PATH and the `thresher` of python3 are used
#        PACKAGES=1 also installs duckdb, datatrove[io], mcp, ipykernel and nbclient from PyPI (network)
#        ROOT=FOLDER runs the tasks in a new root of Debian 13 (or SUITE), or in the root of an earlier run. As root, with mmdebstrap, the network, and Maven for the jars of S3Proxy
#        DEB=FILE is the Debian package of the program, installed in the root for the endpoint, which a wheel does not have
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
if [ -n "${ROOT:-}" ]; then
    [ -d "$ROOT/usr/share/python-wheels" ] || "$here/in_root.sh" --make "$ROOT" "${SUITE:-trixie}" python3-venv,curl,default-jre-headless
    rm -rf "$ROOT/t"
    mkdir -p "$ROOT/t/tests/install"
    python3 -c "import sys; sys.path.insert(0, '$source/tests/remote'); import s3proxy_server; s3proxy_server.jars('$ROOT/t/jars')" || rm -rf "$ROOT/t/jars"
    cp -r "$source/samples" "$source/config" "$1" "$ROOT/t"
    cp -r "$source/tests/remote" "$ROOT/t/tests"
    cp "$here/first_tasks.sh" "$ROOT/t/tests/install"
    if [ -n "${DEB:-}" ]; then
        cp "$DEB" "$ROOT/t/thresher.deb"
        "$here/in_root.sh" "$ROOT" sh -ec 'apt-get update -qq; apt-get install -y -qq /t/thresher.deb' >/dev/null 2>&1
    fi
    exec "$here/in_root.sh" "$ROOT" env PACKAGES="${PACKAGES:-}" S3PROXY_JARS=/t/jars sh /t/tests/install/first_tasks.sh "/t/${1##*/}"
fi
wheel=${1:+$(realpath "$1")}
work=$(mktemp -d)
servers=
# shellcheck disable=SC2086 # several numbers
trap '[ -z "$servers" ] || kill $servers 2>/dev/null || true; rm -rf "$work"' EXIT
cp -r "$source/samples" "$source/config" "$work"
cd "$work"
if [ -n "$wheel" ]; then
    python3 -m venv v
    v/bin/pip install -q --no-index --no-deps "$wheel"
    [ -z "${PACKAGES:-}" ] || v/bin/pip install -q duckdb 'datatrove[io]' mcp ipykernel nbclient
    PATH="$work/v/bin:$PATH"
fi
printf '<title>Rain</title><ul><li><a href="/">Home</a></ul><h1>Rain</h1>' >page.html
for _ in 1 2 3 4; do printf '<p>The rain had stopped before the ferry left the harbour, and nobody on the pier had an umbrella.</p>' >>page.html; done
python3 - >port <<'END' &
import functools, http.server, sys
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(http.server.SimpleHTTPRequestHandler))
print(server.server_port, flush=True)
sys.stderr = open('web.log', 'w')
server.serve_forever()
END
servers=$!
python3 "$source/tests/remote/s3proxy_server.py" "$work/s3" samples/news.warc.gz >s3.env 2>s3.log &
servers="$servers $!"
while [ ! -s port ]; do sleep .1; done
URL=http://127.0.0.1:$(cat port)/page.html
thresher version --json >version.json
number=0 failed=0 skipped=0
# Each prints the reason for a skipped task, or nothing.
part() { grep -q "\"$1\":true" version.json || echo "this build has no part '$1'"; }
module() { for name; do python3 -c "import $name" 2>/dev/null || { echo "the Python module $name is not installed" && return; }; done; }
s3() {
    grep -q AWS_ s3.env || echo 'S3Proxy did not start (it needs Java and Maven)'
}

# task NAME PLACE WANTED REASON: unless there is a reason to skip it, runs the lines from stdin; a line that they print must have WANTED
task() {
    number=$((number + 1))
    cat >task.sh
    [ "$(wc -l <task.sh)" -le 3 ] || { echo "$number. $1: more than three lines"; exit 1; }
    if [ -n "$4" ]; then
        skipped=$((skipped + 1))
        echo "$number. $1 ($2): skipped: $4"
        return
    fi
    start=$(date +%s%N)
    if timeout 300 sh -e task.sh >task.out 2>task.err && grep -q "$3" task.out; then
        echo "$number. $1 ($2): $((($(date +%s%N) - start) / 1000000)) ms"
    else
        failed=$((failed + 1))
        echo "$number. $1 ($2): FAILED"
        tail -n 5 task.out task.err
    fi
}
export URL

task 'page to Markdown' python/README.md '^# Rain' '' <<'END'
thresher text --text-format markdown page.html
END
task 'URL to text' README.md 'The rain had stopped' "$(part remote)" <<'END'
thresher text --allow-private "$URL"
END
task 'WARC to Parquet to DuckDB' docs/parquet.md times.example "$(module duckdb)" <<'END'
thresher run -q --format parquet -O pages.parquet samples/news.warc.gz
python3 -c "import duckdb; print(duckdb.sql(\"select url, title, counts.content_tokens from 'pages.parquet' order by 3 desc\").fetchall())"
END
i=0
while [ ! -s s3.env ] && [ $i -lt 120 ] && kill -0 "${servers##* }" 2>/dev/null; do sleep 1 && i=$((i + 1)); done
# shellcheck disable=SC2046 # several variables
! grep -q AWS_ s3.env || export $(cat s3.env)
task 'S3 to S3' docs/remote.md times.example "$(part remote)$(s3)" <<'END'
thresher run -q -O s3://crawl/records.jsonl s3://crawl/news.warc.gz
thresher dedup -q --output drop s3://crawl/records.jsonl
thresher run -q s3://crawl/news.warc.gz
END
task 'datatrove pipeline' python/README.md times.example "$(module thresher datatrove)" <<'END'
mkdir crawl && cp samples/news.warc.gz crawl && python3 -c "from datatrove.executor import LocalPipelineExecutor as E; from datatrove.pipeline.writers import JsonlWriter; from thresher.datatrove import WarcReader
E([WarcReader('crawl/', glob_pattern='*.warc.gz'), JsonlWriter('out/')], tasks=1, logging_dir='logs').run()"
zcat out/*.jsonl.gz
END
task 'daemon' README.md times.example '' <<'END'
mkdir -p warcs && cp samples/news.warc.gz warcs && { thresher serve -q --spool.path warcs --spool.min-age-ms 0 --files.path records --daemon.listen none & }
i=0 && while [ ! -e warcs/done/news.warc.gz ] && [ $i -lt 60 ]; do sleep 1 && i=$((i + 1)); done && kill $! && wait $!
cat records/thresher-*.jsonl
END
path=$PATH
if [ -n "$(part endpoint)" ] && /usr/bin/thresher version --json >version.json 2>/dev/null; then PATH=/usr/bin:$PATH; fi
task 'HTTP extract' docs/serve.md '^# Rain' "$(part endpoint)" <<'END'
{ thresher serve -q --endpoint.extract --daemon.listen 127.0.0.1:9464 & }
curl -s --retry 60 --retry-connrefused -H 'Content-Type: text/html' -H 'Accept: text/markdown' --data-binary @page.html 'http://127.0.0.1:9464/extract?url=https://example.org/page'
kill $!
END
PATH=$path
task 'near-duplicates' README.md ',' '' <<'END'
thresher run -q -O pages.jsonl.zst samples/news.warc.gz
thresher dedup -q pages.jsonl.zst
END
task 'notebook' python/README.md '<h3>Rain</h3>' "$(module thresher nbclient ipykernel)" <<'END'
python3 -c "import nbclient, nbformat.v4 as n; b = n.new_notebook(cells=[n.new_code_cell('import thresher; thresher.extract(open(\"page.html\", \"rb\").read())')])
nbclient.execute(b); print(b.cells[0].outputs[0].data['text/html'])"
END
cat >mcp_client.py <<'END'
import asyncio, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def run():
    async with stdio_client(StdioServerParameters(command=sys.executable, args=['-m', 'thresher.mcp'])) as (reader, writer), ClientSession(reader, writer) as session:
        await session.initialize()
        print((await session.call_tool('extract', {'html': open('page.html').read()})).content[0].text)
asyncio.run(run())
END
task 'MCP client' python/README.md '^# Rain' "$(module thresher mcp)" <<'END'
python3 mcp_client.py
END
task 'page in Python' README.md '^Rain .*en$' "$(module thresher)" <<'END'
python3 -c "import thresher; page = thresher.extract(open('page.html', 'rb').read(), url='https://example.org/story')
print(page.title, page.author, page.published, page.language); print(page.text)
print(page.signature())"
END
task 'cluster' README.md '240 read, 184 emitted' '' <<'END'
mkdir -p cluster && for name in a b c d; do cp samples/news.warc.gz cluster/$name.warc.gz; done
seq 0 1 | xargs -P 2 -I{} thresher run -q --shard {}/2 -O shards/ cluster/
thresher summary shards/
END
echo "$((number - failed - skipped)) passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
