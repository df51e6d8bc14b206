/*
 * Records from a spool directory.
 *
 *     scan ─ complete ─► take, lock ─► digest ─► ledger ─► claim ─► read ... done ...
 *     acknowledge ─► ledger, durable ─► done/
 *
 * Files are taken in groups, for one line of the ledger. They are in a queue from their
 * claim to the acknowledgement of their last record; a rewind reads the queue again from
 * the acknowledged position. A file without a record needs no output to wait for and is
 * settled here.
 */
#include "spool/spool_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spool/spool_finish.h"
#include "spool/spool_read.h"
#include "spool/spool_take.h"

enum { MAX_HOST = 256 };

static th_spool *spool_of(th_stream_source *source)
{
    return (th_spool *)source;
}

/* ---- the interface ---- */

/* Returns whether dispatched records are not acknowledged. */
static bool has_unacknowledged(const th_spool *spool)
{
    for (size_t i = 0; i < spool->queue_len; i++)
        if (spool->queue[i].given.records != spool->queue[i].acknowledged.records)
            return true;
    return false;
}

/* Settles files without records when no acknowledgement will follow. Otherwise the next
 * acknowledgement settles them. Files after them are settled together with them, once
 * all claimed files are read. */
static th_status settle_empty(th_spool *spool, th_error *err)
{
    if (spool->queue_len == 0 || spool->reading < spool->queue_len ||
        !spool->queue[0].done.is_ended || has_unacknowledged(spool))
        return TH_OK;
    return th_spool_acknowledge(spool, (th_view){ NULL, 0 }, err);
}

/* Reads the next batch of the next file with one. Returns TH_OK, TH_NOT_YET, TH_IO,
 * TH_NOMEM, or TH_PAUSED if it needs another poll. */
static th_status next_batch(th_spool *spool, th_batch *batch, th_error *err)
{
    th_status status = TH_END;
    spool->slice_end = th_now_ms() + TH_SPOOL_SLICE_MS;
    while (status == TH_END) {
        /* After a rewind some files are completely acknowledged. */
        while (spool->reading < spool->queue_len &&
               th_spool_reading(spool)->given.is_ended)
            spool->reading++;
        if (spool->reading == spool->queue_len) {
            status = th_spool_find_files(spool, err);
            if (status != TH_OK)
                return status;
            status = TH_END;
            continue;
        }
        if (th_spool_slice_is_over(spool))
            return TH_PAUSED;
        status = th_spool_read_batch(spool, batch);
        if (status == TH_NOMEM)
            return th_fail(err, TH_NOMEM, "%s: out of memory",
                           th_spool_reading(spool)->file.name);
        if (status == TH_NEED_MORE)
            return TH_NOT_YET;
    }
    return status;
}

static void notice_moved(void *context, const char *name, int error)
{
    th_spool *spool = context;
    char text[256];
    spool->counts.files_grown += error == 0;
    spool->counts.files_changed += error != 0;
    (void)snprintf(
        text, sizeof text,
        error ? "grew after it was moved and cannot be moved back, so the added bytes "
                "are not read: %s"
              : "grew after it was moved; it is moved back, and reading continues",
        strerror(error));
    th_spool_warn(spool, name, text);
}

/* At the start. The files were moved by an earlier process, and may have grown since. */
static void remember_moved(void *context, const th_spool_entry *entry)
{
    th_spool *spool = context;
    th_spool_file file = { .fd = -1, .id = entry->id };
    char as[TH_SPOOL_PRESENT];
    memcpy(file.name, entry->name, sizeof file.name);
    /* An entry of an earlier version does not recognize a file that has grown. */
    if (entry->id.written_ns && th_spool_file_find(spool->done.fd, &file, as))
        th_spool_moved_add(spool->moved, &file, as);
}

/* After each look at the spool, checks the files that were moved last. */
static void look_at_moved(th_spool *spool)
{
    const uint64_t looks = th_spool_scan_looks(spool->scan);
    if (!spool->moved || looks == spool->moved_looks || spool->done.fd < 0)
        return;
    spool->moved_looks = looks;
    th_spool_moved_look(spool->moved, spool->done.fd, th_spool_scan_dir(spool->scan),
                        notice_moved, spool);
}

