#!/usr/bin/env python3
"""Mutation testing: changes one line of a source file, runs the tests of its folder, and prints the changes that no test caught.

usage: mutate.py BUILD [-n N] [--seed N] [--jobs N] [--sanitized BUILD] [--results FILE] [--survivors FILE] [--also REGEX] [--only FILE:LINE] [--control] [FOLDER...]
  BUILD     a build folder (Ninja) whose programs and tests are built. Without sanitizers it takes a third of the time; with sanitizers it catches more
  --sanitized  a build folder with sanitizers. Survivors run there too, with the tests that call the changed function. tests/run.sh also runs them with sanitizers
  FOLDER    folders below src, for example src/kafka; default: all of src
  -n        mutants that compile and change the program, 200 by default
  --seed    of the random choice, 1 by default: the same seed and sources give the same mutants
  --jobs    mutants at a time, 2 by default
  --results keeps each result in FILE. Started again with the same FILE, a run continues there
  --survivors runs the survivors of another run's FILE again, for example with new tests, or in a build with sanitizers
  --also    CTest names of more tests that run for every mutant
  --only    only mutants of this line, all of them
  --control one unchanged file of each folder instead of mutants: all must survive, else a test fails with every mutant
  --without folders below src that are left out, for example src/spool

Example: chrt -i 0 tests/mutate.py build-release --sanitized build-asan -n 200 --seed 7 --results /tmp/7
         tests/mutate.py build-asan -n 200 --seed 7 src/kafka src/warc

A mutant is one token, condition, or statement of one line. A line is drawn first, then one of its mutants, so that long folders get more mutants. Mutants that do
not compile, and mutants that give the same machine code as before (at -O2), are drawn again. The others can still be equivalent: for example, a size hint or a
timeout. A person judges each survivor.

The tests of src/A/B/c.c are, in this order: unit.A.B.c, the other tests of unit.A.B and unit.A, the unit tests called c, the rows of TESTS for A, and the tests of ANY. The first failure ends them.
Nothing in the source folder or in the build folder is changed: the mutated object is linked first, so that the linker leaves the original object in its library.
Only tests run whose programs contain the changed file.
A mark at the start of the changed function shows which tests call it. The list of survivors marks a mutant that no test calls.
A test fails if its exit code is not 0, or if it uses ten times its processor time and 10 s more, or if it takes 20 times as long and 60 s more. After a failure for
lack of time the unchanged test must pass in the same time, else the machine was busy, and the result does not count.
A mutant can do anything that the program can do, for example delete files. Use a container or a machine that may break.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Goldens that work on pages.
PAGES = r'golden\.(text_pages|mixed_pages|run_(two_pages|d|fineweb|opensearch|filtered)|inspect_(json|page)|minhash_numbers|option_by_key|segmenter_model$)|run\.(many_posts|text)$'
# Goldens that work on archives, records and sites.
INPUTS = r'golden\.mixed_inputs$'
# Tests of every folder.
ANY = r'run\.failing\.'
# More tests of a folder of src than unit.FOLDER.*: regular expressions for CTest's names.
TESTS = {
    'base': INPUTS + r'|golden\.(eval_|option_ranges)|' + PAGES + r'|run\.(cdxj|dedup|names|robots|xhtml)$|fuzz\.(metadata|record_line|listing_page|write)'
           r'|run\.(manifest|compare|seekable|set_aside)$|unit\.dedup\.key_sort$',
    'app': r'golden\.|run\.(words|outputs|same_file|streams|folders|resume|shards|names|text|text_fetch|dedup|dedup_stages|dedup_parquet|parquet|parquet_values|graph|sites|cdxj|remote)$'
           r'|run\.isolation\.serve$|run\.serve\.|run\.(robots|statuses|validate|manual|progress|projections|wacz)$'
           r'|run\.(manifest|set_aside|compare|redact|rendered|dedup_inputs|seekable|upgrade)$|run\.remote\.(dedup|hits)$|fuzz\.(manifest_set|record_diff|accept)|conform\.croissant$',
    'cdxj': INPUTS + r'|' + r'run\.cdxj$|golden\.(records|run_d|mixed_pages)',
    'content': PAGES + r'|golden\.page_|unit\.select\.|fuzz\.(content_model|features|thread)|run\.projections$',
    'daemon': r'run\.serve\.(kill|term|reload)$|run\.extract\.(answers|refusals|connections|limits|reload|shutdown)$'
           r'|run\.extract\.(concurrency|spool)$|run\.serve_stuck$|kafka\.(pairs|output|spool)$',
    'dedup': INPUTS + r'|' + r'run\.(dedup|dedup_stages|dedup_parquet)$|golden\.(dedup|usage_(dedup|packed|unknown_suffix))|fuzz\.(dedup_file|record_line|pairing|shard_name)'
           r'|run\.(dedup_inputs|seekable|upgrade|remote\.dedup|remote\.hits)$|conform\.dedup_inputs$|fuzz\.(record_input|record_diff|seekable)',
    'eval': r'run\.eval_|golden\.(usage_)?eval',
    'graph': INPUTS + r'|' + r'run\.graph$|golden\.graph|fuzz\.graph|conform\.graph',
    'index': INPUTS + r'|' + r'run\.index\.(answers|epochs|lost|refused|resume)$|fuzz\.index'
           r'|run\.index\.(full|serve)$',
    'ingest': INPUTS + r'|' + r'run\.(wacz|names|streams|folders|damage|resume|remote)$|golden\.(missing|not_an|records|run_(damaged|bad))|fuzz\.(pointer|list_lines)'
           r'|run\.(rendered|rendered_remote|same_file|text|set_aside)$',
    'inspect': INPUTS + r'|' + r'run\.(remote|text|text_fetch)$|golden\.inspect|fuzz\.inspect',
    'isolate': r'run\.isolation\.(refused|same|faults|killed|serve)$|fuzz\.result_message',
    'kafka': r'fuzz\.kafka_message|kafka\.(bands|pairs|term|spool|messages|output)$',
    'lab': r'golden\.(eval_|train|usage_eval|segmenter_model)|run\.eval_|conform\.(lab|segment)|quality\.training$',
    'language': PAGES + r'|golden\.language|run\.(fasttext|fasttext_labels|crawl_languages)$|fuzz\.(language|fasttext)',
    'log': r'run\.serve\.term$',
    'methods': PAGES + r'|golden\.usage|unit\.settings\.',
    'page': r'unit\.(parse|segment|select|content|write)\.|' + PAGES,
    'parquet': INPUTS + r'|' + r'run\.(parquet|parquet_values|dedup_parquet)$',
    'parse': PAGES + r'|conform\.html_tokenizer$|unit\.(write\.markdown|content\.thread)$|fuzz\.(parse|charset|html|http|metadata|page_builder|tag_scan)|run\.(xhtml|samples)$'
           r'|run\.pathological\.(depth_300|.*nul_|.*utf|late_meta|references|colspan|.*formatting|cdata|latin1|.*unclosed|json_ld|streamed|nested|definition|attribute_flood|body_and).*|conform\.structured$|fuzz\.structured',
    'pipeline': INPUTS + r'|' + PAGES + r'|golden\.(filter|page_)|run\.(robots|statuses|text_fetch|pathological\.(gzip|six|five|chunk|blank|binary|http|revisit).*|extract\.(answers|refusals))$'
           r'|run\.(set_aside|redact|rendered)$|run\.pathological\.(uri|header|head|raw|zlib|brotli|invalid|latin1|time_limit).*',
    'redact': r'run\.redact$|golden\.mixed_pages$|fuzz\.redact',
    'remote': r'run\.(remote|text_fetch|remote\.tls)$|unit\.kafka\.remote_archives$|fuzz\.(listing_page|credential_text)'
           r'|run\.remote\.(dedup|hits|random_server)$|run\.rendered_remote$',
    'robots': INPUTS + r'|' + r'run\.robots$|golden\.(usage_)?robots|fuzz\.robots|conform\.robots$',
    'segment': PAGES + r'|fuzz\.segment|conform\.segment|run\.samples$'
           r'|golden\.(eval_segmentation|eval_density|segmenter_model$|train_)',
    'select': INPUTS + r'|' + PAGES + r'|golden\.page_|run\.(samples|strictness)$',
    'settings': r'golden\.(config|usage|.*_help|option)|docs\.registry$|run\.outputs$',
    'signals': r'run\.signals$|golden\.(run_two_pages_signals|mixed_pages$)|fuzz\.signals',
    'site': INPUTS + r'|' + r'run\.(sites|sites_memory\.run)$|golden\.sites|fuzz\.site',
    'sketch': INPUTS + r'|' + r'golden\.(run_two_pages|minhash|mixed_pages)|fuzz\.sketch|conform\.(sketch|minhash)',
    'spool': r'run\.spool\.',
    'traffic': INPUTS + r'|' + r'run\.(same_bytes|resume|signals|sites|sites_memory\.serve|many_posts)$|run\.serve\.term$|run\.index\.answers$|run\.extract\.(answers|limits|reload)$|golden\.run_'
           r'|run\.serve_stuck$|run\.index\.(serve|full)$',
    'warc': INPUTS + r'|' + r'run\.(damage|cdxj|validate|warc_random|names)$|golden\.(records|run_damaged)|fuzz\.(warc_reader|pointer)|conform\.warc$|run\.pathological\.[a-z_]*(member|length|zstd|version|extra|borders|lf)'
           r'|conform\.warc\..*|run\.(rendered|set_aside)$',
    'write': INPUTS + r'|' + PAGES + r'|docs\.schema$|run\.(projections|words|many_posts|parquet|shards|xhtml)$|fuzz\.(write|markdown)|golden\.run_'
           r'|run\.(redact|manifest)$|conform\.structured$',
}
CONDITION = re.compile(r'\b(if|while)\s*\(')
STATEMENT = re.compile(r'^\s+(\(void\)\s*)?[A-Za-z_][\w.>\-\[\]]*(\(|\s*([-+|&^*/]|<<|>>)?=[^=]|(\+\+|--))')
KEYWORDS = re.compile(r'^\s*(return|else|case|default|break|continue|goto|if|for|while|do|switch|typedef|static|const|struct|enum|union|extern)\b')
DECLARATION = re.compile(r'^\s*(const\s+)?[A-Za-z_]\w*(\s+\w+)*\s+\**\w+(\[[^]]*\])*\s*(=|;|,)')
SWAPS = (('<=', '<'), ('>=', '>'), ('==', '!='), ('!=', '=='), ('&&', '||'), ('||', '&&'), ('++', '--'), ('--', '++'), ('+=', '-='), ('-=', '+='), ('|=', '&='), ('&=', '|='),
         ('<<', '>>'), ('>>', '<<'))
WORDS = {'true': 'false', 'false': 'true', 'break': 'continue', 'continue': 'break'}
# Maps the file before main, because a worker process may not open files.
MARK = '''extern int mutant_open(const char *, int, ...) __asm__("open");
extern int mutant_close(int) __asm__("close");
extern void *mutant_mmap(void *, unsigned long, int, int, int, long) __asm__("mmap");
static volatile char *mutant_mark;
__attribute__((constructor)) static void mutant_map(void)
{
    const int file = mutant_open("%s", 2);
    void *at = file < 0 ? (void *)-1 : mutant_mmap((void *)0, 1, 3, 1, file, 0);
    mutant_mark = at == (void *)-1 ? (void *)0 : at;
    if (file >= 0)
        mutant_close(file); /* a test can start the program without stdout */
}
'''
Mutant = collections.namedtuple('Mutant', 'path line what before after')


# ---------------------------------------------------------------- mutants of a line

def blank(text):
    """The text with comments, strings and characters blanked, at the same places."""
    def spaces(match):
        return re.sub(r'[^\n]', ' ', match.group())
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', spaces, text, flags=re.S)


def closing(code, at):
    """Where the parenthesis that opens at `at` closes; None if not on this line."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] == '(') - (code[i] == ')')
        if depth == 0:
            return i
    return None


