"""`eval features`: the file for training is the same for any number of workers, and an invalid token table fails with its name."""
import json
import os
import struct
import tempfile

import archive
from case import contents, expect, expect_true, thresher

WORDS = 'the mill stands beside the river and nobody has lived in it since the flood took the bridge away'


def page(number, html_key='html'):
    html = ('<title>Mill %d</title><div class="nav menu"><a href=/>Home</a></div><main class="entry-content"><h1>Mill %d</h1>'
            '<p>%s</p><div hidden><p>a hidden part of %s</p></div></main><div id=footer>all rights reserved</div>'
            % (number, number, WORDS, WORDS))
    return {'id': 'own:%d' % number, 'url': 'http://site%d.example/blog/a-b' % (number % 9), html_key: html,
            'gold_text': WORDS, 'page_type': 'article'}


def read(path):
    """The header, and the sections as bytes."""
    data = contents(path)
    first, second, _ = data.split(b'\n', 2)
    expect('the first line', first, b'thresher features 1')
    header = json.loads(second)
    sizes = {'u1': 1, 'u2': 2, 'u4': 4, 'json': 1}
    sections = {}
    for section in header['sections']:
        count = 1
        for side in section['shape']:
            count *= side
        expect_true('section %s is aligned' % section['name'], section['offset'] % 64 == 0)
        sections[section['name']] = data[section['offset']:section['offset'] + count * sizes[section['type']]]
        expect('section %s is complete' % section['name'], len(sections[section['name']]), count * sizes[section['type']])
    return header, sections


def numbers(data, size):
    return struct.unpack('<%d%s' % (len(data) // size, {2: 'H', 4: 'I'}[size]), data)


def column(header, sections, name):
    width = len(header['columns'])
    return list(sections['rows'][header['columns'].index(name)::width])


with tempfile.TemporaryDirectory() as folder:
    corpora = []
    for number in range(2):
        corpora.append(os.path.join(folder, 'corpus%d' % number))
        os.mkdir(corpora[-1])
        with open(os.path.join(corpora[-1], 'pages.jsonl'), 'w', encoding='utf-8') as f:
            for i in range(40):
                f.write(json.dumps(page(100 * number + i)) + '\n')
            f.write(json.dumps({'id': 'own:empty', 'html': '<img>', 'gold_text': 'x'}) + '\n')

    def features(name, *args):
        path = os.path.join(folder, name)
        done = thresher('eval', 'features', '-q', '-O', path, *args)
        expect('exit code of %s' % name, (done.returncode, done.stderr), (0, b''))
        return path

    one = features('one', '-j1', *corpora)
    for jobs in (2, 4):
        expect('-j1 and -j%d' % jobs, contents(features('j%d' % jobs, '-j%d' % jobs, *corpora)), contents(one))

    header, sections = read(one)
    pages = [json.loads(line) for line in sections['pages'].splitlines()]
    expect('pages in order, those without text left out', [p['id'] for p in pages],
           ['own:%d' % i for i in (*range(40), *range(100, 140))])
    expect('corpora', {p['corpus'] for p in pages}, {'corpus0', 'corpus1'})
    expect('rows of pages', sum(p['rows'] for p in pages), header['rows'])
    expect('pages of rows', sorted(set(numbers(sections['page'], 4))), list(range(80)))
    expect('labels of a page', list(sections['label'][:5]), [0, 0, 1, 0, 0])
    expect('hidden rows of a page', column(header, sections, 'hidden')[:5], [0, 0, 0, 1, 0])
    expect('groups', len(header['groups']), len(header['columns']))
    starts = numbers(sections['bucket_start'], 4)
    expect('buckets end where they end', (starts[0], starts[-1]), (0, len(sections['bucket']) // 2))
    expect_true('buckets rise', list(starts) == sorted(starts))
    expect_true('one site, one fold', all(len({p['fold'] for p in pages if p['host'] == 'site%d.example' % i}) == 1 for i in range(9)))
    expect('token columns are unknown', set(column(header, sections, 'token_own')), {128})

    bare = read(features('bare', '--without-classes', *corpora))
    expect('without classes there is no family', set(column(*bare, 'family_content')), {255})
    expect_true('with them there is', set(column(header, sections, 'family_content')) != {255})
    expect('nor a page with classes', set(column(*bare, 'page_has_classes')), {0})

    crawl = archive.write(os.path.join(folder, 'crawl.warc'), [archive.response(p['html'], p['url'] + '?%d' % i, i) for i, p in enumerate(map(page, range(40)))], 'plain')
    known = os.path.join(folder, 'sites')
    expect('sites build', thresher('sites', 'build', '-q', '-O', known, crawl).returncode, 0)
    counted = read(features('counted', '--sites', known, *corpora))
    expect('of no site without being asked', set(column(header, sections, 'site_pages')), {255})
    expect_true('of the site where it is', len(set(column(*counted, 'site_pages'))) > 1 and 255 not in column(*counted, 'site_share'))
    shown = [thresher('eval', 'extraction', '--json', '--resamples', '0', '--classifiers', 'keep-all', '--sites', known, *more, corpora[0]).stdout
             for more in (['--sites-rule', 'signatures'], ['--sites-rule', 'labels'], ['--sites-rule', 'labels', '--site-pages', '1000'])]
    figures = [json.loads(text)['corpora'][0]['methods'][0].get('words', {}).get('f1') for text in shown]
    expect_true('by the rule, text that recurs is not content', figures[0] != figures[1], figures)
    expect('no page of so large a site', figures[2], None)

    tables = os.path.join(folder, 'tables')

    def write_tables(head, body):
        with open(tables, 'wb') as f:
            f.write(head + body)

    head = b'thresher token tables 1\n{"buckets":4096,"tables":2}\n'
    body = struct.pack('<i4096h', 1024, *[0] * 4096) + struct.pack('<i4096h', -2048, *[0] * 4096)
    write_tables(head, body)
    full = read(features('full', '--token-tables', tables, *corpora))
    page_of_row = numbers(full[1]['page'], 4)
    expect('each page has the table of its fold', [*column(*full, 'token_own')],
           [128 + 12 if pages[p]['fold'] % 2 == 0 else 128 - 24 for p in page_of_row])

    for name, data, words in (('another file', b'x\n', b'is not a file of token tables'),
                              ('too few buckets', b'thresher token tables 1\n{"buckets":16,"tables":1}\n', b'expected 4096 buckets'),
                              ('cut', head + body[:-1], b'ends inside table 1'),
                              ('too long', head + body + b'x', b'has unexpected bytes after its last table'),
                              ('a bias beyond all', head + b'\xff\xff\xff\x7f' + body[4:], b'table 0 has an invalid bias')):
        write_tables(data, b'')
        done = thresher('eval', 'features', '-q', '-O', os.path.join(folder, 'none'), '--token-tables', tables, *corpora)
        expect('%s: exit code' % name, done.returncode, 2)
        expect_true('%s: %s' % (name, words), words in done.stderr, done.stderr)
        expect_true('%s: no file' % name, not os.path.exists(os.path.join(folder, 'none')))

    listed = thresher('eval', 'features', '--list').stdout.decode()
    expect('every column is listed once', [listed.count(' %s ' % name) >= 1 for name in header['columns']], [True] * len(header['columns']))
