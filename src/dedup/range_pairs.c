/* A range of keys to edges. See the header. */
#include "dedup/range_pairs.h"

#include <inttypes.h>
#include <string.h>

#include "dedup/chosen_records.h"

enum { BUFFER_SHARE = 16 }; /* of the memory, for merging */

/* The state of a range. */
struct range {
    th_shard_set *set;
    th_dedup_options options;
    uint32_t part;
    th_chosen_records chosen;
    th_duplicate_finder finder;
    th_shard_merge *merge;
    uint64_t done; /* keys taken from the merge */
};

th_edge_head th_range_head(const th_shard_set *set, const th_dedup_options *options,
                           uint32_t part)
{
    return (th_edge_head){ .shards = set->fingerprint,
                           .records = set->records,
                           .part = part,
                           .parts = set->parts,
                           .fan_out = options->fan_out,
                           .kept = options->kept,
                           .threshold = options->threshold };
}

th_status th_range_check(const th_edge_head *found, const th_edge_head *wanted,
                         const char *path, th_error *err)
{
    const char *what = NULL;
    if (found->shards != wanted->shards || found->records != wanted->records)
        what = "from other shards";
    else if (found->part != wanted->part || found->parts != wanted->parts)
        what = "for another range";
    else if (found->fan_out != wanted->fan_out)
        what = "with another --fan-out";
    else if (!(found->threshold == wanted->threshold))
        what = "with another --threshold";
    else if (found->kept != wanted->kept)
        what = "with another --output";
    return what ? th_fail(err, TH_USAGE, "the edges '%.400s' were made %s", path, what)
                : TH_OK;
}

/* ---- which records ---- */

static th_status open_merge(struct range *range, th_error *err)
{
    th_shard_merge_free(range->merge);
    range->merge = NULL;
    range->done = 0;
    return th_shard_merge_new(range->set, (int)range->part, range->options.temp,
                              range->options.memory / BUFFER_SHARE, &range->merge, err);
}

static th_status next_key(struct range *range, uint64_t *key, uint32_t *number,
                          const char *step, th_error *err)
{
    const th_dedup_options *options = &range->options;
    if (range->done++ % TH_DEDUP_TICK == 0) {
        if (options->progress)
            options->progress(options->progress_context, step, range->done,
                              th_shard_merge_count(range->merge));
        if (options->stop && atomic_load(options->stop))
            return th_fail(err, TH_INTERRUPTED, "interrupted");
    }
    return th_shard_merge_next(range->merge, key, number, err);
}

static th_status mark_shared(struct range *range, th_error *err)
{
    uint64_t key = 0, last_key = 0;
    uint32_t number = 0, last_number = 0;
    bool has_last = false;
    th_status status = open_merge(range, err);
    while (status == TH_OK &&
           (status = next_key(range, &key, &number, "keys", err)) == TH_OK) {
        if (has_last && key == last_key && number != last_number) {
            th_chosen_mark(&range->chosen, last_number);
            th_chosen_mark(&range->chosen, number);
        }
        last_key = key;
        last_number = number;
        has_last = true;
    }
    return status == TH_END ? TH_OK : status;
}

/* ---- comparing ---- */

/* Returns the next key of a record that is compared. */
static th_status next_ranked(void *context, uint64_t *key, uint32_t *rank, th_error *err)
{
    struct range *range = context;
    uint32_t number = 0;
    th_status status;
    while ((status = next_key(range, key, &number, "comparing", err)) == TH_OK) {
        if (!th_chosen_has(&range->chosen, number))
            continue;
        *rank = th_chosen_rank(&range->chosen, &range->finder, number);
        if (*rank != UINT32_MAX)
            break;
    }
    return status;
}

static th_status compare(struct range *range, th_error *err)
{
    const th_status status = open_merge(range, err);
    const th_key_source source = { range, next_ranked,
                                   status == TH_OK ? th_shard_merge_count(range->merge)
                                                   : 0 };
    return status == TH_OK
               ? th_duplicate_finder_compare_keys(&range->finder, &source, err)
               : status;
}

/* ---- edges ---- */

static th_status copy_edges(struct range *range, th_edge_writer *writer, th_error *err)
{
    uint64_t pair = 0, last_pair = 0;
    uint32_t nothing = 0;
    th_status status;
    while ((status = th_key_sort_next(range->finder.pairs, &pair, &nothing, err)) ==
           TH_OK) {
        if (pair == last_pair) /* 0 is not a pair; several keys found some pairs */
            continue;
        last_pair = pair;
        const uint32_t a =
            th_chosen_number(&range->chosen, &range->finder, (uint32_t)(pair >> 32));
        const uint32_t b =
            th_chosen_number(&range->chosen, &range->finder, (uint32_t)pair);
        status = th_edge_writer_add(writer, a, b, err);
        if (status != TH_OK)
            return status;
    }
    return status == TH_END ? TH_OK : status;
}

static th_status write_edges(struct range *range, const char *path, uint64_t *count,
                             th_error *err)
{
    const th_dedup_counts *found = &range->finder.counts;
    th_edge_head head = th_range_head(range->set, &range->options, range->part);
    th_edge_writer *writer = NULL;
    head.keys = found->keys;
    head.buckets = found->buckets;
    head.largest_bucket = found->largest_bucket;
    head.capped_buckets = found->capped_buckets;
    head.compared = found->compared;
    th_status status = th_edge_writer_new(path, &head, &writer, err);
    if (status == TH_OK)
        status = copy_edges(range, writer, err);
    if (status == TH_OK)
        status = th_edge_writer_finish(writer, err);
    if (status == TH_OK)
        *count = th_edge_writer_count(writer);
    th_edge_writer_free(writer);
    return status;
}

/* ---- all of it ---- */

static th_status open_range(struct range *range, th_error *err)
{
    const uint64_t marks = th_chosen_cost(range->set->records);
    if (marks > range->options.memory / 2)
        return th_fail(err, TH_TOO_LARGE,
                       "the marks of %u records take %" PRIu64
                       " bytes; set --memory to at least twice this size",
                       range->set->records, marks);
    range->options.memory -= marks;
    const th_status status = th_chosen_init(&range->chosen, range->set->records, err);
    return status == TH_OK
               ? th_duplicate_finder_init(&range->finder, &range->options, err)
               : status;
}

th_status th_range_pairs(th_shard_set *set, const th_dedup_options *options,
                         uint32_t part, const char *path, th_range_counts *counts,
                         th_error *err)
{
    struct range range = { .set = set, .options = *options, .part = part };
    th_status status = open_range(&range, err);
    if (status == TH_OK)
        status = mark_shared(&range, err);
    if (status == TH_OK)
        status = th_chosen_mark_repeated(&range.chosen, set, false, &range.options, err);
    if (status == TH_OK)
        status = th_chosen_load(&range.chosen, set, &range.finder, err);
    if (status == TH_OK)
        status = compare(&range, err);
    if (status == TH_OK)
        status = write_edges(&range, path, &counts->edges, err);
    counts->found = range.finder.counts;
    counts->loaded = range.chosen.count;
    th_shard_merge_free(range.merge);
    th_duplicate_finder_done(&range.finder);
    th_chosen_done(&range.chosen);
    return status;
}
