/* Reads archives on disk, one after the other, into batches of records. */
#include "ingest/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stoppable_read.h"
#include "ingest/archive_place.h"
#include "ingest/batch_builder.h"
#include "ingest/page_file.h"
#include "ingest/range_fetcher.h"
#include "ingest/read_limit.h"
#include "ingest/rendered_copies.h"
#include "ingest/single_record.h"

struct file_source {
    th_source base;
    th_file_source_options options;
    uint32_t input;               /* the current one, or the next to open */
    th_batch_builder builder;     /* of it; closed between inputs */
    th_range_fetcher *ranges;     /* owned; NULL if records are not fetched ahead */
    th_rendered_copies *rendered; /* owned; NULL if copies are not used */
    th_read_limit limit;          /* of a single record; unused for a whole archive */
    uint64_t start;        /* where its bytes start to count, 0 for a whole archive */
    bool is_resuming;      /* the next input opened starts at options.start */
    bool is_complete;      /* every input is read from its beginning */
    th_source_counts done; /* of the inputs before this one, and before the start */
    bool has_failed;       /* permanently: the next call returns the words */
    warc_error failure;
};

static const char *input_name(const struct file_source *source)
{
    return source->options.inputs[source->input];
}

static void warn(struct file_source *source, const char *text)
{
    if (!source->options.warn)
        return;
    const char *name = input_name(source);
    const bool is_named = th_archive_is_named(text, name);
    char line[1024];
    (void)snprintf(line, sizeof line, "%s%s%s", is_named ? "" : name,
                   is_named ? "" : ": ", text);
    source->options.warn(source->options.warn_context, line);
}

/* Logs libwarc's diagnostics that are damage. */
static void on_diag(void *context, const warc_diag *diag)
{
    if (!warc_diag_is_damage(diag->code))
        return;
    const struct file_source *source = context;
    char text[256];
    (void)snprintf(text, sizeof text, "offset %llu: %s%s%s",
                   (unsigned long long)source->builder.start + diag->offset,
                   warc_diag_name(diag->code), diag->detail[0] ? ": " : "", diag->detail);
    warn(context, text);
    if (diag->code == WARC_DIAG_NOT_WARC && th_is_page_file(input_name(context)))
        warn(context, TH_PAGE_FILE_WORDS);
}

/* Returns whether to stop, or whether the limit before a single record is passed. */
static bool should_pause(void *context)
{
    struct file_source *source = context;
    return th_is_stopped(source->options.stop) || th_read_limit_is_passed(&source->limit);
}

static th_source_counts counts_so_far(const struct file_source *source)
{
    th_source_counts counts = source->done;
    if (source->builder.reader) {
        const warc_reader_stats *stats = warc_reader_get_stats(source->builder.reader);
        const uint64_t at = warc_reader_tell(source->builder.reader);
        counts.bytes_read += at > source->start ? at - source->start : 0;
        counts.damaged += stats->damage_count;
    }
    return counts;
}

static void close_input(struct file_source *source, bool is_read_to_end)
{
    source->done = counts_so_far(source);
    if (!is_read_to_end)
        source->done.unreadable++;
    th_batch_builder_close(&source->builder);
    source->limit = (th_read_limit){ .reader = NULL };
    source->start = 0;
    source->input++;
}

static th_status seek_to_start(struct file_source *source, warc_error *error)
{
    source->is_resuming = false;
    const th_status status =
        th_batch_builder_seek(&source->builder, source->options.start, error);
    if (status != TH_OK)
        return status;
    /* The bytes before the start are in options.counts already. */
    uint64_t counted = source->options.start->offset;
    if (!counted) /* one member that contains all records */
        counted = warc_reader_tell(source->builder.reader);
    if (counted > source->done.bytes_read)
        counted = source->done.bytes_read;
    source->done.bytes_read -= counted;
    return TH_OK;
}

static th_batch_builder_options builder_options(struct file_source *source)
{
    return (th_batch_builder_options){
        .max_record = source->options.max_record,
        .keeps_heads = source->options.keeps_heads,
        .verify_digests = source->options.verify_digests,
        .rendered = source->rendered,
        .on_diag = on_diag,
        .diag_context = source,
        .should_pause = should_pause,
        .pause_context = source,
        .remote = source->options.remote,
    };
}

/* Opens the current input and finds its first record. Returns TH_OK, TH_END, TH_IO,
 * TH_NOMEM, TH_PAUSED, or TH_NOT_YET.
 */
static th_status open_input(struct file_source *source, warc_error *error)
{
    const th_batch_builder_options options = builder_options(source);
    const char *name = input_name(source);
    const bool is_stdin = strcmp(name, "-") == 0;
    th_status status = th_batch_builder_open(&source->builder, is_stdin ? NULL : name,
                                             STDIN_FILENO, &options, error);
    if (status == TH_OK && source->is_resuming)
        status = seek_to_start(source, error);
    if (status == TH_OK)
        status = th_batch_builder_next(&source->builder, error);
    if (status == TH_IO)
        warn(source, error->text);
    return status;
}

/* ---- a single record ---- */

/* Gets the bytes of the record, if it was fetched ahead. */
static th_status get_ahead(struct file_source *source, th_view *bytes, warc_error *error)
{
    th_error why = { .text = "" };
    if (!source->ranges)
        return TH_OK;
    const th_status status =
        th_range_fetcher_get(source->ranges, source->input, bytes, &why);
    if (status == TH_ABSENT)
        return TH_OK;
    (void)snprintf(error->text, sizeof error->text, "%.*s", (int)sizeof error->text - 1,
                   why.text);
    return status == TH_INTERRUPTED ? TH_PAUSED : status;
}

