"""Archives to Parquet with PySpark: mapInArrow, one task per archive, batches of 1,000 pages.

    spark-submit spark.py OUT_FOLDER ARCHIVE...      with pyspark, pyarrow and the package installed on every node; an archive can be s3://BUCKET/KEY
"""
import itertools
import os
import sys

COLUMNS = ('id', 'url', 'date', 'title', 'language', 'text')


def pages(batches):
    import pyarrow
    import thresher
    schema = pyarrow.schema([(name, pyarrow.string()) for name in COLUMNS])
    for batch in batches:
        for path in batch.column('path').to_pylist():
            records = thresher.records(path, jobs=1, minhash='none')
            while rows := [{name: record.get(name) for name in COLUMNS} for record in itertools.islice(records, 1000)]:
                yield pyarrow.RecordBatch.from_pylist(rows, schema)


def main():
    from pyspark.sql import SparkSession
    out, paths = sys.argv[1], [path if '://' in path else os.path.abspath(path) for path in sys.argv[2:]]
    spark = SparkSession.builder.appName('thresher').getOrCreate()
    inputs = spark.createDataFrame([(path,) for path in paths], 'path string').repartition(len(paths), 'path')
    inputs.mapInArrow(pages, ', '.join(name + ' string' for name in COLUMNS)).write.mode('overwrite').parquet(out)
    spark.stop()


if __name__ == '__main__':
    main()
