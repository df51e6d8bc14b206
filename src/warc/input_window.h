/*
 * The part of the file that is in memory: unread bytes, and before them read bytes to
 * which a search after damage may go back. Below byte_stream; does not interpret the
 * bytes.
 */
#ifndef WARC_INPUT_WINDOW_H
#define WARC_INPUT_WINDOW_H

#include "warc/warc_input.h"

#include <stdbool.h>

enum {
    INPUT_WINDOW_AHEAD = 256 * 1024, /* unread bytes that can be had at once */
    /* Read bytes that stay within reach: a raw block of zstd, or a stored block of gzip,
     * that runs over the next member, and its headers. */
    INPUT_WINDOW_BEHIND = 132 * 1024,
};

/** Unread bytes are data[begin..end); data[0] is the byte `base` of the file. */
struct input_window {
    warc_input input;
    char *data;
    size_t begin, end;
    uint64_t base;
    bool at_end;     /* the input has no bytes after data[end] */
    bool is_filling; /* input_window_need has paused before it was done */
    bool has_failed; /* the input: nothing after data[end] can be had */
};

/** Takes the input. @return WARC_OK; WARC_NOMEM (the input is not taken then) */
warc_status input_window_init(struct input_window *window, const warc_input *input);

/** Closes the input and takes another, at its beginning; the memory is kept. */
void input_window_reopen(struct input_window *window, const warc_input *input);

/** Closes the input and frees the memory. */
void input_window_done(struct input_window *window);

/**
 * Makes `count` unread bytes available, at most INPUT_WINDOW_AHEAD. There are fewer only
 * at the end of the input, which is not an error. Always reads as much as fits, so the
 * layers above do not depend on how the input cuts its reads.
 * @return WARC_OK; WARC_IO: the input has failed, and fewer bytes are left; WARC_PAUSED:
 *         one read is done, and others are needed: again
 */
warc_status input_window_need(struct input_window *window, size_t count);

/** Like input_window_need, but WARC_OK if the input has failed: has_failed says so. */
warc_status input_window_want(struct input_window *window, size_t count);

/** Unread bytes in memory. */
static inline size_t input_window_len(const struct input_window *window)
{
    return window->end - window->begin;
}

/** The first unread byte. */
static inline const char *input_window_data(const struct input_window *window)
{
    return window->data + window->begin;
}

/** Offset in the file of the first unread byte. */
static inline uint64_t input_window_offset(const struct input_window *window)
{
    return window->base + window->begin;
}

/** Counts `count` bytes as read, at most input_window_len. */
static inline void input_window_skip(struct input_window *window, size_t count)
{
    window->begin += count;
}

/** Makes bytes unread again, back to file offset `offset` or as near as memory goes. */
void input_window_rewind(struct input_window *window, uint64_t offset);

/**
 * Reads up to `capacity` bytes past the window when it is empty, out of it otherwise.
 * *got = 0 is the end. For bytes that are not needed again.
 * @return WARC_OK; WARC_IO; WARC_PAUSED: nothing has come yet
 */
warc_status input_window_read(struct input_window *window, char *buffer, size_t capacity,
                              size_t *got);

/** Empties the window and goes to `offset` in the file.
 * @return WARC_OK; WARC_CANNOT_SEEK; WARC_IO */
warc_status input_window_seek(struct input_window *window, uint64_t offset);

#endif
