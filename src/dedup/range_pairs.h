/*
 * Handles one range of the keys of a shard set separately: compares the records that
 * share a key of the range, and writes duplicates as edges.
 *
 *   1. Merge the keys of the range. Mark the records that share one.
 *
 *   2. Merge the hashes of ids. Mark the records that may have the id of a marked one.
 *
 *   3. Load the records in ascending order into the duplicate_finder, ranked by age.
 *
 *   4. Merge the keys of the range again. Compare the records, and write edges.
 *
 * The finder is the same as for `dedup`, so that bands, verification, repeated ids and
 * large buckets have one rule.
 */
#ifndef TH_RANGE_PAIRS_H
#define TH_RANGE_PAIRS_H

#include "dedup/duplicate_finder.h"
#include "dedup/edge_file.h"
#include "dedup/shard_set.h"

/** The counts of a range. */
typedef struct th_range_counts {
    th_dedup_counts found;
    uint64_t loaded; /* records that were read for comparing */
    uint64_t edges;
} th_range_counts;

/**
 * Compares a range and writes its edges.
 * @param options  `compared` and `threshold` are the set's; kept: TH_KEEP_JOINS for sets,
 *                 TH_KEEP_PAIRS for all pairs
 * @param path     of the edges, which appear only when complete
 * @return TH_OK, TH_DAMAGED, TH_TOO_LARGE if the memory is too small, TH_INTERRUPTED,
 *         TH_IO, TH_NO_ROOM or TH_NOMEM
 * Cost: 3/16 byte of memory for each record of the set, 84 for each that is loaded, and
 * sorts.
 */
th_status th_range_pairs(th_shard_set *set, const th_dedup_options *options,
                         uint32_t part, const char *path, th_range_counts *counts,
                         th_error *err);

/** Returns the head that the edges of this range have, except its counts. */
th_edge_head th_range_head(const th_shard_set *set, const th_dedup_options *options,
                           uint32_t part);

/** Whether edges belong to this set, range and rule. TH_OK, or TH_USAGE with the path and
 * the difference in err. */
th_status th_range_check(const th_edge_head *found, const th_edge_head *wanted,
                         const char *path, th_error *err);

#endif
