/*
 * Raw deflate with the CRC of its output: ISA-L where it was built in, zlib
 * elsewhere. The one home of both; gzip's framing is not known here.
 */
#ifndef WARC_INFLATER_H
#define WARC_INFLATER_H

#include "warc/warc_status.h"

struct inflater;

enum inflate_result {
    INFLATE_MORE, /* input used up or output full */
    INFLATE_END,  /* the deflate stream is complete; the input is just after it */
    /* Nothing was read or written yet: the same call continues. It may be needed some
     * thousand times after damage, each some ms. */
    INFLATE_BEHIND,
    INFLATE_DAMAGED /* not a deflate stream: all bytes written before are good */
};

/** @return WARC_OK, the caller owns *out; WARC_NOMEM */
warc_status inflater_new(struct inflater **out);

/** NULL is allowed. */
void inflater_free(struct inflater *inflater);

/** Ready for the start of a deflate stream. Cheap: no allocation, no clearing of windows.
 */
void inflater_reset(struct inflater *inflater);

/** Input and output of one call, which moves them forward. */
struct inflate_span {
    const char *in;
    size_t in_len;
    char *out;
    size_t out_len;
};

/** Inflates until the input is used up, the output is full, or the stream ends. With
 * INFLATE_END the true end may lie up to 8 bytes before the span that the call was given:
 * span->in then points there, and in_len is that much larger. */
enum inflate_result inflater_run(struct inflater *inflater, struct inflate_span *span);

/** CRC-32 of all output since the reset. */
uint32_t inflater_crc(const struct inflater *inflater);

#endif
