/*
 * Lines of a list that point to single records, as indexes of archives have them: a JSON
 * object, a line of CDXJ, a row of CSV below a head with the columns' names, and the
 * answers of CDX servers: rows of 11 fields, rows below a head of CDX, JSON arrays.
 */
#ifndef TH_POINTER_LINE_H
#define TH_POINTER_LINE_H

#include <stdbool.h>

#include "thresher/arena.h"
#include "thresher/status.h"

/** The form of rows. */
typedef enum th_pointer_rows {
    TH_ROWS_NONE,
    TH_ROWS_CSV,   /* "a","b" or a,b */
    TH_ROWS_CDX,   /* a b */
    TH_ROWS_ARRAYS /* ["a","b"], */
} th_pointer_rows;

/** State of the earlier lines: the columns of rows. { 0 } is the start of a list. */
typedef struct th_pointer_columns {
    th_pointer_rows rows;
    unsigned file, offset, length; /* columns, from 1; 0 if missing */
} th_pointer_columns;

/**
 * Reads a line.
 *   {"filename": ..., "offset": ..., "length": ...}   names as in ingest/warc_pointer.h
 *   com,example)/ 20260101000000 {...}                CDXJ
 *   url,warc_filename,warc_record_offset,...          a head; then its rows
 *   [["urlkey","filename","offset","length",...],     the same, as JSON arrays
 *    CDX N b a m s k r M S V g                        the same: g is the archive, V the
 *                                                     offset, S the length
 *   com,example)/ 20260101000000 ... LENGTH OFFSET ARCHIVE      11 fields without a head
 * @param arena  gets the strings
 * @param name   out: "ARCHIVE#OFFSET" or "ARCHIVE#OFFSET,LENGTH"; NULL: a head
 * @param is_pointer  out: false for any other line, without changing `name`
 * @return TH_OK; TH_USAGE: a pointer that cannot be read, with words; TH_NOMEM
 */
th_status th_pointer_line_read(const char *line, th_pointer_columns *columns,
                               th_arena *arena, const char **name, bool *is_pointer,
                               th_error *err);

#endif
