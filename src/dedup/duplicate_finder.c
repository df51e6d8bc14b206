/* Buckets of equal keys, compared and joined. The header has the steps. */
#include "dedup/duplicate_finder.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"

enum {
    LEAST_SORT = 1 << 20, /* bytes that a sort gets in any case */
    FIND_COST = 44, /* bytes a record while keys are sorted: store, sets, clusters */
};

/* A row that is compared with many others. */
struct th_held_row {
    uint32_t rank;
    bool is_loaded;
    th_signed_row row;
    unsigned char *bytes;
};

/* The records under one key. */
struct bucket {
    uint32_t *ranks; /* owned */
    size_t count, capacity;
};

th_status th_duplicate_finder_init(th_duplicate_finder *finder,
                                   const th_dedup_options *options, th_error *err)
{
    *finder = (th_duplicate_finder){ .options = *options };
    th_signature_init(&finder->params, options->compared, options->threshold);
    return th_record_store_new(options->temp, options->memory, &finder->store, err);
}

static void free_held(th_duplicate_finder *finder)
{
    for (uint32_t i = 0; finder->held && i <= finder->options.fan_out; i++) {
        free(finder->held[i].bytes);
        free(finder->held[i].row.slots);
    }
    free(finder->held);
    finder->held = NULL;
}

void th_duplicate_finder_done(th_duplicate_finder *finder)
{
    free_held(finder);
    th_key_sort_free(finder->pairs);
    th_union_find_done(&finder->sets);
    th_record_store_free(finder->store);
    *finder = (th_duplicate_finder){ 0 };
}

th_status th_duplicate_finder_add(th_duplicate_finder *finder,
                                  const th_record_line *record, const char *place,
                                  th_record_fault *fault, th_error *err)
{
    const th_status status = th_signature_agree(&finder->params, record, place, err);
    return status == TH_OK
               ? th_record_store_add(finder->store, &finder->params, record, fault, err)
               : status;
}

/* ---- steps ---- */

static th_status tick(th_duplicate_finder *finder, const char *step, uint64_t done,
                      uint64_t total, th_error *err)
{
    const th_dedup_options *options = &finder->options;
    if (done % TH_DEDUP_TICK)
        return TH_OK;
    if (options->progress)
        options->progress(options->progress_context, step, done, total);
    if (options->stop && atomic_load(options->stop))
        return th_fail(err, TH_INTERRUPTED, "interrupted");
    return TH_OK;
}

static th_status hold_rows(th_duplicate_finder *finder, th_error *err)
{
    const size_t count = (size_t)finder->options.fan_out + 1;
    finder->held = calloc(count, sizeof *finder->held);
    for (size_t i = 0; finder->held && i < count; i++) {
        struct th_held_row *held = &finder->held[i];
        held->bytes = malloc(th_signature_row_len(&finder->params));
        held->row.slots =
            malloc(((size_t)2 * finder->params.slots + 1) * sizeof *held->row.slots);
        if (!held->bytes || !held->row.slots)
            return th_fail(err, TH_NOMEM, "out of memory for signatures");
    }
    return finder->held ? TH_OK : th_fail(err, TH_NOMEM, "out of memory for signatures");
}

static th_status load(th_duplicate_finder *finder, struct th_held_row *held,
                      uint32_t rank, th_error *err)
{
    if (held->is_loaded && held->rank == rank)
        return TH_OK;
    held->rank = rank;
    held->is_loaded = true;
    return th_record_store_row(finder->store, &finder->params, rank, held->bytes,
                               &held->row, err);
}

/* ---- keys ---- */

static th_status add_keys(th_duplicate_finder *finder, th_key_sort *sort, uint32_t rank,
                          uint64_t *keys, th_error *err)
{
    struct th_held_row *held = &finder->held[0];
    th_status status = load(finder, held, rank, err);
    if (status != TH_OK)
        return status;
    const size_t count = th_signature_keys(&finder->params, &held->row, keys);
    finder->counts.unsigned_records +=
        !th_signature_is_signed(&finder->params, &held->row.head);
    for (size_t i = 0; i < count && status == TH_OK; i++)
        status = th_key_sort_add(sort, keys[i], rank, err);
    return status;
}

