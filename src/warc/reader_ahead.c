/*
 * Looks ahead to the end of the member, where its damage shows. A damaged member can run
 * over the beginning of the next one, and then seems to contain records of that one. The
 * unpacker finds the next member itself, so such a copy is not a record here.
 */
#include "reader_state.h"
#include "warc_head.h"

#include <string.h>

enum {
    COPY_AHEAD = 4 << 20,     /* bytes after the member that are searched for a copy */
    COMPARED_MAX = 4096,      /* bytes of a header that are compared */
    SEARCHED_FREE = 16 << 20, /* bytes searched before any progress */
};

warc_status reader_damage_ahead(struct warc_reader *reader, const struct mark **damage)
{
    const struct decompressed_window *out = &reader->stream.out;
    size_t before = SIZE_MAX;
    *damage = NULL;
    if (reader->stream.container == WARC_CONTAINER_PLAIN || reader->is_member_over)
        return WARC_OK;
    for (;;) {
        for (size_t i = out->mark_begin; i < out->mark_end; i++) {
            const struct mark *mark = &out->marks[i];
            const bool is_damage = reader_is_damage(mark);
            if (mark->at - out->at > READER_LOOK_AHEAD)
                return WARC_OK;
            if (is_damage)
                *damage = mark;
            if (is_damage || mark->kind == MARK_END)
                return WARC_OK;
        }
        const size_t len = decompressed_window_len(out);
        if (len == before && reader->stream.has_failed)
            return WARC_IO;
        if (len == before || len > READER_LOOK_AHEAD)
            return WARC_OK;
        before = len;
        const warc_status status = reader_need(reader, len + 1);
        if (status != WARC_OK)
            return status;
    }
}

/* Returns the number of bytes that identify the record at the beginning of `bytes`: its
 * header, or the first part of a long one. Returns 0 if the header does not end. */
static size_t compared_len(const struct warc_reader *reader, warc_view bytes)
{
    size_t len = 0;
    if (bytes.len > COMPARED_MAX)
        bytes.len = COMPARED_MAX;
    if (reader->is_arc) {
        const char *lf = memchr(bytes.data, '\n', bytes.len);
        return lf ? (size_t)(lf - bytes.data) + 1 : 0;
    }
    switch (warc_head_end(bytes, &len)) {
    case HEAD_END_FOUND:
        return len;
    case HEAD_END_MORE:
        return bytes.len == COMPARED_MAX ? bytes.len : 0;
    default:
        return 0;
    }
}

static bool contains(warc_view bytes, warc_view part)
{
    const char *at = bytes.data;
    const char *const end = bytes.data + bytes.len;
    while ((size_t)(end - at) >= part.len) {
        at = memchr(at, *part.data, (size_t)(end - at) - part.len + 1);
        if (!at)
            return false;
        if (memcmp(at, part.data, part.len) == 0)
            return true;
        at++;
    }
    return false;
}

warc_status reader_is_copy(struct warc_reader *reader, bool *is_copy)
{
    const struct decompressed_window *out = &reader->stream.out;
    const struct mark *damage;
    *is_copy = reader->is_overrun;
    if (*is_copy || reader->searched > 8 * out->at + SEARCHED_FREE) /* linear */
        return WARC_OK;
    warc_status status = reader_damage_ahead(reader, &damage);
    if (status != WARC_OK || !damage)
        return status;
    const size_t end = (size_t)(damage->at - out->at);
    status = reader_need(reader, end + COPY_AHEAD);
    if (status != WARC_OK)
        return status;
    const char *data = decompressed_window_data(out);
    const size_t part = compared_len(reader, (warc_view){ data, end });
    size_t len = decompressed_window_len(out);
    if (len < end + COPY_AHEAD && reader->stream.has_failed)
        return WARC_IO;
    if (len > end + COPY_AHEAD)
        len = end + COPY_AHEAD;
    if (part == 0)
        return WARC_OK;
    reader->searched += len - end;
    *is_copy = contains((warc_view){ data + end, len - end }, (warc_view){ data, part });
    reader->is_overrun = *is_copy;
    return WARC_OK;
}
