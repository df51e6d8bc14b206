"""Compares a Parquet file with the JSON lines of the same run: every value of every record, with each reader.

usage: compare.py FILE.parquet FILE.jsonl [READER...]     readers: pyarrow duckdb polars spark; all that are installed without names

A field that a record has not must be null in its row, and the other way round; numbers must be equal, not alike. Rows are read in pieces: memory
does not grow with the file. Prints for each reader how many records and values it compared. Ends with 1 at the first that differs.
"""
import decimal
import importlib.util
import json
import sys

PIECE = 500
SPARK_PIECE = 2000 # each is a pass over the file


def by_pyarrow(path):
    import pyarrow.parquet
    for batch in pyarrow.parquet.ParquetFile(path).iter_batches(PIECE):
        yield from batch.to_pylist()


def by_duckdb(path):
    import duckdb
    with duckdb.connect() as base:
        base.execute("set preserve_insertion_order = true")
        found = base.execute("select * from read_parquet(?)", [path])
        names = [column[0] for column in found.description]
        while rows := found.fetchmany(PIECE):
            for row in rows:
                yield dict(zip(names, row))


def by_polars(path):
    import polars
    whole = polars.scan_parquet(path)
    for start in range(0, whole.select(polars.len()).collect().item(), PIECE):
        yield from whole.slice(start, PIECE).collect().iter_rows(named=True)


def by_spark(path):
    from pyspark.sql import SparkSession
    spark = (SparkSession.builder.master('local[1]').appName('compare').config('spark.ui.enabled', 'false')
             .config('spark.driver.memory', '4g').config('spark.driver.maxResultSize', '3g').config('spark.driver.host', '127.0.0.1')
             .config('spark.driver.bindAddress', '127.0.0.1').config('spark.log.level', 'ERROR').getOrCreate())
    try:
        table = spark.read.parquet(path).selectExpr('*', '_metadata.row_index as row_index_')
        for start in range(0, table.count(), SPARK_PIECE):
            rows = table.where('row_index_ between %d and %d' % (start, start + SPARK_PIECE - 1)).collect()
            for row in sorted(rows, key=lambda row: row.row_index_):
                row = row.asDict(recursive=True)
                del row['row_index_']
                yield row
    finally:
        spark.stop()


READERS = {'pyarrow': by_pyarrow, 'duckdb': by_duckdb, 'polars': by_polars, 'spark': by_spark}
MODULES = {'spark': 'pyspark'}


def without_nulls(value):
    """Returns the value as in the JSON object: null values are absent."""
    if isinstance(value, dict):
        return {key: without_nulls(member) for key, member in value.items() if member is not None}
    if isinstance(value, (list, tuple)):
        return [without_nulls(element) for element in value]
    return int(value) if isinstance(value, decimal.Decimal) else value


def difference(is_value, want, path=''):
    """Returns the difference of two values in words, or '' if they are equal. Equal numbers of other types are equal, but a bool differs from a number."""
    if isinstance(want, dict) and isinstance(is_value, dict):
        for key in want.keys() | is_value.keys():
            if key not in want or key not in is_value:
                return '%s.%s only in the %s' % (path, key, 'records' if key in want else 'table')
            if found := difference(is_value[key], want[key], path + '.' + key):
                return found
        return ''
    if isinstance(want, list) and isinstance(is_value, list):
        if len(want) != len(is_value):
            return '%s: %d elements, not %d' % (path, len(is_value), len(want))
        return next((found for i, (a, b) in enumerate(zip(is_value, want)) if (found := difference(a, b, '%s[%d]' % (path, i)))), '')
    same = is_value == want and isinstance(is_value, bool) == isinstance(want, bool) and isinstance(is_value, str) == isinstance(want, str)
    return '' if same else '%s: %.200r, not %.200r' % (path, is_value, want)


def values_of(value):
    if isinstance(value, dict):
        return sum(map(values_of, value.values()))
    return sum(map(values_of, value)) if isinstance(value, list) else 1


def compare(reader, table, lines):
    count = values = 0
    rows = READERS[reader](table)
    with open(lines, encoding='utf-8') as f:
        for line in f:
            want = json.loads(line)
            row = next(rows, None)
            if row is None:
                return 'the table ends behind %d rows' % count
            if found := difference(without_nulls(row), want):
                return 'row %d: %s' % (count, found)
            count += 1
            values += values_of(want)
    if next(rows, None) is not None:
        return 'the table goes on behind %d rows' % count
    print('%-8s %d records, %d values: all equal' % (reader, count, values), flush=True)
    return ''


def main():
    table, lines, *names = sys.argv[1:]
    names = names or [name for name in READERS if importlib.util.find_spec(MODULES.get(name, name))]
    if not names:
        print('no reader is installed: pip install pyarrow duckdb polars pyspark')
        sys.exit(77)
    faults = 0
    for name in names:
        if found := compare(name, table, lines):
            print('FAILED: %s: %s' % (name, found), flush=True)
            faults += 1
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
