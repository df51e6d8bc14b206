/*
 * Takes complete files: each is compared with the ledger. It may be a new file, or come
 * from a restart. It may be a file that could not be put away, or whose writer continued:
 *
 *     its inode is unknown          new
 *     unchanged, finished           put away again
 *     read part is unchanged        continued at the stored position
 *     else                          new: another file has got the inode, or the name
 *     new, with a known digest      a copy: put away, its records are not read again
 */
#include "spool/spool_take.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "spool/spool_finish.h"

enum { GROUP_MS = 200 }; /* a group does not wait longer for the next file */

/* A larger file has no digest, because a second reading would delay other files. */
#define DIGEST_MAX (32ULL << 30)

/* ---- a file that is met ---- */

/*
 * Returns whether a claimed file that none of our ledgers knows may be taken at once. It
 * may if the ledger that knew it was damaged, or if no other ledger has ever claimed
 * files here. Otherwise another process may own it, which is not running now. That
 * process has adopt_ms to return.
 */
static bool may_adopt(th_spool *spool, const th_spool_file *file)
{
    struct stat facts;
    if (th_spool_ledger_damaged(spool->ledger) > 0 || spool->is_sole)
        return true;
    if (!spool->has_orphans)
        th_spool_warn(
            spool, file->present,
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
            /* If nothing was read, it is a new file, with a digest. */
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

static bool is_queued_inode(const th_spool *spool, uint64_t device, uint64_t inode)
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
static void join_group(th_spool *spool, th_spool_taken *taken)
{
    th_spool_file_close(&taken->file);
    if (spool->group_len == 0)
        spool->group_at = th_now_ms();
    spool->group[spool->group_len++] = *taken;
}

/* Releases a taken file that is not ours, or not now. */
static void release(th_spool *spool, th_spool_file *file)
{
    th_spool_file_close(file);
    th_spool_claims_drop(spool->claims, &file->id);
}

/* Handles a file that was completely read before. */
static void meet_finished(th_spool *spool, th_spool_file *file,
                          const th_spool_entry *entry, bool was_held)
{
    if (entry->state == TH_SPOOL_DONE && spool->options.finish != TH_SPOOL_KEEP &&
        th_spool_file_writer(file) == TH_SPOOL_WRITER)
        th_spool_scan_hold(spool->scan, file->present, spool->options.rescan_ms);
    else
        th_spool_dispose(spool, file, entry, "failed before", was_held);
    release(spool, file);
}

/* Handles a file that was read in part before. */
static void resume(th_spool *spool, th_spool_file *file, const th_spool_entry *entry,
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
        th_spool_warn(spool, file->name, text);
        spool->counts.files_grown++;
    }
    th_spool_taken taken = { .file = *file,
                             .progress = { .next = *next, .records = entry->records } };
    if (file->is_claimed)
        memcpy(taken.file.name, entry->name, sizeof taken.file.name);
    join_group(spool, &taken);
}

/* ---- copies ---- */

/* Returns whether a file in the ledger with the same bytes must still be read. */
static bool is_to_come(const th_spool *spool, const th_spool_entry *entry)
{
    return is_queued_inode(spool, entry->id.device, entry->id.inode) ||
           th_spool_is_present((void *)(uintptr_t)spool, entry);
}

static bool is_copy_in_group(const th_spool *spool, const th_spool_id *id)
{
    for (size_t i = 0; i < spool->group_len; i++)
        if (th_spool_id_is_content(&spool->group[i].file.id, id))
            return true;
    return false;
}

/* Handles a new file whose digest is known. It is new, or a copy of a file in the
 * ledger. */
static void meet_new(th_spool *spool, th_spool_taken *taken)
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
        taken->progress = (th_spool_progress){ .next = entry.next,
                                               .records = entry.records,
                                               .is_ended = is_finished };
        (void)snprintf(text, sizeof text, "is a copy of '%s', which %s", entry.name,
                       is_finished
                           ? "was read before; its records are not read again"
                           : "was removed; reading continues at its last position");
        th_spool_warn(spool, file->name, text);
        spool->counts.files_copied++;
        taken->has_failed = entry.state == TH_SPOOL_FAILED;
        if (!is_finished)
            taken->replaced = entry.id;
    }
    join_group(spool, taken);
}

/* Continues the digest of a new file. Returns TH_OK if the file is in the group, or not
 * for us, or TH_PAUSED. */
