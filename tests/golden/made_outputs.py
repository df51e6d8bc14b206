#!/usr/bin/env python3
"""Digests of what commands and options write about pages that grammars make: formats, filters, shards, other media types, rendered copies, indices of captures, manual pages, completions.

usage: made_outputs.py PROGRAM                 compares with made_outputs.out
       made_outputs.py PROGRAM --first         only every fifth command
       made_outputs.py --accept PROGRAM        keeps the digests of now
       made_outputs.py --write FOLDER PROGRAM  writes the inputs, and a file of each command: to see a difference, write with both programs, and compare the folders

The pages are some of made_pages.py. A row of made_outputs.out is a command: its exit code, what it prints, and its files of OUT, which are unpacked. Nothing else is packed, because its bytes would depend on the
version of a library. Whether the outputs are right, other tests say: tests/run, goldens of single commands, and unit tests.
"""
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

import made_pages
import mixed_inputs
import mixed_pages
from mixed import Random, settle

HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = os.path.join(HERE, 'made_outputs.out')
PLAIN = ['-q', '-j1', '--page-ms', '0', '--language-detector', 'none']
RUN = ['run', *PLAIN, '--rejects', 'OUT/rejects']
FORMATS = ['jsonl', 'warc', 'wet', 'fineweb', 'dolma', 'dolma-attributes', 'dclm', 'hplt', 'opensearch']
FILTERS = {
    'urls': ['hosts'], 'not-urls': ['hosts'], 'not-ids': ['ids'], 'suffix': ['example', 'com,de'], 'since': ['2024', '2024-05', '2024-03-01'], 'until': ['2024-05', '2023'], 'status': ['200', '3xx,404', 'all', '2xx,none'], 'media': ['text/html', 'text/plain,application/xhtml+xml', 'text/*'],
    'language': ['en', 'de,fr', 'none'], 'page-type': ['article', 'forum,listing'], 'min-quality': ['.5', '.9'], 'min-words': ['20', '200'], 'max-words': ['30'], 'rights': ['noindex', 'noai,noarchive,tdm-reservation'], 'detected': ['en'], 'min-share': ['.9'],
}
OPTIONS = ['-s bf-plain', '-s bf-smoothed -p 2008', '-s just-rules', '-s boundary-graph', '-s tag-gap', '-s word-wrap', '-s full-text', '-k densitometric', '-k num-words', '-k largest-content', '-k keep-all', '--strictness strict', '--strictness .7', '--comments', '--weak-facts', '-m paper', '-m datatrove --bands', '-m textdedup', '-m none', '--sign all',
           '--text-title no', '--text-front-matter', '--text-format markdown --text-links --text-images', '--text-format html,plain', '--redact email,ip,phone', '-e full_text,segments', '-e blocks,paragraphs', '-e links,html', '-e signals', '-e posts,rights', '-e structured', '--max-body 900', '--max-record 1200', '--agent mybot -e rights', '--rank 3', '--verify-digests']
MEDIA = [('application/pdf', b'%PDF-1.4 x'), ('text/plain', b'Plain words.\n\nA second paragraph, with [signs] and *stars*.\n'), ('application/rss+xml', b'<?xml version="1.0"?><rss><channel/></rss>'), ('text/markdown', b'# A heading\n\n* item\n* item\n'), ('image/png', b'\x89PNG\r\n\x1a\n'), ('text/csv', b'a,b\n1,2\n'),
         ('application/vnd.openxmlformats-officedocument.wordprocessingml.document', b'PK\x03\x04'), ('application/epub+zip', b'PK\x03\x04'), ('application/json', b'{"a":1}'), ('text/html', b'%PDF-1.5 as HTML'), ('', b'no type'), ('text/plain; charset=utf-16le', 'wide words of it'.encode('utf-16-le'))]
MANUALS = ['thresher', 'thresher.conf', 'thresher-record', 'run', 'text', 'serve', 'inspect', 'records', 'eval', 'dedup', 'graph', 'sites', 'robots', 'get', 'summary', 'compare', 'config', 'manual', 'completion', 'version', 'nothing']


# ---------------------------------------------------------------- inputs

def warc_record(number, url, kind, head, block):
    return ('WARC/1.1\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: 2024-0%d-01T00:00:%02dZ\r\nWARC-Record-ID: <urn:made:%d>\r\n%sContent-Length: %d\r\n\r\n'
            % (kind, url, 1 + number % 9, number % 60, number, head, len(block))).encode('utf-8') + block + b'\r\n\r\n'