static th_status poll_spool(th_stream_source *source, bool may_read, int timeout_ms,
                            th_batch *batch, th_error *err)
{
    th_spool *spool = spool_of(source);
    th_status status = th_spool_scan_step(spool->scan, err);
    if (status == TH_OK)
        look_at_moved(spool);
    if (status == TH_OK)
        status = settle_empty(spool, err);
    if (status == TH_NO_ROOM) /* in the ledger; the next poll tries again */
        status = TH_NOT_YET;
    if (status == TH_OK)
        status = may_read ? next_batch(spool, batch, err) : TH_NOT_YET;
    if (status == TH_PAUSED)
        return TH_NOT_YET;
    if (status == TH_NOT_YET && timeout_ms > 0)
        th_spool_scan_wait(spool->scan, timeout_ms);
    return status;
}

static void done(th_stream_source *source, const th_batch *batch)
{
    th_spool *spool = spool_of(source);
    if (batch->epoch != spool->epoch || spool->queue_len == 0)
        return;
    const uint32_t index = batch->input - spool->queue[0].serial;
    if (index >= spool->queue_len)
        return;
    th_spool_queued *queued = &spool->queue[index];
    queued->done.next = batch->next;
    queued->done.records += batch->record_count;
    /* All dispatched records are done, and no more come: an end without records was not
     * dispatched. */
    queued->done.is_ended =
        queued->given.is_ended && queued->done.records == queued->given.records;
    if (queued->done.is_ended)
        queued->done.next = queued->given.next;
}

static th_status acknowledge(th_stream_source *source, const th_commit_token *token,
                             th_view note, th_error *err)
{
    th_spool *spool = spool_of(source);
    if (token->epoch != spool->epoch)
        return TH_OK; /* it is void */
    th_spool_rows_sent(&spool->withdrawn);
    th_buffer_reset(&spool->replaced_rows);
    const th_view before = th_spool_ledger_note(spool->ledger);
    if (note.data && note.len == before.len &&
        memcmp(note.data, before.data, note.len) == 0)
        note = (th_view){ NULL, 0 }; /* nothing new: no line for it */
    return th_spool_acknowledge(spool, note, err);
}

static th_view note_of(const th_stream_source *source)
{
    return th_spool_ledger_note(((const th_spool *)source)->ledger);
}

static th_status rewind_spool(th_stream_source *source, th_error *err)
{
    th_spool *spool = spool_of(source);
    (void)err;
    th_spool_drop_draft(spool);
    for (size_t i = 0; i < spool->queue_len; i++) {
        th_spool_queued *queued = &spool->queue[i];
        if (queued->given_ever == queued->acknowledged.records &&
            queued->given.is_ended && !queued->has_failed && !queued->has_writer)
            continue; /* a copy, or without records: has nothing to deliver again */
        queued->given = queued->acknowledged;
        queued->done = queued->acknowledged;
        queued->has_failed = false;
        queued->has_writer = false;
        queued->is_gone = false;
        th_spool_file_close(&queued->file);
    }
    spool->reading = 0;
    spool->epoch++;
    return TH_OK;
}

static uint32_t epoch(const th_stream_source *source)
{
    return ((const th_spool *)source)->epoch;
}

/* Counts a file that is taken and not yet claimed. The scan does not count it. */
static void count_taken(th_spool_stats *counts, const th_spool_taken *taken)
{
    const int64_t age_ms =
        th_clock_ms(CLOCK_REALTIME) - taken->file.id.written_ns / 1000000;
    const double age = (double)age_ms / 1000;
    counts->files_pending++;
    if (age > counts->oldest_pending_seconds)
        counts->oldest_pending_seconds = age;
}

