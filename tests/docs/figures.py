"""
Figures of the documents equal what the command next to them prints.

usage: figures.py LAB ROOT [CORPORA]      exit 77 without the corpora
       figures.py LAB ROOT --small        a table of the small corpus of tests/data, right and wrong

A table of a document that this test checks has a comment above it, in the form of tests/docs/figures_small.md:

    <!-- figures: eval segmentation -k num-words $C/segmentation/landmarks ; field segment ; row segmenter profile ; 3 adjusted_rand 4 nmi -->

The words before the first `;` are the command of thresher-lab, with --json. `row` names the members that are the first cells of a row, and then each pair is the number of
a cell of the table and a member of the report's row. `corpus NAME` takes the corpus, if there are several. `only NAME` compares one row, by its first cell, with the
complete report; a member is then a path or a quotient: mixture.r2, sparse_tokens/tokens. A table can have several comments. A cell matches if the value, rounded to the
cell's decimals, is equal. Cells without a number, and rows that the report lacks, are failures.
"""
import json
import os
import re
import shlex
import subprocess
import sys

TABLE = re.compile(r'((?:<!-- figures: [^>]*-->\n)+)\n?((?:\|.*\n)+)')
COMMENT = re.compile(r'<!-- figures: (.*?) -->', re.S)


def checks_of(text):
    """(command, options, rows) of each table with a comment."""
    for words, table in ((words, table) for comments, table in TABLE.findall(text) for words in COMMENT.findall(comments)):
        command, *parts = [part.strip() for part in ' '.join(words.split()).split(';')]
        options = {'corpus': '', 'field': 'segment', 'only': '', 'row': [], 'cells': []}
        for part in parts:
            name, *values = part.split()
            if name in ('corpus', 'field', 'only'):
                options[name] = values[0]
            elif name == 'row':
                options['row'] = values
            else:
                pairs = part.split()
                options['cells'] += list(zip(map(int, pairs[::2]), pairs[1::2]))
        rows = [[cell.strip().strip('*') for cell in line.strip().strip('|').split('|')] for line in table.splitlines()[2:]]
        yield command, options, rows


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


def methods_of(report, options):
    for corpus in report['corpora']:
        if not options['corpus'] or corpus['corpus'] == options['corpus']:
            return next(field['methods'] for field in corpus['fields'] if field['field'] == options['field'])
    return []


def check(name, text, lab, corpora, reports):
    """@return failures, and the number of cells that were compared"""
    failures, compared = [], 0
    for command, options, rows in checks_of(text):
        key = command.replace('$C', corpora)
        if key not in reports:
            words = [lab, *shlex.split(key), '-q', '--json', *(['--resamples', '0'] if 'segmentation' in key.split()[1:2] else [])]
            reports[key] = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)
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
        folder = os.path.join(root, 'docs', 'measurements')
        for name in sorted(os.listdir(folder)):
            if name.endswith('.md'):
                with open(os.path.join(folder, name)) as f:
                    more, count = check(name, f.read(), lab, corpora, reports)
                failures += more
                compared += count
        if not compared:
            failures.append('no table has a comment')
    print('\n'.join(failures) or '%d figures are what the commands print' % compared)
    sys.exit(bool(failures))


if __name__ == '__main__':
    main()
