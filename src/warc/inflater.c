/*
 * Raw deflate and CRC-32, by ISA-L (870 MB/s of output on the machine where zlib does
 * 350).
 *
 * ISA-L's output of a damaged stream depends on the processor. ISA-L counts the match
 * that contains the damage as written, and its kernels differ in how far they read
 * ahead. So the input of a stream is kept while it is read (a copy of compressed bytes
 * costs next to nothing). If ISA-L meets damage, zlib reads the stream again, up to
 * where ISA-L was before that call, and continues from there.
 */
#include "inflater.h"

#include <stdlib.h>

#include "exact_inflater.h"

#ifdef WARC_WITH_ISAL

#include <isa-l/igzip_lib.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
    READ_AHEAD = 8,      /* bytes that ISA-L holds in a register */
    LONGEST_MATCH = 258, /* [RFC 1951 §3.2.5] */
    KEPT_MAX = 4 << 20,  /* a longer stream is not kept; one page is shorter */
    KEPT_AT_FIRST = 64 << 10,
    PASSED_OVER = 16 << 10, /* most output skipped at a time, which ISA-L gave already */
    PASSED_MAX = 64,        /* most times in one call */
};

/* The stream's input since its start. */
struct kept {
    char *bytes;
    size_t len, size;
    size_t at; /* position of zlib */
    bool is_over;
};

struct inflater {
    struct inflate_state state;
    uint64_t made; /* bytes of output since the reset */
    bool is_damaged;
    struct kept kept;
    struct exact_inflater exact;
    bool is_exact;   /* zlib has taken over from ISA-L */
    uint64_t behind; /* bytes that ISA-L gave already and zlib must still skip */
};

warc_status inflater_new(struct inflater **out)
{
    struct inflater *inflater = calloc(1, sizeof *inflater);
    if (!inflater)
        return WARC_NOMEM;
    if (exact_inflater_init(&inflater->exact) != WARC_OK) {
        free(inflater);
        return WARC_NOMEM;
    }
    isal_inflate_init(&inflater->state);
    *out = inflater;
    return WARC_OK;
}

void inflater_free(struct inflater *inflater)
{
    if (!inflater)
        return;
    exact_inflater_done(&inflater->exact);
    free(inflater->kept.bytes);
    free(inflater);
}

/* Clears traces of earlier members as far as they reach. A damaged stream may use codes
 * that its incomplete tables leave open, and output that was never written: ISA-L then
 * returns bytes of an earlier member. The output of a member must not depend on earlier
 * input. */
static void clear_traces(struct inflater *inflater)
{
    struct inflate_state *state = &inflater->state;
    const size_t capacity = sizeof state->tmp_out_buffer;
    const size_t valid = state->tmp_out_valid > 0 ? (size_t)state->tmp_out_valid : 0;
    size_t used = capacity;
    if (!inflater->is_damaged && inflater->made < capacity - ISAL_LOOK_AHEAD)
        used = (size_t)inflater->made + ISAL_LOOK_AHEAD;
    if (used < capacity && valid + ISAL_LOOK_AHEAD > used)
        used = valid + ISAL_LOOK_AHEAD < capacity ? valid + ISAL_LOOK_AHEAD : capacity;
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
    inflater->is_exact = false;
    inflater->behind = 0;
    inflater->kept.len = inflater->kept.at = 0;
    inflater->kept.is_over = false;
}

static void keep(struct kept *kept, const char *bytes, size_t len)
{
    if (len == 0)
        return;
    if (kept->is_over || len > KEPT_MAX - kept->len) {
        kept->is_over = true;
        return;
    }
    if (len > kept->size - kept->len) {
        size_t size = kept->size ? kept->size : KEPT_AT_FIRST;
        while (len > size - kept->len)
            size *= 2;
        char *more = realloc(kept->bytes, size);
        if (!more) { /* it is only for damaged streams */
            kept->is_over = true;
            return;
        }
        kept->bytes = more;
        kept->size = size;
    }
    memcpy(kept->bytes + kept->len, bytes, len);
    kept->len += len;
}

/* Calls ISA-L once. @return its result, or a negative one if its counts are wrong */
static int run_fast(struct inflater *inflater, struct inflate_span *span)
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
    int result = isal_inflate(state);

    /* On a damaged stream ISA-L's counts may wrap around (seen: avail_in = -2): the
     * pointers are held to the span, and a count outside it is damage in itself. */
    const bool is_sane =
        state->avail_in <= span->in_len && state->avail_out <= span->out_len;
    const size_t in_max = span->in_len;
    const ptrdiff_t used = state->next_in - in.bytes;
    const size_t in_used = used < 0 ? 0 : (size_t)used < in_max ? (size_t)used : in_max;
    const ptrdiff_t made = state->next_out - (uint8_t *)span->out;
    size_t out_made = made < 0 || (size_t)made > span->out_len ? 0 : (size_t)made;
    /* The match that contains the damage counts as written, but is not written. Those
     * bytes are the old content of the buffer. */
    if (result < 0 && result != ISAL_INCORRECT_CHECKSUM)
        out_made -= out_made < LONGEST_MATCH ? out_made : LONGEST_MATCH;
    span->in += in_used;
    span->in_len -= in_used;
    span->out += out_made;
    span->out_len -= out_made;
    /* A stream that ended in bits that are not there has a negative rest. */
    const bool is_finished = state->block_state == ISAL_BLOCK_FINISH;
    if (result >= 0 && (!is_sane || (is_finished && state->read_in_length < 0)))
        result = ISAL_INVALID_BLOCK;
    return result;
}

