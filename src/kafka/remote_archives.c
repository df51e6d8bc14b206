/* Records by Range below prefixes. See the header. */
#include "kafka/remote_archives.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/view_copier.h"
#include "kafka/archive_waits.h"
#include "kafka/record_fetcher.h"
#include "remote/remote_prefix.h"

enum { BACKOFF_DOUBLINGS = 6 };

/* The store of a prefix. */
struct store {
    uint32_t failures;          /* in a row */
    int64_t not_before;         /* ms: no request before this time */
    th_record_fetcher *fetcher; /* NULL before the first fetch */
    bool is_slow;               /* the last fetch took longer than TH_REMOTE_LOOK_MS */
};

struct th_remote_archives {
    th_archive_options options;
    th_remote_prefixes prefixes;
    struct store stores[TH_REMOTE_PREFIXES_MAX]; /* of each prefix */
    th_remote_options reached;                   /* how stores are reached */
    th_archive_waits *waits;
};

/* ---- life ---- */

static bool may_follow(void *context, const char *url)
{
    const th_remote_archives *archives = context;
    return th_remote_prefixes_find(&archives->prefixes, url) >= 0;
}

static uint32_t at_most(uint32_t value, uint32_t max)
{
    return value < max ? value : max;
}

static th_status check_store(const th_remote_options *store, th_error *err)
{
    th_remote *remote = NULL;
    const th_status status = th_remote_new(store, &remote, err);
    th_remote_free(remote);
    return status;
}

th_status th_remote_archives_new(const th_archive_options *options,
                                 th_remote_archives **out, th_error *err)
{
    th_remote_archives *archives = calloc(1, sizeof *archives);
    if (!archives)
        return th_fail(err, TH_NOMEM, "cannot allocate remote archives");
    archives->options = *options;
    archives->reached = *options->store;
    th_remote_options *store = &archives->reached;
    store->retries = at_most(store->retries, 1);
    store->connect_ms = at_most(store->connect_ms, TH_REMOTE_STALL_MS);
    store->stall_ms = at_most(store->stall_ms, TH_REMOTE_STALL_MS);
    store->backoff_ms = at_most(store->backoff_ms, TH_REMOTE_PATIENCE_MS);
    store->deadline_ms = TH_REMOTE_PATIENCE_MS;
    store->longest_ms = TH_REMOTE_RECORD_MS;
    store->parts_only = true;
    store->may_follow = may_follow;
    store->follow_context = archives;
    th_status status =
        th_remote_prefixes_read(options->prefixes, &archives->prefixes, err);
    if (status == TH_OK)
        status = check_store(store, err);
    if (status == TH_OK && !(archives->waits = th_archive_waits_new(options->wait_ms)))
        status = th_fail(err, TH_NOMEM, "cannot allocate remote archives");
    if (status == TH_OK)
        *out = archives;
    else
        th_remote_archives_free(archives);
    return status;
}

void th_remote_archives_free(th_remote_archives *archives)
{
    if (!archives)
        return;
    th_archive_waits_free(archives->waits);
    for (uint32_t i = 0; i < TH_REMOTE_PREFIXES_MAX; i++)
        th_record_fetcher_free(archives->stores[i].fetcher);
    th_remote_prefixes_done(&archives->prefixes);
    free(archives);
}

uint64_t th_remote_archives_given_up(const th_remote_archives *archives)
{
    return th_archive_waits_given_up(archives->waits);
}

/* ---- waiting ---- */

/* Pauses requests to a store that failed, for the time that `store` says, but no longer
 * than the wait for an archive. */
static void leave_alone(th_remote_archives *archives, struct store *store,
                        uint32_t retry_after_s)
{
    int64_t wait_ms = (int64_t)archives->options.store->backoff_ms
                      << at_most(store->failures, BACKOFF_DOUBLINGS);
    if (retry_after_s)
        wait_ms = 1000 * (int64_t)retry_after_s;
    if (wait_ms > archives->options.wait_ms)
        wait_ms = archives->options.wait_ms;
    store->failures++;
    store->not_before = th_now_ms() + wait_ms;
}

/* `why` names the archive. */
static bool may_wait(const th_remote_archives *archives, const char *name,
                     const th_error *why)
{
    const th_warning_fn warn = archives->options.warn;
    void *context = archives->options.warn_context;
    char words[400];
    switch (th_archive_waits_query(archives->waits, name, NULL, th_now_ms(), 0)) {
    case TH_ARCHIVE_WAIT_BEGINS:
        (void)snprintf(words, sizeof words, "cannot be read at present, waiting: %.350s",
                       why ? why->text : "");
        th_archive_report(warn, context, name, words);
        return true;
    case TH_ARCHIVE_WAIT:
        return true;
    case TH_ARCHIVE_GIVE_UP:
        th_archive_report(
            warn, context, name,
            "could not be read before the deadline; pointers into it are refused");
        return false;
    case TH_ARCHIVE_GIVEN_UP:
    default:
        return false;
    }
}

