/*
 * Decodes the chunked transfer coding. [RFC 9112 §7.1] It is the outermost of a body's
 * codings.
 *
 * Accepted in addition to the standard: LF for CRLF, spaces around the size (IIS pads
 * with them), a missing blank line at the very end. Extensions and trailers are skipped.
 */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "parse/http/decoder.h"
#include "thresher/page.h"

/* A size line is a few digits. A longer line is not a size line. */
enum { MAX_LINE = 1024, MAX_DIGITS = 16 };

enum place {
    SIZE_START, /* before the digits */
    SIZE_DIGITS,
    SIZE_BLANK,     /* after the digits */
    SIZE_EXTENSION, /* after a semicolon */
    DATA,
    DATA_END, /* the line end after the data */
    TRAILER,  /* after the size 0 */
    ENDED,
};

struct chunked {
    enum place place;
    uint64_t left;     /* bytes of the chunk still to come */
    uint32_t line_len; /* of the size or trailer line so far */
    uint32_t digits;   /* significant ones of the size */
    uint64_t chunks;   /* read with their line end */
    bool has_colon;    /* the trailer line so far */
};

static void *create(void)
{
    return calloc(1, sizeof(struct chunked));
}

static void destroy(void *state)
{
    free(state);
}

static bool reset(void *state, unsigned variant)
{
    (void)variant;
    memset(state, 0, sizeof(struct chunked));
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Takes a digit of the size. Returns false if the size is over 64 bits. */
static bool take_digit(struct chunked *chunked, int digit)
{
    chunked->place = SIZE_DIGITS;
    if (chunked->digits || digit)
        chunked->digits++;
    chunked->left = chunked->left << 4 | (uint64_t)digit;
    return chunked->digits <= MAX_DIGITS;
}

/* Takes a byte of a size line. Returns false if it cannot be one. */
static bool take_size_byte(struct chunked *chunked, char c)
{
    if (++chunked->line_len > MAX_LINE)
        return false;
    const int digit = th_hex_value(c);
    if (digit >= 0 && chunked->place <= SIZE_DIGITS)
        return take_digit(chunked, digit);
    if (c == '\n') {
        if (chunked->place == SIZE_START)
            return false;
        chunked->place = chunked->left ? DATA : TRAILER;
        chunked->line_len = 0;
        return true;
    }
    if (chunked->place == SIZE_EXTENSION)
        return true;
    if (c == ';' && chunked->place != SIZE_START) {
        chunked->place = SIZE_EXTENSION;
        return true;
    }
    if (chunked->place == SIZE_DIGITS)
        chunked->place = SIZE_BLANK;
    return is_blank(c);
}

/* Takes a byte after a chunk's data. Returns false if it is not the line end. */
static bool take_data_end(struct chunked *chunked, char c)
{
    if (c == '\r' && chunked->line_len == 0) {
        chunked->line_len = 1;
        return true;
    }
    if (c != '\n')
        return false;
    chunked->chunks++;
    chunked->place = SIZE_START;
    chunked->line_len = 0;
    chunked->digits = 0;
    return true;
}

/* Takes a byte of the trailers. Returns false if the line is not a field. */
static bool take_trailer_byte(struct chunked *chunked, char c)
{
    if (c == '\n') {
        if (chunked->line_len == 0)
            chunked->place = ENDED;
        else if (!chunked->has_colon)
            return false;
        chunked->line_len = 0;
        chunked->has_colon = false;
        return true;
    }
    if (c == '\r' && chunked->line_len == 0)
        return true;
    chunked->has_colon |= c == ':';
    return ++chunked->line_len <= MAX_LINE * 8;
}

static bool take_byte(struct chunked *chunked, char c)
{
    if (chunked->place <= SIZE_EXTENSION)
        return take_size_byte(chunked, c);
    if (chunked->place == DATA_END)
        return take_data_end(chunked, c);
    return take_trailer_byte(chunked, c);
}

static void copy_data(struct chunked *chunked, th_decode_span *span)
{
    size_t len = span->in_len < span->out_len ? span->in_len : span->out_len;
    if (len > chunked->left)
        len = (size_t)chunked->left;
    memcpy(span->out, span->in, len);
    span->in += len;
    span->in_len -= len;
    span->out += len;
    span->out_len -= len;
    chunked->left -= len;
    if (chunked->left == 0)
        chunked->place = DATA_END;
}

static th_decode_result step(void *state, th_decode_span *span)
{
    struct chunked *const chunked = state;
    while (span->in_len) {
        if (chunked->place == DATA) {
            if (span->out_len == 0)
                return TH_DECODE_MORE;
            copy_data(chunked, span);
            continue;
        }
        if (!take_byte(chunked, *span->in))
            return TH_DECODE_DAMAGED;
        span->in++;
        span->in_len--;
        if (chunked->place == ENDED)
            return TH_DECODE_END;
    }
    return TH_DECODE_MORE;
}

/* A text may start with a line of hex digits, but hardly ever with a chunk that also ends
 * correctly. */
static bool is_proven(const void *state)
{
    const struct chunked *const chunked = state;
    return chunked->chunks > 0 || chunked->place == ENDED ||
           (chunked->place == TRAILER && (chunked->line_len == 0 || chunked->has_colon));
}

/* No payload can follow the size 0. */
static bool is_complete(const void *state)
{
    const struct chunked *const chunked = state;
    return chunked->place == TRAILER || chunked->place == ENDED;
}

const th_decoder th_chunked_decoder = {
    .name = "chunked",
    .damaged_flag = TH_FLAG_CHUNKED_DAMAGED,
    .unfitting_flag = TH_FLAG_NOT_CHUNKED,
    .probe_len = 4096,
    .variant_count = 1,
    .create = create,
    .destroy = destroy,
    .reset = reset,
    .step = step,
    .is_proven = is_proven,
    .is_complete = is_complete,
};
