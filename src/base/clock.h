/* The current time, in one number. */
#ifndef TH_CLOCK_H
#define TH_CLOCK_H

#include <stdint.h>
#include <time.h>

/** Returns the nanoseconds of a clock, or 0 if the system does not have it.
 * CLOCK_MONOTONIC counts from an arbitrary time before the program's start,
 * CLOCK_REALTIME from 1970. */
static inline int64_t th_clock_ns(clockid_t clock)
{
    struct timespec now = { 0, 0 };
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/** Returns the milliseconds of a clock. */
static inline int64_t th_clock_ms(clockid_t clock)
{
    return th_clock_ns(clock) / 1000000;
}

/** Returns the seconds of a clock. */
static inline double th_clock_seconds(clockid_t clock)
{
    return (double)th_clock_ns(clock) * 1e-9;
}

/** Returns the milliseconds of a clock that never goes back: for waits and deadlines. */
static inline int64_t th_now_ms(void)
{
    return th_clock_ms(CLOCK_MONOTONIC);
}

/** Sleeps for `ms` milliseconds, or less if a signal ends it early. */
static inline void th_sleep_ms(int ms)
{
    const struct timespec time = { ms / 1000, (long)(ms % 1000) * 1000000 };
    (void)nanosleep(&time, NULL);
}

#endif
