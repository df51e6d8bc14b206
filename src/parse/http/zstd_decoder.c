/* Decodes zstd: consecutive Zstandard frames, also skippable ones. [RFC 8878] */
#include <stdlib.h>

#include <zstd.h>
#include <zstd_errors.h>

#include "parse/http/decoder.h"
#include "parse/http/member_row.h"
#include "thresher/page.h"

/* The largest window that a decoder of Content-Encoding must accept: 8 MiB. [RFC 9659
 * §3] */
enum { MAX_WINDOW_LOG = 23 };

struct zstd {
    th_member_row row;
    ZSTD_DCtx *stream;
    size_t wanted;     /* input that takes the stream to the end of its block */
    bool holds_output; /* the last call filled its output buffer */
};

static void destroy(void *state)
{
    struct zstd *const zstd = state;
    if (zstd)
        ZSTD_freeDCtx(zstd->stream);
    free(zstd);
}

static void *create(void)
{
    struct zstd *const zstd = calloc(1, sizeof *zstd);
    if (!zstd)
        return NULL;
    zstd->stream = ZSTD_createDCtx();
    if (!zstd->stream || ZSTD_isError(ZSTD_DCtx_setParameter(
                             zstd->stream, ZSTD_d_windowLogMax, MAX_WINDOW_LOG))) {
        destroy(zstd);
        return NULL;
    }
    return zstd;
}

static bool reset(void *state, unsigned variant)
{
    (void)variant;
    struct zstd *const zstd = state;
    zstd->row = (th_member_row){ 0 };
    return !ZSTD_isError(ZSTD_DCtx_reset(zstd->stream, ZSTD_reset_session_only));
}

/* FD2FB528 of a frame, 184D2A50 to 5F of a skippable one, both little-endian. */
static bool may_be_zstd(const char *bytes, size_t len)
{
    static const unsigned char frame[] = { 0x28, 0xB5, 0x2F, 0xFD };
    static const unsigned char skippable[] = { 0x50, 0x2A, 0x4D, 0x18 };
    bool is_frame = true;
    bool is_skippable = true;
    for (size_t i = 0; i < len; i++) {
        const unsigned char byte = (unsigned char)bytes[i];
        is_frame = is_frame && byte == frame[i];
        is_skippable =
            is_skippable && (i == 0 ? (byte & 0xF0) == 0x50 : byte == skippable[i]);
    }
    return is_frame || is_skippable;
}

/*
 * After a call that ends in an error, its output is unknown. So each call gets at most
 * one block of input, and none while output is pending. The output of the blocks before
 * the damaged one is not lost.
 */
static th_decode_result run(void *state, th_decode_span *span)
{
    struct zstd *const zstd = state;
    for (;;) {
        const size_t take = zstd->holds_output ? 0 : zstd->wanted;
        ZSTD_inBuffer in = { span->in, span->in_len < take ? span->in_len : take, 0 };
        ZSTD_outBuffer out = { span->out, span->out_len, 0 };
        const size_t wanted = ZSTD_decompressStream(zstd->stream, &out, &in);
        span->in += in.pos;
        span->in_len -= in.pos;
        span->out += out.pos;
        span->out_len -= out.pos;
        if (ZSTD_isError(wanted))
            return ZSTD_getErrorCode(wanted) == ZSTD_error_memory_allocation
                       ? TH_DECODE_NOMEM
                       : TH_DECODE_DAMAGED;
        if (wanted == 0)
            return TH_DECODE_END;
        zstd->wanted = wanted;
        const bool has_waited = zstd->holds_output;
        zstd->holds_output = span->out_len == 0;
        if (span->out_len == 0 || (!has_waited && in.pos + out.pos == 0))
            return TH_DECODE_MORE;
    }
}

static bool open_frame(void *state)
{
    struct zstd *const zstd = state;
    zstd->wanted = TH_MEMBER_MARK_LEN;
    zstd->holds_output = false;
    return true;
}

static th_decode_result step(void *state, th_decode_span *span)
{
    static const th_member_coding frame = { may_be_zstd, open_frame, run };
    return th_member_row_step(&frame, state, span);
}

const th_decoder th_zstd_decoder = {
    .name = "zstd",
    .damaged_flag = TH_FLAG_CODING_DAMAGED,
    .unfitting_flag = TH_FLAG_CODING_NOT_APPLIED,
    .probe_len = TH_MEMBER_MARK_LEN,
    .variant_count = 1,
    .create = create,
    .destroy = destroy,
    .reset = reset,
    .step = step,
    .is_proven = th_member_row_is_proven,
    .is_complete = th_member_row_is_complete,
};
