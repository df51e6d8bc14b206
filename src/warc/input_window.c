/* The window of file bytes in memory: one buffer, moved down when it is full. */
#include "input_window.h"

#include <stdlib.h>
#include <string.h>

enum {
    CAPACITY = INPUT_WINDOW_BEHIND + INPUT_WINDOW_AHEAD,
    /* Inflaters load whole words, which may end after the data on a damaged stream. */
    SLACK = 64,
};

warc_status input_window_init(struct input_window *window, const warc_input *input)
{
    *window = (struct input_window){ 0 };
    window->data = malloc(CAPACITY + SLACK);
    if (!window->data)
        return WARC_NOMEM;
    window->input = *input;
    return WARC_OK;
}

void input_window_reopen(struct input_window *window, const warc_input *input)
{
    if (window->input.close)
        window->input.close(window->input.context);
    *window = (struct input_window){ .input = *input, .data = window->data };
}

void input_window_done(struct input_window *window)
{
    if (window->data && window->input.close)
        window->input.close(window->input.context);
    free(window->data);
    *window = (struct input_window){ 0 };
}

/* Drops the bytes further back than a search may go. */
static void move_down(struct input_window *window)
{
    if (window->begin <= INPUT_WINDOW_BEHIND)
        return;
    const size_t drop = window->begin - INPUT_WINDOW_BEHIND;
    memmove(window->data, window->data + drop, window->end - drop);
    window->begin -= drop;
    window->end -= drop;
    window->base += drop;
}

static warc_status read_some(struct input_window *window, char *buffer, size_t capacity,
                             size_t *got)
{
    *got = 0;
    if (window->has_failed)
        return WARC_IO;
    const warc_status status =
        window->input.read(window->input.context, buffer, capacity, got);
    if (status == WARC_PAUSED) {
        *got = 0;
        return status;
    }
    if (status != WARC_OK || *got > capacity) {
        *got = 0;
        window->has_failed = true;
        return WARC_IO;
    }
    window->at_end = *got == 0;
    return WARC_OK;
}

warc_status input_window_need(struct input_window *window, size_t count)
{
    if (!window->is_filling && (input_window_len(window) >= count || window->at_end))
        return WARC_OK;
    if (!window->is_filling)
        move_down(window);
    size_t got;
    const warc_status status =
        read_some(window, window->data + window->end, CAPACITY - window->end, &got);
    if (status == WARC_OK)
        window->end += got;
    window->is_filling = status == WARC_PAUSED ||
                         (status == WARC_OK && window->end < CAPACITY && !window->at_end);
    if (status == WARC_IO && input_window_len(window) >= count)
        return WARC_OK;
    return window->is_filling ? WARC_PAUSED : status;
}

warc_status input_window_want(struct input_window *window, size_t count)
{
    const warc_status status = input_window_need(window, count);
    return status == WARC_IO ? WARC_OK : status;
}

void input_window_rewind(struct input_window *window, uint64_t offset)
{
    const uint64_t here = input_window_offset(window);
    if (offset >= here)
        return;
    const uint64_t back = here - offset;
    window->begin -= back < window->begin ? (size_t)back : window->begin;
}

warc_status input_window_read(struct input_window *window, char *buffer, size_t capacity,
                              size_t *got)
{
    const size_t ready = input_window_len(window);
    if (ready > 0) {
        *got = ready < capacity ? ready : capacity;
        memcpy(buffer, input_window_data(window), *got);
        window->begin += *got;
        return WARC_OK;
    }
    window->base += window->end;
    window->begin = window->end = 0;
    *got = 0;
    if (window->at_end)
        return WARC_OK;
    const warc_status status = read_some(window, buffer, capacity, got);
    window->base += *got;
    return status;
}

warc_status input_window_seek(struct input_window *window, uint64_t offset)
{
    if (!window->input.seek)
        return WARC_CANNOT_SEEK;
    const warc_status status = window->input.seek(window->input.context, offset);
    if (status != WARC_OK) /* after a failed read, the read is the reason */
        return window->has_failed ? WARC_IO : status;
    window->base = offset;
    window->begin = window->end = 0;
    window->at_end = window->has_failed = false;
    window->is_filling = false;
    return WARC_OK;
}
