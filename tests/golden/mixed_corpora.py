#!/usr/bin/env python3
"""Digests of what thresher-lab says about corpora of random pages: measures, plots, features, and models.

usage: mixed_corpora.py PROGRAM                 compares with mixed_corpora.out
       mixed_corpora.py --accept PROGRAM        keeps the digests of now
       mixed_corpora.py --write FOLDER PROGRAM  writes the corpora and the outputs to FOLDER: to see a difference, write with both programs, and compare the folders

A page has blocks of known segments in random templates of twelve sites. Some words of the gold differ from the page, are missing, or belong to no segment. Some pages have no gold, and some gold
has no page. The random numbers are the script's own. A row of mixed_corpora.out is a command, or a file that it writes. Whether the answers are right, other tests say: tests/quality/agree.py,
tests/run/eval_*.py, and the unit tests.
"""
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

from mixed import Random, settle

HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = os.path.join(HERE, 'mixed_corpora.out')
WORDS = """the a of and to in is was it for on that with as his they at be this from have or by one had not but what all were when we there can an your which their said if do will each about how up out
them then she many some so these would other into has more her two like him see time could no make than first been its who now people my made over did down only way find use may water long little very
after words called just where most know harbour keeper ships lantern mill bread winter village stones sledge smith road letter books autumn Sunday February""".split()
# HTML of a block (%t: its text), and of a segment.
BLOCKS = ['<p>%t</p>', '<div class="text"><p>%t</p></div>', '<h2>%t</h2>', '<ul><li>%t</li></ul>', '<blockquote><p>%t</p></blockquote>', '<table><tr><td>%t</td></tr></table>', '<div>%t<br></div>',
          '<pre>%t\n  code\n    more code\n</pre>', '<section><h3>%t</h3></section>', '<p class=comment>%t</p>', '<div class="nav"><a href="/x">%t</a></div>', '<footer><small>%t</small></footer>', '<p><b>%t</b></p>']
FRAMES = ['%s', '<div id=page><div class=main>%s</div></div>', '<article>%s</article>', '<table><tr><td>%s</td></tr></table>', '<hr>%s<hr>']
TYPES = ['article', 'forum', 'listing', None]
LANGUAGES = ['en', 'de', None]


def words(random, count):
    return [random.one(WORDS) + ('.' if random.below(9) == 0 else '') for _ in range(count)]


class Page:
    """Segments of blocks, each with its words."""

    def __init__(self, number, random):
        self.name = 'page%d' % number
        self.url = 'http://%swww.site%d.example/%d/%s.html' % ('' if random.below(3) else 'a.', number % 12, random.below(3), self.name)
        self.segments = []
        for _ in range(1 + random.below(7)):
            of_one = [(random.one(BLOCKS), words(random, random.one([1, 2, 5, 12, 30, 60, 140]))) for _ in range(random.one([1, 1, 2, 3, 6]))]
            self.segments.append((random.one(FRAMES), of_one))
        self.type, self.language = random.one(TYPES), random.one(LANGUAGES)

    def html(self):
        body = ''.join(frame % ''.join(block.replace('%t', ' '.join(text)) for block, text in blocks) for frame, blocks in self.segments)
        return '<!DOCTYPE html><html><head><title>%s</title></head><body>%s</body></html>' % (self.name, body)

    def record(self):
        block = b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n' + self.html().encode()
        return ('WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:mixed:%s>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: %s\r\n'
                'Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n' % (self.name, self.url, len(block))).encode() + block + b'\r\n\r\n'

    def segmentation_gold(self, random):
        row = {'id': '<urn:mixed:%s>' % self.name, 'page': self.name, 'tokens': [], 'segment': [], 'part': []}
        if random.below(2):
            row['source'] = random.one(['alpha', 'beta'])
        for number, (_, blocks) in enumerate(self.segments):
            for part, (_, text) in enumerate(blocks):
                for word in text:
                    chance = random.below(60)
                    if chance == 0:
                        continue  # a word that only the page has
                    row['tokens'] += ['other', word] if chance == 1 else [word.upper()] if chance == 2 else ['changed'] if chance == 3 else [word]
                    added = 2 if chance == 1 else 1
                    row['segment'] += [-1 if chance == 4 else number] * added
                    row['part'] += [-1 if chance == 5 else number * 100 + part] * added
        return row

    def extraction_gold(self, random):
        gold = [block for _, blocks in self.segments for block in blocks if not re.search('nav|footer|comment', block[0])]
        lines = [' '.join(text) for _, text in gold]
        row = {'id': 'mixed:' + self.name, 'url': self.url, 'html': self.html(), 'page_type': self.type, 'lang': self.language, 'gold_text': '\n'.join(lines) if random.below(8) else None,
               'with': [line[:60] for line in lines[:3]], 'without': ['not there', ' '.join(self.segments[-1][1][-1][1][:4])]}
        if random.below(2):
            row['required'] = {'lines': lines[:4], 'other lines': lines[4:] or ['a line that is not there']}
        if random.below(4) == 0:
            row['encoding'] = 'utf-8'
        return {name: value for name, value in row.items() if value is not None or name == 'gold_text'}


