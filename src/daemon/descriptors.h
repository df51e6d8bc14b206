/*
 * How many files and connections may be open at once, against how many the daemon may
 * want. Few are no fault: what finds no free descriptor waits. But it is said at the start,
 * and what can do with less gets less.
 */
#ifndef TH_DESCRIPTORS_H
#define TH_DESCRIPTORS_H

#include "settings/settings.h"

typedef struct th_descriptors {
    uint64_t limit;       /* RLIMIT_NOFILE, raised as far as it may and need be */
    uint64_t needed;      /* for all that the settings ask for */
    unsigned connections; /* of the endpoint: fewer where the limit is too low */
} th_descriptors;

/** Raises the soft limit where it is too low and the hard one allows it, and shares out
 * what there is. Fails never: what is not known is taken for enough. */
void th_descriptors_fit(const th_settings *settings, th_descriptors *out);

#endif
