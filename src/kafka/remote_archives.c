/* Records by Range below prefixes. See the header. */
#include "kafka/remote_archives.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ingest/single_record.h"
#include "kafka/archive_waits.h"
#include "remote/remote_prefix.h"

enum { BACKOFF_DOUBLINGS = 6 };

/* What lies below a prefix, as far as it has failed. */
struct store {
    uint32_t failures;  /* in a row */
    int64_t not_before; /* ms: nothing is asked until then */
};

struct th_remote_archives {
    th_remote_archives_options options;
    th_remote_prefixes prefixes;
    struct store stores[TH_REMOTE_PREFIXES_MAX]; /* of each prefix */
    th_remote *remote;
    th_archive_waits *waits;
    th_read_limit limit; /* of the present record */
    bool is_cut;         /* the present record ends too early */
};

/* ---- life ---- */

static bool may_follow(void *context, const char *url)
{
    const th_remote_archives *archives = context;
    return th_remote_prefixes_find(&archives->prefixes, url) >= 0;
}

static uint32_t at_most(uint32_t value, uint32_t most)
{
    return value < most ? value : most;
}

th_status th_remote_archives_new(const th_remote_archives_options *options,
                                 th_remote_archives **out, th_error *err)
{
    th_remote_archives *archives = calloc(1, sizeof *archives);
    if (!archives)
        return th_fail(err, TH_NOMEM, "cannot allocate remote archives");
    archives->options = *options;
    th_remote_options store = *options->store;
    store.retries = at_most(store.retries, 1);
    store.connect_ms = at_most(store.connect_ms, TH_REMOTE_STALL_MS);
    store.stall_ms = at_most(store.stall_ms, TH_REMOTE_STALL_MS);
    store.backoff_ms = at_most(store.backoff_ms, TH_REMOTE_PATIENCE_MS);
    store.patience_ms = TH_REMOTE_PATIENCE_MS;
    store.longest_ms = TH_REMOTE_RECORD_MS;
    store.parts_only = true;
    store.may_follow = may_follow;
    store.follow_context = archives;
    th_status status =
        th_remote_prefixes_read(options->prefixes, &archives->prefixes, err);
    if (status == TH_OK)
        status = th_remote_new(&store, &archives->remote, err);
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
    th_remote_free(archives->remote);
    th_remote_prefixes_done(&archives->prefixes);
    free(archives);
}

uint64_t th_remote_archives_given_up(const th_remote_archives *archives)
{
    return th_archive_waits_given_up(archives->waits);
}

/* ---- waiting ---- */

/* Leaves a store alone that failed for a time, as `store` says, but no longer than an
 * archive is waited for. */
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

static bool may_wait(const th_remote_archives *archives, const char *name)
{
    const th_notice notice = archives->options.notice;
    void *context = archives->options.notice_context;
    switch (th_archive_waits_ask(archives->waits, name, NULL, th_now_ms(), 0)) {
    case TH_ARCHIVE_WAIT_BEGINS:
        th_archive_tell(notice, context, name, "cannot be read at present: waiting");
        return true;
    case TH_ARCHIVE_WAIT:
        return true;
    case TH_ARCHIVE_GIVE_UP:
        th_archive_tell(notice, context, name,
                        "could not be read in time: pointers into it are refused");
        return false;
    case TH_ARCHIVE_GIVEN_UP:
    default:
        return false;
    }
}

/* ---- the record ---- */

static void on_diag(void *context, const warc_diag *diag)
{
    th_remote_archives *archives = context;
    archives->is_cut |= diag->code == WARC_DIAG_MEMBER_TRUNCATED ||
                        diag->code == WARC_DIAG_HEADER_EOF ||
                        diag->code == WARC_DIAG_TRUNCATED_BLOCK;
    if (archives->options.on_diag)
        archives->options.on_diag(archives->options.diag_context, diag);
}

