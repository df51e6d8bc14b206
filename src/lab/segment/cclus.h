/* Correlation clustering of leaves: for the method, its training and tests. [CKP08
 * §4.1] */
#ifndef TH_CCLUS_H
#define TH_CCLUS_H

#include "segment/segment_model.h"
#include "segment/text_tree.h"

enum {
    TH_CCLUS_FEATURES = 16,
    TH_CCLUS_LEAVES = 512, /* leaf limit: 130,816 pairs */
    TH_CCLUS_TRIALS = 16,
};

/** Tables for the features of pairs. */
typedef struct th_cclus_stats {
    const th_text_tree *tree;
    uint32_t *hard_before; /* [block + 1]: hard gaps before the blocks up to here */
    uint32_t *path;        /* [node]: equal if the names from the root are equal */
    uint32_t *sibling;     /* [node]: number among its siblings */
} th_cclus_stats;

/** TH_OK or TH_NOMEM. O(nodes + gap tags). */
th_status th_cclus_facts_gather(const th_page *page, const th_text_tree *tree,
                                th_arena *arena, th_cclus_stats *facts);

/** Features of two leaves, left before right, in 1/1024, in the order of
 * th_cclus_features. O(depth). */
void th_cclus_pair_features(const th_cclus_stats *facts, uint32_t left, uint32_t right,
                            int32_t features[TH_CCLUS_FEATURES]);

/**
 * Clusters by pivots. Each unplaced leaf, in random order, takes every other unplaced
 * leaf that likely belongs to it. The cheapest of some trials wins. [CKP08 §4.1]
 * @param count   leaves
 * @param v       probability (1/1024) that i < j are one segment, at v[j * (j - 1) / 2 +
 *                i]
 * @param lambda  cost of separating, relative to the cost of joining (1/1024)
 * @param seed    of one SplitMix64 stream for all trials
 * @param label_of  out: dense from 0 by first leaf
 * @param cost      out, may be NULL: sum of 1024^2 - (1024 + lambda) v over the pairs
 *                  that are together
 * @return TH_OK or TH_NOMEM. O(trials x count^2).
 */
th_status th_cclus_cluster(uint32_t count, const int16_t *v, int32_t lambda,
                           uint64_t seed, uint32_t trials, th_arena *scratch,
                           uint32_t *label_of, int64_t *cost);

#endif
