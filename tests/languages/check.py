#!/usr/bin/env python3
"""Pages in Arabic, Hebrew, Persian, Hindi and Thai with their facts and text, both written by hand before the program read them.

usage: check.py PROGRAM [NAME...]

NAME.html is a page. NAME.json has its language, title, author, date (the day), posts and comments (author, day, text), the lines that
its text must have, and lines that no line of it may contain. NAME.txt is the complete text, where it has a single right form, without
the headline: a text may begin with it.
"""
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from pages_by_hand import archive, records  # noqa: E402



def differences(record, wanted, complete):
    facts = {'title': record.get('title'), 'author': record.get('author'), 'published': (record.get('published') or '')[:10] or None}
    if 'language_detected' in record:  # not without CLD2
        facts['language'] = record['language_detected']['name']
    for key, value in facts.items():
        if value != wanted.get(key):
            yield '%s is %r, expected %r' % (key, value, wanted.get(key))
    for key in ('posts', 'comments'):
        have = [[post.get('author'), post.get('published', '')[:10], post['text']] for post in record.get(key, [])]
        want = wanted.get(key, [])
        if len(have) != len(want):
            yield '%d %s, expected %d' % (len(have), key, len(want))
        for a, b in zip(have, want):
            if a != b:
                yield '%s: %r, expected %r' % (key, a, b)
    # A line is compared without the mark of an item, and cell by cell.
    lines = [cell for line in record['text'].split('\n') for cell in line.split('\t')]
    lines += [line.split(' ', 1)[1] for line in lines if line.startswith('- ') or line.split('. ')[0].isdigit() and '. ' in line]
    for line in wanted['required']:
        if line not in lines:
            yield 'no line %r' % line
    allowed = wanted['required'] + [wanted['title']]
    for part in wanted['forbidden']:
        for line in lines:
            if part == line or (len(part.split()) > 2 and part in line and not any(part in one for one in allowed)):
                yield 'the line %r' % line
    for comment in wanted.get('comments', []):
        if comment[2] in record['text']:
            yield 'the text has the comment %r' % comment[2]
    text = record['text'].removeprefix(wanted['title'] + '\n\n') + '\n'
    if complete is not None and text != complete:
        yield 'the text is %r, expected %r' % (text, complete)


def main():
    program, names = sys.argv[1], sys.argv[2:]
    names = names or sorted(path.stem for path in HERE.glob('*.html'))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'pages.warc'
        archive(HERE, names, path, 'page.example')
        found = records(program, path, '--emit', 'posts')
    faults = []
    for name in names:
        wanted = json.loads((HERE / (name + '.json')).read_text(encoding='utf-8'))
        path = HERE / (name + '.txt')
        complete = path.read_text(encoding='utf-8') if path.exists() else None
        faults += ['%s: %s' % (name, line) for line in differences(found[name], wanted, complete)]
    print('\n'.join(faults))
    print('%d pages, %d differences' % (len(names), len(faults)))
    sys.exit(bool(faults) or not names)


if __name__ == '__main__':
    main()
