/*
 * Measures the part of a text that is in another, as multisets of words and of shingles.
 * [docs/methods.md#measures], with the definitions of score_extraction.py
 */
#ifndef TH_OVERLAP_H
#define TH_OVERLAP_H

#include <stdbool.h>

#include "eval/extraction/word_hashes.h"

/** Tokens of a shingle, as in scrapinghub's article-extraction-benchmark. */
enum { TH_OVERLAP_SHINGLE = 4 };

/** Elements of two multisets. */
typedef struct th_overlap {
    uint64_t common;
    uint64_t gold_only;
    uint64_t found_only;
} th_overlap;

/** Sorts both lists and counts their common entries. O(n log n). */
th_overlap th_overlap_count(th_hash_list *gold, th_hash_list *found);

/**
 * Hashes all windows of TH_OVERLAP_SHINGLE words. A shorter text has one hash of all its
 * words. An empty text has no hash.
 * @param shingles  appended to. @return TH_OK or TH_NOMEM
 */
th_status th_overlap_shingles(const th_hash_list *words, th_hash_list *shingles);

/** Shares from 0 to 1; NaN if undefined. */
double th_overlap_precision(const th_overlap *overlap); /* NaN: nothing was found */
double th_overlap_recall(const th_overlap *overlap);    /* NaN: there is no gold */

/** 2pr / (p + r), 0 when both are 0. */
double th_harmonic(double p, double r);

#endif
