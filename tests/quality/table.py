"""The README's table: words F1 of every classifier and profile on every extraction corpus, as Markdown.

usage: table.py PROGRAM SHARED [CORPUS...]      about five minutes for all corpora
"""
import json
import os
import subprocess
import sys
import tempfile

CLASSIFIERS = ('num-words', 'densitometric', 'keep-all', 'min-words', 'density-5', 'cleaneval', 'largest-content', 'main-content')
PROFILES = ('2008', 'html5')


def measure(program, shared, corpus, folder):
    """{(classifier, profile): words F1} on a corpus; None where it has no gold text."""
    tools = os.path.join(shared, 'tools')
    pages = os.path.join(shared, 'corpora', 'extraction', corpus, 'pages.jsonl.gz')
    archive = os.path.join(folder, corpus + '.warc.gz')
    subprocess.run([sys.executable, os.path.join(tools, 'pages_to_warc.py'), pages, archive], check=True)
    files = {}
    for classifier in CLASSIFIERS:
        for profile in PROFILES:
            path = os.path.join(folder, '%s@%s.jsonl' % (classifier, profile))
            run = subprocess.run([program, 'run', '-q', '-m', 'none', '-k', classifier, '-p', profile, archive],
                                 stdout=subprocess.PIPE, check=True)
            with open(path, 'wb') as out:
                subprocess.run([sys.executable, os.path.join(tools, 'predictions_from_records.py'), pages],
                               input=run.stdout, stdout=out, check=True)
            files[path] = (classifier, profile)
    figures = os.path.join(folder, 'figures.json')
    subprocess.run([sys.executable, os.path.join(tools, 'score_extraction.py'), pages, *files, '--json', figures],
                   stdout=subprocess.DEVNULL, check=True)
    with open(figures) as f:
        totals = json.load(f)['totals']['all']
    scores = {}
    for name, figure in totals.items():
        measure_ = figure.get('words') or figure['snippets']
        scores[tuple(name.split('@'))] = measure_['F1']
    return scores


def main():
    program, shared, *corpora = sys.argv[1:]
    base = os.path.join(shared, 'corpora', 'extraction')
    corpora = corpora or sorted(os.listdir(base))
    with tempfile.TemporaryDirectory() as folder:
        table = {corpus: measure(program, shared, corpus, folder) for corpus in corpora}
    print('| classifier | profile | %s | mean |' % ' | '.join(corpora))
    print('|---' * (len(corpora) + 3) + '|')
    for classifier in CLASSIFIERS:
        for profile in PROFILES:
            row = [table[corpus][classifier, profile] for corpus in corpora]
            print('| %s | %s | %s | %.3f |' % (classifier, profile, ' | '.join('%.3f' % f for f in row), sum(row) / len(row)))


main()
