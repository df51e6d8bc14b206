/*
 * A heap over the shards. A file is open only while a buffer is filled, so the number of
 * shards is not limited by the number of descriptors.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "dedup/key_sort.h"
#include "dedup/shard_set.h"

enum { LEAST_ROOM = 256, MOST_ROOM = 1 << 16 }; /* items of a buffer */

/* The items of one shard, and the part of them in memory. */
struct stream {
    const th_record_shard *shard;
    uint32_t first;        /* number of its first record */
    uint64_t next_at, end; /* items of the file not yet read */
    th_item *items;
    uint32_t at, count;
    th_item last; /* before items */
    bool has_last;
    XXH3_state_t *sum; /* owned */
    uint64_t wanted;   /* sum */
    th_key_sort *made; /* used instead of the file; owned */
};

struct th_shard_merge {
    const char *name; /* of the file in each shard */
    struct stream *streams;
    uint32_t stream_count;
    size_t capacity; /* items of a buffer */
    th_item *items;
    uint32_t *heap;
    uint32_t heap_count;
    uint64_t total;
};

uint64_t th_shard_merge_count(const th_shard_merge *merge)
{
    return merge->total;
}

void th_shard_merge_free(th_shard_merge *merge)
{
    if (!merge)
        return;
    for (uint32_t i = 0; merge->streams && i < merge->stream_count; i++) {
        (void)XXH3_freeState(merge->streams[i].sum);
        th_key_sort_free(merge->streams[i].made);
    }
    free(merge->streams);
    free(merge->items);
    free(merge->heap);
    free(merge);
}

/* ---- one shard ---- */

static th_status damaged(const th_shard_merge *merge, const struct stream *stream,
                         const char *how, th_error *err)
{
    return th_fail(err, TH_DAMAGED, "'%s/%s' is damaged before byte %" PRIu64 ": %s",
                   stream->shard->folder, merge->name, stream->next_at * sizeof(th_item),
                   how);
}

static th_status read_items(th_shard_merge *merge, struct stream *stream, size_t count,
                            th_error *err)
{
    char *path = th_shard_path(stream->shard->folder, merge->name);
    const int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    const size_t len = count * sizeof *stream->items;
    size_t got = 0;
    th_status status = TH_OK;
    if (fd < 0)
        status =
            th_fail(err, errno == ENOENT ? TH_DAMAGED : TH_IO, "cannot open '%s': %s",
                    path ? path : merge->name, strerror(errno));
    while (status == TH_OK && got < len) {
        const ssize_t some =
            pread(fd, (char *)stream->items + got, len - got,
                  (off_t)(stream->next_at * sizeof *stream->items + got));
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            status = th_fail(err, TH_IO, "cannot read '%s': %s", path, strerror(errno));
        else if (!some)
            status = damaged(merge, stream, "file is too short", err);
        else
            got += (size_t)some;
    }
    if (fd >= 0)
        (void)close(fd);
    free(path);
    return status;
}

static th_status check_items(th_shard_merge *merge, struct stream *stream, th_error *err)
{
    (void)XXH3_64bits_update(stream->sum, stream->items,
                             stream->count * sizeof *stream->items);
    for (uint32_t i = 0; i < stream->count; i++) {
        const th_item *item = &stream->items[i];
        if (item->number >= stream->shard->head.records)
            return damaged(merge, stream, "record number out of range", err);
        if (stream->has_last && th_item_key(item) < th_item_key(&stream->last))
            return damaged(merge, stream, "rows are not sorted", err);
        stream->last = *item;
        stream->has_last = true;
    }
    if (stream->next_at == stream->end &&
        XXH3_64bits_digest(stream->sum) != stream->wanted)
        return damaged(merge, stream, "wrong checksum", err);
    return TH_OK;
}

static th_status take_made(th_shard_merge *merge, struct stream *stream, th_error *err)
{
    th_status status = TH_OK;
    while (stream->count < merge->capacity) {
        th_item *item = &stream->items[stream->count];
        uint64_t key = 0;
        status = th_key_sort_next(stream->made, &key, &item->number, err);
        if (status != TH_OK)
            break;
        item->low = (uint32_t)key;
        item->high = (uint32_t)(key >> 32);
        stream->count++;
    }
    return status == TH_END ? TH_OK : status;
}

/* Leaves count 0 at the end. */
static th_status refill(th_shard_merge *merge, struct stream *stream, th_error *err)
{
    stream->at = 0;
    stream->count = 0;
    if (stream->made)
        return take_made(merge, stream, err);
    const uint64_t left = stream->end - stream->next_at;
    const size_t count = left < merge->capacity ? (size_t)left : merge->capacity;
    if (!count)
        return TH_OK;
    const th_status status = read_items(merge, stream, count, err);
    if (status != TH_OK)
        return status;
    stream->next_at += count;
    stream->count = (uint32_t)count;
    return check_items(merge, stream, err);
}

/* ---- keys that the shard does not have ---- */

static th_status add_keys(th_shard_set *set, uint32_t number, uint32_t part,
                          th_signed_row *row, uint64_t *keys, th_key_sort *sort,
                          uint32_t own_number, th_error *err)
{
    th_shard_record record;
    th_status status = th_shard_set_get(set, number, &record, err);
    if (status != TH_OK)
        return status;
    th_signature_unpack(&set->params, (const unsigned char *)record.row.data, row);
    const size_t count = th_signature_keys(&set->params, row, keys);
    for (size_t i = 0; i < count && status == TH_OK; i++)
        if (th_part_of(keys[i], set->parts) == part)
            status = th_key_sort_add(sort, keys[i], own_number, err);
    return status;
}

