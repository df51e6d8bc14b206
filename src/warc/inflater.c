/* Raw deflate and CRC-32, by ISA-L (870 MB/s of output on the machine where zlib does
 * 350). */
#include "inflater.h"

#include <stdlib.h>

#ifdef WARC_WITH_ISAL

#include <isa-l/igzip_lib.h>

#include <string.h>

struct inflater {
    struct inflate_state state;
};

warc_status inflater_new(struct inflater **out)
{
    struct inflater *inflater = calloc(1, sizeof *inflater);
    if (!inflater)
        return WARC_NOMEM;
    isal_inflate_init(&inflater->state);
    *out = inflater;
    return WARC_OK;
}

void inflater_free(struct inflater *inflater)
{
    free(inflater);
}

void inflater_reset(struct inflater *inflater)
{
    isal_inflate_reset(&inflater->state);
    /* A damaged stream may use a code that its incomplete table leaves open: ISA-L then
     * reads what an earlier member left there. The result must not depend on what was
     * read before. */
    memset(&inflater->state.lit_huff_code, 0, sizeof inflater->state.lit_huff_code);
    memset(&inflater->state.dist_huff_code, 0, sizeof inflater->state.dist_huff_code);
    inflater->state.crc_flag = ISAL_GZIP_NO_HDR; /* CRC yes, header and trailer no */
    inflater->state.avail_in = 0;
}

enum inflate_result inflater_run(struct inflater *inflater, struct inflate_span *span)
{
    struct inflate_state *state = &inflater->state;
    /* ISA-L's pointer is not const, but it only reads. */
    union {
        const char *in;
        uint8_t *bytes;
    } in = { .in = span->in };
    state->next_in = in.bytes;
    state->avail_in = (uint32_t)span->in_len;
    state->next_out = (uint8_t *)span->out;
    state->avail_out = (uint32_t)span->out_len;
    const int result = isal_inflate(state);

    span->in += span->in_len - state->avail_in;
    span->in_len = state->avail_in;
    span->out += span->out_len - state->avail_out;
    span->out_len = state->avail_out;
    if (result < 0)
        return INFLATE_DAMAGED;
    if (state->block_state != ISAL_BLOCK_FINISH)
        return INFLATE_MORE;
    /* ISA-L reads ahead into a register; whole bytes behind the stream go back. */
    const size_t ahead = (size_t)state->read_in_length / 8;
    span->in -= ahead;
    span->in_len += ahead;
    return INFLATE_END;
}

uint32_t inflater_crc(const struct inflater *inflater)
{
    return inflater->state.crc;
}

#else

#include <zlib.h>

struct inflater {
    z_stream stream;
    uint32_t crc;
};

warc_status inflater_new(struct inflater **out)
{
    struct inflater *inflater = calloc(1, sizeof *inflater);
    if (!inflater)
        return WARC_NOMEM;
    if (inflateInit2(&inflater->stream, -MAX_WBITS) != Z_OK) {
        free(inflater);
        return WARC_NOMEM;
    }
    *out = inflater;
    return WARC_OK;
}

void inflater_free(struct inflater *inflater)
{
    if (inflater)
        inflateEnd(&inflater->stream);
    free(inflater);
}

void inflater_reset(struct inflater *inflater)
{
    inflateReset(&inflater->stream);
    inflater->crc = 0;
}

enum inflate_result inflater_run(struct inflater *inflater, struct inflate_span *span)
{
    z_stream *stream = &inflater->stream;
    char *const out = span->out;
    union { /* zlib's pointer is not const, but it only reads */
        const char *in;
        Bytef *bytes;
    } in = { .in = span->in };
    stream->next_in = in.bytes;
    stream->avail_in = (uInt)span->in_len;
    stream->next_out = (Bytef *)span->out;
    stream->avail_out = (uInt)span->out_len;
    const int result = inflate(stream, Z_NO_FLUSH);

    span->in += span->in_len - stream->avail_in;
    span->in_len = stream->avail_in;
    span->out += span->out_len - stream->avail_out;
    span->out_len = stream->avail_out;
    inflater->crc =
        (uint32_t)crc32(inflater->crc, (const Bytef *)out, (uInt)(span->out - out));
    if (result == Z_STREAM_END)
        return INFLATE_END;
    return result == Z_OK || result == Z_BUF_ERROR ? INFLATE_MORE : INFLATE_DAMAGED;
}

uint32_t inflater_crc(const struct inflater *inflater)
{
    return inflater->crc;
}

#endif
