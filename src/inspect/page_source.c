/* The record of one page, from a file or an archive. See the header. */
#include "inspect/page_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/stoppable_read.h"
#include "ingest/archive_place.h"
#include "ingest/batch_builder.h"
#include "ingest/single_record.h"
#include "ingest/wacz.h"
#include "parse/http/http_message.h"

enum { CHUNK = 64 << 10, TELL_EVERY = 256 };

static th_view view_of(const char *text)
{
    return (th_view){ text, strlen(text) };
}

static bool begins(th_view bytes, const char *magic, size_t len)
{
    return bytes.len >= len && memcmp(bytes.data, magic, len) == 0;
}

/* WARC, ARC, or zstd with a dictionary in front. HTML never begins so. */
static bool is_archive(th_view bytes)
{
    return begins(bytes, "WARC/", 5) || begins(bytes, "filedesc:", 9) ||
           begins(bytes, "\x5D\x2A\x4D\x18", 4);
}

/* Whether the bytes are compressed by gzip or zstd. */
static bool is_compressed(th_view bytes, uint8_t *coding)
{
    *coding = begins(bytes, "\x1F\x8B", 2) ? TH_CODING_GZIP : TH_CODING_ZSTD;
    return *coding == TH_CODING_GZIP || begins(bytes, "\x28\xB5\x2F\xFD", 4);
}

static bool drop_suffix(th_view *name, const char *suffix)
{
    const size_t len = strlen(suffix);
    if (name->len <= len || strncasecmp(name->data + name->len - len, suffix, len) != 0)
        return false;
    name->len -= len;
    return true;
}

/* Returns the type that a server would send, by the file's name. Absent: the bytes
 * decide. */
static th_view type_of(const char *path)
{
    th_view name = view_of(path);
    if (!drop_suffix(&name, ".gz"))
        (void)drop_suffix(&name, ".zst");
    if (drop_suffix(&name, ".html") || drop_suffix(&name, ".htm"))
        return TH_VIEW("text/html");
    if (drop_suffix(&name, ".xhtml") || drop_suffix(&name, ".xht"))
        return TH_VIEW("application/xhtml+xml");
    return (th_view){ NULL, 0 };
}

/* ---- a file ---- */

/* Reads to the end, at most `max` bytes. Sets *is_cut if there are more. */
static th_status read_all(int fd, uint64_t max, const atomic_int *stop, th_arena *arena,
                          th_view *out, bool *is_cut)
{
    char *bytes = NULL;
    size_t len = 0, capacity = 0;
    for (;;) {
        if (len == capacity) {
            const size_t larger = capacity ? capacity * 2 : CHUNK;
            bytes = th_arena_grow(arena, bytes, len, larger);
            if (!bytes)
                return TH_NOMEM;
            capacity = larger;
        }
        size_t got = 0;
        const th_status status =
            th_stoppable_read(fd, bytes + len, capacity - len, &got, stop);
        if (status != TH_OK)
            return status;
        len += got;
        *is_cut = len > max;
        if (got == 0 || *is_cut)
            break;
    }
    *out = (th_view){ bytes, *is_cut ? (size_t)max : len };
    return TH_OK;
}

static th_status take_remote(const th_page_name *name, const th_options *opt,
                             th_arena *arena, th_view *out, bool *is_cut, th_error *err)
{
    warc_input input;
    th_remote_object *object = NULL;
    char *bytes = NULL;
    size_t len = 0, capacity = 0, got = 1;
    th_status status = th_remote_open(name->remote, name->place, &input, &object, err);
    if (status != TH_OK)
        return status;
    while (status == TH_OK && got && len <= opt->max_record) {
        if (len == capacity) {
            const size_t larger = capacity ? capacity * 2 : CHUNK;
            bytes = th_arena_grow(arena, bytes, len, larger);
            capacity = larger;
        }
        if (!bytes) {
            status = th_fail(err, TH_NOMEM, "cannot keep '%s'", name->place);
            break;
        }
        const warc_status read =
            input.read(input.context, bytes + len, capacity - len, &got);
        if (read == WARC_PAUSED)
            status = th_fail(err, TH_INTERRUPTED, "interrupted");
        else if (read != WARC_OK)
            status = th_remote_object_failure(object, err);
        len += got;
    }
    input.close(input.context);
    *is_cut = len > opt->max_record;
    *out = (th_view){ bytes ? bytes : "", *is_cut ? (size_t)opt->max_record : len };
    return status;
}

