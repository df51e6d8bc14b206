"""Archives to Parquet with Ray Data: one task per archive, one row per page. Each task runs the program with one thread.

    python3 ray_data.py OUT_FOLDER ARCHIVE...      with ray[data] and the package installed; an archive can be s3://BUCKET/KEY
"""
import os
import sys

import ray


def pages(row):
    """Yields the rows of one archive in batches. The program limits the amount of data ahead of the reader."""
    import thresher
    for record in thresher.records(row['path'], jobs=1, minhash='none'):
        yield {key: record.get(key) for key in ('id', 'url', 'date', 'title', 'language', 'text')}


def main():
    out, paths = os.path.abspath(sys.argv[1]), [path if '://' in path else os.path.abspath(path) for path in sys.argv[2:]]
    ray.data.from_items([{'path': path} for path in paths], override_num_blocks=len(paths)).flat_map(pages).write_parquet(out)


if __name__ == '__main__':
    main()
