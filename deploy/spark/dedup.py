"""Finds clusters of near-duplicates among thresher's records with Spark. They equal the clusters of `thresher dedup` with the same --sign, --threshold and --fan-out.

usage: spark-submit dedup.py [options] RECORDS... OUTPUT

RECORDS: JSON lines (plain or .gz) or, with --format parquet, output of `thresher run -f parquet`; paths, folders or patterns that Spark reads.
OUTPUT: a folder. Its file `members` has a line for each record except the oldest of a cluster: {"id", "representative", "jaccard", "exact"}. `work` has the
results of the steps. Submit a killed job again. It continues after the last complete step. Remove `work` when the job is finished.

  read      keeps the oldest of several records with the same id, like `thresher dedup`; ranks by date, then by id

  pairs     uses each band's slots and the digest as keys, and compares each record of a bucket with its first --fan-out records by rank

  verify    compares slots of both signatures, or digests

  join      alternates large-star and small-star until nothing changes [Kiveris, Lattanzi, Mirrokni, Rastogi, Vassilvitskii 2014]
"""
import argparse
import json
import sys

from pyspark.sql import SparkSession, functions as F
from pyspark.sql.types import ArrayType, BooleanType, LongType, StringType, StructField, StructType
from pyspark.sql.window import Window

BANDS = {'modern': (16, 8), 'crawl': (14, 8), 'datatrove': (14, 8)}
TEXTS = ('main', 'content', 'page', 'distinct')
WAY = ('preset', 'scheme', 'seed', 'w', 'k', 'bits', 'tokenizer')  # how a signature was made
ROUNDS_MAX = 100


def of(types):
    return StructType([StructField(name, kind) for name, kind in types.items()])


NUMBERS = {name: LongType() for name in ('seed', 'w', 'k', 'bits', 'tokenizer')}
SCHEMA = of({'id': StringType(), 'url': StringType(), 'date': StringType(), 'template_known': BooleanType(), 'digest': of({'text': StringType()}),
             'minhash': of({'preset': StringType(), 'scheme': StringType(), **NUMBERS, 'short': ArrayType(StringType()), **{text: StringType() for text in TEXTS}})})


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('records', nargs='+')
    parser.add_argument('output')
    parser.add_argument('--format', choices=('jsonl', 'parquet'), default='jsonl')
    parser.add_argument('--sign', choices=('auto', 'main', 'content', 'page', 'distinct', 'both', 'either'), default='auto')
    parser.add_argument('--threshold', type=float, default=.8)
    parser.add_argument('--fan-out', type=int, default=64)
    parser.add_argument('--bands', help='BxR, where the preset does not say it: ' + ', '.join('%s %dx%d' % (name, *bands) for name, bands in BANDS.items()))
    return parser.parse_args()


def fail(words):
    print('dedup.py: ' + words, file=sys.stderr)
    sys.exit(2)


class Steps:
    """Tables on the disk: each step is made once, and found when the job is submitted again."""

    def __init__(self, spark, folder):
        self.spark, self.folder = spark, folder

    def there(self, path):
        made = self.spark._jvm.org.apache.hadoop.fs.Path(path)
        return made.getFileSystem(self.spark._jsc.hadoopConfiguration()).exists(made)

    def table(self, name, make):
        path = '%s/work/%s' % (self.folder, name)
        if not self.there(path + '/_SUCCESS'):
            make().write.mode('overwrite').parquet(path)
        return self.spark.read.parquet(path)

    def claim(self, job):
        """Checks that the folder belongs to this job, and not to another one."""
        path = self.folder + '/work/job'
        if not self.there(path):
            if self.there(self.folder):
                fail("'%s' is there already, and not of this job" % self.folder)
            self.spark.createDataFrame([(job,)], 'value string').coalesce(1).write.mode('overwrite').text(path)
        elif [row.value for row in self.spark.read.text(path).collect()] != [job]:
            fail("'%s' is of a job with other inputs or options" % self.folder)


