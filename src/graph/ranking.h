/* Assigns hosts to parts, ranks the graph and writes ranks.txt.gz. */
#ifndef TH_RANKING_H
#define TH_RANKING_H

#include "graph/numbering.h"
#include "graph/page_rank.h"

/**
 * Assigns hosts to the parts in turn, ordered by their pages, greatest first, then by
 * number. The number of parts does not depend on the machine. [K11 §3.3]
 * @param graph  its `part` is made
 * @return TH_OK; TH_IO; TH_NOMEM
 */
th_status th_ranking_deal(const th_numbering *numbering, const th_graph_options *opt,
                          th_rank_graph *graph, th_error *err);

/** Ranks the graph with its parts and writes the file. TH_OK; TH_IO; TH_NOMEM;
 * TH_INTERRUPTED. */
th_status th_ranking_write(const th_numbering *numbering, const th_graph_options *opt,
                           const th_rank_graph *graph, th_graph_stats *facts,
                           th_error *err);

#endif
