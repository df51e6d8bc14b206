"""Random and hostile input: pyarrow reads every Parquet file, and its values equal the JSON lines.

usage: hostile.py PROGRAM [ROUNDS [SEED]]     needs pyarrow; DuckDB and Polars read too where they are installed

A round is an archive of records with random bytes, invalid and odd HTML, and headers of any bytes. Values are empty, huge and repeated. Options and
row groups are random. compare.py compares the file with the JSON lines of the same options.
"""
import importlib.util
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'run'))
import archive  # noqa: E402

PARTS = ('full_text', 'segments', 'blocks', 'links', 'html', 'paragraphs', 'signals')
TAGS = ('p', 'div', 'a', 'li', 'ul', 'table', 'tr', 'td', 'title', 'h1', 'script', 'style', 'pre', 'noscript', 'select', 'x-y', 'template', 'svg', 'base')
TEXTS = ('', ' ', '\0', '\ufffd', 'é', '日本語テキスト', '\U0001f600', '"\\"', '\x7f', '\ud7ff', '\ue000', '&amp;&#0;&#x110000;&notin;', 'a' * 63 + 'é', '\U0010ffff' * 17)


def text(rng):
    kind = rng.randrange(6)
    if kind == 0:
        return rng.choice(TEXTS) * rng.choice((1, 1, 1, 7, 300))
    if kind == 1:
        return ''.join(chr(rng.choice((rng.randrange(32, 127), rng.randrange(1, 0xd800), rng.randrange(0xe000, 0x110000)))) for _ in range(rng.randrange(40)))
    return archive.sentence(rng, rng.randrange(1, 30))


def html(rng):
    parts = []
    for _ in range(rng.choice((0, 1, 5, 60, 600))):
        tag = rng.choice(TAGS)
        kind = rng.randrange(5)
        if kind == 0:
            parts.append('<%s %s="%s" href="%s">' % (tag, rng.choice(('id', 'class', 'rel', 'style', 'lang')), text(rng)[:80], text(rng)[:120]))
        elif kind == 1:
            parts.append('</%s>' % tag)
        else:
            parts.append('<%s>%s' % (tag, text(rng)))
    page = ''.join(parts).encode('utf-8', 'surrogatepass')
    if rng.random() < .3:
        page = bytearray(page)
        for _ in range(len(page) // 50):
            page[rng.randrange(len(page))] = rng.randrange(256)
    return bytes(page) if rng.random() < .9 else rng.randbytes(rng.randrange(5000))


def header(rng):
    """Any bytes that end no line."""
    value = rng.randbytes(rng.randrange(60)) if rng.random() < .5 else text(rng).encode('utf-8', 'surrogatepass')
    return value.replace(b'\r', b'').replace(b'\n', b'').decode('latin-1')


def record(rng, number):
    head = 'HTTP/1.1 %d X\r\nContent-Type: text/html%s\r\n' % (rng.choice((200, 200, 404, 999)), rng.choice(('', '; charset=utf-8', '; charset=' + header(rng)[:20])))
    if rng.random() < .2:
        head += 'Content-Language: %s\r\n' % header(rng)
    fields = [(name, header(rng)) for name in ('WARC-IP-Address', 'WARC-Truncated', 'WARC-Payload-Digest') if rng.random() < .2]
    uri = rng.choice(('http://a.example/%d' % number, 'http://b.example/' + header(rng), header(rng), 'http://c.example/' + 'x' * 3000))
    block = head.encode('latin-1') + b'\r\n' + html(rng)
    pairs = [('WARC-Type', 'response'), ('WARC-Target-URI', uri), ('WARC-Date', rng.choice(('2026-01-02T03:04:05Z', header(rng)))),
             ('WARC-Record-ID', rng.choice(('<urn:uuid:%d>' % number, header(rng)))), ('Content-Type', 'application/http; msgtype=response'),
             *fields, ('Content-Length', str(len(block)))]
    return b'WARC/1.1\r\n' + b''.join(name.encode() + b': ' + value.encode('latin-1', 'replace') + b'\r\n' for name, value in pairs) + b'\r\n' + block + b'\r\n\r\n'


def options(rng):
    chosen = ['-j', str(rng.randint(1, 3)), '--row-group', rng.choice(('1K', '5K', '100K', '128M'))]
    parts = [part for part in PARTS if rng.random() < .6]
    chosen += ['-e', ','.join(parts)] if parts else []
    chosen += ['--bands'] if rng.random() < .3 else []
    chosen += ['-k', 'num-words'] if rng.random() < .3 else []
    chosen += ['--text-format', rng.choice(('markdown', 'html'))] if rng.random() < .3 else []
    return chosen


def main():
    program, rounds, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    readers = [name for name in ('pyarrow', 'duckdb', 'polars') if importlib.util.find_spec(name)]
    if 'pyarrow' not in readers:
        print('pyarrow is not installed')
        sys.exit(77)
    rows = 0
    with tempfile.TemporaryDirectory() as folder:
        source, table, lines = (os.path.join(folder, name) for name in ('in.warc', 'out.parquet', 'out.jsonl'))
        for number in range(rounds):
            rng = random.Random('%d %d' % (seed, number))
            with open(source, 'wb') as f:
                for i in range(rng.choice((0, 1, 3, 20, 100))):
                    f.write(record(rng, i))
            chosen = options(rng)
            codec = ['--compress', rng.choice(('auto', 'none'))]
            for kind in (['-f', 'jsonl', '-O', lines], ['-f', 'parquet', '-O', table, *codec]):
                run = subprocess.run([program, 'run', '-q', *kind, *chosen, source], capture_output=True)
                if run.returncode not in (0, 1) or b'bug' in run.stderr:
                    print('FAILED: seed %d, round %d: %d %s' % (seed, number, run.returncode, run.stderr))
                    sys.exit(1)
            checked = subprocess.run([sys.executable, os.path.join(HERE, 'compare.py'), table, lines, *readers], capture_output=True, text=True)
            if checked.returncode:
                print('FAILED: seed %d, round %d, %s: %s%s' % (seed, number, ' '.join(chosen + codec), checked.stdout, checked.stderr[-2000:]))
                sys.exit(1)
            rows += int(checked.stdout.split()[1])
    print('%d files, %d rows: read by %s, all values equal' % (rounds, rows, ', '.join(readers)))


if __name__ == '__main__':
    main()
