#!/usr/bin/env python3
"""Mutation testing: changes one line of a source file, runs the tests that call its function, and prints the changes that no test caught.

usage: mutate.py BUILD [-n N] [--seed N] [--jobs N] [--sanitized BUILD] [--results FILE] [--survivors FILE] [--also REGEX] [--seconds N] [--only FILE:LINE] [--control] [FOLDER...]
  BUILD     a build folder (Ninja) whose programs and tests are built. Without sanitizers it takes a third of the time; with sanitizers it catches more
  --sanitized  a build folder with sanitizers. Survivors run there too, because tests/run.sh runs the tests with sanitizers
  FOLDER    folders below src, for example src/kafka; default: all of src
  -n        mutants that compile and change the program, 200 by default
  --seed    of the random choice, 1 by default: the same seed and sources give the same mutants
  --jobs    mutants at a time, 2 by default
  --results keeps each result in FILE. Started again with the same FILE, a run continues there
  --survivors runs the survivors of another run's FILE again, for example with new tests, or in a build with sanitizers
  --seconds the tests of a mutant end after as many seconds of the unchanged tests, 60 by default. Tests with sanitizers end after a quarter, because they are slower
  --also    CTest names of tests that run although the seconds are over
  --only    only mutants of this line, all of them
  --control one unchanged file of each folder instead of mutants: all must survive, else a test fails with every mutant
  --without folders below src that are left out, for example src/spool

Example: chrt -i 0 tests/mutate.py build-release --sanitized build-asan -n 200 --seed 7 --results /tmp/7
         tests/mutate.py build-asan -n 200 --seed 7 src/kafka src/warc

A mutant is one token, condition, or statement of one line. A line is drawn first, then one of its mutants, so that long folders get more mutants. Mutants that do
not compile, and mutants that give the same machine code as before (at -O2), are drawn again. The others can still be equivalent: for example, a size hint or a
timeout. A person judges each survivor.

A mutant runs the tests that call its function. A build with marks (BUILD/mutate) shows which tests do; BUILD/mutate_calls.jsonl keeps the answer. unit.A.B.c comes first for src/A/B/c.c, then the other unit
tests of its folder, then the rest, the fastest first. The first failure ends them. A mutant outside of functions runs the tests that call a function of its file, or of its folder if the file has none.
Nothing in the source folder or in the objects of the build folder is changed: the mutated object is linked first, so that the linker leaves the original in its library.
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
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONDITION = re.compile(r'\b(if|while)\s*\(')
STATEMENT = re.compile(r'^\s+(\(void\)\s*)?[A-Za-z_][\w.>\-\[\]]*(\(|\s*([-+|&^*/]|<<|>>)?=[^=]|(\+\+|--))')
KEYWORDS = re.compile(r'^\s*(return|else|case|default|break|continue|goto|if|for|while|do|switch|typedef|static|const|struct|enum|union|extern)\b')
DECLARATION = re.compile(r'^\s*(const\s+)?[A-Za-z_]\w*(\s+\w+)*\s+\**\w+(\[[^]]*\])*\s*(=|;|,)')
SWAPS = (('<=', '<'), ('>=', '>'), ('==', '!='), ('!=', '=='), ('&&', '||'), ('||', '&&'), ('++', '--'), ('--', '++'), ('+=', '-='), ('-=', '+='), ('|=', '&='), ('&=', '|='),
         ('<<', '>>'), ('>>', '<<'))
WORDS = {'true': 'false', 'false': 'true', 'break': 'continue', 'continue': 'break'}
# Marks the functions that a test calls, in the file that the environment names. The file is mapped before main, because a worker process may not open files.
MARKS = 1 << 20
MARK = """extern char *mutant_getenv(const char *) __asm__("getenv");
extern int mutant_open(const char *, int, ...) __asm__("open");
extern int mutant_close(int) __asm__("close");
extern void *mutant_mmap(void *, unsigned long, int, int, int, long) __asm__("mmap");
__attribute__((weak)) volatile char *th_mutant_marks;
__attribute__((constructor)) static void mutant_map(void)
{
    const char *path = th_mutant_marks ? (void *)0 : mutant_getenv("MUTANT_MARKS");
    const int file = path ? mutant_open(path, 2) : -1;
    void *at = file < 0 ? (void *)-1 : mutant_mmap((void *)0, %d, 3, 1, file, 0);
    if (at != (void *)-1)
        th_mutant_marks = at;
    if (file >= 0)
        mutant_close(file); /* a test can start the program without stdout */
}
#line 1
""" % MARKS
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

    def functions(self):
        """The indices of the lines that open a function."""
        return [i for i, line in enumerate(self.lines) if line == '{' and i and self.lines[i - 1].endswith(')')]

    def mark_of(self, number):
        """The mark of the function that contains a line, None if the line is outside of functions."""
        inside = [i for i in self.functions() if i < number - 1 and '}' not in [line[:1] for line in self.lines[i:number - 1]]]
        return mark(self.path, inside[-1]) if inside else None

    def marks(self):
        return {mark(self.path, i) for i in self.functions()}

    def marked(self):
        """The source with a mark at the start of each function."""
        lines = list(self.lines)
        for i in self.functions():
            lines[i] = '{ (void)(th_mutant_marks && (th_mutant_marks[%d] = 1));' % mark(self.path, i)
        return MARK + '\n'.join(lines)


def mark(path, line):
    """The place of a function's mark. Two functions in 300 share one; then a test can run that calls only the other."""
    return zlib.crc32(('%s:%d' % (path, line)).encode()) % MARKS