th_spool_stats th_spool_source_stats(th_stream_source *source)
{
    const th_spool *spool = spool_of(source);
    th_spool_stats counts = spool->counts;
    th_spool_scan_stats seen;
    th_spool_scan_facts_get(spool->scan, &seen);
    counts.files_pending = seen.pending;
    counts.files_waiting = seen.waiting;
    counts.files_open = seen.open;
    counts.files_stale = seen.stale;
    counts.files_processing = spool->queue_len;
    counts.folders = seen.folders;
    counts.folders_passed_over = seen.folders_passed_over;
    counts.oldest_pending_seconds = seen.oldest_pending_seconds;
    for (size_t i = 0; i < spool->group_len; i++)
        count_taken(&counts, &spool->group[i]);
    if (spool->is_probing)
        count_taken(&counts, &spool->probed);
    if (th_spool_is_stuck(spool))
        counts.stuck_seconds = (double)spool->barren_ms / 1000;
    return counts;
}

/* clang-format off */
#define AT(member) offsetof(th_spool_stats, member)
#define FILES(state, member)                                                              \
    { "spool_files", "gauge",                                                              \
      "Files of the spool by state. Waiting files wait for their writer, for another process or to be moved. Done and failed count since the start.", "state", state, AT(member), false }
#define FOLDERS(state, member)                                                            \
    { "spool_folders", "gauge", "Folders of the spool at the last scan, including the spool itself.", \
      "state", state, AT(member), false }
static const th_own_metric metrics[] = {
    FILES("pending", files_pending), FILES("waiting", files_waiting),
    FILES("open", files_open),       FILES("processing", files_processing),
    FILES("failed", files_failed),   FILES("done", files_done),
    FOLDERS("read", folders),        FOLDERS("passed_over", folders_passed_over),
    { "spool_oldest_pending_seconds", "gauge", "Age of the oldest pending file in the spool.",
      NULL, NULL, AT(oldest_pending_seconds), true },
    { "spool_stuck_seconds", "gauge",
      "Reading time of the current file without a record, if it exceeds the limit; otherwise 0.",
      NULL, NULL, AT(stuck_seconds), true },
    { "spool_files_passed_over_total", "counter",
      "Failed files that were abandoned because they were stuck.",
      NULL, NULL, AT(files_passed_over), false },
    { "spool_files_grown_total", "counter",
      "Files that grew after they were read; reading continued.",
      NULL, NULL, AT(files_grown), false },
    { "spool_files_changed_total", "counter",
      "Files changed in a way that can lose or duplicate records; the log names them.",
      NULL, NULL, AT(files_changed), false },
    { "spool_files_copied_total", "counter",
      "Copies of files that were read; their records are not read again.",
      NULL, NULL, AT(files_copied), false },
};
/* clang-format on */
enum { METRICS = sizeof metrics / sizeof *metrics };
_Static_assert(sizeof metrics / sizeof *metrics <= TH_OWN_METRICS_MAX, "there is room");

static void facts(th_stream_source *source, th_source_stats *out)
{
    const th_spool *spool = spool_of(source);
    const th_spool_stats counts = th_spool_source_stats(source);
    th_spool_scan_stats seen;
    th_spool_scan_facts_get(spool->scan, &seen);
    *out = spool->facts;
    if (th_spool_is_stuck(spool))
        (void)snprintf(out->unready, sizeof out->unready,
                       "'%.120s' is stuck: no record in %.0f s of reading",
                       spool->queue[spool->reading].file.name, counts.stuck_seconds);
    out->positions_damaged = th_spool_ledger_damaged(spool->ledger);
    out->is_assigned = seen.is_scanned;
    th_own_metrics_set(&out->own, metrics, METRICS, &counts);
}

/* Writes one row for each file that is further than its acknowledged position. Withdrawn
 * keys come first, because one of them may have a new row. */
static void write_progress(th_spool *spool, th_buffer *rows)
{
    th_spool_rows_write(&spool->withdrawn, spool->ledger, rows);
    th_buffer_append_view(rows, th_buffer_view(&spool->replaced_rows));
    for (size_t i = 0; i < spool->queue_len; i++) {
        if (!th_spool_has_progress(&spool->queue[i]))
            continue;
        const th_spool_entry entry =
            th_spool_entry_of(&spool->queue[i], &spool->queue[i].done);
        th_spool_row_write(&entry, rows);
    }
}

