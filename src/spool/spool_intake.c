/*
 * Records from a spool directory.
 *
 *     scan ─ complete ─► take, lock ─► ledger ─► claim ─► read ... done ... acknowledge
 *                                                     ─► ledger, durable ─► done/
 *
 * Files stand in a queue from their claim to the acknowledgement of their last record; a
 * rewind reads the queue again from what is acknowledged. A file without a record needs
 * no output to wait for and is settled here.
 *
 * Only the file being read is open. The others are ours by their claims.
 */
#include "spool/spool_intake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "ingest/record_taker.h"
#include "spool/spool_claims.h"
#include "spool/spool_file.h"
#include "spool/spool_ledger.h"
#include "spool/spool_scan.h"

enum {
    MAX_QUEUE = 256, /* files claimed and not yet acknowledged */
    MAX_REASON = 256,
};

/* How far a file is, in one of three senses: given out, done, acknowledged. */
struct progress {
    th_checkpoint next;
    uint64_t records;
    bool is_ended; /* nothing comes after */
};

struct queued {
    th_spool_file file;
    uint32_t serial;       /* batch->input */
    struct progress given; /* since the last rewind */
    struct progress done;
    struct progress acknowledged;
    uint64_t given_ever;     /* records, over all rewinds: counted once */
    uint64_t bytes_ever;     /* bytes of the file read, over all rewinds */
    bool has_failed;         /* could not be read to its end */
    char reason[MAX_REASON]; /* why not, in words */
};

/* A folder that finished files go to. */
struct folder {
    const char *path; /* NULL: there is none */
    int fd;           /* -1: there is none */
};

struct spool {
    th_intake base;
    th_spool_options options;
    struct folder done, failed;
    char *default_done,
        *default_failed; /* paths: never read, also when they are not used */
    int claims;          /* spool_claims.h; -1: the spool is not written */
    th_spool_scan *scan;
    th_spool_ledger *ledger;
    struct queued *queue; /* MAX_QUEUE, the oldest first */
    size_t queue_len;
    size_t reading; /* index of the one to read from; queue_len: none */
    th_record_taker taker;
    bool is_placed;  /* the taker stands where reading the file is to go on */
    bool is_begun;   /* the taker has read the first record's header there */
    th_batch *draft; /* the batch under way, in memory of its own */
    bool is_drafting;
    th_view draft_name; /* of its file, in its arena */
    int64_t slice_end;  /* ms: of this poll's reading */
    int64_t barren_ms;  /* of reading since the last record of the file */
    uint32_t next_serial, epoch;
    th_spool_entry *entries; /* scratch: MAX_QUEUE */
    th_buffer rows;          /* of the last receipt */
    th_intake_facts facts;   /* the counters */
};

static struct spool *spool_of(th_intake *intake)
{
    return (struct spool *)intake;
}

static void notice(struct spool *spool, const char *name, const char *text)
{
    if (!spool->options.notice)
        return;
    char line[3072];
    (void)snprintf(line, sizeof line, "%.1900s%s%.511s: %.600s", spool->options.dir,
                   *name ? "/" : "", name, text);
    spool->options.notice(spool->options.notice_context, line);
}

static struct queued *reading(struct spool *spool)
{
    return &spool->queue[spool->reading];
}

/* ---- folders beside the spool ---- */

/* Opens a folder, making it where it lacks. TH_OK, TH_USAGE, TH_IO. */
static th_status open_folder(const struct spool *spool, struct folder *folder,
                             th_error *err)
{
    struct stat facts, spool_facts;
    if (mkdir(folder->path, 0777) != 0 && errno != EEXIST)
        return th_fail(err, TH_IO, "cannot make '%s': %s", folder->path, strerror(errno));
    folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->fd < 0 || fstat(folder->fd, &facts) != 0 ||
        fstat(th_spool_scan_dir(spool->scan), &spool_facts) != 0)
        return th_fail(err, TH_IO, "cannot open '%s': %s", folder->path, strerror(errno));
    if (facts.st_dev != spool_facts.st_dev)
        return th_fail(err, TH_USAGE,
                       "'%s' is on another file system than the spool '%s': files cannot "
                       "be moved there in one step",
                       folder->path, spool->options.dir);
    return TH_OK;
}

static void close_folder(struct folder *folder)
{
    if (folder->fd >= 0)
        (void)close(folder->fd);
    folder->fd = -1;
}

