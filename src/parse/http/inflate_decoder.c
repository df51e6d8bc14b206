/*
 * Decodes gzip and deflate, with ISA-L if it was built in, otherwise with zlib.
 *
 * gzip bodies may be several members in a row [RFC 1952 §2.2]. "deflate" should be zlib's
 * format [RFC 9110 §8.4.1.2], but servers send bare deflate too. Only a trial
 * distinguishes the two. Checksums are verified in both. A wrong one is damage.
 */
#include <stddef.h>
#include <stdlib.h>

#ifdef TH_WITH_ISAL
#include <isa-l/igzip_lib.h>
#include <string.h>
#else
#include <zlib.h>
#endif

#include "parse/http/decoder.h"
#include "parse/http/member_row.h"
#include "thresher/page.h"

#ifdef TH_WITH_ISAL
enum { MAX_MATCH_LEN = 258 }; /* [RFC 1951 §3.2.5] */
#endif

enum framing { ZLIB, RAW, GZIP }; /* the first two are the variants of "deflate" */

struct inflater {
    th_member_row row; /* gzip only */
#ifdef TH_WITH_ISAL
    struct inflate_state stream;
#else
    z_stream stream;
#endif
    bool has_ended;
};

/* zlib's and ISA-L's input pointers are not const, but they only read. */
union input {
    const char *chars;
    unsigned char *bytes;
};

#ifdef TH_WITH_ISAL

static void *create(void)
{
    struct inflater *const inflater = malloc(sizeof *inflater);
    if (inflater)
        isal_inflate_init(&inflater->stream);
    return inflater;
}

static void destroy(void *state)
{
    free(state);
}

static bool open_stream(struct inflater *inflater, enum framing framing)
{
    /* A damaged stream may use codes and bytes that it never set. ISA-L would then output
     * bytes of the page before, so they are cleared. */
    memset(&inflater->stream, 0, sizeof inflater->stream);
    isal_inflate_init(&inflater->stream);
    inflater->stream.crc_flag = framing == GZIP   ? ISAL_GZIP
                                : framing == ZLIB ? ISAL_ZLIB
                                                  : ISAL_DEFLATE;
    inflater->has_ended = false;
    return true;
}

/*
 * ISA-L 2.30 counts the match in which it meets damage as written, though it is not. The
 * bytes there are from another page. `written` is the count of the failed call.
 */
static void withdraw_tail(th_decode_span *span, ptrdiff_t written)
{
    const size_t tail = written < MAX_MATCH_LEN ? (size_t)written : MAX_MATCH_LEN;
    span->out -= tail;
    span->out_len += tail;
}

static th_decode_result run(void *state, th_decode_span *span)
{
    struct inflate_state *const stream = &((struct inflater *)state)->stream;
    const union input in = { .chars = span->in };
    stream->next_in = in.bytes;
    stream->avail_in = (uint32_t)span->in_len;
    stream->next_out = (uint8_t *)span->out;
    stream->avail_out = (uint32_t)span->out_len;
    char *const out = span->out;
    const int result = isal_inflate(stream);

    span->out += span->out_len - stream->avail_out;
    span->out_len = stream->avail_out;
    if (result < 0) {
        if (result != ISAL_INCORRECT_CHECKSUM)
            withdraw_tail(span, span->out - out);
        return TH_DECODE_DAMAGED; /* avail_in is wrong then, and may be below 0 */
    }
    span->in += span->in_len - stream->avail_in;
    span->in_len = stream->avail_in;
    return stream->block_state == ISAL_BLOCK_FINISH ? TH_DECODE_END : TH_DECODE_MORE;
}

#else

static void *create(void)
{
    struct inflater *const inflater = calloc(1, sizeof *inflater);
    if (inflater && inflateInit2(&inflater->stream, MAX_WBITS) != Z_OK) {
        free(inflater);
        return NULL;
    }
    return inflater;
}

static void destroy(void *state)
{
    struct inflater *const inflater = state;
    if (inflater)
        inflateEnd(&inflater->stream);
    free(inflater);
}

static bool open_stream(struct inflater *inflater, enum framing framing)
{
    inflater->has_ended = false;
    return inflateReset2(&inflater->stream, framing == GZIP ? MAX_WBITS + 16
                                            : framing == ZLIB ? MAX_WBITS
                                                              : -MAX_WBITS) == Z_OK;
}

static th_decode_result run(void *state, th_decode_span *span)
{
    z_stream *const stream = &((struct inflater *)state)->stream;
    const union input in = { .chars = span->in };
    stream->next_in = in.bytes;
    stream->avail_in = (uInt)span->in_len;
    stream->next_out = (Bytef *)span->out;
    stream->avail_out = (uInt)span->out_len;
    const int result = inflate(stream, Z_NO_FLUSH);

    span->in += span->in_len - stream->avail_in;
    span->in_len = stream->avail_in;
    span->out += span->out_len - stream->avail_out;
    span->out_len = stream->avail_out;
    if (result == Z_MEM_ERROR)
        return TH_DECODE_NOMEM;
    if (result == Z_STREAM_END)
        return TH_DECODE_END;
    return result == Z_OK || result == Z_BUF_ERROR ? TH_DECODE_MORE : TH_DECODE_DAMAGED;
}

#endif

static bool reset_deflate(void *state, unsigned variant)
{
    return open_stream(state, variant == 0 ? ZLIB : RAW);
}

static th_decode_result step_deflate(void *state, th_decode_span *span)
{
    const th_decode_result result = run(state, span);
    ((struct inflater *)state)->has_ended = result == TH_DECODE_END;
    return result;
}

static bool is_deflate_complete(const void *state)
{
    return ((const struct inflater *)state)->has_ended;
}

static bool reset_gzip(void *state, unsigned variant)
{
    (void)variant;
    ((struct inflater *)state)->row = (th_member_row){ 0 };
    return true;
}

/* ID1 ID2 CM, and no reserved flag. [RFC 1952 §2.3] */
static bool may_be_gzip(const char *bytes, size_t len)
{
    static const char id[] = "\x1f\x8b\x08";
    for (size_t i = 0; i < len && i < 3; i++)
        if (bytes[i] != id[i])
            return false;
    return len < 4 || !((unsigned char)bytes[3] & 0xE0);
}

static bool open_gzip(void *state)
{
    return open_stream(state, GZIP);
}

static th_decode_result step_gzip(void *state, th_decode_span *span)
{
    static const th_member_coding gzip = { may_be_gzip, open_gzip, run };
    return th_member_row_step(&gzip, state, span);
}

const th_decoder th_gzip_decoder = {
    .name = "gzip",
    .damaged_flag = TH_FLAG_CODING_DAMAGED,
    .unfitting_flag = TH_FLAG_CODING_NOT_APPLIED,
    .probe_len = TH_MEMBER_MARK_LEN,
    .variant_count = 1,
    .create = create,
    .destroy = destroy,
    .reset = reset_gzip,
    .step = step_gzip,
    .is_proven = th_member_row_is_proven,
    .is_complete = th_member_row_is_complete,
};

const th_decoder th_deflate_decoder = {
    .name = "deflate",
    .damaged_flag = TH_FLAG_CODING_DAMAGED,
    .unfitting_flag = TH_FLAG_CODING_NOT_APPLIED,
    .probe_len = 4096,
    .variant_count = 2,
    .create = create,
    .destroy = destroy,
    .reset = reset_deflate,
    .step = step_deflate,
    /* zlib's two bytes are too short a mark: one text in a thousand has them. */
    .is_complete = is_deflate_complete,
};
