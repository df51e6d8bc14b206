"""Documents that are served as XML: libxml2's XML parser reads them in recovery mode. If it stops early, drops text or finds none, the HTML parser reads them.

usage: xhtml.py PROGRAM

XML and HTML parsers give different results. In XML, "<div/>", "<script/>" and "<title/>" are empty elements, a CDATA section is text, and a
name has a prefix. In HTML, the first three stay open, the section is a comment, and the prefix is part of an unknown name.
"""
import json
import os
import sys
import tempfile

import archive
from case import expect, thresher

XHTML = 'application/xhtml+xml; charset=utf-8'
START = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>'
END = '</body></html>'
PROLOGUE = '<?xml version="1.0" encoding="UTF-8"?>\n'
DOCTYPE = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">\n'

IN_BODY, IN_P, IN_DIV = 'html/body', 'html/body/p', 'html/body/div'

# name, content type, document, blocks [(text, path)] or None where the document is refused, flags.
CASES = [
    ('empty elements', XHTML, START + '<script src="x"/><p>one</p><div/>two<title/>three' + END,
     [('one', IN_P), ('two', IN_BODY), ('three', IN_BODY)], []),
    ('CDATA is text', XHTML, START + '<p><![CDATA[a < b & c]]></p>' + END, [('a < b & c', IN_P)], []),
    ('a prefix', XHTML, '<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:body><h:p>one</h:p></h:body></h:html>', [('one', IN_P)], []),
    ('prologue and DTD', XHTML, PROLOGUE + DOCTYPE + START + '<p>one&nbsp;&eacute;&amp;</p>' + END, [('one \xe9&', IN_P)], []),
    ('sniffed by its prologue', 'text/xml', PROLOGUE + START + '<div/>one' + END, [('one', IN_BODY)], ['type_sniffed']),
    ('sniffed without a type', 'application/octet-stream', PROLOGUE + START + '<div/>one' + END, [('one', IN_BODY)], ['type_sniffed']),
    ('XML that is no page', 'text/xml', PROLOGUE + '<rss><item>one</item></rss>', None, []),
    ('prologue in text/html is HTML', 'text/html', PROLOGUE + START + '<p><![CDATA[none]]></p><p>one</p>' + END, [('one', IN_P)], []),
    ('its own encoding', 'application/xhtml+xml', ('<?xml version="1.0" encoding="windows-1251"?>' + START + '<p>\u041f\u0440</p>' + END).encode('cp1251'),
     [('\u041f\u0440', IN_P)], []),
    ('UTF-16', 'application/xhtml+xml', ('\ufeff' + PROLOGUE.replace('UTF-8', 'UTF-16') + START + '<p>\xe9</p><div/>one' + END).encode('utf-16-le'),
     [('\xe9', IN_P), ('one', IN_BODY)], []),
    ('NULs', XHTML, START + '<p>o\0ne</p\0><div/>two' + END, [('one', IN_P), ('two', IN_BODY)], ['nul_removed']),

    # not well-formed, but read completely: recovered
    ('bare ampersands', XHTML, START + '<p>one & two &none; three</p><div/>four' + END, [('one two three', IN_P), ('four', IN_BODY)], []),
    ('a bare less-than', XHTML, START + '<p>1 <3 two</p><div/>three' + END, [('1 3 two', IN_P), ('three', IN_BODY)], []),
    ('an attribute twice, one without a value', XHTML, START + '<p a="1" a="2">one</p><p b>two</p><div/>three' + END,
     [('one', IN_P), ('two', IN_P), ('three', IN_BODY)], []),
    ('cut off', XHTML, START + '<div/><p>one two', [('one two', IN_P)], []),

    # XML's road ends before the document does, or drops text: the road of HTML
    ('behind the root', XHTML, START + '<p>one</p></b><p>two</p>' + END + '<p>three</p>', [('one', IN_P), ('two', IN_P), ('three', IN_P)], []),
    ('end tags that close the root', XHTML, START + '</div></i></b>' + END + '<p>one</p>', [('one', IN_P)], []),
    ('two roots', XHTML, '<!DOCTYPE html><p>one</p><p>two</p>', [('one', IN_P), ('two', IN_P)], []),
    ('the end of a CDATA section', XHTML, START + '<p>one ]]> two</p>' + END, [('one ]]> two', IN_P)], []),
    ('a script that is no XML', XHTML, START + '<script>if (a < b && c) x("</p>")</script><p>one</p>' + END, [('one', IN_P)], []),
    ('an attribute without quotes', XHTML, START + '<p class=x>one</p><p>two</p>' + END, [('one', IN_P), ('two', IN_P)], []),
    ('no root', XHTML, '<p>one</p>two', [('one', IN_P), ('two', IN_BODY)], []),
    ('cut off in a tag', XHTML, '<html', [], []),
    ('empty', XHTML, '', None, []),
    ('more attributes than are borne', XHTML, START + '<p ' + ' '.join('a%d="1"' % i for i in range(2000)) + '>one</p><p>two</p>' + END,
     [('one', IN_P), ('two', IN_P)], ['attributes_cut']),
]


def seen(record):
    text = record['full_text']
    return [(' '.join(text[block['start']:block['end']].split()), block['path']) for block in record['blocks']]


def main():
    with tempfile.TemporaryDirectory() as folder:
        path, rejects = os.path.join(folder, 'a.warc.gz'), os.path.join(folder, 'rejects.jsonl')
        head = 'HTTP/1.1 200 OK\r\nContent-Type: %s\r\n'
        archive.write(path, [archive.response(body, 'http://example.org/%d' % number, number, head % kind)
                             for number, (_, kind, body, _, _) in enumerate(CASES)])
        done = thresher('run', '-q', '--classifier', 'num-words', '--emit', 'blocks,full_text', '--rejects', rejects, path)
        expect('exit code', done.returncode, 0)
        records = {record['url']: record for record in map(json.loads, done.stdout.splitlines())}
        with open(rejects, 'rb') as file:
            refused = {json.loads(line)['url'] for line in file}
        for number, (name, _, _, blocks, flags) in enumerate(CASES):
            url = 'http://example.org/%d' % number
            record = records.get(url)
            expect(name, (seen(record), record['flags']) if record else url in refused,
                   (blocks, flags) if blocks is not None else True)


main()
