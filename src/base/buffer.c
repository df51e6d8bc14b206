/* A byte buffer that grows by doubling and keeps its first error. */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void th_buffer_done(th_buffer *buffer)
{
    free(buffer->data);
    *buffer = (th_buffer){ 0 };
}

void th_buffer_reset(th_buffer *buffer)
{
    buffer->len = 0;
    buffer->has_failed = false;
}

bool th_buffer_reserve(th_buffer *buffer, size_t extra)
{
    if (buffer->has_failed)
        return false;
    if (buffer->capacity - buffer->len >= extra)
        return true;
    if (buffer->drain && buffer->len + extra > buffer->drain_at) {
        buffer->drain(buffer, buffer->drain_context);
        if (buffer->has_failed || buffer->capacity - buffer->len >= extra)
            return !buffer->has_failed;
    }
    size_t capacity = buffer->capacity ? buffer->capacity : 256;
    while (capacity - buffer->len < extra && capacity <= SIZE_MAX / 4)
        capacity *= 2;
    char *data = capacity - buffer->len < extra ? NULL : realloc(buffer->data, capacity);
    if (!data) {
        buffer->has_failed = true;
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

void th_buffer_append(th_buffer *buffer, const char *bytes, size_t len)
{
    if (!len || !th_buffer_reserve(buffer, len))
        return;
    memcpy(buffer->data + buffer->len, bytes, len);
    buffer->len += len;
}

void th_buffer_append_view(th_buffer *buffer, th_view view)
{
    th_buffer_append(buffer, view.data, view.len);
}

void th_buffer_append_text(th_buffer *buffer, const char *text)
{
    th_buffer_append(buffer, text, strlen(text));
}

void th_buffer_append_char(th_buffer *buffer, char c)
{
    th_buffer_append(buffer, &c, 1);
}

void th_buffer_printf(th_buffer *buffer, const char *format, ...)
{
    char row[1024];
    va_list args;
    va_start(args, format);
    const int len = vsnprintf(row, sizeof row, format, args);
    va_end(args);
    if (len > 0)
        th_buffer_append(buffer, row,
                         (size_t)len < sizeof row ? (size_t)len : sizeof row - 1);
}
