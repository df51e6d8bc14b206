/*
 * Finds the most frequent of any number of items, in bounded memory, by lossy counting.
 * [Manku & Motwani 2002], with pruning by rank
 *
 * When the table is full, the less frequent half is dropped. If a dropped template occurs
 * again, it is counted from 1. So a count may be too small, by at most
 * th_template_counts_error. A template that occurred more often than that is in the
 * table. Counts depend on the order of adding.
 */
#ifndef TH_TEMPLATE_COUNTS_H
#define TH_TEMPLATE_COUNTS_H

#include <stdint.h>

#include "thresher/status.h"
#include "thresher/view.h"

enum {
    TH_TEMPLATES_KEPT = 1 << 16, /* after a pruning; twice as many before it */
    TH_TEMPLATE_SAMPLE = 72,     /* bytes of text that are kept */
};

/** A template and how often its fingerprint was met. */
typedef struct th_template {
    uint64_t fingerprint; /* first eight bytes */
    uint64_t count, tokens;
    uint8_t sample_len;
    char sample[TH_TEMPLATE_SAMPLE]; /* start of the text it was met with first */
} th_template;

typedef struct th_template_counts th_template_counts;

/** Creates a table of about 15 MB. @return NULL without memory */
th_template_counts *th_template_counts_new(void);
void th_template_counts_free(th_template_counts *counts);

/** Counts one. O(1) amortised, allocates nothing. */
void th_template_counts_add(th_template_counts *counts, uint64_t fingerprint,
                            uint32_t tokens, th_view sample);

/** By how much any count may be too small. */
uint64_t th_template_counts_error(const th_template_counts *counts);

/**
 * Sorts by count, then fingerprint; nothing can be added after.
 * @return how many there are
 */
uint32_t th_template_counts_sort(th_template_counts *counts, const th_template **out);

#endif
