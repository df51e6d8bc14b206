/* Cuts pieces at line ends. Only a line that spans two pieces is copied. */
#include "dedup/line_reader.h"

#include <string.h>

void th_line_reader_start(th_line_reader *reader, th_decompressed_input *input,
                          size_t max_line)
{
    reader->input = input;
    reader->max_line = max_line;
    reader->number = 0;
    reader->fate = TH_OK;
    reader->at = reader->len = 0;
}

void th_line_reader_done(th_line_reader *reader)
{
    th_buffer_done(&reader->gathered);
}

/* Appends the part of the line that still fits. @return false without memory */
static bool gather(th_line_reader *reader, th_view part, bool *is_cut)
{
    const size_t capacity = reader->max_line - reader->gathered.len;
    *is_cut |= part.len > capacity;
    th_buffer_append(&reader->gathered, part.data,
                     part.len < capacity ? part.len : capacity);
    return !reader->gathered.has_failed;
}

/* Takes the rest of the piece, up to and including a line end if there is one. */
static th_view take_part(th_line_reader *reader, bool *has_end)
{
    const char *const start = reader->piece + reader->at;
    const size_t left = reader->len - reader->at;
    const char *end = left ? memchr(start, '\n', left) : NULL;
    const size_t len = end ? (size_t)(end - start) : left;
    *has_end = end != NULL;
    reader->at += len + (end ? 1 : 0);
    return (th_view){ start, len };
}

static th_status give(th_line_reader *reader, th_view text, bool is_cut, th_view *line)
{
    if (text.len > reader->max_line) {
        text.len = reader->max_line;
        is_cut = true;
    }
    if (text.len && text.data[text.len - 1] == '\r')
        text.len--;
    *line = text;
    reader->number++;
    return is_cut ? TH_TOO_LARGE : TH_OK;
}

th_status th_line_read(th_line_reader *reader, th_view *line, th_error *err)
{
    bool has_end = false, is_cut = false;
    th_buffer_reset(&reader->gathered);
    th_view part = take_part(reader, &has_end);
    if (has_end)
        return give(reader, part, false, line);
    bool has_line = part.len > 0;
    while (!has_end) {
        if (!gather(reader, part, &is_cut))
            return th_fail(err, TH_NOMEM, "out of memory for a line");
        if (reader->fate == TH_OK) {
            reader->at = reader->len = 0;
            reader->fate = th_decompressed_read(reader->input, reader->piece,
                                                sizeof reader->piece, &reader->len, err);
        }
        if (reader->fate != TH_OK) {
            reader->at = reader->len = 0;
            break;
        }
        has_line = true;
        part = take_part(reader, &has_end);
    }
    if (has_end && !gather(reader, part, &is_cut))
        return th_fail(err, TH_NOMEM, "out of memory for a line");
    if (has_line && reader->fate != TH_INTERRUPTED)
        return give(reader, th_buffer_view(&reader->gathered), is_cut, line);
    return reader->fate;
}