def member(frame, *names):
    """Returns a nested member, or null if the file does not have it."""
    kind = frame.schema
    for name in names:
        if name not in kind.fieldNames():
            return F.lit(None)
        kind = kind[name].dataType
    return F.col('.'.join(names))


def age(date):
    """Converts a date, or its beginning, to digits that increase with time. null is the latest."""
    good = r'^\d{4}(-\d\d(-\d\d(T\d\d(:\d\d(:\d\d(\.\d*)?)?)?)?)?)?(Z.*)?$'
    digits = F.regexp_replace(F.regexp_replace(date, 'Z.*$', ''), r'\D', '')
    return F.when(date.rlike(good), F.rpad(digits, 21, '0'))


def texts_of(raw, sign):
    """Returns (hexadecimal, is short) of the two texts to compare. The second is null if there is only one."""
    def text(name):
        return member(raw, 'minhash', name), F.coalesce(F.array_contains(member(raw, 'minhash', 'short').cast('array<string>'), name), F.lit(False))

    if sign in ('both', 'either'):
        return text('main'), text('page')
    if sign != 'auto':
        return text(sign), (F.lit(None).cast('string'), F.lit(False))
    (own, own_short), (main, main_short) = text('distinct'), text('main')
    return ((F.coalesce(own, main), F.when(own.isNotNull(), own_short).otherwise(main_short)),
            (F.when(own.isNotNull(), main), F.when(own.isNotNull(), main_short).otherwise(False)))


def read_records(spark, options):
    if options.format == 'parquet':
        raw = spark.read.parquet(*options.records)
    else:
        raw = spark.read.schema(SCHEMA).json(options.records)
    (first, first_short), (second, second_short) = texts_of(raw, options.sign)
    return raw.select(
        F.col('id'), F.col('url'), F.col('date'), age(F.col('date')).alias('age'), F.lower(member(raw, 'digest', 'text').cast('string')).alias('digest'),
        F.coalesce(member(raw, 'template_known').cast('boolean'), F.lit(False)).alias('known'),
        F.lower(first.cast('string')).alias('a'), F.lower(second.cast('string')).alias('b'), first_short.alias('a_short'), second_short.alias('b_short'),
        F.struct(*[member(raw, 'minhash', name).cast('string').alias(name) for name in WAY]).alias('way')).where(F.col('id').rlike(r'^[^\x00-\x1f\x7f]+$'))


def one_way(records):
    """Returns the parameters of the signatures. Fails if they differ between records."""
    ways = [row.way.asDict() for row in records.where('a is not null or b is not null').select('way').distinct().limit(2).collect()]
    if len(ways) > 1:
        fail('signatures made in different ways cannot be compared: %s and %s' % tuple(json.dumps(way) for way in ways))
    return ways[0] if ways else None


def shape(way, words):
    """Returns slots, hexadecimal digits of a slot, bands and rows."""
    if way is None:
        return 0, 8, 0, 0
    name = way['preset'].split(':')[0]
    if name in ('paper', 'paper-slots'):
        fail("preset '%s' is compared as a set or by pairs of slots: `thresher dedup` does that" % name)
    if not words and ':' not in way['preset'] and name in BANDS:
        words = '%dx%d' % BANDS[name]
    if not words:
        fail("preset '%s': say its bands, --bands BxR" % way['preset'])
    bands, rows = (int(part) for part in words.split('x'))
    bits = int(way['bits']) if way['bits'] else {'crawl': 64, 'datatrove': 64}.get(name, 32)
    return int(way['k'] or 0) or bands * rows, bits // 4, bands, rows


def first_of_each_id(records):
    """Keeps the oldest of several records with the same id. Ties are decided by their content, as in th_signing_order."""
    def length(name):
        return F.coalesce(F.length(name), F.lit(0))

    order = Window.partitionBy('id').orderBy(
        F.col('age').asc_nulls_last(), length('a').desc(), length('b').desc(), F.col('digest').asc_nulls_last(),
        F.col('a_short').cast('int') + 2 * F.col('b_short').cast('int'), 'known', 'a', 'b', F.col('url').asc_nulls_last(), F.col('date').asc_nulls_last())
    return records.withColumn('place', F.row_number().over(order)).where('place = 1').drop('place')


