/*
 * Joins the edges of all ranges: sets of a shard set's records, for cluster_writer. It
 * loads only records with an edge, and records that may have the id of one of them.
 */
#ifndef TH_COMPONENTS_H
#define TH_COMPONENTS_H

#include "dedup/duplicate_finder.h"
#include "dedup/share_set.h"

/**
 * Joins.
 * @param folders  where the edges of each range are, in any of them
 * @param options  kept: TH_KEEP_PAIRS when pairs are to be written, which needs edges made
 *                 so; `fan_out` and `threshold` are the edges' own
 * @param finder   zeroed; out: with sets, pairs and counts as after
 *                 th_duplicate_finder_find; th_duplicate_finder_done frees, on failure too
 * @return TH_OK; TH_ABSENT: a range is not done, with its name in err; TH_USAGE: edges of
 *         others; TH_DAMAGED; TH_TOO_LARGE; TH_INTERRUPTED; TH_IO; TH_NOMEM
 */
th_status th_components(th_share_set *set, char *const *folders, int folder_count,
                        const th_dedup_options *options, th_duplicate_finder *finder,
                        th_error *err);

#endif
