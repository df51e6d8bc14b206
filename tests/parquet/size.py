"""Compares the size of a file with pyarrow's file of the same table, with the same codec and level.

usage: size.py FILE.parquet [PERCENT]     ends with 1 where ours is larger by more than PERCENT (10)
"""
import os
import sys
import tempfile

import pyarrow.parquet

LEVEL = 3


def main():
    path, limit = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 10
    ours = pyarrow.parquet.ParquetFile(path)
    with tempfile.NamedTemporaryFile(suffix='.parquet') as f:
        with pyarrow.parquet.ParquetWriter(f.name, ours.schema_arrow, compression='zstd', compression_level=LEVEL) as writer:
            for group in range(ours.num_row_groups):
                writer.write_table(ours.read_row_group(group), row_group_size=1 << 30)
        theirs = os.path.getsize(f.name)
    size = os.path.getsize(path)
    print('%d rows, %d row groups: %d bytes, by pyarrow %d: %+.1f %%' % (ours.metadata.num_rows, ours.num_row_groups, size, theirs, 100 * (size / theirs - 1)))
    sys.exit(1 if size > theirs * (1 + limit / 100) else 0)


if __name__ == '__main__':
    main()
