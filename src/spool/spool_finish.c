/* The end of a file in the spool. See the header. */
#include "spool/spool_finish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void th_spool_warn(th_spool *spool, const char *name, const char *text)
{
    if (!spool->options.warn)
        return;
    char line[3072];
    (void)snprintf(line, sizeof line, "%.1900s%s%.511s: %.600s", spool->options.dir,
                   *name ? "/" : "", name, text);
    spool->options.warn(spool->options.warn_context, line);
}

/* ---- folders outside the spool ---- */

th_status th_spool_folder_open(const th_spool *spool, th_spool_folder *folder,
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

void th_spool_folder_close(th_spool_folder *folder)
{
    if (folder->fd >= 0)
        (void)close(folder->fd);
    folder->fd = -1;
}

/* Another process may have removed the folder, or replaced it. */
static th_status renew_folder(th_spool *spool, th_spool_folder *folder, th_error *err)
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
        th_spool_warn(spool, "", why.text);
    }
    th_spool_folder_close(folder);
    const th_status status = th_spool_folder_open(spool, folder, err);
    if (status != TH_OK)
        th_spool_folder_close(folder);
    return status;
}

bool th_spool_is_present(void *context, const th_spool_entry *entry)
{
    const th_spool *spool = context;
    char claimed[TH_SPOOL_PRESENT];
    const int dir = th_spool_scan_dir(spool->scan);
    (void)snprintf(claimed, sizeof claimed, "%s" TH_SPOOL_CLAIMED, entry->name);
    return faccessat(dir, entry->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
           faccessat(dir, claimed, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* ---- the end of a file ---- */

th_spool_entry th_spool_entry_of(const th_spool_queued *queued,
                                 const th_spool_progress *progress)
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
static th_status put_away(th_spool *spool, const th_spool_file *file, th_spool_folder *to,
                          char as[TH_SPOOL_PRESENT], th_error *err)
{
    const th_status status = renew_folder(spool, to, err);
    return status == TH_OK
               ? th_spool_file_move(th_spool_scan_dir(spool->scan), file, to->fd, as, err)
               : status;
}

/* Puts a failed file aside with its reason. */
static th_status put_aside(th_spool *spool, const th_spool_file *file,
                           const th_spool_entry *entry, const char *reason, th_error *err)
{
    char as[TH_SPOOL_PRESENT];
    const th_status status = put_away(spool, file, &spool->failed, as, err);
    return status == TH_OK
               ? th_spool_file_explain(spool->failed.path, as, entry, reason, err)
               : status;
}

/* Gives a kept file its own name back, if it lost it. */
static th_status put_back(th_spool *spool, const th_spool_file *file,
                          char as[TH_SPOOL_PRESENT], th_error *err)
{
    const int dir = th_spool_scan_dir(spool->scan);
    memcpy(as, file->present, TH_SPOOL_PRESENT);
    return file->is_claimed ? th_spool_file_move(dir, file, dir, as, err) : TH_OK;
}

void th_spool_withdraw(th_spool *spool, const th_spool_id *id, bool is_old)
{
    if (spool->base.verbs->keeping == TH_KEPT_IN_ROWS && id->inode &&
        !th_spool_rows_withdraw(&spool->withdrawn, id, is_old))
        th_spool_warn(spool, "", "out of memory: an obsolete row of progress remains");
}

/* Forgets the inode of a removed file, because the next file may get it, but remembers
 * its digest. If out of memory, its inode is also kept. */
static void forget_inode(th_spool *spool, const th_spool_entry *entry)
{
    th_spool_entry gone = *entry;
    gone.state = TH_SPOOL_WITHDRAWN;
    if (entry->id.inode)
        (void)th_spool_ledger_put(spool->ledger, &gone);
}

/* Puts a finished file where it belongs. TH_OK; TH_ABSENT; TH_NOT_YET; other errors. */
static th_status put_in_place(th_spool *spool, const th_spool_file *file,
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

bool th_spool_keeps(const th_spool *spool, th_spool_state state)
{
    return state == TH_SPOOL_FAILED ? !spool->failed.path
                                    : spool->options.finish == TH_SPOOL_KEEP;
}

void th_spool_dispose(th_spool *spool, const th_spool_file *file,
                      const th_spool_entry *entry, const char *reason, bool was_held)
{
    th_error error = { .text = "" };
    const th_status status = put_in_place(spool, file, entry, reason, &error);
    if (status == TH_NOT_YET) {
        th_spool_scan_hold(spool->scan, file->present, spool->options.settle_ms);
    } else if (status != TH_OK && status != TH_ABSENT) {
        if (!was_held)
            th_spool_warn(spool, file->name, error.text);
        th_spool_scan_hold(spool->scan, file->present, spool->options.rescan_ms);
    } else if (status == TH_ABSENT) { /* another file may have its name: claimed or not */
        th_spool_scan_hold(spool->scan, file->present, spool->options.settle_ms);
        th_spool_withdraw(spool, &file->id, false);
    } else if (!th_spool_keeps(spool, entry->state)) {
        th_spool_withdraw(spool, &file->id, false);
    }
}

/* Gives a file whose writer continues its own name back. It waits there until it changes
 * or is closed. */
static void wait_for_writer(th_spool *spool, const th_spool_file *file)
{
    char as[TH_SPOOL_PRESENT];
    th_error error = { .text = "" };
    const th_status status = put_back(spool, file, as, &error);
    if (status != TH_OK && status != TH_ABSENT && status != TH_NOT_YET)
        th_spool_warn(spool, file->name, error.text);
    th_spool_scan_hold(spool->scan, status == TH_OK ? as : file->present,
                       spool->options.rescan_ms);
}

th_status th_spool_reserve_entries(th_spool *spool, size_t count, th_error *err)
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

bool th_spool_has_progress(const th_spool_queued *queued)
{
    return queued->done.records != queued->acknowledged.records ||
           queued->done.is_ended != queued->acknowledged.is_ended;
}

/* Takes a file that is completely acknowledged out of the spool. */
static void finish_file(th_spool *spool, th_spool_queued *queued)
{
    const th_spool_entry entry = th_spool_entry_of(queued, &queued->done);
    if (queued->has_writer)
        wait_for_writer(spool, &queued->file);
    else if (!queued->is_gone)
        th_spool_dispose(spool, &queued->file, &entry, queued->reason, false);
    th_spool_file_close(&queued->file);
    th_spool_claims_drop(spool->claims, &queued->file.id);
    if (queued->has_failed)
        spool->counts.files_failed++;
    else if (queued->is_gone)
        spool->counts.files_changed++;
    else if (!queued->has_writer)
        spool->counts.files_done++;
}

th_status th_spool_acknowledge(th_spool *spool, th_view note, th_error *err)
{
    size_t count = 0, ended = 0;
    th_status status = th_spool_reserve_entries(spool, spool->queue_len + 1, err);
    for (size_t i = 0; status == TH_OK && i < spool->queue_len; i++) {
        const th_spool_queued *queued = &spool->queue[i];
        if (th_spool_has_progress(queued))
            spool->entries[count++] = th_spool_entry_of(queued, &queued->done);
    }
    if (status == TH_OK)
        status = th_spool_ledger_commit(spool->ledger, spool->entries, count, note, err);
    if (status != TH_OK)
        return status;
    for (size_t i = 0; i < spool->queue_len; i++) {
        th_spool_queued *queued = &spool->queue[i];
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
