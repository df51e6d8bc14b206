"""Memory ends, the system refuses a call, or SIGTERM comes: the program ends with the same output, or with a message and the exit code for it. It never crashes, leaks or hangs.

usage: failing.py PROGRAM FAILING KIND [CASE...] [--depth N] [--again] [--onward]

FAILING: the program with calls that fail (failing.c). KIND: memory (malloc, calloc, realloc, strdup, mmap, ...), arena (of an arena), system (open, write, fsync, rename, ...)
          or interrupt (SIGTERM before a call of the system)
CASE:     names of CASES; default all but `serve`, which takes long. After each failure of the daemon another one continues, and together they must write each record once
--depth   callers that distinguish two places, 1 by default. The test has 2, or 1 with sanitizers; 4 takes some minutes for each case
--again   also places that failed in an earlier case
--onward  all later calls also fail
"""
import argparse
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

import archive

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'remote'))
from store import Store  # noqa: E402
DATA = os.path.join(os.path.dirname(HERE), 'data')
GOLDEN = os.path.join(os.path.dirname(HERE), 'golden')
THREADS = os.path.join(os.path.dirname(GOLDEN), 'threads')
CONF = """[run]
jobs = 1
[daemon]
listen = none
delivery = exactly-once
flush-ms = 50
log-level = notice
[spool]
path = spool
settle-ms = 1
quiet-ms = 1
min-age-ms = 0
rescan-ms = 100
[files]
path = out
"""
EMIT = 'full_text,segments,blocks,links,html,paragraphs,languages,signals,posts,rights,structured,paragraph_languages'
# Exit codes of a run with a failure, and the text that stderr or stdout must contain; exit code 0 needs the same output. 1: one input was left out.
CODES = {'memory': dict.fromkeys((1, 70, 74), 'memory|allocate'), 'arena': dict.fromkeys((1, 70, 74), 'memory|allocate'), 'system': {1: '.', 70: '.', 74: '.'},
         'interrupt': {130: ''}}
