/*
 * Compares the limit of open files and connections with the number that the daemon may
 * need. A low limit is not an error, because a part that finds no free descriptor waits.
 * The log reports it at the start, and the endpoint gets fewer connections.
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
 * what there is. Never fails: a limit that is not known is taken for enough. */
void th_descriptors_fit(const th_settings *settings, th_descriptors *out);

#endif
