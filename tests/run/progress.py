"""The line of progress: on a terminal, for each command that works for long; its colors, its width, and where it is absent.

usage: progress.py PROGRAM
"""
import fcntl
import os
import pty
import random
import re
import struct
import subprocess
import tempfile
import termios

import archive
from case import PROGRAM, expect, expect_true, thresher

DATA = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', 'data', 'eval', 'extraction'))
LINE = re.compile(r'\r\x1b\[K([^\r]+)(?=\r\x1b)')
VIEW = r'(?:(?:reading|[a-z]+) +)?(?:\[#*>? *\] +)? *(?:\d+\.\d%  )?(?:\d+(?:\.\d)? ?(?:MB/s|k?/s)  )?(?:\d+:\d\d(?::\d\d)? left  )?'


def on_terminal(args, columns=100, env=()):
    """Runs the program with a terminal as stderr. Returns the terminal's text, and the exit code."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ('NO_COLOR', 'TERM')}
    process = subprocess.Popen([PROGRAM, *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs,
                               env={**environment, 'TERM': 'xterm', **dict(env)})
    os.close(theirs)
    text = b''
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other side is closed
            part = b''
        if not part:
            break
        text += part
    os.close(ours)
    return text.decode(), process.wait(600)


def without_colors(text):
    return re.sub(r'\x1b\[(?:32)?m', '', text)


def main():
    rng = random.Random(4)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        parts = [archive.response(archive.page(rng, 3).replace('</h1>', '</h1><a href="http://b.example/%d">b</a>' % (i % 50)), 'http://a.example/%d' % i, i)
                 for i in range(2500)]
        archive.write('a.warc.gz', parts, 'whole')
        for name in ('b', 'c'):
            archive.write(name + '.warc.gz', parts[:500])
        thresher('run', '-q', '-e', 'links', '-O', 'a.jsonl', 'a.warc.gz')
        commands = {
            'run': (['run', '-O', 'r.jsonl', 'a.warc.gz'], 'pages'),
            'dedup': (['dedup', '-O', 'd.jsonl', 'a.jsonl'], 'records'),
            'graph': (['graph', '-O', 'graph/', 'a.jsonl'], 'records'),
            'sites': (['sites', 'build', '-O', 's.sites', 'a.warc.gz', 'b.warc.gz'], 'pages'),
            'eval': (['eval', 'extraction', DATA], 'pages'),
        }
        for name, (args, words) in commands.items():
            text, code = on_terminal(args)
            expect('%s: exit code' % name, code, 0)
            lines = LINE.findall(text)
            expect_true('%s shows its progress: %r' % (name, lines[:1]), lines and words in lines[0], text[:500])
            for line in map(without_colors, lines):
                expect_true('%s: the line fits' % name, re.match(VIEW, line) and len(line) < 100, line)
            expect_true('%s: bar, percent, rate and time left' % name,
                        any(re.search(r'\[#*>? *\] +\d+\.\d%  \d+\.\d MB/s  \d+:\d\d left  ', without_colors(line)) for line in lines), lines)
            rest = text[text.rindex('\x1b[K') + 3:]
            expect_true('%s clears it at the end' % name, 'left  ' not in rest, rest)
            expect('%s: colors' % name, '\x1b[32m' in text, True)
            text, _ = on_terminal(args, env={'NO_COLOR': '1'}.items())
            expect_true('%s without colors' % name, LINE.search(text) and '\x1b[3' not in text and '\x1b[m' not in text, text[:300])
            text, _ = on_terminal(args, columns=30)
            expect_true('%s in 30 columns has no bar' % name, all(len(line) < 30 and '[' not in line for line in LINE.findall(text)), text[:300])
            for claim, more, env in (('quiet', ['-q'], {}), ('a dumb terminal', [], {'TERM': 'dumb'})):
                text, _ = on_terminal(args[:1 + (name == 'sites')] + more + args[1 + (name == 'sites'):], env=env.items())
                expect('%s: %s' % (name, claim), '\x1b' in text, False)
            expect('%s: no terminal' % name, b'\x1b' in thresher(*args).stderr, False)


if __name__ == '__main__':
    main()
