/*
 * Runs by radix sort, merged through a heap. The keys are hashes. A radix sort of eight
 * passes over bytes needs no comparison and takes 12 bytes an item, and the same again.
 */
#include "dedup/key_sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/scratch_file.h"

/* 12 bytes without a hole, in memory and on the disk. */
struct item {
    uint32_t low, high; /* of the key */
    uint32_t value;
};

/* A sorted stretch of the temporary file, and the part of it that is in memory. */
struct run {
    uint64_t next_at, end; /* bytes not yet read */
    struct item *items;
    uint32_t at, count;
};

enum {
    FIRST_ROOM = 1024,  /* items */
    LEAST_ROOM = 64,    /* of a run's buffer while merging */
    MOST_ROOM = 1 << 16 /* a read of 768 KiB is as fast as a longer one */
};

struct th_key_sort {
    const char *folder;
    uint64_t memory;
    uint64_t total;
    struct item *items;
    size_t count, capacity, max; /* items in memory, allocated, allowed */
    size_t at;                   /* next item when nothing was spilled */
    th_scratch_file *file;
    uint64_t *ends; /* of the runs in the file */
    uint64_t run_count;
    struct run *runs;     /* while merging */
    struct item *buffers; /* of all runs */
    uint32_t *heap;       /* runs with an item left, the smallest first */
    uint64_t heap_count;
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
    th_scratch_free(sort->file);
    free(sort->items);
    free(sort->ends);
    free(sort->runs);
    free(sort->buffers);
    free(sort->heap);
    free(sort);
}

uint64_t th_key_sort_count(const th_key_sort *sort)
{
    return sort->total;
}

uint64_t th_key_sort_runs(const th_key_sort *sort)
{
    return sort->run_count;
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

static th_status spill(th_key_sort *sort, th_error *err)
{
    th_status status = sort_items(sort, err);
    if (status == TH_OK && !sort->file)
        status = th_scratch_open(sort->folder, &sort->file, err);
    if (status != TH_OK)
        return status;
    uint64_t *ends = realloc(sort->ends, (sort->run_count + 1) * sizeof *ends);
    if (!ends)
        return th_fail(err, TH_NOMEM, "out of memory for sorting");
    sort->ends = ends;
    status = th_scratch_append(sort->file, sort->items, sort->count * sizeof *sort->items,
                               err);
    ends[sort->run_count++] = th_scratch_len(sort->file);
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

static const struct item *head_of(const th_key_sort *sort, uint64_t heap_at)
{
    const struct run *run = &sort->runs[sort->heap[heap_at]];
    return &run->items[run->at];
}

/* Equal keys are in the order of their runs, so that a merge has one result. */
static bool is_before(const th_key_sort *sort, uint64_t a, uint64_t b)
{
    const uint64_t key_a = key_of(head_of(sort, a)), key_b = key_of(head_of(sort, b));
    return key_a != key_b ? key_a < key_b : sort->heap[a] < sort->heap[b];
}

static void sift_down(th_key_sort *sort, uint64_t at)
{
    for (;;) {
        uint64_t min = at;
        for (uint64_t child = 2 * at + 1; child <= 2 * at + 2; child++)
            if (child < sort->heap_count && is_before(sort, child, min))
                min = child;
        if (min == at)
            return;
        const uint32_t swap = sort->heap[at];
        sort->heap[at] = sort->heap[min];
        sort->heap[min] = swap;
        at = min;
    }
}

/* Reads the next piece; leaves count 0 at the run's end. */
static th_status refill(th_key_sort *sort, struct run *run, size_t capacity,
                        th_error *err)
{
    const uint64_t left = (run->end - run->next_at) / sizeof *run->items;
    run->count = (uint32_t)(left < capacity ? left : capacity);
    run->at = 0;
    const size_t len = run->count * sizeof *run->items;
    const th_status status =
        th_scratch_read(sort->file, run->next_at, run->items, len, err);
    run->next_at += len;
    return status;
}

static size_t buffer_capacity(const th_key_sort *sort)
{
    const uint64_t capacity = sort->memory / sort->run_count / sizeof *sort->buffers;
    return capacity < LEAST_ROOM  ? LEAST_ROOM
           : capacity > MOST_ROOM ? MOST_ROOM
                                  : (size_t)capacity;
}

static th_status open_runs(th_key_sort *sort, th_error *err)
{
    const size_t capacity = buffer_capacity(sort);
    sort->runs = calloc(sort->run_count, sizeof *sort->runs);
    sort->heap = calloc(sort->run_count, sizeof *sort->heap);
    sort->buffers = malloc(sort->run_count * capacity * sizeof *sort->buffers);
    if (!sort->runs || !sort->heap || !sort->buffers)
        return th_fail(err, TH_NOMEM, "out of memory for merging %llu runs",
                       (unsigned long long)sort->run_count);
    for (uint64_t i = 0; i < sort->run_count; i++) {
        struct run *run = &sort->runs[i];
        run->next_at = i ? sort->ends[i - 1] : 0;
        run->end = sort->ends[i];
        run->items = sort->buffers + i * capacity;
        const th_status status = refill(sort, run, capacity, err);
        if (status != TH_OK)
            return status;
        sort->heap[i] = (uint32_t)i;
    }
    sort->heap_count = sort->run_count;
    for (uint64_t i = sort->heap_count / 2; i-- > 0;)
        sift_down(sort, i);
    return TH_OK;
}

th_status th_key_sort_finish(th_key_sort *sort, th_error *err)
{
    if (!sort->run_count)
        return sort_items(sort, err);
    th_status status = sort->count ? spill(sort, err) : TH_OK;
    free(sort->items);
    sort->items = NULL;
    return status == TH_OK ? open_runs(sort, err) : status;
}

static th_status next_merged(th_key_sort *sort, struct item *out, th_error *err)
{
    if (!sort->heap_count)
        return TH_END;
    struct run *run = &sort->runs[sort->heap[0]];
    *out = run->items[run->at++];
    if (run->at == run->count) {
        const th_status status = refill(sort, run, buffer_capacity(sort), err);
        if (status != TH_OK)
            return status;
    }
    if (!run->count)
        sort->heap[0] = sort->heap[--sort->heap_count];
    sift_down(sort, 0);
    return TH_OK;
}

th_status th_key_sort_next(th_key_sort *sort, uint64_t *key, uint32_t *value,
                           th_error *err)
{
    struct item item;
    if (sort->run_count) {
        const th_status status = next_merged(sort, &item, err);
        if (status != TH_OK)
            return status;
    } else if (sort->at < sort->count) {
        item = sort->items[sort->at++];
    } else {
        return TH_END;
    }
    *key = key_of(&item);
    *value = item.value;
    return TH_OK;
}
