"""`thresher eval duplicates` and score_duplicates.py: the same figures to three decimals, for the papers' rule and for slots.

usage: agree_duplicates.py PROGRAM SHARED       exit 77 where the corpora are absent

It also checks minimum scores on the composed pairs: duplicates found and different pages distinguished (preset paper, main segment).
"""
import json
import os
import subprocess
import sys
import tempfile

FLOORS = {'dup': 0.905, 'distinct': 0.985}

program, shared = sys.argv[1:]
corpus = os.path.join(shared, 'corpora', 'duplicates', 'lyrics-like')
if not os.path.exists(os.path.join(corpus, 'pairs.tsv')):
    print('skipped: no %s: the corpora are not part of the repository' % corpus)
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    records = []
    for preset in ('paper', 'modern'):
        records.append(os.path.join(folder, preset + '.jsonl'))
        subprocess.run([program, 'run', '-q', '-m', preset, '-O', records[-1], os.path.join(corpus, 'pages.warc.gz')], check=True)
    ours = json.loads(subprocess.run([program, 'eval', 'duplicates', '--json', corpus, *records], stdout=subprocess.PIPE, check=True).stdout)
    figures = os.path.join(folder, 'figures.json')
    subprocess.run([sys.executable, os.path.join(shared, 'tools', 'score_duplicates.py'), os.path.join(corpus, 'pairs.tsv'), *records, '--json', figures],
                   check=True, stdout=subprocess.DEVNULL)
    with open(figures) as f:
        theirs = json.load(f)

bad = compared = 0
for method, name in zip(ours['methods'], ('paper', 'modern')):
    groups = {'/'.join((g['label'], g['family'], g['length'])): g for g in method['groups']}
    if set(groups) != set(theirs[name]['groups']):
        sys.exit('other groups: %s' % sorted(set(groups) ^ set(theirs[name]['groups'])))
    for key, wanted in theirs[name]['groups'].items():
        for figure in ('pairs', 'right', 'missing', 'rate', 'low', 'high'):
            compared += 1
            if abs(groups[key][figure] - wanted[figure]) > 0.0005:
                bad += 1
                print('%s %s %s: %s, scorer %s' % (name, key, figure, groups[key][figure], wanted[figure]))
    if name == 'paper':
        for label, floor in FLOORS.items():
            rate = groups['%s/composed/all' % label]['rate']
            print('%s, composed: %.4f, floor %.3f' % (label, rate, floor))
            bad += rate < floor
print('%d figures compared, %d wrong' % (compared, bad))
sys.exit(1 if bad or not compared else 0)
