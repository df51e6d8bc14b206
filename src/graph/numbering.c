#include "graph/numbering.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "graph/graph_file.h"
#include "graph/link_key.h"

enum { ROOM_START = 1024 };

/* The pass. */
struct pass {
    th_numbering *numbering;
    const th_graph_options *opt;
    th_graph_stats *facts;
    th_buffer host, key; /* of the last row */
    bool has_host_bias, has_key_bias;
    bool is_host_numbered, is_page, is_target; /* state of the last row's names */
    uint32_t host_capacity, vertex_capacity;
    th_buffer url;
    th_graph_file vertices, hosts, pages;
};

static th_status no_memory(th_error *err)
{
    return th_fail(err, TH_NOMEM, "out of memory for the numbers of hosts and pages");
}

/* ---- arrays that grow ---- */

static bool grow_hosts(struct pass *pass)
{
    th_numbering *numbering = pass->numbering;
    const uint32_t capacity = pass->host_capacity ? pass->host_capacity * 2 : ROOM_START;
    uint32_t *pages = realloc(numbering->first_page, (capacity + 1) * sizeof *pages);
    if (pages)
        numbering->first_page = pages;
    uint32_t *targets =
        realloc(numbering->first_target, (capacity + 1) * sizeof *targets);
    if (targets)
        numbering->first_target = targets;
    if (!pages || !targets)
        return false;
    pass->host_capacity = capacity;
    return true;
}

static bool grow_vertices(struct pass *pass)
{
    const uint32_t capacity =
        pass->vertex_capacity ? pass->vertex_capacity * 2 : ROOM_START;
    bool *is_biased = realloc(pass->numbering->is_biased, capacity * sizeof *is_biased);
    if (!is_biased)
        return false;
    pass->numbering->is_biased = is_biased;
    pass->vertex_capacity = capacity;
    return true;
}

/* ---- rows out ---- */

static th_status keep_name(struct pass *pass, th_view name, th_error *err)
{
    const uint32_t len = (uint32_t)name.len;
    const th_status status =
        th_scratch_append(pass->numbering->names, &len, sizeof len, err);
    return status == TH_OK
               ? th_scratch_append(pass->numbering->names, name.data, len, err)
               : status;
}

static th_status write_named(th_graph_file *file, uint32_t number, th_view name,
                             th_error *err)
{
    th_buffer_printf(&file->rows, "%" PRIu32 "\t", number);
    th_buffer_append_view(&file->rows, name);
    th_buffer_append_char(&file->rows, '\n');
    return th_graph_file_row(file, err);
}

static th_status add_vertex(struct pass *pass, th_view name, bool is_biased,
                            th_error *err)
{
    th_numbering *numbering = pass->numbering;
    if (numbering->vertex_count == pass->vertex_capacity && !grow_vertices(pass))
        return no_memory(err);
    numbering->is_biased[numbering->vertex_count] = is_biased;
    pass->facts->biased += is_biased;
    th_status status = write_named(&pass->vertices, numbering->vertex_count++, name, err);
    return status == TH_OK ? keep_name(pass, name, err) : status;
}

static th_status number_host(struct pass *pass, th_error *err)
{
    th_numbering *numbering = pass->numbering;
    const th_view name = th_buffer_view(&pass->host);
    if (pass->is_host_numbered)
        return TH_OK;
    if (numbering->host_count == TH_GRAPH_RECORDS_MAX)
        return th_fail(err, TH_TOO_LARGE, "more than 2^31 hosts");
    if (numbering->host_count == pass->host_capacity && !grow_hosts(pass))
        return no_memory(err);
    pass->is_host_numbered = true;
    numbering->first_page[numbering->host_count] = numbering->page_count;
    numbering->first_target[numbering->host_count] = numbering->target_count;
    numbering->host_count++;
    return pass->opt->level == TH_GRAPH_HOST
               ? add_vertex(pass, name, pass->has_host_bias, err)
               : write_named(&pass->hosts, numbering->host_count - 1, name, err);
}

static th_status write_page(struct pass *pass, th_error *err)
{
    const th_numbering *numbering = pass->numbering;
    const uint32_t host = numbering->host_count - 1;
    th_buffer_printf(&pass->pages.rows, "%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t",
                     numbering->page_count, host,
                     numbering->page_count - numbering->first_page[host]);
    th_buffer_append_view(&pass->pages.rows, th_buffer_view(&pass->url));
    th_buffer_append_char(&pass->pages.rows, '\n');
    return th_graph_file_row(&pass->pages, err);
}

/* ---- rows in ---- */

static bool is_same(const th_buffer *kept, th_view text)
{
    return kept->len == text.len &&
           (!text.len || memcmp(kept->data, text.data, text.len) == 0);
}

static void keep(th_buffer *kept, th_view text)
{
    th_buffer_reset(kept);
    th_buffer_append_view(kept, text);
}

static th_status take_page(struct pass *pass, uint32_t record, th_error *err)
{
    th_numbering *numbering = pass->numbering;
    th_status status = number_host(pass, err);
    if (status == TH_OK && !pass->is_page && pass->opt->level == TH_GRAPH_PAGE) {
        th_buffer_reset(&pass->url);
        th_link_key_url(th_buffer_view(&pass->key), &pass->url);
        status = pass->url.has_failed ? no_memory(err) : write_page(pass, err);
        if (status == TH_OK)
            status = add_vertex(pass, th_buffer_view(&pass->url),
                                pass->has_host_bias || pass->has_key_bias, err);
        numbering->target_count++;
    }
    numbering->page_count += !pass->is_page;
    pass->is_page = true;
    numbering->page_of[record] = numbering->page_count - 1;
    return status;
}

