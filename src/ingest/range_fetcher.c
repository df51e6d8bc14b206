/*
 * Each thread has a connection and a slot with the bytes of one range. It takes the next
 * range when the reader has passed the one in its slot. So the next ranges are always in
 * the slots, and the memory is bounded.
 */
#include "ingest/range_fetcher.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_name.h"
#include "ingest/archive_place.h"
#include "ingest/wacz.h"

enum { NOTES_MAX = 64 << 10 };

/* A thread and its range. */
struct slot {
    th_range_fetcher *fetcher;
    pthread_t thread;
    bool has_thread;
    th_remote *remote; /* owned */
    th_range range;    /* count 0: it is free */
    bool is_done;      /* the next three are valid */
    th_buffer bytes;
    th_status status;
    th_error err; /* reported once */
};

struct th_range_fetcher {
    th_range_fetcher_options options;
    pthread_mutex_t lock; /* of all below, except bytes, status and err of a busy slot */
    pthread_cond_t changed;
    uint32_t next; /* first input that no range has */
    bool is_over;
    th_buffer notes; /* lines about retries, which the reader's thread reports */
    struct slot *slots;
    bool has_begun;
};

/* ---- ranges ---- */

static bool read_place(const char *name, th_archive_place *place)
{
    if (!th_remote_is_name(name) || !th_archive_place_read(name, place) ||
        !place->length || place->length > TH_RANGE_MAX || place->skip ||
        place->offset > UINT64_MAX - place->length)
        return false;
    char *archive = strndup(name, place->name_len);
    const bool stands_alone =
        archive && !th_wacz_file_len(archive) && !th_wacz_is_file(archive) &&
        (th_file_name_ends(archive, ".warc.gz") || th_file_name_ends(archive, ".warc"));
    free(archive);
    return stands_alone;
}

th_range th_range_at(const th_range_fetcher_options *options, uint32_t input)
{
    th_archive_place place;
    const char *name = options->inputs[input];
    if (!read_place(name, &place))
        return (th_range){ .count = 0 };
    th_range range = { .first = input,
                       .count = 1,
                       .name_len = place.name_len,
                       .start = place.offset,
                       .end = place.offset + place.length };
    for (uint32_t i = input + 1; i < options->input_count; i++) {
        if (strncmp(options->inputs[i], name, range.name_len + 1) != 0 ||
            !read_place(options->inputs[i], &place) || place.name_len != range.name_len)
            break;
        const uint64_t end = place.offset + place.length;
        const uint64_t later = end > range.end ? end : range.end;
        if (place.offset < range.start || later - range.start > TH_RANGE_MAX ||
            (place.offset > range.end && place.offset - range.end > options->coalesce))
            break;
        range.end = later;
        range.count++;
    }
    return range;
}

/* ---- threads ---- */

static th_status read_range(const struct slot *slot, const char *archive, th_buffer *out,
                            th_error *err)
{
    const size_t len = (size_t)(slot->range.end - slot->range.start);
    warc_input input = { 0 };
    th_remote_object *object = NULL;
    th_status status = th_remote_open(slot->remote, archive, &input, &object, err);
    if (status != TH_OK)
        return status == TH_USAGE ? TH_IO : status;
    th_remote_object_slice(object, slot->range.start, slot->range.end);
    size_t got = 1;
    if (!th_buffer_reserve(out, len))
        status = th_fail(err, TH_NOMEM, "out of memory");
    while (status == TH_OK && out->len < len && got) {
        const warc_status read =
            input.read(input.context, out->data + out->len, len - out->len, &got);
        if (read == WARC_PAUSED)
            status = th_fail(err, TH_INTERRUPTED, "interrupted");
        else if (read != WARC_OK)
            status = th_remote_object_failure(object, err);
        else
            out->len += got;
    }
    input.close(input.context);
    return status;
}

static void fetch(struct slot *slot)
{
    char *archive =
        strndup(slot->fetcher->options.inputs[slot->range.first], slot->range.name_len);
    th_buffer_reset(&slot->bytes);
    slot->err.text[0] = '\0';
    slot->status = archive ? read_range(slot, archive, &slot->bytes, &slot->err)
                           : th_fail(&slot->err, TH_NOMEM, "out of memory");
    free(archive);
}

/* Takes the next range into a free slot. Returns false if there is none. */
static bool take_range(th_range_fetcher *fetcher, struct slot *slot)
{
    const th_range_fetcher_options *options = &fetcher->options;
    while (fetcher->next < options->input_count && !slot->range.count) {
        slot->range = th_range_at(options, fetcher->next);
        fetcher->next += slot->range.count ? slot->range.count : 1;
    }
    return slot->range.count > 0;
}

static void *run(void *context)
{
    struct slot *slot = context;
    th_range_fetcher *fetcher = slot->fetcher;
    (void)pthread_mutex_lock(&fetcher->lock);
    while (!fetcher->is_over) {
        if (slot->range.count) {
            (void)pthread_cond_wait(&fetcher->changed, &fetcher->lock);
            continue;
        }
        if (!take_range(fetcher, slot))
            break;
        (void)pthread_mutex_unlock(&fetcher->lock);
        fetch(slot);
        (void)pthread_mutex_lock(&fetcher->lock);
        slot->is_done = true;
        (void)pthread_cond_broadcast(&fetcher->changed);
    }
    (void)pthread_mutex_unlock(&fetcher->lock);
    return NULL;
}