# Outputs that are not compared. The online indexes have a random number. A state has the size and time of an input, or zeros if stat() fails: another run does not resume.
OMITTED = dict.fromkeys(('memory', 'arena', 'interrupt'), {'i/state', 's/state', 'o/thresher.state'})
OMITTED['system'] = OMITTED['memory'] | {'o.jsonl.state', 'o.parquet.state', 'o.warc.gz.state', 'o.jsonl.zst.state'}
REMOTE = '-q --remote.retries 1 --remote.backoff-ms 1'
# Arguments of each case. In words of {}: files of prepare(). The store has the same archives below s3://crawl/.
CASES = {
    'run': 'run -q -j1 -e %s --text-format markdown,html --strictness balanced,strict --rejects r -O o.jsonl {pages}' % EMIT,
    'run_folder': 'run -q -j1 --manifest --resume -O o/ --index.path i --index.edges e --sites.path s {pages} {more}',
    'run_two_pass': 'run -q -j2 --two-pass -f parquet -e %s -O o.parquet {pages}' % EMIT,
    'run_warc': 'run -q -j2 -f warc --set-aside a.warc.gz --redact email,ip,phone -m paper -O o.warc.gz {pages}',
    'run_shard': 'run -q -j1 --shard 0/1 -f warc -O o/ {pages} {more}',
    'run_signatures': 'run -q -j1 -f minhash-sig -m datatrove -O o/ {pages} {more}',
    'run_filters': 'run -q -j1 -f fineweb --filter.urls {urls} --filter.not-ids {urls} --filter.language en,none --filter.rights noai --robots {robots} '
                   '-s boundary-graph --compress zstd:seekable -O o.jsonl.zst {pages}',
    'run_languages': 'run -q -j1 --language-detector fasttext --language-fasttext {model} -e languages,paragraph_languages -O o.jsonl {pages}',
    'run_rendered': 'run -q -j1 --rendered dom -O o.jsonl {rendered} {pages}',
    'run_list': 'run -q -j1 -O o.jsonl @{list}',
    'run_wacz': 'run -q -j1 -f wet -O o.wet {wacz}',
    'get': 'get {seekable} {id} {id}x',
    'summary': 'summary --json {shards}',
    'records': 'records -q --verify-digests {pages} {damaged}',
    'records_cdxj': 'records -q --cdxj {pages}',
    'records_validate': 'records -q --validate {pages} {damaged}',
    'dedup': 'dedup -q --memory 1M --temp {temp} --report r -O o.jsonl {records}',
    'dedup_paragraphs': 'dedup -q --unit paragraph -f parquet -O o.parquet {records}',
    'dedup_drop': 'dedup -q --output drop --by url -O o {records}',
    'dedup_partition': 'dedup partition -q --parts 2 -O o {records}',
    'dedup_pairs': 'dedup pairs -q --part 0/2 -O . {shard}',
    'dedup_signatures': 'dedup -q -O o.jsonl {signatures}',
    'dedup_table': 'dedup -q -O o.jsonl {table} {table2}',
    'dedup_seekable': 'dedup -q --temp {temp} --memory 1M -O o.jsonl {seekable}',
    'dedup_wet': 'dedup -q -O o.jsonl {wet}',
    'dedup_lines': 'dedup -q --unit paragraph --temp {temp} --memory 1M -O o.jsonl {seekable} {table}',
    'dedup_components': 'dedup components -q -O o.jsonl {pairs}',
    'graph_table': 'graph -q -O o {table}',
    'graph': 'graph -q --level page --temp {temp} -O o {records}',
    'sites_many': 'sites build -q -j2 --min-pages 1 --memory 1M -O o {pages} {more}',
    'sites': 'sites build -q -j1 --min-pages 1 -O o {pages}',
    'sites_show': 'sites show {sites} --json',
    'robots': 'robots build -q -O o {pages}',
    'text': 'text -q --json -e %s {page} {pages}#0' % EMIT,
    'inspect': 'inspect --json --compare=full-text,main-content --minhash paper {pages}#0',
    'inspect_html': 'inspect --html o.html {pages}#0',
    'compare': 'compare --json {records} {records}',
    'run_remote': 'run %s -j1 -O o.jsonl s3://crawl/part/ s3://crawl/pages.warc.gz' % REMOTE,
    'run_upload': 'run %s -j1 --manifest=off --remote.staging . -O s3://crawl/o.jsonl {more}' % REMOTE,
    'records_remote': 'records %s s3://crawl/pages.warc.gz' % REMOTE,
    'serve': '--until spool/done/b.warc serve -c {conf}',
    'eval_extraction': 'eval extraction -q --json %s/eval/extraction' % DATA,
    'eval_required': 'eval extraction -q --json %s/eval/required' % DATA,
    'eval_segmentation': 'eval segmentation -q --json --profiles all %s/eval/segmentation' % DATA,
    'eval_features': 'eval features -q -O o %s/eval/extraction' % DATA,
    'eval_density': 'eval density -q --json %s/eval/segmentation/pages.warc.gz' % DATA,
    'train_gcuts': 'train -q gcuts %s/eval/segmentation --output o' % DATA,
    'train_boundary_graph': 'train -q boundary-graph %s/eval/segmentation --output o' % DATA,
    'train_pairs': 'train -q cclus-without-tree %s/eval/segmentation --output o' % DATA,
    'plot': 'eval segmentation -q --profiles all --plot o.svg -O o %s/eval/segmentation' % DATA,
    'plot_density': 'eval density -q --plot o.svg {pages} {more}',
}


