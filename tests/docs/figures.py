"""
Figures of the documents equal what the command next to them prints.

usage: figures.py LAB ROOT [CORPORA [FOLDS]]      exit 77 without the corpora
       figures.py LAB ROOT --small        a table of the small corpus of tests/data, right and wrong

A table of a document that this test checks has a comment above it, in the form of tests/docs/figures_small.md:

    <!-- figures: eval segmentation -k num-words $C/segmentation/landmarks ; field segment ; row segmenter profile ; 3 adjusted_rand 4 nmi -->

The words before the first `;` are the command of thresher-lab, with --json. `row` names the members that are the first cells of a row, and then each pair is the number of
a cell of the table and a member of the report's row. `corpus NAME` takes the corpus, if there are several. `only NAME` compares one row, by its first cell, with the
complete report; a member is then a path or a quotient: mixture.r2, sparse_tokens/tokens. A table can have several comments. A cell matches if the value, rounded to the
cell's decimals, is equal. Cells without a number, and rows that the report lacks, are failures.
After `eval extraction`, a row is a classifier, and a member is words F1 of a corpus (wcxb-dev), of its pages of a type (wcxb-dev/forum), or the `mean` of the corpora. For
recipes, recipes/ingredients is the share of lines that are kept, recipes/ingredients/lost the share of pages that lose them, and recipes/words the number of words for each
required word. The table can have other rows. `line N` takes the N-th row instead, for the first classifier. $FOLDS is the folder of train.py's models of folds. Its tables are left out without it.
After `reproduce KEYS`, each row of the table must be a row of the report of these experiments.
"""
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

TABLE = re.compile(r'((?:<!-- figures: [^>]*-->\n)+)\n?((?:\|.*\n)+)')
COMMENT = re.compile(r'<!-- figures: (.*?) -->', re.S)


def checks_of(text):
    """(command, options, rows) of each table with a comment."""
    for words, table in ((words, table) for comments, table in TABLE.findall(text) for words in COMMENT.findall(comments)):
        command, *parts = [part.strip() for part in ' '.join(words.split()).split(';')]
        options = {'corpus': '', 'field': 'segment', 'only': '', 'line': '', 'row': [], 'cells': []}
        for part in parts:
            name, *values = part.split()
            if name in ('corpus', 'field', 'only', 'line'):
                options[name] = values[0]
            elif name == 'row':
                options['row'] = values
            else:
                pairs = part.split()
                options['cells'] += list(zip(map(int, pairs[::2]), pairs[1::2]))
        rows = [cells_of(line) for line in table.splitlines()[2:]]
        yield command, options, rows


def cells_of(line):
    return [cell.strip().strip('*') for cell in line.strip().strip('|').split('|')]


def same(cell, value):
    """Whether a cell prints the value."""
    found = re.fullmatch(r'(-?\d*\.?\d+)(%?)', cell)
    if not found:
        return False
    decimals = len(found[1].partition('.')[2])
    return abs(float(found[1]) - round(value * (100 if found[2] else 1) + 1e-12, decimals)) < .51 * 10 ** -(decimals + 3) or \
        abs(float(found[1]) - value * (100 if found[2] else 1)) <= .5 * 10 ** -decimals + 1e-9


def value_of(report, member):
    if '/' in member:
        return value_of(report, member.split('/')[0]) / value_of(report, member.split('/')[1])
    for name in member.split('.'):
        report = report[name]
    return report


def extraction_rows(report):
    """Words F1 by classifier: {classifier: {corpus: F1, corpus/type: F1, mean: F1}}."""
    rows = {}
    for corpus in report['corpora']:
        for method in corpus['methods']:
            row = rows.setdefault(method.get('classifier'), {})  # None: the output of another extractor
            row[corpus['corpus']] = method.get('words', method.get('snippets'))['f1']
            row.update(('%s/%s' % (corpus['corpus'], part['page_type']), part['f1']) for part in method.get('page_types', []))
            for part in method.get('required', {}).get('kinds', []):
                row['%s/%s' % (corpus['corpus'], part['kind'])] = part['kept']
                row['%s/%s/lost' % (corpus['corpus'], part['kind'])] = part['lost']
                row['%s/words' % corpus['corpus']] = method['required']['words_per_required']
    for row in rows.values():
        values = [value for name, value in row.items() if '/' not in name]
        row['mean'] = sum(values) / len(values)
    return rows


