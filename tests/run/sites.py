"""Text that recurs on a site: counted before a run, in any order, and its effects."""
import glob
import json
import os
import random
import tempfile

import archive
from case import contents, expect, expect_true, thresher

MENU = ''.join('<li><a href="/%s">%s</a></li>' % (word, word) for word in ('home', 'sport', 'weather', 'travel'))
SHIPPING = archive.sentence(random.Random(98), 20)  # an item of a list whose other items are the page's own
ABOUT = '<div><p>%s</p></div>' % archive.sentence(random.Random(99), 60)  # a long paragraph on every page


def site_page(rng, *parts):
    items = ''.join('<li>%s</li>' % item for item in (archive.sentence(rng, 20), SHIPPING, archive.sentence(rng, 20)))
    return ('<!DOCTYPE html><title>%s</title><ul>%s</ul>%s%s<ul>%s</ul><p>All rights reserved by the owner of this site</p>'
            % (archive.sentence(rng, 3), MENU, ''.join('<p>%s</p>' % part for part in parts), ABOUT, items))


def own(rng):
    return archive.sentence(rng, 50)


def crawl(rng):
    """Nine pages of one site, with a story on three of them, a product on two URLs, a post that is quoted; and others."""
    story, product, post, mirrored = own(rng), own(rng), archive.sentence(rng, 25), own(rng)
    teaser = archive.sentence(rng, 45)
    pages = [('http://www.shop.example/%d' % i, site_page(rng, own(rng), own(rng))) for i in range(9)]
    pages[0] = (pages[0][0], site_page(rng, story, own(rng)))
    pages[1] = (pages[1][0], site_page(rng, story, own(rng)))
    pages[2] = (pages[2][0], site_page(rng, story, teaser))
    pages[3] = (pages[3][0], site_page(rng, product, own(rng)))
    pages[4] = (pages[4][0], site_page(rng, product, own(rng)))
    pages[5] = (pages[5][0], site_page(rng, post, own(rng)))
    pages[6] = (pages[6][0], site_page(rng, post, own(rng)))
    twice = site_page(rng, mirrored)
    # Fetched four times, once under another fragment, and its mirror copies on the site: one page.
    pages += [('http://m.shop.example/copy', twice)] * 3 + [('http://m.shop.example/copy#top', twice)]
    pages += [('http://shop.example/mirror%d' % i, twice) for i in range(3)]
    pages += [('http://other%d.example/' % i, site_page(rng, own(rng))) for i in range(5)]
    return pages, [story, product, post, teaser, mirrored]