static th_status take_local(const th_page_name *name, const th_options *opt,
                            const atomic_int *stop, th_arena *arena, th_view *out,
                            bool *is_cut, th_error *err)
{
    const bool is_stdin = strcmp(name->place, "-") == 0;
    const int fd = is_stdin ? STDIN_FILENO : th_stoppable_open(name->place);
    if (fd < 0)
        return th_fail(err, TH_IO, "cannot open '%s': %s%s", name->place, strerror(errno),
                       th_archive_place_hint(name->place));
    th_status status = read_all(fd, opt->max_record, stop, arena, out, is_cut);
    if (status == TH_IO)
        status =
            th_fail(err, TH_IO, "cannot read '%s': %s", name->place, strerror(errno));
    else if (status == TH_INTERRUPTED)
        status = th_fail(err, status, "interrupted");
    else if (status != TH_OK)
        status = th_fail(err, status, "cannot keep '%s'", name->place);
    if (!is_stdin)
        (void)close(fd);
    return status;
}

/* The decompressed bytes of a file. */
struct plain {
    th_buffer bytes;
    size_t max;
};

/* Appends at most `max` bytes, and one more to show that there are more. */
static bool add_plain(void *context, const char *bytes, size_t len)
{
    struct plain *plain = context;
    const size_t room = plain->max + 1 - plain->bytes.len;
    th_buffer_append(&plain->bytes, bytes, len < room ? len : room);
    return !plain->bytes.has_failed && plain->bytes.len <= plain->max;
}

/* Decompresses a page that was saved with gzip or zstd. */
static th_status decompress(const th_options *opt, th_arena *arena, th_record *record,
                            bool *is_cut)
{
    th_http_head head = { .coding_count = 1 };
    struct plain plain = { .max = (size_t)opt->max_record };
    if (!is_compressed(record->block, &head.codings[0]))
        return TH_OK;
    th_body *body = th_body_new();
    th_status status = body ? th_body_begin(body, &head, 1, add_plain, &plain) : TH_NOMEM;
    if (status == TH_OK)
        status = th_body_write(body, record->block);
    if (status == TH_OK)
        status = th_body_end(body);
    th_view bytes = th_buffer_view(&plain.bytes);
    *is_cut = *is_cut || bytes.len > plain.max;
    bytes.len = bytes.len < plain.max ? bytes.len : plain.max;
    if (status == TH_OK) {
        record->flags |= th_body_flags(body);
        record->block = th_arena_copy(arena, bytes);
    }
    if (plain.bytes.has_failed || !record->block.data)
        status = TH_NOMEM;
    th_body_free(body);
    th_buffer_done(&plain.bytes);
    return status;
}

static th_status take_file(const th_page_name *name, const th_options *opt,
                           const atomic_int *stop, th_batch *batch, th_error *err)
{
    const bool is_stdin = strcmp(name->place, "-") == 0;
    th_record record = { .kind = TH_RECORD_RESOURCE,
                         .type = TH_VIEW("resource"),
                         .content_type = type_of(name->place) };
    bool is_cut = false;
    th_status status =
        th_remote_is_name(name->place)
            ? take_remote(name, opt, batch->arena, &record.block, &is_cut, err)
            : take_local(name, opt, stop, batch->arena, &record.block, &is_cut, err);
    if (status != TH_OK)
        return status;
    status = decompress(opt, batch->arena, &record, &is_cut);
    if (status != TH_OK)
        return th_fail(err, status, "cannot keep '%s'", name->place);
    if (is_archive(record.block))
        return th_fail(err, TH_USAGE,
                       "'%s' is an archive; name one of its records as '%s#OFFSET' "
                       "(`thresher records` lists them), or use `thresher run`",
                       name->place, is_stdin ? "ARCHIVE" : name->place);
    record.is_http = begins(record.block, "HTTP/", 5);
    if (!record.content_type.data && !record.is_http)
        record.content_type = th_media_type_of_page(record.block);
    record.block_len = record.block.len;
    if (is_cut)
        record.flags |= TH_FLAG_RECORD_TRUNCATED;
    record.position.file = view_of(name->place);
    if (*name->base)
        record.url = view_of(name->base);
    batch->records[batch->record_count++] = record;
    return TH_OK;
}

