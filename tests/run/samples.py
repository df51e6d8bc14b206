"""The archives in samples/ equal the output of make.py, and thresher finds in them the content of the README."""
import json
import os
import subprocess
import sys
import tempfile
import zlib

from case import contents, expect, expect_true, thresher

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'samples')
sys.dont_write_bytecode = True
sys.path.insert(0, SAMPLES)
import make      # noqa: E402
import sites     # noqa: E402

# Template text that num-words keeps on every page of a site, because it uses the length of a line and its neighbours, and not the words.
KNOWN_NOISE = {'times.example': {'Accept all', 'Sign up'}, 'wire.example': {'Share this'}, 'boards.example': {'You may not post', 'All times are GMT'}}


def members(data):
    """Returns decompressed gzip members and the data between them, or the length of a damaged member. Compressed bytes depend on the
    zlib that wrote them, decompressed bytes do not."""
    at = 0
    while at < len(data):
        after = data.find(b'\x1f\x8b\x08', at + 1)
        after = len(data) if after < 0 else after
        if data[at:at + 3] != b'\x1f\x8b\x08':
            yield data[at:after]
            at = after
            continue
        unpacker = zlib.decompressobj(31)
        try:
            unpacked = unpacker.decompress(data[at:])
        except zlib.error:
            unpacked = b''
        if unpacker.eof:
            yield unpacked
            at = len(data) - len(unpacker.unused_data)
        else:
            yield 'damaged'
            at = after


def one_line(text):
    return ' '.join(text.split())


def similarity(one, other):
    slots = [[sign[at:at + 8] for at in range(0, len(sign), 8)] for sign in (one['minhash']['main'], other['minhash']['main'])]
    return sum(a == b for a, b in zip(*slots)) / len(slots[0])


def same_records(folder):
    subprocess.run([sys.executable, os.path.join(SAMPLES, 'make.py'), folder], check=True, stdout=subprocess.DEVNULL)
    for name in ('news.warc.gz', 'damaged.warc.gz'):
        committed, written = (list(members(contents(os.path.join(place, name)))) for place in (SAMPLES, folder))
        expect_true('%s equals the output of make.py' % name, committed == written, '%d and %d members' % (len(committed), len(written)))
        expect_true('%s is small' % name, os.path.getsize(os.path.join(SAMPLES, name)) < 300000)


def run(name, folder):
    """Exit code, records and rejects by URL."""
    out, rejects = (os.path.join(folder, part) for part in ('out.jsonl', 'rejects.jsonl'))
    code = thresher('run', '-q', '-O', out, '--rejects', rejects, os.path.join(SAMPLES, name)).returncode
    return (code, *([json.loads(line) for line in contents(path).decode().splitlines()] for path in (out, rejects)))


def told_well(page, record):
    """All paragraphs of the story are in the record's text, and nothing of the site around it."""
    text = one_line(record['text'])
    missing = [part for part in page.told.paragraphs if one_line(part) not in text]
    expect('%s: paragraphs missing' % page.url, missing, [])
    host = page.url.split('/')[2]
    noise = set(sites.NOISE.get(host, [])) or {sites.LABELS[page.told.language][5]}
    expect('%s: noise' % page.url, {phrase for phrase in noise if phrase in record['text']} - KNOWN_NOISE.get(host, set()), set())
    expect_true('%s: title' % page.url, page.told.title in record['title'], record['title'])


def news(folder):
    code, records, rejects = run('news.warc.gz', folder)
    expect('news: exit code', code, 0)
    by_url = {record['url']: record for record in records}
    expect('news: every page', [page.url for page in make.PAGES if page.url not in by_url], [])
    expect('news: other records are emitted', set(by_url) - {page.url for page in make.PAGES}, {'https://wire.example/p0/', make.RESOURCE_URL})
    reasons = sorted(reject['reason'] for reject in rejects if reject['reason'] != 'not_a_page')
    expect('news: refusals', reasons, ['no_payload', 'not_html', 'not_html', 'not_html', 'not_html', 'revisit'])

    stories = [page for page in make.PAGES if page.story]
    for page in stories:
        told_well(page, by_url[page.url])
    signed = [(page.url, page.story, by_url[page.url]) for page in stories] + [(make.RESOURCE_URL, 'clock', by_url[make.RESOURCE_URL])]
    found = 0
    for number, (url, story, record) in enumerate(signed):
        for other_url, other_story, other in signed[:number]:
            alike = similarity(record, other)
            found += story == other_story
            if (alike < 0.5) if story == other_story else (alike >= 0.2):
                expect_true('similarity', False, (alike, url, other_url))
    expect('near-duplicates: pairs at 0.5 and more, all others below 0.2', found, 19)

    expect('flags', {record['url']: record['flags'] for record in records if record['flags']},
           {'https://wire.example/moby/': ['not_chunked'], 'https://wire.example/worlds/': ['coding_not_applied'],
            'https://ru.rooms.example/lukomorye': ['charset_guessed'],
            # Cards of a shop: a name and a price.
            **{'https://teashop.example/p/%d' % i: ['content_unsure'] for i in (5, 6)}, 'https://wire.example/p0/': ['content_unsure', 'unsuccessful']})
    charsets = {page.url.split('/')[2][:2]: by_url[page.url]['http']['charset'] for page in stories if 'rooms' in page.url}
    expect('charsets', charsets, {'fr': 'UTF-8', 'de': 'windows-1252', 'es': 'UTF-8', 'ru': 'windows-1251', 'zh': 'GBK',
                                  'ja': 'Shift_JIS', 'ko': 'EUC-KR', 'th': 'UTF-8', 'ar': 'UTF-8'})
    article = by_url['https://times.example/ferry.html']
    expect('metadata', [article.get(key) for key in ('author', 'published', 'site_name', 'canonical_url', 'language')],
           ['Ida Marsh', '2026-02-11T06:00:00Z', 'The Harbour Times', 'https://times.example/ferry.html', 'en'])


def damaged(folder):
    code, records, rejects = run('damaged.warc.gz', folder)
    expect('damaged: exit code', code, 1)
    by_url = {record['url']: record for record in records}
    for number, page in enumerate(make.DAMAGED_PAGES):
        if number not in make.HURT:
            told_well(page, by_url[page.url])
            expect('%s: no flag' % page.url, by_url[page.url]['flags'], [])
        else:
            expect_true('%s is hurt: emitted or refused' % page.url, page.url in {r.get('url') for r in records + rejects})
    for number in (make.BIT_FLIPPED, make.CUT, make.CUT_AT_END):
        expect_true('damage is flagged', 'warc_damaged' in by_url[make.DAMAGED_PAGES[number].url]['flags'])
    expect('damaged: emitted and refused', len(records) + len(rejects), 1 + len(make.DAMAGED_PAGES))


with tempfile.TemporaryDirectory() as folder:
    same_records(folder)
    news(folder)
    damaged(folder)
