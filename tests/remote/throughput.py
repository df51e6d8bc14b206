"""Compares the throughput of an archive over loopback with the local file, in pairs of runs.

usage: throughput.py PROGRAM ARCHIVE [PAIRS [COMMAND...]]     15 pairs of `run -q -j2 -m none` unless said; SERVER names the program, which Debian has

A server in Python would take one of two cores, so it is nginx, with sendfile and without TLS. Prints the medians of both, of time and of processor
time, and of the pairs' quotients: 1 is the speed of the local file.
"""
import os
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

CONFIG = '''daemon off; master_process off; pid %(top)s/pid; error_log %(top)s/errors;
events { worker_connections 64; }
http { access_log off; sendfile on; default_type application/octet-stream;
  client_body_temp_path %(top)s/b; proxy_temp_path %(top)s/p; fastcgi_temp_path %(top)s/f; uwsgi_temp_path %(top)s/u; scgi_temp_path %(top)s/s;
  server { listen 127.0.0.1:%(port)d; root %(top)s/www; } }
'''


def seconds(command):
    """Time, and processor time of the program."""
    before, since = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - since, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    program, archive = sys.argv[1:3]
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    command = sys.argv[4:] or ['run', '-q', '-j2', '-m', 'none']
    nginx = os.environ.get('SERVER') or shutil.which('nginx', path=os.environ['PATH'] + ':/usr/sbin')
    if not nginx:
        print('skipped: no nginx')
        sys.exit(77)
    with tempfile.TemporaryDirectory() as top:
        with socket.socket() as free:
            free.bind(('127.0.0.1', 0))
            port = free.getsockname()[1]
        os.mkdir(os.path.join(top, 'www'))
        local = shutil.copy(archive, os.path.join(top, 'www'))
        config = os.path.join(top, 'nginx.conf')
        with open(config, 'w') as f:
            f.write(CONFIG % {'top': top, 'port': port})
        os.chmod(top, 0o755)
        server = subprocess.Popen([nginx, '-p', top, '-c', config, '-e', os.path.join(top, 'errors')])
        try:
            for _ in range(100):
                with socket.socket() as probe:
                    if probe.connect_ex(('127.0.0.1', port)) == 0:
                        break
                time.sleep(0.05)
            names = local, 'http://127.0.0.1:%d/%s' % (port, os.path.basename(local))
            rows = [[seconds([program, *command, name]) for name in (names if i % 2 else names[::-1])][::1 if i % 2 else -1] for i in range(pairs)]
        finally:
            server.terminate()
            server.wait()
    for what, at in (('time', 0), ('processor time', 1)):
        here, there = (statistics.median(row[side][at] for row in rows) for side in (0, 1))
        quotient = statistics.median(row[0][at] / row[1][at] for row in rows)
        print('%-14s  local %.3f s, remote %.3f s, local/remote %.3f (of %d pairs %.3f to %.3f)' % (
            what, here, there, quotient, pairs, min(row[0][at] / row[1][at] for row in rows), max(row[0][at] / row[1][at] for row in rows)))


main()
