/*
 * Unpacked bytes that wait to be read, and the marks among them: where members
 * begin and end and where damage struck. The unpackers append, the reader consumes.
 */
#ifndef WARC_UNPACKED_WINDOW_H
#define WARC_UNPACKED_WINDOW_H

#include "warc/warc_diag.h"

enum {
    DECOMPRESSED_WINDOW_ROOM =
        128 * 1024,                /* most bytes appended at once; fits the L2 cache */
    DECOMPRESSED_MARKS_MAX = 1024, /* waiting marks; members without bytes leave none */
    DECOMPRESSED_BEFORE = 24,      /* consumed bytes that are kept */
};

enum mark_kind { MARK_START, MARK_END, MARK_DIAG };

/** Something that happened at a place in the unpacked stream. */
struct mark {
    uint64_t at; /* in the unpacked stream: before the byte of this number */
    enum mark_kind kind;
    uint64_t offset;      /* in the file: START and DIAG of the member, END after it */
    uint64_t dict_offset; /* START: of the dictionary in force, or WARC_NO_OFFSET */
    warc_diag_code code;  /* DIAG: what, */
    const char *detail;   /* why (a literal, "%llu" stands for number), */
    uint64_t number;      /* and how much */
};

struct decompressed_window {
    char *data;
    size_t begin, end, capacity;
    size_t capacity_max;
    uint64_t at;                      /* of data[begin] in the unpacked stream */
    char before[DECOMPRESSED_BEFORE]; /* the last bytes before data[begin]; else zeros */
    struct mark *marks;
    size_t mark_begin, mark_end;
};

/** @param max  bytes that must be available at once @return WARC_OK; WARC_NOMEM */
warc_status decompressed_window_init(struct decompressed_window *window, size_t max);

/** Frees the memory. */
void decompressed_window_done(struct decompressed_window *window);

/** Empties the window; the next byte appended will be number `at`. */
void decompressed_window_reset(struct decompressed_window *window, uint64_t at);

static inline size_t decompressed_window_len(const struct decompressed_window *window)
{
    return window->end - window->begin;
}

static inline const char *
decompressed_window_data(const struct decompressed_window *window)
{
    return window->data + window->begin;
}

/** Number in the unpacked stream of the next byte to be appended. */
static inline uint64_t
decompressed_window_next_at(const struct decompressed_window *window)
{
    return window->at + decompressed_window_len(window);
}

/**
 * Returns capacity to append to, at most DECOMPRESSED_WINDOW_ROOM. If there are less than 4
 * KiB, moves the waiting bytes to the front, and grows the window if that is not enough.
 * @param capacity  out: bytes of room at window->data + window->end; less than 4 KiB, down to
 * 0, only when the window has its greatest length already
 * @return WARC_OK; WARC_NOMEM
 */
warc_status decompressed_window_capacity(struct decompressed_window *window,
                                         size_t *capacity);

/**
 * Room for `count` bytes at once, for a caller who has all of them: moves what waits to
 * the front, and grows to at most the window's greatest length.
 * @param capacity  out: bytes of room at window->data + window->end; less than count only
 * when the window cannot grow so far
 * @return WARC_OK; WARC_NOMEM
 */
warc_status decompressed_window_room_for(struct decompressed_window *window, size_t count,
                                         size_t *capacity);

/** Where to append. */
static inline char *decompressed_window_tail(struct decompressed_window *window)
{
    return window->data + window->end;
}

/** `count` bytes have been written into the room. */
static inline void decompressed_window_append(struct decompressed_window *window,
                                              size_t count)
{
    window->end += count;
}

/** True when no further mark fits: the unpackers wait until some are consumed. */
bool decompressed_window_marks_full(const struct decompressed_window *window);

/** Appends a mark at the present end; mark->at is set here. A member that begins and ends
 * without bytes and without trouble leaves no mark. Only when not full (two more fit
 * always). */
void decompressed_window_mark(struct decompressed_window *window, struct mark mark);

/** The first waiting mark, or NULL. */
const struct mark *
decompressed_window_first_mark(const struct decompressed_window *window);

/** Removes the first waiting mark. */
void decompressed_window_pop_mark(struct decompressed_window *window);

/** Bytes that can be taken before the next mark, or that wait at all. */
size_t decompressed_window_run(const struct decompressed_window *window);

/** Takes `count` bytes, at most decompressed_window_run; they stay in place until the next
 * append. */
void decompressed_window_consume(struct decompressed_window *window, size_t count);

#endif