def compile_marked(command):
    """Instead of the compiler: compiles a file of src with marks, another file as it is. Returns the exit code."""
    path = os.path.relpath(command[-1], ROOT)
    if command[-2] == '-c' and path.startswith('src' + os.sep) and path.endswith('.c'):
        with tempfile.TemporaryDirectory(prefix='mutate-') as folder:
            source = os.path.join(folder, os.path.basename(path))
            with open(source, 'w', encoding='utf-8') as file:
                file.write(Source(path).marked())
            if subprocess.run([*command[:-1], '-w', '-ffile-prefix-map=%s=.' % folder, '-frandom-seed=1', '-iquote', os.path.dirname(command[-1]), source], stderr=subprocess.DEVNULL).returncode == 0:
                return 0
    return subprocess.run(command).returncode


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

    def run(self, name, swaps, folder, marks=''):
        """Runs a test with other programs instead of the built programs. Returns its exit code, or None if it took too long, and seconds of wall and processor.

        marks: the file for the marks of the functions that it calls
        """
        test = self.tests[name]
        properties = {p['name']: p['value'] for p in test['properties']}
        command = [swaps.get(word, word) for word in test['command']]
        wall, cpu = self.times.get(name, (600, 600))
        limit = int(10 * cpu + 10)

        def confine():
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        place = properties.get('WORKING_DIRECTORY', self.folder)
        if place.startswith(self.folder):
            place = folder  # a mutant may write a file there, with which later tests fail
        start = time.time()
        environment = dict(os.environ, TMPDIR=folder, ASAN_OPTIONS='detect_leaks=1:detect_stack_use_after_return=1', UBSAN_OPTIONS='halt_on_error=1', MUTANT_MARKS=marks)
        process = subprocess.Popen(command, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
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


class Calls:
    """Which functions each test calls, in a build with marks. FILE keeps it. A test is measured again after a change of its programs or files."""

    def __init__(self, plain, path, jobs):
        self.marks, self.times, known = {}, {}, {}
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                known = {row['test']: row for row in map(json.loads, file)}
        build = marked_build(plain.folder)
        with open(path + '.new', 'w', encoding='utf-8') as file, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for row in pool.map(lambda name: self.measured(build, name, known.get(name, {})), build.tests):
                file.write(json.dumps(row) + '\n')
                file.flush()
                if row['passes']:
                    self.marks[row['test']], self.times[row['test']] = set(row['marks']), (row['wall'], row['cpu'])
                else:
                    print('not used, because it fails or is skipped without a mutant: %s' % row['test'], file=sys.stderr, flush=True)
        os.rename(path + '.new', path)

    def measured(self, build, name, known):
        """Runs the unchanged test once: whether it passes, how long it takes, and which functions it calls. known: the row of an earlier measurement."""
        key = digest_of_test(build, name)
        if known.get('key') == key:
            return known
        with tempfile.TemporaryDirectory(prefix='mutate-') as folder:
            path = os.path.join(folder, 'marks')
            with open(path, 'wb') as file:
                file.truncate(MARKS)
            code, wall, cpu = build.run(name, {}, folder, path)
            return {'test': name, 'key': key, 'passes': code == 0, 'wall': round(wall, 2), 'cpu': round(min(cpu, 2 * wall), 2),
                    'marks': [found.start() for found in re.finditer(b'\1', read(path))]}

    def tests_of(self, source, number):
        """Names of the tests that call the function of a line; those first that are likely to catch its mutants.
        A line outside of functions has the tests that call a function of its file. Without one, a file is a table, and has the tests of its folder."""
        own = 'unit.' + '.'.join(os.path.splitext(source.path)[0].split(os.sep)[1:])
        place = source.mark_of(number)
        wanted = source.marks() if place is None else {place}
        if not wanted:
            folder = os.path.dirname(source.path)
            wanted = set().union(*(Source(os.path.join(folder, name)).marks() for name in os.listdir(os.path.join(ROOT, folder)) if name.endswith('.c')))

        def order(name):
            shared = len(os.path.commonprefix((name, own)))
            is_near = name.startswith('unit.') and (shared > len('unit.') or name.split('.')[-1] == own.split('.')[-1])
            return (name != own, not is_near, -shared if is_near else 0, self.times[name][0], name)
        return sorted((name for name, marks in self.marks.items() if marks & wanted), key=order)


def with_imports(path):
    """A file, and if it is in Python, the modules of its folder that it imports."""
    paths = [path]
    for at in paths:
        if at.endswith('.py'):
            found = [os.path.join(os.path.dirname(at), name + '.py') for name in re.findall(r'^\s*(?:import|from) (\w+)', read(at).decode(), re.M)]
            paths += [new for new in found if os.path.isfile(new) and new not in paths]
    return paths


def digest_of_test(build, name):
    """A digest of a test's programs, and of the files of the project that its command names. A test without programs, for example in Python, depends on all of src."""
    command = build.tests[name]['command']
    programs = build.programs_of(build.tests[name])
    paths = programs + [path for word in command if word.startswith(ROOT + os.sep) and word not in programs and os.path.isfile(word) for path in with_imports(word)]
    if not programs:
        paths += sorted(os.path.join(at, name) for at, _, names in os.walk(os.path.join(ROOT, 'src')) for name in names if name.endswith(('.c', '.h')))
    total = zlib.crc32('\0'.join(command).encode())
    for path in paths:
        total = zlib.crc32(read(path), total)
    return total


def marked_build(folder):
    """Builds the same programs and tests with marks, below a build folder."""
    with open(os.path.join(folder, 'CMakeCache.txt'), encoding='utf-8') as file:
        kept = re.findall(r'^((?:THRESHER_|TH_SHARED|CMAKE_BUILD_TYPE|CMAKE_C_COMPILER|CMAKE_C_FLAGS)\w*:\w+=.*)$', file.read(), re.M)
    out = os.path.join(folder, 'mutate')
    launcher = '-DCMAKE_C_COMPILER_LAUNCHER=%s;%s;--compile' % (sys.executable, os.path.abspath(__file__))
    for command in (['cmake', '-G', 'Ninja', '-S', ROOT, '-B', out, launcher, *('-D' + row for row in kept if 'LAUNCHER' not in row and 'INTERNAL' not in row)], ['ninja', '-C', out]):
        done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, CCACHE_DISABLE='1'))
        if done.returncode:
            sys.exit('the build with marks failed: %s\n%s' % (' '.join(command), (done.stdout + done.stderr)[-3000:]))
    return Build(out)


