/*
 * Reads that may wait long for input: a FIFO without a writer, a terminal, a pipe. A read
 * ends soon after a signal asked the program to stop.
 */
#ifndef TH_STOPPABLE_READ_H
#define TH_STOPPABLE_READ_H

#include <stdatomic.h>
#include <stdio.h>

#include "thresher/status.h"

/** Whether the program was asked to stop; never where `stop` is NULL. */
static inline int th_is_stopped(const atomic_int *stop)
{
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/** Opens a file for reading without waiting: a FIFO opens before its writer comes.
 * @return a descriptor for th_stoppable_read; -1 with errno */
int th_stoppable_open(const char *path);

/**
 * read(2), looking at `stop` before it and every 50 ms while nothing comes.
 * @param fd    of th_stoppable_open, or stdin
 * @param got   out: bytes read; 0 is the end
 * @param stop  may be NULL
 * @return TH_OK; TH_INTERRUPTED; TH_IO with errno
 */
th_status th_stoppable_read(int fd, char *bytes, size_t room, size_t *got,
                            const atomic_int *stop);

/**
 * Opens a file as a stream, for callers that read lines. A read that is stopped fails
 * with EINTR.
 * @param stop  borrowed while the stream lives; may be NULL
 * @return NULL with errno
 */
FILE *th_stoppable_stream(const char *path, const atomic_int *stop);

#endif
