/*
 * One range of the keys of a share set by itself: the records that share a key of the
 * range are compared, and those alike written as edges.
 *
 *   keys of the range, merged  ->  records that share one            (marked)
 *   hashes of ids, merged      ->  records that may have one's id    (marked, too)
 *   records in ascending order ->  duplicate_finder, ranked by age
 *   keys of the range again    ->  compared                          ->  edges
 *
 * The finder is that of `dedup`, so that bands, verification, repeated ids and large
 * buckets have one rule.
 */
#ifndef TH_RANGE_PAIRS_H
#define TH_RANGE_PAIRS_H

#include "dedup/duplicate_finder.h"
#include "dedup/edge_file.h"
#include "dedup/share_set.h"

/** What a range came to. */
typedef struct th_range_counts {
    th_dedup_counts found;
    uint64_t loaded; /* records that were read for comparing */
    uint64_t edges;
} th_range_counts;

/**
 * Compares a range and writes its edges.
 * @param options  `compared` and `threshold` are the set's; kept: TH_KEEP_JOINS for sets,
 *                 TH_KEEP_PAIRS for all pairs
 * @param path     of the edges, which appear whole
 * @return TH_OK; TH_DAMAGED; TH_TOO_LARGE: the memory is too small; TH_INTERRUPTED;
 *         TH_IO; TH_NO_ROOM; TH_NOMEM
 * Memory: 3/16 byte for each record of the set, 84 for each that is loaded, and sorts.
 */
th_status th_range_pairs(th_share_set *set, const th_dedup_options *options,
                         uint32_t part, const char *path, th_range_counts *counts,
                         th_error *err);

/** The head that the edges of this range have, but for what is counted. */
th_edge_head th_range_head(const th_share_set *set, const th_dedup_options *options,
                           uint32_t part);

/** Whether edges are those of this set, range and rule. TH_OK, or TH_USAGE with the path
 * and what differs in err */
th_status th_range_check(const th_edge_head *found, const th_edge_head *wanted,
                         const char *path, th_error *err);

#endif
