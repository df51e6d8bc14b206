/*
 * Runs by radix sort, merged by sorted_runs.h. The keys are hashes. A radix sort of eight
 * passes over bytes needs no comparison and takes 12 bytes an item, and the same again.
 */
#include "dedup/key_sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted_runs.h"

/* 12 bytes without a hole, in memory and on the disk. */
struct item {
    uint32_t low, high; /* of the key */
    uint32_t value;
};

enum { FIRST_ROOM = 1024 /* items */ };

struct th_key_sort {
    const char *folder;
    uint64_t memory;
    uint64_t total;
    struct item *items;
    size_t count, capacity, max; /* items in memory, allocated, allowed */
    size_t at;                   /* next item if no item was spilled */
    th_sorted_runs *runs;        /* NULL if no item was spilled */
};

static uint64_t key_of(const struct item *item)
{
    return (uint64_t)item->high << 32 | item->low;
}

th_status th_key_sort_new(const char *folder, uint64_t memory, th_key_sort **out,
                          th_error *err)
{
    th_key_sort *sort = calloc(1, sizeof *sort);
    if (!sort)
        return th_fail(err, TH_NOMEM, "out of memory for sorting");
    sort->folder = folder;
    sort->memory = memory;
    sort->max = (size_t)(memory / (2 * sizeof *sort->items)); /* items and their copy */
    if (sort->max < FIRST_ROOM)
        sort->max = FIRST_ROOM;
    *out = sort;
    return TH_OK;
}

void th_key_sort_free(th_key_sort *sort)
{
    if (!sort)
        return;
    th_sorted_runs_free(sort->runs);
    free(sort->items);
    free(sort);
}

uint64_t th_key_sort_count(const th_key_sort *sort)
{
    return sort->total;
}

uint64_t th_key_sort_runs(const th_key_sort *sort)
{
    return th_sorted_runs_count(sort->runs);
}

/* ---- runs ---- */

enum { RADIX = 256, PASSES = 8 };

static unsigned digit_of(const struct item *item, unsigned pass)
{
    return (unsigned)(key_of(item) >> (8 * pass)) % RADIX;
}

static void count_digits(const struct item *items, size_t count,
                         size_t counts[PASSES][RADIX])
{
    memset(counts, 0, PASSES * sizeof *counts);
    for (size_t i = 0; i < count; i++)
        for (unsigned pass = 0; pass < PASSES; pass++)
            counts[pass][digit_of(&items[i], pass)]++;
}

/* @return false when all items share the digit, and nothing was moved */
static bool scatter(const struct item *from, struct item *to, size_t count, unsigned pass,
                    size_t counts[RADIX])
{
    size_t start = 0;
    if (counts[digit_of(&from[0], pass)] == count)
        return false;
    for (unsigned digit = 0; digit < RADIX; digit++) {
        const size_t next = start + counts[digit];
        counts[digit] = start;
        start = next;
    }
    for (size_t i = 0; i < count; i++)
        to[counts[digit_of(&from[i], pass)]++] = from[i];
    return true;
}

static th_status sort_items(th_key_sort *sort, th_error *err)
{
    size_t counts[PASSES][RADIX];
    if (sort->count < 2)
        return TH_OK;
    struct item *other = malloc(sort->count * sizeof *other);
    if (!other)
        return th_fail(err, TH_NOMEM, "out of memory for sorting %zu keys", sort->count);
    count_digits(sort->items, sort->count, counts);
    struct item *from = sort->items, *to = other;
    for (unsigned pass = 0; pass < PASSES; pass++) {
        if (!scatter(from, to, sort->count, pass, counts[pass]))
            continue;
        struct item *const swap = from;
        from = to;
        to = swap;
    }
    if (from != sort->items)
        memcpy(sort->items, from, sort->count * sizeof *from);
    free(other);
    return TH_OK;
}

static th_status read_item(th_run_reader *reader, void *item, th_error *err)
{
    return th_run_take(reader, item, sizeof(struct item), err);
}

static int compare_items(const void *a, const void *b)
{
    const uint64_t x = key_of(a), y = key_of(b);
    return (x > y) - (x < y);
}

static const th_run_rows item_rows = { sizeof(struct item), read_item, compare_items };

static th_status spill(th_key_sort *sort, th_error *err)
{
    th_status status = sort_items(sort, err);
    if (status == TH_OK && !sort->runs)
        status = th_sorted_runs_new(sort->folder, &item_rows, &sort->runs, err);
    if (status == TH_OK)
        status = th_sorted_runs_append(sort->runs, sort->items,
                                       sort->count * sizeof *sort->items, err);
    if (status == TH_OK)
        status = th_sorted_runs_end(sort->runs, err);
    sort->count = 0;
    return status;
}

static th_status reserve(th_key_sort *sort, th_error *err)
{
    if (sort->capacity == sort->max)
        return spill(sort, err);
    size_t capacity = sort->capacity ? sort->capacity * 2 : FIRST_ROOM;
    if (capacity > sort->max)
        capacity = sort->max;
    struct item *items = realloc(sort->items, capacity * sizeof *items);
    if (!items)
        return th_fail(err, TH_NOMEM, "out of memory for sorting %zu keys", capacity);
    sort->items = items;
    sort->capacity = capacity;
    return TH_OK;
}

th_status th_key_sort_add(th_key_sort *sort, uint64_t key, uint32_t value, th_error *err)
{
    if (sort->count == sort->capacity) {
        const th_status status = reserve(sort, err);
        if (status != TH_OK)
            return status;
    }
    sort->items[sort->count++] =
        (struct item){ (uint32_t)key, (uint32_t)(key >> 32), value };
    sort->total++;
    return TH_OK;
}

/* ---- merge ---- */

th_status th_key_sort_finish(th_key_sort *sort, th_error *err)
{
    if (!sort->runs)
        return sort_items(sort, err);
    const th_status status = sort->count ? spill(sort, err) : TH_OK;
    free(sort->items);
    sort->items = NULL;
    return status == TH_OK ? th_sorted_runs_merge(sort->runs, sort->memory, err) : status;
}

th_status th_key_sort_next(th_key_sort *sort, uint64_t *key, uint32_t *value,
                           th_error *err)
{
    const void *item = NULL;
    if (sort->runs) {
        const th_status status = th_sorted_runs_next(sort->runs, &item, err);
        if (status != TH_OK)
            return status;
    } else {
        if (sort->at >= sort->count)
            return TH_END;
        item = &sort->items[sort->at++];
    }
    *key = key_of(item);
    *value = ((const struct item *)item)->value;
    return TH_OK;
}
