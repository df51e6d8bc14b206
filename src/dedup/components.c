/* Edges are read twice: to find the records that have one, and to join. */
#include "dedup/components.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dedup/chosen_records.h"
#include "dedup/range_pairs.h"

/* The state of a join. */
struct joining {
    th_shard_set *set;
    char *const *folders;
    int folder_count;
    th_dedup_options options;
    th_edge_head rule; /* of the first range, for the others */
    th_chosen_records chosen;
    th_duplicate_finder *finder;
};

/* Handles an edge. */
typedef th_status (*take_edge)(struct joining *joining, uint32_t a, uint32_t b,
                               th_error *err);

static th_status find_edges(const struct joining *joining, uint32_t part,
                            th_edge_reader **out, char **path, th_error *err)
{
    char name[TH_EDGE_NAME_MAX];
    th_status status = TH_ABSENT;
    th_edge_file_name(part, joining->set->parts, name);
    for (int i = 0; i < joining->folder_count && status == TH_ABSENT; i++) {
        free(*path);
        *path = th_shard_path(joining->folders[i], name);
        status = *path ? th_edge_reader_new(*path, out, err)
                       : th_fail(err, TH_NOMEM, "out of memory");
    }
    if (status != TH_ABSENT)
        return status;
    return th_fail(
        err, TH_ABSENT,
        "'%.400s' is missing; create it with `thresher dedup pairs ... --part %u/%u`",
        *path, part, joining->set->parts);
}

static th_status check(struct joining *joining, const th_edge_head *head, uint32_t part,
                       const char *path, th_error *err)
{
    th_edge_head wanted = th_range_head(joining->set, &joining->options, part);
    if (!part)
        joining->rule = *head;
    wanted.fan_out = joining->rule.fan_out;
    wanted.threshold = joining->rule.threshold;
    wanted.kept = joining->rule.kept;
    if (joining->options.kept == TH_KEEP_PAIRS && head->kept != TH_KEEP_PAIRS)
        return th_fail(err, TH_USAGE,
                       "the edges '%.400s' do not contain all pairs; use `thresher dedup "
                       "pairs --output pairs`",
                       path);
    return th_range_check(head, &wanted, path, err);
}

static th_status read_range(struct joining *joining, uint32_t part, take_edge take,
                            th_error *err)
{
    th_edge_reader *edges = NULL;
    char *path = NULL;
    uint32_t a = 0, b = 0;
    const atomic_int *stop = joining->options.stop;
    th_status status = find_edges(joining, part, &edges, &path, err);
    if (status == TH_OK)
        status = check(joining, th_edge_reader_head(edges), part, path, err);
    while (status == TH_OK && (status = th_edge_reader_next(edges, &a, &b, err)) == TH_OK)
        status = take(joining, a, b, err);
    if (status == TH_END)
        status = TH_OK;
    if (status == TH_OK && stop && atomic_load(stop))
        status = th_fail(err, TH_INTERRUPTED, "interrupted");
    th_edge_reader_free(edges);
    free(path);
    return status;
}

static th_status read_all(struct joining *joining, const char *step, take_edge take,
                          th_error *err)
{
    const th_dedup_options *options = &joining->options;
    th_status status = TH_OK;
    for (uint32_t part = 0; part < joining->set->parts && status == TH_OK; part++) {
        if (options->progress)
            options->progress(options->progress_context, step, part, joining->set->parts);
        status = read_range(joining, part, take, err);
    }
    return status;
}

static th_status mark(struct joining *joining, uint32_t a, uint32_t b, th_error *err)
{
    (void)err;
    th_chosen_mark(&joining->chosen, a);
    th_chosen_mark(&joining->chosen, b);
    return TH_OK;
}

