/*
 * A table written as one Parquet file, row by row, each a packed JSON object (base/json.h)
 * whose members are columns by name. Row groups are written as they fill up; the footer comes last.
 *
 *     "PAR1"
 *     row group: dictionaries and pages of its columns, one column after the other
 *         its RowGroup as the footer will have it, bytes of that (u32), bytes of the row
 *         group with all this (u64), rows (u64), "thrg"; little-endian
 *     ...
 *     footer, bytes of it (u32), "PAR1"
 *
 * The bytes after the pages of a row group are not part of the format. Readers skip
 * them, because they use offsets. With these bytes a writer can continue after complete
 * row groups when the previous writer was killed. [Apache Parquet, File Format]
 */
#ifndef TH_PARQUET_FILE_H
#define TH_PARQUET_FILE_H

#include "base/file_sink.h"
#include "parquet/column_chunk.h"
#include "parquet/parquet_schema.h"

typedef struct th_parquet_file th_parquet_file;

/** An entry of the footer's key-value metadata. */
typedef struct th_parquet_pair {
    const char *key, *value;
} th_parquet_pair;

/** Columns and other contents of the footer. Texts and pairs are borrowed while the file
 * is written, the list of fields for the call. */
typedef struct th_parquet_options {
    const th_parquet_field *fields;
    uint32_t field_count;
    th_parquet_codec codec;
    uint64_t row_group;     /* bytes of plain values at which a row group is full */
    const char *created_by; /* "thresher version 1.0.0" */
    const th_parquet_pair *pairs;
    uint32_t pair_count;
} th_parquet_options;

/**
 * Starts a file, or continues one.
 * @param sink  borrowed until th_parquet_free; only this writes to it
 * @param part  the file that the sink continues, at its length: its row groups are read
 * from there. Not read if the sink is empty.
 * @return TH_OK. TH_NOMEM. TH_IO. TH_USAGE if the fields cannot form a table. TH_DAMAGED
 * if the existing file does not end with a row group.
 */
th_status th_parquet_open(const th_parquet_options *options, th_file_sink *sink,
                          const char *part, th_parquet_file **out, th_error *err);

/**
 * Adds rows: packed objects. A row may continue in a later call, also within a token.
 * @return TH_OK. TH_DAMAGED if a row is not an object, or has a member or a value that the
 * table has no place for. TH_TOO_LARGE for a page of 2 GiB. TH_NOMEM. Unless TH_OK the
 * file cannot be completed.
 * Cost: linear.
 */
th_status th_parquet_add(th_parquet_file *file, th_view rows, th_error *err);

/** Writes the current row group if it is full. Returns TH_OK, TH_NO_ROOM, TH_IO,
 * TH_NOMEM, or TH_TOO_LARGE. */
th_status th_parquet_settle(th_parquet_file *file, th_error *err);

/** Returns whether all rows are in the sink, so a later writer can continue it. */
bool th_parquet_is_settled(const th_parquet_file *file);

/** Writes the last row group and the footer, as the last call but _free. As
 * th_parquet_settle; TH_DAMAGED: the last row is incomplete. */
th_status th_parquet_finish(th_parquet_file *file, th_error *err);

/** NULL is legal. */
void th_parquet_free(th_parquet_file *file);

#endif
