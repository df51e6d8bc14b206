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
 *
 * Each file that is met is compared with the ledger. It may be a new file, or come from a
 * restart. It may be a file that could not be put away, or whose writer continued:
 *
 *     its inode is unknown          new
 *     unchanged, finished           put away again
 *     read part is unchanged        continued at the stored position
 *     else                          new: another file has got the inode, or the name
 *     new, with a known digest      a copy: put away, its records are not read again
 *
 * At the end of a file, the same comparison and its lease (spool_file.h) show whether its
 * writer continues. Then the file gets its own name back, and waits there.
 *
 * Only the file being read is open. The others are ours by their claims.
 */
#include "spool/spool_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "ingest/batch_builder.h"
#include "spool/spool_claims.h"
#include "spool/spool_digest.h"
#include "spool/spool_file.h"
#include "spool/spool_ledger.h"
#include "spool/spool_moved.h"
#include "spool/spool_rows.h"
#include "spool/spool_scan.h"

enum {
    MAX_QUEUE = 4096, /* files claimed and not yet acknowledged */
    MAX_GROUP = 256,  /* files claimed together */
    GROUP_MS = 200,   /* a group does not wait longer for the next file */
    MAX_REASON = 256,
    MAX_HOST = 256,
};

/* Progress in a file, in one of three senses: dispatched, done, acknowledged. `next` has
 * the check of its position as its version. */
struct progress {
    th_checkpoint next;
    uint64_t records;
    bool is_ended; /* no records follow */
};

struct queued {
    th_spool_file file;
    uint32_t serial;       /* batch->input */
    struct progress given; /* since the last rewind */
    struct progress done;
    struct progress acknowledged;
    uint64_t given_ever;     /* records, over all rewinds: counted once */
    uint64_t bytes_ever;     /* bytes of the file read, over all rewinds */
    bool has_failed;         /* could not be read completely */
    bool has_writer;         /* read to its present end, and its writer continues */
    bool is_gone;            /* removed or renamed before it was read completely */
    char reason[MAX_REASON]; /* the reason of the failure, in words */
};

/* A file that is taken and not yet claimed. Closed, with its claim held. */
struct taken {
    th_spool_file file;
    struct progress progress; /* where reading begins; nothing is read if it has ended */
    bool is_new;              /* the ledger has to know of it before it is claimed */
    bool is_rewritten;        /* records of its former bytes were delivered */
    bool has_failed;          /* a copy of a file that failed */
    th_spool_id
        replaced; /* of a copy that is gone, whose place it takes; inode 0: none */
};

/* Where the input seems to end too early: within the record at an offset, or after the
 * last record, at an offset. */
struct cut {
    bool has_within, has_after;
    uint64_t within, after;
};

/* A folder that finished files go to. */
struct folder {
    const char *path; /* NULL if there is no folder */
    int fd;           /* -1 if there is no folder */
};

/* A larger file has no digest, because a second reading would delay other files. */
#define DIGEST_MAX (32ULL << 30)

struct spool {
    th_stream_source base;
    th_spool_options options;
    struct folder done, failed;
    char *default_done,
        *default_failed; /* paths: never read, also when they are not used */
    int claims;          /* spool_claims.h; -1: the spool is not written */
    bool is_sole;        /* no other ledger has claimed files here */
    bool has_orphans;    /* reported: claimed files that none of our ledgers knows */
    th_spool_scan *scan;
    th_spool_ledger *ledger;
    struct queued *queue; /* the oldest first, with consecutive serials */
    size_t queue_len, queue_capacity;
    size_t reading; /* index of the file to read from, or queue_len */
    th_batch_builder builder;
    bool
        is_placed; /* the batch builder is at the position where reading the file continues */
    bool is_begun;   /* the batch builder has read the first record's header there */
    th_batch *draft; /* the current batch, in separate memory */
    bool is_drafting;
    th_view draft_name; /* of its file, in its arena */
    int64_t slice_end;  /* ms: of this poll's reading */
    int64_t barren_ms;  /* of reading since the last record of the file */
    uint32_t next_serial, epoch;
    struct taken *group; /* MAX_GROUP */
    size_t group_len;
    int64_t group_at;    /* ms: when its first file was taken */
    struct taken probed; /* its digest is being computed; open */
    bool is_probing;
    th_spool_digest *digest; /* NULL if copies are not detected */
    struct cut cut;          /* what the reader has met */
    th_spool_moved *moved;   /* NULL: files are not moved */
    uint64_t moved_looks;    /* of the scan, at the last check of them */
    th_spool_rows withdrawn; /* TH_KEPT_IN_ROWS */
    th_buffer replaced_rows; /* rows that replace the rows of an earlier version */
    th_buffer present;       /* uint64_t[2] each: files of the spool, sorted; at start */
    bool is_present_known;
    th_spool_entry *entries; /* scratch */
    size_t entry_capacity;
    th_buffer rows;        /* of the last commit token */
    th_source_stats facts; /* the counters */
    th_spool_stats counts;
};

static struct spool *spool_of(th_stream_source *source)
{
    return (struct spool *)source;
}

static void warn(struct spool *spool, const char *name, const char *text)
{
    if (!spool->options.warn)
        return;
    char line[3072];
    (void)snprintf(line, sizeof line, "%.1900s%s%.511s: %.600s", spool->options.dir,
                   *name ? "/" : "", name, text);
    spool->options.warn(spool->options.warn_context, line);
}

static struct queued *reading(struct spool *spool)
{
    return &spool->queue[spool->reading];
}

/* ---- folders outside the spool ---- */

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
                       "'%s' is not on the file system of the spool '%s', so files "
                       "cannot be moved atomically",
                       folder->path, spool->options.dir);
    return TH_OK;
}

static void close_folder(struct folder *folder)
{
    if (folder->fd >= 0)
        (void)close(folder->fd);
    folder->fd = -1;
}

/* Another process may have removed the folder, or replaced it. */
static th_status renew_folder(struct spool *spool, struct folder *folder, th_error *err)
{
    struct stat named, open;
    const bool is_there = stat(folder->path, &named) == 0;
    if (is_there && folder->fd >= 0 && fstat(folder->fd, &open) == 0 &&
        named.st_ino == open.st_ino && named.st_dev == open.st_dev)
        return TH_OK;
    if (!is_there && errno == ENOENT) {
        th_error why;
        (void)th_fail(&why, TH_IO, "'%.400s' was removed; creating it again",
                      folder->path);
        warn(spool, "", why.text);
    }
    close_folder(folder);
    const th_status status = open_folder(spool, folder, err);
    if (status != TH_OK)
        close_folder(folder);
    return status;
}

