/* Counts the entries of many pages, heap by heap. See the header. */
#include "site/site_gather.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/scratch_file.h"

enum { HEAPS = 256, HEAP_SHIFT = 56 };

/* A range of the temporary file. */
struct extent {
    uint64_t offset;
    size_t len;
};

struct heap {
    th_buffer fresh;   /* entries in memory */
    th_buffer extents; /* struct extent, of entries on the disk */
};

struct th_site_gather {
    th_site_gather_options options;
    struct heap heaps[HEAPS];
    uint64_t held; /* bytes in memory */
    th_scratch_file *file;
};

th_site_gather *th_site_gather_new(const th_site_gather_options *options)
{
    th_site_gather *gather = calloc(1, sizeof *gather);
    if (gather)
        gather->options = *options;
    return gather;
}

void th_site_gather_free(th_site_gather *gather)
{
    if (!gather)
        return;
    for (int i = 0; i < HEAPS; i++) {
        th_buffer_done(&gather->heaps[i].fresh);
        th_buffer_done(&gather->heaps[i].extents);
    }
    th_scratch_free(gather->file);
    free(gather);
}

/* ---- taking ---- */

static th_status spill(th_site_gather *gather, th_error *err)
{
    th_status status = TH_OK;
    if (!gather->file)
        status = th_scratch_open(gather->options.temp, &gather->file, err);
    for (int i = 0; i < HEAPS && status == TH_OK; i++) {
        struct heap *heap = &gather->heaps[i];
        const struct extent extent = { th_scratch_len(gather->file), heap->fresh.len };
        if (!extent.len)
            continue;
        status = th_scratch_append(gather->file, heap->fresh.data, extent.len, err);
        th_buffer_append(&heap->extents, (const char *)&extent, sizeof extent);
        th_buffer_done(&heap->fresh);
        if (heap->extents.has_failed)
            return th_fail(err, TH_NOMEM, "out of memory for counts of sites");
    }
    gather->held = 0;
    return status;
}

th_status th_site_gather_add(th_site_gather *gather, th_view entries, th_error *err)
{
    while (entries.len) {
        const th_site_entry *entry = (const th_site_entry *)(const void *)entries.data;
        const size_t len = th_site_entry_len(entry);
        struct heap *heap = &gather->heaps[entry->site >> HEAP_SHIFT];
        th_buffer_append(&heap->fresh, entries.data, len);
        if (heap->fresh.has_failed)
            return th_fail(err, TH_NOMEM, "out of memory for counts of sites");
        gather->held += len;
        entries = (th_view){ entries.data + len, entries.len - len };
    }
    return gather->held > gather->options.memory ? spill(gather, err) : TH_OK;
}

/* ---- counting ---- */

/* Called for each entry of a heap, with its bytes in `scratch` or in place. */
typedef bool take_entry(void *context, const th_site_entry *entry);

static bool take_all(th_view bytes, take_entry *take, void *context)
{
    while (bytes.len) {
        const th_site_entry *entry = (const th_site_entry *)(const void *)bytes.data;
        const size_t len = th_site_entry_len(entry);
        if (!take(context, entry))
            return false;
        bytes = (th_view){ bytes.data + len, bytes.len - len };
    }
    return true;
}

static th_status walk(th_site_gather *gather, const struct heap *heap, take_entry *take,
                      void *context, th_error *err)
{
    const struct extent *extents =
        (const struct extent *)(const void *)heap->extents.data;
    const size_t count = heap->extents.len / sizeof *extents;
    th_status status = TH_OK;
    bool has_room = true;
    for (size_t i = 0; i < count && status == TH_OK && has_room; i++) {
        char *bytes = malloc(extents[i].len);
        if (!bytes)
            return th_fail(err, TH_NOMEM, "out of memory for counts of sites");
        status =
            th_scratch_read(gather->file, extents[i].offset, bytes, extents[i].len, err);
        if (status == TH_OK)
            has_room = take_all((th_view){ bytes, extents[i].len }, take, context);
        free(bytes);
    }
    if (status == TH_OK && has_room)
        has_room = take_all(th_buffer_view(&heap->fresh), take, context);
    return status == TH_OK && !has_room
               ? th_fail(err, TH_NOMEM, "out of memory for counts of sites")
               : status;
}

/* A page of a site, by its URL. */
struct seen {
    uint64_t site;
    uint32_t url;
};

static int by_seen(const void *left, const void *right)
{
    const struct seen *a = left, *b = right;
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    return (a->url > b->url) - (a->url < b->url);
}

static bool note_seen(void *context, const th_site_entry *entry)
{
    const struct seen row = { .site = entry->site, .url = entry->url };
    th_buffer *rows = context;
    th_buffer_append(rows, (const char *)&row, sizeof row);
    return !rows->has_failed;
}

/* Finds the last URL of each site that is still counted. One row per site remains, in
 * order. */