/* Sorts the keys in the order of the input, which is the order of the rows. */
static th_status sort_keys(th_duplicate_finder *finder, th_key_sort *sort, th_error *err)
{
    const uint32_t added = th_record_store_added(finder->store);
    th_status status = TH_OK;
    uint64_t *keys = malloc(th_signature_key_count(&finder->params) * sizeof *keys);
    if (!keys)
        return th_fail(err, TH_NOMEM, "out of memory for keys");
    for (uint32_t number = 0; number < added && status == TH_OK; number++) {
        const uint32_t rank = th_record_store_rank_of(finder->store, number);
        status = tick(finder, "keys", number, added, err);
        if (status == TH_OK && rank != UINT32_MAX)
            status = add_keys(finder, sort, rank, keys, err);
    }
    free(keys);
    if (status == TH_OK)
        status = th_key_sort_finish(sort, err);
    finder->counts.spilled_runs = th_key_sort_runs(sort);
    return status;
}

/* ---- buckets ---- */

/* Sorts by age, oldest first, without repeated records. */
static void order_bucket(struct bucket *bucket)
{
    size_t kept = 0;
    qsort(bucket->ranks, bucket->count, sizeof *bucket->ranks, th_order_uint32);
    for (size_t i = 0; i < bucket->count; i++)
        if (!kept || bucket->ranks[i] != bucket->ranks[kept - 1])
            bucket->ranks[kept++] = bucket->ranks[i];
    bucket->count = kept;
}

static th_status compare_held(th_duplicate_finder *finder, const struct th_held_row *a,
                              const struct th_held_row *b, th_error *err)
{
    const th_likeness found = th_signature_compare(&finder->params, &a->row, &b->row);
    finder->counts.compared++;
    if (!found.is_duplicate)
        return TH_OK;
    const bool has_joined = th_union_find_join(&finder->sets, a->rank, b->rank);
    if (!finder->pairs || !(has_joined || finder->options.kept == TH_KEEP_PAIRS))
        return TH_OK;
    return th_key_sort_add(finder->pairs, (uint64_t)a->rank << 32 | b->rank, 0, err);
}

/* Compares number `at` of the bucket with the first ones before it. Two records of one
 * set are not compared again, unless all pairs are kept. */
static th_status compare_one(th_duplicate_finder *finder, const struct bucket *bucket,
                             size_t at, th_error *err)
{
    const uint32_t fan_out = finder->options.fan_out;
    const uint32_t rank = bucket->ranks[at];
    struct th_held_row *mine = &finder->held[at < fan_out ? at : fan_out];
    th_status status = TH_OK;
    for (size_t i = 0; i < at && i < fan_out && status == TH_OK; i++) {
        if (finder->options.kept != TH_KEEP_PAIRS &&
            th_union_find_root(&finder->sets, rank) ==
                th_union_find_root(&finder->sets, bucket->ranks[i]))
            continue;
        status = load(finder, mine, rank, err);
        if (status == TH_OK)
            status = load(finder, &finder->held[i], bucket->ranks[i], err);
        if (status == TH_OK)
            status = compare_held(finder, &finder->held[i], mine, err);
    }
    return status;
}

static th_status compare_bucket(th_duplicate_finder *finder, struct bucket *bucket,
                                th_error *err)
{
    th_status status = TH_OK;
    if (bucket->count > 1)
        order_bucket(bucket);
    if (bucket->count > 1) {
        th_dedup_counts *counts = &finder->counts;
        counts->buckets++;
        counts->capped_buckets += bucket->count > finder->options.fan_out;
        if (bucket->count > counts->largest_bucket)
            counts->largest_bucket = bucket->count;
        for (size_t i = 1; i < bucket->count && status == TH_OK; i++)
            status = compare_one(finder, bucket, i, err);
    }
    bucket->count = 0;
    return status;
}

