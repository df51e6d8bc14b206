#!/usr/bin/env python3
"""Digests of what the program does with its own files when they are damaged.

usage: damaged_files.py PROGRAM                 compares with damaged_files.out
       damaged_files.py PROGRAM --first         only the first edits of each file
       damaged_files.py --accept PROGRAM        keeps the digests of now
       damaged_files.py --write FOLDER PROGRAM  writes what each command says to FOLDER: to see a difference, write with both programs, and compare the folders

The program writes its files: shards and edges of dedup, counts of sites, rules of robots.txt, the online index, states and manifests of runs, tables, captures, signatures. Each file
gets random edits: cut, a changed bit, a missing or additional byte, zeros, a repeated part, another digit. After each edit, the command that reads the file runs. A row is the file, with digests of the
exit codes, the messages and the outputs after the first edits, and after all. The random numbers are the script's own. Whether damage is found, other tests say (run.dedup_stages, unit tests); here, a change shows.
"""
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

import mixed_inputs
from mixed import Random, settle

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
KEPT = os.path.join(HERE, 'damaged_files.out')
EDITS, FIRST, RECORDS, FILES = 16, 1, 30, 8  # of a file, with --first, of an archive, of a folder
RUN = 'run -q -j1 --page-ms 0 --language-detector none -k num-words'
# Commands that write files, in their order.
PREPARED = [
    'dedup partition -q --parts 3 -O shards/a a.jsonl', 'dedup partition -q --parts 3 -O shards/b b.jsonl', *('dedup pairs -q --part %d/3 shards' % part for part in range(3)),
    'sites build -q -j1 --min-pages 1 -O counts.sites sites.warc', RUN + ' --sites.path counted --sites.epoch 3 -O - sites.warc',
    'robots build -q -O rules.robots robots.warc', RUN + ' --bands --index.path near --index.segment-pages 4 -O - sites.warc',
    RUN + ' -O out.jsonl sites.warc', RUN + ' -O DIR/ sites.warc robots.warc', RUN + ' -f parquet --compress none -e links -O table.parquet sites.warc', RUN + ' --shard 0/2 -O shard/ sites.warc robots.warc',
    RUN + ' --compress none -f minhash-sig --minhash datatrove -O sig/ sites.warc']
# Files, and the command that reads them.
READ = [
    (r'shards/a/.*', 'dedup pairs -q --part 1/3 -O edges shards'), (r'shards/.*', 'dedup components -q shards'),
    (r'counts.sites', 'sites show --json counts.sites'), (r'counts.sites', 'sites merge -q -O merged counts.sites counts.sites'), (r'counts.sites', RUN + ' --sites counts.sites robots.warc'),
    (r'counted/journal.*', RUN + ' --sites.path counted --sites.epoch 3 sites.warc'), (r'rules.robots', 'robots show rules.robots'), (r'rules.robots', 'robots check rules.robots mybot http://h1.example/a http://h2.example/b?c'),
    (r'near/0.*', RUN + ' --bands --index.path near sites.warc'), (r'near/0.*', RUN + ' --bands --index.path near --index.repair sites.warc'),
    (r'out.jsonl.*', RUN + ' --resume -O out.jsonl sites.warc'), (r'DIR/.*state', RUN + ' --resume -O DIR/ sites.warc robots.warc'), (r'shard/.*', 'summary --json shard'), (r'shard/.*', 'summary --sha256 shard'),
    (r'DIR/.*manifest.*', 'summary --croissant DIR'), (r'table.parquet', 'dedup -q --by text table.parquet'), (r'table.parquet', 'graph -q -O graph table.parquet'),
    (r'sig/.*', 'dedup -q sig'), (r'captures.cdxj', RUN + ' @captures.cdxj'),
    (r'a.jsonl', 'compare a.jsonl b.jsonl'), (r'serve.conf', 'config check serve.conf'), (r'tree.ftz', 'run -q -j1 --page-ms 0 -k num-words --language-fasttext tree.ftz sites.warc'),
    (r'softmax.bin', 'run -q -j1 --page-ms 0 -k num-words --language-fasttext softmax.bin sites.warc'),
]


