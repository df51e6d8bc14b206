/*
 * Lines of a list that point to single records, as indexes of archives have them: a JSON
 * object, a line of CDXJ, a row of CSV below a head with the columns' names.
 */
#ifndef TH_POINTER_LINE_H
#define TH_POINTER_LINE_H

#include <stdbool.h>

#include "thresher/arena.h"
#include "thresher/status.h"

/** State of the earlier lines: the columns of CSV. { 0 } is the start of a list. */
typedef struct th_pointer_columns {
    bool is_csv;
    unsigned file, offset, length; /* columns, from 1; 0 if missing */
} th_pointer_columns;

/**
 * Reads a line.
 *   {"filename": ..., "offset": ..., "length": ...}   names as in ingest/warc_pointer.h
 *   com,example)/ 20260101000000 {...}                CDXJ
 *   url,warc_filename,warc_record_offset,...          a head; then its rows
 * @param arena  gets the strings
 * @param name   out: "ARCHIVE#OFFSET" or "ARCHIVE#OFFSET,LENGTH"; NULL: a head
 * @param is_pointer  out: false for any other line, without changing `name`
 * @return TH_OK; TH_USAGE: a pointer that cannot be read, with words; TH_NOMEM
 */
th_status th_pointer_line_read(const char *line, th_pointer_columns *columns,
                               th_arena *arena, const char **name, bool *is_pointer,
                               th_error *err);

#endif
