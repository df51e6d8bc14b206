"""`thresher graph`: a random web compared with a second, simple implementation, in any order, with little memory, with invalid records, and killed.

Millions of pages are done by hand: tests/bench/synthetic_web.c.
"""
import gzip
import json
import os
import random
import signal
import subprocess
import tempfile
import time
import zlib

from case import PROGRAM, contents, expect, expect_true, thresher

LABELS = ('content', 'boilerplate', None)


def web(seed, hosts=12, pages=60, records=90):
    """Records of pages on few hosts, some captured twice, with links to pages, to pages without a capture, and to invalid addresses."""
    rng = random.Random(seed)
    names = ['%s%s.example' % (rng.choice(('', 'www.', 'WWW.', 'sub.')), chr(97 + i)) for i in range(hosts)] + ['10.0.0.1', 'a-b.example']
    urls = ['%s://%s%s/%s' % (rng.choice(('http', 'https')), rng.choice(names), rng.choice(('', '', ':8080')), rng.choice(('', 'a', 'a?b', 'a/b')) + str(i % 7)) for i in range(pages)]
    outside = ['http://%s/%d' % (rng.choice(names + ['www.elsewhere.example', 'else.where.example']), i) for i in range(30)]
    made = []
    for _ in range(records):
        links = []
        for _ in range(rng.randrange(12)):
            link = {'url': rng.choice(urls if rng.random() < .7 else outside) + rng.choice(('', '', '#top'))}
            if rng.random() < .05:
                link['url'] = rng.choice(('mailto:a@b.example', 'javascript:x', 'http://', 'ftp://a.example/'))
            label = rng.choice(LABELS)
            if label:
                link['label'] = label
            links.append(link)
        made.append({'schema': 'thresher/1', 'url': rng.choice(urls), 'text': 'é "x"', 'links': links})
    return made


def key_of(url):
    """(reversed host, rest, URL) of an address of the web, else None."""
    scheme, mark, rest = url.partition('://')
    if not mark or scheme not in ('http', 'https'):
        return None
    rest = rest.split('#')[0]
    authority, slash, local = rest.partition('/')
    if not authority:
        return None
    name = authority.lower().split(':')[0]
    bare = name[4:] if name.startswith('www.') and '.' in name[4:] else name
    is_address = bare.replace('.', '').isdigit()
    host = bare if is_address else '.'.join(reversed(bare.split('.')))
    return host, '/' + local, scheme + '://' + authority.lower() + '/' + local


def reference(records, level, wanted, weight=1.0, alpha=.85, bias=()):
    """Returns the expected content of the files, with ranks by power iteration."""
    pages, links = {}, {}
    for record in records:
        page = key_of(record['url'])
        pages[page] = True
        for link in record['links']:
            target = key_of(link['url'])
            is_content = link.get('label') == 'content'
            if target and wanted in ('all', 'content' if is_content else 'boilerplate'):
                links[page, target] = links.get((page, target), False) or is_content
    order = sorted(pages)
    if level == 'page':
        vertices = order
        name = lambda v: v[2]
        edges = {(a, b): (int(c), int(not c), 1) for (a, b), c in links.items() if b in pages and a != b}
    else:
        vertices = sorted({p[0] for p in pages} | {t[0] for _, t in links})
        name = lambda v: v
        edges, sources = {}, {}
        for (a, b), c in links.items():
            if a[0] != b[0]:
                e = edges.get((a[0], b[0]), (0, 0, 0))
                sources.setdefault((a[0], b[0]), set()).add(a)
                edges[a[0], b[0]] = (e[0] + c, e[1] + (not c), len(sources[a[0], b[0]]))
    number = {v: i for i, v in enumerate(vertices)}
    rows = sorted((number[a], number[b]) + e for (a, b), e in edges.items())
    tau = [1.0] * len(vertices)
    if bias:
        tau = [float(v[2] in bias or v[0] in bias if level == 'page' else v in bias) for v in vertices]
        tau = [t * len(tau) / sum(tau) for t in tau]
    out = [0.0] * len(vertices)
    for a, _, content, _, _ in rows:
        out[a] += 1 if content else weight
    ranks = list(tau)
    for _ in range(300):
        new = [(1 - alpha) * t for t in tau]
        for a, b, content, _, _ in rows:
            if out[a]:
                new[b] += alpha * ranks[a] * (1 if content else weight) / out[a]
        ranks = new
    total = sum(ranks)
    return {'vertices': [(i, name(v)) for i, v in enumerate(vertices)], 'edges': [r[:2] for r in rows], 'weights': rows,
            'ranks': {name(v): ranks[i] / total for i, v in enumerate(vertices)},
            'hosts': sorted({p[0] for p in pages}), 'pages': order}