/* ---- an archive ---- */

/* A search in an archive. */
struct search {
    const th_page_name *name;
    const th_options *opt;
    const atomic_int *stop;
    void (*report)(void *context, uint64_t bytes);
    void *context;
    th_batch_builder builder;
    uint64_t first_damage; /* its offset, once the reader counts one */
    bool has_damage;
    warc_error error;
};

static void note_damage(void *context, const warc_diag *diag)
{
    struct search *search = context;
    if (!warc_diag_is_damage(diag->code) || search->has_damage)
        return;
    search->first_damage = diag->offset;
    search->has_damage = true;
}

static bool is_stopped(void *context)
{
    const struct search *search = context;
    return th_is_stopped(search->stop);
}

static th_batch_builder_options builder_options(struct search *search)
{
    return (th_batch_builder_options){
        .max_record = search->opt->max_record,
        .verify_digests = search->name->verify_digests,
        .on_diag = note_damage,
        .diag_context = search,
        .should_pause = is_stopped,
        .pause_context = search,
        .remote = search->name->remote,
    };
}

/* Returns the error of a search. A search pauses only when it is stopped, so it does not
 * continue. */
static th_status fail_at(const struct search *search, th_status status, const char *path,
                         th_error *err)
{
    const char *words = search->error.text;
    if (status == TH_PAUSED)
        return th_fail(err, TH_INTERRUPTED, "interrupted");
    return th_archive_is_named(words, path) ? th_fail(err, status, "%s", words)
                                            : th_fail(err, status, "%s: %s", path, words);
}

static th_status open_archive(struct search *search, const char *path,
                              const th_batch_builder_options *options, th_error *err)
{
    struct stat facts;
    if (strcmp(path, "-") != 0 && !th_remote_is_name(path) && !th_wacz_file_len(path) &&
        stat(path, &facts) != 0)
        return th_fail(err, TH_IO, "cannot open '%s': %s", path, strerror(errno));
    const th_status status =
        th_batch_builder_open(&search->builder, strcmp(path, "-") == 0 ? NULL : path,
                              STDIN_FILENO, options, &search->error);
    search->builder.stops_at_max = true;
    return status == TH_OK ? status : fail_at(search, status, path, err);
}

static th_status take_pending(struct search *search, const char *path, th_batch *batch,
                              th_error *err)
{
    const th_status status =
        th_batch_builder_add(&search->builder, view_of(path), batch, &search->error);
    if (status == TH_IO && batch->record_count)
        return TH_OK; /* the readable part is kept, flagged */
    return status == TH_OK ? status : fail_at(search, status, path, err);
}

static th_status take_at(struct search *search, const char *path,
                         const th_archive_place *place, th_batch *batch, th_error *err)
{
    th_batch_builder_options options = builder_options(search);
    const th_checkpoint at = th_single_record_slice(path, place, &options);
    th_status status = open_archive(search, path, &options, err);
    if (status != TH_OK)
        return status;
    if (at.offset || at.skip)
        status = th_batch_builder_seek(&search->builder, &at, &search->error);
    if (status == TH_OK)
        status = th_batch_builder_next(&search->builder, &search->error);
    if (status == TH_END)
        return th_fail(err, TH_ABSENT, "%s: no record starts at or after offset %llu",
                       path, (unsigned long long)place->offset);
    if (status == TH_PAUSED || th_archive_is_named(search->error.text, path))
        return fail_at(search, status, path, err);
    if (status != TH_OK)
        return th_fail(err, status, "%s: offset %llu: %s", path,
                       (unsigned long long)place->offset, search->error.text);
    th_checkpoint found = { 0 };
    th_batch_builder_place(&search->builder, &found);
    const unsigned long long next = options.start + found.offset;
    if (found.offset != at.offset || found.skip != at.skip)
        return th_fail(
            err, TH_ABSENT,
            "%s: no record starts at offset %llu; the next record starts at %llu", path,
            (unsigned long long)place->offset, next);
    return take_pending(search, path, batch, err);
}

