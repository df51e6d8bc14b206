#!/usr/bin/env python3
"""Errors that the Nu Html Checker (vnu) finds in the text of pages in HTML. Run it by hand, because it needs Java and vnu.jar of the npm package vnu-jar.

usage: html_valid.py PROGRAM VNU.jar ARCHIVE... [-- OPTION...]

Each text, with links and images, becomes the body of a document. Prints the pages and errors of each archive, then each kind of error.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

PAGE = '<!DOCTYPE html>\n<html lang="en"><head><title>page</title></head><body>\n%s\n</body></html>\n'


def errors_of(program, vnu, archive, options):
    run = subprocess.run([program, 'run', '-q', '--text-format', 'html', '--text-links', '--text-images', *options, archive], stdout=subprocess.PIPE, check=True)
    records = [json.loads(line) for line in run.stdout.splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        for number, record in enumerate(records):
            with open(os.path.join(folder, '%d.html' % number), 'w', encoding='utf-8') as page:
                page.write(PAGE % record.get('text', ''))
        checked = subprocess.run(['java', '-Xss8m', '-jar', vnu, '--errors-only', '--format', 'json', folder], stderr=subprocess.PIPE)
    return len(records), [message['message'] for message in json.loads(checked.stderr)['messages']]


def main():
    args = sys.argv[1:]
    options = args[args.index('--') + 1:] if '--' in args else []
    program, vnu, *archives = args[:args.index('--')] if '--' in args else args
    kinds = collections.Counter()
    for archive in archives:
        pages, errors = errors_of(program, vnu, archive, options)
        print('%-28s %5d pages, %3d errors' % (os.path.basename(archive), pages, len(errors)))
        kinds.update(re.sub('“[^”]*”', '“…”', error) for error in errors)
    for kind, count in kinds.most_common():
        print('%6d %s' % (count, kind))


main()
