/*
 * The latest end of a process that was told to stop. What it waits for may be in the
 * hands of a library or of a kernel call that does not return (a broker that is frozen, a
 * disk that hangs): then the process ends without it. For what it reads and writes that
 * is a crash, which loses no record (docs/reliability.md#promises); its supervisor sees
 * an end in time, with a reason.
 */
#ifndef TH_END_LIMIT_H
#define TH_END_LIMIT_H

#include <stdatomic.h>
#include <stdint.h>

#include "thresher/status.h"

/* How often it is asked whether to stop. */
enum { TH_END_LIMIT_LOOK_MS = 50 };

typedef struct th_end_limit_options {
    const atomic_int *stop; /* not 0: told to stop; borrowed */
    uint32_t limit_ms;      /* from then to the end */
    int exit_code;          /* of the end that comes too late by itself */
    /** Says why; called on the limit's own thread. Where it takes longer than a second,
     * SIGALRM ends the process instead, without exit_code. */
    void (*last_words)(void *context);
    void *context;
} th_end_limit_options;

typedef struct th_end_limit th_end_limit;

/** Begins to watch, on a thread of its own. On return that thread waits; it allocates
 * nothing and takes no lock but its own until the end is due, so that the process may fork.
 * TH_OK; TH_NOMEM. @param options  copied */
th_status th_end_limit_new(const th_end_limit_options *options, th_end_limit **out,
                           th_error *err);

/** The process is about to end, told to or not: it has at most `limit_ms` from now, and
 * no more than it had. Ends with `exit_code` if that is too little. NULL is legal. */
void th_end_limit_hurry(th_end_limit *limit, uint32_t limit_ms, int exit_code);

/** Milliseconds until the end; INT64_MAX: none was asked for; NULL is the same. */
int64_t th_end_limit_left(th_end_limit *limit);

/** There is nothing left that may take long. NULL is legal. */
void th_end_limit_free(th_end_limit *limit);

#endif