static th_status read_record(th_remote_archives *archives, th_record_taker *taker,
                             const char *name, const th_archive_place *place,
                             th_batch *batch, warc_error *error)
{
    const th_record_taker_options options = {
        .max_record = archives->options.max_record,
        .verify_digests = archives->options.verify_digests,
        .on_diag = on_diag,
        .diag_context = archives,
        .should_pause = th_read_limit_is_passed,
        .pause_context = &archives->limit,
        .remote = archives->remote,
    };
    const uint32_t count = batch->record_count;
    archives->is_cut = false;
    th_status status =
        th_single_record_open(taker, &archives->limit, name, place, &options, error);
    if (status == TH_OK)
        status = th_single_record_take(taker, &archives->limit, (th_view){ NULL, 0 },
                                       batch, error);
    batch->record_count = count;
    return status;
}

/* Closes the archive and says what came of the record. *after_s: as the store says. */
static th_status end_record(th_remote_archives *archives, th_record_taker *taker,
                            const char *name, uint64_t offset, th_status status,
                            const warc_error *error, uint32_t *after_s, th_error *why)
{
    th_status failure = TH_OK;
    if (taker->object) {
        failure = th_remote_object_failure(taker->object, why);
        *after_s = th_remote_object_retry_after(taker->object);
    }
    archives->limit = (th_read_limit){ .reader = NULL };
    th_record_taker_close(taker);
    if (status == TH_NOMEM || status == TH_PAUSED)
        return status;
    if (failure != TH_OK)
        return failure;
    const char *words = status == TH_OK || archives->is_cut
                            ? "the record does not end within the bytes asked for"
                            : error->text;
    return th_fail(why, status == TH_NOT_YET ? TH_NOT_YET : TH_IO,
                   "%.250s: offset %llu: %.200s", name, (unsigned long long)offset,
                   words);
}

/* One try. TH_OK; TH_IO, TH_NOT_YET with words; TH_PAUSED: told to stop; TH_NOMEM. */
static th_status try_record(th_remote_archives *archives, const char *name,
                            const th_warc_pointer *pointer, th_batch *batch,
                            uint32_t *after_s, th_error *why)
{
    const th_archive_place place = { .name_len = strlen(name),
                                     .offset = pointer->offset,
                                     .length = pointer->length };
    th_record_taker taker = { .reader = NULL };
    warc_error error = { .text = "" };
    const th_record *record = &batch->records[batch->record_count];
    const th_status status = read_record(archives, &taker, name, &place, batch, &error);
    if (status == TH_OK && !(archives->is_cut && record->flags & TH_FLAG_WARC_DAMAGED)) {
        archives->limit = (th_read_limit){ .reader = NULL };
        th_record_taker_close(&taker);
        return TH_OK;
    }
    return end_record(archives, &taker, name, pointer->offset, status, &error, after_s,
                      why);
}

static th_status take(th_remote_archives *archives, const char *name,
                      const th_warc_pointer *pointer, th_batch *batch, th_error *why)
{
    const int prefix = th_remote_prefixes_find(&archives->prefixes, name);
    /* Whoever writes a message shall not choose what a server is told besides the path. */
    if (prefix < 0 || (strncmp(name, "s3://", 5) != 0 && strchr(name, '?')))
        return th_fail(why, TH_BAD_WARC,
                       "%.250s: offset %llu: lies below none of archive-prefixes", name,
                       (unsigned long long)pointer->offset);
    struct store *store = &archives->stores[prefix];
    if (th_now_ms() < store->not_before)
        return TH_NEED_MORE;
    th_record *record = &batch->records[batch->record_count];
    const th_record before = *record;
    uint32_t after_s = 0;
    const th_status status = try_record(archives, name, pointer, batch, &after_s, why);
    if (status == TH_NOMEM)
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
    return status == TH_NOT_YET && may_wait(archives, name) ? TH_NEED_MORE : TH_BAD_WARC;
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
