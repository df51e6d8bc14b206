"""Runs other extractors on the pages of corpora, and prints one table with thresher and them.

usage: peers.py PROGRAM OUT CORPUS... [--by-type] [--jobs N] [-- OPTIONS of `thresher eval extraction`]

PROGRAM   thresher
OUT       folder for the output of the peers: OUT/CORPUS/peer-outputs/NAME.jsonl.gz next to a link to the corpus's pages. A peer with an existing
          file is not run again, so a table with another model takes only the time of thresher
CORPUS    folder with pages.jsonl.gz
--by-type one column for each page type of a corpus, in addition to the whole corpus
--lines   the figures of `eval lines` instead

The peers come from PyPI:  pip install trafilatura==2.3.1 resiliparse==2.0.1 rs-trafilatura==0.1.1 lxml_html_clean
All extract the main content as text without comments, with 60 seconds per page. Pages are decoded once, with the encoding of the corpus, so
that no peer has to guess it. A page on which a peer fails counts as an empty text.
"""
import argparse
import base64
import concurrent.futures
import gzip
import importlib.metadata
import json
import os
import signal
import subprocess
import sys
import time

PEERS = ('trafilatura', 'resiliparse', 'rs-trafilatura')
SECONDS = 60


def trafilatura(html, url):
    from trafilatura import extract
    return extract(html, url=url, include_comments=False)


def resiliparse(html, _url):
    from resiliparse.extract.html2text import extract_plain_text
    return extract_plain_text(html, main_content=True, alt_texts=False, links=False, comments=False)


def rs_trafilatura(html, url):
    import rs_trafilatura as peer
    return peer.extract(html, url=url).main_content


EXTRACT = {'trafilatura': trafilatura, 'resiliparse': resiliparse, 'rs-trafilatura': rs_trafilatura}


class Late(Exception):
    pass


def late(*_):
    raise Late()


def pages_of(path):
    with gzip.open(path, 'rt', encoding='utf-8') as lines:
        for line in lines:
            page = json.loads(line)
            if 'html' not in page:
                encoding = page.get('encoding') or 'utf-8'
                page['html'] = base64.b64decode(page['html_b64']).decode(encoding, errors='replace')
            yield page


def version_file(out):
    return out.replace('.jsonl.gz', '.version')


def versions(folders):
    """Returns the outputs of each peer that are in the table."""
    found = {}
    for folder in folders:
        for name in PEERS:
            with open(version_file(os.path.join(folder, 'peer-outputs', name + '.jsonl.gz')), encoding='utf-8') as file:
                found.setdefault(name, set()).add(file.read().strip())
    return ['%s %s' % (name, ' and '.join(sorted(found[name]))) for name in PEERS]


def run_peer(name, path, out):
    """@return seconds, bytes of HTML and failed pages"""
    signal.signal(signal.SIGALRM, late)
    seconds = read = failed = 0
    with gzip.open(out + '.part', 'wt', encoding='utf-8') as file:
        for page in pages_of(path):
            html = page['html'].replace('\0', '')
            started, text = time.process_time(), ''
            signal.alarm(SECONDS)
            try:
                text = EXTRACT[name](html, page.get('url') or None) or ''
            except BaseException as problem:  # a peer written in another language panics with its own kinds
                if isinstance(problem, (KeyboardInterrupt, ImportError)):
                    raise
                failed += 1
            finally:
                signal.alarm(0)
            seconds += time.process_time() - started
            read += len(html.encode('utf-8', 'replace'))
            file.write(json.dumps({'id': page['id'], 'text': text.encode('utf-8', 'replace').decode('utf-8')}) + '\n')
    with open(version_file(out), 'w', encoding='utf-8') as file:
        file.write(importlib.metadata.version(name) + '\n')
    os.rename(out + '.part', out)
    return seconds, read, failed