/* Somebody may have removed the folder, or put another one in its place. */
static th_status renew_folder(struct spool *spool, struct folder *folder, th_error *err)
{
    struct stat named, open;
    const bool is_there = stat(folder->path, &named) == 0;
    if (is_there && folder->fd >= 0 && fstat(folder->fd, &open) == 0 &&
        named.st_ino == open.st_ino && named.st_dev == open.st_dev)
        return TH_OK;
    if (!is_there && errno == ENOENT) {
        th_error why;
        (void)th_fail(&why, TH_IO, "'%.400s' was removed: it is made again",
                      folder->path);
        notice(spool, "", why.text);
    }
    close_folder(folder);
    const th_status status = open_folder(spool, folder, err);
    if (status != TH_OK)
        close_folder(folder);
    return status;
}

/* ---- the end of a file ---- */

static th_spool_entry entry_of(const struct queued *queued,
                               const struct progress *progress)
{
    th_spool_entry entry = { .id = queued->file.id,
                             .state = !progress->is_ended  ? TH_SPOOL_ACTIVE
                                      : queued->has_failed ? TH_SPOOL_FAILED
                                                           : TH_SPOOL_DONE,
                             .next = progress->next,
                             .records = progress->records };
    memcpy(entry.name, queued->file.name, sizeof entry.name);
    return entry;
}

/* Moves a file to a folder beside the spool. TH_OK, TH_ABSENT (it is gone), TH_IO. */
static th_status put_away(struct spool *spool, const th_spool_file *file,
                          struct folder *to, char as[TH_SPOOL_NAME], th_error *err)
{
    const th_status status = renew_folder(spool, to, err);
    return status == TH_OK
               ? th_spool_file_move(th_spool_scan_dir(spool->scan), file, to->fd, as, err)
               : status;
}

/* Puts a failed file aside with its reason. */
static th_status put_aside(struct spool *spool, const th_spool_file *file,
                           const th_spool_entry *entry, const char *reason, th_error *err)
{
    char as[TH_SPOOL_NAME];
    const th_status status = put_away(spool, file, &spool->failed, as, err);
    return status == TH_OK
               ? th_spool_file_explain(spool->failed.path, as, entry, reason, err)
               : status;
}

/* A kept file gets its own name back, if it lost it. */
static th_status put_back(struct spool *spool, const th_spool_file *file, th_error *err)
{
    char as[TH_SPOOL_NAME];
    const int dir = th_spool_scan_dir(spool->scan);
    return file->is_claimed ? th_spool_file_move(dir, file, dir, as, err) : TH_OK;
}

/*
 * Puts a finished file where it belongs; one that is gone needs nothing. The ledger knows
 * that it is finished: what fails here is noticed, and tried again when the file is met
 * again.
 */
static void dispose(struct spool *spool, const th_spool_file *file,
                    const th_spool_entry *entry, const char *reason)
{
    char as[TH_SPOOL_NAME];
    th_error error = { .text = "" };
    th_status status;
    if (entry->state == TH_SPOOL_FAILED && spool->failed.path)
        status = put_aside(spool, file, entry, reason, &error);
    else if (entry->state == TH_SPOOL_FAILED || spool->options.finish == TH_SPOOL_KEEP)
        status = put_back(spool, file, &error);
    else if (spool->options.finish == TH_SPOOL_DELETE)
        status = th_spool_file_remove(th_spool_scan_dir(spool->scan), file, &error);
    else
        status = put_away(spool, file, &spool->done, as, &error);
    if (status != TH_OK && status != TH_ABSENT)
        notice(spool, file->name, error.text);
}

/* Remembers in the ledger how far every file is, then disposes of those at their end. */
static th_status acknowledge_progress(struct spool *spool, th_view note, th_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < spool->queue_len; i++) {
        const struct queued *queued = &spool->queue[i];
        if (queued->done.records != queued->acknowledged.records ||
            queued->done.is_ended != queued->acknowledged.is_ended)
            spool->entries[count++] = entry_of(queued, &queued->done);
    }
    const th_status status =
        th_spool_ledger_commit(spool->ledger, spool->entries, count, note, err);
    if (status != TH_OK)
        return status;
    size_t ended = 0;
    for (size_t i = 0; i < spool->queue_len; i++) {
        struct queued *queued = &spool->queue[i];
        queued->acknowledged = queued->done;
        if (!queued->done.is_ended || ended < i) /* files end in order */
            continue;
        ended++;
        const th_spool_entry entry = entry_of(queued, &queued->done);
        dispose(spool, &queued->file, &entry, queued->reason);
        th_spool_file_close(&queued->file);
        th_spool_claims_drop(spool->claims, &queued->file.id);
        if (queued->has_failed)
            spool->facts.files_failed++;
        else
            spool->facts.files_done++;
    }
    spool->queue_len -= ended;
    spool->reading -= ended;
    memmove(spool->queue, spool->queue + ended, spool->queue_len * sizeof *spool->queue);
    return TH_OK;
}

/* Whether records are given out that are not acknowledged. */
static bool has_unacknowledged(const struct spool *spool)
{
    for (size_t i = 0; i < spool->queue_len; i++)
        if (spool->queue[i].given.records != spool->queue[i].acknowledged.records)
            return true;
    return false;
}