with tempfile.TemporaryDirectory() as folder:
    def path(name):
        return os.path.join(folder, name)

    pages, kept = crawl(random.Random(7))
    records = [archive.response(html, url, i) for i, (url, html) in enumerate(pages)]
    whole = archive.write(path('whole.warc.gz'), records)
    halves = [archive.write(path('a.warc.gz'), records[::2]), archive.write(path('b.warc.gz'), records[1::2])]
    shuffled = list(records)
    random.Random(1).shuffle(shuffled)
    shuffled = archive.write(path('c.warc'), shuffled, 'plain')

    def build(name, *args):
        run = thresher('sites', 'build', '-O', path(name), *args)
        expect('sites build %s' % name, run.returncode, 0)
        return contents(path(name))

    first = build('sites', whole)
    for name, args in (('-j1', ['-j1', whole]), ('-j8', ['-j8', whole]), ('halves', halves), ('halves the other way', halves[::-1]),
                       ('shuffled', [shuffled]), ('on the disk', ['--memory', '1M', *halves])):
        expect_true('the same bytes: %s' % name, build('again', *args) == first)
    rng = random.Random(3)
    words = ['word%d' % i for i in range(3000)]
    big = archive.write(path('big.warc'), [archive.response(''.join('<p>%s</p>' % ' '.join(rng.choices(words, k=8)) for _ in range(60)), 'http://h%d.example/%d' % (i % 50, i), i)
                                           for i in range(2000)], 'plain')
    expect('the disk is needed', thresher('sites', 'build', '-q', '--memory', '1M', '--temp', path('none'), '-O', path('big1'), big).returncode, 74)
    expect_true('the same bytes where the disk is needed', build('big1', '--memory', '1M', big) == build('big2', '--memory', '1G', big))

    shown = [json.loads(line) for line in thresher('sites', 'show', '--json', path('sites')).stdout.splitlines()]
    expect('one site is known, by its registered domain', [(s['site'], s['pages']) for s in shown], [('shop.example', 10)])
    one = json.loads(thresher('sites', 'show', '--json', path('sites'), 'www.shop.example').stdout)
    expect('its paragraphs are on this number of pages', sorted((h['pages'] for h in one['hashes']), reverse=True)[:6], [10] * 6)
    expect_true('as text', b'shop.example' in thresher('sites', 'show', path('sites')).stdout)
    expect('a site that is not known', thresher('sites', 'show', path('sites'), 'nowhere.example').returncode, 2)
    build('hosts', '-o', 'sites.by=host', whole)
    expect('by host', thresher('sites', 'show', '--json', path('hosts')).stdout.count(b'"site"'), 1)

    build('part1', '--min-pages', '1', halves[0])
    build('part2', '--least', '1', halves[1])  # the earlier name of --min-pages
    for order in (('part1', 'part2'), ('part2', 'part1')):
        expect('merge', thresher('sites', 'merge', '-O', path('merged'), *map(path, order)).returncode, 0)
        expect_true('merged in either order the same', order[0] == 'part1' or contents(path('merged')) == merged)
        merged = contents(path('merged'))

    def run(*args):
        done = thresher('run', '-q', '--emit', 'all', *args)
        expect('exit code of run', done.returncode, 0)
        return done.stdout

    before = [json.loads(line) for line in run(whole).splitlines()]
    text = run('--sites', path('sites'), '--sites-rule', 'signatures', whole)
    for jobs in (1, 3, 8):
        expect_true('run --sites: the same with -j%d' % jobs, run('-j%d' % jobs, '--sites', path('sites'), '--sites-rule', 'signatures', whole) == text)
    expect_true('run --two-pass is the same', run('--two-pass', '--sites-rule', 'signatures', whole) == text)
    out = path('out.jsonl')
    expect('into a file', thresher('run', '-q', '--emit', 'all', '--two-pass', '--sites-rule', 'signatures', '-O', out, whole).returncode, 0)
    expect_true('the same', contents(out) == text)
    expect_true('its counts are next to it', contents(out + '.sites') == first)
    expect('nothing to resume', thresher('run', '-q', '--emit', 'all', '--two-pass', '--sites-rule', 'signatures', '--resume', '-O', out, whole).returncode, 0)
    out = path('of-sites.jsonl')
    for sites, words in (('sites', b''), ('sites', b'complete'), ('hosts', b'other options')):
        done = thresher('run', *(['--resume'] if words else ['-q']), '--sites', path(sites), '-O', out, whole)
        expect_true('--resume with the sites file %s' % sites, words in done.stderr and done.returncode == (2 if sites == 'hosts' else 0), (done.returncode, done.stderr))

    after = [json.loads(line) for line in text.splitlines()]
    for old, new in zip(before, after):
        expect_true('no site without being asked', 'site_pages' not in old and 'pages' not in old['paragraphs'][0])
        expect('the text is the same', new['text'], old['text'])
    for record in after[:9]:
        expect('pages of the site', record['site_pages'], 10)
        recurrent = {record['full_text'][p['start']:p['end']] for p in record['paragraphs'] if p.get('recurs')}
        expect_true('menu and owner recur', {'home', 'sport', 'All rights reserved by the owner of this site'} <= recurrent, recurrent)
        expect_true('the long paragraph of every page, too', any(len(t.split()) == 60 for t in recurrent))
        expect_true('text that is carried, sold twice or quoted does not', not recurrent & set(kept), recurrent & set(kept))
        expect_true('blocks have the same counts', [b['pages'] for b in record['blocks']] ==
                    [record['paragraphs'][b['paragraph']]['pages'] for b in record['blocks']])
        expect_true('distinct is signed', 'distinct' in record['minhash'])
        shown = json.loads(thresher('inspect', '--json', '--sites', path('sites'), '%s#%d' % (whole, record['source']['offset'])).stdout)['inspection']['blocks']
        expect('inspect shows the same', [(b['pages'], b['recurs']) for b in shown],
               [(p['pages'], p.get('recurs', False)) for p in (record['paragraphs'][b['paragraph']] for b in shown)])
    expect('of a site that is not known the page is all', {record['site_pages'] for record in after[-5:]}, {1})
    expect('which records say', [r['template_known'] for r in after], [True] * (len(after) - 5) + [False] * 5)
    kept_all = [json.loads(line) for line in run('--sites', path('sites'), '--sites-rule', 'signatures', '-k', 'keep-all', whole).splitlines()]
    expect_true('there distinct is the content', all(r['minhash']['distinct'] == r['minhash']['content'] for r in kept_all[-5:]))
    expect_true('and text that does not recur elsewhere', all(r['minhash']['distinct'] != r['minhash']['content'] for r in kept_all[:9]))

    labels = [json.loads(line) for line in run('--sites', path('sites'), '-k', 'keep-all', whole).splitlines()]
    expect_true('labels: text that recurs is not in the text', all('rights reserved' not in r['text'] for r in labels[:9]))
    expect_true('and nothing else', all(p in ''.join(r['text'] for r in labels) for p in kept))
    items = [json.loads(line) for line in run('--sites', path('sites'), '-k', 'num-words', whole).splitlines()]
    expect_true('an item that recurs is not kept for its list', all(SHIPPING not in r['text'] for r in items[:9]))
    expect_true('nor left out are the others', all(len(r['text'].split()) > 40 for r in items[:9]))
    off = [json.loads(line) for line in run('--sites', path('sites'), '--sites-rule', 'off', whole).splitlines()]
    expect_true('off: no separate text is signed', all('distinct' not in r['minhash'] for r in off))

    # The `distinct` signature finds the same story in other templates.
    found = thresher('dedup', '--output', 'pairs', '-q', '-', input=text)
    expect('dedup uses it', found.returncode, 0)

    # Segments, by template fingerprint and position.
    places = build('segments', '--segments', '-s', 'boundary-graph', whole)
    for name, args in (('-j1', ['-j1', whole]), ('shuffled', [shuffled])):
        expect_true('segments, the same bytes: %s' % name, build('again', '--segments', '-s', 'boundary-graph', *args) == places)
    one = json.loads(thresher('sites', 'show', '--json', path('segments'), 'shop.example').stdout)
    expect_true('paragraphs are unchanged', [h for h in json.loads(thresher('sites', 'show', '--json', path('sites'), 'shop.example').stdout)['hashes']] == one['hashes'])
    expect_true('some are on all pages, with their location', any(s['pages'] == 10 and s['position'] for s in one['segments']), one['segments'])
    known = {}
    for s in one['segments']:
        known[s['fingerprint']] = known.get(s['fingerprint'], 0) + s['pages']
    for args in (['--sites', path('segments')], ['--two-pass', '--sites.segments']):
        placed = [json.loads(line) for line in run(*args, '-s', 'boundary-graph', whole).splitlines()]
        found = [s for r in placed[:9] for s in r['segments'] if s['tokens']]
        expect('the record has the same', [s['pages'] for s in found], [min(10, known.get(s['fingerprint'][:14], 1)) for s in found])
        expect_true('and reports text that recurs', {s['pages'] >= 4 for s in found if s.get('recurs')} == {True})
        expect_true('on an unknown site no text recurs', all(s['pages'] == 1 and 'recurs' not in s for r in placed[-5:] for s in r['segments'] if s['tokens']))
    expect_true('uncounted, uncalled', all('pages' not in s for r in after for s in r['segments']))
    expect_true('as text', b'position' in thresher('sites', 'show', path('segments'), 'shop.example').stdout)
    both = thresher('sites', 'merge', '-O', path('merged'), path('segments'), path('sites'))
    expect_true('only alike files are merged', both.returncode == 2 and b'only one of' in both.stderr, both.stderr)
    memory = [json.loads(line) for line in run('--sites.path', path('grows'), '--sites.epoch', '4', '--sites.segments', '-s', 'boundary-graph', whole).splitlines()]
    expect_true('while pages come in', [r['site_pages'] for r in memory[:9]] == [1, 1, 1, 1, 5, 5, 5, 5, 9] and any(s.get('recurs') for s in memory[8]['segments']))
    kept = {}
    for emit in 'all', 'links':
        expect('exit code', thresher('run', '-q', '--emit', emit, '--sites.path', path('kept-' + emit), '--sites.epoch', '4', '--sites.segments', '-s', 'boundary-graph', whole).returncode, 0)
        kept[emit] = [contents(name) for name in sorted(glob.glob(path('kept-%s/journal-*' % emit)))]
    expect_true('and the same is kept, whatever is emitted', kept['all'] == kept['links'] and any(kept['all']))
    expect_true('with the options that it was made with', b'segments' in thresher('run', '-q', '--sites.path', path('grows'), '--sites.epoch', '4', whole).stderr)

    # The 20 sites with most pages.
    for count in 20, 22:
        many = archive.write(path('many.warc'), [archive.response('<p>Page %d of site %d.' % (page, site), 'http://s%02d.example/%d' % (site, page))
                                                 for site in range(count) for page in range(site + 1)], 'plain')
        build('many', '--min-pages', '1', many)
        shown = thresher('sites', 'show', path('many')).stdout.decode().splitlines()
        expect('%d sites: those with most pages' % count, [line.split()[0] for line in shown if '.example' in line], ['%d' % (site + 1) for site in range(count)][:-21:-1])
        expect('and how many more', [line for line in shown if 'more' in line], ['        and 2 more; use --json for all'] if count > 20 else [])

    # Damage: head, index, one site.
    data = bytearray(first)
    for name, at, code, words in (('version', 16, 2, b'version'), ('head, again', 40, 74, b'header is damaged at byte 0'),
                                  ('index', len(data) - 3, 74, b'index is damaged at byte'), ('magic', 3, 2, b'not a sites file')):
        data[at] ^= 0x20
        with open(path('bad'), 'wb') as f:
            f.write(data)
        bad = thresher('run', '-q', '--sites', path('bad'), whole)
        expect('%s: exit code' % name, bad.returncode, code)
        expect_true('%s: reports the problem and its location' % name, words in bad.stderr and b'bad' in bad.stderr, bad.stderr)
        data[at] ^= 0x20
    data[100] ^= 0x20
    with open(path('bad'), 'wb') as f:
        f.write(data)
    bad = thresher('run', '-q', '--sites', path('bad'), whole)
    expect_true('a damaged site: reported with its offset', b'at byte 64 is damaged' in bad.stderr, bad.stderr)
    expect('before the first page', (bad.returncode, bad.stdout), (74, b''))
    with open(path('bad'), 'wb') as f:
        f.write(first[:-1])
    expect_true('cut', b'is truncated' in thresher('run', '-q', '--sites', path('bad'), whole).stderr)

    for args, words in ((['run', '--two-pass', '-'], b'cannot be read twice'), (['run', '--two-pass', '--sites', path('sites'), whole], b'two-pass'),
                        (['sites'], b'build, merge, show'), (['sites', 'count', whole], b'unknown sites command'),
                        (['sites', 'build', whole], b'--output'), (['sites', 'build', whole, '-O', whole], b'whole.warc.gz'),
                        (['sites', 'show', whole], b'not a sites file'), (['sites', 'show'], b'needs FILE'),
                        (['sites', 'merge', path('sites'), path('hosts'), '-O', path('x')], b'different groupings of sites')):
        bad = thresher(*args)
        expect('refused: %s' % args[:2], bad.returncode, 2)
        expect_true('in words', words in bad.stderr, bad.stderr)
