/* Raw deflate and CRC-32, by ISA-L (870 MB/s of output on the machine where zlib does
 * 350). */
#include "inflater.h"

#include <stdlib.h>

#ifdef WARC_WITH_ISAL

#include <isa-l/igzip_lib.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { LONGEST_MATCH = 258 }; /* [RFC 1951 §3.2.5] */

struct inflater {
    struct inflate_state state;
    uint64_t made; /* bytes of output since the reset */
    bool is_damaged;
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

/* A damaged stream may use codes that its incomplete tables leave open, and output that
 * was never written: ISA-L then hands out what an earlier member left there. What a
 * member gives must not depend on what was read before it, so its traces are cleared, as
 * far as they go. */
static void clear_traces(struct inflater *inflater)
{
    struct inflate_state *state = &inflater->state;
    const size_t room = sizeof state->tmp_out_buffer;
    const size_t valid = state->tmp_out_valid > 0 ? (size_t)state->tmp_out_valid : 0;
    size_t used = room;
    if (!inflater->is_damaged && inflater->made < room - ISAL_LOOK_AHEAD)
        used = (size_t)inflater->made + ISAL_LOOK_AHEAD;
    if (used < room && valid + ISAL_LOOK_AHEAD > used)
        used = valid + ISAL_LOOK_AHEAD < room ? valid + ISAL_LOOK_AHEAD : room;
    memset(state->tmp_out_buffer, 0, used);
    memset(&state->lit_huff_code, 0, sizeof state->lit_huff_code);
    memset(&state->dist_huff_code, 0, sizeof state->dist_huff_code);
}

void inflater_reset(struct inflater *inflater)
{
    clear_traces(inflater);
    isal_inflate_reset(&inflater->state);
    inflater->state.crc_flag = ISAL_GZIP_NO_HDR; /* CRC yes, header and trailer no */
    inflater->state.avail_in = 0;
    inflater->made = 0;
    inflater->is_damaged = false;
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

    /* On a damaged stream ISA-L's counts may wrap around (seen: avail_in = -2): the
     * pointers are held to the span, and a count outside it is damage in itself. */
    const bool is_sane =
        state->avail_in <= span->in_len && state->avail_out <= span->out_len;
    const size_t in_max = span->in_len;
    const ptrdiff_t used = state->next_in - in.bytes;
    const size_t in_used = used < 0 ? 0 : (size_t)used < in_max ? (size_t)used : in_max;
    const ptrdiff_t made = state->next_out - (uint8_t *)span->out;
    size_t out_made = made < 0 || (size_t)made > span->out_len ? 0 : (size_t)made;
    /* The match that damage was met in counts as written, though it is not: those bytes
     * are whatever the room held before. */
    if (result < 0 && result != ISAL_INCORRECT_CHECKSUM)
        out_made -= out_made < LONGEST_MATCH ? out_made : LONGEST_MATCH;
    span->in += in_used;
    span->in_len -= in_used;
    span->out += out_made;
    span->out_len -= out_made;
    inflater->made += out_made;
    const bool is_finished = state->block_state == ISAL_BLOCK_FINISH;
    /* A stream that ended in bits that are not there has a negative rest. */
    inflater->is_damaged =
        result < 0 || !is_sane || (is_finished && state->read_in_length < 0);
    if (inflater->is_damaged)
        return INFLATE_DAMAGED;
    if (!is_finished)
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
