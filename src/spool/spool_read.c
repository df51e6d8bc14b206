/*
 * Reads the records of the files in the queue. At the end of a file, its identity and its
 * lease (spool_file.h) show whether its writer continues. Then the file gets its own name
 * back, and waits there.
 *
 * Only the file being read is open. The others are ours by their claims.
 */
#include "spool/spool_read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- reading ---- */

/* Records that are read again after a rewind were counted and reported before. */
static bool is_reading_again(th_spool *spool)
{
    return th_spool_reading(spool)->given.records < th_spool_reading(spool)->given_ever;
}

/* Returns whether a diagnostic may mean that the file ends too early. */
static bool note_cut(th_spool_cut *cut, const warc_diag *diag)
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
    th_spool *spool = context;
    const th_spool_queued *queued = th_spool_reading(spool);
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
    th_spool_warn(spool, queued->file.name, text);
}

/* Opens a file again that was closed. TH_OK; TH_NEED_MORE (no descriptors: later);
 * TH_ABSENT; TH_IO. */
static th_status reopen(th_spool *spool, th_spool_queued *queued, warc_error *error)
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
static th_status open_reader(th_spool *spool, warc_error *error)
{
    th_spool_queued *queued = th_spool_reading(spool);
    const th_batch_builder_options options = { .max_record = spool->options.max_record,
                                               .verify_digests =
                                                   spool->options.verify_digests,
                                               .on_diag = on_diag,
                                               .diag_context = spool,
                                               .should_pause = th_spool_slice_is_over,
                                               .pause_context = spool };
    spool->is_placed = spool->is_begun = false;
    spool->cut = (th_spool_cut){ .has_within = false };
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
static th_status begin_reading(th_spool *spool, warc_error *error)
{
    const th_checkpoint *next = &th_spool_reading(spool)->given.next;
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
static void end_file(th_spool *spool, th_status status, const warc_error *error)
{
    th_spool_queued *queued = th_spool_reading(spool);
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
            th_spool_warn(spool, queued->file.name, reason);
    }
    queued->given.is_ended = true;
    spool->reading++;
}

static void count_bytes(th_spool *spool, th_spool_queued *queued)
{
    const uint64_t report =
        spool->builder.reader ? warc_reader_tell(spool->builder.reader) : 0;
    if (report <= queued->bytes_ever)
        return;
    spool->facts.bytes += report - queued->bytes_ever;
    queued->bytes_ever = report;
}

static void count_records(th_spool *spool, th_spool_queued *queued, uint32_t records)
{
    queued->given.records += records;
    if (queued->given.records <= queued->given_ever)
        return;
    spool->facts.received += queued->given.records - queued->given_ever;
    queued->given_ever = queued->given.records;
}

static th_status begin_draft(th_spool *spool)
{
    const char *name = th_spool_reading(spool)->file.name;
    th_arena_reset(spool->draft->arena);
    spool->draft->record_count = 0;
    spool->draft_name =
        th_arena_copy(spool->draft->arena, (th_view){ name, strlen(name) });
    spool->is_drafting = spool->draft_name.data != NULL;
    return spool->is_drafting ? TH_OK : TH_NOMEM;
}

/* Adds to the draft. TH_OK: it is full; TH_END, TH_IO; TH_NOMEM; TH_PAUSED: so far. */
static th_status read_draft(th_spool *spool, warc_error *error)
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

bool th_spool_is_stuck(const th_spool *spool)
{
    return spool->barren_ms > 0 && spool->barren_ms >= spool->options.stuck_ms;
}

/* Handles a current file that gives no record. Returns TH_PAUSED to wait for it, or TH_IO
 * to give up. */
static th_status wait_or_pass_over(th_spool *spool, bool was_stuck, warc_error *error)
{
    const uint32_t limit = spool->options.give_up_ms;
    char text[128];
    const unsigned long long at = warc_reader_tell(spool->builder.reader);
    if (th_spool_is_stuck(spool) && !was_stuck) {
        (void)snprintf(text, sizeof text, "is stuck: no record in %.1f s, at byte %llu",
                       (double)spool->barren_ms / 1000, at);
        th_spool_warn(spool, th_spool_reading(spool)->file.name, text);
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
static void give_draft(th_spool *spool, th_batch *batch)
{
    th_batch *draft = spool->draft;
    th_arena *const spare = batch->arena;
    batch->arena = draft->arena;
    draft->arena = spare;
    batch->record_count = draft->record_count;
    memcpy(batch->records, draft->records, draft->record_count * sizeof *draft->records);
    spool->is_drafting = false;
}

void th_spool_drop_draft(th_spool *spool)
{
    th_batch_builder_close(&spool->builder);
    spool->is_drafting = false;
    spool->barren_ms = 0;
}

/* ---- a file that changes while it is read ---- */

/* Returns whether the dispatched bytes are still in the file. If so, its identity becomes
 * the present one. */
static bool is_unchanged(th_spool_queued *queued)
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
static void give_up_changed(th_spool *spool, warc_error *error)
{
    (void)snprintf(error->text, sizeof error->text, "%s", TH_SPOOL_CHANGED);
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
static void hold_back_last(th_spool *spool, th_checkpoint *next)
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
static bool hold_back_cut(th_spool *spool, uint64_t report)
{
    const th_batch *draft = spool->draft;
    const th_spool_cut *cut = &spool->cut;
    th_checkpoint *next = &th_spool_reading(spool)->given.next;
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
static bool hold_back_mixed(th_spool *spool, uint64_t unwritten)
{
    th_spool_queued *queued = th_spool_reading(spool);
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
static th_status judge_end(th_spool *spool, th_status status)
{
    th_spool_queued *queued = th_spool_reading(spool);
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
static void check_next(th_spool_queued *queued)
{
    th_checkpoint *next = &queued->given.next;
    if (queued->file.fd < 0)
        return;
    if (next->offset == queued->file.id.size)
        next->version = queued->file.id.tail;
    else if (!th_spool_id_check(queued->file.fd, next->offset, &next->version))
        next->version = 0; /* if it is written to, it is not recognized */
}

th_status th_spool_read_batch(th_spool *spool, th_batch *batch)
{
    th_spool_queued *queued = th_spool_reading(spool);
    warc_error error = { .text = "" };
    const bool was_stuck = th_spool_is_stuck(spool);
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
            th_spool_warn(spool, queued->file.name, error.text);
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