/* If one shard has `distinct` and another has not, the main texts of the latter are keyed
 * twice: as the page's own text, and as the main text. docs/dedup.md */
static th_status make_keys(th_shard_set *set, struct stream *stream, uint32_t part,
                           const char *temp, uint64_t memory, th_error *err)
{
    th_signed_row row = { .slots = malloc(((size_t)2 * set->params.slots + 1) *
                                          sizeof *row.slots) };
    uint64_t *keys = malloc(th_signature_key_count(&set->params) * sizeof *keys);
    th_status status =
        row.slots && keys ? TH_OK : th_fail(err, TH_NOMEM, "out of memory for keys");
    if (status == TH_OK)
        status = th_key_sort_new(temp, memory, &stream->made, err);
    assert(keys || status != TH_OK);
    for (uint32_t i = 0; i < stream->shard->head.records && status == TH_OK; i++)
        status = add_keys(set, stream->first + i, part, &row, keys, stream->made, i, err);
    if (status == TH_OK)
        status = th_key_sort_finish(stream->made, err);
    free(row.slots);
    free(keys);
    return status;
}

/* ---- all shards ---- */

static bool is_before(const th_shard_merge *merge, uint32_t a, uint32_t b)
{
    const struct stream *x = &merge->streams[merge->heap[a]];
    const struct stream *y = &merge->streams[merge->heap[b]];
    const uint64_t key_x = th_item_key(&x->items[x->at]);
    const uint64_t key_y = th_item_key(&y->items[y->at]);
    return key_x != key_y ? key_x < key_y : merge->heap[a] < merge->heap[b];
}

static void sift_down(th_shard_merge *merge, uint32_t at)
{
    for (;;) {
        uint32_t min = at;
        for (uint64_t child = 2 * (uint64_t)at + 1; child <= 2 * (uint64_t)at + 2;
             child++)
            if (child < merge->heap_count && is_before(merge, (uint32_t)child, min))
                min = (uint32_t)child;
        if (min == at)
            return;
        const uint32_t swap = merge->heap[at];
        merge->heap[at] = merge->heap[min];
        merge->heap[min] = swap;
        at = min;
    }
}

static th_status open_stream(th_shard_merge *merge, th_shard_set *set, uint32_t i,
                             int part, const char *temp, uint64_t memory, th_error *err)
{
    assert(merge->streams);
    struct stream *stream = &merge->streams[i];
    const th_record_shard *shard = &set->shards[i];
    stream->shard = shard;
    stream->first = set->firsts[i];
    stream->items = merge->items + i * merge->capacity;
    stream->sum = XXH3_createState();
    if (!stream->sum)
        return th_fail(err, TH_NOMEM, "out of memory to merge shards");
    (void)XXH3_64bits_reset(stream->sum);
    th_status status = TH_OK;
    if (part == TH_MERGE_IDS) {
        stream->end = shard->head.records;
        stream->wanted = shard->head.ids_sum;
    } else if (shard->head.is_signed && shard->head.text_count < set->params.text_count) {
        status = make_keys(set, stream, (uint32_t)part, temp, memory, err);
    } else {
        stream->next_at = part ? shard->ends[part - 1] : 0;
        stream->end = shard->ends[part];
        stream->wanted = shard->sums[part];
    }
    merge->total +=
        stream->made ? th_key_sort_count(stream->made) : stream->end - stream->next_at;
    return status == TH_OK ? refill(merge, stream, err) : status;
}

th_status th_shard_merge_new(th_shard_set *set, int part, const char *temp,
                             uint64_t memory, th_shard_merge **out, th_error *err)
{
    th_shard_merge *merge = calloc(1, sizeof *merge);
    if (!merge)
        return th_fail(err, TH_NOMEM, "out of memory to merge shards");
    const uint64_t capacity = memory / set->count / sizeof *merge->items;
    merge->name = part == TH_MERGE_IDS ? "shard.ids" : "shard.keys";
    merge->capacity = capacity < LEAST_ROOM  ? LEAST_ROOM
                      : capacity > MOST_ROOM ? MOST_ROOM
                                             : capacity;
    merge->stream_count = set->count;
    merge->streams = calloc(set->count, sizeof *merge->streams);
    merge->items = malloc(set->count * merge->capacity * sizeof *merge->items);
    merge->heap = calloc(set->count, sizeof *merge->heap);
    th_status status = merge->streams && merge->items && merge->heap
                           ? TH_OK
                           : th_fail(err, TH_NOMEM, "out of memory to merge shards");
    for (uint32_t i = 0; i < set->count && status == TH_OK; i++) {
        status = open_stream(merge, set, i, part, temp, memory / set->count, err);
        if (status == TH_OK && merge->streams[i].count)
            merge->heap[merge->heap_count++] = i;
    }
    for (uint32_t i = merge->heap_count / 2; i-- > 0;)
        sift_down(merge, i);
    if (status != TH_OK)
        th_shard_merge_free(merge);
    else
        *out = merge;
    return status;
}

th_status th_shard_merge_next(th_shard_merge *merge, uint64_t *key, uint32_t *number,
                              th_error *err)
{
    if (!merge->heap_count)
        return TH_END;
    struct stream *stream = &merge->streams[merge->heap[0]];
    const th_item *item = &stream->items[stream->at++];
    *key = th_item_key(item);
    *number = stream->first + item->number;
    if (stream->at == stream->count) {
        const th_status status = refill(merge, stream, err);
        if (status != TH_OK)
            return status;
    }
    if (!stream->count)
        merge->heap[0] = merge->heap[--merge->heap_count];
    sift_down(merge, 0);
    return TH_OK;
}
