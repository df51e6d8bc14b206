/*
 * A whole gzip member at once, by libdeflate: no window, no copy, a third of the
 * instructions of ISA-L. Members that are damaged, cut or large are not its business:
 * the caller then inflates them in pieces (inflater.h), with the same bytes.
 */
#ifndef WARC_MEMBER_INFLATER_H
#define WARC_MEMBER_INFLATER_H

#include "warc/warc_status.h"

#include <stdbool.h>

struct member_inflater;

enum member_result {
    MEMBER_OK,
    MEMBER_NO_ROOM,   /* the member unpacks to more bytes than there is room for */
    MEMBER_NOT_WHOLE, /* damaged, or not all of it is in the input, or not built in */
};

/** @return WARC_OK, the caller owns *out; WARC_NOMEM */
warc_status member_inflater_new(struct member_inflater **out);

/** NULL is allowed. */
void member_inflater_free(struct member_inflater *inflater);

/** False while attempts are not worth their time: after failures, for up to 63 members.
 * Each call counts a member. The bytes of an archive do not depend on the answer. */
bool member_inflater_is_worth(struct member_inflater *inflater);

/** Input and output of one attempt. */
struct member_span {
    const char *in; /* the deflate stream, which follows the member's header */
    size_t in_len;  /* bytes of the stream, the trailer and later members */
    char *out;
    size_t capacity;
    size_t used; /* out: bytes of the stream and the trailer */
    size_t made; /* out: unpacked bytes */
};

/**
 * Inflates the stream and checks length and CRC-32 in the trailer. [RFC 1952 2.3.1]
 *
 * @return MEMBER_OK: used and made are set; otherwise `out` holds no valid bytes.
 * Takes time proportional to the bytes read and written; allocates nothing.
 */
enum member_result member_inflater_run(struct member_inflater *inflater,
                                       struct member_span *span);

#endif
