/*
 * Joins the edges of all ranges: sets of a shard set's records, for cluster_writer. It
 * loads only records with an edge, and records that may have the id of one of them.
 */
#ifndef TH_COMPONENTS_H
#define TH_COMPONENTS_H

#include "dedup/duplicate_finder.h"
#include "dedup/shard_set.h"

/**
 * Joins the edges.
 * @param folders  folders of the ranges' edges; each range may be in any of them
 * @param options  kept: TH_KEEP_PAIRS to write pairs, which needs edges made with it.
 *                 `fan_out` and `threshold` are the edges' own.
 * @param finder   zeroed; out: with sets, pairs and counts as after
 *                 th_duplicate_finder_find; th_duplicate_finder_done frees, on failure too
 * @return TH_OK, TH_ABSENT if a range is missing, with its name in err, TH_USAGE for
 *         edges of other shards, TH_DAMAGED, TH_TOO_LARGE, TH_INTERRUPTED, TH_IO or
 *         TH_NOMEM
 */
th_status th_components(th_shard_set *set, char *const *folders, int folder_count,
                        const th_dedup_options *options, th_duplicate_finder *finder,
                        th_error *err);

#endif
