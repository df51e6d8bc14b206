#!/usr/bin/env python3
"""Load on POST /extract with wrk (Debian package wrk): rate, errors, processor time of a request, memory over time.

usage: extract_load.py PROGRAM ARCHIVE [--seconds 60] [--connections 16] [--kilobytes 80-120] [--isolation]

Sends the pages of ARCHIVE of that size in turn. On a busy machine the rate says little; the processor time of a request does.
"""
import argparse
import json
import os
import re
import socket
import subprocess
import tempfile
import time
import urllib.request


def pages_of(program, archive, low, high):
    lines = subprocess.run([program, 'run', '-q', '-e', 'html', archive], capture_output=True, check=False).stdout.splitlines()
    pages = [(record.get('url', ''), record['html'].encode()) for record in map(json.loads, lines)]
    chosen = [(url, page) for url, page in pages if low <= len(page) <= high]
    if not chosen:
        raise SystemExit('%s: no page of %d to %d bytes' % (archive, low, high))
    return chosen


def status_of(pid):
    with open('/proc/%d/status' % pid) as f:
        return {name: int(value.split()[0]) for name, value in (line.split(':', 1) for line in f) if name in ('VmRSS', 'VmHWM')}


def cpu_seconds(pid):
    with open('/proc/%d/stat' % pid) as f:
        fields = f.read().rsplit(') ', 1)[1].split()
    return sum(map(int, fields[11:13])) / os.sysconf('SC_CLK_TCK')


SCRIPT = '''
local bodies = {}
for i = 1, %d do
  local f = io.open(string.format("%s/%%d", i), "rb"); bodies[i] = f:read("*a"); f:close()
end
local at = 0
request = function()
  at = at %% #bodies + 1
  return wrk.format("POST", nil, {["Content-Type"] = "text/html; charset=utf-8"}, bodies[at])
end
'''


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('archive')
    parser.add_argument('--seconds', type=int, default=60)
    parser.add_argument('--connections', type=int, default=16)
    parser.add_argument('--kilobytes', default='80-120')
    parser.add_argument('--isolation', action='store_true')
    args = parser.parse_args()
    low, high = (int(n) * 1000 for n in args.kilobytes.split('-'))
    pages = pages_of(args.program, args.archive, low, high)
    with tempfile.TemporaryDirectory() as folder, socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        port = probe.getsockname()[1]
        probe.close()
        for i, (_, page) in enumerate(pages, 1):
            with open(os.path.join(folder, str(i)), 'wb') as f:
                f.write(page)
        script = os.path.join(folder, 'pages.lua')
        with open(script, 'w') as f:
            f.write(SCRIPT % (len(pages), folder))
        serve = [args.program, 'serve', '-o', 'endpoint.extract=yes', '-o', 'daemon.listen=127.0.0.1:%d' % port]
        daemon = subprocess.Popen(serve + ['-o', 'isolation=process'] * args.isolation, stderr=subprocess.PIPE, text=True)
        while 'event=ready' not in daemon.stderr.readline():
            pass
        print('%d pages, %d bytes on average' % (len(pages), sum(len(page) for _, page in pages) / len(pages)))
        wrk = subprocess.Popen(['wrk', '-t1', '-c%d' % args.connections, '-d%ds' % args.seconds, '--timeout', '60s', '--latency', '-s', script,
                                'http://127.0.0.1:%d/extract' % port], stdout=subprocess.PIPE, text=True)
        start, memory = time.time(), []
        while wrk.poll() is None:
            memory.append((time.time() - start, status_of(daemon.pid)['VmRSS']))
            time.sleep(args.seconds / 12)
        report = wrk.stdout.read()
        with urllib.request.urlopen('http://127.0.0.1:%d/metrics' % port, timeout=60) as answer:
            codes = {code: int(n) for code, n in re.findall(r'extract_requests_total\{code="(\d+)"\} (\d+)', answer.read().decode()) if n != '0'}
        cpu = cpu_seconds(daemon.pid)
        daemon.terminate()
        code = daemon.wait()
        print(report)
        print('answers by status code: %s; exit code %d' % (codes, code))
        print('processor time: %.3f ms for a request%s' % (1000 * cpu / sum(codes.values()), ' (without page processes)' * args.isolation))
        print('resident KiB over time: %s' % ' '.join('%.0fs:%d' % pair for pair in memory))


if __name__ == '__main__':
    main()
