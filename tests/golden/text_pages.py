#!/usr/bin/env python3
"""Pages and the text that they give, kept side by side.

usage: text_pages.py PROGRAM [NAME ...]            compares what the program writes with what is kept
       text_pages.py --accept PROGRAM NAME ...     keeps what the program writes now: read the diff

text/NAME.html  a page as a generator or renderer writes it, cut to what matters
text/NAME.md    its Markdown, written by hand      text/NAME.txt  its plain text, where that is of interest
text/NAME.formulas  one formula a line, in order: the TeX between dollars in the Markdown; white space and braces do not count
All content is kept (--classifier keep-all), so that nothing but the form of the text is tested. Formats, titles and front matter change no digest, signature or count.
"""
import difflib
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'text')
FORMULA = re.compile(r'\$\$(.+?)\$\$|\$(.+?)\$')
LOOSE = re.compile(r'[\s{}]|\\displaystyle|\\,|\\!')


def record(name, page):
    block = b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n' + page
    head = ('WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://page.example/%s\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n'
            'WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\nContent-Type: application/http; msgtype=response\r\n'
            'Content-Length: %d\r\n\r\n' % (name, len(block)))
    return head.encode() + block + b'\r\n\r\n'


# Each with the parts of a record that may differ.
TEXT = {'text', 'text_format', 'text_plain', 'text_markdown', 'text_html'}
OPTIONS = [[], ['--text-format', 'markdown', '--text-links', '--text-images'], ['--text-title', 'yes'], ['--text-front-matter'],
           ['--text-format', 'html,plain', '--text-title', 'no', '--text-front-matter']]


def differing(program, archive):
    """Options with which a record differs in more than its text."""
    def run(options):
        done = subprocess.run([program, 'run', '-q', '-j1', '--language-detector', 'none', '--emit', 'full_text,blocks,paragraphs', *options, archive],
                              stdout=subprocess.PIPE, check=True, timeout=120)
        return [{key: value for key, value in json.loads(line).items() if key not in TEXT} for line in done.stdout.splitlines()]
    first = run(OPTIONS[0])
    return [options for options in OPTIONS[1:] if run(options) != first]


def records(program, names):
    """name: its record; options that change more than the text"""
    with tempfile.TemporaryDirectory() as folder:
        archive = os.path.join(folder, 'pages.warc.gz')
        with gzip.open(archive, 'wb') as out:
            for name in names:
                with open(os.path.join(FOLDER, name + '.html'), 'rb') as page:
                    out.write(record(name, page.read()))
        done = subprocess.run([program, 'run', '-q', '-j1', '--classifier', 'keep-all', '--minhash', 'none', '--language-detector', 'none',
                               '--text-format', 'markdown,plain', archive], stdout=subprocess.PIPE, check=True, timeout=120)
        differ = differing(program, archive)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line['url'].rsplit('/', 1)[1]: line for line in lines}, differ


def formulas(text):
    return [LOOSE.sub('', a or b) for a, b in FORMULA.findall(text)]


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def main():
    args = sys.argv[1:]
    accepts = args[:1] == ['--accept']
    program, names = args[accepts], args[1 + accepts:]
    names = names or sorted(name[:-5] for name in os.listdir(FOLDER) if name.endswith('.html'))
    found, differ = records(os.path.abspath(program), names)
    failed = len(differ)
    for options in differ:
        print('%s change more than the text' % ' '.join(options))
    for name in names:
        for suffix, text in (('.md', found[name]['text']), ('.txt', found[name]['text_plain'])):
            path = os.path.join(FOLDER, name + suffix)
            if accepts and (suffix == '.md' or os.path.exists(path)) and not os.path.exists(os.path.join(FOLDER, name + '.formulas')):
                with open(path, 'w', encoding='utf-8') as out:
                    out.write(text + '\n')
            if not os.path.exists(path):
                continue
            diff = list(difflib.unified_diff(read(path).splitlines(), (text + '\n').splitlines(), name + suffix, 'now', lineterm='', n=1))
            print('\n'.join(diff), end='\n' if diff else '')
            failed += bool(diff)
        path = os.path.join(FOLDER, name + '.formulas')
        if os.path.exists(path):
            wanted, got = [LOOSE.sub('', line) for line in read(path).splitlines()], formulas(found[name]['text'])
            plain = formulas(found[name]['text_plain'])
            good = sum(a == b for a, b in zip(wanted, got)) if len(wanted) == len(got) else 0
            print('%s: %d of %d formulas' % (name, good, len(wanted)))
            for a, b in zip(wanted, got):
                if a != b:
                    print('    wanted %s\n    found  %s' % (a, b))
            if len(wanted) != len(got) or plain != got:
                print('    %d formulas in Markdown, %d in plain text' % (len(got), len(plain)))
            failed += good < len(wanted) or plain != got
    sys.exit(1 if failed else 0)


main()
