/*
 * Gathers the mark at the start of each of several members in a row (gzip members,
 * Zstandard frames), which may lie across two pieces of input.
 */
#ifndef TH_MEMBER_MARK_H
#define TH_MEMBER_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include "parse/decoder.h"

enum { TH_MEMBER_MARK_LEN = 4 };

typedef struct th_member_mark {
    char bytes[TH_MEMBER_MARK_LEN];
    size_t len;
} th_member_mark;

/**
 * Takes bytes of the mark from the span.
 * @param fits  whether `len` bytes may start a mark
 * @return TH_DECODE_END the mark is whole; TH_DECODE_MORE the input ended in it;
 *         TH_DECODE_DAMAGED the next byte cannot belong to one, and stays in the span
 */
static inline th_decode_result
th_member_mark_take(th_member_mark *mark, th_decode_span *span,
                    bool (*fits)(const char *bytes, size_t len))
{
    while (mark->len < TH_MEMBER_MARK_LEN && span->in_len) {
        mark->bytes[mark->len] = *span->in;
        if (!fits(mark->bytes, mark->len + 1))
            return TH_DECODE_DAMAGED;
        mark->len++;
        span->in++;
        span->in_len--;
    }
    return mark->len == TH_MEMBER_MARK_LEN ? TH_DECODE_END : TH_DECODE_MORE;
}

#endif