/* Reads an input that is one record of an archive. Returns TH_OK if it is in the batch;
 * else as above. */
static th_status take_record(struct file_source *source, const th_archive_place *place,
                             th_batch *batch, warc_error *error)
{
    const th_view archive =
        th_arena_copy(batch->arena, (th_view){ input_name(source), place->name_len + 1 });
    if (!archive.data)
        return TH_NOMEM;
    char *name = (char *)archive.data; /* the copy is ours */
    name[place->name_len] = '\0';
    th_batch_builder_options options = builder_options(source);
    th_batch_builder *builder = &source->builder;
    th_status status = get_ahead(source, &options.bytes, error);
    if (status == TH_OK)
        status =
            th_single_record_open(builder, &source->limit, name, place, &options, error);
    source->start = place->offset - builder->start;
    return status == TH_OK
               ? th_single_record_take(builder, &source->limit,
                                       (th_view){ name, place->name_len }, batch, error)
               : status;
}

/* ---- batches ---- */

static void end_batch(struct file_source *source, th_batch *batch)
{
    batch->next = (th_checkpoint){ .input = source->input };
    th_batch_builder_place(&source->builder, &batch->next);
    batch->counts = counts_so_far(source);
    /* A run that continues at `next` reads the bytes after it again. */
    if (source->builder.reader && batch->next.offset > source->start) {
        const uint64_t at = warc_reader_tell(source->builder.reader);
        if (at > batch->next.offset)
            batch->counts.bytes_read -= at - batch->next.offset;
    }
}

static th_status read_batch(th_source *base, th_batch *batch, th_error *err)
{
    struct file_source *source = (struct file_source *)base;
    batch->record_count = 0;
    batch->is_last = false;
    if (source->has_failed)
        return th_fail(err, TH_NOT_YET, "%s", source->failure.text);
    if (source->input >= source->options.input_count)
        return TH_END;
    batch->input = source->input;

    warc_error error = { .text = "" };
    const char *name = input_name(source);
    th_archive_place place;
    bool is_noted = false; /* why it could not be read */
    th_status status = TH_OK;
    if (!source->builder.reader && th_archive_place_read(name, &place)) {
        status = take_record(source, &place, batch, &error);
        if (status == TH_OK)
            status = TH_END;
    } else {
        if (!source->builder.reader)
            status = open_input(source, &error);
        is_noted = status == TH_IO;
        if (status == TH_OK)
            status = th_batch_builder_fill(
                &source->builder, (th_view){ name, strlen(name) }, batch, &error);
    }
    if (status == TH_NOMEM)
        return th_fail(err, TH_NOMEM, "%s: out of memory", name);
    if (status == TH_PAUSED) /* stop was requested */
        return th_fail(err, TH_INTERRUPTED, "interrupted");
    if (status == TH_NOT_YET) {
        source->has_failed = true;
        source->failure = error;
        if (!source->options.is_only_run || !batch->record_count)
            return th_fail(err, status, "%s", error.text);
        end_batch(source, batch);
        return TH_OK;
    }
    if (status == TH_IO && !is_noted && *error.text)
        warn(source, error.text);
    if (status != TH_OK) {
        batch->is_last = true;
        close_input(source, status == TH_END);
        if (source->rendered && source->is_complete &&
            source->input == source->options.input_count)
            th_rendered_copies_report(source->rendered);
    }
    end_batch(source, batch);
    return TH_OK;
}

static void close_source(th_source *base)
{
    struct file_source *source = (struct file_source *)base;
    th_batch_builder_close(&source->builder);
    th_range_fetcher_free(source->ranges);
    th_rendered_copies_free(source->rendered);
    free(source);
}

static th_status fetch_ahead(struct file_source *source, th_error *err)
{
    const th_range_fetcher_options options = { .remote = *source->options.ahead,
                                               .inputs = source->options.inputs,
                                               .input_count = source->options.input_count,
                                               .first = source->input,
                                               .coalesce = source->options.coalesce,
                                               .requests = source->options.requests };
    return th_range_fetcher_new(&options, &source->ranges, err);
}

static th_status find_rendered(struct file_source *source, th_error *err)
{
    const th_file_source_options *options = &source->options;
    const th_rendered_options rendered = { .use = options->rendered,
                                           .inputs = options->inputs,
                                           .input_count = options->input_count,
                                           .max_record = options->max_record,
                                           .remote = options->remote,
                                           .warn = options->warn,
                                           .warn_context = options->warn_context,
                                           .stop = options->stop };
    return options->rendered && strcmp(options->rendered, "off") != 0
               ? th_rendered_copies_new(&rendered, &source->rendered, err)
               : TH_OK;
}

th_status th_file_source_open(const th_file_source_options *options, th_source **out,
                              th_error *err)
{
    struct file_source *source = calloc(1, sizeof *source);
    if (!source)
        return th_fail(err, TH_NOMEM, "cannot allocate a file source");
    source->base = (th_source){ .read = read_batch, .close = close_source };
    source->options = *options;
    source->done = options->counts;
    source->is_complete = true;
    if (options->start) {
        source->input = options->start->input;
        /* A checkpoint at offset 0 may be between two inputs. Then the input opens as
         * usual.
     */
        source->is_resuming = options->start->offset != 0 || options->start->skip != 0;
        source->is_complete = !source->is_resuming && source->input == 0;
    }
    th_status status = options->ahead ? fetch_ahead(source, err) : TH_OK;
    if (status == TH_OK)
        status = find_rendered(source, err);
    if (status == TH_OK)
        *out = &source->base;
    else
        close_source(&source->base);
    return status;
}
