#include "member_inflater.h"

#include "byte_order.h"

#include <stdlib.h>

#ifdef WARC_WITH_LIBDEFLATE

#include <libdeflate.h>

enum {
    TRAILER = 8,
    FAILURES_MAX = 6, /* doublings of the number of members that are skipped */
};

struct member_inflater {
    struct libdeflate_decompressor *decompressor;
    unsigned failures;    /* in a row */
    unsigned passed_over; /* members to skip before the next attempt */
};

warc_status member_inflater_new(struct member_inflater **out)
{
    struct member_inflater *inflater = calloc(1, sizeof *inflater);
    if (!inflater)
        return WARC_NOMEM;
    inflater->decompressor = libdeflate_alloc_decompressor();
    if (!inflater->decompressor) {
        free(inflater);
        return WARC_NOMEM;
    }
    *out = inflater;
    return WARC_OK;
}

void member_inflater_free(struct member_inflater *inflater)
{
    if (inflater)
        libdeflate_free_decompressor(inflater->decompressor);
    free(inflater);
}

bool member_inflater_is_worth(struct member_inflater *inflater)
{
    if (!inflater->passed_over)
        return true;
    inflater->passed_over--;
    return false;
}

static enum member_result failed(struct member_inflater *inflater)
{
    if (inflater->failures < FAILURES_MAX)
        inflater->failures++;
    inflater->passed_over = (1u << inflater->failures) - 1;
    return MEMBER_NOT_WHOLE;
}

enum member_result member_inflater_run(struct member_inflater *inflater,
                                       struct member_span *span)
{
    size_t used = 0, made = 0;
    const enum libdeflate_result result =
        libdeflate_deflate_decompress_ex(inflater->decompressor, span->in, span->in_len,
                                         span->out, span->capacity, &used, &made);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
        (void)failed(inflater);
        return MEMBER_NO_ROOM;
    }
    if (result != LIBDEFLATE_SUCCESS || span->in_len - used < TRAILER)
        return failed(inflater);
    const char *const trailer = span->in + used;
    if (warc_le32(trailer + 4) != (uint32_t)made ||
        warc_le32(trailer) != libdeflate_crc32(0, span->out, made))
        return failed(inflater);
    inflater->failures = inflater->passed_over = 0;
    span->used = used + TRAILER;
    span->made = made;
    return MEMBER_OK;
}

#else

struct member_inflater {
    char nothing;
};

warc_status member_inflater_new(struct member_inflater **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? WARC_OK : WARC_NOMEM;
}

void member_inflater_free(struct member_inflater *inflater)
{
    free(inflater);
}

bool member_inflater_is_worth(struct member_inflater *inflater)
{
    (void)inflater;
    return false;
}

enum member_result member_inflater_run(struct member_inflater *inflater,
                                       struct member_span *span)
{
    (void)inflater;
    (void)span;
    return MEMBER_NOT_WHOLE;
}

#endif