static th_status token(th_stream_source *source, uint64_t mark, th_commit_token *out,
                       th_error *err)
{
    th_spool *spool = spool_of(source);
    th_buffer_reset(&spool->rows);
    if (source->verbs->keeping == TH_KEPT_IN_ROWS)
        write_progress(spool, &spool->rows);
    *out = (th_commit_token){ .keeping = source->verbs->keeping,
                              .epoch = spool->epoch,
                              .mark = mark,
                              .rows = th_buffer_view(&spool->rows) };
    return spool->rows.has_failed ? th_fail(err, TH_NOMEM, "out of memory for progress")
                                  : TH_OK;
}

/* ---- rows of an earlier process ---- */

static void add_present(void *context, uint64_t device, uint64_t inode)
{
    const uint64_t pair[2] = { device, inode };
    th_buffer_append(context, (const char *)pair, sizeof pair);
}

static int compare_pairs(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* Finds the files that are in the spool. On failure no file counts as gone. */
static void learn_present(th_spool *spool)
{
    th_spool_scan_stats facts;
    spool->is_present_known = true;
    (void)th_spool_scan_step(spool->scan, NULL);
    th_spool_scan_facts_get(spool->scan, &facts);
    if (facts.is_scanned)
        th_spool_scan_visit(spool->scan, add_present, &spool->present);
    if (!facts.is_scanned || spool->present.has_failed)
        spool->present.has_failed = true;
    else if (spool->present.len > 0)
        qsort(spool->present.data, spool->present.len / sizeof(uint64_t[2]),
              sizeof(uint64_t[2]), compare_pairs);
}

static bool may_be_present(th_spool *spool, const th_spool_id *id)
{
    const uint64_t pair[2] = { id->device, id->inode };
    if (!spool->is_present_known)
        learn_present(spool);
    return spool->present.has_failed ||
           (spool->present.len > 0 &&
            bsearch(pair, spool->present.data, spool->present.len / sizeof pair,
                    sizeof pair, compare_pairs));
}

/*
 * Restores a row. A row that was committed with the output is true; the ledger's entry is
 * older. The row of a finished file that is not in the spool is withdrawn, whether the
 * ledger knows the file or not. Our row replaces a row of an earlier version.
 */
static void restore(th_stream_source *source, th_view key, th_view value)
{
    th_spool *spool = spool_of(source);
    th_spool_entry entry = { .state = TH_SPOOL_ACTIVE }, known;
    bool is_old = false;
    if (!value.data) {
        th_spool_rows_cancel(&spool->withdrawn, key);
        return;
    }
    if (!th_spool_row_read(key, value, &entry, &is_old)) {
        th_spool_warn(spool, "", "skipped an invalid progress row of the output");
        return;
    }
    if (entry.state != TH_SPOOL_ACTIVE && !may_be_present(spool, &entry.id)) {
        th_spool_withdraw(spool, &entry.id, is_old);
        return;
    }
    if (is_old) {
        th_spool_withdraw(spool, &entry.id, true);
        /* Our row for the same file, or for the next one of its inode, is newer. */
        if (th_spool_ledger_find(spool->ledger, &entry.id, &known) && known.id.written_ns)
            return;
        th_spool_row_write(&entry, &spool->replaced_rows);
    }
    /* If out of memory the ledger's position is used. This may repeat records but loses
     * none. */
    if (th_spool_ledger_put(spool->ledger, &entry) != TH_OK)
        th_spool_warn(spool, entry.name, "out of memory for its progress");
}

static void close_spool(th_stream_source *source)
{
    th_spool *spool = spool_of(source);
    th_batch_builder_close(&spool->builder);
    if (spool->draft)
        th_arena_free(spool->draft->arena);
    free(spool->draft);
    for (size_t i = 0; i < spool->queue_len; i++)
        th_spool_file_close(&spool->queue[i].file);
    th_spool_ledger_close(spool->ledger);
    th_spool_scan_close(spool->scan);
    th_spool_folder_close(&spool->done);
    th_spool_folder_close(&spool->failed);
    if (spool->claims >= 0)
        (void)close(spool->claims);
    free(spool->default_done);
    free(spool->default_failed);
    if (spool->is_probing)
        th_spool_file_close(&spool->probed.file);
    free(spool->entries);
    free(spool->group);
    th_spool_digest_free(spool->digest);
    th_spool_moved_free(spool->moved);
    th_spool_rows_done(&spool->withdrawn);
    th_buffer_done(&spool->replaced_rows);
    th_buffer_done(&spool->present);
    th_buffer_done(&spool->rows);
    free(spool->queue);
    free(spool);
}

/* ---- opening ---- */

/* Returns whether only the crawler may write the spool. Then no file in it is moved. */
static bool is_read_only(const th_spool *spool)
{
    const th_spool_options *options = &spool->options;
    return options->claim == TH_SPOOL_BY_LEDGER && options->finish == TH_SPOOL_KEEP &&
           !options->failed_dir;
}

static th_status name_folders(th_spool *spool, th_error *err)
{
    const th_spool_options *options = &spool->options;
    if (asprintf(&spool->default_done, "%s/done", options->dir) < 0)
        spool->default_done = NULL;
    if (asprintf(&spool->default_failed, "%s/failed", options->dir) < 0)
        spool->default_failed = NULL;
    if (!spool->default_done || !spool->default_failed)
        return th_fail(err, TH_NOMEM,
                       "out of memory for the paths of the spool's folders");
    if (options->finish == TH_SPOOL_MOVE)
        spool->done.path = options->done_dir ? options->done_dir : spool->default_done;
    if (!is_read_only(spool))
        spool->failed.path =
            options->failed_dir ? options->failed_dir : spool->default_failed;
    return TH_OK;
}

/* Returns the ledger's name in the claims: host and absolute path. NULL if out of
 * memory. */
static char *name_owner(const char *ledger)
{
    char host[MAX_HOST] = "";
    const char *slash = strrchr(ledger, '/');
    char *given = slash ? strndup(ledger, (size_t)(slash - ledger) + 1) : strndup(".", 1);
    char *folder = given ? realpath(given, NULL) : NULL;
    char *owner = NULL;
    (void)gethostname(host, sizeof host - 1);
    if (asprintf(&owner, "%s %s/%s", host, folder ? folder : "",
                 slash ? slash + 1 : ledger) < 0)
        owner = NULL;
    for (char *at = owner; at && *at; at++)
        if (*at == '\n')
            *at = ' ';
    free(folder);
    free(given);
    return owner;
}

static int open_claims(th_spool *spool)
{
    char *owner = name_owner(spool->options.ledger);
    const int claims = owner ? th_spool_claims_open(th_spool_scan_dir(spool->scan), owner,
                                                    &spool->is_sole)
                             : -1;
    free(owner);
    return claims;
}

static th_status open_folders(th_spool *spool, th_error *err)
{
    th_status status = TH_OK;
    if (spool->done.path)
        status = th_spool_folder_open(spool, &spool->done, err);
    if (status == TH_OK && spool->failed.path)
        status = th_spool_folder_open(spool, &spool->failed, err);
    if (status == TH_OK && !is_read_only(spool)) {
        spool->claims = open_claims(spool);
        if (spool->claims < 0)
            th_spool_warn(
                spool, "",
                "cannot create a file of claims; processes that share the spool may "
                "read the same file");
    }
    return status;
}

static void notice_folder(void *context, const char *path, const char *text)
{
    th_spool_warn(context, path, text);
}

static th_status open_parts(th_spool *spool, th_error *err)
{
    const th_spool_options *options = &spool->options;
    th_status status = name_folders(spool, err);
    if (status != TH_OK)
        return status;
    const th_spool_scan_options scanning = {
        .dir = options->dir,
        .patterns = options->patterns,
        .settle_ms = options->settle_ms,
        .quiet_ms = options->quiet_ms,
        .min_age_ms = options->min_age_ms,
        .rescan_ms = options->rescan_ms,
        .stale_ms = options->stale_ms,
        .has_subfolders = options->has_subfolders,
        .excluded = { spool->default_done, spool->default_failed, options->done_dir,
                      options->failed_dir },
        .warn = notice_folder,
        .context = spool
    };
    const th_spool_ledger_options remembering = { .path = options->ledger,
                                                  .keep = options->ledger_keep,
                                                  .is_present = th_spool_is_present,
                                                  .context = spool };
    spool->group = calloc(TH_SPOOL_GROUP, sizeof *spool->group);
    spool->draft = calloc(1, sizeof *spool->draft);
    if (spool->draft)
        spool->draft->arena = th_arena_new(0);
    if (options->knows_copies)
        spool->digest = th_spool_digest_new();
    if (options->finish == TH_SPOOL_MOVE)
        spool->moved = th_spool_moved_new();
    if (!spool->group || !spool->draft || !spool->draft->arena ||
        (options->knows_copies && !spool->digest) ||
        (options->finish == TH_SPOOL_MOVE && !spool->moved))
        return th_fail(err, TH_NOMEM, "cannot allocate a spool's queue");
    status = th_spool_scan_open(&scanning, &spool->scan, err);
    if (status == TH_OK)
        status = open_folders(spool, err);
    if (status == TH_OK)
        status = th_spool_ledger_open(&remembering, &spool->ledger, err);
    if (status == TH_OK && th_spool_ledger_damaged(spool->ledger) > 0)
        th_spool_warn(spool, "",
                      "the ledger was damaged; its invalid lines are in LEDGER.bad");
    if (status == TH_OK && spool->moved)
        th_spool_ledger_visit_done(spool->ledger, TH_SPOOL_MOVED, remember_moved, spool);
    return status;
}

const char *const th_spool_finish_names[] = { "move", "delete", "keep", NULL };
const char *const th_spool_claim_names[] = { "rename", "ledger", NULL };

void th_spool_options_init(th_spool_options *options)
{
    *options = (th_spool_options){
        .patterns = TH_SPOOL_PATTERNS,
        .finish = TH_SPOOL_MOVE,
        .claim = TH_SPOOL_RENAME,
        .settle_ms = TH_SPOOL_SETTLE_MS,
        .quiet_ms = TH_SPOOL_QUIET_MS,
        .min_age_ms = TH_SPOOL_MIN_AGE_MS,
        .rescan_ms = TH_SPOOL_RESCAN_MS,
        .stale_ms = (uint64_t)24 * 3600 * 1000,
        .adopt_ms = (uint64_t)3600 * 1000,
        .ledger_keep = TH_SPOOL_LEDGER_KEEP,
        .stuck_ms = TH_SPOOL_STUCK_MS,
        .give_up_ms = TH_SPOOL_GIVE_UP_MS,
        .has_subfolders = true,
        .knows_copies = true,
        .max_record = 16u << 20,
    };
}

static const th_stream_source_verbs ledger_verbs = { .name = "spool",
                                                     .keeping = TH_KEPT_WITH_NOTE,
                                                     .poll = poll_spool,
                                                     .done = done,
                                                     .token = token,
                                                     .acknowledge = acknowledge,
                                                     .rewind = rewind_spool,
                                                     .epoch = epoch,
                                                     .facts = facts,
                                                     .close = close_spool,
                                                     .note = note_of };

/* With these verbs the ledger is a copy of the output's progress. */
static const th_stream_source_verbs cache_verbs = { .name = "spool",
                                                    .keeping = TH_KEPT_IN_ROWS,
                                                    .poll = poll_spool,
                                                    .done = done,
                                                    .token = token,
                                                    .acknowledge = acknowledge,
                                                    .rewind = rewind_spool,
                                                    .epoch = epoch,
                                                    .facts = facts,
                                                    .close = close_spool,
                                                    .restore = restore };

th_status th_spool_source_open(const th_spool_options *options, th_stream_source **out,
                               th_error *err)
{
    th_spool *spool = calloc(1, sizeof *spool);
    if (!spool)
        return th_fail(err, TH_NOMEM, "cannot allocate a spool");
    spool->base.verbs = options->is_ledger_cache ? &cache_verbs : &ledger_verbs;
    spool->options = *options;
    spool->done.fd = -1;
    spool->failed.fd = -1;
    spool->claims = -1;
    const th_status status = open_parts(spool, err);
    if (status == TH_OK)
        *out = &spool->base;
    else
        close_spool(&spool->base);
    return status;
}
