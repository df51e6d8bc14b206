"""--redact replaces personal data in every text of a record, before signatures.

usage: redact.py PROGRAM
"""
import json
import os
import re
import tempfile

import archive
from case import expect, expect_true, thresher

FILLER = ' '.join(['The ferry to the outer islands sails on every day of the week, and the harbour office sells the tickets.'] * 4)
MAIL, IP, PHONE = 'jo.doe@mail.example', '8.8.8.8', '+44 20 7946 0958'
PAGE = '''<html><head><title>Write to %(m)s</title><meta name="author" content="Jo Doe %(m)s"><meta name="description" content="Call %(p)s">
</head><body><ul><li><a href="/a">Imprint %(m)s</a></ul><h1>The ferry of Saltmouth</h1>
<p>%(f)s Write to <b>jo</b>.doe@<i>mail.example</i> or call (212) <em>555-0123</em>.</p>
<p>%(f)s The server is %(i)s. <a href="mailto:%(m)s">%(m)s</a>, <a href="tel:+442079460958">our office</a>, <img src="/x?%(m)s" alt="%(m)s">.</p>
<table><tr><td>name<td>%(m)s<tr><td>phone<td>%(p)s</table><pre>%(i)s\n%(m)s</pre><p>%(f)s</p></body></html>'''
CLEAN = PAGE.replace('<b>jo</b>.doe@<i>mail.example</i>', 'EMAIL-REDACTED').replace('(212) <em>555-0123</em>', 'PHONE-REDACTED').replace(
    'tel:+442079460958', 'tel:PHONE-REDACTED')
VALUES = {'m': MAIL, 'i': IP, 'p': PHONE, 'f': FILLER}
MARKERS = {'m': 'EMAIL-REDACTED', 'i': 'IP-REDACTED', 'p': 'PHONE-REDACTED', 'f': FILLER}
STYLES = (['--text-format', 'plain,markdown,html'], ['--text-format', 'markdown,plain', '--strictness', 'strict,balanced,wide'])
EMIT = 'full_text,segments,blocks,links,paragraphs,languages,signals,posts'

folder = tempfile.mkdtemp()
path, clean = os.path.join(folder, 'a.warc.gz'), os.path.join(folder, 'b.warc.gz')
archive.write(path, [archive.response(PAGE % VALUES, 'http://site.example/')])
archive.write(clean, [archive.response(CLEAN % MARKERS, 'http://site.example/')])


def record(source, *options):
    run = thresher('run', '-q', '--sign', 'content,page', '--text-links', '--text-images', *options, source)
    expect('exit of %s' % ' '.join(options), run.returncode, 0)
    return json.loads(run.stdout)


for style in STYLES:
    plain = record(path, '--emit', EMIT, *style)
    row = record(path, '--emit', EMIT, '--redact', 'email,ip,phone', *style)
    said = json.dumps(row)
    for value in (MAIL, IP, PHONE, '.doe@', '555-0123', '442079460958'):
        expect_true('%s was there' % value, value in json.dumps(plain) or value == '.doe@')
        expect_true('%s is replaced' % value, value not in said)
    expect('labels are those of the page', [p['label'] for p in row['paragraphs']], [p['label'] for p in plain['paragraphs']])
    expect_true('counts', row['redacted']['email'] >= 7 and row['redacted']['ip'] == 2 and row['redacted']['phone'] >= 3)
    parts = [row['full_text'][p['start']:p['end']] for p in row['paragraphs']]
    expect_true('offsets of paragraphs', any(part.endswith('Write to EMAIL-REDACTED or call PHONE-REDACTED.') for part in parts), parts)
    same = record(clean, '--emit', EMIT, *style)
    for key in ('full_text', 'title', 'description'):
        expect('%s as if the page had the markers' % key, row[key], same[key])
    expect('and the signature of the page', row['minhash']['page'], same['minhash']['page'])
    expect_true('and not of the page', row['minhash']['page'] != plain['minhash']['page'])
    expect_true('the same for the digest of the content', row['digest']['text'] != plain['digest']['text'])
sites = os.path.join(folder, 'sites')
expect('sites build', thresher('sites', 'build', '-q', '--min-pages', '1', '-O', sites, clean).returncode, 0)
for source in (path, clean):  # the site stage normalises paragraphs before the redaction
    row = record(source, '--sites', sites, '--redact', 'email,ip,phone')
    expect('it has a site', row['site_pages'], 1)
    expect('the signature of the page is of its words after the redaction', row['minhash']['page'], same['minhash']['page'])
expect('only the requested kinds are counted', record(path, '--redact', 'ip')['redacted'], {'ip': 2})
expect_true('other kinds stay', MAIL in record(path, '--redact', 'ip')['text'])
expect_true('a number in an address stays', 'tel:+442079460958' in json.dumps(record(path, '--redact', 'ip', '--emit', 'links')))
expect_true('without the option no field', 'redacted' not in record(path))
run = thresher('run', '-q', '--redact', 'email', '--emit', 'html', path)
expect('html is refused', (run.returncode, b'redact cannot be combined with emit = html' in run.stderr), (2, True))
run = thresher('run', '-q', '--redact', 'email', '--emit', 'structured', path)
expect('structured data too', (run.returncode, b'redact cannot be combined' in run.stderr), (2, True))
run = thresher('text', '-k', 'num-words', '--redact', 'email', '-', input=(PAGE % VALUES).encode())
expect('text', (run.returncode, b'EMAIL-REDACTED' in run.stdout, MAIL.encode() in run.stdout), (0, True, False))

POST = '''<article class="message message--post" data-author="%(who)s" id="js-post-%(n)d"><h4 class="message-name"><a class="username">%(who)s</a></h4>
<time class="u-dt" datetime="2024-01-0%(n)dT10:00:00Z">Jan %(n)d, 2024</time><div class="message-body"><div class="bbWrapper">
<div class="bbCodeBlock bbCodeBlock--quote" data-quote="%(of)s"><div class="bbCodeBlock-title">%(of)s said:</div><blockquote>%(f)s</blockquote></div>%(f)s %(n)d</div></div></article>'''
thread = os.path.join(folder, 'thread.warc.gz')
archive.write(thread, [archive.response('<html><head><title>Ferry</title></head><body><h1>Ferry</h1>%s</body></html>' % ''.join(
    POST % {'who': MAIL if n == 2 else 'keeper%d' % n, 'n': n, 'of': 'keeper1' if n == 2 else MAIL, 'f': FILLER} for n in (1, 2, 3)), 'http://forum.example/threads/1/')])
posts = record(thread, '--emit', 'posts')['posts']
expect('a post and its quote name an address', [(post['author'], post['quote_of']) for post in posts], [('keeper1', MAIL), (MAIL, 'keeper1'), ('keeper3', MAIL)])
posts = record(thread, '--emit', 'posts', '--redact', 'email')['posts']
expect('names of posts and quotes are replaced', [(post['author'], post['quote_of']) for post in posts],
       [('keeper1', MARKERS['m']), (MARKERS['m'], 'keeper1'), ('keeper3', MARKERS['m'])])
