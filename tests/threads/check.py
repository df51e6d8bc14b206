#!/usr/bin/env python3
"""Posts and comments of pages that were written by hand, one for each kind of software.

usage: check.py PROGRAM [NAME...]

NAME.html is a page. NAME.json has the posts or comments that a reader finds on it, and may have its page_type, written before the code. Each page must have
exactly these posts, with the same text, and its text must not contain its comments. With --comments the text must contain them.
Digest, signatures and counts must not depend on the form of the text.
"""
import collections
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from pages_by_hand import archive, records  # noqa: E402

FIELDS = {'author', 'published', 'votes', 'accepted', 'quote_of', 'depth', 'text'}


def differences(name, record, wanted):
    for field in ('posts', 'comments'):
        have, want = record.get(field, []), wanted.get(field, [])
        if len(have) != len(want):
            yield '%s: %d %s, expected %d' % (name, len(have), field, len(want))
        for number, (a, b) in enumerate(zip(have, want)):
            for key in sorted(FIELDS):
                if a.get(key) != b.get(key):
                    yield '%s: %s %d: %s is %r, expected %r' % (name, field, number + 1, key, a.get(key), b.get(key))
            if set(a) - FIELDS:
                yield '%s: unknown members %s' % (name, sorted(set(a) - FIELDS))
    type_of = record['page_type']['name']
    if type_of != wanted.get('page_type', type_of):
        yield '%s: page_type is %s, expected %s' % (name, type_of, wanted['page_type'])
    for comment in record.get('comments', []):
        if comment['text'] in record['text']:
            yield '%s: the text has the comment %r' % (name, comment['text'])


def lines_of(record, sign):
    """The line that each post begins with in the text."""
    for post in record.get('posts', []):
        if 'author' in post and post['text'] and post['text'].splitlines()[-1] in record['text']:
            yield sign + post['author'] + sign + (', ' + post['published'] if 'published' in post else '')


def check(program, names):
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'pages.warc'
        archive(HERE, names, path, 'forum.example')
        plain = records(program, path, '--emit', 'posts')
        markdown = records(program, path, '--emit', 'posts', '--text-format', 'markdown')
        without = records(program, path)
        back = records(program, path, '--comments')
    for name in names:
        wanted = json.loads((HERE / (name + '.json')).read_text(encoding='utf-8'))
        faults += differences(name, plain[name], wanted)
        for other in (markdown, without):
            for key in ('digest', 'minhash', 'counts'):
                if plain[name].get(key) != other[name].get(key):
                    faults.append('%s: %s depends on the form of the text' % (name, key))
        if 'posts' in without[name] or without[name]['text'] != plain[name]['text']:
            faults.append('%s: the text depends on --emit posts' % name)
        lines = collections.Counter(line for post in wanted.get('posts', []) for line in post['text'].split('\n') if line)
        for line, count in lines.items(): # of quotes
            if count > 1 and plain[name]['text'].count(line) < count:
                faults.append('%s: %r is in %d posts and %d times in the text' % (name, line, count, plain[name]['text'].count(line)))
        for text, sign in ((plain[name], ''), (markdown[name], '**')):
            lines = text['text'].split('\n')
            for line in lines_of(text, sign):
                at = lines.index(line) if line in lines else -1
                if at < 0 or (at and lines[at - 1]):
                    faults.append('%s: no line %r behind an empty one' % (name, line))
        for comment in wanted.get('comments', []):
            if comment['text'].split('\n')[0] not in back[name]['text'] or 'comments' in back[name]:
                faults.append('%s: --comments does not put %r back' % (name, comment['text']))
    return faults


def main():
    program, names = sys.argv[1], sys.argv[2:]
    names = names or sorted(path.stem for path in HERE.glob('*.html'))
    faults = check(program, names)
    print('\n'.join(faults[:60]))
    print('%d pages, %d differences' % (len(names), len(faults)))
    sys.exit(bool(faults))


if __name__ == '__main__':
    main()