/* ---- a new file ---- */

/* Whether a claimed file that no ledger of ours knows may be taken up. */
static bool may_adopt(const struct spool *spool, const th_spool_file *file)
{
    struct stat facts;
    if (th_spool_ledger_damaged(spool->ledger) > 0)
        return true; /* what was damaged may have said that it is ours */
    if (!spool->options.adopt_ms || fstat(file->fd, &facts) != 0)
        return false;
    const int64_t age = (int64_t)time(NULL) - facts.st_ctim.tv_sec; /* of its renaming */
    return age > 0 && (uint64_t)age * 1000 >= spool->options.adopt_ms;
}

/* Says in the ledger that a file is ours, before anybody else can see it, or, when it
 * could not be claimed, that it is not. */
static th_status note_claim(struct spool *spool, const th_spool_file *file,
                            th_spool_state state, th_error *err)
{
    th_spool_entry entry = { .id = file->id,
                             .state = state,
                             .next.dict_offset = WARC_NO_OFFSET };
    memcpy(entry.name, file->name, sizeof entry.name);
    return th_spool_ledger_commit(spool->ledger, &entry, 1, (th_view){ NULL, 0 }, err);
}

/* Gives the file its claimed name. TH_OK; TH_NOT_YET (not now); TH_NOMEM, TH_IO. */
static th_status claim(struct spool *spool, th_spool_file *file, bool is_noted,
                       th_error *err)
{
    th_error error = { .text = "" };
    th_status status = th_spool_file_claim(th_spool_scan_dir(spool->scan), file, &error);
    if (status == TH_IO) {
        /* The spool is not writable: the ledger alone remembers the claim. */
        notice(spool, file->name, error.text);
        return TH_OK;
    }
    if (status == TH_NOT_YET && is_noted &&
        note_claim(spool, file, TH_SPOOL_WITHDRAWN, err) == TH_IO)
        status = TH_IO;
    return status;
}

/* Claims a taken file and puts it in the queue. TH_OK, TH_NOT_YET (not now), TH_IO,
 * ... */
static th_status enqueue(struct spool *spool, th_spool_file *file, th_error *err)
{
    const th_spool_entry *entry = th_spool_ledger_find(spool->ledger, &file->id);
    const bool is_new = !entry;
    th_status status = is_new ? note_claim(spool, file, TH_SPOOL_ACTIVE, err) : TH_OK;
    if (status == TH_OK && spool->options.claim == TH_SPOOL_RENAME)
        status = claim(spool, file, is_new, err);
    if (status == TH_NO_ROOM) /* in the ledger */
        status = TH_NOT_YET;
    if (status != TH_OK)
        return status;
    th_spool_claims_hold(spool->claims, &file->id);
    struct queued *queued = &spool->queue[spool->queue_len++];
    *queued = (struct queued){ .file = *file, .serial = spool->next_serial++ };
    queued->acknowledged.next.dict_offset = WARC_NO_OFFSET;
    entry = th_spool_ledger_find(spool->ledger, &file->id);
    if (entry) {
        queued->acknowledged.next = entry->next;
        queued->acknowledged.records = entry->records;
    }
    queued->given_ever = queued->acknowledged.records;
    queued->bytes_ever = queued->acknowledged.next.offset;
    queued->given = queued->acknowledged;
    queued->done = queued->acknowledged;
    return TH_OK;
}

/* A file that cannot be opened is put aside at once: waiting would not help. */
static void refuse_file(struct spool *spool, const char *name, bool is_claimed,
                        const char *reason)
{
    th_spool_file file = { .fd = -1, .is_claimed = is_claimed };
    th_spool_entry entry = { .state = TH_SPOOL_FAILED };
    memcpy(file.name, name, sizeof file.name);
    memcpy(entry.name, name, sizeof entry.name);
    notice(spool, name, reason);
    spool->facts.files_failed++;
    dispose(spool, &file, &entry, reason);
}

/* A lock would say so too, where the file system has locks. */
static bool is_queued(const struct spool *spool, const th_spool_id *id)
{
    for (size_t i = 0; i < spool->queue_len; i++)
        if (th_spool_id_equal(&spool->queue[i].file.id, id))
            return true;
    return false;
}

/* Whether a file has to wait for its claimed name, which another file bears. */
static bool must_wait(struct spool *spool, const char *name, bool is_claimed)
{
    if (is_claimed || spool->options.claim != TH_SPOOL_RENAME ||
        !th_spool_file_must_wait(th_spool_scan_dir(spool->scan), name))
        return false;
    if (th_spool_scan_hold(spool->scan))
        notice(spool, name,
               "waits: another file of its name is NAME" TH_SPOOL_CLAIMED " still");
    return true;
}

