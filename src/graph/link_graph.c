#include "graph/link_graph.h"

#include <stdlib.h>

#include "graph/edges.h"
#include "graph/link_key.h"
#include "graph/ranking.h"

const char *const th_graph_level_names[] = { "host", "page", NULL };
const char *const th_graph_links_names[] = { "all", "content", "boilerplate", NULL };

const char *const th_graph_file_names[] = {
    "vertices.txt.gz", "edges.txt.gz", "weights.txt.gz", "ranks.txt.gz", "hosts.txt.gz",
    "pages.txt.gz",    NULL,
};

struct th_link_graph {
    th_graph_options opt;
    th_graph_stats facts;
    th_text_sort *rows;
    uint32_t record_count;
    th_buffer key, url;
};

th_status th_link_graph_new(const th_graph_options *opt, th_link_graph **out,
                            th_error *err)
{
    th_link_graph *graph = calloc(1, sizeof *graph);
    if (!graph)
        return th_fail(err, TH_NOMEM, "out of memory for a graph");
    graph->opt = *opt;
    const th_status status = th_text_sort_new(opt->temp, opt->memory, &graph->rows, err);
    if (status != TH_OK)
        th_link_graph_free(graph);
    else
        *out = graph;
    return status;
}

void th_link_graph_free(th_link_graph *graph)
{
    if (!graph)
        return;
    th_text_sort_free(graph->rows);
    th_buffer_done(&graph->key);
    th_buffer_done(&graph->url);
    free(graph);
}

const th_graph_stats *th_link_graph_stats(const th_link_graph *graph)
{
    return &graph->facts;
}

static bool is_wanted(const th_link_graph *graph, bool is_content)
{
    return graph->opt.links == TH_GRAPH_ALL ||
           (graph->opt.links == TH_GRAPH_CONTENT) == is_content;
}

static th_status add_link(th_link_graph *graph, const th_record_link *link, th_error *err)
{
    graph->facts.read_links++;
    if (!is_wanted(graph, link->is_content)) {
        graph->facts.unwanted_links++;
        return TH_OK;
    }
    if (!th_link_key(link->url, &graph->key)) {
        graph->facts.bad_links++;
        return graph->key.has_failed ? th_fail(err, TH_NOMEM, "out of memory for a link")
                                     : TH_OK;
    }
    return th_text_sort_add(graph->rows, th_buffer_view(&graph->key),
                            TH_ROW(TH_ROW_LINK, graph->record_count, link->is_content),
                            err);
}

th_status th_link_graph_add(th_link_graph *graph, const th_link_record *record,
                            th_error *err)
{
    if (graph->record_count == TH_GRAPH_RECORDS_MAX)
        return th_fail(err, TH_TOO_LARGE, "more than 2^31 records");
    if (!record->url.data || !th_link_key(record->url, &graph->key))
        return graph->key.has_failed ? th_fail(err, TH_NOMEM, "out of memory for a page")
                                     : TH_ABSENT;
    th_status status = th_text_sort_add(graph->rows, th_buffer_view(&graph->key),
                                        TH_ROW(TH_ROW_PAGE, graph->record_count, 0), err);
    for (uint32_t i = 0; i < record->link_count && status == TH_OK; i++)
        status = add_link(graph, &record->links[i], err);
    graph->record_count++;
    graph->facts.records++;
    graph->facts.bare_records += !record->has_links;
    return status;
}

static bool has_scheme(th_view line)
{
    for (size_t i = 0; i + 2 < line.len; i++)
        if (line.data[i] == ':' && line.data[i + 1] == '/' && line.data[i + 2] == '/')
            return true;
    return false;
}

th_status th_link_graph_bias(th_link_graph *graph, th_view line, th_error *err)
{
    const bool is_url = has_scheme(line);
    th_buffer_reset(&graph->url);
    if (!is_url)
        th_buffer_append_text(&graph->url, "http://");
    th_buffer_append_view(&graph->url, line);
    graph->facts.bias_rows++;
    if (!th_link_key(th_buffer_view(&graph->url), &graph->key)) {
        graph->facts.no_bias++;
        return TH_OK;
    }
    th_view key = th_buffer_view(&graph->key);
    if (!is_url || graph->opt.level == TH_GRAPH_HOST)
        key = th_link_key_host(key);
    return th_text_sort_add(graph->rows, key, TH_ROW(TH_ROW_BIAS, 0, 0), err);
}

static th_status rank(th_link_graph *graph, const th_numbering *numbering, th_error *err)
{
    th_rank_graph ranked;
    th_status status = th_edges_make(numbering, &graph->opt, &ranked, &graph->facts, err);
    if (status == TH_OK)
        status = th_ranking_deal(numbering, &graph->opt, &ranked, err);
    if (status == TH_OK)
        status = th_ranking_write(numbering, &graph->opt, &ranked, &graph->facts, err);
    th_rank_graph_done(&ranked);
    return status;
}

th_status th_link_graph_write(th_link_graph *graph, th_error *err)
{
    th_numbering numbering = { .page_of = NULL };
    th_status status = th_text_sort_finish(graph->rows, err);
    if (status == TH_OK)
        status = th_numbering_make(&numbering, graph->rows, graph->record_count,
                                   &graph->opt, &graph->facts, err);
    th_text_sort_free(graph->rows);
    graph->rows = NULL;
    if (status == TH_OK && graph->facts.bias_rows && !graph->facts.biased)
        status =
            th_fail(err, TH_USAGE, "the graph contains no vertex of the biasing set");
    if (status == TH_OK)
        status = rank(graph, &numbering, err);
    th_numbering_done(&numbering);
    return status;
}
