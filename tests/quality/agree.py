"""The figures of `thresher eval` equal the figures of the corpora's own scorers, to three decimals.

usage: agree.py PROGRAM SHARED CORPUS...       exit 77 where the corpora are absent

CORPUS is extraction/NAME, segmentation/NAME or training/NAME below SHARED/corpora, with "lines:" in front of it for `eval lines` and "required:"
for the required lines of `eval extraction`. CTest runs the small corpora. This command runs all of them:
    agree.py build-release/src/thresher ../shared $(cd ../shared/corpora && ls -d extraction/* segmentation/*)
"""
import gzip
import hashlib
import json
import os
import subprocess
import sys
import tempfile

CLASSIFIERS = ('num-words', 'main-content', 'density-5')
LINE_CLASSIFIERS = ('num-words', 'keep-all')
REQUIRED_CLASSIFIERS = ('learned', 'num-words')
SEGMENTERS = ('word-wrap', 'tag-gap', 'full-text', 'bf-plain', 'bf-rulebased')
NAMES = {'words': {'F1': 'f1', 'P': 'p', 'R': 'r', 'median F1': 'median_f1'},
         'shingle': {'F1': 'f1', 'P': 'p', 'R': 'r', 'acc': 'equal'},
         'snippets': {'F1': 'f1', 'P': 'p', 'R': 'r', 'acc': 'accuracy'}}

failures = []


def call(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, **options)


def same(what, ours, theirs):
    """Three decimals: the scorer's own, ours has six."""
    if abs(ours - theirs) >= .0005:
        failures.append('%s: eval %.6f, scorer %.6f' % (what, ours, theirs))


def figures(program, kind, *arguments):
    report, again = (call(program, 'eval', kind, '-q', '--json', '--resamples', 0, '-j', workers, *arguments, stdout=subprocess.PIPE).stdout
                     for workers in (1, 4))
    if report != again:
        failures.append('%s: another report with four workers' % kind)
    return json.loads(report)['corpora'][0]


def extraction(program, tools, corpus, folder):
    pages = os.path.join(corpus, 'pages.jsonl.gz')
    archive, scores = os.path.join(folder, 'pages.warc.gz'), os.path.join(folder, 'scores.json')
    call(sys.executable, os.path.join(tools, 'pages_to_warc.py'), pages, archive)
    ours = {m['classifier']: m for m in figures(program, 'extraction', '--classifiers', ','.join(CLASSIFIERS), corpus)['methods']
            if 'classifier' in m}
    files = []
    for name in CLASSIFIERS:
        files.append(os.path.join(folder, name + '.jsonl'))
        run = call(program, 'run', '-q', '-m', 'none', '-k', name, archive, stdout=subprocess.PIPE)
        with open(files[-1], 'wb') as out:
            call(sys.executable, os.path.join(tools, 'predictions_from_records.py'), pages, input=run.stdout, stdout=out)
    call(sys.executable, os.path.join(tools, 'score_extraction.py'), pages, *files, '--json', scores, stdout=subprocess.DEVNULL)
    with open(scores) as f:
        totals = json.load(f)['totals']['all']
    compared = 0
    for name in CLASSIFIERS:
        for group, members in NAMES.items():
            for theirs, our in members.items():
                if group in totals[name]:
                    same('%s %s %s %s' % (corpus, name, group, theirs), ours[name][group][our], totals[name][group][theirs])
                    compared += 1
    return compared


def lines(program, tools, corpus, folder):
    """All figures of score_lines.py, to its four decimals."""
    pages = os.path.join(corpus, 'pages.jsonl.gz')
    archive, scores = os.path.join(folder, 'pages.warc.gz'), os.path.join(folder, 'scores.json')
    call(sys.executable, os.path.join(tools, 'pages_to_warc.py'), pages, archive)
    ours = {m['classifier']: m for m in figures(program, 'lines', '--classifiers', ','.join(LINE_CLASSIFIERS), corpus)['methods'] if 'classifier' in m}
    files = {}
    for name in LINE_CLASSIFIERS:
        files[name] = os.path.join(folder, name + '.jsonl')
        run = call(program, 'run', '-q', '-m', 'none', '-k', name, archive, stdout=subprocess.PIPE)
        with open(files[name], 'wb') as out:
            call(sys.executable, os.path.join(tools, 'predictions_from_records.py'), pages, input=run.stdout, stdout=out)
    call(sys.executable, os.path.join(tools, 'score_lines.py'), pages, *files.values(), '--json', scores, stdout=subprocess.DEVNULL)
    with open(scores) as f:
        report = json.load(f)
    compared = 0
    for name in LINE_CLASSIFIERS:
        for key, value in report[files[name]].items():
            if abs(ours[name][key] - value) > .00005 + 1e-6:
                failures.append('%s %s %s: eval %.6f, scorer %.4f' % (corpus, name, key, ours[name][key], value))
            compared += 1
    return compared