def mutants_of(line, code, before):
    """Yields (what, new line). code is the line without comments and strings, before the last code line before it."""
    def cut(start, end, new):
        return line[:start] + new + line[end:]
    if not code.strip() or code.lstrip().startswith('#') or re.search(r'\bassert\b|\b(static_)?_?assert\(', code):
        return
    for match in CONDITION.finditer(code):
        end = closing(code, match.end() - 1)
        if end:
            yield 'condition negated', line[:match.end()] + '!(' + line[match.end():end] + ')' + line[end:]
    for match in re.finditer(r'<<=|>>=|->|\+\+|--|[<>=!+\-|&]=|&&|\|\||<<|>>|[<>+\-!&|]', code):
        token, start, end = match.group(), match.start(), match.end()
        binary = re.search(r'[\w)\]]\s*$', code[:start]) and not re.search(r'\b(return|case)\s*$', code[:start])
        for old, new in SWAPS:
            if token == old:
                yield '%s to %s' % (old, new), cut(start, end, new)
        if token == '<' and binary and '#include' not in line:
            yield '< to <=', cut(start, end, '<=')
        elif token == '>' and binary:
            yield '> to >=', cut(start, end, '>=')
        elif token in '+-' and len(token) == 1 and binary and code[end:end + 1] == ' ':
            yield '%s to %s' % (token, '-+'['-+'.index(token) - 1]), cut(start, end, '-+'['-+'.index(token) - 1])
        elif token == '!' and code[end:end + 1] != '=':
            yield '! dropped', cut(start, end, '')
        elif token in ('&', '|') and binary and code[end:end + 1] == ' ':
            yield '%s to %s' % (token, '|' if token == '&' else '&'), cut(start, end, '|' if token == '&' else '&')
    for match in re.finditer(r'\b(true|false|break|continue)\b', code):
        yield '%s to %s' % (match.group(), WORDS[match.group()]), cut(match.start(), match.end(), WORDS[match.group()])
    for match in re.finditer(r'(?<![\w.])(\d+)[uU]?[lL]{0,2}\b(?!\.)', code):
        yield 'number + 1', cut(match.start(1), match.end(1), str(int(match.group(1), 8 if re.match(r'0\d', match.group(1)) else 10) + 1))
    match = re.match(r'^(\s*return )([^;]+);', code)
    if match and match.group(2).strip() not in ('0', 'false', 'NULL', 'true', 'TH_OK'):
        yield 'returns 0', cut(match.start(2), match.end(2), '0')
    is_whole = code.rstrip().endswith(';') and code.count('(') == code.count(')') and re.search(r'([;{})]|\belse|:)\s*$', before)
    if is_whole and STATEMENT.match(code) and not KEYWORDS.match(code) and not DECLARATION.match(code):
        yield 'statement dropped', re.match(r'^\s*', line).group() + ';'


