/*
 * Three kinds of numbers are sorted in turn:
 * - links by page and address, which finds repeated links of a page;
 * - at host level, links by both hosts;
 * - edges by target.
 */
#include "graph/edges.h"

#include <inttypes.h>
#include <stdlib.h>

#include "dedup/key_sort.h"
#include "graph/graph_file.h"

enum { PIECE = 4096 }; /* links read at once */

/* The bits after an item's key. */
enum { IS_CONTENT = 1, IS_FIRST = 2 }; /* the page's first link to that host */

/* Links of one kind between two vertices. */
struct edge {
    uint32_t from, to;
    uint64_t content, boilerplate, pages;
};

struct maker {
    const th_numbering *numbering;
    const th_graph_options *opt;
    th_graph_stats *facts;
    th_rank_graph *graph;
    th_key_sort *links, *by_hosts, *by_target;
    th_graph_file edges, weights;
    uint32_t from_host; /* of the current link; pages come in order */
    uint64_t last_pair; /* page and host of the link before */
    bool has_pair;
};

static th_status no_memory(const struct maker *maker, th_error *err)
{
    return th_fail(err, TH_NOMEM,
                   "out of memory to rank %" PRIu64 " edges between %" PRIu32 " vertices",
                   maker->facts->edges, maker->numbering->vertex_count);
}

/* ---- an edge ---- */

static th_status write_edge(struct maker *maker, const struct edge *edge, th_error *err)
{
    th_buffer_printf(&maker->edges.rows, "%" PRIu32 "\t%" PRIu32 "\n", edge->from,
                     edge->to);
    th_buffer_printf(&maker->weights.rows,
                     "%" PRIu32 "\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
                     edge->from, edge->to, edge->content, edge->boilerplate, edge->pages);
    const th_status status = th_graph_file_row(&maker->edges, err);
    return status == TH_OK ? th_graph_file_row(&maker->weights, err) : status;
}

static th_status take_edge(struct maker *maker, const struct edge *edge, th_error *err)
{
    const bool is_content = edge->content > 0;
    if (edge->from == edge->to)
        return TH_OK;
    maker->facts->edges++;
    maker->graph->weight_out[edge->from] +=
        is_content ? 1 : maker->opt->boilerplate_weight;
    const th_status status =
        th_key_sort_add(maker->by_target, (uint64_t)edge->to << 32 | edge->from,
                        is_content ? IS_CONTENT : 0, err);
    return status == TH_OK ? write_edge(maker, edge, err) : status;
}

/* ---- links by page and address ---- */

static th_status sort_links(struct maker *maker, th_error *err)
{
    th_numbered_link piece[PIECE];
    const uint64_t count = maker->numbering->link_count;
    th_status status = TH_OK;
    for (uint64_t done = 0; done < count && status == TH_OK;) {
        const size_t part = count - done < PIECE ? (size_t)(count - done) : PIECE;
        status = th_scratch_read(maker->numbering->links, done * sizeof *piece, piece,
                                 part * sizeof *piece, err);
        for (size_t i = 0; i < part && status == TH_OK; i++) {
            const uint32_t page = maker->numbering->page_of[piece[i].record_bit >> 1];
            status = th_key_sort_add(maker->links, (uint64_t)page << 32 | piece[i].target,
                                     piece[i].record_bit & IS_CONTENT, err);
        }
        done += part;
        th_graph_report(maker->opt, "sorting", done, count);
        if (status == TH_OK && th_graph_is_stopped(maker->opt))
            status = TH_INTERRUPTED;
    }
    return status == TH_OK ? th_key_sort_finish(maker->links, err) : status;
}

static th_status take_link(struct maker *maker, uint32_t page, uint32_t target,
                           bool is_content, th_error *err)
{
    const th_numbering *numbering = maker->numbering;
    while (numbering->first_page[maker->from_host + 1] <= page)
        maker->from_host++;
    const uint32_t to_host =
        th_numbering_host(numbering, numbering->first_target, target);
    if (maker->opt->level == TH_GRAPH_PAGE && page == target)
        return TH_OK;
    maker->facts->links++;
    maker->facts->inter_host += to_host != maker->from_host;
    if (maker->opt->level == TH_GRAPH_PAGE) {
        const struct edge edge = { page, target, is_content, !is_content, 1 };
        return take_edge(maker, &edge, err);
    }
    if (to_host == maker->from_host)
        return TH_OK;
    const uint64_t pair = (uint64_t)page << 32 | to_host;
    const bool is_first = !maker->has_pair || pair != maker->last_pair;
    maker->has_pair = true;
    maker->last_pair = pair;
    return th_key_sort_add(maker->by_hosts, (uint64_t)maker->from_host << 32 | to_host,
                           (is_content ? IS_CONTENT : 0u) | (is_first ? IS_FIRST : 0u),
                           err);
}

