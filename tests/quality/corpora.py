"""Functions shared by the scripts of this folder: the extraction corpora as archives, and the program's records of them."""
import gzip
import json
import os
import subprocess
import sys

SPACES = '\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000'
BLANK_FOR_SPACE = str.maketrans(SPACES, ' ' * len(SPACES))


def names(shared):
    """The corpora that there are; none where the folder is missing."""
    base = os.path.join(shared, 'corpora', 'extraction')
    if not os.path.isdir(base):
        return []
    return sorted(name for name in os.listdir(base) if os.path.exists(os.path.join(base, name, 'pages.jsonl.gz')))


def archive(shared, corpus, folder, first=None):
    """A WARC of the corpus's pages, or of the first few. @return its path and the pages' ids in its order"""
    pages = os.path.join(shared, 'corpora', 'extraction', corpus, 'pages.jsonl.gz')
    part = os.path.join(folder, corpus)
    os.makedirs(part, exist_ok=True)
    copy, target = os.path.join(part, 'pages.jsonl.gz'), os.path.join(part, corpus + '.warc.gz')
    ids = []
    with gzip.open(pages, 'rb') as source, gzip.open(copy, 'wb', compresslevel=1) as out:
        for line in source:
            if first is not None and len(ids) == first:
                break
            ids.append(json.loads(line)['id'])
            out.write(line)
    subprocess.run([sys.executable, os.path.join(shared, 'tools', 'pages_to_warc.py'), copy, target], check=True)
    os.remove(copy)
    return target, ids


def records(program, path, *options):
    """The program's records of an archive, in its order; every page must give one."""
    # A rule keeps visible text. The learned classifier also keeps hidden paragraphs.
    with subprocess.Popen([program, 'run', '-q', '-j1', '-k', 'num-words', '-m', 'none', '--page-ms', '0', *options, path], stdout=subprocess.PIPE) as run:
        for line in run.stdout:
            yield json.loads(line)
    if run.returncode != 0:
        raise SystemExit('%s: exit code %d' % (path, run.returncode))


def words(text):
    """Runs of non-whitespace characters, as the text model sees it."""
    return [word for word in text.translate(BLANK_FOR_SPACE).split(' ') if word]


def blocks(record):
    """[(text, path)] of a record made with --emit blocks,full_text."""
    text = record['full_text']
    return [(text[block['start']:block['end']], block['path']) for block in record['blocks']]
