/* Walks the sets in order of age. A cluster of any size is written piece by piece. */
#include "dedup/cluster_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "dedup/pair_line.h"

enum { PIECE = 1 << 20 };

#define NO_MEMBER UINT32_MAX

const char *const th_dedup_output_names[] = { "clusters", "pairs", "drop", NULL };

/* ---- members ---- */

static void note_size(th_cluster_sizes *summary, uint32_t size, uint32_t representative)
{
    unsigned class = 0;
    while (class < TH_SIZE_CLASSES - 1 && size > (uint64_t)2 << class)
        class ++;
    summary->classes[class]++;
    summary->clusters++;
    summary->clustered += size;
    for (int i = 0; i < TH_LARGEST_CLUSTERS; i++) {
        if (summary->largest[i] >= size)
            continue;
        const uint32_t next_size = summary->largest[i];
        const uint32_t next = summary->representatives[i];
        summary->largest[i] = size;
        summary->representatives[i] = representative;
        if (!next_size)
            return;
        size = next_size;
        representative = next;
    }
}

void th_clusters_done(th_clusters *clusters)
{
    free(clusters->sizes);
    free(clusters->next);
    *clusters = (th_clusters){ 0 };
}

th_status th_clusters_init(th_clusters *clusters, th_union_find *sets, th_error *err)
{
    const size_t capacity = (size_t)sets->count + 1;
    uint32_t *last = malloc(capacity * sizeof *last);
    *clusters = (th_clusters){ .count = sets->count };
    clusters->sizes = calloc(capacity, sizeof *clusters->sizes);
    clusters->next = malloc(capacity * sizeof *clusters->next);
    if (!last || !clusters->sizes || !clusters->next) {
        free(last);
        th_clusters_done(clusters);
        return th_fail(err, TH_NOMEM, "out of memory for clusters of %u records",
                       sets->count);
    }
    for (uint32_t rank = 0; rank < sets->count; rank++) {
        const uint32_t root = th_union_find_root(sets, rank);
        clusters->next[rank] = NO_MEMBER;
        if (root != rank) /* a root is the smallest of its set: it came before */
            clusters->next[last[root]] = rank;
        last[root] = rank;
        clusters->sizes[root]++;
    }
    free(last);
    for (uint32_t rank = 0; rank < sets->count; rank++)
        if (clusters->sizes[rank] > 1)
            note_size(&clusters->summary, clusters->sizes[rank], rank);
    return TH_OK;
}

/* ---- lines ---- */

/* The output that is being written. */
struct writing {
    th_duplicate_finder *finder;
    const th_clusters *clusters;
    th_dedup_write write;
    void *context;
    th_buffer out;
    th_record_name names[2];
    bool is_packed;
    uint64_t line_count;
};

static th_status flush(struct writing *writing, size_t min, th_error *err)
{
    if (writing->out.has_failed)
        return th_fail(err, TH_NOMEM, "out of memory for the output");
    if (writing->out.len < min || !writing->out.len)
        return TH_OK;
    const th_status status =
        writing->write(writing->context, th_buffer_view(&writing->out), err);
    th_buffer_reset(&writing->out);
    return status;
}

static th_status name_of(struct writing *writing, int which, uint32_t rank, th_error *err)
{
    return th_record_store_name(writing->finder->store, rank, &writing->names[which],
                                err);
}

static void write_member(th_json *json, const th_record_name *name,
                         const th_likeness *likeness)
{
    th_json_open_object(json);
    th_json_member(json, "id", name->id);
    th_json_member(json, "url", name->url);
    th_json_member(json, "date", name->date);
    if (likeness)
        th_likeness_write(json, likeness);
    th_json_close_object(json);
}

/* Writes the members after the representative. A packed cluster is not written in pieces,
 * because a row group ends between two rows. */
static th_status write_members(struct writing *writing, uint32_t root, th_json *json,
                               th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t rank = writing->clusters->next[root];
         rank != NO_MEMBER && status == TH_OK; rank = writing->clusters->next[rank]) {
        th_likeness likeness;
        status = th_duplicate_finder_compare(writing->finder, root, rank, &likeness, err);
        if (status == TH_OK)
            status = name_of(writing, 0, rank, err);
        if (status == TH_OK)
            write_member(json, &writing->names[0], &likeness);
        if (status == TH_OK && !writing->is_packed)
            status = flush(writing, PIECE, err);
    }
    return status;
}

