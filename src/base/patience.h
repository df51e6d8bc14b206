/*
 * How long a call may go on waiting for another program. The call asks before each wait,
 * so that a process that must end stops waiting; the asked function may also report to
 * the supervisor.
 */
#ifndef TH_PATIENCE_H
#define TH_PATIENCE_H

#include <stdint.h>

/** { 0 } is without end. */
typedef struct th_patience {
    /** Milliseconds that are left; 0: time is up. */
    int64_t (*left_ms)(void *context);
    void *context;
} th_patience;

/** How long to wait now: at most `most_ms`; 0: not any more. */
static inline int th_patience_ms(const th_patience *patience, int most_ms)
{
    const int64_t left =
        patience->left_ms ? patience->left_ms(patience->context) : INT64_MAX;
    return left < most_ms ? (int)left : most_ms;
}

#endif
