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
    uint64_t needed;      /* for all parts that the settings require */
    unsigned connections; /* of the endpoint: fewer if the limit is too low */
} th_descriptors;

/**
 * Raises the soft limit if it is too low and the hard limit allows it, and distributes
 * the descriptors. Never fails. An unknown limit counts as sufficient.
 */
void th_descriptors_fit(const th_settings *settings, th_descriptors *out);

#endif
