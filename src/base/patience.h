/*
 * Limits how long a call waits for another program. The call checks before each wait, so
 * a process that must end stops waiting. The callback may also report to the supervisor.
 */
#ifndef TH_PATIENCE_H
#define TH_PATIENCE_H

#include <stdint.h>

/** { 0 } waits without limit. */
typedef struct th_patience {
    /** Returns the remaining milliseconds; 0 when the time is over. */
    int64_t (*left_ms)(void *context);
    void *context;
} th_patience;

/** Returns how long to wait now: at most `most_ms`, or 0 to stop waiting. */
static inline int th_patience_ms(const th_patience *patience, int most_ms)
{
    const int64_t left =
        patience->left_ms ? patience->left_ms(patience->context) : INT64_MAX;
    return left < most_ms ? (int)left : most_ms;
}

#endif