/* Takes a complete file, if it is for us. TH_OK: it is in the queue; TH_NOT_YET: not. */
static th_status take_file(struct spool *spool, const char *name, bool is_claimed,
                           th_error *err)
{
    th_error error = { .text = "" };
    th_spool_file file;
    if (must_wait(spool, name, is_claimed))
        return TH_NOT_YET;
    th_status status = th_spool_file_take(th_spool_scan_dir(spool->scan), spool->claims,
                                          name, is_claimed, &file, &error);
    if (status == TH_IO) {
        refuse_file(spool, name, is_claimed, error.text);
        return TH_NOT_YET;
    }
    if (status != TH_OK) {
        th_spool_scan_later(spool->scan);
        return status;
    }
    const th_spool_entry *entry = th_spool_ledger_find(spool->ledger, &file.id);
    if (entry && entry->state != TH_SPOOL_ACTIVE) {
        dispose(spool, &file, entry, "failed before");
        status = TH_NOT_YET;
    } else if (is_queued(spool, &file.id) ||
               (is_claimed && !entry && !may_adopt(spool, &file))) {
        status = TH_NOT_YET; /* ours already, or somebody else's */
    } else {
        status = enqueue(spool, &file, err);
        if (status == TH_NOT_YET)
            th_spool_scan_later(spool->scan);
    }
    if (status != TH_OK)
        th_spool_file_close(&file);
    return status;
}

/* Puts the next complete file in the queue. TH_OK, TH_NOT_YET, TH_IO, TH_NOMEM. */
static th_status find_file(struct spool *spool, th_error *err)
{
    char name[TH_SPOOL_NAME];
    bool is_claimed;
    while (spool->queue_len < MAX_QUEUE &&
           th_spool_scan_next(spool->scan, name, &is_claimed)) {
        const th_status status = take_file(spool, name, is_claimed, err);
        if (status != TH_NOT_YET)
            return status;
    }
    return TH_NOT_YET;
}

/* ---- reading ---- */

/* What is read again after a rewind has been counted and told before. */
static bool is_reading_again(struct spool *spool)
{
    return reading(spool)->given.records < reading(spool)->given_ever;
}

static void on_diag(void *context, const warc_diag *diag)
{
    struct spool *spool = context;
    if (!warc_diag_is_damage(diag->code) || is_reading_again(spool))
        return;
    char text[256];
    (void)snprintf(text, sizeof text, "offset %llu: %s%s%s",
                   (unsigned long long)diag->offset, warc_diag_name(diag->code),
                   diag->detail[0] ? ": " : "", diag->detail);
    spool->facts.damaged++;
    notice(spool, reading(spool)->file.name, text);
}

static bool is_slice_over(void *context)
{
    const struct spool *spool = context;
    return th_now_ms() >= spool->slice_end;
}

/* Opens a file again that was closed. TH_OK; TH_NEED_MORE (no descriptors: later);
 * TH_IO. */
static th_status reopen(struct spool *spool, struct queued *queued, warc_error *error)
{
    th_error why = { .text = "" };
    if (queued->file.fd >= 0)
        return TH_OK;
    const th_status status =
        th_spool_file_reopen(th_spool_scan_dir(spool->scan), &queued->file, &why);
    (void)snprintf(error->text, sizeof error->text, "%.200s", why.text);
    return status == TH_NO_ROOM ? TH_NEED_MORE : status;
}

/* Opens the reader. TH_OK, TH_NEED_MORE (no descriptors: later), TH_IO, TH_NOMEM. */
static th_status open_reader(struct spool *spool, warc_error *error)
{
    struct queued *queued = reading(spool);
    const th_record_taker_options options = { .max_record = spool->options.max_record,
                                              .verify_digests =
                                                  spool->options.verify_digests,
                                              .on_diag = on_diag,
                                              .diag_context = spool,
                                              .should_pause = is_slice_over,
                                              .pause_context = spool };
    spool->is_placed = spool->is_begun = false;
    spool->barren_ms = 0;
    const th_status status = reopen(spool, queued, error);
    if (status != TH_OK)
        return status;
    if (lseek(queued->file.fd, 0, SEEK_SET) != 0) {
        (void)snprintf(error->text, sizeof error->text, "cannot seek: %s",
                       strerror(errno));
        return TH_IO;
    }
    return th_record_taker_open(&spool->taker, NULL, queued->file.fd, &options, error);
}

/* Brings the reader to the first record that is to be given out. TH_OK, TH_NEED_MORE,
 * TH_END, TH_IO, TH_NOMEM, TH_PAUSED: not there yet. */
