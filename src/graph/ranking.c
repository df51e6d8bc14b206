#include "graph/ranking.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "dedup/key_sort.h"
#include "graph/graph_file.h"

static th_status no_memory(th_error *err)
{
    return th_fail(err, TH_NOMEM, "out of memory for the ranks");
}

/* ---- parts ---- */

static void set_part(const th_numbering *numbering, th_graph_level level,
                     th_rank_graph *graph, uint32_t host, uint8_t part)
{
    if (level == TH_GRAPH_HOST) {
        graph->part[host] = part;
        return;
    }
    const uint32_t first = numbering->first_page[host];
    memset(graph->part + first, part, numbering->first_page[host + 1] - first);
}

th_status th_ranking_deal(const th_numbering *numbering, const th_graph_options *opt,
                          th_rank_graph *graph, th_error *err)
{
    th_key_sort *hosts = NULL;
    uint64_t key = 0;
    uint32_t host = 0;
    graph->part = calloc((size_t)graph->vertex_count + 1, sizeof *graph->part);
    if (!graph->part)
        return no_memory(err);
    th_status status = th_key_sort_new(opt->temp, opt->memory, &hosts, err);
    for (uint32_t i = 0; i < numbering->host_count && status == TH_OK; i++) {
        const uint32_t pages = numbering->first_page[i + 1] - numbering->first_page[i];
        status = th_key_sort_add(hosts, (uint64_t)(UINT32_MAX - pages) << 32 | i, i, err);
    }
    if (status == TH_OK)
        status = th_key_sort_finish(hosts, err);
    for (uint32_t dealt = 0; status == TH_OK; dealt++) {
        status = th_key_sort_next(hosts, &key, &host, err);
        if (status == TH_OK)
            set_part(numbering, opt->level, graph, host, (uint8_t)(dealt % opt->parts));
    }
    th_key_sort_free(hosts);
    return status == TH_END ? TH_OK : status;
}

/* ---- places by rank ---- */

/* A rank is not negative, so its bits have its order. Greatest first, then by number.
 * @param place  out: of each vertex, from 0 */
static th_status find_places(const th_graph_options *opt, const double *ranks,
                             uint32_t count, uint32_t *place, th_error *err)
{
    th_key_sort *sort = NULL;
    uint64_t bits = 0;
    uint32_t vertex = 0;
    th_status status = th_key_sort_new(opt->temp, opt->memory, &sort, err);
    for (uint32_t i = 0; i < count && status == TH_OK; i++) {
        memcpy(&bits, &ranks[i], sizeof bits);
        status = th_key_sort_add(sort, ~bits, i, err);
    }
    if (status == TH_OK)
        status = th_key_sort_finish(sort, err);
    for (uint32_t at = 0; status == TH_OK; at++) {
        status = th_key_sort_next(sort, &bits, &vertex, err);
        if (status == TH_OK)
            place[vertex] = at;
    }
    th_key_sort_free(sort);
    return status == TH_END ? TH_OK : status;
}

/* Sorts the names, which are in the order of the vertices, into the order of the
 * ranks. */
static th_status sort_names(const th_numbering *numbering, const double *ranks,
                            const uint32_t *place, th_text_sort *sort, th_error *err)
{
    char row[4 + TH_TEXT_SORT_KEY_MAX];
    uint64_t at = 0, bits = 0;
    th_status status = TH_OK;
    for (uint32_t i = 0; i < numbering->vertex_count && status == TH_OK; i++) {
        uint32_t len = 0;
        status = th_scratch_read(numbering->names, at, &len, sizeof len, err);
        if (status == TH_OK)
            status =
                th_scratch_read(numbering->names, at + sizeof len, row + 4, len, err);
        for (int b = 0; b < 4; b++)
            row[b] = (char)(place[i] >> (24 - 8 * b));
        memcpy(&bits, &ranks[i], sizeof bits);
        at += sizeof len + len;
        if (status == TH_OK)
            status = th_text_sort_add(sort, (th_view){ row, 4 + (size_t)len }, bits, err);
    }
    return status == TH_OK ? th_text_sort_finish(sort, err) : status;
}

