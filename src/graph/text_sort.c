/*
 * Runs are sorted by multikey quicksort, eight bytes at a time. The keys of a graph have
 * common beginnings, and the sort examines a common beginning once for all rows. In the
 * temporary file a row is stored without the beginning that it has in common with the row
 * before. [Bentley and Sedgewick 1997]
 */
#include "graph/text_sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/sorted_runs.h"
#include "thresher/view.h"

/* A row in memory. Its bytes are in the pool. */
struct row {
    uint64_t chunk; /* eight bytes of the key, the first one highest */
    uint64_t value;
    uint64_t at;
    uint32_t len;
};

/* The header before a row's bytes in the file. */
struct stored {
    uint64_t value;
    uint32_t shared, rest; /* bytes as in the row before, bytes that follow */
};

/* A row of a run that is merged. */
struct merged {
    uint64_t value;
    uint32_t key_len;
    char key[TH_TEXT_SORT_KEY_MAX];
};

enum {
    CHUNK = sizeof(uint64_t),
    SMALL = 16, /* rows that are sorted by insertion */
    POOL_START = 64 << 10
};

struct th_text_sort {
    const char *folder;
    uint64_t memory, total;
    char *pool;
    size_t pool_len, pool_capacity;
    struct row *rows;
    size_t count, capacity, at;
    uint64_t draws;       /* state of the pivots' numbers */
    th_sorted_runs *runs; /* NULL if no row was spilled */
};

th_status th_text_sort_new(const char *folder, uint64_t memory, th_text_sort **out,
                           th_error *err)
{
    th_text_sort *sort = calloc(1, sizeof *sort);
    if (!sort)
        return th_fail(err, TH_NOMEM, "out of memory for sorting");
    sort->folder = folder;
    sort->memory = memory < TH_TEXT_SORT_MEMORY_MIN ? TH_TEXT_SORT_MEMORY_MIN : memory;
    *out = sort;
    return TH_OK;
}

void th_text_sort_free(th_text_sort *sort)
{
    if (!sort)
        return;
    th_sorted_runs_free(sort->runs);
    free(sort->pool);
    free(sort->rows);
    free(sort);
}

uint64_t th_text_sort_count(const th_text_sort *sort)
{
    return sort->total;
}

uint64_t th_text_sort_runs(const th_text_sort *sort)
{
    return th_sorted_runs_count(sort->runs);
}

/* ---- order ---- */

static int compare_values(const void *a, const void *b)
{
    const uint64_t x = ((const struct row *)a)->value, y = ((const struct row *)b)->value;
    return (x > y) - (x < y);
}

/* Rows that are equal in their first `depth` bytes. */
static int compare_rows(const th_text_sort *sort, const struct row *a,
                        const struct row *b, uint32_t depth)
{
    const int order =
        th_view_order((th_view){ sort->pool + a->at + depth, a->len - depth },
                      (th_view){ sort->pool + b->at + depth, b->len - depth });
    return order ? order : compare_values(a, b);
}

