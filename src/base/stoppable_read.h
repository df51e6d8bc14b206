/*
 * Reads that may wait long for input: a FIFO without a writer, a terminal, a pipe. A read
 * ends soon after a signal that stops the program.
 */
#ifndef TH_STOPPABLE_READ_H
#define TH_STOPPABLE_READ_H

#include <stdatomic.h>
#include <stdio.h>

#include "thresher/status.h"

/** Returns whether the program must stop; always false if `stop` is NULL. */
static inline int th_is_stopped(const atomic_int *stop)
{
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/**
 * Opens a file for reading without waiting: a FIFO opens before it has a writer.
 * @return a descriptor for th_stoppable_read; -1 with errno
 */
int th_stoppable_open(const char *path);

/**
 * Reads like read(2), but checks `stop` before the call and every 50 ms without input.
 * @param fd    of th_stoppable_open, or stdin
 * @param got   out: bytes read; 0 is the end
 * @param stop  may be NULL
 * @return TH_OK; TH_INTERRUPTED; TH_IO with errno
 */
th_status th_stoppable_read(int fd, char *bytes, size_t capacity, size_t *got,
                            const atomic_int *stop);

/**
 * Opens a file as a stream, for callers that read lines. A read that is stopped fails
 * with EINTR.
 * @param stop  borrowed while the stream lives; may be NULL
 * @return NULL with errno
 */
FILE *th_stoppable_stream(const char *path, const atomic_int *stop);

#endif
