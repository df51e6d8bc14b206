/* The queue of unpacked bytes and marks between an unpacker and the reader. */
#include "decompressed_window.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROOM_MIN = 4096,
    MARKS_SLACK = 8, /* one step of an unpacker leaves at most a few marks */
};

warc_status decompressed_window_init(struct decompressed_window *window, size_t max)
{
    *window = (struct decompressed_window){ 0 };
    window->capacity = DECOMPRESSED_WINDOW_ROOM;
    window->capacity_max = max + DECOMPRESSED_WINDOW_ROOM;
    window->data = malloc(window->capacity);
    window->marks =
        malloc((DECOMPRESSED_MARKS_MAX + MARKS_SLACK) * sizeof *window->marks);
    if (!window->data || !window->marks) {
        decompressed_window_done(window);
        return WARC_NOMEM;
    }
    return WARC_OK;
}

void decompressed_window_done(struct decompressed_window *window)
{
    free(window->data);
    free(window->marks);
    *window = (struct decompressed_window){ 0 };
}

void decompressed_window_reset(struct decompressed_window *window, uint64_t at)
{
    window->begin = window->end = 0;
    window->mark_begin = window->mark_end = 0;
    window->at = at;
    memset(window->before, 0, sizeof window->before);
}

static warc_status grow_to(struct decompressed_window *window, size_t capacity)
{
    if (capacity > window->capacity_max)
        capacity = window->capacity_max;
    char *data = realloc(window->data, capacity);
    if (!data)
        return WARC_NOMEM;
    window->data = data;
    window->capacity = capacity;
    return WARC_OK;
}

warc_status decompressed_window_capacity(struct decompressed_window *window,
                                         size_t *capacity)
{
    const size_t len = decompressed_window_len(window);
    if (len == 0) {
        window->begin = window->end = 0;
    } else if (window->capacity - window->end < ROOM_MIN) {
        memmove(window->data, decompressed_window_data(window), len);
        window->begin = 0;
        window->end = len;
    }
    /* Growing early keeps the moving of a long header linear. */
    if (window->end > window->capacity / 2 && window->begin == 0 &&
        window->capacity < window->capacity_max &&
        window->capacity - window->end < ROOM_MIN) {
        const warc_status status = grow_to(window, 2 * window->capacity);
        if (status != WARC_OK)
            return status;
    }
    *capacity = window->capacity - window->end;
    if (*capacity > DECOMPRESSED_WINDOW_ROOM)
        *capacity = DECOMPRESSED_WINDOW_ROOM;
    return WARC_OK;
}

warc_status decompressed_window_room_for(struct decompressed_window *window, size_t count,
                                         size_t *capacity)
{
    const size_t len = decompressed_window_len(window);
    if (window->begin) {
        memmove(window->data, decompressed_window_data(window), len);
        window->begin = 0;
        window->end = len;
    }
    if (window->capacity - len < count && window->capacity < window->capacity_max) {
        const warc_status status = grow_to(window, len + count);
        if (status != WARC_OK)
            return status;
    }
    *capacity = window->capacity - len;
    return WARC_OK;
}

void decompressed_window_consume(struct decompressed_window *window, size_t count)
{
    const size_t keep = count < sizeof window->before ? count : sizeof window->before;
    memmove(window->before, window->before + keep, sizeof window->before - keep);
    if (keep > 0)
        memcpy(window->before + sizeof window->before - keep,
               window->data + window->begin + count - keep, keep);
    window->begin += count;
    window->at += count;
}

bool decompressed_window_marks_full(const struct decompressed_window *window)
{
    return window->mark_end - window->mark_begin >= DECOMPRESSED_MARKS_MAX;
}

void decompressed_window_mark(struct decompressed_window *window, struct mark mark)
{
    mark.at = decompressed_window_next_at(window);
    if (mark.kind == MARK_END && window->mark_end > window->mark_begin) {
        const struct mark *last = &window->marks[window->mark_end - 1];
        if (last->kind == MARK_START && last->at == mark.at) {
            window->mark_end--;
            return;
        }
    }
    if (window->mark_end == DECOMPRESSED_MARKS_MAX + MARKS_SLACK) {
        const size_t count = window->mark_end - window->mark_begin;
        memmove(window->marks, window->marks + window->mark_begin,
                count * sizeof *window->marks);
        window->mark_begin = 0;
        window->mark_end = count;
    }
    window->marks[window->mark_end++] = mark;
}

const struct mark *
decompressed_window_first_mark(const struct decompressed_window *window)
{
    return window->mark_begin < window->mark_end ? &window->marks[window->mark_begin]
                                                 : NULL;
}

void decompressed_window_pop_mark(struct decompressed_window *window)
{
    window->mark_begin++;
    if (window->mark_begin == window->mark_end)
        window->mark_begin = window->mark_end = 0;
}

size_t decompressed_window_run(const struct decompressed_window *window)
{
    const size_t len = decompressed_window_len(window);
    const struct mark *mark = decompressed_window_first_mark(window);
    if (mark && mark->at - window->at < len)
        return (size_t)(mark->at - window->at);
    return len;
}
