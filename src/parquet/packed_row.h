/*
 * Rows from packed JSON objects (base/json.h): each value goes to the column that has its
 * name, with the levels that state which values are absent and where a list begins.
 * [Melnik 2010]
 */
#ifndef TH_PACKED_ROW_H
#define TH_PACKED_ROW_H

#include "base/buffer.h"
#include "parquet/column_chunk.h"
#include "parquet/parquet_schema.h"

/* An open object or list. */
typedef struct th_packed_level {
    const th_parquet_node *node;
    const th_parquet_node *member; /* of an object: its key was read, its value was not */
    uint32_t next;                 /* child after the last member */
    uint64_t seen;                 /* children that were read, one bit each */
    uint8_t rep;                   /* repetition level of its first value */
    bool is_list, is_empty;
} th_packed_level;

/** Adds rows to columns. { .schema, .columns } is ready. */
typedef struct th_packed_row {
    const th_parquet_schema *schema; /* borrowed, as are the columns */
    th_column_chunk *columns;
    th_packed_level levels[2 * TH_PARQUET_DEPTH + 2];
    uint32_t depth; /* open levels; 0 between two rows */
    th_buffer held; /* the beginning of an incomplete token */
    uint64_t bytes; /* of values in this row, in plain form, plus one for each null */
    char fault[96]; /* reason of TH_DAMAGED */
} th_packed_row;

void th_packed_row_done(th_packed_row *row);

/** Returns whether all rows are complete. */
static inline bool th_packed_row_is_complete(const th_packed_row *row)
{
    return !row->depth && !row->held.len;
}

/**
 * Reads tokens up to the end of a row.
 *
 * @param tokens   a part of the rows, which may begin and end within a token; the tokens
 *                 that were read are removed
 * @param is_row   out: a row ended, with row->bytes
 * @return TH_OK. TH_DAMAGED with row->fault if the tokens are not an object, or if there
 *         is no column for a member or value. TH_TOO_LARGE. TH_NOMEM. Unless TH_OK some
 *         columns have more rows than others.
 */
th_status th_packed_row_read(th_packed_row *row, th_view *tokens, bool *is_row);

#endif