class Source:
    """A file of src and the mutants of each of its lines."""

    def __init__(self, path):
        self.path = path
        with open(os.path.join(ROOT, path), encoding='utf-8') as file:
            self.text = file.read()
        self.lines = self.text.split('\n')
        self.mutants = {}
        before = ';'
        for i, code in enumerate(blank(self.text).split('\n')):
            found = [Mutant(path, i + 1, what, self.lines[i].strip(), new.strip()) for what, new in mutants_of(self.lines[i], code, before) if new != self.lines[i]]
            if found:
                self.mutants[i + 1] = [(mutant, new) for mutant, new in zip(found, [new for _, new in mutants_of(self.lines[i], code, before) if new != self.lines[i]])]
            if code.strip() and not code.lstrip().startswith('#'):
                before = code

    def mutated(self, number, new):
        return '\n'.join(self.lines[:number - 1] + [new] + self.lines[number:])

    def marked(self, number, new, path):
        """The mutant with a mark at the start of the function. A call writes a byte into a file. None if the line is outside of functions."""
        start = next((i for i in range(number - 2, -1, -1) if self.lines[i][:1] in '{}' and self.lines[i][:1]), None)
        if start is None or self.lines[start] != '{':
            return None
        lines = self.lines[:number - 1] + [new] + self.lines[number:]
        lines[start] = '{ (void)(mutant_mark && (*mutant_mark = 1));'
        return MARK % path + '\n#line 1\n' + '\n'.join(lines)


