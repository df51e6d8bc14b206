#!/usr/bin/env python3
"""Compares two programs, or one worker with two, in alternating pairs on a quiet machine.

usage: pairs.py THRESHER ARCHIVE --before PROGRAM [--rounds N] [-- OPTIONS]     CPU time of `run -j1 OPTIONS` by both programs; "PROGRAM OPTION..." has its own
       pairs.py THRESHER ARCHIVE --workers [--copies N] [--rounds N]            wall time of `run -j2` and `run -j1` on N copies, and of two processes with -j1 at once

Prints medians and quartiles of the ratios.
"""
import argparse
import resource
import shlex
import statistics
import subprocess
import sys
import time


def run(*commands):
    """Runs processes at once. @return wall time and CPU time, in seconds"""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    if any([process.wait() for process in processes]):
        sys.exit('failed: ' + ' '.join(commands[0]))
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def say(name, ratios):
    low, middle, high = statistics.quantiles(ratios, n=4)
    print('%s: %.3f (quartiles %.3f to %.3f of %d)' % (name, middle, low, high, len(ratios)), flush=True)


def main():
    end = sys.argv.index('--') if '--' in sys.argv else len(sys.argv)
    options = sys.argv[end + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('thresher')
    parser.add_argument('archive')
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument('--before', metavar='PROGRAM')
    kind.add_argument('--workers', action='store_true')
    parser.add_argument('--copies', type=int, default=12)
    parser.add_argument('--rounds', type=int, default=20)
    args = parser.parse_args(sys.argv[1:end])

    def command(program, jobs, copies=1, options=options):
        return [program, 'run', '-q', '-j%d' % jobs, *options, '-O', '/dev/null', *[args.archive] * copies]
    if args.before:
        program, *others = shlex.split(args.before)
        now, earlier = command(args.thresher, 1), command(program, 1, 1, others or options)
        run(now), run(earlier)
        pairs = [(run(now)[1], run(earlier)[1]) for _ in range(args.rounds)]
        print('CPU seconds, medians: %.3f, before %.3f' % tuple(map(statistics.median, zip(*pairs))))
        say('speed, in times of the program before', [before / after for after, before in pairs])
        return
    one, two = command(args.thresher, 1, args.copies), command(args.thresher, 2, args.copies)
    rows = [(run(two)[0], run(one)[0], run(one, one)[0]) for _ in range(args.rounds)]
    say('speed of two workers, in times of one', [b / a for a, b, _ in rows])
    say('speed of two processes at once', [2 * b / c for _, b, c in rows])


if __name__ == '__main__':
    main()