def prepare(program, folder):
    """Inputs of the cases: {name: path}."""
    def at(name):
        return os.path.join(folder, name)

    def write(name, data):
        with open(at(name), 'wb') as out:
            out.write(data)
        return at(name)

    def made(name, *args):
        subprocess.run([program, *args], check=True, timeout=600)
        return at(name)

    rng = random.Random(5)
    html = [archive.page(rng, 3)]
    for name in sorted(os.listdir(GOLDEN)):
        if name.startswith(('page_ar_blog', 'page_he_forum', 'page_th_news', 'page_hi_recipe')) and name.endswith('.html'):
            with open(os.path.join(GOLDEN, name), 'rb') as f:
                html.append(f.read())
    for name in ('opening_card', 'comment_page', 'replies_in_comments', 'single_post'):
        with open(os.path.join(THREADS, name + '.html'), 'rb') as f:
            html.append(f.read())
    parts = [archive.response(text, 'http://site%d.example/%d' % (i % 2, i), i) for i, text in enumerate(html)]
    parts.append(archive.response('User-agent: *\nDisallow: /x\nUser-agent: gptbot\nAllow: /y*$\n', 'http://site0.example/robots.txt', 90, 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n'))
    parts.append(archive.response(b'%PDF-1.4\n', 'http://site0.example/a.pdf', 91, 'HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n'))
    for name in ('tables_and_code.warc', 'signs.warc'):
        with open(os.path.join(DATA, name), 'rb') as f:
            parts.append(f.read())
    pages = archive.write(at('pages.warc.gz'), parts)
    os.mkdir(at('temp'))
    files = {'temp': at('temp'), 'pages': pages, 'more': archive.write(at('more.warc'), parts[:2], 'plain'), 'page': write('page.html', html[0].encode()),
             'urls': write('urls', b'site0.example\nhttp://site1.example/*\n'), 'damaged': os.path.join(DATA, 'warc', 'damaged_crc.warc.gz')}
    files['records'] = made('records.jsonl', 'run', '-q', '-e', 'links,paragraphs', '-O', at('records.jsonl'), pages, pages)
    files['sites'] = made('sites', 'sites', 'build', '-q', '--min-pages', '1', '-O', at('sites'), pages)
    files['robots'] = made('robots', 'robots', 'build', '-q', '-O', at('robots'), pages)
    files['shard'] = made('shard', 'dedup', 'partition', '-q', '--parts', '2', '-O', at('shard'), files['records'])
    files['rendered'] = archive.write(at('rendered.warc.gz'), [archive.record('resource', html[1 + i], 'urn:dom:http://site%d.example/%d' % (1 - i, 1 + i), 200 + i, 'text/html') for i in range(2)])
    files['list'] = write('list', b'# archives\n%s\n%s\n' % (pages.encode(), files['more'].encode()))
    files['wacz'] = at('crawl.wacz')
    with zipfile.ZipFile(files['wacz'], 'w') as out:
        out.writestr('datapackage.json', '{}')
        for name in ('pages.warc.gz', 'more.warc'):
            out.write(at(name), 'archive/' + name)
    files['model'] = os.path.join(DATA, 'fasttext', 'softmax.bin')
    for name, options in (('table.parquet', ['-f', 'parquet']), ('table2.parquet', ['-f', 'parquet', '--row-group', '64K', '--compress', 'none']),
                          ('wet.warc.wet.gz', ['-f', 'wet']), ('seekable.jsonl.zst', ['--compress', 'zstd:seekable'])):
        files[name.split('.')[0]] = made(name, 'run', '-q', '-e', 'links', *options, '-O', at(name), pages)
    files['signatures'] = made('signatures', 'run', '-q', '-f', 'minhash-sig', '-m', 'datatrove', '-O', at('signatures/'), pages)
    files['shards'] = made('shards', 'run', '-q', '--shard', '0/1', '-O', at('shards/'), pages)
    files['pairs'] = shutil.copytree(files['shard'], at('pairs'))
    for part in range(2):
        made('pairs', 'dedup', 'pairs', '-q', '--part', '%d/2' % part, '-O', files['pairs'], files['pairs'])
    with open(files['records'], encoding='utf-8') as lines:
        files['id'] = json.loads(next(lines))['id']
    files['conf'] = write('conf', CONF.encode())
    return files


def tree(kind, folder):
    """The files that a run writes: path to bytes, without stderr."""
    found = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            with open(path, 'rb') as f:
                found[os.path.relpath(path, folder)] = f.read()
    return found.pop('stderr').decode('utf-8', 'replace'), {name: data for name, data in found.items() if name not in OMITTED[kind]}


def fault_of(kind, code, said, left, usual_code, usual):
    """The error of a run, or None."""
    if code < 0:
        return 'killed by signal %d' % -code
    if 'Sanitizer' in said or 'runtime error' in said:
        return 'a sanitizer reports it'
    if code == usual_code and left == usual:
        return None
    if code == 0 and 'cannot be removed here' in said and all(left.get(name) == data for name, data in usual.items() if name != 'stdout'):
        return None
    if code == usual_code and code == 0:
        return 'exit 0 with other output: %s' % sorted(name for name in left.keys() | usual.keys() if left.get(name) != usual.get(name))
    if code not in CODES[kind]:
        return 'exit %d' % code
    return None if re.search(CODES[kind][code], said + left['stdout'].decode('utf-8', 'replace')) else 'exit %d without its message' % code


def lines_of(run):
    """The lines of the finished output files of a daemon, in order."""
    found = []
    for path in glob.glob(os.path.join(run, 'out', '*.jsonl')):
        with open(path, 'rb') as f:
            found += f.readlines()
    return sorted(found)


def fault_of_daemon(args, run, conf, code, usual):
    """Lets a second daemon continue, and compares the lines of both with the usual ones. Returns the error, or None."""
    if code not in (0, 70, 74, 75, 78):
        return 'exit %d' % code
    is_done = os.path.exists(os.path.join(run, 'spool', 'done', 'b.warc'))
    if code == 0 and not is_done:
        return 'it did not end in time'
    with open(os.path.join(run, 'stderr2'), 'wb') as err:
        second = subprocess.Popen([args.program, 'serve', '-c', conf], cwd=run, stdout=subprocess.DEVNULL, stderr=err)
        end = time.time() + 60
        while time.time() < end and second.poll() is None and lines_of(run) != usual:
            time.sleep(.01)
        time.sleep(.2 if is_done else 0)  # records that are written a second time
        second.terminate()
        second.wait()
    found = lines_of(run)
    if found == usual:
        return None
    return 'exit %d, then %d lines of %d, %d of them doubled' % (code, len(found), len(usual), len(found) - len(set(found)))


def place_of(failing, callers):
    """The lines of the callers, for a person."""
    try:
        shown = subprocess.run(['addr2line', '-fpse', failing, *['%#x' % (int(at, 16) - 1) for at in callers]], capture_output=True, text=True).stdout
    except OSError:
        return ' '.join(callers)
    return ' < '.join(shown.splitlines())


def check(args, case, files, folder, store):
    """Runs a case for each place, in a folder for all cases. Prints the runs with errors, and returns their number."""
    words = [word.format(**files) for word in CASES[case].split()]
    if case == 'serve':
        os.makedirs(os.path.join(folder, 'template'), exist_ok=True)
        for name in ('more', 'pages'):
            shutil.copy(files[name], os.path.join(folder, 'template', {'more': 'b.warc', 'pages': 'a.warc.gz'}[name]))
    environment = dict(store.environment(), ASAN_OPTIONS=os.environ.get('ASAN_OPTIONS', '') + ':exitcode=99:detect_leaks=1', TMPDIR=files['temp'])
    if args.again and os.path.exists(os.path.join(folder, 'seen')):
        os.unlink(os.path.join(folder, 'seen'))
    command = [args.failing, args.kind, str(args.depth), 'onward' if args.onward else 'once', folder, *words]
    runs, faults, codes, usual = 0, 0, {}, None
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        for line in process.stdout:
            number, code, name, *callers = line.split()
            code, run = int(code), os.path.join(folder, number)
            if case == 'serve':
                with open(os.path.join(run, 'stderr'), encoding='utf-8', errors='replace') as f:
                    said = f.read()
                if usual is None:
                    usual_code, usual = code, lines_of(run)
                    if code or len(usual) < 9:
                        sys.exit('FAILED: serve without a failure: exit %d, %d lines, %s' % (code, len(usual), said))
                    continue
                left = None
            else:
                said, left = tree(args.kind, run)
                left['s3://crawl/o.jsonl'] = store.buckets['crawl'].pop('o.jsonl', None)
                shutil.rmtree(run)
            if usual is None:
                usual_code, usual = code, left
                if code not in (0, 1) or fault_of(args.kind, code, said, left, code, left):
                    sys.exit('FAILED: %s without a failure: exit %d, %s' % (case, code, said))
                continue
            runs += 1
            codes[code] = codes.get(code, 0) + 1
            fault = fault_of_daemon(args, run, files['conf'], code, usual) if case == 'serve' else fault_of(args.kind, code, said, left, usual_code, usual)
            shutil.rmtree(run, ignore_errors=True)
            if fault:
                faults += 1
                print('FAILED: %s, %s fails: %s\n  %s\n  %s' % (case, name, fault, place_of(args.failing, callers), said[:3000].strip()), flush=True)
    if process.returncode or usual is None:
        sys.exit('FAILED: %s: %d runs, exit %d' % (case, runs, process.returncode))
    print('%s: %s, %d places that fail, %d faults; exit codes %s' % ('FAILED' if faults else 'ok', case, runs, faults, codes), flush=True)
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('failing')
    parser.add_argument('kind', choices=CODES)
    parser.add_argument('cases', nargs='*', metavar='CASE')
    parser.add_argument('--depth', type=int, default=1)
    parser.add_argument('--again', action='store_true')
    parser.add_argument('--onward', action='store_true')
    args = parser.parse_intermixed_args()
    args.program, args.failing = os.path.abspath(args.program), os.path.abspath(args.failing)
    parts = json.loads(subprocess.run([args.program, 'version', '--json'], capture_output=True, check=True).stdout)['parts']
    cases = args.cases or [case for case, words in CASES.items() if case != 'serve' and (parts['remote'] or 's3://' not in words)]
    with tempfile.TemporaryDirectory() as inputs, tempfile.TemporaryDirectory() as folder, Store() as store:
        files = prepare(args.program, inputs)
        for key, name in (('pages.warc.gz', 'pages'), ('part/more.warc', 'more')):
            with open(files[name], 'rb') as data:
                store.put('crawl', key, data.read())
        sys.exit(1 if sum([check(args, case, files, folder, store) for case in cases]) else 0)


main()