# ---------------------------------------------------------------- the build

class Build:
    """Commands of a build folder, to compile and link outside of it."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        with open(os.path.join(folder, 'compile_commands.json'), encoding='utf-8') as file:
            rows = json.load(file)
        self.compile = {}
        for row in rows:
            path = os.path.relpath(os.path.join(row['directory'], row['file']), ROOT)
            self.compile.setdefault(path, row['command'].split(' -o ')[0])
        shown = subprocess.run(['ctest', '--test-dir', folder, '--show-only=json-v1'], capture_output=True, text=True, check=True).stdout
        self.tests = {test['name']: test for test in json.loads(shown)['tests'] if test.get('command')}
        self.links, self.times, self.names = {}, {}, {}
        self.has_sanitizer = any('-fsanitize' in command for command in self.compile.values())
        self.linker = next((' -fuse-ld=' + name for name in ('mold', 'gold') if shutil.which('ld.' + name)), '')

    def defined(self, path, kinds):
        """The functions and variables that an object or a program defines."""
        shown = subprocess.run(['nm', '--defined-only', '--format=posix', path], capture_output=True, text=True).stdout
        return {line.split()[0] for line in shown.splitlines() if line.split()[1] in kinds}

    def contains(self, program, thing):
        """Whether a program contains the file of an object."""
        if program not in self.names:
            self.names[program] = self.defined(program, 'TDBRVWtdbr')  # in a program hidden names are local
        return bool(self.names[program] & self.defined(thing, 'TDBRVW'))

    def compile_to(self, path, text, out, as_is=True):
        """Compiles a text in the place of a source file; as_is: with the sanitizers of the build, else plainly at -O2 to compare the code. Returns whether it compiles."""
        source = os.path.join(os.path.dirname(out), os.path.basename(path))
        with open(source, 'w', encoding='utf-8') as file:
            file.write(text)
        words = [word for word in self.compile[path].split() if not word.startswith(('-Werror', '-fmacro-prefix-map', '-ffile-prefix-map'))]
        if not as_is or not self.has_sanitizer:
            words = [word for word in words if not word.startswith(('-fsanitize', '-g', '-O', '-fno-sanitize'))] + ['-O2', '-g0', '-DNDEBUG']
        words += ['-w', '-iquote', os.path.join(ROOT, os.path.dirname(path)), '-frandom-seed=1']
        return subprocess.run(['env', 'CCACHE_DISABLE=1', *words, '-o', out, '-c', source], cwd=self.folder, capture_output=True).returncode == 0

    def link(self, program, thing, out):
        """Links a program of the build with one object in the place of the original. Returns whether it links."""
        name = os.path.relpath(program, self.folder)
        if name not in self.links:
            shown = subprocess.run(['ninja', '-C', self.folder, '-t', 'commands', '-s', name], capture_output=True, text=True).stdout
            self.links[name] = shown.strip().split('\n')[-1]
        command = re.sub(r' -o \S+', '%s -o %s %s' % (self.linker, out, thing), self.links[name], count=1)
        return subprocess.run(command, shell=True, cwd=self.folder, capture_output=True).returncode == 0

    def programs_of(self, test):
        return [word for word in dict.fromkeys(test['command']) if word.startswith(self.folder + os.sep) and os.access(word, os.X_OK) and os.path.isfile(word)]

    def names_for(self, path, also):
        """Names of the tests of a source file, those first that are likely to catch its mutants."""
        parts = os.path.splitext(path)[0].split(os.sep)[1:]
        own = 'unit.' + '.'.join(parts)
        near = [name for name in self.tests if name.startswith(('.'.join(own.split('.')[:-1]) + '.', 'unit.%s.' % parts[0] if len(parts) > 1 else 'unit.pipeline'))]
        near += [name for name in self.tests if name.startswith('unit.') and name.endswith('.' + parts[-1])]
        folder = parts[0] if len(parts) > 1 else ''
        more = [name for name in self.tests if re.match(ANY, name) or (folder in TESTS and re.match(TESTS[folder], name)) or (also and re.search(also, name))]

        def distance(name):
            return (name != own, -len(os.path.commonprefix((name, own))), name)
        return list(dict.fromkeys(sorted(near, key=distance) + sorted(more, key=lambda name: (self.times.get(name, (0, 1))[1], name))))

    def run(self, name, swaps, folder):
        """Runs a test with other programs instead of the built programs. Returns its exit code, or None if it took too long, and seconds of wall and processor."""
        test = self.tests[name]
        properties = {p['name']: p['value'] for p in test['properties']}
        command = [swaps.get(word, word) for word in test['command']]
        wall, cpu = self.times.get(name, (600, 600))
        limit = int(10 * cpu + 10)

        def confine():
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        start = time.time()
        environment = dict(os.environ, TMPDIR=folder, ASAN_OPTIONS='detect_leaks=1:detect_stack_use_after_return=1', UBSAN_OPTIONS='halt_on_error=1')
        process = subprocess.Popen(command, cwd=properties.get('WORKING_DIRECTORY', self.folder), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=confine, env=environment)
        pid, pause = 0, .002
        while not pid and time.time() < start + 20 * wall + 60:
            time.sleep(pause)
            pause = min(.1, 1.5 * pause)
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        try:
            os.killpg(process.pid, signal.SIGKILL)  # also what the test left behind
        except ProcessLookupError:
            pass
        code = os.waitstatus_to_exitcode(status) if pid else None
        if not pid:
            _, _, usage = os.wait4(process.pid, 0)
        process.returncode = code or 0  # it is waited for
        return code, time.time() - start, usage.ru_utime + usage.ru_stime

    def measure(self, name):
        """Runs the unchanged test once: whether it passes, and how long it takes."""
        with tempfile.TemporaryDirectory(prefix='mutate-') as folder:
            code, wall, cpu = self.run(name, {}, folder)
        self.times[name] = (wall, min(cpu, 2 * wall))
        return code == 0


# ---------------------------------------------------------------- one mutant

class Trial:
    def __init__(self, build, also, results):
        self.build, self.also, self.plain, self.results = build, also, {}, results
        self.usable, self.locks, self.lock = {}, {}, threading.Lock()
        for row in results.rows:
            if 'test' in row and row.get('build', build.folder) == build.folder:
                self.usable[row['test']], build.times[row['test']] = row['usable'], (row['wall'], row['cpu'])

    def is_usable(self, name):
        """Whether the test passes without a mutant; also measures it."""
        with self.lock:
            lock = self.locks.setdefault(name, threading.Lock())
        with lock:
            if name not in self.usable:
                self.usable[name] = self.build.measure(name)
                wall, cpu = self.build.times[name]
                self.results.add({'test': name, 'build': self.build.folder, 'usable': self.usable[name], 'wall': round(wall, 2), 'cpu': round(cpu, 2)})
                if not self.usable[name]:
                    print('not used, because it fails or is skipped without a mutant: %s' % name, file=sys.stderr)
        return self.usable[name]

    def plain_code(self, source):
        if source.path not in self.plain:
            with tempfile.TemporaryDirectory(prefix='mutate-') as folder:
                out = os.path.join(folder, 'plain.o')
                self.plain[source.path] = read(out) if self.build.compile_to(source.path, source.text, out, as_is=False) else None
        return self.plain[source.path]

    def changes(self, source, number, new):
        """Whether the mutant compiles and is other machine code."""
        with tempfile.TemporaryDirectory(prefix='mutate-') as folder:
            out = os.path.join(folder, 'plain.o')
            if not self.build.compile_to(source.path, source.mutated(number, new), out, as_is=False):
                return False
            return read(out) != self.plain_code(source)

    def catcher(self, source, number, new, only=None):
        """Returns the test that catches the mutant (None if it survives, '' if no test links with it), and the tests that called its function.

        only: names of tests that run instead of all.
        """
        with tempfile.TemporaryDirectory(prefix='mutate-') as folder:
            thing, mark, linked, ran, callers = os.path.join(folder, 'mutant.o'), os.path.join(folder, 'mark'), {}, False, []
            text = source.marked(number, new, mark)
            if not (text and self.build.compile_to(source.path, text, thing)):
                text = None
                if not self.build.compile_to(source.path, source.mutated(number, new), thing):
                    return '', []
            for name in self.build.names_for(source.path, self.also) if only is None else [name for name in only if name in self.build.tests]:
                if not self.is_usable(name):
                    continue
                swaps = {}
                for program in self.build.programs_of(self.build.tests[name]):
                    if program not in linked and not self.build.contains(program, thing):
                        linked[program] = None
                    if program not in linked:
                        out = os.path.join(folder, os.path.basename(program))
                        linked[program] = out if self.build.link(program, thing, out) else None
                    if linked[program]:
                        swaps[program] = linked[program]
                if not swaps:
                    continue  # its programs do not contain the file
                ran = True
                scratch = tempfile.mkdtemp(dir=folder)
                with open(mark, 'wb') as file:
                    file.write(b'\0')
                code = self.build.run(name, swaps, scratch)[0]
                if not text or read(mark) != b'\0':
                    callers.append(name)
                if code is None and self.build.run(name, {}, scratch)[0] != 0:
                    code = 0  # the machine is too busy for this test
                shutil.rmtree(scratch, ignore_errors=True)
                if code != 0:
                    return name if code is not None else name + ' (time)', callers
                for program in [program for program in swaps if os.path.basename(program).startswith('unit.')]:
                    os.unlink(linked.pop(program))  # used once
            return None if ran else '', callers


def judge(plain, sanitized, source, number, new):
    """Returns the catcher of a mutant, its catcher with sanitizers, and whether a test calls its function."""
    caught, callers = plain.catcher(source, number, new)
    if caught is not None or not sanitized or not callers:
        return caught, None, bool(callers)
    return None, sanitized.catcher(source, number, new, callers)[0] or None, True


class Results:
    """A file of results, one JSON value for each line; or nothing."""

    def __init__(self, path):
        self.path, self.rows, self.lock = path, [], threading.Lock()
        if path and os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                self.rows = [json.loads(line) for line in file]

    def add(self, row):
        with self.lock:
            if self.path:
                with open(self.path, 'a', encoding='utf-8') as file:
                    file.write(json.dumps(row) + '\n')

    def mutants(self):
        """Returns each mutant with its catcher, its catcher with sanitizers, and whether a test calls it."""
        return {Mutant(*row['mutant']): (row['catcher'], row.get('sanitized'), row.get('called', True)) for row in self.rows if 'mutant' in row}


def read(path):
    with open(path, 'rb') as file:
        return file.read()


# ---------------------------------------------------------------- all of them

def sources_of(folders, without, build):
    paths = sorted(path for path in build.compile if path.endswith('.c') and path.startswith('src' + os.sep) and not 'left_out' in path)
    wanted = [os.path.relpath(os.path.abspath(folder), ROOT) for folder in folders] or ['src']
    unwanted = [os.path.relpath(os.path.abspath(folder), ROOT) for folder in without]

    def is_below(path, folders):
        return any(path == folder or path.startswith(folder + os.sep) for folder in folders)
    return [Source(path) for path in paths if is_below(path, wanted) and not is_below(path, unwanted)]


def draw(trial, sources, args):
    """Yields mutants that change the program."""
    if args.only:
        path, number = args.only.rsplit(':', 1)
        source = Source(os.path.relpath(os.path.abspath(path), ROOT))
        for mutant, new in source.mutants.get(int(number), ()):
            if trial.changes(source, int(number), new):
                yield source, mutant, new
        return
    if args.control:
        rng = random.Random(args.seed)
        for folder in sorted({folder_of(source.path) for source in sources}):
            source = rng.choice([source for source in sources if folder_of(source.path) == folder and source.mutants])
            number = rng.choice(sorted(source.mutants))
            yield source, Mutant(source.path, number, 'unchanged', source.lines[number - 1].strip(), source.lines[number - 1].strip()), source.lines[number - 1]
        return
    if args.survivors:
        for mutant in sorted(mutant for mutant, (caught, later, _) in Results(args.survivors).mutants().items() if caught is None and later is None):
            source = Source(mutant.path)
            same = [(found, new) for found, new in source.mutants.get(mutant.line, ()) if found == mutant]
            if same and trial.changes(source, mutant.line, same[0][1]):
                yield source, mutant, same[0][1]
        return
    rng = random.Random(args.seed)
    done = trial.results.mutants()
    lines = [(source, number) for source in sources for number in source.mutants]
    rng.shuffle(lines)
    left = args.n
    for source, number in lines:
        if not left:
            return
        candidates = list(source.mutants[number])
        rng.shuffle(candidates)
        for mutant, new in candidates:
            if mutant in done or trial.changes(source, number, new):
                left -= 1
                yield source, mutant, new
                break


def folder_of(path):
    parts = path.split(os.sep)
    return os.sep.join(parts[:2]) if len(parts) > 2 else parts[0]


def print_table(results, has_second):
    """Prints counts for each folder, and the survivors."""
    counts = collections.defaultdict(lambda: [0, 0, 0])
    for mutant, caught, later, _ in results:
        for row in (counts[folder_of(mutant.path)], counts['~all']):
            row[0] += 1
            row[1] += caught is not None
            row[2] += (caught or later) is not None
    print('\n%-16s %7s %6s %6s%s' % ('folder', 'mutants', 'caught', '', '  with sanitizers' if has_second else ''))
    for folder, (count, caught, both) in sorted(counts.items()):
        print('%-16s %7d %6d %5.1f%%%s' % (folder.strip('~'), count, caught, 100 * caught / count, '%10d %5.1f%%' % (both, 100 * both / count) if has_second else ''))
    survivors = sorted((mutant, is_called) for mutant, caught, later, is_called in results if caught is None and later is None)
    print('\n%d survivors%s' % (len(survivors), ':' if survivors else ''))
    for mutant, is_called in survivors:
        print('%s:%d: %s%s\n  - %s\n  + %s' % (mutant.path, mutant.line, mutant.what, '' if is_called else ', no test calls it', mutant.before, mutant.after))


def main():
    parser = argparse.ArgumentParser(description='Mutation testing; the head of this file has the rules.')
    parser.add_argument('build')
    parser.add_argument('folders', nargs='*')
    parser.add_argument('-n', type=int, default=200)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--sanitized', default='')
    parser.add_argument('--results', default='')
    parser.add_argument('--survivors', default='')
    parser.add_argument('--also', default='')
    parser.add_argument('--only', default='')
    parser.add_argument('--control', action='store_true')
    parser.add_argument('--without', action='append', default=[])
    args = parser.parse_intermixed_args()
    trial = Trial(Build(args.build), args.also, Results(args.results))
    second = Trial(Build(args.sanitized), args.also, trial.results) if args.sanitized else None
    sources = sources_of(args.folders, args.without, trial.build)
    results, done = [], 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        running = {}

        def take(which):
            nonlocal done
            for future in which:
                mutant, (caught, later, is_called) = running.pop(future), future.result()
                trial.results.add({'mutant': mutant, 'catcher': caught, 'sanitized': later, 'called': is_called})
                done += 1
                if caught != '':
                    results.append((mutant, caught, later, is_called))
                print('%3d %-8s %s:%d %s%s%s' % (done, 'no link' if caught == '' else 'caught' if caught or later else 'survives', mutant.path, mutant.line, mutant.what,
                                                 ', by ' + (caught or later) if caught or later else '', ' with sanitizers' if later else ''), flush=True)
        kept = trial.results.mutants()
        for source, mutant, new in draw(trial, sources, args):
            if mutant in kept:
                done += 1
                if kept[mutant][0] != '':
                    results.append((mutant, *kept[mutant]))
                continue
            running[pool.submit(judge, trial, second, source, mutant.line, new)] = mutant
            if len(running) > args.jobs:
                take(concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED).done)
        take(concurrent.futures.wait(running).done)
    print_table(results, second)


main()
