/* A growing byte buffer. It keeps its first error, so append everything and check
 * once. */
#ifndef TH_BUFFER_H
#define TH_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "thresher/view.h"

typedef struct th_buffer {
    char *data; /* owned; NULL until the first append */
    size_t len;
    size_t capacity;
    bool has_failed; /* out of memory: later appends do nothing */
    /* Removes bytes when the buffer would grow beyond drain_at, which is 256 times a
     * power of two. NULL if the buffer may grow. The moment depends only on the bytes. */
    void (*drain)(struct th_buffer *buffer, void *context);
    void *drain_context;
    size_t drain_at;
} th_buffer;

/* An empty buffer needs no call: (th_buffer){ 0 }. */

/** Frees the bytes and resets the buffer to { 0 }, including the drain. */
void th_buffer_done(th_buffer *buffer);

/** Removes the bytes and the error, but keeps the memory and the drain. */
void th_buffer_reset(th_buffer *buffer);

/** Reserves space for `extra` more bytes. @return false if out of memory */
bool th_buffer_reserve(th_buffer *buffer, size_t extra);

void th_buffer_append(th_buffer *buffer, const char *bytes, size_t len);
void th_buffer_append_view(th_buffer *buffer, th_view view);
void th_buffer_append_text(th_buffer *buffer, const char *text);
void th_buffer_append_char(th_buffer *buffer, char c);

/** Appends like printf, cut to 1023 bytes: for short rows, never for untrusted text of
 * any length. */
void th_buffer_printf(th_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline th_view th_buffer_view(const th_buffer *buffer)
{
    return (th_view){ buffer->data ? buffer->data : "", buffer->len };
}

#endif