def pages():
    """Some pages of each subject: their records, and their HTML by name."""
    out, html = b'', {}
    for subject, (make, _) in made_pages.SUBJECTS.items():
        for number in range(7):
            random = Random('made %s %d' % (subject, number))
            page, name = make(random).encode('utf-8', 'replace'), '%s%d' % (subject, number)
            status = random.one(['200 OK'] * 5 + ['404 Not Found', '301 Moved', '203 x'])
            head = 'HTTP/1.1 %s\r\nContent-Type: %s\r\n%s\r\n' % (status, random.one(['text/html; charset=utf-8', 'text/html;charset=utf-8', 'application/xhtml+xml; charset=utf-8']), random.one(['', '', 'X-Robots-Tag: noindex\r\n', 'Content-Language: de\r\n', 'tdm-reservation: 1\r\n', 'X-Robots-Tag: noai\r\n']))
            if head.find('xhtml') >= 0:
                page = b'<!DOCTYPE html>' + page
            url = 'http://%s/%s' % (random.one(['made.example', 'www.made.example', 'forum.made.example:8080', 'a.com', 'b.de']), name)
            out += warc_record(len(html), url, 'response', 'Content-Type: application/http; msgtype=response\r\n', head.encode() + page)
            html[name] = page
    return out, html


def other_media():
    out = b''
    for number, (kind, body) in enumerate(MEDIA):
        head = 'HTTP/1.1 200 OK\r\n%s\r\n' % ('Content-Type: %s\r\n' % kind if kind else '')
        out += warc_record(500 + number, 'http://made.example/file%d' % number, 'response', 'Content-Type: application/http\r\n', head.encode() + body)
        out += warc_record(600 + number, 'http://made.example/resource%d' % number, 'resource', 'Content-Type: %s\r\n' % kind if kind else '', body)
    return out


