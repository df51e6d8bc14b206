/*
 * Parquet's hybrid of run lengths and packed bits: levels, and numbers of entries in a
 * dictionary. [Apache Parquet, Encodings, RLE/bit-packing hybrid]
 */
#ifndef TH_RUN_LENGTHS_H
#define TH_RUN_LENGTHS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "thresher/view.h"

/** Numbers being written, each below 2^width. On the stack. */
typedef struct th_run_lengths {
    th_buffer *out;      /* borrowed */
    unsigned width;      /* bits of a number, 0..32 */
    uint32_t last;       /* number put last */
    uint64_t run;        /* how often in a row */
    uint32_t waiting[8]; /* that are in no run yet */
    unsigned waiting_count;
    size_t header_at; /* of the packed run that is open */
    unsigned groups;  /* of eight in it; 0: none is open */
} th_run_lengths;

enum { TH_RUN_MIN = 8 }; /* equal numbers that become a run; also a packed group */

/** Bits that a number up to `max` needs; 0 for 0. */
unsigned th_bit_width(uint32_t max);

/** Starts after the present content of the buffer. */
void th_run_lengths_begin(th_run_lengths *lengths, unsigned width, th_buffer *out);

/** Like th_run_lengths_put, for a number that does not continue a run of TH_RUN_MIN. */
void th_run_lengths_change(th_run_lengths *lengths, uint32_t value);

static inline void th_run_lengths_put(th_run_lengths *lengths, uint32_t value)
{
    if (lengths->run >= TH_RUN_MIN && value == lengths->last)
        lengths->run++; /* the eight that wait begin the run */
    else
        th_run_lengths_change(lengths, value);
}

/** Ends: the last packed run is filled up with zeros, which a reader leaves out. */
void th_run_lengths_end(th_run_lengths *lengths);

/** Numbers being read. On the stack, or a member. */
typedef struct th_run_reader {
    const unsigned char *at, *end; /* borrowed */
    unsigned width;                /* bits of a number, 0..32 */
    uint64_t run;                  /* numbers left in the run of equal ones */
    uint32_t value;                /* of that run */
    uint64_t packed;               /* numbers left in the packed run */
    uint64_t bits;                 /* of the packed run, the next one lowest */
    unsigned held;                 /* number of these bits */
} th_run_reader;

/** Starts at the first of these bytes. Returns false if the width is over 32. */
bool th_run_reader_begin(th_run_reader *reader, unsigned width, th_view bytes);

/** Reads a number. Returns false if the bytes have ended or are not runs. */
bool th_run_reader_next(th_run_reader *reader, uint32_t *value);

#endif