static th_status take_link(struct pass *pass, uint32_t record_bit, th_error *err)
{
    th_numbering *numbering = pass->numbering;
    if (pass->opt->level == TH_GRAPH_PAGE) {
        if (!pass->is_page) {
            pass->facts->outside_links++;
            return TH_OK;
        }
    } else if (!pass->is_target) {
        const th_status status = number_host(pass, err);
        if (status != TH_OK)
            return status;
        if (numbering->target_count == UINT32_MAX)
            return th_fail(err, TH_TOO_LARGE, "more than 2^32 linked addresses");
        numbering->target_count++;
        pass->is_target = true;
    }
    const th_numbered_link link = { numbering->target_count - 1, record_bit };
    numbering->link_count++;
    return th_scratch_append(numbering->links, &link, sizeof link, err);
}

static th_status take_row(struct pass *pass, th_view key, uint64_t value, th_error *err)
{
    const th_view host = th_link_key_host(key);
    if (!is_same(&pass->host, host)) {
        keep(&pass->host, host);
        pass->has_host_bias = pass->is_host_numbered = false;
    }
    if (!is_same(&pass->key, key)) {
        keep(&pass->key, key);
        pass->has_key_bias = pass->is_page = pass->is_target = false;
    }
    if (pass->host.has_failed || pass->key.has_failed)
        return no_memory(err);
    const uint32_t record_bit = (uint32_t)value;
    switch (value >> 62) {
    case TH_ROW_BIAS:
        pass->has_host_bias |= host.len == key.len;
        pass->has_key_bias = true;
        return TH_OK;
    case TH_ROW_PAGE:
        return take_page(pass, record_bit >> 1, err);
    default:
        return take_link(pass, record_bit, err);
    }
}

static th_status take_rows(struct pass *pass, th_text_sort *rows, th_error *err)
{
    const uint64_t total = th_text_sort_count(rows);
    th_view key;
    uint64_t value = 0;
    for (uint64_t done = 0;; done++) {
        th_status status = th_text_sort_next(rows, &key, &value, err);
        if (status == TH_END)
            return TH_OK;
        if (status == TH_OK)
            status = take_row(pass, key, value, err);
        if (status == TH_OK && th_graph_is_stopped(pass->opt))
            status = TH_INTERRUPTED;
        if (status != TH_OK)
            return status;
        th_graph_report(pass->opt, "numbering", done, total);
    }
}

/* ---- the whole ---- */

static th_status open_files(struct pass *pass, th_error *err)
{
    const char *folder = pass->opt->folder;
    th_status status = th_scratch_open(pass->opt->temp, &pass->numbering->links, err);
    if (status == TH_OK)
        status = th_scratch_open(pass->opt->temp, &pass->numbering->names, err);
    if (status == TH_OK)
        status = th_graph_file_open(&pass->vertices, folder, "vertices.txt.gz", err);
    if (pass->opt->level == TH_GRAPH_HOST)
        return status;
    if (status == TH_OK)
        status = th_graph_file_open(&pass->hosts, folder, "hosts.txt.gz", err);
    if (status == TH_OK)
        status = th_graph_file_open(&pass->pages, folder, "pages.txt.gz", err);
    return status;
}

static th_status finish_files(struct pass *pass, th_error *err)
{
    th_status status = th_graph_file_finish(&pass->vertices, err);
    if (pass->opt->level == TH_GRAPH_HOST)
        return status;
    if (status == TH_OK)
        status = th_graph_file_finish(&pass->hosts, err);
    if (status == TH_OK)
        status = th_graph_file_finish(&pass->pages, err);
    return status;
}

/* Ends the hosts' lists, and frees the bias if no vertex has it. */
static void conclude(th_numbering *numbering, th_graph_stats *facts)
{
    numbering->first_page[numbering->host_count] = numbering->page_count;
    numbering->first_target[numbering->host_count] = numbering->target_count;
    facts->hosts = numbering->host_count;
    facts->pages = numbering->page_count;
    facts->vertices = numbering->vertex_count;
    if (!facts->biased) {
        free(numbering->is_biased);
        numbering->is_biased = NULL;
    }
}

th_status th_numbering_make(th_numbering *numbering, th_text_sort *rows,
                            uint32_t record_count, const th_graph_options *opt,
                            th_graph_stats *facts, th_error *err)
{
    struct pass pass = { .numbering = numbering, .opt = opt, .facts = facts };
    numbering->page_of = calloc((size_t)record_count + 1, sizeof *numbering->page_of);
    th_status status = numbering->page_of && grow_hosts(&pass) ? TH_OK : no_memory(err);
    if (status == TH_OK)
        status = open_files(&pass, err);
    if (status == TH_OK)
        status = take_rows(&pass, rows, err);
    if (status == TH_OK)
        status = finish_files(&pass, err);
    if (status == TH_OK)
        conclude(numbering, facts);
    th_graph_file_done(&pass.vertices);
    th_graph_file_done(&pass.hosts);
    th_graph_file_done(&pass.pages);
    th_buffer_done(&pass.host);
    th_buffer_done(&pass.key);
    th_buffer_done(&pass.url);
    return status;
}

void th_numbering_done(th_numbering *numbering)
{
    free(numbering->page_of);
    free(numbering->first_page);
    free(numbering->first_target);
    free(numbering->is_biased);
    th_scratch_free(numbering->links);
    th_scratch_free(numbering->names);
    *numbering = (th_numbering){ .page_of = NULL };
}

uint32_t th_numbering_host(const th_numbering *numbering, const uint32_t *firsts,
                           uint32_t number)
{
    return th_first_from(firsts, numbering->host_count, sizeof *firsts, 0,
                         (uint64_t)number + 1) -
           1;
}
