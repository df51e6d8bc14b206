"""Manual pages without warnings of man, and completions that shells accept, for every command and every option."""
import json
import os
import re
import shutil
import subprocess
import tempfile

from case import PROGRAM, expect, expect_true, thresher

commands = re.findall(r'^  thresher (\w+) ', thresher('--help').stdout.decode(), re.M)
expect_true('commands are listed', {'run', 'serve', 'manual', 'completion'} <= set(commands))


def options_of(command, level):
    return re.findall(r'^\s+(?:-\w, )?--([\w.-]+)', thresher(command, level).stdout.decode(), re.M)


options = options_of('run', '--help-all')
for command in commands:
    if '--help-all' in thresher(command, '--help').stdout.decode():
        common, every = options_of(command, '--help'), options_of(command, '--help-all')
        expect_true('%s: --help lists at most 25 options and those that every command has' % command, len(common) <= 25 + 4, common)
        expect('%s: --help-all lists them too' % command, set(common) - set(every), set())

for page in ['thresher', 'thresher.conf', 'thresher-record'] + commands:
    text = thresher('manual', page).stdout
    expect_true('%s has its sections' % page, text.startswith(b'.TH') and b'.SH NAME' in text and b'.SH SYNOPSIS' in text)
    if shutil.which('groff'):
        told = subprocess.run(['groff', '-man', '-ww', '-Tutf8', '-z'], input=text, capture_output=True)
        expect('%s is read without a complaint' % page, told.stderr.decode(), '')


expect_true('defaults are shown', thresher('manual', 'run').stdout.count(b'\nDefault: ') >= 20)


def shown_page(page):
    """Returns the plain text that man shows."""
    shown = subprocess.run(['groff', '-man', '-Tutf8', '-P-c', '-P-b', '-P-u'], input=thresher('manual', page).stdout, capture_output=True).stdout.decode()
    return re.sub(r'.\x08', '', shown)


def fields_of_record():
    """Every path of the table of a record's fields, src/write/record_fields.c."""
    with open(os.path.join(os.path.dirname(__file__), '../../src/write/record_fields.c')) as table:
        return ['.'.join(re.findall(r'"([^"]*)"', name)) for name in re.findall(r'^    { (?:TOP|IN|IN_2)\(([^)]*)\),', table.read(), re.M)]


if shutil.which('groff'):
    shown = shown_page('thresher-record')
    fields = fields_of_record()
    expect_true('the list of fields is read', len(fields) > 150)
    expect('fields that thresher-record(5) lacks', [field for field in fields if not re.search(r'(?<![\w.])%s(?![\w.])' % re.escape(field), shown)], [])
    expect('marks of Markdown that it shows', re.findall(r'\*\*(?!/)|\]\(|^\s*\|.*|```', shown, re.M), [])
    expect_true('typed text is shown unchanged', 'https://oldbooks.example/*' in shown and "'# excluded'" in shown and r'"caf\\xe9"' in shown)
    shown = shown_page('run')
    for option in options:
        expect_true('manual of run: --%s' % option, '--%s' % option in shown)
    expect('lines of the synopsis', re.findall(r'^SYNOPSIS\n((?: +thresher .*\n)+)', shown_page('sites'), re.M),
           ['       thresher sites %s\n' * 3 % ('build INPUT... --output FILE [options]', 'merge FILE... --output FILE [options]', 'show FILE [SITE] [--json]')])
    expect_true('the description of inputs has its own paragraph', '\n\n       INPUT: WARC' in shown and 's3://BUCKET/KEY' in shown)
    expect('words that are parted', re.findall(r'\w+[\u2010\xad]$', ''.join(shown_page(page) for page in [*commands, 'thresher', 'thresher.conf', 'thresher-record']), re.M), [])
    expect_true('nothing of the markup is shown', '\\f' not in shown and '.TP' not in shown)

LAB = os.path.join(os.path.dirname(PROGRAM), 'thresher-lab')
for page in ['thresher-lab', 'train', 'reproduce'] if os.path.exists(LAB) else []:
    made = subprocess.run([LAB, 'manual', page], capture_output=True)
    expect('thresher-lab manual %s' % page, (made.returncode, made.stderr), (0, b''))
    expect_true('%s names thresher-lab' % page, made.stdout.startswith(b'.TH "THRESHER-LAB') and b'thresher\\-lab' in made.stdout.partition(b'.SH SYNOPSIS')[2])

