/* The kernel's data about this process, for the standard process_* metrics. */
#ifndef TH_PROCESS_FACTS_H
#define TH_PROCESS_FACTS_H

#include <stdint.h>

typedef struct th_process_stats {
    double cpu_seconds; /* user and system */
    uint64_t resident_bytes;
    uint64_t open_fds;
    uint64_t max_fds;
} th_process_stats;

/** Reads /proc/self and the limits now; a number that cannot be had is 0. */
void th_process_facts_read(th_process_stats *facts);

/**
 * Returns when this process started, in seconds since 1970, or 0 if unknown. Call it once
 * and keep the answer. It is computed back from the current time, because /proc/stat is
 * hidden in a hardened unit. A clock that was set meanwhile would make it seem a new
 * process.
 */
double th_process_start_time(void);

#endif