static void sort_small(th_text_sort *sort, struct row *rows, size_t count, uint32_t depth)
{
    for (size_t i = 1; i < count; i++) {
        const struct row row = rows[i];
        size_t at = i;
        for (; at && compare_rows(sort, &row, &rows[at - 1], depth) < 0; at--)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
}

/* Returns the bytes from `depth` as a number, with zeros after the key's end. */
static uint64_t chunk_at(const th_text_sort *sort, const struct row *row, uint32_t depth)
{
    unsigned char bytes[CHUNK] = { 0 };
    const uint32_t left = row->len - depth;
    uint64_t chunk = 0;
    memcpy(bytes, sort->pool + row->at + depth, left < CHUNK ? left : CHUNK);
    for (int i = 0; i < CHUNK; i++)
        chunk = chunk << 8 | bytes[i];
    return chunk;
}

static void swap_rows(struct row *a, struct row *b)
{
    const struct row row = *a;
    *a = *b;
    *b = row;
}

/* Compares lengths. Shorter keys are first, because the longer ones continue with
 * zeros. */
static int compare_ended(const void *a, const void *b)
{
    const uint32_t x = ((const struct row *)a)->len, y = ((const struct row *)b)->len;
    return x != y ? (x > y) - (x < y) : compare_values(a, b);
}

/* Moves the rows that end within the current chunk to the front, and sorts them. @return
 * their count */
static size_t sort_ended(struct row *rows, size_t count, uint32_t end)
{
    size_t ended = 0;
    for (size_t i = 0; i < count; i++)
        if (rows[i].len <= end)
            swap_rows(&rows[i], &rows[ended++]);
    if (ended > 1)
        qsort(rows, ended, sizeof *rows, compare_ended);
    return ended;
}

/* A stretch of rows that are equal up to `depth`. */
struct stretch {
    struct row *rows;
    size_t count;
    uint32_t depth;
    bool is_fresh; /* the chunks are to be loaded */
};

static uint64_t draw_pivot(th_text_sort *sort, const struct stretch *stretch)
{
    sort->draws = sort->draws * 6364136223846793005u + 1442695040888963407u;
    return stretch->rows[(sort->draws >> 33) % stretch->count].chunk;
}

/* Partitions by chunk: below the pivot, equal, above. */
static void split(th_text_sort *sort, const struct stretch *whole,
                  struct stretch parts[3])
{
    const uint64_t pivot = draw_pivot(sort, whole);
    struct row *rows = whole->rows;
    size_t below = 0, at = 0, above = whole->count;
    while (at < above) {
        if (rows[at].chunk < pivot)
            swap_rows(&rows[at++], &rows[below++]);
        else if (rows[at].chunk > pivot)
            swap_rows(&rows[at], &rows[--above]);
        else
            at++;
    }
    const size_t ended = sort_ended(rows + below, above - below, whole->depth + CHUNK);
    parts[0] = (struct stretch){ rows, below, whole->depth, false };
    parts[1] = (struct stretch){ rows + below + ended, above - below - ended,
                                 whole->depth + CHUNK, true };
    parts[2] =
        (struct stretch){ rows + above, whole->count - above, whole->depth, false };
}

/* Sorts a stretch. Calls itself for the two smaller parts, so its depth is at most
 * log2(rows). */
static void sort_stretch(th_text_sort *sort, struct stretch stretch)
{
    struct stretch parts[3];
    while (stretch.count > SMALL) {
        if (stretch.is_fresh)
            for (size_t i = 0; i < stretch.count; i++)
                stretch.rows[i].chunk = chunk_at(sort, &stretch.rows[i], stretch.depth);
        split(sort, &stretch, parts);
        int max = 0;
        for (int i = 1; i < 3; i++)
            if (parts[i].count > parts[max].count)
                max = i;
        for (int i = 0; i < 3; i++)
            if (i != max)
                sort_stretch(sort, parts[i]);
        stretch = parts[max];
    }
    sort_small(sort, stretch.rows, stretch.count, stretch.depth);
}

static void sort_rows(th_text_sort *sort)
{
    sort_stretch(sort, (struct stretch){ sort->rows, sort->count, 0, true });
}

/* ---- runs ---- */

static th_status store_row(th_text_sort *sort, const struct row *row,
                           const struct row *before, th_error *err)
{
    const char *bytes = sort->pool + row->at;
    const uint32_t max = before ? before->len < row->len ? before->len : row->len : 0;
    struct stored head = { .value = row->value };
    while (head.shared < max &&
           bytes[head.shared] == sort->pool[before->at + head.shared])
        head.shared++;
    head.rest = row->len - head.shared;
    const th_status status = th_sorted_runs_append(sort->runs, &head, sizeof head, err);
    return status == TH_OK
               ? th_sorted_runs_append(sort->runs, bytes + head.shared, head.rest, err)
               : status;
}

static th_status read_row(th_run_reader *reader, void *out, th_error *err)
{
    struct merged *row = out;
    struct stored head = { 0 };
    th_status status = th_run_take(reader, &head, sizeof head, err);
    if (status == TH_OK)
        status = th_run_take(reader, row->key + head.shared, head.rest, err);
    row->key_len = head.shared + head.rest;
    row->value = head.value;
    return status;
}

static int compare_merged(const void *a, const void *b)
{
    const struct merged *x = a, *y = b;
    const int order =
        th_view_order((th_view){ x->key, x->key_len }, (th_view){ y->key, y->key_len });
    return order ? order : (x->value > y->value) - (x->value < y->value);
}

static const th_run_rows merged_rows = { sizeof(struct merged), read_row,
                                         compare_merged };

static th_status spill(th_text_sort *sort, th_error *err)
{
    th_status status = TH_OK;
    if (!sort->runs)
        status = th_sorted_runs_new(sort->folder, &merged_rows, &sort->runs, err);
    if (status != TH_OK)
        return status;
    sort_rows(sort);
    for (size_t i = 0; i < sort->count && status == TH_OK; i++)
        status = store_row(sort, &sort->rows[i], i ? &sort->rows[i - 1] : NULL, err);
    sort->count = 0;
    sort->pool_len = 0;
    return status == TH_OK ? th_sorted_runs_end(sort->runs, err) : status;
}

/* Returns the room, doubled until it is at least `min`. */
static size_t grown(size_t capacity, size_t min, size_t start)
{
    if (!capacity)
        capacity = start;
    while (capacity < min)
        capacity *= 2;
    return capacity;
}

/* The rows' array and the pool grow by doubling while both fit in the memory. */
static th_status reserve(th_text_sort *sort, size_t len, th_error *err)
{
    size_t rows = grown(sort->capacity, sort->count + 1, 256);
    size_t pool = grown(sort->pool_capacity, sort->pool_len + len, POOL_START);
    if (sort->count && rows * sizeof *sort->rows + pool > sort->memory) {
        const th_status status = spill(sort, err);
        if (status != TH_OK)
            return status;
        rows = sort->capacity;
        pool = grown(sort->pool_capacity, len, POOL_START);
    }
    if (rows != sort->capacity) {
        struct row *more = realloc(sort->rows, rows * sizeof *more);
        if (!more)
            return th_fail(err, TH_NOMEM, "out of memory for sorting %zu rows", rows);
        sort->rows = more;
        sort->capacity = rows;
    }
    if (pool != sort->pool_capacity) {
        char *more = realloc(sort->pool, pool);
        if (!more)
            return th_fail(err, TH_NOMEM, "out of memory for sorting %zu bytes", pool);
        sort->pool = more;
        sort->pool_capacity = pool;
    }
    return TH_OK;
}

th_status th_text_sort_add(th_text_sort *sort, th_view key, uint64_t value, th_error *err)
{
    if (key.len > TH_TEXT_SORT_KEY_MAX)
        return th_fail(err, TH_TOO_LARGE,
                       "a key of %zu bytes exceeds the limit of the sorter", key.len);
    if (sort->count == sort->capacity || key.len > sort->pool_capacity - sort->pool_len) {
        const th_status status = reserve(sort, key.len, err);
        if (status != TH_OK)
            return status;
    }
    if (key.len)
        memcpy(sort->pool + sort->pool_len, key.data, key.len);
    sort->rows[sort->count++] =
        (struct row){ .value = value, .at = sort->pool_len, .len = (uint32_t)key.len };
    sort->pool_len += key.len;
    sort->total++;
    return TH_OK;
}

/* ---- merge ---- */

th_status th_text_sort_finish(th_text_sort *sort, th_error *err)
{
    if (!sort->runs) {
        sort_rows(sort);
        return TH_OK;
    }
    const th_status status = sort->count ? spill(sort, err) : TH_OK;
    free(sort->rows);
    free(sort->pool);
    sort->rows = NULL;
    sort->pool = NULL;
    return status == TH_OK ? th_sorted_runs_merge(sort->runs, sort->memory, err) : status;
}

th_status th_text_sort_next(th_text_sort *sort, th_view *key, uint64_t *value,
                            th_error *err)
{
    const void *next = NULL;
    if (!sort->runs) {
        if (sort->at == sort->count)
            return TH_END;
        const struct row *row = &sort->rows[sort->at++];
        *key = (th_view){ sort->pool + row->at, row->len };
        *value = row->value;
        return TH_OK;
    }
    const th_status status = th_sorted_runs_next(sort->runs, &next, err);
    if (status != TH_OK)
        return status;
    const struct merged *row = next;
    *key = (th_view){ row->key, row->key_len };
    *value = row->value;
    return TH_OK;
}