/* Merges items of one key into one, with the best label of all. */
static th_status take_links(struct maker *maker, th_error *err)
{
    uint64_t key = 0, next = 0, done = 0;
    uint32_t value = 0, next_value = 0;
    th_status status = th_key_sort_next(maker->links, &key, &value, err);
    while (status == TH_OK) {
        while ((status = th_key_sort_next(maker->links, &next, &next_value, err)) ==
                   TH_OK &&
               next == key)
            value |= next_value;
        if (status != TH_OK && status != TH_END)
            return status;
        const th_status taken = take_link(maker, (uint32_t)(key >> 32), (uint32_t)key,
                                          value & IS_CONTENT, err);
        if (taken != TH_OK)
            return taken;
        key = next;
        value = next_value;
        th_graph_report(maker->opt, "edges", ++done, maker->numbering->link_count);
        if (th_graph_is_stopped(maker->opt))
            return TH_INTERRUPTED;
    }
    return status == TH_END ? TH_OK : status;
}

/* ---- links by hosts ---- */

static void count_link(struct edge *edge, uint32_t value)
{
    const bool is_content = value & IS_CONTENT;
    edge->content += is_content;
    edge->boilerplate += !is_content;
    edge->pages += (value & IS_FIRST) != 0;
}

static th_status take_hosts(struct maker *maker, th_error *err)
{
    uint64_t key = 0;
    uint32_t value = 0;
    struct edge edge = { 0 };
    th_status status = th_key_sort_finish(maker->by_hosts, err);
    bool has_edge = false;
    while (status == TH_OK &&
           (status = th_key_sort_next(maker->by_hosts, &key, &value, err)) == TH_OK) {
        const uint32_t from = (uint32_t)(key >> 32), to = (uint32_t)key;
        if (has_edge && (edge.from != from || edge.to != to)) {
            status = take_edge(maker, &edge, err);
            has_edge = false;
        }
        if (!has_edge)
            edge = (struct edge){ .from = from, .to = to };
        has_edge = true;
        count_link(&edge, value);
        if (status == TH_OK && th_graph_is_stopped(maker->opt))
            status = TH_INTERRUPTED;
    }
    if (status != TH_END)
        return status;
    return has_edge ? take_edge(maker, &edge, err) : TH_OK;
}

/* ---- edges by target ---- */

static th_status fill_graph(struct maker *maker, th_error *err)
{
    th_rank_graph *graph = maker->graph;
    const size_t vertices = graph->vertex_count;
    uint64_t key = 0, at = 0;
    uint32_t value = 0;
    th_status status = th_key_sort_finish(maker->by_target, err);
    if (status != TH_OK)
        return status;
    graph->first = calloc(vertices + 1, sizeof *graph->first);
    graph->sources = malloc((maker->facts->edges + 1) * sizeof *graph->sources);
    if (!graph->first || !graph->sources)
        return no_memory(maker, err);
    while ((status = th_key_sort_next(maker->by_target, &key, &value, err)) == TH_OK) {
        graph->first[(key >> 32) + 1]++;
        graph->sources[at++] =
            (uint32_t)key | (value & IS_CONTENT ? 0 : TH_RANK_BOILERPLATE);
    }
    for (size_t i = 0; i < vertices; i++)
        graph->first[i + 1] += graph->first[i];
    return status == TH_END ? TH_OK : status;
}

/* ---- the whole ---- */

static th_status prepare(struct maker *maker, th_error *err)
{
    const th_graph_options *opt = maker->opt;
    const uint64_t share = opt->memory / 3;
    th_rank_graph *graph = maker->graph;
    graph->vertex_count = maker->numbering->vertex_count;
    graph->is_biased = maker->numbering->is_biased;
    graph->weight_out =
        calloc((size_t)graph->vertex_count + 1, sizeof *graph->weight_out);
    if (!graph->weight_out)
        return no_memory(maker, err);
    th_status status = th_key_sort_new(opt->temp, share, &maker->links, err);
    if (status == TH_OK)
        status = th_key_sort_new(opt->temp, share, &maker->by_hosts, err);
    if (status == TH_OK)
        status = th_key_sort_new(opt->temp, share, &maker->by_target, err);
    if (status == TH_OK)
        status = th_graph_file_open(&maker->edges, opt->folder, "edges.txt.gz", err);
    if (status == TH_OK)
        status = th_graph_file_open(&maker->weights, opt->folder, "weights.txt.gz", err);
    return status;
}

th_status th_edges_make(const th_numbering *numbering, const th_graph_options *opt,
                        th_rank_graph *graph, th_graph_stats *facts, th_error *err)
{
    struct maker maker = {
        .numbering = numbering, .opt = opt, .facts = facts, .graph = graph
    };
    *graph = (th_rank_graph){ .vertex_count = 0 };
    th_status status = prepare(&maker, err);
    if (status == TH_OK)
        status = sort_links(&maker, err);
    if (status == TH_OK)
        status = take_links(&maker, err);
    th_key_sort_free(maker.links);
    if (status == TH_OK)
        status = take_hosts(&maker, err);
    th_key_sort_free(maker.by_hosts);
    if (status == TH_OK)
        status = th_graph_file_finish(&maker.edges, err);
    if (status == TH_OK)
        status = th_graph_file_finish(&maker.weights, err);
    if (status == TH_OK)
        status = fill_graph(&maker, err);
    th_key_sort_free(maker.by_target);
    th_graph_file_done(&maker.edges);
    th_graph_file_done(&maker.weights);
    return status;
}

void th_rank_graph_done(th_rank_graph *graph)
{
    free(graph->first);
    free(graph->sources);
    free(graph->weight_out);
    free(graph->part);
    *graph = (th_rank_graph){ .vertex_count = 0 };
}
