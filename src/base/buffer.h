/* Bytes that grow. Keeps its first error: append the whole row, check once. */
#ifndef TH_BUFFER_H
#define TH_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "thresher/view.h"

typedef struct th_buffer {
    char *data; /* owned; NULL while nothing was appended */
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

/** Frees the bytes and makes the buffer { 0 }; the drain is gone too. */
void th_buffer_done(th_buffer *buffer);

/** Forgets the bytes and the error, keeps the memory, and the drain. */
void th_buffer_reset(th_buffer *buffer);

/** Makes room for `extra` more bytes. @return false when there is no memory */
bool th_buffer_reserve(th_buffer *buffer, size_t extra);

void th_buffer_append(th_buffer *buffer, const char *bytes, size_t len);
void th_buffer_append_view(th_buffer *buffer, th_view view);
void th_buffer_append_text(th_buffer *buffer, const char *text);
void th_buffer_append_char(th_buffer *buffer, char c);

/** printf's, cut to 1023 bytes: for short rows, never for untrusted text of any
 * length. */
void th_buffer_printf(th_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline th_view th_buffer_view(const th_buffer *buffer)
{
    return (th_view){ buffer->data ? buffer->data : "", buffer->len };
}

#endif
