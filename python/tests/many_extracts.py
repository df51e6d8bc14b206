"""Many calls of extract from several threads: memory stays constant, and the cost is compared with the program.

    python3 many_extracts.py CALLS THREADS PAGES.warc...        with the package installed

PAGES: archives of HTTP responses with bodies without a coding. Prints a line for each tenth of the calls with the resident
memory, then the CPU time per page here and in the program with one worker. Exits with 1 if memory grows by more than
MEMORY_MB from the second tenth to the last, or if the speed is less than SPEED_FLOOR of the program's. With SPEED_FLOOR=0 in
the environment the speed is only printed. Use this for a sanitizer build. Its ASAN_OPTIONS need quarantine_size_mb=1, or freed memory counts.
"""
import os
import resource
import subprocess
import sys
import threading
import time

import thresher

MEMORY_MB = 16
SPEED_FLOOR = float(os.environ.get('SPEED_FLOOR', '0.9'))


def resident_mb():
    with open('/proc/self/statm') as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() / 1e6


def pages_of(paths):
    """(HTML, URL, content type) of each page that the program takes."""
    taken = {record['id'] for record in thresher.records(paths, damaged='ignore', minhash='none')}
    pages = []
    for path in paths:
        with thresher.warc(path) as reader:
            for record in reader:
                if record.type != 'response' or record.id not in taken:
                    continue
                head, _, body = record.read().partition(b'\r\n\r\n')
                fields = dict(line.lower().split(b':', 1) for line in head.split(b'\r\n')[1:] if b':' in line)
                if b'content-encoding' in fields or b'transfer-encoding' in fields:
                    continue
                pages.append((body, record.url, fields.get(b'content-type', b'text/html').strip().decode('latin-1')))
    return pages


def seconds_of_program(paths):
    """Processor time of one worker for all pages, the best of three."""
    best = None
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([thresher.program(), 'run', '-q', '-j', '1', '-O', '/dev/null', *paths], check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = spent if best is None else min(best, spent)
    return best


def seconds_of_package(extractor, pages):
    best = None
    for _ in range(3):
        began = time.process_time()
        for page in pages:
            extractor(*page)
        spent = time.process_time() - began
        best = spent if best is None else min(best, spent)
    return best


def main():
    calls, threads, paths = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    pages = pages_of(paths)
    extractor = thresher.Extractor()
    size = sum(len(page[0]) for page in pages)
    print('%d pages, %.1f MB; %d calls from %d threads' % (len(pages), size / 1e6, calls, threads), flush=True)

    failed = []
    tenths = []

    def work(first, last):
        try:
            for number in range(first, last):
                extractor(*pages[number % len(pages)])
        except Exception as fault:  # an error of a thread fails the run
            failed.append(fault)

    began = time.time()
    for tenth in range(10):
        share = calls // 10 // threads
        crew = [threading.Thread(target=work, args=(at * share, (at + 1) * share)) for at in range(threads)]
        for thread in crew:
            thread.start()
        for thread in crew:
            thread.join()
        tenths.append(resident_mb())
        print('%3d%%  %7.1f MB  %6.0f s' % (10 * tenth + 10, tenths[-1], time.time() - began), flush=True)
    grown = tenths[-1] - tenths[1]
    package, program = seconds_of_package(extractor, pages) / size, seconds_of_program(paths) / size
    speed = program / package
    print('memory grew by %.1f MB from 20%% to 100%%; %.1f ms a MB of HTML here, %.1f in the program: %.2f of its speed'
          % (grown, package * 1e9, program * 1e9, speed))
    if failed:
        print('failed: %r' % failed[0])
    sys.exit(bool(failed) or grown > MEMORY_MB or speed < SPEED_FLOOR)


main()