/* Returns whether the entry's file is in the spool, under either name. */
static bool is_present(void *context, const th_spool_entry *entry)
{
    const struct spool *spool = context;
    char claimed[TH_SPOOL_PRESENT];
    const int dir = th_spool_scan_dir(spool->scan);
    (void)snprintf(claimed, sizeof claimed, "%s" TH_SPOOL_CLAIMED, entry->name);
    return faccessat(dir, entry->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
           faccessat(dir, claimed, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool is_slice_over(void *context)
{
    const struct spool *spool = context;
    return th_now_ms() >= spool->slice_end;
}

/* ---- the end of a file ---- */

static th_spool_entry entry_of(const struct queued *queued,
                               const struct progress *progress)
{
    th_spool_entry entry = { .id = queued->file.id,
                             .state = !progress->is_ended || queued->has_writer ||
                                              queued->is_gone
                                          ? TH_SPOOL_ACTIVE
                                      : queued->has_failed ? TH_SPOOL_FAILED
                                                           : TH_SPOOL_DONE,
                             .next = progress->next,
                             .records = progress->records };
    memcpy(entry.name, queued->file.name, sizeof entry.name);
    return entry;
}

/* Moves a file to a folder outside the spool. Returns TH_OK, TH_ABSENT (it is gone),
 * TH_NOT_YET (it has grown), TH_IO. */
static th_status put_away(struct spool *spool, const th_spool_file *file,
                          struct folder *to, char as[TH_SPOOL_PRESENT], th_error *err)
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
    char as[TH_SPOOL_PRESENT];
    const th_status status = put_away(spool, file, &spool->failed, as, err);
    return status == TH_OK
               ? th_spool_file_explain(spool->failed.path, as, entry, reason, err)
               : status;
}

/* Gives a kept file its own name back, if it lost it. */
static th_status put_back(struct spool *spool, const th_spool_file *file,
                          char as[TH_SPOOL_PRESENT], th_error *err)
{
    const int dir = th_spool_scan_dir(spool->scan);
    memcpy(as, file->present, TH_SPOOL_PRESENT);
    return file->is_claimed ? th_spool_file_move(dir, file, dir, as, err) : TH_OK;
}

/* Handles a file that left the spool: its row of progress is no longer needed. */
static void withdraw_row(struct spool *spool, const th_spool_id *id, bool is_old)
{
    if (spool->base.verbs->keeping == TH_KEPT_IN_ROWS && id->inode &&
        !th_spool_rows_withdraw(&spool->withdrawn, id, is_old))
        warn(spool, "", "out of memory: an obsolete row of progress remains");
}

/* Forgets the inode of a removed file, because the next file may get it, but remembers
 * its digest. If out of memory, its inode is also kept. */
static void forget_inode(struct spool *spool, const th_spool_entry *entry)
{
    th_spool_entry gone = *entry;
    gone.state = TH_SPOOL_WITHDRAWN;
    if (entry->id.inode)
        (void)th_spool_ledger_put(spool->ledger, &gone);
}

/* Puts a finished file where it belongs. TH_OK; TH_ABSENT; TH_NOT_YET; other errors. */
static th_status put_in_place(struct spool *spool, const th_spool_file *file,
                              const th_spool_entry *entry, const char *reason,
                              th_error *err)
{
    char as[TH_SPOOL_PRESENT];
    th_status status;
    if (entry->state == TH_SPOOL_FAILED && spool->failed.path)
        return put_aside(spool, file, entry, reason, err);
    if (entry->state == TH_SPOOL_FAILED || spool->options.finish == TH_SPOOL_KEEP)
        return put_back(spool, file, as, err);
    if (spool->options.finish == TH_SPOOL_DELETE) {
        status = th_spool_file_remove(th_spool_scan_dir(spool->scan), file, err);
        if (status == TH_OK)
            forget_inode(spool, entry);
        return status;
    }
    status = put_away(spool, file, &spool->done, as, err);
    if (status == TH_OK && spool->moved)
        th_spool_moved_add(spool->moved, file, as);
    return status;
}

static bool stays_in_spool(const struct spool *spool, th_spool_state state)
{
    return state == TH_SPOOL_FAILED ? !spool->failed.path
                                    : spool->options.finish == TH_SPOOL_KEEP;
}

/*
 * Puts a finished file where it belongs. A missing file needs nothing. The ledger already
 * knows that the file is finished. On failure the file is held and offered again.
 */
static void dispose(struct spool *spool, const th_spool_file *file,
                    const th_spool_entry *entry, const char *reason, bool was_held)
{
    th_error error = { .text = "" };
    const th_status status = put_in_place(spool, file, entry, reason, &error);
    if (status == TH_NOT_YET) {
        th_spool_scan_hold(spool->scan, file->present, spool->options.settle_ms);
    } else if (status != TH_OK && status != TH_ABSENT) {
        if (!was_held)
            warn(spool, file->name, error.text);
        th_spool_scan_hold(spool->scan, file->present, spool->options.rescan_ms);
    } else if (status == TH_ABSENT) { /* another file may have its name: claimed or not */
        th_spool_scan_hold(spool->scan, file->present, spool->options.settle_ms);
        withdraw_row(spool, &file->id, false);
    } else if (!stays_in_spool(spool, entry->state)) {
        withdraw_row(spool, &file->id, false);
    }
}

/* Gives a file whose writer continues its own name back. It waits there until it changes
 * or is closed. */
static void wait_for_writer(struct spool *spool, const th_spool_file *file)
{
    char as[TH_SPOOL_PRESENT];
    th_error error = { .text = "" };
    const th_status status = put_back(spool, file, as, &error);
    if (status != TH_OK && status != TH_ABSENT && status != TH_NOT_YET)
        warn(spool, file->name, error.text);
    th_spool_scan_hold(spool->scan, status == TH_OK ? as : file->present,
                       spool->options.rescan_ms);
}

static th_status reserve_entries(struct spool *spool, size_t count, th_error *err)
{
    if (count <= spool->entry_capacity)
        return TH_OK;
    th_spool_entry *entries = realloc(spool->entries, 2 * count * sizeof *entries);
    if (!entries)
        return th_fail(err, TH_NOMEM, "out of memory for the progress of %zu files",
                       count);
    spool->entries = entries;
    spool->entry_capacity = 2 * count;
    return TH_OK;
}

static bool has_progress(const struct queued *queued)
{
    return queued->done.records != queued->acknowledged.records ||
           queued->done.is_ended != queued->acknowledged.is_ended;
}

/* Takes a file that is completely acknowledged out of the spool. */
static void finish_file(struct spool *spool, struct queued *queued)
{
    const th_spool_entry entry = entry_of(queued, &queued->done);
    if (queued->has_writer)
        wait_for_writer(spool, &queued->file);
    else if (!queued->is_gone)
        dispose(spool, &queued->file, &entry, queued->reason, false);
    th_spool_file_close(&queued->file);
    th_spool_claims_drop(spool->claims, &queued->file.id);
    if (queued->has_failed)
        spool->counts.files_failed++;
    else if (queued->is_gone)
        spool->counts.files_changed++;
    else if (!queued->has_writer)
        spool->counts.files_done++;
}

/* Saves the position of every file in the ledger, then disposes of the finished files. */
static th_status acknowledge_progress(struct spool *spool, th_view note, th_error *err)
{
    size_t count = 0, ended = 0;
    th_status status = reserve_entries(spool, spool->queue_len + 1, err);
    for (size_t i = 0; status == TH_OK && i < spool->queue_len; i++) {
        const struct queued *queued = &spool->queue[i];
        if (has_progress(queued))
            spool->entries[count++] = entry_of(queued, &queued->done);
    }
    if (status == TH_OK)
        status = th_spool_ledger_commit(spool->ledger, spool->entries, count, note, err);
    if (status != TH_OK)
        return status;
    for (size_t i = 0; i < spool->queue_len; i++) {
        struct queued *queued = &spool->queue[i];
        queued->acknowledged = queued->done;
        if (!queued->done.is_ended || ended < i) /* files end in order */
            continue;
        ended++;
        finish_file(spool, queued);
    }
    spool->queue_len -= ended;
    /* A copy has ended before its turn to be read. */
    spool->reading -= ended < spool->reading ? ended : spool->reading;
    if (ended > 0)
        memmove(spool->queue, spool->queue + ended,
                spool->queue_len * sizeof *spool->queue);
    return TH_OK;
}

/* Returns whether dispatched records are not acknowledged. */
static bool has_unacknowledged(const struct spool *spool)
{
    for (size_t i = 0; i < spool->queue_len; i++)
        if (spool->queue[i].given.records != spool->queue[i].acknowledged.records)
            return true;
    return false;
}

/* ---- a file that is met ---- */

/*
 * Returns whether a claimed file that none of our ledgers knows may be taken at once. It
 * may if the ledger that knew it was damaged, or if no other ledger has ever claimed
 * files here. Otherwise another process may own it, which is not running now. That
 * process has adopt_ms to return.
 */
static bool may_adopt(struct spool *spool, const th_spool_file *file)
{
    struct stat facts;
    if (th_spool_ledger_damaged(spool->ledger) > 0 || spool->is_sole)
        return true;
    if (!spool->has_orphans)
        warn(spool, file->present,
             "was claimed by a process that has exited, and is not in this ledger; the "
             "file waits until that process returns");
    spool->has_orphans = true;
    if (!spool->options.adopt_ms || fstat(file->fd, &facts) != 0)
        return false;
    const int64_t age = (int64_t)time(NULL) - facts.st_ctim.tv_sec; /* of its renaming */
    return age > 0 && (uint64_t)age * 1000 >= spool->options.adopt_ms;
}

/* Results of comparing a file with the ledger's entry for its inode. */
enum met { MET_SAME, MET_CONTINUED, MET_OTHER, MET_UNREADABLE };

/* Compares with an entry of an earlier version, which noted neither write time nor tail
 * nor check: only the name and the head are compared. Its position in a finished file was
 * not at the end. */
static enum met meet_old(const th_spool_file *file, const th_spool_entry *entry,
                         th_checkpoint *next)
{
    uint64_t head = file->id.head;
    if (strcmp(file->name, entry->name) != 0 || file->id.size < entry->id.size)
        return MET_OTHER;
    if (entry->id.size < TH_SPOOL_HASHED &&
        !th_spool_id_check(file->fd, entry->id.size, &head))
        return MET_UNREADABLE;
    if (head != entry->id.head)
        return MET_OTHER;
    *next = entry->next;
    if (entry->state != TH_SPOOL_ACTIVE)
        *next = (th_checkpoint){ .offset = entry->id.size,
                                 .uoffset = WARC_NO_OFFSET,
                                 .dict_offset = entry->next.dict_offset };
    return file->id.size == entry->id.size ? MET_SAME : MET_CONTINUED;
}

/* @param next  receives where reading continues, unless it is another file */
static enum met meet(const th_spool_file *file, const th_spool_entry *entry,
                     th_checkpoint *next)
{
    enum met met = MET_OTHER;
    if (!entry->id.written_ns) {
        met = meet_old(file, entry, next);
    } else {
        const bool is_same = file->id.size == entry->id.size &&
                             file->id.written_ns == entry->id.written_ns &&
                             file->id.head == entry->id.head &&
                             file->id.tail == entry->id.tail;
        const bool is_finished = entry->state != TH_SPOOL_ACTIVE;
        *next = entry->next;
        if (is_same) {
            met = MET_SAME;
        } else if ((next->offset > 0 || next->skip > 0) &&
                   (!is_finished || file->id.size > entry->id.size)) {
            /* Nothing read is nothing to continue: that is a new file, with a digest. */
            th_spool_id known = entry->id;
            known.written_ns = 0; /* compare bytes */
            const th_spool_relation relation =
                th_spool_file_relate(file->fd, &known, next, NULL);
            met = relation == TH_SPOOL_CONTINUED    ? MET_CONTINUED
                  : relation == TH_SPOOL_UNREADABLE ? MET_UNREADABLE
                                                    : MET_OTHER;
        }
    }
    if ((met == MET_SAME || met == MET_CONTINUED) &&
        !th_spool_id_check(file->fd, next->offset, &next->version))
        met = MET_UNREADABLE;
    return met;
}

static bool is_queued_inode(const struct spool *spool, uint64_t device, uint64_t inode)
{
    for (size_t i = 0; i < spool->queue_len; i++)
        if (spool->queue[i].file.id.inode == inode &&
            spool->queue[i].file.id.device == device)
            return true;
    for (size_t i = 0; i < spool->group_len; i++)
        if (spool->group[i].file.id.inode == inode &&
            spool->group[i].file.id.device == device)
            return true;
    return false;
}

/* Puts a taken file into the group that is claimed next. Its claim is held. */
static void join_group(struct spool *spool, struct taken *taken)
{
    th_spool_file_close(&taken->file);
    if (spool->group_len == 0)
        spool->group_at = th_now_ms();
    spool->group[spool->group_len++] = *taken;
}

/* Releases a taken file that is not ours, or not now. */
static void release(struct spool *spool, th_spool_file *file)
{
    th_spool_file_close(file);
    th_spool_claims_drop(spool->claims, &file->id);
}

/* Handles a file that was completely read before. */
static void meet_finished(struct spool *spool, th_spool_file *file,
                          const th_spool_entry *entry, bool was_held)
{
    if (entry->state == TH_SPOOL_DONE && spool->options.finish != TH_SPOOL_KEEP &&
        th_spool_file_writer(file) == TH_SPOOL_WRITER)
        th_spool_scan_hold(spool->scan, file->present, spool->options.rescan_ms);
    else
        dispose(spool, file, entry, "failed before", was_held);
    release(spool, file);
}

/* Handles a file that was read in part before. */
static void resume(struct spool *spool, th_spool_file *file, const th_spool_entry *entry,
                   const th_checkpoint *next, bool is_changed, bool was_held)
{
    if (!is_changed && was_held && th_spool_file_writer(file) == TH_SPOOL_WRITER) {
        th_spool_scan_hold(spool->scan, file->present, spool->options.rescan_ms);
        release(spool, file);
        return;
    }
    if (is_changed && entry->records > 0) {
        char text[128];
        (void)snprintf(text, sizeof text,
                       "grew after it was read; reading continues at byte %llu",
                       (unsigned long long)next->offset);
        warn(spool, file->name, text);
        spool->counts.files_grown++;
    }
    struct taken taken = { .file = *file,
                           .progress = { .next = *next, .records = entry->records } };
    if (file->is_claimed)
        memcpy(taken.file.name, entry->name, sizeof taken.file.name);
    join_group(spool, &taken);
}

/* ---- copies ---- */

/* Returns whether a file in the ledger with the same bytes must still be read. */
static bool is_to_come(const struct spool *spool, const th_spool_entry *entry)
{
    return is_queued_inode(spool, entry->id.device, entry->id.inode) ||
           is_present((void *)(uintptr_t)spool, entry);
}

static bool is_copy_in_group(const struct spool *spool, const th_spool_id *id)
{
    for (size_t i = 0; i < spool->group_len; i++)
        if (th_spool_id_is_content(&spool->group[i].file.id, id))
            return true;
    return false;
}

/* Handles a new file whose digest is known. It is new, or a copy of a file in the
 * ledger. */
static void meet_new(struct spool *spool, struct taken *taken)
{
    th_spool_entry entry;
    th_spool_file *file = &taken->file;
    const bool is_known = th_spool_ledger_find_copy(spool->ledger, &file->id, &entry);
    const bool is_waiting =
        is_copy_in_group(spool, &file->id) ||
        (is_known && entry.state == TH_SPOOL_ACTIVE && is_to_come(spool, &entry));
    if (is_waiting) {
        th_spool_scan_hold(spool->scan, file->present, spool->options.settle_ms);
        release(spool, file);
        return;
    }
    if (is_known) {
        char text[TH_SPOOL_NAME + 128];
        const bool is_finished = entry.state != TH_SPOOL_ACTIVE;
        taken->progress = (struct progress){ .next = entry.next,
                                             .records = entry.records,
                                             .is_ended = is_finished };
        (void)snprintf(text, sizeof text, "is a copy of '%s', which %s", entry.name,
                       is_finished
                           ? "was read before; its records are not read again"
                           : "was removed; reading continues at its last position");
        warn(spool, file->name, text);
        spool->counts.files_copied++;
        taken->has_failed = entry.state == TH_SPOOL_FAILED;
        if (!is_finished)
            taken->replaced = entry.id;
    }
    join_group(spool, taken);
}

/* Continues the digest of a new file. Returns TH_OK if the file is in the group, or not
 * for us, or TH_PAUSED. */
static th_status probe(struct spool *spool)
{
    struct taken *taken = &spool->probed;
    th_spool_id now;
    th_status status =
        th_spool_digest_step(spool->digest, taken->file.fd, taken->file.id.size,
                             is_slice_over, spool, taken->file.id.digest);
    if (status == TH_PAUSED)
        return status;
    spool->is_probing = false;
    const th_spool_relation relation =
        th_spool_id_relate(taken->file.fd, &taken->file.id, 0, 0, &now);
    if (status != TH_OK || relation != TH_SPOOL_SAME) {
        /* It was written to, or cannot be read. It is checked again when it is
         * complete. */
        th_spool_scan_hold(spool->scan, taken->file.present, spool->options.settle_ms);
        release(spool, &taken->file);
        return TH_OK;
    }
    meet_new(spool, taken);
    return TH_OK;
}

/* ---- taking ---- */

/* Puts a file that cannot be opened aside at once, because waiting would not help. */
static void refuse_file(struct spool *spool, const th_spool_offer *offer,
                        const char *reason)
{
    th_spool_file file = { .fd = -1, .is_claimed = offer->is_claimed };
    th_spool_entry entry = { .state = TH_SPOOL_FAILED };
    const size_t suffix = offer->is_claimed ? strlen(TH_SPOOL_CLAIMED) : 0;
    (void)snprintf(file.present, sizeof file.present, "%s", offer->present);
    (void)snprintf(file.name, sizeof file.name, "%.*s",
                   (int)(strlen(offer->present) - suffix), offer->present);
    memcpy(entry.name, file.name, sizeof entry.name);
    if (!offer->was_held) {
        warn(spool, file.name, reason);
        spool->counts.files_failed++;
    }
    dispose(spool, &file, &entry, reason, offer->was_held);
}

/* Returns whether a file with other bytes than its inode's entry was rewritten in place.
 * Under another name, or if a finished file leaves the spool, the inode was reused. */
static bool is_rewritten(const struct spool *spool, const th_spool_file *file,
                         const th_spool_entry *entry)
{
    return entry->records > 0 && strcmp(file->name, entry->name) == 0 &&
           (entry->state == TH_SPOOL_ACTIVE || stays_in_spool(spool, entry->state));
}

/* Compares a taken file with the ledger. Returns TH_OK if it is handled, or in the
 * group, or its digest is being computed. */
static void meet_file(struct spool *spool, th_spool_file *file, bool was_held)
{
    th_spool_entry entry;
    th_checkpoint next = { .dict_offset = WARC_NO_OFFSET };
    const bool is_known = th_spool_ledger_find(spool->ledger, &file->id, &entry);
    const enum met met = is_known ? meet(file, &entry, &next) : MET_OTHER;
    if (met == MET_UNREADABLE) {
        th_spool_scan_hold(spool->scan, file->present, spool->options.settle_ms);
        release(spool, file);
        return;
    }
    if (met == MET_SAME && entry.state != TH_SPOOL_ACTIVE) {
        meet_finished(spool, file, &entry, was_held);
        return;
    }
    if (met != MET_OTHER) {
        if (met == MET_SAME)
            memcpy(file->id.digest, entry.id.digest, sizeof file->id.digest);
        resume(spool, file, &entry, &next, met == MET_CONTINUED, was_held);
        return;
    }
    if (file->is_claimed && !is_known && !may_adopt(spool, file)) {
        th_spool_scan_hold(spool->scan, file->present, spool->options.rescan_ms);
        release(spool, file);
        return;
    }
    struct taken taken = { .file = *file,
                           .progress.next.dict_offset = WARC_NO_OFFSET,
                           .is_new = true,
                           .is_rewritten =
                               is_known && is_rewritten(spool, file, &entry) };
    if (!spool->digest || file->id.size == 0 || file->id.size > DIGEST_MAX) {
        join_group(spool, &taken);
        return;
    }
    spool->probed = taken;
    spool->is_probing = true;
    th_spool_digest_begin(spool->digest);
}

/* Takes a complete file, if it is for us. */
static void take_file(struct spool *spool, const th_spool_offer *offer)
{
    th_error error = { .text = "" };
    th_spool_file file;
    if (is_queued_inode(spool, offer->device, offer->inode)) {
        if (!offer->is_claimed) /* a hard link, or ours by another name: later */
            th_spool_scan_hold(spool->scan, offer->present, spool->options.rescan_ms);
        return;
    }
    const th_status status =
        th_spool_file_acquire(th_spool_scan_dir(spool->scan), spool->claims,
                              offer->present, offer->is_claimed, &file, &error);
    if (status == TH_OK)
        meet_file(spool, &file, offer->was_held);
    else if (status == TH_IO)
        refuse_file(spool, offer, error.text);
    else
        th_spool_scan_later(spool->scan);
}

/* ---- claiming ---- */

static th_status reserve_queue(struct spool *spool, size_t count)
{
    if (spool->queue_len + count <= spool->queue_capacity)
        return TH_OK;
    const size_t capacity = 2 * (spool->queue_len + count);
    struct queued *queue = realloc(spool->queue, capacity * sizeof *queue);
    if (!queue)
        return TH_NOMEM;
    spool->queue = queue;
    spool->queue_capacity = capacity;
    return TH_OK;
}

static const char changed_text[] =
    "the part already read was changed or truncated; it is read again from its "
    "beginning, and records may occur twice";

static void enqueue(struct spool *spool, const struct taken *taken)
{
    struct queued *queued = &spool->queue[spool->queue_len++];
    if (taken->is_rewritten && !taken->progress.is_ended) {
        warn(spool, taken->file.name, changed_text);
        spool->counts.files_changed++;
    }
    *queued = (struct queued){ .file = taken->file,
                               .serial = spool->next_serial++,
                               .has_failed = taken->has_failed,
                               .reason = "copy of a failed file" };
    queued->acknowledged = taken->progress;
    queued->given_ever = taken->progress.records;
    queued->bytes_ever = taken->progress.next.offset;
    queued->given = queued->acknowledged;
    queued->done = queued->acknowledged;
    /* For a copy of a finished file only the end must be acknowledged. */
    queued->acknowledged.is_ended = false;
}

static th_spool_entry claim_entry(const struct taken *taken, th_spool_state state)
{
    th_spool_entry entry = { .id = taken->file.id,
                             .state = state,
                             .next = taken->progress.next,
                             .records = taken->progress.records };
    memcpy(entry.name, taken->file.name, sizeof entry.name);
    return entry;
}

/* Records in the ledger that the files of the group are ours, before another process can
 * see it. */
static th_status note_group(struct spool *spool, th_error *err)
{
    size_t count = 0;
    th_status status = reserve_entries(spool, 2 * spool->group_len, err);
    for (size_t i = 0; status == TH_OK && i < spool->group_len; i++) {
        const struct taken *taken = &spool->group[i];
        if (taken->is_new)
            spool->entries[count++] = claim_entry(taken, TH_SPOOL_ACTIVE);
        if (taken->replaced.inode) {
            th_spool_entry *gone = &spool->entries[count++];
            *gone = claim_entry(taken, TH_SPOOL_WITHDRAWN);
            gone->id = taken->replaced;
            withdraw_row(spool, &taken->replaced, false);
        }
    }
    return status == TH_OK ? th_spool_ledger_commit(spool->ledger, spool->entries, count,
                                                    (th_view){ NULL, 0 }, err)
                           : status;
}

/* Handles a name that had gone to another file when it was claimed. That file is now
 * claimed, and is ours. The ledger gets its entry late: a crash in between leaves a
 * claimed file that it does not know. */
static th_status adopt(struct spool *spool, struct taken *taken, th_error *err)
{
    th_spool_file other;
    const th_status status =
        th_spool_file_acquire(th_spool_scan_dir(spool->scan), spool->claims,
                              taken->file.present, true, &other, NULL);
    if (status != TH_OK) {
        th_spool_scan_hurry(spool->scan);
        return TH_NOT_YET;
    }
    th_spool_file_close(&other);
    th_spool_claims_drop(spool->claims, &taken->file.id);
    memcpy(other.name, taken->file.name, sizeof other.name);
    *taken = (struct taken){ .file = other,
                             .progress.next.dict_offset = WARC_NO_OFFSET,
                             .is_new = true };
    const th_spool_entry entry = claim_entry(taken, TH_SPOOL_ACTIVE);
    return th_spool_ledger_commit(spool->ledger, &entry, 1, (th_view){ NULL, 0 }, err);
}

/* Gives a file of the group its claimed name. TH_OK; TH_NOT_YET: it is not ours. */
static th_status claim(struct spool *spool, struct taken *taken, th_error *err)
{
    th_error error = { .text = "" };
    const th_spool_file before = taken->file;
    if (spool->options.claim != TH_SPOOL_RENAME || taken->progress.is_ended)
        return TH_OK;
    th_status status =
        th_spool_file_claim(th_spool_scan_dir(spool->scan), &taken->file, &error);
    if (status == TH_IO) {
        /* The spool is not writable: only the ledger remembers the claim. */
        warn(spool, taken->file.name, error.text);
        return TH_OK;
    }
    if (status == TH_OK)
        return TH_OK;
    const struct taken lost = { .file = before, .is_new = taken->is_new };
    if (status == TH_ABSENT)
        status = adopt(spool, taken, err);
    if (lost.is_new && status != TH_IO && status != TH_NOMEM) {
        const th_spool_entry gone = claim_entry(&lost, TH_SPOOL_WITHDRAWN);
        (void)th_spool_ledger_put(spool->ledger, &gone);
    }
    return status;
}

/* Releases the files of a group that cannot be claimed now. They are offered again. */
static void dissolve_group(struct spool *spool)
{
    for (size_t i = 0; i < spool->group_len; i++) {
        struct taken *taken = &spool->group[i];
        th_spool_scan_hold(spool->scan, taken->file.present, spool->options.settle_ms);
        release(spool, &taken->file);
    }
    spool->group_len = 0;
}

/* Claims the files of the group and puts them in the queue. TH_OK; TH_NOT_YET: none is
 * ours; TH_IO, TH_NOMEM. */
static th_status claim_group(struct spool *spool, th_error *err)
{
    const size_t before = spool->queue_len;
    th_status status = reserve_queue(spool, spool->group_len);
    if (status != TH_OK)
        return th_fail(err, TH_NOMEM, "cannot queue %zu files", spool->group_len);
    status = note_group(spool, err);
    if (status == TH_NO_ROOM) { /* in the ledger */
        dissolve_group(spool);
        return TH_NOT_YET;
    }
    for (size_t i = 0; i < spool->group_len && status == TH_OK; i++) {
        struct taken *taken = &spool->group[i];
        status = claim(spool, taken, err);
        if (status == TH_OK)
            enqueue(spool, taken);
        else
            release(spool, &taken->file);
        if (status == TH_NOT_YET || status == TH_NO_ROOM)
            status = TH_OK;
    }
    spool->group_len = 0;
    if (status != TH_OK)
        return status;
    return spool->queue_len > before ? TH_OK : TH_NOT_YET;
}

/* Puts the next complete files in the queue. TH_OK, TH_NOT_YET, TH_PAUSED, TH_IO,
 * TH_NOMEM. */
static th_status find_files(struct spool *spool, th_error *err)
{
    th_spool_offer offer;
    bool is_short_of_time = false;
    while (spool->group_len < MAX_GROUP &&
           spool->queue_len + spool->group_len < MAX_QUEUE) {
        if (is_short_of_time || (spool->group_len > 0 && is_slice_over(spool))) {
            if (spool->group_len > 0 && th_now_ms() - spool->group_at >= GROUP_MS)
                break;
            return TH_PAUSED;
        }
        if (spool->is_probing)
            is_short_of_time = probe(spool) == TH_PAUSED;
        else if (th_spool_scan_next(spool->scan, &offer))
            take_file(spool, &offer);
        else
            break;
    }
    return spool->group_len > 0 ? claim_group(spool, err) : TH_NOT_YET;
}

/* ---- reading ---- */

/* Records that are read again after a rewind were counted and reported before. */
static bool is_reading_again(struct spool *spool)
{
    return reading(spool)->given.records < reading(spool)->given_ever;
}

/* Returns whether a diagnostic may mean that the file ends too early. */
static bool note_cut(struct cut *cut, const warc_diag *diag)
{
    switch (diag->code) {
    case WARC_DIAG_MEMBER_DAMAGED:
    case WARC_DIAG_NO_CONTENT_LENGTH:
    case WARC_DIAG_BAD_CONTENT_LENGTH:
    case WARC_DIAG_TRUNCATED_BLOCK:
    case WARC_DIAG_TERMINATOR_MISSING:
    case WARC_DIAG_TERMINATOR_ODD:
        cut->has_within = true;
        cut->within = diag->offset;
        return true;
    case WARC_DIAG_MEMBER_TRUNCATED:
    case WARC_DIAG_MEMBER_GARBAGE:
    case WARC_DIAG_GARBAGE_AT_END:
    case WARC_DIAG_HEADER_EOF:
        cut->has_after = true;
        cut->after = diag->offset;
        return true;
    case WARC_DIAG_NOT_WARC: /* in addition to another report, and without a location */
        return true;
    default:
        return false;
    }
}

static void on_diag(void *context, const warc_diag *diag)
{
    struct spool *spool = context;
    const struct queued *queued = reading(spool);
    const bool is_cut = note_cut(&spool->cut, diag);
    if (!warc_diag_is_damage(diag->code) || is_reading_again(spool))
        return;
    /* An incomplete record is not damage while its writer continues. */
    if (is_cut && th_spool_file_writer(&queued->file) == TH_SPOOL_WRITER)
        return;
    char text[256];
    (void)snprintf(text, sizeof text, "offset %llu: %s%s%s",
                   (unsigned long long)diag->offset, warc_diag_name(diag->code),
                   diag->detail[0] ? ": " : "", diag->detail);
    spool->facts.damaged++;
    warn(spool, queued->file.name, text);
}

/* Opens a file again that was closed. TH_OK; TH_NEED_MORE (no descriptors: later);
 * TH_ABSENT; TH_IO. */
static th_status reopen(struct spool *spool, struct queued *queued, warc_error *error)
{
    th_error why = { .text = "" };
    if (queued->file.fd >= 0)
        return TH_OK;
    const th_status status = th_spool_file_reopen(
        th_spool_scan_dir(spool->scan), &queued->file, &queued->given.next, &why);
    (void)snprintf(error->text, sizeof error->text, "%.200s", why.text);
    return status == TH_NO_ROOM ? TH_NEED_MORE : status;
}

/* Opens the reader. TH_OK, TH_NEED_MORE (no descriptors: later), TH_ABSENT, TH_IO,
 * TH_NOMEM. */
static th_status open_reader(struct spool *spool, warc_error *error)
{
    struct queued *queued = reading(spool);
    const th_batch_builder_options options = { .max_record = spool->options.max_record,
                                               .verify_digests =
                                                   spool->options.verify_digests,
                                               .on_diag = on_diag,
                                               .diag_context = spool,
                                               .should_pause = is_slice_over,
                                               .pause_context = spool };
    spool->is_placed = spool->is_begun = false;
    spool->cut = (struct cut){ .has_within = false };
    spool->barren_ms = 0;
    const th_status status = reopen(spool, queued, error);
    if (status != TH_OK)
        return status;
    if (lseek(queued->file.fd, 0, SEEK_SET) != 0) {
        (void)snprintf(error->text, sizeof error->text, "cannot seek: %s",
                       strerror(errno));
        return TH_IO;
    }
    return th_batch_builder_open(&spool->builder, NULL, queued->file.fd, &options, error);
}

/* Brings the reader to the first record to dispatch. Returns TH_OK, TH_NEED_MORE, TH_END,
 * TH_ABSENT, TH_IO, TH_NOMEM, or TH_PAUSED before it has arrived. */
static th_status begin_reading(struct spool *spool, warc_error *error)
{
    const th_checkpoint *next = &reading(spool)->given.next;
    th_status status = spool->builder.reader ? TH_OK : open_reader(spool, error);
    if (status == TH_OK && !spool->is_placed && (next->offset || next->skip))
        status = th_batch_builder_seek(&spool->builder, next, error);
    spool->is_placed |= status == TH_OK;
    if (status == TH_OK && !spool->is_begun)
        status = th_batch_builder_next(&spool->builder, error);
    spool->is_begun |= status == TH_OK;
    return status;
}

/* Notes how the current file ended. It is not read any more. */
static void end_file(struct spool *spool, th_status status, const warc_error *error)
{
    struct queued *queued = reading(spool);
    const char *reason = NULL;
    if (status == TH_IO)
        reason = error->text[0] ? error->text : "cannot be read completely";
    else if (queued->given.records == 0 && !queued->has_writer && spool->builder.reader &&
             warc_reader_get_stats(spool->builder.reader)->damage_count > 0)
        reason = "contains no record";
    if (reason) {
        queued->has_failed = true;
        (void)snprintf(queued->reason, sizeof queued->reason, "%s", reason);
        if (!is_reading_again(spool))
            warn(spool, queued->file.name, reason);
    }
    queued->given.is_ended = true;
    spool->reading++;
}

static void count_bytes(struct spool *spool, struct queued *queued)
{
    const uint64_t report =
        spool->builder.reader ? warc_reader_tell(spool->builder.reader) : 0;
    if (report <= queued->bytes_ever)
        return;
    spool->facts.bytes += report - queued->bytes_ever;
    queued->bytes_ever = report;
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
        status = th_batch_builder_fill(&spool->builder, spool->draft_name, draft, error);
    if (status == TH_PAUSED && draft->record_count == before)
        spool->barren_ms += th_now_ms() - begun;
    else
        spool->barren_ms = 0;
    return status;
}

/* Returns whether the current file has given no record for long enough to report it. */
static bool is_stuck(const struct spool *spool)
{
    return spool->barren_ms > 0 && spool->barren_ms >= spool->options.stuck_ms;
}

/* Handles a current file that gives no record. Returns TH_PAUSED to wait for it, or TH_IO
 * to give up. */
static th_status wait_or_pass_over(struct spool *spool, bool was_stuck, warc_error *error)
{
    const uint32_t limit = spool->options.give_up_ms;
    char text[128];
    const unsigned long long at = warc_reader_tell(spool->builder.reader);
    if (is_stuck(spool) && !was_stuck) {
        (void)snprintf(text, sizeof text, "is stuck: no record in %.1f s, at byte %llu",
                       (double)spool->barren_ms / 1000, at);
        warn(spool, reading(spool)->file.name, text);
    }
    if (!limit || spool->barren_ms < limit)
        return TH_PAUSED;
    (void)snprintf(error->text, sizeof error->text,
                   "skipped: no record in %.1f s of reading, at byte %llu",
                   (double)spool->barren_ms / 1000, at);
    th_batch_builder_cut(&spool->builder, spool->draft);
    spool->counts.files_passed_over++;
    spool->barren_ms = 0;
    return TH_IO;
}

/* Dispatches the draft. Its records move together with their memory. */
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
    th_batch_builder_close(&spool->builder);
    spool->is_drafting = false;
    spool->barren_ms = 0;
}

/* ---- a file that changes while it is read ---- */

/* Returns whether the dispatched bytes are still in the file. If so, its identity becomes
 * the present one. */
static bool is_unchanged(struct queued *queued)
{
    th_spool_id now;
    if (queued->file.fd < 0)
        return true; /* it could not be opened */
    const th_spool_relation relation = th_spool_file_relate(
        queued->file.fd, &queued->file.id, &queued->given.next, &now);
    if (relation == TH_SPOOL_CONTINUED)
        queued->file.id = now;
    return relation != TH_SPOOL_OTHER;
}

/* Gives up a file that was rewritten while it was read: the draft may mix both
 * versions. */
static void give_up_changed(struct spool *spool, warc_error *error)
{
    (void)snprintf(error->text, sizeof error->text, "%s", changed_text);
    spool->draft->record_count = 0;
    spool->counts.files_changed++;
}

static void place_at(th_checkpoint *next, uint64_t offset)
{
    next->offset = offset;
    next->skip = 0;
    next->uoffset = WARC_NO_OFFSET;
}

/* Removes the last record from the draft. Reading continues at the start of that
 * record. */
static void hold_back_last(struct spool *spool, th_checkpoint *next)
{
    th_batch *draft = spool->draft;
    if (draft->record_count == 0)
        return;
    const th_position *position = &draft->records[--draft->record_count].position;
    place_at(next, position->offset);
    next->skip = position->skip;
}

/*
 * Moves the position where reading continues to before a record that the writer has
 * started and not finished.
 * @param report  end of the input
 * @return whether there is such a record
 */
static bool hold_back_cut(struct spool *spool, uint64_t report)
{
    const th_batch *draft = spool->draft;
    const struct cut *cut = &spool->cut;
    th_checkpoint *next = &reading(spool)->given.next;
    const uint64_t last = draft->record_count
                              ? draft->records[draft->record_count - 1].position.offset
                              : next->offset;
    const bool is_within = cut->has_within && cut->within >= last;
    const bool is_after = cut->has_after && cut->after >= last;
    if (!is_within && is_after && (cut->after > last || draft->record_count == 0))
        place_at(next, cut->after);
    else if (is_within || is_after)
        hold_back_last(spool, next);
    else
        place_at(next, report);
    return is_within || is_after;
}

/* Returns how many bytes of the file are the ones of a known identity. */
static uint64_t unwritten_size(int fd, const th_spool_id *known)
{
    switch (th_spool_id_relate(fd, known, known->size, known->tail, NULL)) {
    case TH_SPOOL_CONTINUED:
        return known->size;
    case TH_SPOOL_OTHER:
        return 0;
    case TH_SPOOL_SAME:
    case TH_SPOOL_UNREADABLE: /* reported by the next read */
    default:
        return UINT64_MAX;
    }
}

/*
 * Removes records from the draft that may join bytes from before a write and from after
 * it. For example, the writer removes a record that it has started, while the reader has
 * its header. Records that were complete in the known identity remain.
 * @return whether the draft was cut. Then it is read again when the writer has written or
 *         closed the file.
 */
static bool hold_back_mixed(struct spool *spool, uint64_t unwritten)
{
    struct queued *queued = reading(spool);
    th_checkpoint *next = &queued->given.next;
    if (!spool->builder.reader || warc_reader_tell(spool->builder.reader) <= unwritten)
        return false;
    do
        hold_back_last(spool, next);
    while (spool->draft->record_count > 0 &&
           (next->offset > unwritten || next->skip > 0));
    queued->has_writer = true;
    return true;
}

/*
 * Checks whether the writer of the file continues after the reader has come to an end of
 * the file. If so, reading continues: at once if there is more, else when the writer has
 * written or closed the file.
 * @return TH_OK if there is more; TH_END or TH_IO if the file has ended as `status` says
 */
static th_status judge_end(struct spool *spool, th_status status)
{
    struct queued *queued = reading(spool);
    const uint64_t report =
        spool->builder.reader ? warc_reader_tell(spool->builder.reader) : 0;
    if (queued->file.fd < 0 || !spool->builder.reader)
        return status;
    const bool has_grown = status == TH_END && queued->file.id.size > report;
    const bool has_writer =
        th_spool_file_writer(&queued->file) == TH_SPOOL_WRITER || has_grown;
    if (status == TH_END && has_writer) {
        const bool is_cut = hold_back_cut(spool, report);
        queued->has_writer = is_cut || !has_grown;
        return queued->has_writer ? TH_END : TH_OK;
    }
    if (has_writer) { /* an unreadable part is perhaps not completely written */
        queued->has_writer = true;
        hold_back_last(spool, &queued->given.next);
        return TH_END;
    }
    if (status == TH_END && (queued->given.records || spool->draft->record_count))
        place_at(&queued->given.next, queued->file.id.size);
    else if (queued->given.records || spool->draft->record_count)
        place_at(&queued->given.next, report);
    return status;
}

/* Notes the check of the next position to dispatch. */
static void check_next(struct queued *queued)
{
    th_checkpoint *next = &queued->given.next;
    if (queued->file.fd < 0)
        return;
    if (next->offset == queued->file.id.size)
        next->version = queued->file.id.tail;
    else if (!th_spool_id_check(queued->file.fd, next->offset, &next->version))
        next->version = 0; /* if it is written to, it is not recognized */
}

/*
 * Reads from the current file. Returns TH_OK with a batch. TH_END if the file ended
 * without a batch, and is `done` as far as it goes. TH_PAUSED if no time is left: the
 * next call continues. TH_NEED_MORE if it cannot be read now. TH_NOMEM.
 */
static th_status read_batch(struct spool *spool, th_batch *batch)
{
    struct queued *queued = reading(spool);
    warc_error error = { .text = "" };
    const bool was_stuck = is_stuck(spool);
    bool is_passed_over = false;
    th_status status = read_draft(spool, &error);
    if (status == TH_NOMEM || status == TH_NEED_MORE)
        return status;
    count_bytes(spool, queued);
    if (status == TH_PAUSED) {
        status = wait_or_pass_over(spool, was_stuck, &error);
        is_passed_over = status == TH_IO;
    }
    if (status == TH_PAUSED)
        return status;
    if (status == TH_ABSENT) {
        queued->is_gone = true;
        if (!is_reading_again(spool))
            warn(spool, queued->file.name, error.text);
        status = TH_END;
    }
    const bool is_full = status == TH_OK;
    const uint64_t unwritten = queued->file.fd < 0
                                   ? UINT64_MAX
                                   : unwritten_size(queued->file.fd, &queued->file.id);
    if (!is_unchanged(queued)) {
        give_up_changed(spool, &error);
        status = TH_IO;
    } else if (!is_passed_over && hold_back_mixed(spool, unwritten)) {
        status = TH_END;
    } else if (!is_full && !is_passed_over) {
        status = judge_end(spool, status);
    }
    give_draft(spool, batch);
    count_records(spool, queued, batch->record_count);
    if (is_full && status == TH_OK)
        th_batch_builder_place(&spool->builder, &queued->given.next);
    check_next(queued);
    if (status != TH_OK)
        end_file(spool, status, &error);
    /* After a write, bytes that the reader has read ahead may be old. */
    if (!is_full || status != TH_OK || unwritten != UINT64_MAX)
        th_batch_builder_close(&spool->builder);
    if (status != TH_OK)
        th_spool_file_close(&queued->file);
    batch->next = queued->given.next;
    batch->next.input = queued->serial;
    batch->input = queued->serial;
    batch->epoch = spool->epoch;
    batch->is_last = queued->given.is_ended;
    batch->counts = (th_source_counts){ .bytes_read = spool->facts.bytes,
                                        .damaged = spool->facts.damaged,
                                        .unreadable = spool->counts.files_failed };
    if (batch->record_count > 0)
        return TH_OK;
    /* No batch was dispatched for the end, so no call of done() will note it. */
    if (queued->given.is_ended && queued->done.records == queued->given.records) {
        queued->done.is_ended = true;
        queued->done.next = queued->given.next;
    }
    return queued->given.is_ended ? TH_END : TH_PAUSED;
}

/* ---- the interface ---- */

/* Settles files without records when no acknowledgement will follow. Otherwise the next
 * acknowledgement settles them. Files after them are settled together with them, once
 * all claimed files are read. */
static th_status settle_empty(struct spool *spool, th_error *err)
{
    if (spool->queue_len == 0 || spool->reading < spool->queue_len ||
        !spool->queue[0].done.is_ended || has_unacknowledged(spool))
        return TH_OK;
    return acknowledge_progress(spool, (th_view){ NULL, 0 }, err);
}

/* Reads the next batch of the next file with one. Returns TH_OK, TH_NOT_YET, TH_IO,
 * TH_NOMEM, or TH_PAUSED if it needs another poll. */
static th_status next_batch(struct spool *spool, th_batch *batch, th_error *err)
{
    th_status status = TH_END;
    spool->slice_end = th_now_ms() + TH_SPOOL_SLICE_MS;
    while (status == TH_END) {
        /* After a rewind some files are completely acknowledged. */
        while (spool->reading < spool->queue_len && reading(spool)->given.is_ended)
            spool->reading++;
        if (spool->reading == spool->queue_len) {
            status = find_files(spool, err);
            if (status != TH_OK)
                return status;
            status = TH_END;
            continue;
        }
        if (is_slice_over(spool))
            return TH_PAUSED;
        status = read_batch(spool, batch);
        if (status == TH_NOMEM)
            return th_fail(err, TH_NOMEM, "%s: out of memory", reading(spool)->file.name);
        if (status == TH_NEED_MORE)
            return TH_NOT_YET;
    }
    return status;
}

static void notice_moved(void *context, const char *name, int error)
{
    struct spool *spool = context;
    char text[256];
    spool->counts.files_grown += error == 0;
    spool->counts.files_changed += error != 0;
    (void)snprintf(
        text, sizeof text,
        error ? "grew after it was moved and cannot be moved back, so the added bytes "
                "are not read: %s"
              : "grew after it was moved; it is moved back, and reading continues",
        strerror(error));
    warn(spool, name, text);
}

/* At the start. The files were moved by an earlier process, and may have grown since. */
static void remember_moved(void *context, const th_spool_entry *entry)
{
    struct spool *spool = context;
    th_spool_file file = { .fd = -1, .id = entry->id };
    char as[TH_SPOOL_PRESENT];
    memcpy(file.name, entry->name, sizeof file.name);
    /* An entry of an earlier version does not recognize a file that has grown. */
    if (entry->id.written_ns && th_spool_file_find(spool->done.fd, &file, as))
        th_spool_moved_add(spool->moved, &file, as);
}

/* After each look at the spool, checks the files that were moved last. */
static void look_at_moved(struct spool *spool)
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
    struct spool *spool = spool_of(source);
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
    struct spool *spool = spool_of(source);
    if (batch->epoch != spool->epoch || spool->queue_len == 0)
        return;
    const uint32_t index = batch->input - spool->queue[0].serial;
    if (index >= spool->queue_len)
        return;
    struct queued *queued = &spool->queue[index];
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
    struct spool *spool = spool_of(source);
    if (token->epoch != spool->epoch)
        return TH_OK; /* it is void */
    th_spool_rows_sent(&spool->withdrawn);
    th_buffer_reset(&spool->replaced_rows);
    const th_view before = th_spool_ledger_note(spool->ledger);
    if (note.data && note.len == before.len &&
        memcmp(note.data, before.data, note.len) == 0)
        note = (th_view){ NULL, 0 }; /* nothing new: no line for it */
    return acknowledge_progress(spool, note, err);
}