static size_t find_last(struct seen *rows, size_t count, uint32_t limit)
{
    size_t kept = 0;
    uint32_t pages = 0;
    if (count)
        qsort(rows, count, sizeof *rows, by_seen);
    for (size_t i = 0; i < count; i++) {
        const bool is_new = !kept || rows[kept - 1].site != rows[i].site;
        if (is_new) {
            rows[kept++] = rows[i];
            pages = 1;
        } else if (rows[i].url != rows[kept - 1].url && pages < limit) {
            rows[kept - 1].url = rows[i].url;
            pages++;
        }
    }
    return kept;
}

/* The entries of a heap that are counted. */
struct taking {
    const struct seen *last; /* of each site */
    size_t count;
    th_buffer bytes;
};

static int by_site(const void *left, const void *right)
{
    const struct seen *a = left, *b = right;
    return (a->site > b->site) - (a->site < b->site);
}

static bool take_counted(void *context, const th_site_entry *entry)
{
    struct taking *taking = context;
    const struct seen wanted = { .site = entry->site };
    assert(taking->last);
    const struct seen *last =
        bsearch(&wanted, taking->last, taking->count, sizeof wanted, by_site);
    if (entry->url > last->url)
        return true;
    th_buffer_append(&taking->bytes, (const char *)entry, th_site_entry_len(entry));
    return !taking->bytes.has_failed;
}

static int by_entry_site(const void *left, const void *right)
{
    const th_site_entry *a = *(const th_site_entry *const *)left;
    const th_site_entry *b = *(const th_site_entry *const *)right;
    return (a->site > b->site) - (a->site < b->site);
}

/* Returns pointers to the entries, grouped by site. */
static const th_site_entry **sort_entries(th_view bytes, size_t *out)
{
    size_t count = 0, i = 0;
    for (size_t at = 0; at < bytes.len; count++)
        at += th_site_entry_len((const th_site_entry *)(const void *)(bytes.data + at));
    // NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers
    const th_site_entry **entries = calloc(count + 1, sizeof *entries);
    if (!entries)
        return NULL;
    for (size_t at = 0; at < bytes.len; at += th_site_entry_len(entries[i++]))
        entries[i] = (const th_site_entry *)(const void *)(bytes.data + at);
    // NOLINTNEXTLINE(bugprone-sizeof-expression)
    qsort(entries, count, sizeof *entries, by_entry_site);
    *out = count;
    return entries;
}

static th_status count_site(const th_site_gather *gather, const th_site_entry **entries,
                            size_t count, th_site_writer *writer, th_buffer *scratch,
                            th_error *err)
{
    th_site site;
    th_buffer_reset(scratch);
    if (th_site_add(NULL, entries, count, &gather->options.limits, scratch) != TH_OK ||
        th_site_read(th_buffer_view(scratch), &site, NULL) != TH_OK)
        return th_fail(err, TH_NOMEM, "out of memory for counts of sites");
    return site.pages < gather->options.limits.min
               ? TH_OK
               : th_site_writer_add(writer, th_buffer_view(scratch), err);
}

static th_status count_entries(const th_site_gather *gather, th_view bytes,
                               th_site_writer *writer, th_error *err)
{
    size_t count = 0;
    th_buffer scratch = { 0 };
    th_status status = TH_OK;
    const th_site_entry **entries = sort_entries(bytes, &count);
    if (!entries)
        return th_fail(err, TH_NOMEM, "out of memory for counts of sites");
    for (size_t first = 0, end; first < count && status == TH_OK; first = end) {
        for (end = first + 1; end < count && entries[end]->site == entries[first]->site;)
            end++;
        status = count_site(gather, entries + first, end - first, writer, &scratch, err);
    }
    th_buffer_done(&scratch);
    free(entries);
    return status;
}

static th_status write_heap(th_site_gather *gather, struct heap *heap,
                            th_site_writer *writer, th_error *err)
{
    th_buffer rows = { 0 };
    struct taking taking = { .count = 0 };
    th_status status = walk(gather, heap, note_seen, &rows, err);
    if (status == TH_OK) {
        struct seen *last = (struct seen *)(void *)rows.data;
        taking.count =
            find_last(last, rows.len / sizeof *last, gather->options.limits.pages);
        taking.last = last;
        status = walk(gather, heap, take_counted, &taking, err);
    }
    th_buffer_done(&heap->fresh);
    if (status == TH_OK)
        status = count_entries(gather, th_buffer_view(&taking.bytes), writer, err);
    th_buffer_done(&taking.bytes);
    th_buffer_done(&rows);
    return status;
}

th_status th_site_gather_write(th_site_gather *gather, th_site_writer *writer,
                               th_error *err)
{
    th_status status = TH_OK;
    for (int i = 0; i < HEAPS && status == TH_OK; i++)
        status = write_heap(gather, &gather->heaps[i], writer, err);
    return status;
}