/* Lets zlib read the kept input, then the span. */
static enum inflate_result run_exact(struct inflater *inflater, struct inflate_span *span)
{
    struct kept *kept = &inflater->kept;
    if (kept->at < kept->len) {
        struct inflate_span part = { kept->bytes + kept->at, kept->len - kept->at,
                                     span->out, span->out_len };
        const enum inflate_result result = exact_inflater_run(&inflater->exact, &part);
        kept->at = kept->len - part.in_len;
        span->out = part.out;
        span->out_len = part.out_len;
        if (result == INFLATE_END && part.in_len) {
            if (part.in_len > READ_AHEAD)
                return INFLATE_DAMAGED;
            span->in -= part.in_len;
            span->in_len += part.in_len;
        }
        if (result != INFLATE_MORE || part.in_len)
            return result;
    }
    return exact_inflater_run(&inflater->exact, span);
}

/* Starts zlib where ISA-L started. */
static void take_over(struct inflater *inflater)
{
    exact_inflater_reset(&inflater->exact);
    inflater->is_exact = true;
    inflater->behind = inflater->made;
}

/* Brings zlib nearer to where ISA-L was before its last call. Returns INFLATE_MORE when
 * it is reached, or INFLATE_DAMAGED if the damage was before that. */
static enum inflate_result catch_up(struct inflater *inflater)
{
    char passed_over[PASSED_OVER];
    for (int i = 0; i < PASSED_MAX && inflater->behind; i++) {
        struct inflate_span none = { .out = passed_over,
                                     .out_len = inflater->behind < PASSED_OVER
                                                    ? (size_t)inflater->behind
                                                    : PASSED_OVER };
        const size_t capacity = none.out_len;
        const enum inflate_result result = run_exact(inflater, &none);
        inflater->behind -= capacity - none.out_len;
        if (inflater->behind && (result != INFLATE_MORE || none.out_len == capacity))
            return INFLATE_DAMAGED;
    }
    return inflater->behind ? INFLATE_BEHIND : INFLATE_MORE;
}

static enum inflate_result go_on_exact(struct inflater *inflater,
                                       struct inflate_span *span)
{
    const enum inflate_result result = catch_up(inflater);
    return result == INFLATE_MORE ? run_exact(inflater, span) : result;
}

enum inflate_result inflater_run(struct inflater *inflater, struct inflate_span *span)
{
    if (inflater->is_exact)
        return go_on_exact(inflater, span);
    const struct inflate_span before = *span;
    const int result = run_fast(inflater, span);
    inflater->is_damaged = result < 0;
    if (result < 0 && !inflater->kept.is_over) {
        *span = before;
        take_over(inflater);
        return go_on_exact(inflater, span);
    }
    keep(&inflater->kept, before.in, before.in_len - span->in_len);
    inflater->made += before.out_len - span->out_len;
    if (result < 0)
        return INFLATE_DAMAGED;
    if (inflater->state.block_state != ISAL_BLOCK_FINISH)
        return INFLATE_MORE;
    /* ISA-L reads ahead into a register. Complete bytes after the stream are put back. */
    const size_t ahead = (size_t)inflater->state.read_in_length / 8;
    span->in -= ahead;
    span->in_len += ahead;
    return INFLATE_END;
}

uint32_t inflater_crc(const struct inflater *inflater)
{
    return inflater->is_exact ? inflater->exact.crc : inflater->state.crc;
}

#else

struct inflater {
    struct exact_inflater exact;
};

warc_status inflater_new(struct inflater **out)
{
    struct inflater *inflater = calloc(1, sizeof *inflater);
    if (!inflater)
        return WARC_NOMEM;
    const warc_status status = exact_inflater_init(&inflater->exact);
    if (status != WARC_OK) {
        free(inflater);
        return status;
    }
    *out = inflater;
    return WARC_OK;
}

void inflater_free(struct inflater *inflater)
{
    if (inflater)
        exact_inflater_done(&inflater->exact);
    free(inflater);
}

void inflater_reset(struct inflater *inflater)
{
    exact_inflater_reset(&inflater->exact);
}

enum inflate_result inflater_run(struct inflater *inflater, struct inflate_span *span)
{
    return exact_inflater_run(&inflater->exact, span);
}

uint32_t inflater_crc(const struct inflater *inflater)
{
    return inflater->exact.crc;
}

#endif