static th_status begin_reading(struct spool *spool, warc_error *error)
{
    const th_checkpoint *next = &reading(spool)->given.next;
    th_status status = spool->taker.reader ? TH_OK : open_reader(spool, error);
    if (status == TH_OK && !spool->is_placed && (next->offset || next->skip))
        status = th_record_taker_seek(&spool->taker, next, error);
    spool->is_placed |= status == TH_OK;
    if (status == TH_OK && !spool->is_begun)
        status = th_record_taker_next(&spool->taker, error);
    spool->is_begun |= status == TH_OK;
    return status;
}

/* Notes how the file under way ended; it is not read from any more. */
static void end_file(struct spool *spool, th_status status, const warc_error *error)
{
    struct queued *queued = reading(spool);
    const char *reason = NULL;
    if (status == TH_IO)
        reason = error->text[0] ? error->text : "cannot be read to its end";
    else if (queued->given.records == 0 && spool->taker.reader &&
             warc_reader_get_stats(spool->taker.reader)->damage_count > 0)
        reason = "there is no record in it";
    if (reason) {
        queued->has_failed = true;
        (void)snprintf(queued->reason, sizeof queued->reason, "%s", reason);
        if (!is_reading_again(spool))
            notice(spool, queued->file.name, reason);
    }
    queued->given.is_ended = true;
    spool->reading++;
}

static void count_bytes(struct spool *spool, struct queued *queued)
{
    const uint64_t tell = spool->taker.reader ? warc_reader_tell(spool->taker.reader) : 0;
    if (tell <= queued->bytes_ever)
        return;
    spool->facts.bytes += tell - queued->bytes_ever;
    queued->bytes_ever = tell;
}

static void count_records(struct spool *spool, struct queued *queued, uint32_t records)
{
    queued->given.records += records;
    if (queued->given.records <= queued->given_ever)
        return;
    spool->facts.received += queued->given.records - queued->given_ever;
    queued->given_ever = queued->given.records;
}

static th_status begin_draft(struct spool *spool)
{
    const char *name = reading(spool)->file.name;
    th_arena_reset(spool->draft->arena);
    spool->draft->record_count = 0;
    spool->draft_name =
        th_arena_copy(spool->draft->arena, (th_view){ name, strlen(name) });
    spool->is_drafting = spool->draft_name.data != NULL;
    return spool->is_drafting ? TH_OK : TH_NOMEM;
}

/* Adds to the draft. TH_OK: it is full; TH_END, TH_IO; TH_NOMEM; TH_PAUSED: so far. */
static th_status read_draft(struct spool *spool, warc_error *error)
{
    th_batch *draft = spool->draft;
    th_status status = spool->is_drafting ? TH_OK : begin_draft(spool);
    const uint32_t before = draft->record_count;
    const int64_t begun = th_now_ms();
    if (status == TH_OK)
        status = begin_reading(spool, error);
    if (status == TH_OK)
        status = th_record_taker_fill(&spool->taker, spool->draft_name, draft, error);
    if (status == TH_PAUSED && draft->record_count == before)
        spool->barren_ms += th_now_ms() - begun;
    else
        spool->barren_ms = 0;
    return status;
}

/* Whether the file under way has given nothing for so long that it is told. */
static bool is_stuck(const struct spool *spool)
{
    return spool->barren_ms > 0 && spool->barren_ms >= spool->options.stuck_ms;
}

/* The file under way gives no record. TH_PAUSED: it is waited for; TH_IO: no more. */
static th_status wait_or_pass_over(struct spool *spool, bool was_stuck, warc_error *error)
{
    const uint32_t limit = spool->options.give_up_ms;
    char text[128];
    const unsigned long long at = warc_reader_tell(spool->taker.reader);
    if (is_stuck(spool) && !was_stuck) {
        (void)snprintf(text, sizeof text, "is stuck: no record in %.1f s, at byte %llu",
                       (double)spool->barren_ms / 1000, at);
        notice(spool, reading(spool)->file.name, text);
    }
    if (!limit || spool->barren_ms < limit)
        return TH_PAUSED;
    (void)snprintf(error->text, sizeof error->text,
                   "passed over: no record in %.1f s of reading, at byte %llu",
                   (double)spool->barren_ms / 1000, at);
    th_record_taker_cut(&spool->taker, spool->draft);
    spool->facts.files_passed_over++;
    spool->barren_ms = 0;
    return TH_IO;
}

/* Hands the draft out. Its records go with the memory that they are in. */
static void give_draft(struct spool *spool, th_batch *batch)
{
    th_batch *draft = spool->draft;
    th_arena *const spare = batch->arena;
    batch->arena = draft->arena;
    draft->arena = spare;
    batch->record_count = draft->record_count;
    memcpy(batch->records, draft->records, draft->record_count * sizeof *draft->records);
    spool->is_drafting = false;
}

static void drop_draft(struct spool *spool)
{
    th_record_taker_close(&spool->taker);
    spool->is_drafting = false;
    spool->barren_ms = 0;
}