def keys_of(ranked, slots, digits, bands, rows, sign):
    """(key, rank): of the bands of each text, and of the digest. A text without its whole signature, or a short one, has no bands."""
    def banded(text, is_short, number):
        width = rows * digits
        keys = F.array(*[F.xxhash64(F.lit(number), F.lit(band), F.substring(text, band * width + 1, width)) for band in range(bands)])
        return F.when(text.isNotNull() & ~is_short, keys).otherwise(F.array().cast('array<bigint>'))

    a, b, a_short, b_short = F.col('a'), F.col('b'), F.col('a_short'), F.col('b_short')
    if sign == 'auto':  # a record without `distinct` has its main text in both places
        b, b_short = F.coalesce(b, a), F.when(b.isNotNull(), b_short).otherwise(a_short)
    parts = [banded(a, a_short, 0)] + ([] if sign == 'both' or sign in TEXTS else [banded(b, b_short, 1)])
    digest = F.when(F.col('digest').isNotNull(), F.array(F.xxhash64(F.lit(2), F.col('digest')))).otherwise(F.array().cast('array<bigint>'))
    return ranked.select(F.explode(F.concat(*parts, digest)).alias('key'), 'rank').distinct()


def candidates(keys, fan_out):
    """Pairs of one bucket: each record with the first ones before it."""
    order = Window.partitionBy('key').orderBy('rank')
    shared = keys.withColumn('place', F.row_number().over(order)).withColumn('size', F.count('*').over(Window.partitionBy('key'))).where('size > 1')
    first = shared.where(F.col('place') <= fan_out).select('key', F.col('rank').alias('x'))
    return first.join(shared.select('key', F.col('rank').alias('y')), 'key').where('x < y').select('x', 'y').distinct()


def compare(pairs, ranked, slots, digits, sign, threshold):
    """Pairs with their likeness, and whether they are duplicates."""
    def side(name):
        return ranked.select(F.col('rank').alias(name), F.struct('a', 'b', 'a_short', 'b_short', 'known', 'digest').alias('of_' + name))

    def text(name, which):
        column, is_short = F.col('of_%s.%s' % (name, which)), F.col('of_%s.%s_short' % (name, which))
        if sign == 'auto' and which == 'b':
            own, own_short = text(name, 'a')
            return F.coalesce(column, own), F.when(column.isNotNull(), is_short).otherwise(own_short)
        return column, is_short

    def share(which):
        (x, x_short), (y, y_short) = text('x', which), text('y', which)
        equal = F.size(F.filter(F.sequence(F.lit(0), F.lit(slots - 1)), lambda i: F.substring(x, i * digits + 1, F.lit(digits)) == F.substring(y, i * digits + 1, F.lit(digits))))
        jaccard = F.when(x.isNotNull() & y.isNotNull(), equal / F.lit(float(slots))).otherwise(F.lit(0.)) if slots else F.lit(0.)
        return jaccard, x.isNotNull() & y.isNotNull() & ~x_short & ~y_short

    exact = F.coalesce(F.col('of_x.digest') == F.col('of_y.digest'), F.lit(False))
    (one, one_counts), (two, two_counts) = share('a'), share('b')
    if sign == 'auto':  # the main texts where the template of either page was not known
        is_compared = ~F.col('of_x.known') | ~F.col('of_y.known')
        two, two_counts = F.when(is_compared, two).otherwise(F.lit(0.)), two_counts & is_compared
    both = pairs.join(side('x'), 'x').join(side('y'), 'y').select(
        'x', 'y', exact.alias('exact'), one.alias('one'), two.alias('two'), one_counts.alias('one_counts'), two_counts.alias('two_counts'))
    alike = [F.col(name + '_counts') & (F.col(name) >= threshold) for name in ('one', 'two')]
    if sign == 'both':
        jaccard = F.least(F.when(F.col('exact'), 1.).otherwise(F.col('one')), F.col('two'))
        duplicate = (F.col('exact') | alike[0]) & alike[1]
    else:
        jaccard = F.when(F.col('exact'), 1.).otherwise(F.greatest('one', 'two'))
        duplicate = F.col('exact') | alike[0] | alike[1]
    return both.select('x', 'y', 'exact', jaccard.alias('jaccard'), duplicate.alias('duplicate'))


