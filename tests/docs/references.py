"""Checks that the files and sources cited in comments and docs exist.

usage: references.py ROOT

* Every path below docs, src, include, tests, config, samples and systemd, and every NAME.md, that a source comment or a page
  cites exists. A path with NAME in it stands for any path and is not checked. If the path has an #anchor, the file has the heading.
* Every [KEY] that looks like a source (a paper's key, an RFC, a standard, "Name 1999") is in docs/references.md.
"""
import os
import re
import sys

FOLDERS = 'docs|src|include|tests|config|samples|systemd'
# A path, but not a glob, a part of a longer path, or a path after a variable. It can have an anchor.
PATH = re.compile(r'(?<![\w./<}-])((?:%s)/[\w./-]*[\w/]|[\w./-]+\.md(?!\w))(?:#([\w-]+))?' % FOLDERS)
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
BRACKETS = re.compile(r'\[([^\[\]]{2,200})\](?!\()') # no link
# What a citation in brackets begins with.
SOURCE = re.compile(r'^(?:[A-Z]{1,4}\d{2}\b(?! ?\w*_)|RFC \d+|[A-Z]\w+(?: & [A-Z]\w+| et al\.)? (?:19|20)\d\d$|'
                    r'(?:WHATWG|HTML|Encoding|MIME|URL|Unicode|UAX|WARC|W3CDTF|ISO|BCP)\b)')
# Paths that a build or a run creates.
MADE = re.compile(r'^samples/out(/|$)|^src/thresher$|^doc/thresher/')


def files(root, *suffixes):
    for top in ('src', 'include', 'tests', 'docs', 'config', 'samples', '.'):
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = [] if top == '.' else [f for f in folders if f not in ('data', 'golden', 'corpus', 'out')]
            for name in sorted(names):
                if name.endswith(suffixes):
                    yield os.path.relpath(os.path.join(folder, name), root)


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as f:
        return f.read()


def plain(comment):
    """Returns the words of a comment on one line, because a citation can be on two lines."""
    return re.sub(r'\s*\n[ \t]*\*?[ \t]*', ' ', comment)


def anchors(text):
    """Returns the anchors that GitHub creates for the headings."""
    return {re.sub(r'[^\w\- ]', '', line.lstrip('#').strip().lower()).replace(' ', '-')
            for line in text.splitlines() if line.startswith('#')}


def keys(text):
    """First cells of the tables of references.md: `RFC 1950, RFC 1951` are two."""
    rows = re.findall(r'^\| ([^|]+) \|', text, re.M)
    return {key.strip() for row in rows for key in row.split(',')} - {'key', '---'}


def is_known(citation, known):
    words = re.sub(r'^WHATWG (?=\w)', '', citation)
    return any(words == key or words.startswith(key + ' ') for key in known)


def faults(root):
    known = keys(read(root, os.path.join('docs', 'references.md')))
    for path in files(root, '.c', '.h', '.py', '.md', '.sh', 'CMakeLists.txt'):
        text = read(root, path)
        is_code = path.endswith(('.c', '.h'))
        # For a C file, search comments, and for sources also strings ("[K11 Alg. 4.1]").
        cited = [plain(c) for c in COMMENT.findall(STRING.sub('""', text))] if is_code else [text]
        for piece in cited:
            if path.endswith('references.py'):
                continue
            for found in PATH.finditer(piece):
                name, anchor = found[1].rstrip('.'), found[2]
                near = os.path.join(os.path.dirname(path), name)
                there = next((p for p in (near, name, os.path.join('docs', name))
                              if os.path.exists(os.path.join(root, p))), None)
                if MADE.match(name) or '/corpora/' in name or 'NAME' in name:
                    continue
                if not there:
                    if is_code or path.endswith('.md') or name.endswith('.md'):
                        yield '%s: cites %s, which is not there' % (path, name)
                elif anchor and there.endswith('.md') and anchor not in anchors(read(root, there)):
                    yield '%s: cites #%s, which %s does not have' % (path, anchor, there)
        if is_code:
            cited += STRING.findall(text)
        elif not path.endswith('.md'):
            continue
        for piece in cited:
            for found in BRACKETS.finditer(piece):
                for citation in re.split(r'[;,] ', found[1]):
                    if SOURCE.match(citation) and not is_known(citation, known):
                        yield '%s: [%s] is not in docs/references.md' % (path, citation)


def main():
    found = sorted(set(faults(sys.argv[1])))
    print('\n'.join(found) or 'every cited path and source is there')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
