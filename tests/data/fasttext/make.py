"""Trains the models of this folder with Debian's `fasttext` 0.9.2, and writes its answers to answers.tsv: model, text, label, probability.

usage: make.py       in this folder
"""
import os
import random
import subprocess

WORDS = {
    'en': 'the people of this town are born free and live in old houses by the sea',
    'de': 'die Leute dieser Stadt sind frei geboren und leben in alten Häusern an der See',
    'fr': 'les gens de cette ville sont nés libres et vivent dans les vieilles maisons près de la mer',
    'ru': 'люди этого города родились свободными и живут в старых домах у моря',
}
MODELS = {
    'tree.bin': ['-loss', 'hs', '-minn', 2, '-maxn', 3, '-wordNgrams', 2, '-bucket', 60],
    'softmax.bin': ['-loss', 'softmax', '-minn', 0, '-maxn', 0],
    'negatives.bin': ['-loss', 'ns', '-minn', 1, '-maxn', 2, '-bucket', 40],
    'all.bin': ['-loss', 'ova', '-minn', 3, '-maxn', 3, '-wordNgrams', 3, '-bucket', 50],
    'tree.ftz': ['-loss', 'hs', '-minn', 2, '-maxn', 4, '-bucket', 280],
    'pruned.ftz': ['-loss', 'softmax', '-minn', 2, '-maxn', 3, '-wordNgrams', 2, '-bucket', 400],
}
QUANTISE = {'tree.ftz': ['-dsub', 3], 'pruned.ftz': ['-qnorm', '-cutoff', 256]}
chance = random.Random(3)


def fasttext(*args):
    return subprocess.run(['fasttext', *map(str, args)], check=True, capture_output=True).stdout.decode()


with open('train', 'w', encoding='utf-8') as file:
    for _ in range(40):
        for label, text in WORDS.items():
            print('__label__' + label, *chance.choices(text.split(), k=8), file=file)
every = ' '.join(WORDS.values()).split()
texts = ['', 'the', 'Häuser', 'города', 'unknown words alone', '__label__de alte Leute', '__label__xx alte Leute', 'tab\tand\vform\ffeed', 'x',
         *(' '.join(chance.choices(every, k=chance.randint(1, 12))) for _ in range(16))]
with open('asked', 'w', encoding='utf-8') as file:
    print(*texts, sep='\n', file=file)
with open('answers.tsv', 'w', encoding='utf-8') as out:
    for model, options in MODELS.items():
        name, suffix = model.split('.')
        fasttext('supervised', '-input', 'train', '-output', name, '-dim', 4, '-epoch', 15, '-lr', 1.0, '-thread', 1, '-seed', 7, '-verbose', 0, *options)
        if model in QUANTISE:
            fasttext('quantize', '-input', 'train', '-output', name, '-thread', 1, *QUANTISE[model])
        os.unlink(name + '.vec')
        if suffix == 'ftz' and name + '.bin' not in MODELS:
            os.unlink(name + '.bin')
        if model in QUANTISE and name + '.bin' in MODELS:  # trained again for the quantised model
            fasttext('supervised', '-input', 'train', '-output', name, '-dim', 4, '-epoch', 15, '-lr', 1.0, '-thread', 1, '-seed', 7, '-verbose', 0, *MODELS[name + '.bin'])
            os.unlink(name + '.vec')
        for text, answer in zip(texts, fasttext('predict-prob', model, 'asked').splitlines()):
            label, probability = answer.split() if answer.strip() else ('', '0')
            escaped = text.replace('\t', '\\t').replace('\v', '\\v').replace('\f', '\\f')
            print(model, escaped, label[len('__label__'):], probability, sep='\t', file=out)
os.unlink('train')
os.unlink('asked')
