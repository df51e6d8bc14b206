/*
 * A limit of the bytes that are read before one record. The bytes at the location of a
 * pointer, or in a message, may be garbage without end or a record that unpacks to a
 * terabyte. Without a limit one message could keep the reader busy for hours.
 *
 * Bytes are counted, not time, so that the same input ends the same way on any machine.
 */
#ifndef TH_READ_LIMIT_H
#define TH_READ_LIMIT_H

#include "warc/warc_reader.h"

/** Bytes that are always allowed: a header of the greatest length, a zstd dictionary, and
 * the read-ahead. */
enum { TH_READ_LIMIT_LEAST = WARC_MAX_HEADER + WARC_MAX_DICTIONARY + (1 << 20) };

typedef struct th_read_limit {
    const warc_reader *reader;   /* borrowed; NULL: no limit */
    uint64_t max;                /* bytes */
    uint64_t file, decompressed; /* both positions when counting began */
} th_read_limit;

/** Starts to count. Allows `bytes` more than TH_READ_LIMIT_LEAST, separately for bytes of
 * the file and for unpacked bytes. */
void th_read_limit_begin(th_read_limit *limit, const warc_reader *reader, uint64_t bytes);

/** warc_reader_options.should_pause: true when the limit is passed. */
bool th_read_limit_is_passed(void *limit);

#endif
