/*
 * The graph of hosts or pages from emitted records, in the form of Common Crawl's web
 * graphs. The outcome depends neither on the order of the records nor on the memory.
 * docs/graph.md
 */
#ifndef TH_LINK_GRAPH_H
#define TH_LINK_GRAPH_H

#include "graph/graph_options.h"
#include "graph/link_record.h"

typedef struct th_link_graph th_link_graph;

/** Files that a graph may have in its folder; ends with NULL. */
extern const char *const th_graph_file_names[];

/** Makes an empty graph. @param opt  copied, but its pointers are borrowed. TH_OK;
 * TH_NOMEM */
th_status th_link_graph_new(const th_graph_options *opt, th_link_graph **out,
                            th_error *err);

/** NULL is legal. */
void th_link_graph_free(th_link_graph *graph);

/**
 * Adds a page and its links.
 * @return TH_OK, TH_ABSENT if its `url` is not a web URL, TH_TOO_LARGE for the 2^31st
 *         record, TH_IO or TH_NOMEM
 */
th_status th_link_graph_add(th_link_graph *graph, const th_link_record *record,
                            th_error *err);

/**
 * Adds a host or a URL to the biasing set. At host level a URL selects its host, at page
 * level a host selects its pages.
 * @param line  any other line is counted in no_bias. TH_OK; TH_IO; TH_NOMEM
 */
th_status th_link_graph_bias(th_link_graph *graph, th_view line, th_error *err);

/** Makes the graph, ranks it and writes its files. TH_OK; TH_IO; TH_NOMEM; TH_TOO_LARGE;
 * TH_USAGE if the graph has no vertex of the biasing set; TH_INTERRUPTED. */
th_status th_link_graph_write(th_link_graph *graph, th_error *err);

/** Valid for the graph's life. */
const th_graph_stats *th_link_graph_stats(const th_link_graph *graph);

#endif