def write_corpora(folder):
    """Corpora s1 and s2 for segments, e1 and e2 for content."""
    for name, count, shift in (('1', 48, 0), ('2', 13, 100)):
        random = Random('corpora ' + name)
        pages = [Page(shift + i, random) for i in range(count)]
        for kind in 's', 'e':
            os.makedirs(os.path.join(folder, kind + name))
        golds = [page.segmentation_gold(random) for page in pages if random.below(10)] + [{'id': '<urn:mixed:none>', 'page': 'none', 'tokens': ['a'], 'segment': [0], 'part': [0]}]
        for path, data in (('gold.jsonl.gz', ''.join(json.dumps(gold) + '\n' for gold in golds).encode()), ('pages.warc.gz', b''.join(page.record() for page in pages))):
            with gzip.GzipFile(os.path.join(folder, 's' + name, path), 'wb', mtime=0) as out:
                out.write(data)
        rows = [page.extraction_gold(random) for page in pages]
        with open(os.path.join(folder, 'e' + name, 'pages.jsonl'), 'w', encoding='utf-8') as out:
            out.writelines(json.dumps(row) + '\n' for row in rows)
        os.makedirs(os.path.join(folder, 'e' + name, 'peer-outputs'))
        with gzip.GzipFile(os.path.join(folder, 'e' + name, 'peer-outputs', 'peer.jsonl.gz'), 'wb', mtime=0) as out:
            for row in rows:
                if random.below(9):
                    out.write((json.dumps({'id': row['id'], 'text': ' '.join(words(random, 30)) + (row['gold_text'] or '')}) + '\n').encode())


# Each command, and the files that it writes.
COMMANDS = [
    ('eval segmentation -q --profiles all s1 s2', []),
    ('eval segmentation -q --profiles all --json -j2 s1', []),
    ('eval segmentation -q --resamples 0 --fields part,segment --markdown --profiles all s2 s1', []),
    ('eval segmentation -q --segmenters all --profiles all --plot plot.svg -O scores.jsonl s1 s2', ['plot.svg', 'scores.jsonl']),
    ('eval density -q --plot plot.svg s1/pages.warc.gz s2/pages.warc.gz', ['plot.svg']),
    ('eval density -q --json s1/pages.warc.gz', []),
    ('eval features -q -O rows e1 e2', ['rows']),
    ('eval extraction -q --worst 9 e1 e2', []),
    ('eval extraction -q --json --classifiers all e1', []),
    ('eval extraction -q --markdown --resamples 50 e2', []),
    ('eval lines -q --json e1 e2', []),
    ('eval lines -q --classifiers all e1', []),
    ('train -q gcuts s1 -O model', ['model']),
    ('train -q gcuts s1 -O none/model', []),
    ('train -q cclus s1 s2 --folds -O model', ['model']),
    ('train -q boundary-graph s1 s2 --folds --seed 5 -O model', ['model']),
    ('train -q cclus-without-tree s1 -O model', ['model']),
    ('train -q boundary-graph s1 s2 --field part --without beta,gamma -O model', ['model']),
    *(('run -q -s %s --emit all --page-ms 0 --language-detector none --text-plain s1/pages.warc.gz' % method, [])
      for method in ('gcuts', 'cclus', 'dom-cohesion', 'boundary-graph', 'word-wrap', 'tag-gap', 'full-text', 'just-rules', 'bf-smoothed')),
]


def outcome(program, folder, command, files):
    """Rows of a command: its exit code and what it says, and its files."""
    for name in set(os.listdir(folder)) - {'s1', 's2', 'e1', 'e2'}:
        os.unlink(os.path.join(folder, name))
    done = subprocess.run([program, *command.split()], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
    said = re.sub(rb' in [0-9.]+ s: [0-9.]+ MB of HTML a second', b'', done.stdout + done.stderr)
    yield command, b'%d\n' % done.returncode + said
    for name in files:
        with open(os.path.join(folder, name), 'rb') as file:
            yield '%s: %s' % (command, name), file.read()


def main(args):
    program = os.path.abspath(args[-1])
    with tempfile.TemporaryDirectory() as folder:
        write_corpora(folder)
        found = [row for command, files in COMMANDS for row in outcome(program, folder, command, files)]
    if args[0] == '--write':
        os.makedirs(args[1], exist_ok=True)
        for number, (_, text) in enumerate(found):
            with open(os.path.join(args[1], '%03d' % number), 'wb') as out:
                out.write(text)
        return 0
    return settle(KEPT, ['%s %s\n' % (hashlib.sha256(text).hexdigest()[:16], name) for name, text in found], args[0] == '--accept')


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