def rendered(html):
    """Pages with their copies from a browser."""
    out, random = b'', Random('rendered')
    for number, (name, page) in enumerate(list(html.items())[:24]):
        url = 'http://made.example/%s' % name
        out += warc_record(700 + number, url, 'response', 'Content-Type: application/http\r\n', b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>The page before its scripts ran.')
        for kind in ('dom', 'text', 'domFinal', 'textFinal', 'pageinfo'):
            if random.below(2):
                body = page if kind.startswith('dom') else b'{}' if kind == 'pageinfo' else b'Text of the page.\nA second line of it.\n'
                out += warc_record(800 + 10 * number, 'urn:%s:%s%s' % (kind, url, random.one(['', '', '#top'])), 'resource', 'Content-Type: %s\r\n' % ('text/html' if kind.startswith('dom') else 'text/plain'), body)
    return out


def write_inputs(program, folder):
    def put(name, data):
        with open(os.path.join(folder, name), 'wb') as out:
            out.write(data)
    made, html = pages()
    records = re.split(rb'(?=WARC/1\.1\r\n)', made)[1:]
    put('made.warc', made)
    for part in range(3):
        put('part%d.warc' % part, b''.join(records[part::3]))
    put('media.warc', other_media())
    put('rendered.warc', rendered(html))
    put('damaged.warc', b''.join(records[:5]) + b'junk' + b''.join(records[5:9])[:-300])
    put('hosts', b'made.example\n# x\nhttp://forum.made.example:8080/*\nb.de/links*\n')
    put('ids', b'<urn:made:3>\nurn:made:4\n<urn:made:5>\n')
    near = mixed_inputs.records('modern')
    for half in range(2):
        put('near%d.jsonl' % half, '\n'.join(near[half::2]).encode('utf-8', 'surrogatepass'))
    for name in list(html)[::5]:
        put(name + '.html', html[name])
    for words in (['run', *PLAIN, '--compress', 'zstd:seekable', '-O', 'seek.jsonl.zst', 'made.warc'], *(['run', *PLAIN, '--shard', '%d/2' % shard, '-O', 'shards/', 'part0.warc', 'part1.warc', 'part2.warc'] for shard in range(2)), ['run', *PLAIN, '-O', 'records.jsonl', 'part0.warc'], ['run', *PLAIN, '-e', 'links', '-O', 'linked.jsonl', 'made.warc'], ['sites', 'build', '-q', '-j1', '--min-pages', '1', '-O', 'counts.sites', 'made.warc'],
                  ['run', *PLAIN, '-k', 'num-words', '-O', 'others.jsonl', 'part0.warc'], ['run', *PLAIN, '--sign', 'all', '-O', 'signed.jsonl', 'made.warc', 'rendered.warc'], *(['dedup', 'partition', '-q', '--parts', '5', '-O', 'parted/%d' % half, 'near%d.jsonl' % half] for half in range(2)),
                  *(['dedup', 'pairs', '-q', '--part', '%d/5' % part, 'parted'] for part in range(5))):
        done = subprocess.run([program, *words], cwd=folder, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode not in (0, 1):
            sys.exit('%s: exit code %d' % (words, done.returncode))


# ---------------------------------------------------------------- commands

def commands():
    out = [[*RUN, '-f', name, *more, 'made.warc'] for name in FORMATS for more in ([], ['--filter.status', 'all', '-e', 'full_text,posts,structured,rights', '-k', 'num-words'])]
    out += [[*RUN, '-f', 'parquet', '--compress', 'none', *more, '-O', 'OUT/table.parquet', 'part0.warc'] for more in ([], ['-e', 'all', '--sign', 'all'])]
    out += [[*RUN, '-f', 'minhash-sig', '--compress', 'none', '-m', 'datatrove', *more, '-O', 'OUT/', 'part0.warc', 'part1.warc'] for more in ([], ['--rank', '7'])]
    out += [[*RUN, '--filter.' + name, value, '-k', 'num-words' if name not in ('page-type', 'min-quality') else 'learned', 'made.warc', 'media.warc'] for name, values in FILTERS.items() for value in values]
    out += [[*RUN, *words.split(), 'part1.warc'] for words in OPTIONS]
    out += [[*RUN, '--rendered', use, *more, 'rendered.warc'] for use in ('off', 'dom', 'text', 'only') for more in ([], ['-f', 'warc', '-e', 'html'])]
    out += [[*RUN, *more, 'media.warc'] for more in ([], ['--text-plain'], ['--set-aside', 'OUT/aside.warc'], ['--set-aside', 'OUT/aside.warc.gz', '--set-aside.types', 'application/*,text/csv'], ['--text-plain', '--set-aside', 'OUT/aside.warc', '--set-aside.types', 'documents'])]
    out += [['run', '-j1', '--page-ms', '0', '-k', 'num-words', '-O', 'OUT/records.jsonl', *names] for names in (['part0.warc'], ['damaged.warc', 'part1.warc'])]
    out += [['run', *PLAIN, '-k', 'num-words', '-O', 'OUT/', *more, 'part0.warc', 'part1.warc'] for more in ([], ['-f', 'warc'], ['-f', 'fineweb'], ['--compress', 'gzip'])]
    out += [['records', *more, 'made.warc', 'rendered.warc', 'damaged.warc'] for more in (['-q'], ['-q', '--verify-digests'], ['-q', '--cdxj'], ['-q', '--cdxj-blocks', 'OUT/blocks.gz'], ['--validate'], ['--validate', '--json'], ['-q', '--base', 'nowhere/'])]
    out += [['summary', *more, *folders] for more in ([], ['--json'], ['--sha256'], ['--croissant']) for folders in (['shards'], ['.'], ['nowhere'])]
    out += [['get', 'seek.jsonl.zst', *ids] for ids in (['<urn:made:3>'], ['urn:made:9', '<urn:made:60>'], ['<urn:made:2>', 'none'], ['<urn:made:%d>' % i for i in range(63)])] + [['get', 'records.jsonl', 'x'], ['get']]
    out += [['compare', *more, 'records.jsonl', 'others.jsonl'] for more in ([], ['--json'])] + [['compare', 'records.jsonl', 'records.jsonl'], ['compare', 'records.jsonl', 'seek.jsonl.zst']]
    out += [['text', *more, 'software0.html', 'markdown3.html', 'byline2.html'] for more in ([], ['--json'], ['-O', 'OUT/'], ['--text-format', 'markdown', '--text-front-matter', '--url', 'http://made.example/x'], ['--text-format', 'html', '--comments'], ['-q', '--text-title', 'no', '--strictness', 'wide'])]
    out += [['text', '--text-format', 'markdown', 'made.warc#0'], ['text', 'made.warc#1'], ['text', 'made.warc'], ['text', 'nowhere.html'], ['text', '-q', '-'], ['text']]
    out += [['inspect', '--language-detector', 'none', *more, 'made.warc#0'] for more in ([], ['--json'], ['--html', 'OUT/report.html', '-k', 'num-words'])] + [['inspect', '--language-detector', 'none', 'made.warc', 'http://made.example/group3'], ['inspect', 'made.warc', 'http://nowhere.example/']]
    out += [['sites', 'build', '-q', '-j1', *more, '-O', 'OUT/counts', 'made.warc'] for more in (['--min-pages', '1'], ['--by', 'host', '--min-pages', '1'], [])]
    out += [['dedup', 'partition', '-q', '--parts', '2', '-O', 'OUT/', *more, 'signed.jsonl', 'others.jsonl'] for more in ([], ['--sign', 'page'])] + [['dedup', 'pairs', '-q', '--part', '1/5', '-O', 'OUT/', *more, 'parted'] for more in ([], ['--fan-out', '2'], ['--threshold', '.5'])]
    out += [['dedup', 'components', '-q', *more, 'parted'] for more in ([], ['--output', 'drop'], ['--output', 'pairs'], ['-f', 'parquet', '--compress', 'none', '-O', 'OUT/clusters.parquet'])] + [['dedup', 'components', '-q', 'parted/0'], ['dedup', 'pairs', '-q', '--part', '5/5', 'parted']]
    out += [['graph', '-q', '--level', level, *more, '-O', 'OUT', 'linked.jsonl'] for level in ('host', 'page') for more in ([], ['--links', 'content'])] + [['sites', 'show', *more] for more in (['counts.sites'], ['--json', 'counts.sites'], ['counts.sites', 'made.example'])] + [['robots', *more] for more in (['show', 'made.warc'], ['build', '-q', '-O', 'OUT/rules', 'made.warc'])]
    out += [['completion', shell] for shell in ('bash', 'zsh', 'fish', 'sh')] + [['manual', page] for page in MANUALS] + [['manual'], ['completion'], ['dedup', '-q', 'seek.jsonl.zst'], ['graph', '-q', '-O', 'OUT', 'records.jsonl'], ['dedup', '-q', '--unit', 'paragraph', 'records.jsonl', 'others.jsonl']]
    return out


def unpacked(name, data):
    return gzip.decompress(data) if name.endswith('.gz') else data


def say(program, words, folder):
    """The lines of a command's outputs."""
    outputs = os.path.join(folder, 'OUT')
    shutil.rmtree(outputs, ignore_errors=True)
    os.mkdir(outputs)
    done = subprocess.run([program, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, env=dict(os.environ, LC_ALL='C', TMPDIR=folder, COLUMNS='90'))
    out = b'%d\n' % done.returncode + done.stdout + done.stderr
    for at, _, names in sorted(os.walk(outputs)):
        for name in sorted(names):
            if not name.endswith(('.json', 'state')):  # have times, or lengths of packed files
                with open(os.path.join(at, name), 'rb') as file:
                    out += b'\n' + os.path.relpath(os.path.join(at, name), folder).encode() + b'\n' + unpacked(name, file.read())
    # Versions, times, lengths of packed bytes, and ids of records that are new.
    out = re.sub(rb'thresher/?[ /][0-9.]+[^" ]*|"software": ?"[^"]*"|(?m:^(?:software|WARC-Date|WARC-Record-ID|WARC-Filename|WARC-Refers-To): .*$)|[0-9.]+ (?:s\b|MB of HTML a second)', b'', out)
    return out


def written(program, folder, step=1):
    write_inputs(program, folder)
    for words in commands()[::step]:
        yield ' '.join(words).replace(' '.join(PLAIN) + ' ', ''), say(program, words, folder)


def main(args):
    is_part = args[-1] == '--first'
    program = os.path.abspath(args[-2 if is_part else -1])
    if args[0] == '--write':
        args[1] = os.path.abspath(args[1])
        os.makedirs(args[1], exist_ok=True)
        for number, (label, text) in enumerate(written(program, args[1])):
            with open(os.path.join(args[1], 'said %03d' % number), 'wb') as out:
                out.write(label.encode() + b'\n' + text)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        rows = ['%s %s\n' % (hashlib.sha256(text).hexdigest()[:10], label) for label, text in written(program, folder, 5 if is_part else 1)]
    if is_part:
        with open(KEPT, encoding='utf-8') as file:
            kept = file.readlines()
        changed = [row for row in rows if row not in kept]
        print(''.join(changed), end='')
        return len(changed) > 0
    return settle(KEPT, rows, args[0] == '--accept')


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