static void note_retry(void *context, const char *text)
{
    th_range_fetcher *fetcher = context;
    (void)pthread_mutex_lock(&fetcher->lock);
    if (fetcher->notes.len < NOTES_MAX)
        th_buffer_append(&fetcher->notes, text, strlen(text) + 1);
    (void)pthread_cond_broadcast(&fetcher->changed);
    (void)pthread_mutex_unlock(&fetcher->lock);
}

static th_status begin(th_range_fetcher *fetcher, th_error *err)
{
    th_remote_options remote = fetcher->options.remote;
    th_status status = TH_OK;
    if (remote.on_retry) {
        remote.on_retry = note_retry;
        remote.retry_context = fetcher;
    }
    fetcher->has_begun = true;
    for (uint32_t i = 0; i < fetcher->options.requests && status == TH_OK; i++)
        status = th_remote_new(&remote, &fetcher->slots[i].remote, err);
    for (uint32_t i = 0; i < fetcher->options.requests && status == TH_OK; i++) {
        struct slot *slot = &fetcher->slots[i];
        slot->has_thread = pthread_create(&slot->thread, NULL, run, slot) == 0;
        if (!slot->has_thread)
            status = th_fail(err, TH_NOMEM, "cannot start a thread");
    }
    return status;
}

/* ---- the reader ---- */

th_status th_range_fetcher_new(const th_range_fetcher_options *options,
                               th_range_fetcher **out, th_error *err)
{
    th_range_fetcher *fetcher = calloc(1, sizeof *fetcher);
    struct slot *slots = calloc(options->requests, sizeof *slots);
    if (!fetcher || !slots) {
        free(fetcher);
        free(slots);
        return th_fail(err, TH_NOMEM, "cannot allocate requests");
    }
    fetcher->options = *options;
    fetcher->next = options->first;
    fetcher->slots = slots;
    for (uint32_t i = 0; i < options->requests; i++)
        slots[i].fetcher = fetcher;
    (void)pthread_mutex_init(&fetcher->lock, NULL);
    (void)pthread_cond_init(&fetcher->changed, NULL);
    *out = fetcher;
    return TH_OK;
}

void th_range_fetcher_free(th_range_fetcher *fetcher)
{
    if (!fetcher)
        return;
    (void)pthread_mutex_lock(&fetcher->lock);
    fetcher->is_over = true;
    (void)pthread_cond_broadcast(&fetcher->changed);
    (void)pthread_mutex_unlock(&fetcher->lock);
    for (uint32_t i = 0; i < fetcher->options.requests; i++) {
        struct slot *slot = &fetcher->slots[i];
        if (slot->has_thread)
            (void)pthread_join(slot->thread, NULL);
        th_remote_free(slot->remote);
        th_buffer_done(&slot->bytes);
    }
    (void)pthread_cond_destroy(&fetcher->changed);
    (void)pthread_mutex_destroy(&fetcher->lock);
    th_buffer_done(&fetcher->notes);
    free(fetcher->slots);
    free(fetcher);
}

static void report_notes(th_range_fetcher *fetcher)
{
    const th_remote_options *remote = &fetcher->options.remote;
    for (size_t at = 0; at < fetcher->notes.len;) {
        remote->on_retry(remote->retry_context, fetcher->notes.data + at);
        at += strlen(fetcher->notes.data + at) + 1;
    }
    th_buffer_reset(&fetcher->notes);
}

/* Frees the slots that the reader has passed. Returns the slot of an input, or NULL. */
static struct slot *find_slot(th_range_fetcher *fetcher, uint32_t input)
{
    struct slot *found = NULL;
    bool has_freed = false;
    for (uint32_t i = 0; i < fetcher->options.requests; i++) {
        struct slot *slot = &fetcher->slots[i];
        if (!slot->is_done || slot->range.first > input)
            continue;
        if (input - slot->range.first < slot->range.count) {
            found = slot;
            continue;
        }
        slot->range.count = 0;
        slot->is_done = false;
        has_freed = true;
    }
    if (has_freed)
        (void)pthread_cond_broadcast(&fetcher->changed);
    return found;
}

static th_status slice(struct slot *slot, const th_archive_place *place, th_view *bytes,
                       th_error *err)
{
    if (slot->status != TH_OK) {
        char more[64] = "";
        if (slot->err.text[0] && slot->range.count > 1)
            (void)snprintf(more, sizeof more, " (request of %u records)",
                           slot->range.count);
        (void)th_fail(err, slot->status, "%s%s", slot->err.text, more);
        slot->err.text[0] = '\0';
        return slot->status;
    }
    const uint64_t start = place->offset - slot->range.start;
    const size_t got = slot->bytes.len;
    const size_t from = start < got ? (size_t)start : got;
    const size_t len = place->length < got - from ? (size_t)place->length : got - from;
    *bytes = (th_view){ slot->bytes.data + from, len };
    return TH_OK;
}

th_status th_range_fetcher_get(th_range_fetcher *fetcher, uint32_t input, th_view *bytes,
                               th_error *err)
{
    th_archive_place place;
    if (!read_place(fetcher->options.inputs[input], &place))
        return TH_ABSENT;
    th_status status = fetcher->has_begun ? TH_OK : begin(fetcher, err);
    if (status != TH_OK)
        return status;
    struct slot *slot;
    (void)pthread_mutex_lock(&fetcher->lock);
    while (!(slot = find_slot(fetcher, input))) {
        report_notes(fetcher);
        (void)pthread_cond_wait(&fetcher->changed, &fetcher->lock);
    }
    report_notes(fetcher);
    status = slice(slot, &place, bytes, err);
    (void)pthread_mutex_unlock(&fetcher->lock);
    return status;
}