static bool is_url(warc_view found, const char *wanted)
{
    const size_t len = strlen(wanted);
    return found.len == len && len && memcmp(found.data, wanted, len) == 0;
}

/* Reads to the first response of the URL, and notes the first other record of it that can
 * hold a page. TH_END when there is no response. */
static th_status seek_response(struct search *search, th_checkpoint *other,
                               bool *has_other)
{
    th_batch_builder *builder = &search->builder;
    th_status status = TH_OK;
    for (unsigned count = 1; status == TH_OK; count++) {
        if (*search->stop)
            return TH_PAUSED;
        status = th_batch_builder_next(builder, &search->error);
        if (search->report && count % TELL_EVERY == 0)
            search->report(search->context, warc_reader_tell(builder->reader));
        if (status != TH_OK ||
            !is_url(warc_record_target_uri(builder->pending), search->name->url))
            continue;
        const th_record_kind kind = th_record_kind_of(builder->pending);
        if (kind == TH_RECORD_RESPONSE)
            return TH_OK;
        if (th_record_kind_holds_payload(kind) && !*has_other) {
            th_batch_builder_place(builder, other);
            *has_other = true;
        }
    }
    return status;
}

/* A page that was not found may be in the part that could not be read. */
static th_status fail_not_found(const struct search *search, th_error *err)
{
    const warc_reader_stats *stats = warc_reader_get_stats(search->builder.reader);
    char damage[160] = "";
    if (search->has_damage)
        (void)snprintf(damage, sizeof damage,
                       "; the archive is damaged in %llu place%s, first at offset %llu, "
                       "which may contain the page",
                       (unsigned long long)stats->damage_count,
                       stats->damage_count == 1 ? "" : "s",
                       (unsigned long long)search->first_damage);
    return th_fail(err, TH_ABSENT, "%.150s: %llu records, but no response of '%.150s'%s",
                   search->name->place, (unsigned long long)stats->records,
                   search->name->url, damage);
}

static th_status take_by_url(struct search *search, th_batch *batch, th_error *err)
{
    const char *path = search->name->place;
    th_checkpoint other = { 0 };
    bool has_other = false;
    const th_batch_builder_options options = builder_options(search);
    th_status status = open_archive(search, path, &options, err);
    if (status != TH_OK)
        return status;
    status = seek_response(search, &other, &has_other);
    if (status == TH_END && has_other) {
        status = th_batch_builder_seek(&search->builder, &other, &search->error);
        if (status == TH_OK)
            status = th_batch_builder_next(&search->builder, &search->error);
    }
    if (status == TH_END)
        return fail_not_found(search, err);
    if (status != TH_OK)
        return fail_at(search, status, path, err);
    return take_pending(search, path, batch, err);
}

th_status th_page_source_read(const th_page_name *name, const th_options *opt,
                              const atomic_int *stop,
                              void (*report)(void *context, uint64_t bytes),
                              void *context, th_batch *batch, th_error *err)
{
    struct search search = { .name = name,
                             .opt = opt,
                             .stop = stop,
                             .report = report,
                             .context = context,
                             .error = { .text = "" } };
    th_archive_place place;
    th_status status = TH_OK;
    if (name->url)
        status = take_by_url(&search, batch, err);
    else if (th_archive_place_read(name->place, &place)) {
        char *path = th_arena_calloc(batch->arena, place.name_len + 1, 1);
        if (path)
            memcpy(path, name->place, place.name_len);
        status = path ? take_at(&search, path, &place, batch, err)
                      : th_fail(err, TH_NOMEM, "out of memory for '%s'", name->place);
    } else
        status = take_file(name, opt, stop, batch, err);
    th_batch_builder_close(&search.builder);
    return status;
}