/*
 * Reads from the file under way. TH_OK: a batch; TH_END: the file ended without one, and
 * is `done` as far as it goes; TH_PAUSED: no time is left, the next call goes on;
 * TH_NEED_MORE: it cannot be read now; TH_NOMEM.
 */
static th_status read_batch(struct spool *spool, th_batch *batch)
{
    struct queued *queued = reading(spool);
    warc_error error = { .text = "" };
    const bool was_stuck = is_stuck(spool);
    th_status status = read_draft(spool, &error);
    if (status == TH_NOMEM || status == TH_NEED_MORE)
        return status;
    count_bytes(spool, queued);
    if (status == TH_PAUSED)
        status = wait_or_pass_over(spool, was_stuck, &error);
    if (status == TH_PAUSED)
        return status;
    give_draft(spool, batch);
    count_records(spool, queued, batch->record_count);
    if (status == TH_OK) {
        th_record_taker_place(&spool->taker, &queued->given.next);
    } else {
        end_file(spool, status, &error);
        th_record_taker_close(&spool->taker);
        th_spool_file_close(&queued->file);
    }
    batch->next = queued->given.next;
    batch->next.input = queued->serial;
    batch->input = queued->serial;
    batch->epoch = spool->epoch;
    batch->is_last = queued->given.is_ended;
    batch->counts = (th_source_counts){ .bytes_read = spool->facts.bytes,
                                        .damaged = spool->facts.damaged,
                                        .unreadable = spool->facts.files_failed };
    if (batch->record_count > 0)
        return TH_OK;
    /* No batch was handed out for the end, so no call of done() will note it. */
    if (queued->done.records == queued->given.records)
        queued->done.is_ended = true;
    return TH_END;
}

/* ---- the interface ---- */

/* A file that gave nothing is settled by the next acknowledgement, or here when none is
 * to come. */
static th_status settle_empty(struct spool *spool, th_error *err)
{
    if (spool->queue_len == 0 || !spool->queue[0].done.is_ended ||
        has_unacknowledged(spool))
        return TH_OK;
    return acknowledge_progress(spool, (th_view){ NULL, 0 }, err);
}

/* The next batch of whichever file is to be read. TH_OK, TH_NOT_YET, TH_IO, TH_NOMEM,
 * TH_PAUSED: it needs another poll. */
static th_status next_batch(struct spool *spool, th_batch *batch, th_error *err)
{
    th_status status = TH_END;
    spool->slice_end = th_now_ms() + TH_SPOOL_SLICE_MS;
    while (status == TH_END) {
        /* After a rewind some are acknowledged to their end. */
        while (spool->reading < spool->queue_len && reading(spool)->given.is_ended)
            spool->reading++;
        if (spool->reading == spool->queue_len) {
            status = find_file(spool, err);
            if (status != TH_OK)
                return status;
        }
        if (status == TH_END && is_slice_over(spool))
            return TH_PAUSED;
        status = read_batch(spool, batch);
        if (status == TH_NOMEM)
            return th_fail(err, TH_NOMEM, "%s: out of memory", reading(spool)->file.name);
        if (status == TH_NEED_MORE)
            return TH_NOT_YET;
    }
    return status;
}

static th_status poll_spool(th_intake *intake, bool may_read, int timeout_ms,
                            th_batch *batch, th_error *err)
{
    struct spool *spool = spool_of(intake);
    th_status status = th_spool_scan_step(spool->scan, err);
    if (status == TH_OK)
        status = settle_empty(spool, err);
    if (status == TH_NO_ROOM) /* in the ledger: nothing is lost, it is tried again */
        status = TH_NOT_YET;
    if (status == TH_OK)
        status = may_read ? next_batch(spool, batch, err) : TH_NOT_YET;
    if (status == TH_PAUSED)
        return TH_NOT_YET;
    if (status == TH_NOT_YET && timeout_ms > 0)
        th_spool_scan_wait(spool->scan, timeout_ms);
    return status;
}

static void done(th_intake *intake, const th_batch *batch)
{
    struct spool *spool = spool_of(intake);
    if (batch->epoch != spool->epoch)
        return;
    for (size_t i = 0; i < spool->queue_len; i++) {
        struct queued *queued = &spool->queue[i];
        if (queued->serial != batch->input)
            continue;
        queued->done.next = batch->next;
        queued->done.records += batch->record_count;
        /* All that was given is done, and nothing more comes: an end without records
         * was not handed out. */
        queued->done.is_ended =
            queued->given.is_ended && queued->done.records == queued->given.records;
        return;
    }
}