def required(program, tools, corpus, folder):
    """Recall of required lines, by score_required.py. Pages without a URL get the URL of pages_to_warc.py."""
    copy, archive, scores = (os.path.join(folder, name) for name in ('corpus', 'pages.warc.gz', 'scores.json'))
    os.mkdir(copy)
    pages = os.path.join(copy, 'pages.jsonl.gz')
    with gzip.open(os.path.join(corpus, 'pages.jsonl.gz'), 'rt', encoding='utf-8') as source, gzip.open(pages, 'wt', encoding='utf-8', compresslevel=1) as out:
        for line in source:
            page = json.loads(line)
            page['url'] = page.get('url') or 'http://page.invalid/%d' % int(hashlib.sha1(page['id'].encode()).hexdigest()[:8], 16)
            out.write(json.dumps(page) + '\n')
    call(sys.executable, os.path.join(tools, 'pages_to_warc.py'), pages, archive)
    methods = figures(program, 'extraction', '--classifiers', ','.join(REQUIRED_CLASSIFIERS), copy)['methods']
    ours = {m['classifier']: m['required'] for m in methods if 'classifier' in m}
    compared = 0
    for name in REQUIRED_CLASSIFIERS:
        records = os.path.join(folder, name + '.jsonl')
        call(program, 'run', '-q', '-m', 'none', '-k', name, '-O', records, archive)
        call(sys.executable, os.path.join(tools, 'score_required.py'), pages, records, '--json', scores, stdout=subprocess.DEVNULL)
        with open(scores) as f:
            theirs = json.load(f)[records]
        for kind in ours[name]['kinds']:
            for figure in ('kept', 'lost'):
                same('%s %s %s %s' % (corpus, name, kind['kind'], figure), kind[figure], theirs[figure][kind['kind']])
                compared += 1
        # The scorer takes the upper of two middle pages, eval their mean. A record's text has a line with author and date before
        # each comment, which eval does not count: about 2% of the words.
        if abs(ours[name]['words_per_required'] - theirs['words_per_required']) > .05 + .02 * theirs['words_per_required']:
            failures.append('%s %s: words per required word %.3f, scorer %.3f' % (corpus, name, ours[name]['words_per_required'],
                                                                                   theirs['words_per_required']))
        compared += 1
    return compared


def segmentation(program, tools, corpus, folder):
    gold, scores = os.path.join(corpus, 'gold.jsonl.gz'), os.path.join(folder, 'scores.json')
    archive = os.path.join(corpus, 'pages.warc.gz')
    ours = {m['segmenter']: m for m in figures(program, 'segmentation', '--segmenters', ','.join(SEGMENTERS), corpus)['fields'][0]['methods']}
    compared = 0
    for name in SEGMENTERS:
        records = os.path.join(folder, name + '.jsonl')
        call(program, 'run', '-q', '-m', 'none', '-s', name, '-e', 'full_text,blocks', '-O', records, archive)
        call(sys.executable, os.path.join(tools, 'score_segmentation.py'), gold, records, '--json', scores, stdout=subprocess.DEVNULL)
        with open(scores) as f:
            pages = list(json.load(f)['segment'][name].values())
        for theirs, our in (('coverage', 'coverage'), ('ari', 'adjusted_rand'), ('nmi', 'nmi'), ('p', 'b3_p'), ('r', 'b3_r'), ('f', 'b3_f'),
                            ('gold', 'gold_segments'), ('found', 'found_segments')):
            same('%s %s %s' % (corpus, name, theirs), ours[name][our], sum(p[theirs] for p in pages) / len(pages))
            compared += 1
    return compared


program, shared, *corpora = sys.argv[1:]
tools = os.path.join(shared, 'tools')
compared = 0
for argument in corpora:
    what, name = argument.split(':') if ':' in argument else ('', argument)
    corpus = os.path.join(shared, 'corpora', name)
    if not os.path.isdir(corpus):
        print('skipped: no %s: the corpora are not part of the repository' % corpus)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        measure = {'lines': lines, 'required': required, 'extraction': extraction, 'segmentation': segmentation}[what or name.split('/')[0]]
        compared += measure(program, tools, corpus, folder)
print('%d figures compared, %d differ' % (compared, len(failures)))
print('\n'.join(failures))
sys.exit(1 if failures or not compared else 0)
