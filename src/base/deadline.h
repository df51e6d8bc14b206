/*
 * Limits how long a call waits for another program. The call checks before each wait, so
 * a process that must end stops waiting. The callback may also report to the supervisor.
 */
#ifndef TH_DEADLINE_H
#define TH_DEADLINE_H

#include <stdint.h>

/** { 0 } waits without limit. */
typedef struct th_deadline {
    /** Returns the remaining milliseconds; 0 when the time is over. */
    int64_t (*remaining_ms)(void *context);
    void *context;
} th_deadline;

/** Returns how long to wait now: at most `max_ms`, or 0 to stop waiting. */
static inline int th_deadline_wait_ms(const th_deadline *deadline, int max_ms)
{
    const int64_t left =
        deadline->remaining_ms ? deadline->remaining_ms(deadline->context) : INT64_MAX;
    return left < max_ms ? (int)left : max_ms;
}

#endif