static th_status join(struct joining *joining, uint32_t a, uint32_t b, th_error *err)
{
    th_duplicate_finder *finder = joining->finder;
    const uint32_t x = th_chosen_rank(&joining->chosen, finder, a);
    const uint32_t y = th_chosen_rank(&joining->chosen, finder, b);
    if (x == UINT32_MAX || y == UINT32_MAX)
        return th_fail(err, TH_DAMAGED,
                       "edges contain a record with a duplicate id; they were not made "
                       "from these shards");
    (void)th_union_find_join(&finder->sets, x, y);
    return finder->pairs
               ? th_key_sort_add(finder->pairs,
                                 (uint64_t)(x < y ? x : y) << 32 | (x < y ? y : x), 0,
                                 err)
               : TH_OK;
}

/* Each bucket is in one range, so the sums equal the counts of a single process. */
static th_status add_counts(struct joining *joining, th_error *err)
{
    th_dedup_counts *counts = &joining->finder->counts;
    th_status status = TH_OK;
    for (uint32_t part = 0; part < joining->set->parts && status == TH_OK; part++) {
        th_edge_reader *edges = NULL;
        char *path = NULL;
        status = find_edges(joining, part, &edges, &path, err);
        if (status == TH_OK) {
            const th_edge_head *head = th_edge_reader_head(edges);
            counts->keys += head->keys;
            counts->buckets += head->buckets;
            counts->capped_buckets += head->capped_buckets;
            counts->compared += head->compared;
            if (head->largest_bucket > counts->largest_bucket)
                counts->largest_bucket = head->largest_bucket;
        }
        th_edge_reader_free(edges);
        free(path);
    }
    return status;
}

/* Counts the records of the set, including records that were not loaded. */
static th_status count_records(struct joining *joining, th_error *err)
{
    th_dedup_counts *counts = &joining->finder->counts;
    th_status status = TH_OK;
    counts->records = joining->set->records - counts->repeated;
    counts->unsigned_records = joining->set->unsigned_records;
    for (uint32_t i = 0; i < joining->chosen.count && status == TH_OK; i++) {
        th_shard_record record;
        th_signed_head head;
        if (th_record_store_rank_of(joining->finder->store, i) != UINT32_MAX)
            continue;
        status = th_shard_set_get(joining->set, joining->chosen.numbers[i], &record, err);
        if (status != TH_OK)
            break;
        memcpy(&head, record.row.data, sizeof head);
        counts->unsigned_records -= !th_signature_is_signed(&joining->set->params, &head);
    }
    return status;
}

static th_status join_all(struct joining *joining, th_error *err)
{
    const th_dedup_options *options = &joining->options;
    th_status status = read_all(joining, "edges", mark, err);
    if (status == TH_OK)
        status =
            th_chosen_mark_repeated(&joining->chosen, joining->set, true, options, err);
    if (status == TH_OK)
        status = th_chosen_load(&joining->chosen, joining->set, joining->finder, err);
    if (status == TH_OK)
        status = read_all(joining, "joining", join, err);
    if (status == TH_OK && joining->finder->pairs)
        status = th_key_sort_finish(joining->finder->pairs, err);
    if (status == TH_OK)
        status = count_records(joining, err);
    return status == TH_OK ? add_counts(joining, err) : status;
}

th_status th_components(th_shard_set *set, char *const *folders, int folder_count,
                        const th_dedup_options *options, th_duplicate_finder *finder,
                        th_error *err)
{
    const uint64_t marks = th_chosen_cost(set->records);
    struct joining joining = { .set = set,
                               .folders = folders,
                               .folder_count = folder_count,
                               .options = *options,
                               .finder = finder };
    if (marks > options->memory / 2)
        return th_fail(err, TH_TOO_LARGE,
                       "the marks of %u records take %" PRIu64
                       " bytes; set --memory to at least twice this size",
                       set->records, marks);
    joining.options.memory -= marks;
    th_status status = th_duplicate_finder_init(finder, &joining.options, err);
    if (status == TH_OK)
        status = th_chosen_init(&joining.chosen, set->records, err);
    if (status == TH_OK)
        status = join_all(&joining, err);
    th_chosen_done(&joining.chosen);
    return status;
}
