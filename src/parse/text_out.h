/* Decoded text on its way into an arena: grows, drops NULs, keeps its first error. */
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
    uint32_t flags;  /* TH_FLAG_CHARSET_ERRORS, TH_FLAG_NUL_REMOVED */
    bool has_failed; /* no memory: what is put now is lost */
} th_text_out;

enum { TH_REPLACEMENT = 0xFFFD };

/** Room for `extra` more bytes. @return false when there is none, now or before */
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

/** Appends a code point, which is no surrogate; U+0000 is dropped and flagged. */
static inline void th_text_out_put(th_text_out *out, uint32_t c)
{
    if (!th_text_out_reserve(out, 4))
        return;
    if (c - 1 < 0x7F)
        out->data[out->len++] = (char)c;
    else if (c == 0)
        out->flags |= TH_FLAG_NUL_REMOVED;
    else
        out->len += th_utf8_put(c, out->data + out->len);
}

/** Appends U+FFFD for bytes that mean nothing. */
static inline void th_text_out_put_error(th_text_out *out)
{
    out->flags |= TH_FLAG_CHARSET_ERRORS;
    th_text_out_put(out, TH_REPLACEMENT);
}

/** Appends valid UTF-8, without its NULs. */
static inline void th_text_out_append(th_text_out *out, const char *bytes, size_t len)
{
    if (!th_text_out_reserve(out, len))
        return;
    while (len) {
        const char *const nul = memchr(bytes, '\0', len);
        const size_t part = nul ? (size_t)(nul - bytes) : len;
        memcpy(out->data + out->len, bytes, part);
        out->len += part;
        if (!nul)
            return;
        out->flags |= TH_FLAG_NUL_REMOVED;
        bytes += part + 1;
        len -= part + 1;
    }
}

#endif
