/* The two ready-made outputs: a growing buffer, a FILE. */
#include "output_buffer.h"

#include <stdlib.h>
#include <string.h>

warc_status warc_buffer_append(warc_buffer *buffer, warc_view bytes)
{
    if (bytes.len == 0)
        return WARC_OK;
    if (bytes.len > SIZE_MAX / 4 || buffer->len > SIZE_MAX / 4)
        return WARC_NOMEM;
    const size_t want = buffer->len + bytes.len;
    if (want > buffer->capacity) {
        size_t capacity = buffer->capacity > 0 ? buffer->capacity : 4096;
        while (capacity < want)
            capacity *= 2;
        char *data = realloc(buffer->data, capacity);
        if (!data)
            return WARC_NOMEM;
        buffer->data = data;
        buffer->capacity = capacity;
    }
    memcpy(buffer->data + buffer->len, bytes.data, bytes.len);
    buffer->len = want;
    return WARC_OK;
}

void warc_buffer_done(warc_buffer *buffer)
{
    free(buffer->data);
    *buffer = (warc_buffer){ 0 };
}

static warc_status write_to_buffer(void *context, warc_view bytes)
{
    return warc_buffer_append(context, bytes);
}

static warc_status write_to_file(void *context, warc_view bytes)
{
    return fwrite(bytes.data, 1, bytes.len, context) == bytes.len ? WARC_OK : WARC_IO;
}

warc_output warc_output_to_buffer(warc_buffer *buffer)
{
    return (warc_output){ buffer, write_to_buffer };
}

warc_output warc_output_to_file(FILE *file)
{
    return (warc_output){ file, write_to_file };
}