/* ---- the record ---- */

/* A fetched record into the batch: the fetcher reads the next one into its place. */
static th_status copy_record(const th_record *from, th_arena *arena, th_record *out)
{
    th_view_copier copier = { .arena = arena };
    *out = *from;
    th_view *const views[] = { &out->type,         &out->url,
                               &out->id,           &out->date,
                               &out->content_type, &out->ip,
                               &out->truncated,    &out->payload_digest,
                               &out->block,        &out->crawl_languages };
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        *views[i] = th_view_copy(&copier, *views[i]);
    return copier.has_failed ? TH_NOMEM : TH_OK;
}

/* The fetcher of a prefix, made when it is first needed. */
static th_status find_fetcher(th_remote_archives *archives, struct store *store,
                              th_error *why)
{
    const th_record_fetcher_options options = {
        .store = &archives->reached,
        .max_record = archives->options.max_record,
        .verify_digests = archives->options.verify_digests,
    };
    return store->fetcher ? TH_OK : th_record_fetcher_new(&options, &store->fetcher, why);
}

/* One look. TH_OK; TH_NEED_MORE: the fetch is not done; TH_IO, TH_NOT_YET with words;
 * TH_NOMEM. */
static th_status look(th_remote_archives *archives, struct store *store, const char *name,
                      const th_warc_pointer *pointer, th_batch *batch, uint32_t *after_s,
                      th_error *why)
{
    const th_status status = find_fetcher(archives, store, why);
    if (status != TH_OK)
        return status;
    /* A slow store must not cost the thread of the topics any time. */
    const th_fetched *fetched = th_record_fetcher_query(
        store->fetcher, name, pointer, store->is_slow ? 0 : TH_REMOTE_LOOK_MS);
    if (!fetched) {
        store->is_slow = true;
        return TH_NEED_MORE;
    }
    store->is_slow = fetched->took_ms > TH_REMOTE_LOOK_MS;
    *after_s = fetched->retry_after_s;
    if (why)
        *why = fetched->why;
    for (uint32_t i = 0; i < fetched->diag_count && archives->options.on_diag; i++)
        archives->options.on_diag(archives->options.diag_context, &fetched->diags[i]);
    return fetched->status == TH_OK ? copy_record(fetched->record, batch->arena,
                                                  &batch->records[batch->record_count])
                                    : fetched->status;
}

static th_status take(th_remote_archives *archives, const char *name,
                      const th_warc_pointer *pointer, th_batch *batch, th_error *why)
{
    const int prefix = th_remote_prefixes_find(&archives->prefixes, name);
    /* The writer of a message may choose only the path that is sent to a server. */
    if (prefix < 0 || (strncmp(name, "s3://", 5) != 0 && strchr(name, '?')))
        return th_fail(why, TH_BAD_WARC,
                       "%.250s: offset %llu: is not under any archive-prefixes entry",
                       name, (unsigned long long)pointer->offset);
    struct store *store = &archives->stores[prefix];
    if (th_now_ms() < store->not_before)
        return TH_NEED_MORE;
    th_record *record = &batch->records[batch->record_count];
    const th_record before = *record;
    uint32_t after_s = 0;
    const th_status status = look(archives, store, name, pointer, batch, &after_s, why);
    if (status == TH_NOMEM || status == TH_NEED_MORE)
        return status;
    if (status == TH_OK || status == TH_IO) { /* it answers */
        store->failures = 0;
        th_archive_waits_end(archives->waits, name);
    }
    if (status == TH_OK)
        return TH_OK;
    *record = before;
    if (status == TH_PAUSED)
        return TH_NEED_MORE;
    if (status == TH_NOT_YET)
        leave_alone(archives, store, after_s);
    return status == TH_NOT_YET && may_wait(archives, name, why) ? TH_NEED_MORE
                                                                 : TH_BAD_WARC;
}

th_status th_remote_archives_take(th_remote_archives *archives,
                                  const th_warc_pointer *pointer, th_batch *batch,
                                  th_error *why)
{
    char *name = strndup(pointer->file.data, pointer->file.len);
    if (!name)
        return TH_NOMEM;
    const th_status status = take(archives, name, pointer, batch, why);
    free(name);
    return status;
}