static th_status probe(th_spool *spool)
{
    th_spool_taken *taken = &spool->probed;
    th_spool_id now;
    th_status status =
        th_spool_digest_step(spool->digest, taken->file.fd, taken->file.id.size,
                             th_spool_slice_is_over, spool, taken->file.id.digest);
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
static void refuse_file(th_spool *spool, const th_spool_offer *offer, const char *reason)
{
    th_spool_file file = { .fd = -1, .is_claimed = offer->is_claimed };
    th_spool_entry entry = { .state = TH_SPOOL_FAILED };
    const size_t suffix = offer->is_claimed ? strlen(TH_SPOOL_CLAIMED) : 0;
    (void)snprintf(file.present, sizeof file.present, "%s", offer->present);
    (void)snprintf(file.name, sizeof file.name, "%.*s",
                   (int)(strlen(offer->present) - suffix), offer->present);
    memcpy(entry.name, file.name, sizeof entry.name);
    if (!offer->was_held) {
        th_spool_warn(spool, file.name, reason);
        spool->counts.files_failed++;
    }
    th_spool_dispose(spool, &file, &entry, reason, offer->was_held);
}

/* Returns whether a file with other bytes than its inode's entry was rewritten in place.
 * Under another name, or if a finished file leaves the spool, the inode was reused. */
static bool is_rewritten(const th_spool *spool, const th_spool_file *file,
                         const th_spool_entry *entry)
{
    return entry->records > 0 && strcmp(file->name, entry->name) == 0 &&
           (entry->state == TH_SPOOL_ACTIVE || th_spool_keeps(spool, entry->state));
}

/* Compares a taken file with the ledger. Returns TH_OK if it is handled, or in the
 * group, or its digest is being computed. */
static void meet_file(th_spool *spool, th_spool_file *file, bool was_held)
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
    th_spool_taken taken = { .file = *file,
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
static void take_file(th_spool *spool, const th_spool_offer *offer)
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

static th_status reserve_queue(th_spool *spool, size_t count)
{
    if (spool->queue_len + count <= spool->queue_capacity)
        return TH_OK;
    const size_t capacity = 2 * (spool->queue_len + count);
    th_spool_queued *queue = realloc(spool->queue, capacity * sizeof *queue);
    if (!queue)
        return TH_NOMEM;
    spool->queue = queue;
    spool->queue_capacity = capacity;
    return TH_OK;
}

static void enqueue(th_spool *spool, const th_spool_taken *taken)
{
    th_spool_queued *queued = &spool->queue[spool->queue_len++];
    if (taken->is_rewritten && !taken->progress.is_ended) {
        th_spool_warn(spool, taken->file.name, TH_SPOOL_CHANGED);
        spool->counts.files_changed++;
    }
    *queued = (th_spool_queued){ .file = taken->file,
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

static th_spool_entry claim_entry(const th_spool_taken *taken, th_spool_state state)
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
static th_status note_group(th_spool *spool, th_error *err)
{
    size_t count = 0;
    th_status status = th_spool_reserve_entries(spool, 2 * spool->group_len, err);
    for (size_t i = 0; status == TH_OK && i < spool->group_len; i++) {
        const th_spool_taken *taken = &spool->group[i];
        if (taken->is_new)
            spool->entries[count++] = claim_entry(taken, TH_SPOOL_ACTIVE);
        if (taken->replaced.inode) {
            th_spool_entry *gone = &spool->entries[count++];
            *gone = claim_entry(taken, TH_SPOOL_WITHDRAWN);
            gone->id = taken->replaced;
            th_spool_withdraw(spool, &taken->replaced, false);
        }
    }
    return status == TH_OK ? th_spool_ledger_commit(spool->ledger, spool->entries, count,
                                                    (th_view){ NULL, 0 }, err)
                           : status;
}

/* Handles a name that had gone to another file when it was claimed. That file is now
 * claimed, and is ours. The ledger gets its entry late: a crash in between leaves a
 * claimed file that it does not know. */
static th_status adopt(th_spool *spool, th_spool_taken *taken, th_error *err)
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
    *taken = (th_spool_taken){ .file = other,
                               .progress.next.dict_offset = WARC_NO_OFFSET,
                               .is_new = true };
    const th_spool_entry entry = claim_entry(taken, TH_SPOOL_ACTIVE);
    return th_spool_ledger_commit(spool->ledger, &entry, 1, (th_view){ NULL, 0 }, err);
}

/* Gives a file of the group its claimed name. TH_OK; TH_NOT_YET: it is not ours. */
static th_status claim(th_spool *spool, th_spool_taken *taken, th_error *err)
{
    th_error error = { .text = "" };
    const th_spool_file before = taken->file;
    if (spool->options.claim != TH_SPOOL_RENAME || taken->progress.is_ended)
        return TH_OK;
    th_status status =
        th_spool_file_claim(th_spool_scan_dir(spool->scan), &taken->file, &error);
    if (status == TH_IO) {
        /* The spool is not writable: only the ledger remembers the claim. */
        th_spool_warn(spool, taken->file.name, error.text);
        return TH_OK;
    }
    if (status == TH_OK)
        return TH_OK;
    const th_spool_taken lost = { .file = before, .is_new = taken->is_new };
    if (status == TH_ABSENT)
        status = adopt(spool, taken, err);
    if (lost.is_new && status != TH_IO && status != TH_NOMEM) {
        const th_spool_entry gone = claim_entry(&lost, TH_SPOOL_WITHDRAWN);
        (void)th_spool_ledger_put(spool->ledger, &gone);
    }
    return status;
}

/* Releases the files of a group that cannot be claimed now. They are offered again. */
static void dissolve_group(th_spool *spool)
{
    for (size_t i = 0; i < spool->group_len; i++) {
        th_spool_taken *taken = &spool->group[i];
        th_spool_scan_hold(spool->scan, taken->file.present, spool->options.settle_ms);
        release(spool, &taken->file);
    }
    spool->group_len = 0;
}

/* Claims the files of the group and puts them in the queue. TH_OK; TH_NOT_YET: none is
 * ours; TH_IO, TH_NOMEM. */
static th_status claim_group(th_spool *spool, th_error *err)
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
        th_spool_taken *taken = &spool->group[i];
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

th_status th_spool_find_files(th_spool *spool, th_error *err)
{
    th_spool_offer offer;
    bool is_short_of_time = false;
    while (spool->group_len < TH_SPOOL_GROUP &&
           spool->queue_len + spool->group_len < TH_SPOOL_QUEUE) {
        if (is_short_of_time || (spool->group_len > 0 && th_spool_slice_is_over(spool))) {
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
