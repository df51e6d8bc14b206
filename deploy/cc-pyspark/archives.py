"""Archives to records by `thresher run`, one process for each archive of a manifest, on the executors of a Spark cluster.

usage: spark-submit archives.py [options] MANIFEST OUTPUT [-- OPTIONS OF THRESHER RUN]

MANIFEST: a text file that Spark reads, with one path, URL or s3:// address per line, plain or .gz (Common Crawl's warc.paths.gz).
OUTPUT:   a folder that all executors can write, or s3://BUCKET/PREFIX/. Each archive gets an output (NAME.jsonl.zst, or by the options) and a marker NAME.done.

Archives with a marker are skipped, so a killed job can be submitted again. The exit code is 1 if an archive is damaged or unreadable. The other
archives are processed.
"""
import argparse
import collections
import ctypes
import signal
import subprocess
import sys

from pyspark.sql import SparkSession

PR_SET_PDEATHSIG = 1
WORDS_MAX = 1000  # of a message
DONE, INPUT = 0, 1  # exit codes of `thresher run`: all well; an input is damaged or could not be read


def arguments():
    own, given = sys.argv[1:], []
    if '--' in own:
        own, given = own[:own.index('--')], own[own.index('--') + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('input')
    parser.add_argument('output')
    parser.add_argument('--input_base_url', default='', help='prefix of relative paths: s3://commoncrawl/, https://data.commoncrawl.org/')
    parser.add_argument('--num_input_partitions', type=int, default=400, help='number of tasks; each processes its archives one by one')
    parser.add_argument('--program', default='thresher', help='path of thresher on the executors')
    options = parser.parse_args(own)
    options.given = given
    return options


def end_with_parent():
    """Kills the process with its executor. Another executor processes the archive again."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def process(options, path):
    """Returns (path, exit code, messages) of one archive."""
    command = [options.program, 'run', '--quiet', '--jobs', '1', '--shard', '0/1', '--output', options.output.rstrip('/') + '/']
    is_whole = path.startswith('/') or '://' in path
    run = subprocess.run(command + options.given + [path if is_whole else options.input_base_url + path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=end_with_parent)
    return path, run.returncode, run.stderr.decode('utf-8', 'replace')[-WORDS_MAX:].strip()


def main():
    options = arguments()
    spark = SparkSession.builder.appName('thresher run').getOrCreate()
    paths = [row.value.strip() for row in spark.read.text(options.input).collect() if row.value.strip()]
    count = max(1, min(len(paths), options.num_input_partitions))
    ended = spark.sparkContext.parallelize(paths, count).map(lambda path: process(options, path)).collect()
    spark.stop()
    for path, code, words in ended:
        if code != DONE:
            print('archives.py: %s: exit code %d: %s' % (path, code, words), file=sys.stderr)
    codes = collections.Counter(code for _, code, _ in ended)
    print('%d archives: %d done, %d damaged or not read, %d failed' % (len(ended), codes[DONE], codes[INPUT], len(ended) - codes[DONE] - codes[INPUT]))
    sys.exit(0 if codes[DONE] == len(ended) else 1)


if __name__ == '__main__':
    main()
