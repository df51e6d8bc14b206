/*
 * Reads a Parquet file of this program row by row, as JSON objects whose members are the
 * columns. Only the wanted columns are read from the file. If a row group is damaged,
 * reading continues with the next one.
 */
#ifndef TH_PARQUET_READER_H
#define TH_PARQUET_READER_H

#include "parquet/column_reader.h"

typedef struct th_parquet_reader th_parquet_reader;

/**
 * Opens a table: reads its footer.
 * @param source  copied; its context is borrowed while the reader lives
 * @param wanted  names of the columns, the last one NULL; borrowed for the call. NULL for
 *                all columns. A table without any of them gives no row.
 * @return TH_OK; TH_ABSENT if the file is not Parquet, or its columns have a form that
 *         thresher does not write; TH_DAMAGED; TH_NOMEM; an error of the source. err has
 *         the reason
 */
th_status th_parquet_reader_open(const th_parquet_source *source,
                                 const char *const *wanted, th_parquet_reader **out,
                                 th_error *err);

/** NULL is legal. */
void th_parquet_reader_free(th_parquet_reader *reader);

/** Returns a value of the footer's metadata, absent (data NULL) without that key. */
th_view th_parquet_reader_pair(const th_parquet_reader *reader, const char *key);

/**
 * Reads the next row.
 * @param json  out: an object, borrowed until the next call. Nulls are left out. Numbers
 *              with a fraction have up to 6 digits after the point,
 *              and numbers with a fraction or a sign are within 1e9.
 * @return TH_OK; TH_END. TH_DAMAGED, at the end, with the number of the first damaged row
 *         group and the reason. TH_NOMEM, or an error of the source, at once.
 */
th_status th_parquet_reader_next(th_parquet_reader *reader, th_view *json, th_error *err);

/** Returns the number of the last row, from 1. */
uint64_t th_parquet_reader_row(const th_parquet_reader *reader);

/** Returns the bytes read so far. */
uint64_t th_parquet_reader_report(const th_parquet_reader *reader);

#endif
