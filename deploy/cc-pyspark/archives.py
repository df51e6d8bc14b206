"""Archives to records by `thresher run`, one process for each archive of a manifest, on the executors of a Spark cluster.

usage: spark-submit archives.py [options] MANIFEST OUTPUT [-- OPTIONS OF THRESHER RUN]

MANIFEST: a text that Spark reads, a path, URL or s3:// address a line, plain or .gz (Common Crawl's warc.paths.gz).
OUTPUT:   a folder that all executors see, or s3://BUCKET/PREFIX/: NAME.jsonl.zst or what the options ask for, and a marker NAME.done, for each archive.

What has a marker is not done again, so that a job that was killed is submitted again. Ends with 1 where an archive was damaged or could not be
read; the others are done all the same.
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
    parser.add_argument('--input_base_url', default='', help='what stands before relative paths: s3://commoncrawl/, https://data.commoncrawl.org/')
    parser.add_argument('--num_input_partitions', type=int, default=400, help='tasks; each goes through its archives one by one')
    parser.add_argument('--program', default='thresher', help='as the executors find it')
    options = parser.parse_args(own)
    options.given = given
    return options


def end_with_parent():
    """An executor that is killed takes its process along: the archive is done anew elsewhere."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def process(options, path):
    """(path, exit code, what it said) of one archive."""
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
