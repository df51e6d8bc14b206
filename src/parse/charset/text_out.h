/* Decoded text in an arena. Grows, and keeps its first error. */
#ifndef TH_TEXT_OUT_H
#define TH_TEXT_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/unicode.h"
#include "thresher/arena.h"
#include "thresher/page.h"

typedef struct th_text_out {
    th_arena *arena;
    char *data; /* in the arena; its newest allocation */
    size_t len;
    size_t capacity;
    uint32_t flags;  /* TH_FLAG_CHARSET_ERRORS */
    bool has_failed; /* out of memory: later output is lost */
} th_text_out;

enum { TH_REPLACEMENT = 0xFFFD };

/** Reserves `extra` more bytes. @return false when there is no room, now or before */
static inline bool th_text_out_reserve(th_text_out *out, size_t extra)
{
    if (out->capacity - out->len >= extra)
        return true;
    if (out->has_failed)
        return false;
    const size_t capacity = out->capacity + out->capacity / 2 + extra + 64;
    char *const data = th_arena_grow(out->arena, out->data, out->capacity, capacity);
    if (!data) {
        out->has_failed = true;
        return false;
    }
    out->data = data;
    out->capacity = capacity;
    return true;
}

/** Appends a code point, which must not be a surrogate. */
static inline void th_text_out_put(th_text_out *out, uint32_t c)
{
    if (!th_text_out_reserve(out, 4))
        return;
    if (c < 0x80)
        out->data[out->len++] = (char)c;
    else
        out->len += th_utf8_put(c, out->data + out->len);
}

/** Appends U+FFFD for invalid bytes. */
static inline void th_text_out_put_error(th_text_out *out)
{
    out->flags |= TH_FLAG_CHARSET_ERRORS;
    th_text_out_put(out, TH_REPLACEMENT);
}

/** Appends valid UTF-8. */
static inline void th_text_out_append(th_text_out *out, const char *bytes, size_t len)
{
    if (!len || !th_text_out_reserve(out, len))
        return;
    memcpy(out->data + out->len, bytes, len);
    out->len += len;
}

#endif