static double sum_of(const double *ranks, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += ranks[i];
    return sum;
}

static th_status write_rows(const th_graph_options *opt, th_text_sort *sort, double sum,
                            th_graph_file *file, th_error *err)
{
    th_view row;
    uint64_t bits = 0, place = 0;
    double rank = 0;
    th_status status = TH_OK;
    th_buffer_printf(&file->rows, "#pr_pos\t#pr_val\t#%s\n",
                     opt->level == TH_GRAPH_HOST ? "host_rev" : "url");
    while (status == TH_OK &&
           (status = th_text_sort_next(sort, &row, &bits, err)) == TH_OK) {
        memcpy(&rank, &bits, sizeof rank);
        th_buffer_printf(&file->rows, "%" PRIu64 "\t%.17g\t", ++place,
                         sum > 0 ? rank / sum : 0);
        th_buffer_append(&file->rows, row.data + 4, row.len - 4);
        th_buffer_append_char(&file->rows, '\n');
        status = th_graph_file_row(file, err);
        th_graph_report(opt, "writing", place, th_text_sort_count(sort));
        if (status == TH_OK && th_graph_is_stopped(opt))
            status = TH_INTERRUPTED;
    }
    return status == TH_END ? th_graph_file_finish(file, err) : status;
}

static th_status write_ranks(const th_numbering *numbering, const th_graph_options *opt,
                             const double *ranks, th_error *err)
{
    const uint32_t count = numbering->vertex_count;
    th_graph_file file = { .sink = NULL };
    th_text_sort *sort = NULL;
    uint32_t *place = malloc(((size_t)count + 1) * sizeof *place);
    if (!place)
        return no_memory(err);
    th_status status = find_places(opt, ranks, count, place, err);
    if (status == TH_OK)
        status = th_text_sort_new(opt->temp, opt->memory, &sort, err);
    if (status == TH_OK)
        status = sort_names(numbering, ranks, place, sort, err);
    free(place);
    if (status == TH_OK)
        status = th_graph_file_open(&file, opt->folder, "ranks.txt.gz", err);
    if (status == TH_OK)
        status = write_rows(opt, sort, sum_of(ranks, count), &file, err);
    th_graph_file_done(&file);
    th_text_sort_free(sort);
    return status;
}

/* ---- the ranks ---- */

static void report_round(void *context, uint32_t round, double change)
{
    const th_graph_options *opt = context;
    (void)change;
    if (opt->progress)
        opt->progress(opt->context, "ranking", round, 0);
}

th_status th_ranking_write(const th_numbering *numbering, const th_graph_options *opt,
                           const th_rank_graph *graph, th_graph_stats *facts,
                           th_error *err)
{
    const th_rank_options how = { .alpha = opt->alpha,
                                  .boilerplate_weight = opt->boilerplate_weight,
                                  .epsilon = opt->epsilon,
                                  .max_rounds = TH_GRAPH_MOST_ROUNDS,
                                  .stop = opt->stop,
                                  .progress = report_round,
                                  .context = (void *)(uintptr_t)opt };
    const th_part_traffic traffic = th_rank_traffic(graph);
    const double start = th_clock_seconds(CLOCK_MONOTONIC);
    double *ranks = malloc(((size_t)graph->vertex_count + 1) * sizeof *ranks);
    th_status status =
        ranks ? th_page_rank(graph, &how, ranks, &facts->rounds) : no_memory(err);
    if (status == TH_NOMEM)
        status = no_memory(err);
    facts->rank_seconds = th_clock_seconds(CLOCK_MONOTONIC) - start;
    facts->inter_part = traffic.links;
    facts->votes = traffic.votes;
    if (status == TH_OK && ranks)
        status = write_ranks(numbering, opt, ranks, err);
    free(ranks);
    return status;
}