def prepare(corpus, out):
    """Links the corpus's pages and its published peer outputs into a writable folder."""
    name = os.path.basename(os.path.normpath(corpus))
    folder = os.path.join(out, name)
    os.makedirs(os.path.join(folder, 'peer-outputs'), exist_ok=True)
    pages = os.path.join(folder, 'pages.jsonl.gz')
    if not os.path.lexists(pages):
        os.symlink(os.path.abspath(os.path.join(corpus, 'pages.jsonl.gz')), pages)
    return folder


def run_peers(folders, jobs):
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        waiting = {}
        for folder in folders:
            for name in PEERS:
                out = os.path.join(folder, 'peer-outputs', name + '.jsonl.gz')
                if not os.path.exists(out):
                    waiting[pool.submit(run_peer, name, os.path.join(folder, 'pages.jsonl.gz'), out)] = (name, folder)
        for done in concurrent.futures.as_completed(waiting):
            seconds, read, failed = done.result()
            name, folder = waiting[done]
            print('%s on %s: %.1f MB/s, %d pages failed' % (name, os.path.basename(folder), read / 1e6 / max(seconds, 1e-9), failed),
                  file=sys.stderr)


def figures_of(program, kind, folders, options):
    command = [program, 'eval', kind, '-q', '--json', '--resamples', '0', *options, *folders]
    report = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    return json.loads(report)['corpora']


def print_table(heads, rows):
    rows = [heads] + rows
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    for number, row in enumerate(rows):
        print('| ' + ' | '.join(cell.ljust(width) for cell, width in zip(row, widths)) + ' |')
        if number == 0:
            print('|' + '|'.join('-' * (width + 2) for width in widths) + '|')


def words_table(corpora, by_type):
    columns, cells, names = [], {}, []
    for corpus in corpora:
        columns.append(corpus['corpus'])
        for method in corpus['methods']:
            name = method.get('classifier') or method['peer']
            if name not in names:
                names.append(name)
            cells[name, corpus['corpus']] = method['words']['f1']
            for kind in method.get('page_types', []) if by_type else []:
                column = '%s: %s' % (corpus['corpus'], kind['page_type'])
                if column not in columns:
                    columns.append(column)
                cells[name, column] = kind['f1']
    if len(corpora) > 1:
        whole = [corpus['corpus'] for corpus in corpora]
        columns.insert(0, 'mean')
        for name in names:
            if all((name, corpus) in cells for corpus in whole):
                cells[name, 'mean'] = sum(cells[name, corpus] for corpus in whole) / len(whole)
    print_table(['words F1'] + columns,
                [[name] + ['%.3f' % cells[name, column] if (name, column) in cells else '' for column in columns] for name in names])


def lines_table(corpora):
    keys = ('intact', 'broken', 'nearly', 'torn', 'missing', 'glued', 'pre_lines_kept', 'pre_indent_kept', 'h1_kept')
    rows = [[corpus['corpus'], method.get('classifier') or method['peer']] + ['%.3f' % method[key] for key in keys]
            for corpus in corpora for method in corpus['methods']]
    print_table(['corpus', 'method'] + [key.replace('_', ' ') for key in keys], rows)


def main():
    arguments = sys.argv[1:]
    options = []
    if '--' in arguments:
        options = arguments[arguments.index('--') + 1:]
        arguments = arguments[:arguments.index('--')]
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('program')
    parser.add_argument('out')
    parser.add_argument('corpora', nargs='+')
    parser.add_argument('--by-type', action='store_true')
    parser.add_argument('--lines', action='store_true')
    parser.add_argument('--jobs', type=int, default=1)
    wanted = parser.parse_args(arguments)
    folders = [prepare(corpus, wanted.out) for corpus in wanted.corpora]
    run_peers(folders, wanted.jobs)
    version = subprocess.run([wanted.program, '--version'], check=True, stdout=subprocess.PIPE, text=True).stdout.split('\n')[0]
    print(', '.join([version] + versions(folders)) + '\n')
    corpora = figures_of(wanted.program, 'lines' if wanted.lines else 'extraction', folders, options)
    if wanted.lines:
        lines_table(corpora)
    else:
        words_table(corpora, wanted.by_type)


if __name__ == '__main__':
    main()
