"""Checks facts of a release that several files state: version and date, sources of the content model, packages.

usage: release.py ROOT [--final]

* CMakeLists.txt has the version. The newest section of CHANGELOG.md and CITATION.cff have the same version and one date. A section
  "Unreleased" may be above it, but not with --final.
* NOTICE, the copyright file of the Debian packages and the model card name every data set in the header of the content model; the model card with its number of pages.
"""
import json
import os
import re
import sys

# How the attributions name the data sets of the model's header.
NAMES = {'docs': 'documentation of 26 repositories', 'fundus': 'fundus', 'magic-html': 'magic-html', 'mozilla-readability': 'Readability',
         'news-2023': 'article-extraction-dataset', 'recipes': 'recipe-scrapers', 'trafilatura-snippets': 'trafilatura', 'wcxb-dev': 'Murrough Foley',
         'wcxb-train': 'Murrough Foley', 'zh-content': 'Chinese Web Content Extraction Dataset'}


def read(root, name):
    with open(os.path.join(root, name), encoding='utf-8', errors='replace') as file:  # the model has bytes
        return file.read()


def versions(root, final):
    version = re.search(r'^project\(thresher VERSION ([\d.]+)', read(root, 'CMakeLists.txt'), re.M)[1]
    sections = re.findall(r'^## (.*)$', read(root, 'CHANGELOG.md'), re.M)
    if sections[0] == 'Unreleased':
        if final:
            yield 'CHANGELOG.md: the section Unreleased has no version'
        sections = sections[1:]
    newest = re.fullmatch(r'([\d.]+) - (\d{4}-\d\d-\d\d)', sections[0]) if sections else None
    if not newest or newest[1] != version:
        yield 'CHANGELOG.md: the newest section is not "## %s - DATE"' % version
        return
    cited = dict(re.findall(r'^(version|date-released): (\S+)$', read(root, 'CITATION.cff'), re.M))
    if cited != {'version': version, 'date-released': newest[2]}:
        yield 'CITATION.cff: %s, and CHANGELOG.md has %s of %s' % (cited, version, newest[2])


def attributions(root):
    header = json.loads(read(root, 'src/content/models/content.model').split('\n')[1])
    card = read(root, 'training/model-card.md')
    texts = {name: ' '.join(read(root, name).split()) for name in ('NOTICE', 'deploy/debian/copyright')}
    for source in header['sources']:
        name = source['name']
        if name == 'made-threads':
            continue  # of this repository
        for path, text in texts.items():
            if NAMES.get(name, name) not in text:
                yield '%s: does not name %s, a source of the content model' % (path, name)
        rows = [row.split('|') for row in card.splitlines() if row.startswith('| ')]
        pages = {corpus.strip(): count.strip() for row in rows if len(row) == 6 for corpus, count in zip(row[1].split(','), row[2].split(','))}
        if pages.get(name) != str(source['pages']):
            yield 'training/model-card.md: %s has %s pages, and the header of the model %d' % (name, pages.get(name), source['pages'])


def main():
    root = sys.argv[1]
    found = [*versions(root, sys.argv[2:] == ['--final']), *attributions(root)]
    print('\n'.join(found) or 'version, date and attributions agree')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
