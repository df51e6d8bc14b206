/* What the kernel says of this process, for the standard process_* metrics. */
#ifndef TH_PROCESS_FACTS_H
#define TH_PROCESS_FACTS_H

#include <stdint.h>

typedef struct th_process_facts {
    double cpu_seconds; /* user and system */
    uint64_t resident_bytes;
    uint64_t open_fds;
    uint64_t max_fds;
} th_process_facts;

/** Reads /proc/self and the limits now; a number that cannot be had is 0. */
void th_process_facts_read(th_process_facts *facts);

/**
 * When this process started, seconds since 1970. Ask once and keep the answer: it is
 * reckoned back from the clock now, for /proc/stat is hidden in a hardened unit, and a
 * clock that was set meanwhile would make it seem a new process. 0 when not known.
 */
double th_process_start_time(void);

#endif