def lines(folder, name):
    with gzip.open(os.path.join(folder, name + '.txt.gz'), 'rt', encoding='utf-8') as file:
        return file.read().split('\n')[:-1]


def table(folder, name):
    return [tuple(int(field) if field.isdigit() else field for field in line.split('\t')) for line in lines(folder, name)]


def check_ranks(folder, want, level):
    head, *rows = lines(folder, 'ranks')
    expect('head of the ranks', head, '#pr_pos\t#pr_val\t#' + ('host_rev' if level == 'host' else 'url'))
    rows = [row.split('\t') for row in rows]
    expect('places', [int(row[0]) for row in rows], list(range(1, len(rows) + 1)))
    expect('ranked', sorted(row[2] for row in rows), sorted(want))
    expect_true('falling', all(float(a[1]) >= float(b[1]) for a, b in zip(rows, rows[1:])))
    expect('wrong ranks', [(name, rank, want[name]) for _, rank, name in rows if abs(float(rank) - want[name]) > 1e-9], [])


def write(path, records):
    with open(path, 'w', encoding='utf-8') as out:
        for record in records:
            out.write((record if isinstance(record, str) else json.dumps(record)) + '\n')
    return path


def all_of(folder):
    return {name: contents(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}


def graph(folder, *args, code=0):
    """Returns stderr. Checks the exit code."""
    done = thresher('graph', '--epsilon', '1e-12', '-O', folder, *args)
    words = done.stderr.decode()
    expect('exit code', (done.returncode, words if done.returncode != code else ''), (code, ''))
    return words


def check_web(temp, seed, level, wanted, weight, bias):
    records = web(seed)
    want = reference(records, level, wanted, weight, bias=bias)
    path, folder = write(os.path.join(temp, 'web.jsonl'), records), os.path.join(temp, 'graph-%d-%s' % (seed, level))
    args = ['--level', level, '--links', wanted, '--weigh', str(weight)]
    if bias:
        lines_of_bias = [b if '://' in b else '.'.join(reversed(b.split('.'))) for b in bias]
        with open(os.path.join(temp, 'bias'), 'w') as file:
            file.write('\n'.join(lines_of_bias) + '\n\nhttp://nobody.example/\nmailto:x\n')
        args += ['--bias', file.name]
    graph(folder, *args, path)
    expect('vertices', table(folder, 'vertices'), want['vertices'])
    expect('edges', table(folder, 'edges'), want['edges'])
    expect('weights', table(folder, 'weights'), want['weights'])
    check_ranks(folder, want['ranks'], level)
    if level == 'page':
        hosts = [host for _, host in table(folder, 'hosts')]
        expect('hosts', hosts, want['hosts'])
        places = [(number, hosts[host], local, url) for number, host, local, url in table(folder, 'pages')]
        firsts = {host: min(i for i, p in enumerate(want['pages']) if p[0] == host) for host in hosts}
        expect('pages', places, [(i, p[0], i - firsts[p[0]], p[2]) for i, p in enumerate(want['pages'])])
    return records, args, all_of(folder)


def main():
    with tempfile.TemporaryDirectory() as temp:
        for seed, (level, wanted, weight, bias) in enumerate((
                ('host', 'all', 1, ()), ('host', 'all', .25, ()), ('host', 'content', 1, ()), ('page', 'all', 1, ()),
                ('page', 'boilerplate', 1, ()), ('page', 'all', 0, ()), ('host', 'all', 1, ('example.a', 'example.b')))):
            records, args, made = check_web(temp, seed, level, wanted, weight, bias)
            random.Random(seed).shuffle(records)
            again = os.path.join(temp, 'again')
            half = len(records) // 2
            graph(again, *args, '--memory', '1M', write(os.path.join(temp, '1.jsonl'), records[:half]), write(os.path.join(temp, '2.jsonl'), records[half:]))
            expect_true('the same bytes in another order', {name: all_of(again)[name] for name in made} == made)
        page = reference(web(9), 'page', 'all')['pages'][0]
        check_web(temp, 9, 'page', 'all', .5, (page[2],))
        check_web(temp, 10, 'page', 'all', .5, ('example.a',))
        check_refused(temp)
        check_members(temp)
        check_killed(temp)


def check_refused(temp):
    records = ['{"url":"http://a.example/","links":[{"url":"http://b.example/"}]}', 'no json', '{"links":[]}', '', '{"url":"mailto:x","links":[]}',
               '{"url":"http://a.example/2","links":[{"url":"http://c.example/"}]}', '{"url":"http://a.example/3","links":["' + 'x' * 3000 + '"]}']
    folder = os.path.join(temp, 'refused')
    words = graph(folder, '--max-line', '2048', write(os.path.join(temp, 'bad.jsonl'), records), code=1)
    for wanted in ('line 2: not one JSON object', 'line 3: no http or https URL', 'line 5: no http or https URL', 'line 7: line longer than max-line', '6 records  4 refused  2 pages  3 hosts'):
        expect_true(wanted, wanted in words, words)
    expect('edges', table(folder, 'edges'), [(0, 1), (0, 2)])
    words = graph(os.path.join(temp, 'none'), write(os.path.join(temp, 'bare.jsonl'), ['{"url":"http://a.example/"}']), code=2)
    expect_true('no links', '--emit links' in words)
    expect('files without a graph', os.listdir(os.path.join(temp, 'none')), [])
    with open(os.path.join(temp, 'bias'), 'w') as file:
        file.write('nobody.example\n')
    words = graph(os.path.join(temp, 'unbiased'), '--bias', file.name, os.path.join(temp, 'bad.jsonl'), code=2)
    expect_true('biasing set', 'biasing set' in words)
    graph(os.path.join(temp, 'empty'), write(os.path.join(temp, 'empty.jsonl'), []))
    expect('no vertices', lines(os.path.join(temp, 'empty'), 'vertices'), [])
    expect('no ranks', len(lines(os.path.join(temp, 'empty'), 'ranks')), 1)


def members(data):
    """The lengths of the gzip members of a file, unpacked."""
    found = []
    while data:
        unpacker = zlib.decompressobj(31)
        found.append(len(unpacker.decompress(data)))
        data = unpacker.unused_data
    return found


def check_members(temp):
    """Rows are written in members of a MiB, so they need no more memory."""
    folder = os.path.join(temp, 'members')
    records = [{'url': 'http://a.example/%d' % i, 'links': [{'url': 'http://h%05d.part%d.example/' % (k, i)} for k in range(12000)]} for i in range(4)]
    graph(folder, '--level', 'host', write(os.path.join(temp, 'members.jsonl'), records))
    for name, data in all_of(folder).items():
        if name.endswith('.gz'):
            expect_true('%s: rows to the end of a MiB' % name, all(1 << 20 <= size < (1 << 20) + 200 for size in members(data)[:-1]) and members(data)[-1] < 1 << 20, members(data))
    expect_true('more than one', len(members(contents(os.path.join(folder, 'ranks.txt.gz')))) > 1)


def check_killed(temp):
    """Killed at any moment and run again: the same bytes, and nothing else in the folder."""
    path = write(os.path.join(temp, 'large.jsonl'), web(11, 20, 3000, 6000))
    whole, folder = os.path.join(temp, 'whole'), os.path.join(temp, 'killed')
    start = time.monotonic()
    graph(whole, '--level', 'page', path)
    length = time.monotonic() - start
    for share in (.2, .5, .8):
        process = subprocess.Popen([PROGRAM, 'graph', '-q', '--epsilon', '1e-12', '--level', 'page', '-O', folder, path])
        time.sleep(share * length)
        process.send_signal(signal.SIGKILL)
        process.wait()
    graph(folder, '--level', 'page', path)
    expect_true('the same files', all_of(folder) == all_of(whole))


main()
