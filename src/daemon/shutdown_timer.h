/*
 * Limits the time to end of a process that was asked to stop. The process may wait for a
 * library or a kernel call that does not return (a frozen broker, a hanging disk). Then
 * it ends without waiting longer. For its inputs and outputs that is a crash, which loses
 * no record (docs/reliability.md#promises). Its supervisor sees an end in time, with a
 * reason.
 */
#ifndef TH_SHUTDOWN_TIMER_H
#define TH_SHUTDOWN_TIMER_H

#include <stdatomic.h>
#include <stdint.h>

#include "thresher/status.h"

/* Interval of checks whether to stop. */
enum { TH_END_LIMIT_LOOK_MS = 50 };

typedef struct th_shutdown_timer_options {
    const atomic_int *stop; /* not 0: told to stop; borrowed */
    uint32_t limit_ms;      /* from then to the end */
    int exit_code;          /* of an end that this limit forces */
    /**
     * Reports the reason. Called on the limit's own thread. If it takes longer than a
     * second, SIGALRM ends the process instead, without exit_code.
     */
    void (*last_words)(void *context);
    void *context;
} th_shutdown_timer_options;

typedef struct th_shutdown_timer th_shutdown_timer;

/**
 * Begins to watch, on its own thread. On return that thread waits. It allocates nothing
 * and takes no lock but its own until the end is due, so the process may fork. TH_OK;
 * TH_NOMEM. @param options  copied
 */
th_status th_shutdown_timer_new(const th_shutdown_timer_options *options,
                                th_shutdown_timer **out, th_error *err);

/**
 * Call when the process is about to end, with or without a request. It then has at most
 * `limit_ms` from now, and never more than before. Ends with `exit_code` if that is too
 * little. NULL is legal.
 */
void th_shutdown_timer_hurry(th_shutdown_timer *limit, uint32_t limit_ms, int exit_code);

/**
 * Returns the milliseconds until the end, or INT64_MAX if no end was requested. NULL is
 * treated the same.
 */
int64_t th_shutdown_timer_remaining(th_shutdown_timer *limit);

/** Call when no slow step is left. NULL is legal. */
void th_shutdown_timer_free(th_shutdown_timer *limit);

#endif