# ---------------------------------------------------------------- one mutant

class Trial:
    def __init__(self, build, calls, args):
        self.build, self.calls, self.plain = build, calls, {}
        self.also, self.seconds = args.also, args.seconds / (4 if build.has_sanitizer else 1)
        self.usable, self.locks, self.lock = {}, {}, threading.Lock()
        if not build.has_sanitizer:
            build.times = dict(calls.times)
            self.usable = dict.fromkeys(calls.times, True)

    def is_usable(self, name):
        """Whether the test passes in this build without a mutant; also measures it."""
        with self.lock:
            lock = self.locks.setdefault(name, threading.Lock())
        with lock:
            if name not in self.usable:
                with tempfile.TemporaryDirectory(prefix='mutate-') as folder:
                    code, wall, cpu = self.build.run(name, {}, folder)
                self.usable[name], self.build.times[name] = code == 0, (wall, min(cpu, 2 * wall))
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

    def tests_of(self, source, number):
        """The tests that run for a mutant of a line: as many as take the allowed time, and the tests of --also."""
        names, total = [], 0
        for name in self.calls.tests_of(source, number):
            total += self.calls.times[name][0]
            if total <= self.seconds or not names or (self.also and re.search(self.also, name)):
                names.append(name)
        return [name for name in names if name in self.build.tests]

    def catcher(self, source, number, new):
        """Returns the test that catches the mutant, None if it survives."""
        with tempfile.TemporaryDirectory(prefix='mutate-') as folder:
            thing, linked = os.path.join(folder, 'mutant.o'), {}
            if not self.build.compile_to(source.path, source.mutated(number, new), thing):
                return 'the compiler'
            for name in self.tests_of(source, number):
                if not self.is_usable(name):
                    continue
                swaps = {}
                for program in self.build.programs_of(self.build.tests[name]):
                    if program not in linked:
                        out = os.path.join(folder, os.path.basename(program))
                        linked[program] = out if self.build.contains(program, thing) and self.build.link(program, thing, out) else None
                    if linked[program]:
                        swaps[program] = linked[program]
                if not swaps:
                    continue  # its programs do not contain the file
                scratch = tempfile.mkdtemp(dir=folder)
                code = self.build.run(name, swaps, scratch)[0]
                if code is None and self.build.run(name, {}, scratch)[0] != 0:
                    code = 0  # the machine is too busy for this test
                shutil.rmtree(scratch, ignore_errors=True)
                if code != 0:
                    return name if code is not None else name + ' (time)'
                for program in [program for program in swaps if os.path.basename(program).startswith('unit.')]:
                    os.unlink(linked.pop(program))  # used once
        return None


