/* Converts numbered links to edges without duplicates and loops. They go into their files
 * and, by target, into the graph that is ranked. */
#ifndef TH_EDGES_H
#define TH_EDGES_H

#include "graph/numbering.h"
#include "graph/page_rank.h"

/**
 * Writes edges.txt.gz and weights.txt.gz and fills `graph` except its parts.
 * @param graph  out; th_rank_graph_done frees it, for any status; is_biased is borrowed
 *               from the numbering
 * @return TH_OK; TH_IO; TH_NOMEM (a vertex takes 25 bytes, an edge 4); TH_INTERRUPTED
 */
th_status th_edges_make(const th_numbering *numbering, const th_graph_options *opt,
                        th_rank_graph *graph, th_graph_stats *facts, th_error *err);

void th_rank_graph_done(th_rank_graph *graph);

#endif
