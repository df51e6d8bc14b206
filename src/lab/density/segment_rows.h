/*
 * The data of `eval density`: a row for each segment, written by workers as a format and
 * read back in input order, so the counts depend only on the input.
 */
#ifndef TH_SEGMENT_ROWS_H
#define TH_SEGMENT_ROWS_H

#include "write/format.h"

/** A segment with tokens. */
typedef struct th_segment_row {
    uint64_t fingerprint; /* first eight bytes of the template fingerprint */
    uint32_t tokens;
    uint32_t density; /* rounded down */
    th_view sample;   /* start of its text, borrowed from the bytes that are read */
} th_segment_row;

/** Rows in the machine's own order of bytes: they never leave the process. */
extern const th_format th_segment_rows_format;

/** Takes the next row off the bytes. @return false if no row is left */
bool th_segment_row_next(th_view *bytes, th_segment_row *row);

#endif
