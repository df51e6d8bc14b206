/* Records by archive and offset. See the header. */
#include "kafka/archive_reader.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "ingest/batch_builder.h"
#include "ingest/read_limit.h"
#include "kafka/archive_folder.h"
#include "kafka/archive_waits.h"

/* If fewer bytes than this follow an offset, the archive ends there without a record. */
enum { RECORD_MIN = 32 };

struct th_archive_reader {
    th_archive_options options;
    th_archive_waits *waits;
    th_batch_builder builder; /* over the archive that is open */
    th_read_limit limit;      /* of its reader, for the present record */
    char *name;               /* of it; NULL: none is open */
    int fd;
    th_file_identity identity;
    bool is_cut;   /* the present record runs over the archive's end */
    bool is_short; /* the system lacks descriptors or memory at present; reported once */
    /* The archive of the last cut record, and the offset of that record. It is not
     * read again before the archive changes. */
    th_file_identity cut_identity;
    uint64_t cut_offset;
};

th_archive_reader *th_archive_reader_new(const th_archive_options *options)
{
    th_archive_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    *reader = (th_archive_reader){ .options = *options, .fd = -1 };
    reader->waits = th_archive_waits_new(options->wait_ms);
    if (!reader->waits) {
        free(reader);
        return NULL;
    }
    return reader;
}

static void close_archive(th_archive_reader *reader)
{
    reader->limit = (th_read_limit){ .reader = NULL };
    th_batch_builder_close(&reader->builder);
    if (reader->fd >= 0)
        (void)close(reader->fd);
    reader->fd = -1;
    free(reader->name);
    reader->name = NULL;
}

void th_archive_reader_free(th_archive_reader *reader)
{
    if (!reader)
        return;
    close_archive(reader);
    th_archive_waits_free(reader->waits);
    free(reader);
}

uint64_t th_archive_reader_given_up(const th_archive_reader *reader)
{
    return th_archive_waits_given_up(reader->waits);
}

/* ---- the archive ---- */

static void on_diag(void *context, const warc_diag *diag)
{
    th_archive_reader *reader = context;
    reader->is_cut |= diag->code == WARC_DIAG_MEMBER_TRUNCATED ||
                      diag->code == WARC_DIAG_HEADER_EOF ||
                      diag->code == WARC_DIAG_TRUNCATED_BLOCK;
    if (reader->options.on_diag)
        reader->options.on_diag(reader->options.diag_context, diag);
}

static void report(const th_archive_reader *reader, const char *name, const char *words)
{
    th_archive_report(reader->options.warn, reader->options.warn_context, name, words);
}

/* Makes `fd`, which is taken, the archive that is open. TH_OK; TH_BAD_WARC; TH_NOMEM. */
static th_status use(th_archive_reader *reader, const char *name, int fd,
                     const th_file_identity *identity, th_error *why)
{
    const th_batch_builder_options options = {
        .max_record = reader->options.max_record,
        .verify_digests = reader->options.verify_digests,
        .on_diag = on_diag,
        .diag_context = reader,
        .should_pause = th_read_limit_is_passed,
        .pause_context = &reader->limit,
    };
    warc_error error = { .text = "" };
    close_archive(reader);
    reader->fd = fd;
    reader->identity = *identity;
    reader->name = strdup(name);
    if (!reader->name)
        return TH_NOMEM;
    const th_status status =
        th_batch_builder_open(&reader->builder, NULL, fd, &options, &error);
    if (status == TH_OK) {
        reader->builder.stops_at_max = true;
        return TH_OK;
    }
    close_archive(reader);
    return status == TH_NOMEM ? status : th_fail(why, TH_BAD_WARC, "%s", error.text);
}

/* Opens the archive of this name in its present state, unless it is open. `identity`
 * is all zero if there is no archive. Returns TH_OK, TH_ABSENT, TH_NOT_YET,
 * TH_NEED_MORE, TH_BAD_WARC, or TH_NOMEM. */
static th_status open_archive(th_archive_reader *reader, const char *name,
                              th_file_identity *identity, th_error *why)
{
    int fd = -1;
    const th_status status =
        th_archive_open(reader->options.folder, name, &fd, identity, why);
    if (status == TH_NEED_MORE && !reader->is_short)
        report(reader, name, why->text);
    reader->is_short = status == TH_NEED_MORE;
    if (status != TH_OK)
        return status;
    if (reader->name && strcmp(reader->name, name) == 0 &&
        th_file_identity_equal(&reader->identity, identity)) {
        (void)close(fd);
        return TH_OK;
    }
    return use(reader, name, fd, identity, why);
}

/* ---- the record ---- */

