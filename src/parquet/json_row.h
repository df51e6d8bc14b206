/*
 * A JSON object as a row: its values to the columns that have their names, with the
 * levels that say what is absent and where a list begins. [Melnik 2010]
 */
#ifndef TH_JSON_ROW_H
#define TH_JSON_ROW_H

#include "base/buffer.h"
#include "base/json_reader.h"
#include "parquet/column_chunk.h"
#include "parquet/parquet_schema.h"

/** Adds rows to columns. { .schema, .columns } is ready. */
typedef struct th_json_row {
    const th_parquet_schema *schema; /* borrowed, as are the columns */
    th_column_chunk *columns;
    th_json_reader reader;
    th_buffer text; /* a string without escapes */
    uint64_t bytes; /* of values in this row */
    char fault[96]; /* why the row was not taken */
} th_json_row;

void th_json_row_done(th_json_row *row);

/**
 * Adds an object to the columns. A null member is equivalent to an absent one.
 * @param bytes  out: of its values in plain form, plus one for each null
 * @return TH_OK. TH_DAMAGED with row->fault if it is not an object, or if there is no
 * column for a member or value. TH_TOO_LARGE. TH_NOMEM. Unless TH_OK some columns have
 * more rows than others.
 */
th_status th_json_row_add(th_json_row *row, th_view object, uint64_t *bytes);

#endif