wrong = thresher('manual', 'nonsense')
expect('an unknown page', (wrong.returncode, wrong.stdout), (2, b''))
expect_true('says the known ones', b'thresher.conf, thresher-record, run' in wrong.stderr)
wrong = thresher('completion', 'tcsh')
expect('an unknown shell', (wrong.returncode, wrong.stdout), (2, b''))

ASK = r'''
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _thresher; printf '%s\n' "${COMPREPLY[@]}"
'''
with tempfile.TemporaryDirectory() as folder:
    def ask(*words):
        return subprocess.run(['bash', '-c', ASK, 'bash', os.path.join(folder, 'bash'), 'thresher', *words], capture_output=True,
                              check=True).stdout.decode().split()

    for shell in ('bash', 'zsh', 'fish'):
        with open(os.path.join(folder, shell), 'wb') as file:
            file.write(thresher('completion', shell).stdout)
        if shutil.which(shell):
            check = [shell, '--no-execute' if shell == 'fish' else '-n', os.path.join(folder, shell)]
            told = subprocess.run(check, capture_output=True)
            expect('%s accepts it' % shell, (told.returncode, told.stderr), (0, b''))
    expect('bash: commands', set(ask('')) - {'--help', '--version'}, set(commands))
    expect('bash: options of run', set(ask('run', '--')), {'--' + option for option in options})
    expect('bash: names of an option', ask('run', '--classifier', 'num'), ['num-words'])
    expect('bash: names after a letter', ask('run', '-f', 'w'), ['warc', 'wet'])
    expect('bash: names after =', (ask('run', '--classifier', '=', 'num'), 'num-words' in ask('run', '--classifier', '=')), (['num-words'], True))
    expect('bash: presets', ask('run', '-m', 'datas'), ['datasketch1', 'datasketch2'])
    expect('bash: types of pages', ask('run', '--filter.page-type', 'article,for'), ['article,forum'])
    with open(os.path.join(folder, 'zsh')) as file:
        written = file.read()
    for option in ('{-k+,--classifier=}', '--text-format=[', '--rank=['):
        expect_true('zsh: %s' % option, option in written)
    expect('zsh: options without a text', re.findall(r'(--[\w.-]+=?)-?\[\]', written), [])
    expect('zsh: files for a number', re.findall(r':(?:N|MS|BYTES):_files', written), [])
    expect('bash: a list', ask('run', '--emit', 'links,se'), ['links,segments'])
    expect('bash: words in first position', ask('dedup', ''), ['partition', 'pairs', 'components'])
    expect('bash: or a file', ask('dedup', os.path.join(folder, 'z')), [os.path.join(folder, 'zsh')])
    expect('bash: every kind of eval', set(ask('eval', '')), set(re.findall(r'^  (\w+) +[A-Z]+[.A-Z ]*\.\.\.', thresher('eval', '--help').stdout.decode(), re.M)))
    expect('bash: every page of the manual', set(ask('manual', '')), {'thresher.conf', 'thresher-record', *commands})
    if shutil.which('fish'):
        listed = subprocess.run(['fish', '-c', 'source %s; complete -C "thresher run --emit links,se"' % os.path.join(folder, 'fish')], capture_output=True)
        expect_true('fish: a list', listed.stdout.startswith(b'links,segments'), listed.stdout)
        listed = subprocess.run(['fish', '-c', 'source %s; complete -C "thresher run --rank "' % os.path.join(folder, 'fish')], capture_output=True, cwd=folder)
        expect('fish: no file for a number', listed.stdout, b'')
        offered = subprocess.run(['fish', '-c', 'source %s; complete -C "thresher sites "' % os.path.join(folder, 'fish')], capture_output=True, cwd='/proc/self/task')
        expect_true('fish: words in first position', {b'build', b'merge', b'show'} <= set(offered.stdout.split()), offered.stdout)
    expect('bash: files', ask('inspect', os.path.join(folder, 'z')), [os.path.join(folder, 'zsh')])

version = json.loads(thresher('version', '--json').stdout)
expect('--version says the same', thresher('--version').stdout.decode(), 'thresher %s\n' % version['version'])
expect_true('libraries have versions', all(re.fullmatch(r'V?\d+(\.\d+)+( - \d+)?', said) for said in version['libraries'].values()))
expect('a part that is built has its library', version['parts']['kafka'], 'librdkafka' in version['libraries'])
expect('a part with a library: WACZ', version['parts']['wacz'], 'libzip' in version['libraries'])
expect('an unknown argument', thresher('version', 'x').returncode, 2)
