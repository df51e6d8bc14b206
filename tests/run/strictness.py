"""Several strictnesses in one pass give the texts of separate passes.

usage: strictness.py PROGRAM
"""
import json
import os

from case import expect, expect_true, thresher

SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'samples', 'news.warc.gz')


def records(*options):
    run = thresher('run', '-q', *options, SAMPLE)
    expect('exit of %s' % ' '.join(options), run.returncode, 0)
    return [json.loads(line) for line in run.stdout.splitlines()]


for style in ([], ['--text-format', 'markdown', '--text-title', 'yes']):
    alone = {name: records('--strictness', name, *style) for name in ('strict', 'balanced', 'wide')}
    together = records('--strictness', 'wide,balanced,strict', *style)
    for row, strict, balanced, wide in zip(together, alone['strict'], alone['balanced'], alone['wide']):
        expect(row['url'], (row['text'], row['text_strict'], row['text_wide']), (balanced['text'], strict['text'], wide['text']))
        expect('all else is of balanced', {k: v for k, v in row.items() if k not in ('classifier', 'text_strict', 'text_wide')},
               {k: v for k, v in balanced.items() if k != 'classifier'})
    expect_true('they differ', any(row['text'] != row['text_wide'] for row in together) and any(row['text'] != row['text_strict'] for row in together))
pair = records('--strictness', 'wide,strict')
expect('without balanced the first is the text', [row['text'] for row in pair], [row['text'] for row in records('--strictness', 'wide')])
expect_true('and only the other has a field', all('text_strict' in row and 'text_wide' not in row for row in pair))
expect('other classifiers have one text', [key for row in records('-k', 'num-words', '--strictness', 'strict,wide') for key in row if key.startswith('text_')], [])
