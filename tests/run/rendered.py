"""--rendered: pages are read from their rendered copies, wherever these are in the inputs. The archives are made as Browsertrix Crawler writes
them (warcwriter.ts, domextract.ts and textextract.ts of 1.x): responses in rec-*.warc.gz, `urn:text:` and `urn:dom:` resources in other archives of the same WACZ.

usage: rendered.py PROGRAM [remote]
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import zipfile

import archive
from case import PROGRAM, contents, expect, expect_true, thresher

SHELL = '<!DOCTYPE html><html lang="en"><head><title>App %d</title></head><body><div id="root"></div><script src="/app.js"></script></body></html>'
HEAD = 'HTTP/1.1 %s\r\nContent-Type: %s\r\n%s'
PAGES = 40


def dated(record, second, fraction=''):
    return record.replace(b'2026-01-02T03:04:05Z', b'2026-01-02T03:%02d:%02d%sZ' % (second // 60, second % 60, fraction.encode()))


def response(url, html, second, number=0, status='200 OK', media='text/html; charset=iso-8859-1', extra=''):
    """The crawler stores the media type of the server, and its dates in milliseconds."""
    head = HEAD % (status, media, extra)
    page = archive.record('response', head.encode() + b'\r\n' + html.encode('utf-8'), url, number,
                          extra=[('WARC-Page-ID', '4e9a7c0e-0000-4000-8000-%012d' % number), ('WARC-Resource-Type', 'document')])
    return dated(page, second, '.100')


def copy(kind, url, body, second, number=0):
    media = 'text/html' if kind.startswith('dom') else 'application/json' if kind == 'pageinfo' else 'text/plain'
    return dated(archive.record('resource', body.encode('utf-8'), 'urn:%s:%s' % (kind, url), number, media), second, '.866')


def dom(seed, word):
    return '<html lang="en"><head><title>Rendered %s</title></head>%s' % (word, archive.page(random.Random(seed), 6).split('</head>')[1].replace('<h1>', '<h1>Grüße %s ' % word))


def crawl():
    """Records of three archives: of responses, of DOMs, and of texts."""
    rec, doms, texts = [archive.record('warcinfo', b'software: Browsertrix-Crawler 1.5.0 (with warcio.js 2.4.3)\r\n', content_type='application/warc-fields')], [], []
    for i in range(PAGES):
        url = 'https://app.example/%d' % i
        rec.append(response(url, SHELL % i, 10 * i, i, extra='X-Robots-Tag: noai\r\n' if i == 3 else ''))
        rec.append(archive.record('request', b'GET / HTTP/1.1\r\n\r\n', url, i, 'application/http; msgtype=request'))
        rec.append(copy('pageinfo', url, '{"pageid":"%d"}' % i, 10 * i + 5, i))
        if i % 4 != 1:
            doms.append(copy('dom', url + ('#top' if i == 6 else ''), dom(i, 'dom%d' % i), 10 * i + 2, i))
        if i % 8 == 2:
            doms.append(copy('domFinal', url, dom(i, 'final%d' % i), 10 * i + 4, i))
        if i % 8 != 5:
            texts.append(copy('text', url, 'Text of page %d.\nGrüße from the text, which has some words more.' % i, 10 * i + 2, i))
    for url, second, word in (('https://app.example/twice', 1000, 'first'), ('https://app.example/twice', 1100, 'second')):
        rec.append(response(url, SHELL % second, second, second))
        doms.append(copy('dom', url, dom(second, word), second + 2, second))
    rec.append(response('https://app.example/gone', '<title>Gone</title><p>Not found.', 1200, 1200, '404 Not Found'))
    doms.append(copy('dom', 'https://app.example/gone', dom(1200, 'gone'), 1202, 1200))
    rec.append(response('https://app.example/a.pdf', '%PDF-1.4', 1210, 1210, media='application/pdf'))
    doms.append(copy('dom', 'https://app.example/a.pdf', dom(1210, 'viewer'), 1212, 1210))
    doms.append(copy('dom', 'https://app.example/orphan', dom(1220, 'orphan'), 1222, 1220))
    return rec, doms, texts


def pack(path, members):
    with zipfile.ZipFile(path, 'w') as out:
        out.writestr('datapackage.json', '{}')
        for name, data in members:
            out.writestr('archive/' + name, data)
    return path


def run(*args, code=0, said=None):
    done = thresher('run', '-m', 'none', '--rejects', rejects, *args)
    expect_true('exit %d of %s' % (code, ' '.join(arg for arg in args if '/' not in arg)), done.returncode == code, done.stderr)
    if said is not None:
        expect_true(said, said.encode() in done.stderr, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()], done


def refused():
    return [json.loads(line) for line in contents(rejects).splitlines()]


def by_url(rows):
    return {row['url'].replace('https://app.example/', ''): row for row in rows}


def without_place(rows):
    for row in rows:
        for name in ('file', 'offset', 'length'):
            row['source'].pop(name, None)
    return sorted(rows, key=lambda row: row['id'])


with tempfile.TemporaryDirectory() as folder:
    def path(name):
        return os.path.join(folder, name)

    rejects = path('rejects.jsonl')
    rec, doms, texts = crawl()
    total = len(rec) + len(doms) + len(texts)
    files = [archive.write(path(name + '-20260102.warc.gz'), parts) for name, parts in (('rec', rec), ('dom', doms), ('text', texts))]
    wacz = pack(path('crawl.wacz'), [(os.path.basename(name), contents(name)) for name in files])

    if sys.argv[2:] == ['remote']:
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'remote'))
        from store import Store
        with Store() as store:
            for name in (*files, wacz):
                store.put('crawls', os.path.basename(name), contents(name))
            os.environ.update(store.environment())
            for local, remote in (([wacz], ['s3://crawls/crawl.wacz']), (files, ['s3://crawls/' + os.path.basename(name) for name in files])):
                want, seen = run('-q', '--rendered', 'text', *local)[0], run('-q', '--rendered', 'text', *remote)[0]
                expect_true('from a store', len(want) > PAGES and without_place(seen) == without_place(want))
        sys.exit()

    # Without the option, copies are refused, and each page is its response.
    rows = run('-q', wacz)[0]
    expect('off: pages', (len(rows), {row['title'] for row in rows} & {'Rendered dom0'}), (PAGES + 3, set()))
    copies = [row for row in refused() if 'rendered copy of' in row['detail']]
    expect('off: copies are no pages', (len(copies), {row['reason'] for row in copies}), (len(doms) + len(texts), {'not_a_page'}))
    expect('off: emitted + refused = read', len(rows) + len(refused()), total)
    expect_true('off: no field', not any('rendered' in row for row in rows))

    rows, done = run('--rendered', 'dom', wacz, said='rendered: 1 copies belong to no page')
    pages = by_url(rows)
    expect('dom: one record per page', (len(rows), len(rows) + len(refused())), (PAGES + 3, total))
    for i in range(PAGES):
        want = None if i % 4 == 1 else 'Grüße final%d' % i if i % 8 == 2 else 'Grüße dom%d' % i
        seen = pages[str(i)]
        if want and not (seen.get('rendered') == 'dom' and want in seen['text'] and seen['http']['charset'] == 'UTF-8' and seen['source']['type'] == 'response'):
            expect_true('page %d has its DOM' % i, False, seen)
        if not want and ('rendered' in seen or seen['title'] != 'App %d' % i):
            expect_true('page %d without a DOM is its response' % i, False, seen)
    print('ok: each page has its last DOM')
    twice = [row for row in rows if row['url'].endswith('/twice')]
    expect('two captures of a URL', [row['title'].split()[1] for row in twice], ['first', 'second'])
    expect('an error page is its response', ('rendered' in pages['gone'], pages['gone']['flags'].count('unsuccessful')), (False, 1))
    expect_true('a PDF stays one', any(row['reason'] == 'not_html' and 'application/pdf' in row['detail'] for row in refused()))
    rows = run('-q', '--rendered', 'dom', '--emit', 'rights', wacz)[0]
    expect('rights of the HTTP header', [row['url'] for row in rows if row['rights']], ['https://app.example/3'])
    rows = run('-q', '--rendered', 'dom', '--filter.rights', 'noai', wacz)[0]
    expect('filters see them', len(rows), PAGES + 2)

    rows = run('-q', '--rendered', 'text', wacz)[0]
    pages = by_url(rows)
    expect('text: kinds', sorted((kind, sum(row.get('rendered') == kind for row in rows)) for kind in ('dom', 'text')), [('dom', 30 + 2), ('text', PAGES // 8)])
    expect('text: of a page without a DOM', pages['1']['text'], 'Text of page 1. Grüße from the text, which has some words more.')
    expect_true('text: a page without both is its response', 'rendered' not in pages['5'] and pages['5']['title'] == 'App 5')

    rows = run('-q', '--rendered', 'only', files[1])[0]
    expect('only: each DOM is a page, with its URL', [row['url'] for row in rows][:3], ['https://app.example/0', 'https://app.example/2', 'https://app.example/2'])
    expect('only: all', (len(rows), {row['rendered'] for row in rows}, rows[0]['http']['charset']), (len(doms), {'dom'}, 'UTF-8'))
    rows = run('-q', '--rendered', 'only', wacz)[0]
    expect('only: other records are not', (len(rows), len(rows) + len(refused())), (len(doms), total))

    # The same for any number of workers, place of the copies, and isolation.
    whole = run('-q', '--rendered', 'text', wacz)[1].stdout
    for options in (['-j1'], ['-j4'], ['--isolation', 'process', '-j2']):
        done = thresher('run', '-q', '-m', 'none', '--rendered', 'text', *options, wacz)
        if done.returncode == 2 and b'built without' in done.stderr:
            continue
        expect_true('%s: the same bytes' % ' '.join(options), done.stdout == whole, done.stderr)
    want = without_place(run('-q', '--rendered', 'text', wacz)[0])
    for order in (files, files[::-1], [files[1], files[0], files[2]]):
        expect_true('files in another order: the same records', without_place(run('-q', '--rendered', 'text', *order)[0]) == want)
    one = archive.write(path('one.warc'), rec + doms + texts, 'plain')
    expect_true('in one archive', without_place(run('-q', '--rendered', 'text', one)[0]) == want)
    solid = archive.write(path('solid.warc.gz'), rec + doms + texts, 'whole')
    rows = run('-q', '--rendered', 'text', solid)[0]
    for row in rows:
        row['source'].pop('skip', None)
    expect_true('in one gzip member', without_place(rows) == want)
    for i in (0, 1):
        expect('shard', thresher('run', '-q', '-m', 'none', '--rendered', 'text', '--shard', '%d/2' % i, '-O', path('shards/'), wacz).returncode, 0)
    rows = [json.loads(line) for name in sorted(os.listdir(path('shards'))) if name.endswith('.jsonl') for line in contents(path('shards/' + name)).splitlines()]
    expect_true('a shard finds copies in other archives of its WACZ file', without_place(rows) == want)
    counted = run('-q', '--rendered', 'dom', '--two-pass', wacz)[0]
    expect('with two-pass', sum(row.get('rendered') == 'dom' for row in counted), 32)
    run('--rendered', 'dom', '-', code=2, said="rendered: input '-' is a stream and cannot be read twice")

    # Killed, and resumed.
    big = [path(name + '.warc.gz') for name in ('big-rec', 'big-dom')]
    archive.write(big[0], (response('https://app.example/%d' % i, SHELL % i, i, i) for i in range(900)))
    archive.write(big[1], (copy('dom', 'https://app.example/%d' % i, dom(i, 'x%d' % i), i + 1, i) for i in range(900)))
    whole, kills = run('-q', '--rendered', 'dom', *big)[1].stdout, 0
    names = [path('k.jsonl' + end) for end in ('', '.part', '.state')]
    while not kills:  # a run that was too fast for the first kill is repeated
        for name in names:
            if os.path.exists(name):
                os.unlink(name)
        while not os.path.exists(names[0]):
            job = subprocess.Popen([PROGRAM, 'run', '-q', '-m', 'none', '-j1', '--rendered', 'dom', '--checkpoint-ms', '0', '-O', names[0],
                                    *(['--resume'] if os.path.exists(names[2]) else []), *big], stderr=subprocess.PIPE)
            before = os.stat(names[2]).st_mtime_ns if os.path.exists(names[2]) else 0
            while kills < 4 and job.poll() is None and not (os.path.exists(names[2]) and os.stat(names[2]).st_mtime_ns != before):
                time.sleep(.002)
            if kills < 4 and job.poll() is None:
                job.send_signal(signal.SIGKILL)
                kills += job.wait() == -signal.SIGKILL
                job.stderr.close()
            else:
                expect('ends well', (job.wait(), job.stderr.read()), (0, b''))
    expect_true('%d kills: the same bytes' % kills, contents(names[0]) == whole)

    # A damaged copy costs only itself.
    offset = [json.loads(line)['offset'] for line in thresher('records', '-q', files[1]).stdout.splitlines()][0]
    broken = bytearray(contents(files[1]))
    broken[offset + 400] ^= 255
    bad = path('bad.warc.gz')
    with open(bad, 'wb') as out:
        out.write(broken)
    rows = run('-q', '--rendered', 'dom', files[0], bad, code=1)[0]
    expect('a damaged copy: pages', (len(rows), sum(row.get('rendered') == 'dom' and 'warc_damaged' not in row['flags'] for row in rows)), (PAGES + 3, 31))
