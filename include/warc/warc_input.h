/*
 * The source of an archive's bytes: a read function, and a seek function if the input
 * supports it.
 */
#ifndef WARC_INPUT_H
#define WARC_INPUT_H

#include "warc/warc_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An input. The caller or one of the functions below fills it in. */
typedef struct warc_input {
    void *context; /* passed to each call */

    /* Reads 1 to `capacity` bytes into `buffer`; *got = 0 is the end of the input.
     * Returns WARC_OK, WARC_IO, or WARC_PAUSED if no bytes arrived in a short wait (50 ms
     * is a good value). Then *got is 0, and the caller must repeat the call. Short reads
     * are allowed. */
    warc_status (*read)(void *context, char *buffer, size_t capacity, size_t *got);

    /* Moves the next read to `offset` bytes after the beginning. NULL if the input cannot
     * seek (pipes). Returns WARC_OK, WARC_CANNOT_SEEK or WARC_IO. */
    warc_status (*seek)(void *context, uint64_t offset);

    /* Frees the context; called once. May be NULL. */
    void (*close)(void *context);
} warc_input;

/**
 * Returns an input that reads the file `path`; its context owns the descriptor. Opening
 * never blocks: reads of a FIFO return WARC_PAUSED while it has no writer.
 * @return WARC_OK; WARC_IO (cannot open, or a directory); WARC_NOMEM
 */
WARC_API warc_status warc_input_from_path(const char *path, warc_input *out,
                                          warc_error *error);

/**
 * Returns an input that reads the descriptor `fd` from its current position, which
 * becomes offset 0. Borrows fd: the caller must keep it open, and closes it. Pipes and
 * terminals cannot seek. Their reads wait at most 50 ms, unless another process reads
 * from them too.
 * @return WARC_OK; WARC_NOMEM
 */
WARC_API warc_status warc_input_from_fd(int fd, warc_input *out, warc_error *error);

/**
 * Returns an input that reads `bytes`, which are borrowed until the input is closed.
 * @return WARC_OK; WARC_NOMEM
 */
WARC_API warc_status warc_input_from_memory(warc_view bytes, warc_input *out,
                                            warc_error *error);

#ifdef __cplusplus
}
#endif

#endif