static th_status write_cluster(struct writing *writing, uint32_t root, th_error *err)
{
    th_json json;
    th_status status = name_of(writing, 0, root, err);
    if (status != TH_OK)
        return status;
    writing->line_count++;
    th_json_begin_as(&json, &writing->out, writing->is_packed);
    th_json_open_object(&json);
    th_json_key(&json, "representative");
    write_member(&json, &writing->names[0], NULL);
    th_json_member_uint(&json, "size", writing->clusters->sizes[root]);
    th_json_key(&json, "members");
    th_json_open_array(&json);
    status = write_members(writing, root, &json, err);
    th_json_close_array(&json);
    th_json_close_object(&json);
    th_json_fail(&json, status);
    return th_json_end(&json);
}

static th_status write_id(struct writing *writing, th_view id)
{
    th_json json;
    writing->line_count++;
    if (!writing->is_packed) {
        th_buffer_append_view(&writing->out, id);
        th_buffer_append_char(&writing->out, '\n');
        return TH_OK;
    }
    th_json_begin_as(&json, &writing->out, true);
    th_json_open_object(&json);
    th_json_member(&json, "id", id);
    th_json_close_object(&json);
    return th_json_end(&json);
}

static th_status write_dropped(struct writing *writing, uint32_t root, th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t rank = writing->clusters->next[root];
         rank != NO_MEMBER && status == TH_OK; rank = writing->clusters->next[rank]) {
        status = name_of(writing, 0, rank, err);
        if (status == TH_OK)
            status = write_id(writing, writing->names[0].id);
        if (status == TH_OK)
            status = flush(writing, PIECE, err);
    }
    return status;
}

static th_status write_pair(struct writing *writing, uint32_t a, uint32_t b,
                            th_error *err)
{
    th_likeness likeness;
    th_status status = th_duplicate_finder_compare(writing->finder, a, b, &likeness, err);
    if (status == TH_OK)
        status = name_of(writing, 0, a, err);
    if (status == TH_OK)
        status = name_of(writing, 1, b, err);
    if (status != TH_OK)
        return status;
    const th_paired pair[2] = { { writing->names[0].id, writing->names[0].url },
                                { writing->names[1].id, writing->names[1].url } };
    writing->line_count++;
    return th_pair_line_write(pair[0], pair[1], &likeness, writing->is_packed,
                              &writing->out);
}

/* Writes the pairs. A pair that several keys found occurs several times in the sort. */
static th_status write_pairs(struct writing *writing, th_error *err)
{
    uint64_t pair = 0, last_pair = 0;
    uint32_t nothing = 0;
    th_status status;
    while ((status = th_key_sort_next(writing->finder->pairs, &pair, &nothing, err)) ==
           TH_OK) {
        if (pair != last_pair) /* 0 is not a pair: a record is not compared with itself */
            status = write_pair(writing, (uint32_t)(pair >> 32), (uint32_t)pair, err);
        last_pair = pair;
        if (status == TH_OK)
            status = flush(writing, PIECE, err);
        if (status != TH_OK)
            return status;
    }
    return status == TH_END ? TH_OK : status;
}

static th_status write_sets(struct writing *writing, th_dedup_output output,
                            th_error *err)
{
    const th_dedup_options *options = &writing->finder->options;
    th_status status = TH_OK;
    for (uint32_t rank = 0; rank < writing->clusters->count && status == TH_OK; rank++) {
        if (options->stop && atomic_load(options->stop))
            return th_fail(err, TH_INTERRUPTED, "interrupted");
        if (writing->clusters->sizes[rank] < 2)
            continue;
        status = output == TH_DEDUP_CLUSTERS ? write_cluster(writing, rank, err)
                                             : write_dropped(writing, rank, err);
        if (status == TH_OK)
            status = flush(writing, PIECE, err);
    }
    return status;
}

th_status th_clusters_write(th_duplicate_finder *finder, const th_clusters *clusters,
                            th_dedup_output output, bool is_packed, th_dedup_write write,
                            void *context, uint64_t *line_count, th_error *err)
{
    struct writing writing = { .finder = finder,
                               .clusters = clusters,
                               .write = write,
                               .context = context,
                               .is_packed = is_packed };
    th_status status = output == TH_DEDUP_PAIRS ? write_pairs(&writing, err)
                                                : write_sets(&writing, output, err);
    if (status == TH_OK)
        status = flush(&writing, 0, err);
    else if (status == TH_NOMEM && err && !err->text[0])
        (void)th_fail(err, TH_NOMEM, "out of memory for the output");
    *line_count = writing.line_count;
    th_buffer_done(&writing.out);
    th_buffer_done(&writing.names[0].bytes);
    th_buffer_done(&writing.names[1].bytes);
    return status;
}
