/*
 * A clock that only waiting moves, so that times are the same in each run. A test
 * that includes it, in one file, is linked with --wrap of clock_gettime and nanosleep.
 */
#ifndef TH_TEST_STILL_CLOCK_H
#define TH_TEST_STILL_CLOCK_H

#include <stdint.h>
#include <time.h>

static int64_t still_ms = 1000000; /* all clocks show it */
static int64_t still_step_ms;      /* by which each look moves it */

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    time->tv_sec = (time_t)(still_ms / 1000);
    time->tv_nsec = (long)(still_ms % 1000) * 1000000;
    still_ms += still_step_ms;
    return 0;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *rest);
int __wrap_nanosleep(const struct timespec *time, struct timespec *rest)
{
    (void)rest;
    still_ms += (int64_t)time->tv_sec * 1000 + time->tv_nsec / 1000000;
    return 0;
}

#endif