static th_view note_of(const th_stream_source *source)
{
    return th_spool_ledger_note(((const struct spool *)source)->ledger);
}

static th_status rewind_spool(th_stream_source *source, th_error *err)
{
    struct spool *spool = spool_of(source);
    (void)err;
    drop_draft(spool);
    for (size_t i = 0; i < spool->queue_len; i++) {
        struct queued *queued = &spool->queue[i];
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
    return ((const struct spool *)source)->epoch;
}

th_spool_stats th_spool_source_stats(th_stream_source *source)
{
    const struct spool *spool = spool_of(source);
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
    if (is_stuck(spool))
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
    const struct spool *spool = spool_of(source);
    const th_spool_stats counts = th_spool_source_stats(source);
    th_spool_scan_stats seen;
    th_spool_scan_facts_get(spool->scan, &seen);
    *out = spool->facts;
    if (is_stuck(spool))
        (void)snprintf(out->unready, sizeof out->unready,
                       "'%.120s' is stuck: no record in %.0f s of reading",
                       spool->queue[spool->reading].file.name, counts.stuck_seconds);
    out->positions_damaged = th_spool_ledger_damaged(spool->ledger);
    out->is_assigned = seen.is_scanned;
    th_own_metrics_set(&out->own, metrics, METRICS, &counts);
}

/* Writes one row for each file that is further than its acknowledged position. Withdrawn
 * keys come first, because one of them may have a new row. */
static void write_progress(struct spool *spool, th_buffer *rows)
{
    th_spool_rows_write(&spool->withdrawn, spool->ledger, rows);
    th_buffer_append_view(rows, th_buffer_view(&spool->replaced_rows));
    for (size_t i = 0; i < spool->queue_len; i++) {
        if (!has_progress(&spool->queue[i]))
            continue;
        const th_spool_entry entry = entry_of(&spool->queue[i], &spool->queue[i].done);
        th_spool_row_write(&entry, rows);
    }
}

static th_status token(th_stream_source *source, uint64_t mark, th_commit_token *out,
                       th_error *err)
{
    struct spool *spool = spool_of(source);
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
static void learn_present(struct spool *spool)
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

static bool may_be_present(struct spool *spool, const th_spool_id *id)
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
    struct spool *spool = spool_of(source);
    th_spool_entry entry = { .state = TH_SPOOL_ACTIVE }, known;
    bool is_old = false;
    if (!value.data) {
        th_spool_rows_cancel(&spool->withdrawn, key);
        return;
    }
    if (!th_spool_row_read(key, value, &entry, &is_old)) {
        warn(spool, "", "skipped an invalid progress row of the output");
        return;
    }
    if (entry.state != TH_SPOOL_ACTIVE && !may_be_present(spool, &entry.id)) {
        withdraw_row(spool, &entry.id, is_old);
        return;
    }
    if (is_old) {
        withdraw_row(spool, &entry.id, true);
        /* Our row for the same file, or for the next one of its inode, is newer. */
        if (th_spool_ledger_find(spool->ledger, &entry.id, &known) && known.id.written_ns)
            return;
        th_spool_row_write(&entry, &spool->replaced_rows);
    }
    /* If out of memory the ledger's position is used. This may repeat records but loses
     * none. */
    if (th_spool_ledger_put(spool->ledger, &entry) != TH_OK)
        warn(spool, entry.name, "out of memory for its progress");
}

static void close_spool(th_stream_source *source)
{
    struct spool *spool = spool_of(source);
    th_batch_builder_close(&spool->builder);
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

static int open_claims(struct spool *spool)
{
    char *owner = name_owner(spool->options.ledger);
    const int claims = owner ? th_spool_claims_open(th_spool_scan_dir(spool->scan), owner,
                                                    &spool->is_sole)
                             : -1;
    free(owner);
    return claims;
}

static th_status open_folders(struct spool *spool, th_error *err)
{
    th_status status = TH_OK;
    if (spool->done.path)
        status = open_folder(spool, &spool->done, err);
    if (status == TH_OK && spool->failed.path)
        status = open_folder(spool, &spool->failed, err);
    if (status == TH_OK && !is_read_only(spool)) {
        spool->claims = open_claims(spool);
        if (spool->claims < 0)
            warn(spool, "",
                 "cannot create a file of claims; processes that share the spool may "
                 "read the same file");
    }
    return status;
}

static void notice_folder(void *context, const char *path, const char *text)
{
    warn(context, path, text);
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
        .warn = notice_folder,
        .context = spool
    };
    const th_spool_ledger_options remembering = { .path = options->ledger,
                                                  .keep = options->ledger_keep,
                                                  .is_present = is_present,
                                                  .context = spool };
    spool->group = calloc(MAX_GROUP, sizeof *spool->group);
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
        warn(spool, "", "the ledger was damaged; its invalid lines are in LEDGER.bad");
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