def say(program, words, folder):
    done = subprocess.run([program, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=600, env=dict(os.environ, LC_ALL='C', TMPDIR=folder))
    return b'%d\n' % done.returncode + re.sub(rb'thresher/?[ /][0-9.]+[^" ]*', b'V', done.stdout + done.stderr)


def files_of(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)


def files_for(words, folder):
    """The files that a command names, and their states and manifests."""
    places = [word.strip('@/') for word in words.split()]
    return [name for name in files_of(folder) if any(name == place or name.startswith((place + '/', place + '.')) for place in places)]


def prepare(program, folder):
    """Writes all files. None is packed, because its bytes would depend on the version of a library."""
    lines = mixed_inputs.records('modern')
    for name, part in (('a.jsonl', lines[:90]), ('b.jsonl', mixed_inputs.changed_records(lines[40:120]))):
        with open(os.path.join(folder, name), 'w', encoding='utf-8', errors='surrogatepass') as out:
            out.write('\n'.join(part) + '\n')
    for name, data in (('sites.warc', mixed_inputs.site_pages()), ('robots.warc', mixed_inputs.robots_archive())):
        with open(os.path.join(folder, name), 'wb') as out:
            out.write(b''.join(re.split(rb'(?=WARC/1\.\d\r\n)', data)[:RECORDS]))
    for name in ('tree.ftz', 'softmax.bin'):
        shutil.copy(os.path.join(TESTS, 'data', 'fasttext', name), folder)
    shutil.copy(os.path.join(TESTS, '..', 'config', 'kafka-exactly-once.conf'), os.path.join(folder, 'serve.conf'))
    for words in PREPARED:
        done = subprocess.run([program, *words.split()], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
        if done.returncode not in (0, 1):
            sys.exit('%s: exit code %d: %s' % (words, done.returncode, done.stderr))
    with open(os.path.join(folder, 'captures.cdxj'), 'wb') as out:
        subprocess.run([program, 'records', '-q', '--cdxj', 'sites.warc'], cwd=folder, stdout=out, check=True)


def edited(data, random):
    at, kind = random.below(max(len(data), 1)), random.below(9)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + data[at + 1:]
    if kind == 2:
        return data[:at] + random.one([b'\0', b'\n', b'0', b'9', b'"', b' ']) + data[at:]
    if kind == 3:
        return data[:at] + b'\0' * len(data[at:at + 8]) + data[at + 8:]
    if kind == 4:
        return data[:at] + data[at:at + 40] + data[at:]
    if kind == 5:
        digits = [match.start() for match in re.finditer(rb'\d', data)]
        at = random.one(digits) if digits else 0
        return data[:at] + random.one([b'0', b'1', b'9', b'99', b'-']) + data[at + 1:]
    if kind == 6:
        lines = data.split(b'\n')
        at = random.below(len(lines))
        return b'\n'.join(lines[:at] + lines[at + 1:] + lines[at:at + 1])
    if kind == 7:
        return data + random.one([b'\0', b'\n', data[:30], b'x'])
    return data[:at] + bytes([data[at] ^ 1 << random.below(8)]) + data[at + 1:] if data else b'x'


def outcomes(program, folder, count):
    """(row, what the commands say) of each file and command; the program's version and paths do not count."""
    prepare(program, folder)
    kept, work = os.path.join(folder, '..', 'kept'), os.path.join(folder, '..', 'work')
    shutil.copytree(folder, kept)
    for number, (pattern, words) in enumerate(READ):
        names = [name for name in files_of(kept) if re.fullmatch(pattern, name)]
        if not names:
            sys.exit('no file: ' + pattern)
        for name in names[::1 + len(names) // FILES]:
            said, random = [], Random('%d %s' % (number, name))
            with open(os.path.join(kept, name), 'rb') as file:
                data = file.read()
            for edit in range(count if data else 1):
                shutil.rmtree(work, ignore_errors=True)
                for needed in files_for(words, kept):
                    os.makedirs(os.path.dirname(os.path.join(work, needed)), exist_ok=True)
                    shutil.copyfile(os.path.join(kept, needed), os.path.join(work, needed))
                with open(os.path.join(work, name), 'wb') as file:
                    file.write(edited(data, random))
                said.append(b'== %d\n' % edit + say(program, words.split(), work))
            yield '%s: %s' % (name, words), said


def digest(said):
    return hashlib.sha256(b''.join(said)).hexdigest()[:10]


def main(args):
    is_first = args[-1] == '--first'
    program = os.path.abspath(args[-2 if is_first else -1])
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, 'in')
        os.mkdir(folder)
        found = list(outcomes(program, folder, FIRST if is_first else EDITS))
    if args[0] == '--write':
        os.makedirs(args[1], exist_ok=True)
        for row, said in found:
            with open(os.path.join(args[1], re.sub(r'[^\w.-]+', '_', row)[:120]), 'wb') as out:
                out.write(b''.join(said))
        return 0
    rows = ['%s %s %s\n' % (digest(said[:FIRST]), digest(said), row) for row, said in found]
    if not is_first:
        return settle(KEPT, rows, args[0] == '--accept')
    with open(KEPT, encoding='utf-8') as file:
        kept = {row.split(' ', 2)[2]: row.split()[0] for row in file}
    bad = [row for row in rows if kept.get(row.split(' ', 2)[2]) != row.split()[0]]
    print(''.join(bad), end='')
    return 1 if bad or len(rows) != len(kept) else 0


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
