/*
 * Head, records, bytes. A record is copied unchanged, with offsets instead of addresses
 * in its views. So the other side parses nothing.
 */
#include "isolate/batch_region.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct th_batch_region_head {
    _Atomic uint32_t under_way;
    uint32_t count, first;
    bool wants_parts;
    uint64_t turn[2];
    th_record records[];
};

/* Addresses for the largest batch: a Kafka message or a record of 1 GiB, some of whose
 * bytes are there more than once. */
#define ADDRESSES ((size_t)4 << 30)

/* The file keeps so much between two batches. */
enum { KEPT = 4 << 20, STEP = 1 << 20 };

/*
 * The members of a record that the work reads. Members that only its sink reads
 * (headers, the original message) are not copied.
 */
static const size_t views[] = {
    offsetof(th_record, type),
    offsetof(th_record, url),
    offsetof(th_record, id),
    offsetof(th_record, date),
    offsetof(th_record, content_type),
    offsetof(th_record, ip),
    offsetof(th_record, truncated),
    offsetof(th_record, payload_digest),
    offsetof(th_record, head),
    offsetof(th_record, block),
    offsetof(th_record, rendered),
    offsetof(th_record, rendered_type),
    offsetof(th_record, crawl_languages),
    offsetof(th_record, position.file),
    offsetof(th_record, position.topic),
    offsetof(th_record, position.key),
};
enum { VIEWS = sizeof views / sizeof *views };

static th_view *view_of(th_record *record, size_t i)
{
    return (th_view *)(void *)((char *)record + views[i]);
}

th_status th_batch_region_open(int fd, bool is_reader, th_batch_region *out,
                               th_error *err)
{
    void *map =
        mmap(NULL, ADDRESSES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    const int failed = map == MAP_FAILED ? errno : 0;
    *out = (th_batch_region){ .head = failed ? NULL : map, .fd = is_reader ? -1 : fd };
    if (is_reader)
        (void)close(fd);
    return failed
               ? th_fail(err, TH_IO, "cannot map memory for pages: %s", strerror(failed))
               : TH_OK;
}

void th_batch_region_close(th_batch_region *region)
{
    if (region->head) {
        (void)munmap(region->head, ADDRESSES);
        if (region->fd >= 0)
            (void)close(region->fd);
    }
    *region = (th_batch_region){ .fd = -1 };
}

static size_t text_len(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

/* Bytes that the records from `first` on need, their words included. */
static size_t needed(const th_batch *batch, uint32_t first, th_refused_words refused,
                     const void *context)
{
    size_t sum = sizeof(struct th_batch_region_head) +
                 (size_t)batch->record_count * sizeof(th_record);
    for (uint32_t i = first; i < batch->record_count; i++) {
        th_record record = batch->records[i];
        const char *words = refused(context, i);
        for (size_t v = 0; v < VIEWS; v++)
            sum += view_of(&record, v)->len;
        sum += text_len(words ? words : record.detail);
    }
    return sum;
}

/* Allocates memory, so that writing to it later cannot fail. */
static th_status fit(th_batch_region *region, size_t len, th_error *err)
{
    const size_t want = (len + STEP - 1) / STEP * STEP;
    if (want > ADDRESSES)
        return th_fail(err, TH_NOMEM, "a batch of %zu bytes is too large", len);
    if (region->len > KEPT && region->len > want && ftruncate(region->fd, KEPT) == 0)
        region->len = KEPT;
    if (region->len >= want)
        return TH_OK;
    const int failed = posix_fallocate(region->fd, 0, (off_t)want);
    if (failed)
        return th_fail(err, TH_NOMEM, "no memory for a batch of %zu bytes: %s", len,
                       strerror(failed));
    region->len = want;
    return TH_OK;
}

/* @return its offset, as an address; NULL if it is empty */
static const char *put_bytes(struct th_batch_region_head *head, size_t *at,
                             const char *bytes, size_t len)
{
    const size_t here = *at;
    if (!bytes)
        return NULL;
    memcpy((char *)head + here, bytes, len);
    *at += len;
    return (const char *)here;
}

th_status th_batch_region_put(th_batch_region *region, const th_batch *batch,
                              uint32_t first, bool wants_parts, th_refused_words refused,
                              const void *context, th_error *err)
{
    struct th_batch_region_head *head = region->head;
    const th_status status = fit(region, needed(batch, first, refused, context), err);
    size_t at = sizeof *head + (size_t)batch->record_count * sizeof(th_record);
    if (status != TH_OK)
        return status;
    head->count = batch->record_count;
    head->first = first;
    head->wants_parts = wants_parts;
    memcpy(head->turn, batch->turn, sizeof head->turn);
    for (uint32_t i = first; i < batch->record_count; i++) {
        th_record record = batch->records[i];
        const char *words = refused(context, i);
        if (words) {
            record.refusal = TH_CRASHED;
            record.detail = words;
        }
        for (size_t v = 0; v < VIEWS; v++) {
            th_view *view = view_of(&record, v);
            view->data = put_bytes(head, &at, view->data, view->len);
        }
        record.detail = put_bytes(head, &at, record.detail, text_len(record.detail));
        record.original = (th_view){ NULL, 0 };
        record.headers = NULL;
        record.header_count = 0;
        memcpy(&head->records[i], &record, sizeof record);
    }
    atomic_store(&head->under_way, 0);
    return TH_OK;
}

uint32_t th_batch_region_get(const th_batch_region *region, th_batch *out,
                             bool *wants_parts)
{
    const struct th_batch_region_head *head = region->head;
    const char *base = (const char *)head;
    out->record_count = head->count;
    memcpy(out->turn, head->turn, sizeof out->turn);
    for (uint32_t i = head->first; i < head->count; i++) {
        th_record *record = &out->records[i];
        *record = head->records[i];
        for (size_t v = 0; v < VIEWS; v++) {
            th_view *view = view_of(record, v);
            view->data = view->data ? base + (size_t)view->data : NULL;
        }
        if (record->detail)
            record->detail = base + (size_t)record->detail;
    }
    *wants_parts = head->wants_parts;
    return head->first;
}

_Atomic uint32_t *th_batch_region_under_way(const th_batch_region *region)
{
    return &region->head->under_way;
}
