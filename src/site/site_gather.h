/*
 * Writes entries of many pages, in any order, to a file of sites, with bounded memory.
 *
 * Entries are divided by the first byte of their site's number into 256 heaps. They go to
 * a temporary file when the memory is full. At the end each heap is counted separately.
 * The file's bytes do not depend on the order of the entries.
 */
#ifndef TH_SITE_GATHER_H
#define TH_SITE_GATHER_H

#include "site/site_file.h"

typedef struct th_site_gather_options {
    th_site_limits limits; /* keeps the pages with the smallest hashes of URLs */
    uint64_t memory;       /* bytes of entries before they go to the disk */
    const char *temp;      /* folder of the temporary file, "" is $TMPDIR or /tmp */
} th_site_gather_options;

typedef struct th_site_gather th_site_gather;

/** Creates a gatherer. @return NULL if out of memory */
th_site_gather *th_site_gather_new(const th_site_gather_options *options);
/** NULL is legal. */
void th_site_gather_free(th_site_gather *gather);

/** Adds consecutive entries. TH_OK; TH_IO; TH_NOMEM. One thread at a time. */
th_status th_site_gather_add(th_site_gather *gather, th_view entries, th_error *err);

/**
 * Counts all added entries and writes the sites. A site of fewer pages than limits.least
 * is omitted. Memory: the entries of one heap.
 * @return TH_OK; TH_IO; TH_NOMEM
 */
th_status th_site_gather_write(th_site_gather *gather, th_site_writer *writer,
                               th_error *err);

#endif