/* Goes to `offset` and reads the header there. TH_OK; TH_IO; TH_NOMEM; TH_PAUSED. */
static th_status find_at(th_archive_reader *reader, uint64_t offset, warc_error *error)
{
    const th_checkpoint place = { .offset = offset,
                                  .uoffset = WARC_NO_OFFSET,
                                  .dict_offset = WARC_NO_OFFSET };
    th_batch_builder *builder = &reader->builder;
    th_read_limit_begin(&reader->limit, builder->reader, 0);
    th_status status = th_batch_builder_seek(builder, &place, error);
    th_read_limit_begin(&reader->limit, builder->reader, 0);
    if (status == TH_OK)
        status = th_batch_builder_next(builder, error);
    if (status != TH_OK)
        return status;
    const warc_position found = warc_record_position(builder->pending);
    return found.offset == offset && found.skip == 0
               ? TH_OK
               : TH_IO; /* the reader found its way to a later record */
}

/* Goes to the record at `offset` and takes it. TH_OK; TH_IO; TH_NOMEM. */
static th_status take_at(th_archive_reader *reader, uint64_t offset, th_batch *batch)
{
    const uint32_t count = batch->record_count;
    warc_error error;
    th_batch_builder *builder = &reader->builder;
    th_status status = find_at(reader, offset, &error);
    if (status == TH_OK) {
        th_read_limit_begin(&reader->limit, builder->reader, reader->options.max_record);
        status = th_batch_builder_add(builder, (th_view){ NULL, 0 }, batch, &error);
        if (status == TH_PAUSED) { /* what was read of it is the record */
            th_batch_builder_cut(builder, batch);
            status = TH_OK;
        }
        batch->record_count = count;
    } else if (status == TH_PAUSED) {
        close_archive(reader); /* its reader is in the middle of a search */
    }
    return status == TH_OK || status == TH_NOMEM ? status : TH_IO;
}

/* ---- waiting ---- */

static bool may_wait(th_archive_reader *reader, const char *name,
                     const th_file_identity *seen)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    const int64_t now_1970 = (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
    switch (th_archive_waits_query(reader->waits, name, seen, th_now_ms(), now_1970)) {
    case TH_ARCHIVE_WAIT_BEGINS:
        report(reader, name,
               seen ? "is not complete yet; waiting" : "does not exist yet; waiting");
        return true;
    case TH_ARCHIVE_WAIT:
        return true;
    case TH_ARCHIVE_GIVE_UP:
        report(reader, name,
               "did not arrive before the deadline; pointers into it are refused");
        return false;
    case TH_ARCHIVE_GIVEN_UP:
    default:
        return false;
    }
}

static bool is_known_cut(const th_archive_reader *reader, uint64_t offset,
                         const th_file_identity *identity)
{
    return reader->cut_offset == offset &&
           th_file_identity_equal(&reader->cut_identity, identity);
}

/* Reads the record of the open archive. Sets *is_at_end if the record runs over the
 * end of the archive. Returns TH_OK (also for a partial record: its flags say so),
 * TH_IO, or TH_NOMEM. */
static th_status read_record(th_archive_reader *reader, uint64_t offset, th_batch *batch,
                             bool *is_at_end)
{
    const th_record *record = &batch->records[batch->record_count];
    const uint64_t size = reader->identity.size;
    reader->is_cut = false;
    const th_status status = take_at(reader, offset, batch);
    if (status == TH_OK)
        *is_at_end = reader->is_cut && record->flags & TH_FLAG_WARC_DAMAGED;
    else
        *is_at_end = reader->is_cut || size < RECORD_MIN || offset > size - RECORD_MIN;
    return status;
}

static th_status take(th_archive_reader *reader, const char *name, uint64_t offset,
                      th_batch *batch, th_error *why)
{
    th_file_identity identity = { .size = 0 };
    th_record *record = &batch->records[batch->record_count];
    th_status status = open_archive(reader, name, &identity, why);
    if (status == TH_ABSENT || status == TH_NOT_YET)
        return may_wait(reader, name, NULL) ? TH_NEED_MORE : TH_BAD_WARC;
    if (status != TH_OK)
        return status;
    const bool has_been_read = is_known_cut(reader, offset, &identity);
    if (has_been_read && may_wait(reader, name, &identity))
        return TH_NEED_MORE;
    const th_record before = *record;
    bool is_at_end = false;
    status = read_record(reader, offset, batch, &is_at_end);
    if (status == TH_NOMEM)
        return status;
    if (is_at_end && !has_been_read && may_wait(reader, name, &identity)) {
        reader->cut_identity = identity;
        reader->cut_offset = offset;
        *record = before;
        return TH_NEED_MORE;
    }
    if (status == TH_OK) {
        if (!is_at_end)
            th_archive_waits_end(reader->waits, name);
        return TH_OK;
    }
    *record = before;
    return th_fail(why, TH_BAD_WARC,
                   "archive of the pointer has no record at its offset");
}

th_status th_archive_reader_take(th_archive_reader *reader, th_view name, uint64_t offset,
                                 th_batch *batch, th_error *why)
{
    char *copy = strndup(name.data, name.len);
    if (!copy)
        return TH_NOMEM;
    const th_status status = take(reader, copy, offset, batch, why);
    free(copy);
    return status;
}