static th_status acknowledge(th_intake *intake, const th_receipt *receipt, th_view note,
                             th_error *err)
{
    struct spool *spool = spool_of(intake);
    if (receipt->epoch != spool->epoch)
        return TH_OK; /* it is void */
    const th_view before = th_spool_ledger_note(spool->ledger);
    if (note.data && note.len == before.len &&
        memcmp(note.data, before.data, note.len) == 0)
        note = (th_view){ NULL, 0 }; /* nothing new: no line for it */
    return acknowledge_progress(spool, note, err);
}

static th_view note_of(const th_intake *intake)
{
    return th_spool_ledger_note(((const struct spool *)intake)->ledger);
}

static th_status rewind_spool(th_intake *intake, th_error *err)
{
    struct spool *spool = spool_of(intake);
    (void)err;
    drop_draft(spool);
    for (size_t i = 0; i < spool->queue_len; i++) {
        struct queued *queued = &spool->queue[i];
        queued->given = queued->acknowledged;
        queued->done = queued->acknowledged;
        queued->has_failed = false;
        th_spool_file_close(&queued->file);
    }
    spool->reading = 0;
    spool->epoch++;
    return TH_OK;
}

static uint32_t epoch(const th_intake *intake)
{
    return ((const struct spool *)intake)->epoch;
}

static void facts(th_intake *intake, th_intake_facts *out)
{
    const struct spool *spool = spool_of(intake);
    th_spool_scan_facts seen;
    th_spool_scan_facts_get(spool->scan, &seen);
    *out = spool->facts;
    out->files_pending = seen.pending;
    out->files_waiting = seen.waiting;
    out->files_open = seen.open;
    out->folders = seen.folders;
    out->folders_passed_over = seen.folders_passed_over;
    out->files_stale = seen.stale;
    out->files_processing = spool->queue_len;
    if (is_stuck(spool)) {
        out->stuck_seconds = (double)spool->barren_ms / 1000;
        (void)snprintf(out->unready, sizeof out->unready,
                       "'%.120s' is stuck: no record in %.0f s of reading",
                       spool->queue[spool->reading].file.name, out->stuck_seconds);
    }
    out->oldest_pending_seconds = seen.oldest_pending_seconds;
    out->ledger_damaged = th_spool_ledger_damaged(spool->ledger);
    out->is_assigned = seen.is_scanned;
    out->lag = -1;
}

/* One row for each file that is further than what is acknowledged. */
static void write_progress(const struct spool *spool, th_buffer *rows)
{
    for (size_t i = 0; i < spool->queue_len; i++) {
        const struct queued *queued = &spool->queue[i];
        if (queued->done.records == queued->acknowledged.records &&
            queued->done.is_ended == queued->acknowledged.is_ended)
            continue;
        const th_spool_entry entry = entry_of(queued, &queued->done);
        th_spool_id_write(&entry.id, rows);
        th_buffer_append_char(rows, '\t');
        th_spool_entry_write(&entry, rows);
        th_buffer_append_char(rows, '\n');
    }
}

static th_status receipt(th_intake *intake, uint64_t mark, th_receipt *out, th_error *err)
{
    struct spool *spool = spool_of(intake);
    th_buffer_reset(&spool->rows);
    if (intake->verbs->keeping == TH_KEPT_IN_ROWS)
        write_progress(spool, &spool->rows);
    *out = (th_receipt){ .keeping = intake->verbs->keeping,
                         .epoch = spool->epoch,
                         .mark = mark,
                         .rows = th_buffer_view(&spool->rows) };
    return spool->rows.has_failed
               ? th_fail(err, TH_NOMEM, "cannot note progress: out of memory")
               : TH_OK;
}

/* A row that was committed with the output is true; what the ledger says is older. */
static void restore(th_intake *intake, th_view key, th_view value)
{
    struct spool *spool = spool_of(intake);
    th_spool_entry entry = { .state = TH_SPOOL_ACTIVE };
    if (!th_spool_id_read(key, &entry.id) || !th_spool_entry_read(value, &entry)) {
        notice(spool, "", "a progress row of the output cannot be read: passed over");
        return;
    }
    /* Without memory the ledger's position holds, which may double records but loses
     * none. */
    if (th_spool_ledger_put(spool->ledger, &entry) != TH_OK)
        notice(spool, entry.name, "no memory for its progress");
}

static void close_spool(th_intake *intake)
{
    struct spool *spool = spool_of(intake);
    th_record_taker_close(&spool->taker);
    if (spool->draft)
        th_arena_free(spool->draft->arena);
    free(spool->draft);
    for (size_t i = 0; i < spool->queue_len; i++)
        th_spool_file_close(&spool->queue[i].file);
    th_spool_ledger_close(spool->ledger);
    th_spool_scan_close(spool->scan);
    close_folder(&spool->done);
    close_folder(&spool->failed);
    if (spool->claims >= 0)
        (void)close(spool->claims);
    free(spool->default_done);
    free(spool->default_failed);
    free(spool->entries);
    th_buffer_done(&spool->rows);
    free(spool->queue);
    free(spool);
}

