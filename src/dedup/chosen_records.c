/* Marked records. Their order among one another is found by counting bits. */
#include "dedup/chosen_records.h"

#include <stdlib.h>

#include "dedup/id_group.h"

enum { BITS = 64, SHARES_OF_MEMORY = 16, LEAST_MEMORY = 1 << 20 };

uint64_t th_chosen_cost(uint32_t records)
{
    const uint64_t words = (uint64_t)records / BITS + 1;
    return words * (sizeof(uint64_t) + sizeof(uint32_t));
}

th_status th_chosen_init(th_chosen_records *chosen, uint32_t records, th_error *err)
{
    const size_t words = (size_t)records / BITS + 1;
    *chosen = (th_chosen_records){ .records = records };
    chosen->marks = calloc(words, sizeof *chosen->marks);
    chosen->before = calloc(words, sizeof *chosen->before);
    return chosen->marks && chosen->before
               ? TH_OK
               : th_fail(err, TH_NOMEM, "out of memory for marks of %u records", records);
}

void th_chosen_done(th_chosen_records *chosen)
{
    free(chosen->marks);
    free(chosen->before);
    free(chosen->numbers);
    *chosen = (th_chosen_records){ .marks = NULL };
}

void th_chosen_mark(th_chosen_records *chosen, uint32_t number)
{
    chosen->marks[number / BITS] |= UINT64_C(1) << number % BITS;
}

bool th_chosen_has(const th_chosen_records *chosen, uint32_t number)
{
    return chosen->marks[number / BITS] >> number % BITS & 1;
}

/* ---- ids ---- */

/* Marks records that share a hash: all of them, or only groups with a marked one. */
static void end_group(th_chosen_records *chosen, th_id_group *group, bool wants_all)
{
    bool is_wanted = wants_all;
    for (size_t i = 0; i < group->count && !is_wanted; i++)
        is_wanted = th_chosen_has(chosen, group->numbers[i]);
    if (group->count > 1 && is_wanted)
        for (size_t i = 0; i < group->count; i++)
            th_chosen_mark(chosen, group->numbers[i]);
    group->count = 0;
}

static th_status mark_groups(th_chosen_records *chosen, th_shard_merge *merge,
                             th_id_group *group, bool wants_all, const atomic_int *stop,
                             th_error *err)
{
    uint64_t hash = 0, last_hash = 0, done = 0;
    uint32_t number = 0;
    th_status status;
    while ((status = th_shard_merge_next(merge, &hash, &number, err)) == TH_OK) {
        if (hash != last_hash)
            end_group(chosen, group, wants_all);
        last_hash = hash;
        status = th_id_group_add(group, number, err);
        if (status == TH_OK && stop && ++done % TH_DEDUP_TICK == 0 && atomic_load(stop))
            status = th_fail(err, TH_INTERRUPTED, "interrupted");
        if (status != TH_OK)
            return status;
    }
    end_group(chosen, group, wants_all);
    return status == TH_END ? TH_OK : status;
}

th_status th_chosen_mark_repeated(th_chosen_records *chosen, th_shard_set *set,
                                  bool wants_all, const th_dedup_options *options,
                                  th_error *err)
{
    th_id_group group = { .numbers = NULL };
    th_shard_merge *merge = NULL;
    th_status status =
        th_shard_merge_new(set, TH_MERGE_IDS, options->temp,
                           options->memory / SHARES_OF_MEMORY, &merge, err);
    if (status == TH_OK)
        status = mark_groups(chosen, merge, &group, wants_all, options->stop, err);
    th_shard_merge_free(merge);
    th_id_group_done(&group);
    return status;
}

/* ---- loading ---- */

static th_status count_marks(th_chosen_records *chosen, th_error *err)
{
    const size_t words = (size_t)chosen->records / BITS + 1;
    uint32_t count = 0;
    for (size_t i = 0; i < words; i++) {
        chosen->before[i] = count;
        count += (uint32_t)__builtin_popcountll(chosen->marks[i]);
    }
    chosen->count = count;
    chosen->numbers = malloc(((size_t)count + 1) * sizeof *chosen->numbers);
    return chosen->numbers
               ? TH_OK
               : th_fail(err, TH_NOMEM, "out of memory for %u records", count);
}

static th_status add_record(th_shard_set *set, th_duplicate_finder *finder,
                            uint32_t number, th_error *err)
{
    th_shard_record record;
    const th_status status = th_shard_set_get(set, number, &record, err);
    return status == TH_OK ? th_record_store_add_row(finder->store, &finder->params,
                                                     record.row, record.parts, err)
                           : status;
}

static th_status tick(const th_duplicate_finder *finder, uint64_t done, uint64_t total,
                      th_error *err)
{
    const th_dedup_options *options = &finder->options;
    if (done % TH_DEDUP_TICK)
        return TH_OK;
    if (options->progress)
        options->progress(options->progress_context, "loading", done, total);
    if (options->stop && atomic_load(options->stop))
        return th_fail(err, TH_INTERRUPTED, "interrupted");
    return TH_OK;
}

th_status th_chosen_load(th_chosen_records *chosen, th_shard_set *set,
                         th_duplicate_finder *finder, th_error *err)
{
    uint32_t at = 0;
    th_status status = count_marks(chosen, err);
    finder->params = set->params;
    for (size_t word = 0; status == TH_OK && at < chosen->count; word++)
        for (uint64_t left = chosen->marks[word]; left && status == TH_OK;
             left &= left - 1) {
            const unsigned bit = (unsigned)__builtin_ctzll(left);
            const uint32_t number = (uint32_t)(word * BITS + bit);
            status = tick(finder, at, chosen->count, err);
            if (status == TH_OK)
                status = add_record(set, finder, number, err);
            chosen->numbers[at++] = number;
        }
    return status == TH_OK ? th_duplicate_finder_rank(finder, err) : status;
}

uint32_t th_chosen_rank(const th_chosen_records *chosen,
                        const th_duplicate_finder *finder, uint32_t number)
{
    const size_t word = number / BITS;
    const uint64_t below = (UINT64_C(1) << number % BITS) - 1;
    const uint32_t place = chosen->before[word] +
                           (uint32_t)__builtin_popcountll(chosen->marks[word] & below);
    return th_record_store_rank_of(finder->store, place);
}

uint32_t th_chosen_number(const th_chosen_records *chosen,
                          const th_duplicate_finder *finder, uint32_t rank)
{
    return chosen->numbers[th_record_store_number_of(finder->store, rank)];
}