def check_extraction(report, options, rows):
    """(cell, value) of each cell of a table that the report has."""
    found = extraction_rows(report)
    if options['line']:
        row = rows[int(options['line']) - 1]
        return [(row[number], next(iter(found.values()))[member]) for number, member in options['cells']]
    return [(row[number], found[row[0]][member]) for row in rows if row[0] in found for number, member in options['cells']]


def methods_of(report, options):
    for corpus in report['corpora']:
        if not options['corpus'] or corpus['corpus'] == options['corpus']:
            return next(field['methods'] for field in corpus['fields'] if field['field'] == options['field'])
    return []


def reproduced(lab, corpora, keys):
    """Rows of the tables of experiments, as lists of cells."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([lab, 'reproduce', '--corpora', corpora, '-O', folder, '--only', keys], check=True, stderr=subprocess.DEVNULL)
        with open(glob.glob(os.path.join(folder, '*.md'))[0]) as f:
            return [cells_of(line) for line in f if line.startswith('|')]


def check(name, text, lab, corpora, reports, folds=''):
    """@return failures, and the number of cells that were compared"""
    failures, compared = [], 0
    for command, options, rows in checks_of(text):
        if '$FOLDS' in command and not folds:
            continue
        key = command.replace('$C', corpora).replace('$FOLDS', folds)
        if key.startswith('reproduce '):
            found = reproduced(lab, corpora, key.split()[1])
            failures += ['%s: the report of %s has no row %s' % (name, key.split()[1], row) for row in rows if row not in found]
            compared += sum(map(len, rows))
            continue
        if key not in reports:
            words = [lab, *shlex.split(key), '-q', '--json', *([] if 'density' in key.split()[1:2] else ['--resamples', '0'])]
            reports[key] = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)
        if key.startswith('eval extraction '):
            pairs = check_extraction(reports[key], options, rows)
            compared += len(pairs)
            failures += ['%s: the document has %s, `%s` prints %s' % (name, cell, command, value) for cell, value in pairs if not same(cell, value)]
            continue
        if options['only']:
            rows = [row for row in rows if row[0].split(' ')[0] == options['only']]
            failures += [] if rows else ['%s: no row %s' % (name, options['only'])]
        found = {tuple(str(method.get(member, '-')) for member in options['row']): method for method in ([] if options['only'] else methods_of(reports[key], options))}
        for row in rows:
            method = found.get(tuple(re.sub(r' \(.*\)', '', cell) for cell in row[:len(options['row'])]))
            for number, member in options['cells']:
                compared += 1
                value = value_of(reports[key], member) if options['only'] else method and method[member]
                if value is None or not same(row[number], value):
                    failures.append('%s: row %s: the document has %s, the command prints %s' % (name, ' '.join(row[:2]), row[number], value))
    return failures, compared


def small(lab, root):
    """The right table passes, and a table with one wrong digit, or a row of no method, fails."""
    with open(os.path.join(root, 'tests', 'docs', 'figures_small.md')) as f:
        text = f.read()
    corpora = os.path.join(root, 'tests', 'data', 'eval')
    failures, compared = check('figures_small.md', text, lab, corpora, {})
    if compared < 4:
        failures.append('only %d cells were compared' % compared)
    for wrong in (text.replace('.362', '.363'), text.replace('| bf-plain', '| bf-plane')):
        if not check('', wrong, lab, corpora, {})[0]:
            failures.append('a wrong table passes')
    return failures, compared


def main():
    lab, root, *rest = sys.argv[1:]
    if rest == ['--small']:
        failures, compared = small(lab, root)
    else:
        corpora = rest[0] if rest else os.environ.get('CORPORA', '')
        if not os.path.isdir(corpora):
            print('skipped: no corpora')
            sys.exit(77)
        failures, compared, reports = [], 0, {}
        folds = rest[1] if rest[1:] else ''
        for path in [os.path.join(root, 'README.md'), *sorted(glob.glob(os.path.join(root, 'docs', 'measurements', '*.md')))]:
            with open(path) as f:
                more, count = check(os.path.basename(path), f.read(), lab, corpora, reports, folds)
            failures += more
            compared += count
        if not compared:
            failures.append('no table has a comment')
    print('\n'.join(failures) or '%d figures are what the commands print' % compared)
    sys.exit(bool(failures))


if __name__ == '__main__':
    main()
