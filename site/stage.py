#!/usr/bin/env python3
"""Collects the pages of the site: documents of the repository, reference of options and commands, and the gallery.

usage: stage.py STAGE THRESHER

A page of docs/ keeps its name, and a page outside gets the name of its folder: python/README.md becomes python/index.md. A link from page to page is adapted, a
linked file of the repository is copied to files/, and a link to a folder becomes text. Nothing is fetched.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
OTHERS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'CODE_OF_CONDUCT.md', 'python/README.md', 'samples/README.md', 'tests/kafka/README.md']
LINK = re.compile(r'(?<=\]\()([^)\s]+)(?=\))')
FENCE = re.compile(r'(^```.*?^```$)', re.S | re.M)
CODE = re.compile(r'(`[^`\n]+`)')


def sources():
    """Returns the path of each page on the site by its path in the repository."""
    found = {}
    for top in ('docs', 'deploy', 'training'):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in names:
                if name.endswith('.md'):
                    found[os.path.relpath(os.path.join(folder, name), ROOT)] = None
    found.update(dict.fromkeys(OTHERS))
    return {path: re.sub(r'(^|/)README\.md$', r'\1index.md', path.removeprefix('docs/') if path != 'README.md' else 'overview.md') for path in found}


def adapted(text, path, pages, stage):
    """Returns the text of a page with the links of the site."""
    def target(link):
        name, _, anchor = link.partition('#')
        if re.match(r'[a-z]+:', link) or not name:
            return link
        wanted = os.path.relpath(os.path.join(os.path.dirname(path), name), '.')
        here = os.path.dirname(pages[path])
        wanted = wanted + '/README.md' if wanted + '/README.md' in pages else wanted
        if wanted in pages:
            return os.path.relpath(pages[wanted], here or '.') + ('#' + anchor if anchor else '')
        full = os.path.join(ROOT, wanted)
        if os.path.isdir(full):
            return None
        place = wanted.removeprefix('docs/') if wanted.startswith('docs/') else 'files/' + wanted
        os.makedirs(os.path.dirname(os.path.join(stage, place)) or stage, exist_ok=True)
        shutil.copy(full, os.path.join(stage, place))
        return os.path.relpath(place, here or '.')

    def linked(match):
        made = target(match[2])
        return '%s](%s)' % (match[1], made) if made else match[1].lstrip('[')

    pieces = FENCE.split(text)
    for i in range(0, len(pieces), 2):
        piece = re.sub(r'(\[(?:`[^`]*`|[^\[\]`])*)\]\(([^)\s]+)\)', linked, pieces[i])
        piece = re.sub(r'(?<=<img src=")([^"]+)', lambda match: target(match[1]), piece)
        pieces[i] = re.sub(r'^<!-- .*? -->\n', '', piece, flags=re.M)
    return ''.join(pieces)


def options(thresher):
    """Returns the reference of the options, from the program's table."""
    text = subprocess.run([thresher, 'config', 'options'], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    rows, section, notes = [], '', []
    for line in text.splitlines():
        if line.startswith('['):
            section = line.strip('[]')
            rows += ['', '## ' + section, '', '| option | default | meaning |', '| --- | --- | --- |']
        elif line.startswith('; '):
            notes.append(line[2:])
        elif ' = ' in line or line.endswith(' ='):
            name, _, value = line.partition(' =')
            value = value.strip()
            meaning = re.sub(r'([<|*_])', r'\\\1', ' '.join(notes))
            rows.append('| `%s` | %s | %s |' % (name, '`%s`' % value if value else '', CODE.sub(lambda match: match[0].replace('\\', ''), meaning)))
            notes = []
    head = '# Options\n\n`thresher config options` prints every option with its default, by section of a configuration file. On the command line, an option is `--NAME`, or `--SECTION.NAME`.\n'
    return head + '\n'.join(rows) + '\n'


def commands(thresher):
    text = subprocess.run([thresher, '--help'], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    parts = ['# Commands\n\n```text\n%s```\n' % text]
    for name in re.findall(r'^  thresher (\w+) ', text, re.M):
        done = subprocess.run([thresher, name, '--help-all'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        if done.returncode:
            done = subprocess.run([thresher, 'help', name], check=True, stdout=subprocess.PIPE, universal_newlines=True)
        parts.append('## %s\n\n```text\n%s```\n' % (name, done.stdout))
    return '\n'.join(parts)


def example(thresher):
    """Returns tabs with real output for the page of the home page, in the place of the short sample that the document has."""
    page = 'samples/news.warc.gz#12694'

    def output(*arguments):
        return subprocess.run([thresher, *arguments, page], cwd=ROOT, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()

    record = json.loads(output('run', '-q'))
    shown = {name: record[name] for name in ('url', 'title', 'author', 'published', 'page_type', 'quality', 'language_detected', 'counts')}
    tabs = (('Text', 'markdown', output('text', '--text-format', 'markdown')), ('Facts', 'json', json.dumps(shown, indent=1, ensure_ascii=False)),
            ('Reasons', 'text', output('inspect', '-q')))
    return '\n'.join('=== "%s"\n\n    ```%s\n%s\n    ```\n' % (title, language, '\n'.join('    ' + line for line in text.rstrip().splitlines()))
                     for title, language, text in tabs)


def gallery(thresher, stage):
    """Writes a report for each page, and returns a card for each."""
    with open(os.path.join(ROOT, 'site', 'pages.json'), encoding='utf-8') as file:
        pages = json.load(file)
    os.makedirs(os.path.join(stage, 'reports'))
    cards = []
    for number, (page, note) in enumerate(pages, 1):
        report = os.path.join('reports', '%02d.html' % number)
        subprocess.run([thresher, 'inspect', '-q', '--compare', '--html', os.path.join(stage, report), page], cwd=ROOT, check=True)
        facts = json.loads(subprocess.run([thresher, 'inspect', '-q', '--json', page], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
        record, blocks = facts['record'], facts['inspection']['blocks']
        kept = ' '.join(block['text'] for block in blocks if block['label'] != 'boilerplate' and block['text'] != record.get('title'))
        start = re.match(r'.{,140}(?=\s|$)|.{,140}', kept, re.S)[0]  # whole words, if the script has spaces
        language = record.get('language_detected', {}).get('name') or record.get('language', '')
        details = '%s of %s words kept' % (record['counts']['content_tokens'], record['counts']['tokens'])
        cards.append('<a class="card" href="../%s"><strong dir="auto">%s</strong><span>%s</span><span class="text" lang="%s" dir="auto">%s</span><small>%s, %s</small></a>' % (
            report, html.escape(record.get('title', page)), html.escape(note), html.escape(language), html.escape(start) + ' …',
            html.escape(record.get('page_type', {}).get('name', 'page')), details))
    return '\n<div class="cards">\n%s\n</div>\n' % '\n'.join(cards)


def main():
    stage, thresher = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    pages = sources()
    for path, place in pages.items():
        with open(os.path.join(ROOT, path), encoding='utf-8') as file:
            text = adapted(file.read(), path, pages, stage)
        if path == 'README.md':  # GitHub reads Markdown in the cells of its table
            text = re.sub(r'</?(?:table|tr|td)\b[^>]*>', '', text)
        if path == 'docs/index.md':
            text = re.sub(r'^```text\n.*?^```$', lambda match: example(thresher), text, flags=re.S | re.M)
        if path == 'docs/gallery.md':
            text += gallery(thresher, stage)
        if path in ('docs/index.md', 'docs/gallery.md'):
            text = '---\nhide: [navigation, toc]\n---\n' + text
        os.makedirs(os.path.dirname(os.path.join(stage, place)) or stage, exist_ok=True)
        with open(os.path.join(stage, place), 'w', encoding='utf-8') as file:
            file.write(text)
    os.makedirs(os.path.join(stage, 'reference'))
    for name, text in (('options', options(thresher)), ('commands', commands(thresher))):
        with open(os.path.join(stage, 'reference', name + '.md'), 'w', encoding='utf-8') as file:
            file.write(text)
    shutil.copytree(os.path.join(ROOT, 'docs', 'schema'), os.path.join(stage, 'schema'), dirs_exist_ok=True)
    shutil.copytree(os.path.join(ROOT, 'site', 'assets'), os.path.join(stage, 'assets'))


if __name__ == '__main__':
    main()