static th_status add_to_bucket(struct bucket *bucket, uint32_t rank, th_error *err)
{
    if (!TH_HAS_CAPACITY(bucket->ranks, bucket->count, bucket->capacity))
        return th_fail(err, TH_NOMEM, "out of memory for %zu records", bucket->count + 1);
    bucket->ranks[bucket->count++] = rank;
    return TH_OK;
}

th_status th_duplicate_finder_compare_keys(th_duplicate_finder *finder,
                                           const th_key_source *source, th_error *err)
{
    struct bucket bucket = { 0 };
    uint64_t key = 0, last_key = 0, done = 0;
    uint32_t rank = 0;
    th_status status;
    while ((status = source->next(source->context, &key, &rank, err)) == TH_OK) {
        if (key != last_key)
            status = compare_bucket(finder, &bucket, err);
        last_key = key;
        if (status == TH_OK)
            status = add_to_bucket(&bucket, rank, err);
        if (status == TH_OK)
            status = tick(finder, "comparing", ++done, source->total, err);
        if (status != TH_OK)
            break;
    }
    if (status == TH_END)
        status = compare_bucket(finder, &bucket, err);
    free(bucket.ranks);
    finder->counts.keys = source->total;
    if (status == TH_OK && finder->pairs)
        status = th_key_sort_finish(finder->pairs, err);
    return status;
}

/* ---- all of it ---- */

static uint64_t sort_memory(const th_duplicate_finder *finder)
{
    const uint64_t taken = (uint64_t)th_record_store_added(finder->store) * FIND_COST;
    const uint64_t left =
        finder->options.memory > taken ? finder->options.memory - taken : 0;
    const uint64_t mine = finder->options.kept == TH_KEEP_SETS ? left : left / 2;
    return mine > LEAST_SORT ? mine : LEAST_SORT;
}

th_status th_duplicate_finder_rank(th_duplicate_finder *finder, th_error *err)
{
    th_status status = th_record_store_rank(finder->store, &finder->params,
                                            &finder->counts.repeated, err);
    if (status != TH_OK)
        return status;
    const uint32_t count = th_record_store_count(finder->store);
    finder->counts.records = count;
    if (!th_union_find_init(&finder->sets, count))
        return th_fail(err, TH_NOMEM, "out of memory for sets of %u records", count);
    status = hold_rows(finder, err);
    if (status == TH_OK && finder->options.kept != TH_KEEP_SETS)
        status = th_key_sort_new(finder->options.temp, sort_memory(finder),
                                 &finder->pairs, err);
    return status;
}

static th_status next_sorted(void *context, uint64_t *key, uint32_t *rank, th_error *err)
{
    return th_key_sort_next(context, key, rank, err);
}

th_status th_duplicate_finder_find(th_duplicate_finder *finder, th_error *err)
{
    th_key_sort *sort = NULL;
    th_status status = th_duplicate_finder_rank(finder, err);
    if (status == TH_OK)
        status = th_key_sort_new(finder->options.temp, sort_memory(finder), &sort, err);
    if (status == TH_OK)
        status = sort_keys(finder, sort, err);
    if (status == TH_OK) {
        const th_key_source sorted = { sort, next_sorted, th_key_sort_count(sort) };
        status = th_duplicate_finder_compare_keys(finder, &sorted, err);
    }
    th_key_sort_free(sort);
    return status;
}

th_status th_duplicate_finder_compare(th_duplicate_finder *finder, uint32_t a, uint32_t b,
                                      th_likeness *out, th_error *err)
{
    struct th_held_row *first = &finder->held[0];
    struct th_held_row *second = &finder->held[1];
    th_status status = load(finder, first, a, err);
    if (status == TH_OK)
        status = load(finder, second, b, err);
    if (status == TH_OK)
        *out = th_signature_compare(&finder->params, &first->row, &second->row);
    return status;
}
