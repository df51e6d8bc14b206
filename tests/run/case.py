"""Functions shared by the scripts in this folder: run the program and check its results."""
import atexit
import os
import socket
import subprocess
import sys
import time
import urllib.request

PROGRAM = sys.argv[1]


def thresher(*args, timeout=600, **kwargs):
    return subprocess.run([PROGRAM, *map(str, args)], capture_output=True, timeout=timeout, **kwargs)


def is_sanitized():
    with open(PROGRAM, 'rb') as f:
        program = f.read()
    return b'__asan_' in program or b'__tsan_' in program


def start(*args, before=(), **kwargs):
    """Starts the program in the background; `before` is put in front of the command. It ends with the script, because CTest would wait for an orphan."""
    process = subprocess.Popen([*before, PROGRAM, *map(str, args)], **kwargs)
    atexit.register(process.kill)
    return process


def expect(claim, seen, wanted):
    if seen != wanted:
        print('FAILED: %s\n  seen   %.2000r\n  wanted %.2000r' % (claim, seen, wanted))
        sys.exit(1)
    print('ok: %s' % claim)


def expect_true(claim, holds, detail=''):
    if not holds:
        print('FAILED: %s %s' % (claim, detail))
        sys.exit(1)
    print('ok: %s' % claim)


def busy_factor():
    """How many times longer work takes now than its processor time, 1 or more: the others' work on this machine."""
    factors = []
    for _ in range(3):
        wall, cpu = time.monotonic(), time.process_time()
        while time.process_time() - cpu < .05:
            pass
        factors.append((time.monotonic() - wall) / .05)
    return max(1, *factors)


def expect_soon(claim, took, limit):
    """Expects that `took` is below `limit`, in seconds. On a busy machine the limit grows with the time that other work takes there."""
    expect_true('%s: %.2f s' % (claim, took), took < limit or took < 2 * limit * busy_factor(), took)


def contents(path):
    with open(path, 'rb') as f:
        return f.read()


def exists(path):
    return os.path.exists(path)


def free_port():
    """Returns a TCP port of loopback without a listener."""
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def metrics_add_up(port, host='127.0.0.1'):
    """received = emitted + dropped + dead-lettered + in flight, in whatever moment; True also where nobody answers yet."""
    sums = {}
    try:
        with urllib.request.urlopen('http://%s:%d/metrics' % (host, port), timeout=60) as answer:
            text = answer.read().decode()
    except OSError:
        return True
    for line in text.splitlines():
        if line.startswith('thresher_records_'):
            name, value = line.rsplit(' ', 1)
            name = name.split('{')[0]
            sums[name] = sums.get(name, 0) + int(value)
    parts = ('emitted_total', 'dropped_total', 'dead_lettered_total', 'in_flight')
    return sums['thresher_records_received_total'] == sum(sums['thresher_records_' + part] for part in parts)