def large_star(edges):
    """Each larger neighbour of a node to the least of its neighbourhood."""
    both = edges.select('u', 'v').union(edges.select(F.col('v').alias('u'), F.col('u').alias('v')))
    least = both.groupBy('u').agg(F.least(F.min('v'), F.col('u')).alias('least'))
    return both.join(least, 'u').where('v > u').select(F.col('v').alias('u'), F.col('least').alias('v')).distinct()


def small_star(edges):
    """A node and its smaller neighbours to the least of them."""
    least = edges.groupBy('u').agg(F.min('v').alias('least'))
    joined = edges.join(least, 'u')
    return joined.where('v > least').select(F.col('v').alias('u'), F.col('least').alias('v')).union(least.select('u', F.col('least').alias('v'))).distinct()


def stars(steps, edges):
    """(node, least node of its component), for all but the least."""
    def mark(table):
        return table.agg(F.count('*'), F.sum(F.xxhash64('u', 'v').cast('decimal(38,0)'))).first()

    before = mark(edges)
    for number in range(ROUNDS_MAX):
        now = edges
        edges = steps.table('round-%d' % number, lambda: small_star(large_star(now)))
        after = mark(edges)
        if after == before:
            return edges
        before = after
    fail('components were not found in %d rounds' % ROUNDS_MAX)


def main():
    options = arguments()
    if options.fan_out < 1 or not 0 < options.threshold <= 1:
        fail('--fan-out is 1 or more, --threshold over 0 and up to 1')
    spark = SparkSession.builder.appName('thresher dedup').getOrCreate()
    steps = Steps(spark, options.output.rstrip('/'))
    steps.claim(json.dumps({name: value for name, value in sorted(vars(options).items()) if name != 'output'}))
    records = steps.table('read', lambda: read_records(spark, options))
    way = one_way(records)
    slots, digits, bands, rows = shape(way, options.bands)
    whole = ' and '.join('(%s is null or length(%s) = %d)' % (text, text, slots * digits) for text in 'ab')
    # Numbers that grow in the order of the sort: the least of a component is its oldest.
    ranked = steps.table('records', lambda: first_of_each_id(records.where(whole)).orderBy(F.col('age').asc_nulls_last(), 'id')
                         .withColumn('rank', F.monotonically_increasing_id()).drop('way', 'age'))
    pairs = steps.table('pairs', lambda: candidates(keys_of(ranked, slots, digits, bands, rows, options.sign), options.fan_out))
    edges = steps.table('edges', lambda: compare(pairs, ranked, slots, digits, options.sign, options.threshold).where('duplicate')
                        .select(F.col('y').alias('u'), F.col('x').alias('v')))
    found = stars(steps, edges)
    named = compare(found.select(F.col('v').alias('x'), F.col('u').alias('y')), ranked, slots, digits, options.sign, options.threshold)
    ids = ranked.select('rank', 'id')
    (named.join(ids.withColumnRenamed('id', 'representative').withColumnRenamed('rank', 'x'), 'x').join(ids.withColumnRenamed('rank', 'y'), 'y')
     .orderBy('x', 'y').select('id', 'representative', F.round('jaccard', 4).alias('jaccard'), 'exact').write.mode('overwrite').json(steps.folder + '/members'))
    spark.stop()


if __name__ == '__main__':
    main()