def judge(plain, sanitized, source, number, new):
    """Returns the catcher of a mutant, its catcher with sanitizers, and how many tests call its function."""
    count = len(plain.calls.tests_of(source, number))
    caught = plain.catcher(source, number, new)
    return caught, sanitized.catcher(source, number, new) if caught is None and sanitized else None, count


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
        """Returns each mutant with its catcher, its catcher with sanitizers, and how many tests call its function."""
        return {Mutant(*row['mutant']): (row['catcher'], row['sanitized'], row['tests']) for row in self.rows}


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


def draw(trial, sources, done, args):
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
    survivors = sorted((mutant, count) for mutant, caught, later, count in results if caught is None and later is None)
    print('\n%d survivors%s' % (len(survivors), ':' if survivors else ''))
    for mutant, count in survivors:
        print('%s:%d: %s, called by %d tests\n  - %s\n  + %s' % (mutant.path, mutant.line, mutant.what, count, mutant.before, mutant.after))


def main():
    if sys.argv[1:2] == ['--compile']:
        sys.exit(compile_marked(sys.argv[2:]))
    parser = argparse.ArgumentParser(description='Mutation testing; the head of this file has the rules.')
    parser.add_argument('build')
    parser.add_argument('folders', nargs='*')
    parser.add_argument('-n', type=int, default=200)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--seconds', type=int, default=60)
    parser.add_argument('--sanitized', default='')
    parser.add_argument('--results', default='')
    parser.add_argument('--survivors', default='')
    parser.add_argument('--also', default='')
    parser.add_argument('--only', default='')
    parser.add_argument('--control', action='store_true')
    parser.add_argument('--without', action='append', default=[])
    args = parser.parse_intermixed_args()
    plain = Build(args.build)
    calls = Calls(plain, os.path.join(plain.folder, 'mutate_calls.jsonl'), args.jobs)
    trial, kept = Trial(plain, calls, args), Results(args.results)
    second = Trial(Build(args.sanitized), calls, args) if args.sanitized else None
    sources = sources_of(args.folders, args.without, plain)
    results, done, before = [], 0, kept.mutants()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        running = {}

        def take(which):
            nonlocal done
            for future in which:
                mutant, (caught, later, count) = running.pop(future), future.result()
                kept.add({'mutant': mutant, 'catcher': caught, 'sanitized': later, 'tests': count})
                done += 1
                results.append((mutant, caught, later, count))
                print('%3d %-8s %s:%d %s%s%s' % (done, 'caught' if caught or later else 'survives', mutant.path, mutant.line, mutant.what,
                                                 ', by ' + (caught or later) if caught or later else '', ' with sanitizers' if later else ''), flush=True)
        for source, mutant, new in draw(trial, sources, before, args):
            if mutant in before:
                done += 1
                results.append((mutant, *before[mutant]))
                continue
            running[pool.submit(judge, trial, second, source, mutant.line, new)] = mutant
            if len(running) > args.jobs:
                take(concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED).done)
        take(concurrent.futures.wait(running).done)
    print_table(results, second)


if __name__ == '__main__':
    main()