/* ---- opening ---- */

/* Whether the entry's file lies in the spool, under either name. */
static bool is_present(void *context, const th_spool_entry *entry)
{
    const struct spool *spool = context;
    char claimed[TH_SPOOL_NAME + sizeof TH_SPOOL_CLAIMED];
    const int dir = th_spool_scan_dir(spool->scan);
    (void)snprintf(claimed, sizeof claimed, "%s" TH_SPOOL_CLAIMED, entry->name);
    return faccessat(dir, entry->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
           faccessat(dir, claimed, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A spool that only its crawler may write: nothing is moved in it. */
static bool is_read_only(const struct spool *spool)
{
    const th_spool_options *options = &spool->options;
    return options->claim == TH_SPOOL_BY_LEDGER && options->finish == TH_SPOOL_KEEP &&
           !options->failed_dir;
}

static th_status name_folders(struct spool *spool, th_error *err)
{
    const th_spool_options *options = &spool->options;
    if (asprintf(&spool->default_done, "%s/done", options->dir) < 0)
        spool->default_done = NULL;
    if (asprintf(&spool->default_failed, "%s/failed", options->dir) < 0)
        spool->default_failed = NULL;
    if (!spool->default_done || !spool->default_failed)
        return th_fail(err, TH_NOMEM, "cannot name the spool's folders");
    if (options->finish == TH_SPOOL_MOVE)
        spool->done.path = options->done_dir ? options->done_dir : spool->default_done;
    if (!is_read_only(spool))
        spool->failed.path =
            options->failed_dir ? options->failed_dir : spool->default_failed;
    return TH_OK;
}

static th_status open_folders(struct spool *spool, th_error *err)
{
    th_status status = TH_OK;
    if (spool->done.path)
        status = open_folder(spool, &spool->done, err);
    if (status == TH_OK && spool->failed.path)
        status = open_folder(spool, &spool->failed, err);
    if (status == TH_OK && !is_read_only(spool)) {
        spool->claims = th_spool_claims_open(th_spool_scan_dir(spool->scan));
        if (spool->claims < 0)
            notice(spool, "",
                   "no file of claims can be made: processes that share it may not see "
                   "each other");
    }
    return status;
}

static void notice_folder(void *context, const char *path, const char *text)
{
    notice(context, path, text);
}

static th_status open_parts(struct spool *spool, th_error *err)
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
        .notice = notice_folder,
        .context = spool
    };
    const th_spool_ledger_options remembering = { .path = options->ledger,
                                                  .keep = options->ledger_keep,
                                                  .is_present = is_present,
                                                  .context = spool };
    spool->queue = calloc(MAX_QUEUE, sizeof *spool->queue);
    spool->entries = calloc(MAX_QUEUE, sizeof *spool->entries);
    spool->draft = calloc(1, sizeof *spool->draft);
    if (spool->draft)
        spool->draft->arena = th_arena_new(0);
    if (!spool->queue || !spool->entries || !spool->draft || !spool->draft->arena)
        return th_fail(err, TH_NOMEM, "cannot allocate a spool's queue");
    status = th_spool_scan_open(&scanning, &spool->scan, err);
    if (status == TH_OK)
        status = open_folders(spool, err);
    if (status == TH_OK)
        status = th_spool_ledger_open(&remembering, &spool->ledger, err);
    if (status == TH_OK && th_spool_ledger_damaged(spool->ledger) > 0)
        notice(spool, "", "the ledger was damaged; its bad lines are in LEDGER.bad");
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
        .max_record = 16u << 20,
    };
}

static const th_intake_verbs ledger_verbs = { .name = "spool",
                                              .keeping = TH_KEPT_WITH_NOTE,
                                              .poll = poll_spool,
                                              .done = done,
                                              .receipt = receipt,
                                              .acknowledge = acknowledge,
                                              .rewind = rewind_spool,
                                              .epoch = epoch,
                                              .facts = facts,
                                              .close = close_spool,
                                              .note = note_of };

/* The ledger is a copy of what the output has. */
static const th_intake_verbs cache_verbs = { .name = "spool",
                                             .keeping = TH_KEPT_IN_ROWS,
                                             .poll = poll_spool,
                                             .done = done,
                                             .receipt = receipt,
                                             .acknowledge = acknowledge,
                                             .rewind = rewind_spool,
                                             .epoch = epoch,
                                             .facts = facts,
                                             .close = close_spool,
                                             .restore = restore };

th_status th_spool_intake_open(const th_spool_options *options, th_intake **out,
                               th_error *err)
{
    struct spool *spool = calloc(1, sizeof *spool);
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
