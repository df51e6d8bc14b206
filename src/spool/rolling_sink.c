/*
 * Results out to rolling files, exactly once.
 *
 *     put: memory │ flush: write, sync ─► acknowledged(lengths) ─► conclude: publish
 *
 * The lengths of the unpublished files travel in the source's acknowledgement, so one
 * durable step says both how far the input is done and which bytes of the output count.
 * After a crash the files are cut to those lengths. Publishing renames bytes that count
 * already, so it may happen before or after a crash, once or several times.
 *
 * When the disk is full, written bytes are taken back, and staged bytes remain staged.
 */
#include "spool/rolling_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file_sink.h"

/* First line of a note, also if no file is unpublished. It shows that a note exists. */
#define NOTE_START "files\n"
/* The second line, if there is a mark. */
#define MARK_START "mark "

enum { MAX_STATE = 1 << 20 }; /* bytes of a state file */

/* Lines in addition to the records, in separate files. */
enum { REJECTS, EDGES, LINES_COUNT };

struct lines {
    th_rolling_file *file; /* NULL if not wanted */
    th_buffer staged;
};

struct sink {
    th_stream_sink base;
    th_rolling_sink_options options;
    th_rolling_file *pages;
    struct lines lines[LINES_COUNT];
    char *state_path; /* for sources that keep no notes */
    th_buffer staged_pages;
    th_buffer staged_lens;  /* size_t: bytes of pages of each result */
    th_buffer packed, note; /* scratch */
    bool has_staged;
    bool has_failed;    /* in tick, which cannot report it */
    int64_t blocked_at; /* ms */
    int64_t flushed_at; /* ms: when the last flush began */
    th_sink_stats facts;
};

static struct sink *sink_of(th_stream_sink *base)
{
    return (struct sink *)base;
}

static void warn(const struct sink *sink, const char *text)
{
    if (sink->options.warn)
        sink->options.warn(sink->options.warn_context, text);
}

/* ---- every stream ---- */

/* Returns the open file at `index`, pages first. Returns NULL after the last. */
static th_rolling_file *stream_at(const struct sink *sink, size_t index)
{
    if (index == 0)
        return sink->pages;
    for (size_t i = 0; i < LINES_COUNT; i++)
        if (sink->lines[i].file && --index == 0)
            return sink->lines[i].file;
    return NULL;
}

typedef th_status verb(th_rolling_file *stream, th_error *err);

/* Calls a function for each stream, until one fails. */
static th_status for_each(const struct sink *sink, verb *what, th_error *err)
{
    th_status status = TH_OK;
    th_rolling_file *stream = NULL;
    for (size_t i = 0; status == TH_OK && (stream = stream_at(sink, i)); i++)
        status = what(stream, err);
    return status;
}

/* ---- put ---- */

static void stage_lines(struct lines *lines, th_view text)
{
    if (lines->file && text.len)
        th_buffer_append_view(&lines->staged, text);
}

static th_status put(th_stream_sink *base, const th_work_result *result, th_error *err)
{
    struct sink *sink = sink_of(base);
    const size_t len = result->pages.len;
    if (len > 0)
        th_buffer_append(&sink->staged_lens, (const char *)&len, sizeof len);
    th_buffer_append_view(&sink->staged_pages, result->pages);
    stage_lines(&sink->lines[REJECTS], result->rejects);
    stage_lines(&sink->lines[EDGES], result->edges);
    sink->has_staged = true;
    return sink->staged_lens.has_failed || sink->staged_pages.has_failed ||
                   sink->lines[REJECTS].staged.has_failed ||
                   sink->lines[EDGES].staged.has_failed
               ? th_fail(err, TH_NOMEM, "out of memory for output")
               : TH_OK;
}

static void forget_staged(struct sink *sink)
{
    th_buffer_reset(&sink->staged_pages);
    for (size_t i = 0; i < LINES_COUNT; i++)
        th_buffer_reset(&sink->lines[i].staged);
    th_buffer_reset(&sink->staged_lens);
    sink->has_staged = false;
}

static void drop(th_stream_sink *base)
{
    forget_staged(sink_of(base));
}

/* ---- flush ---- */

/* Writes result by result, so a file is full at the border of a result. */
static th_status write_pages(struct sink *sink, th_error *err)
{
    th_status status = TH_OK;
    size_t at = 0;
    for (size_t i = 0; status == TH_OK && i < sink->staged_lens.len;
         i += sizeof(size_t)) {
        size_t len;
        memcpy(&len, sink->staged_lens.data + i, sizeof len);
        status = th_rolling_file_write(
            sink->pages, (th_view){ sink->staged_pages.data + at, len }, err);
        at += len;
    }
    return status;
}

static th_status write_lines(struct sink *sink, const struct lines *stream, th_error *err)
{
    const th_compression compression = sink->options.format_options.compression;
    th_view lines = th_buffer_view(&stream->staged);
    if (lines.len == 0)
        return TH_OK;
    if (compression != TH_PLAIN) {
        th_buffer_reset(&sink->packed);
        if (th_compress(compression, lines, &sink->packed) != TH_OK)
            return th_fail(err, TH_NOMEM, "cannot compress lines of rejects or edges");
        lines = th_buffer_view(&sink->packed);
    }
    return th_rolling_file_write(stream->file, lines, err);
}

static th_status write_staged(struct sink *sink, th_error *err)
{
    th_status status = write_pages(sink, err);
    for (size_t i = 0; i < LINES_COUNT && status == TH_OK; i++)
        status = write_lines(sink, &sink->lines[i], err);
    return status == TH_OK ? for_each(sink, th_rolling_file_sync, err) : status;
}

static th_status make_note(struct sink *sink, uint64_t mark, th_error *err)
{
    th_buffer_reset(&sink->note);
    th_buffer_append_text(&sink->note, NOTE_START);
    if (mark)
        th_buffer_printf(&sink->note, MARK_START "%llu\n", (unsigned long long)mark);
    const th_rolling_file *stream = NULL;
    for (size_t i = 0; (stream = stream_at(sink, i)); i++)
        th_rolling_file_note(stream, &sink->note);
    return sink->note.has_failed
               ? th_fail(err, TH_NOMEM, "out of memory for the output's state")
               : TH_OK;
}

/* Makes the note with which written bytes count, once it is acknowledged. */
static th_status note_written(struct sink *sink, const th_commit_token *token,
                              th_error *err)
{
    th_status status = make_note(sink, token->mark, err);
    /* If the source keeps no note, a state file is used. It is written before the
     * acknowledgement, so nothing can be lost. It is small: only a full disk stops it, or
     * else the flush reports the error. The state is our own file, which each commit
     * replaces. */
    if (status == TH_OK && token->keeping != TH_KEPT_WITH_NOTE &&
        th_file_replace(sink->state_path, th_buffer_view(&sink->note), err) != TH_OK)
        status = TH_NO_ROOM;
    return status;
}

static th_status take_back(struct sink *sink, th_error *err)
{
    return for_each(sink, th_rolling_file_cut, err) == TH_OK ? TH_BLOCKED : TH_IO;
}

static void set_blocked(struct sink *sink, bool is_blocked, const char *why)
{
    const int64_t now = th_now_ms();
    if (sink->facts.is_blocked)
        sink->facts.blocked_seconds += (double)(now - sink->blocked_at) / 1000;
    sink->blocked_at = now;
    if (is_blocked != sink->facts.is_blocked)
        warn(sink, is_blocked ? why : "disk space is available again; output continues");
    sink->facts.is_blocked = is_blocked;
}

/* Takes back the written bytes when there is no space. Staged bytes wait. */
static th_status block(struct sink *sink, th_error *err)
{
    set_blocked(sink, true, err->text);
    sink->facts.aborts++;
    return take_back(sink, err);
}

static th_status flush(th_stream_sink *base, const th_commit_token *token, th_view *note,
                       th_error *err)
{
    struct sink *sink = sink_of(base);
    th_error error = { .text = "" };
    sink->flushed_at = th_now_ms();
    if (sink->has_failed)
        return th_fail(err, TH_IO, "an earlier write of the output failed");
    if (!sink->has_staged)
        return TH_OK;
    th_status status = write_staged(sink, &error);
    if (status == TH_OK)
        status = note_written(sink, token, &error);
    if (status == TH_NO_ROOM)
        status = block(sink, &error);
    *note = th_buffer_view(&sink->note);
    if (status != TH_OK)
        sink->facts.commit_seconds += (double)(th_now_ms() - sink->flushed_at) / 1000;
    if (status != TH_OK && err)
        *err = error;
    return status;
}

static th_status conclude(th_stream_sink *base, th_status acknowledged, th_error *err)
{
    struct sink *sink = sink_of(base);
    th_status status = acknowledged;
    if (!sink->has_staged)
        return status == TH_NO_ROOM ? TH_BLOCKED : status;
    if (status == TH_NO_ROOM) {
        status = block(sink, err);
    } else if (status == TH_OK) {
        set_blocked(sink, false, "");
        sink->facts.commits++;
        forget_staged(sink);
        status = for_each(sink, th_rolling_file_keep, err);
    }
    sink->facts.commit_seconds += (double)(th_now_ms() - sink->flushed_at) / 1000;
    return status;
}

/* ---- recover ---- */

/* Reads the state file's text. A missing file is empty, because the file is written
 * before any output counts. */
static th_status read_state(struct sink *sink, th_error *err)
{
    struct stat facts;
    th_buffer_reset(&sink->note);
    const int fd = open(sink->state_path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? TH_OK
                               : th_fail(err, TH_IO, "cannot open '%s': %s",
                                         sink->state_path, strerror(errno));
    th_status status = TH_OK;
    ssize_t got = 0;
    if (fstat(fd, &facts) != 0 || facts.st_size > MAX_STATE)
        status = th_fail(err, TH_IO, "'%s' is not a state file of an output",
                         sink->state_path);
    else if (!th_buffer_reserve(&sink->note, (size_t)facts.st_size + 1))
        status = th_fail(err, TH_NOMEM, "cannot read '%s'", sink->state_path);
    else
        got = pread(fd, sink->note.data, (size_t)facts.st_size, 0);
    if (got < 0)
        status = th_fail(err, TH_IO, "cannot read '%s': %s", sink->state_path,
                         strerror(errno));
    sink->note.len = got > 0 ? (size_t)got : 0;
    (void)close(fd);
    return status;
}

/* Reads the mark of a note, if it has one. @return the text after it */
static th_view take_mark(struct sink *sink, th_view note)
{
    const size_t start = strlen(MARK_START);
    const char *end = memchr(note.data, '\n', note.len);
    if (!end || note.len < start || memcmp(note.data, MARK_START, start) != 0)
        return note;
    sink->base.mark = strtoull(note.data + start, NULL, 10); /* the line ends it */
    end++;
    return (th_view){ end, note.len - (size_t)(end - note.data) };
}

static th_status recover(th_stream_sink *base, th_stream_source *source, th_error *err)
{
    struct sink *sink = sink_of(base);
    th_rolling_losses losses = { 0, 0 };
    th_source_stats input;
    const bool has_note = source->verbs->keeping == TH_KEPT_WITH_NOTE;
    th_status status = has_note ? TH_OK : read_state(sink, err);
    if (status != TH_OK)
        return status;
    th_view note = has_note ? source->verbs->note(source) : th_buffer_view(&sink->note);
    const size_t start = strlen(NOTE_START);
    /* Without a note no output has counted yet, or the note was lost. The two cases
     * cannot be distinguished. */
    const bool is_note = note.len >= start && memcmp(note.data, NOTE_START, start) == 0;
    source->verbs->facts(source, &input);
    const bool is_doubtful = !is_note || input.positions_damaged > 0;
    if (is_note)
        note = take_mark(sink, (th_view){ note.data + start, note.len - start });
    th_rolling_file *stream = NULL;
    for (size_t i = 0; status == TH_OK && (stream = stream_at(sink, i)); i++)
        status = th_rolling_file_recover(stream, note, is_doubtful, &losses, err);
    if (losses.shorter > 0)
        warn(sink, "an output file became shorter; see *.part.damaged");
    if (losses.aside > 0)
        warn(sink,
             "output that is not confirmed by a ledger was renamed; see *.part.damaged");
    return status;
}

/* ---- the rest ---- */

static void tick(th_stream_sink *base)
{
    struct sink *sink = sink_of(base);
    th_error error = { .text = "" };
    if (sink->has_failed || for_each(sink, th_rolling_file_roll_by_age, &error) == TH_OK)
        return;
    warn(sink, error.text);
    sink->has_failed = true;
}

static void facts(const th_stream_sink *base, th_sink_stats *out)
{
    const struct sink *sink = (const struct sink *)base;
    *out = sink->facts;
    const th_rolling_file *stream = NULL;
    for (size_t i = 0; (stream = stream_at(sink, i)); i++) {
        out->bytes += th_rolling_file_bytes(stream);
        out->files += th_rolling_file_published(stream);
    }
    out->queue_bytes = sink->staged_pages.len;
    for (size_t i = 0; i < LINES_COUNT; i++)
        out->queue_bytes += sink->lines[i].staged.len;
    if (out->is_blocked)
        out->blocked_seconds += (double)(th_now_ms() - sink->blocked_at) / 1000;
}

static void free_sink(struct sink *sink)
{
    th_rolling_file_free(sink->pages);
    for (size_t i = 0; i < LINES_COUNT; i++) {
        th_rolling_file_free(sink->lines[i].file);
        th_buffer_done(&sink->lines[i].staged);
    }
    free(sink->state_path);
    th_buffer_done(&sink->staged_pages);
    th_buffer_done(&sink->staged_lens);
    th_buffer_done(&sink->packed);
    th_buffer_done(&sink->note);
    free(sink);
}

static void close_sink(th_stream_sink *base)
{
    struct sink *sink = sink_of(base);
    th_error error = { .text = "" };
    if (for_each(sink, th_rolling_file_publish, &error) != TH_OK)
        warn(sink, error.text);
    free_sink(sink);
}

static th_status start_pages(void *context, th_buffer *out)
{
    const struct sink *sink = context;
    const th_format *format = sink->options.format;
    return format->start
               ? format->start(&sink->options.format_options, (th_view){ NULL, 0 }, out)
               : TH_OK;
}

static void tell_published(void *context, const char *name)
{
    const struct sink *sink = context;
    if (sink->options.published)
        sink->options.published(sink->options.published_context, name);
}

static th_status open_streams(struct sink *sink, th_error *err)
{
    const th_rolling_sink_options *options = &sink->options;
    th_rolling_options rolling = { .dir = options->dir,
                                   .prefix = options->prefix,
                                   .suffix = options->suffix,
                                   .roll_bytes = options->roll_bytes,
                                   .roll_ms = options->roll_ms,
                                   .start = start_pages,
                                   .published = tell_published,
                                   .context = sink };
    const char *const names[LINES_COUNT][2] = {
        [REJECTS] = { options->rejects_prefix, options->rejects_suffix },
        [EDGES] = { options->edges_prefix, options->edges_suffix },
    };
    if (asprintf(&sink->state_path, "%s/.%s.state", options->dir, options->prefix) < 0) {
        sink->state_path = NULL;
        return th_fail(err, TH_NOMEM, "out of memory for the path of the output's state");
    }
    th_status status = th_rolling_file_new(&rolling, &sink->pages, err);
    rolling.start = NULL;
    for (size_t i = 0; i < LINES_COUNT && status == TH_OK; i++) {
        rolling.prefix = names[i][0];
        rolling.suffix = names[i][1];
        if (rolling.prefix)
            status = th_rolling_file_new(&rolling, &sink->lines[i].file, err);
    }
    return status;
}

void th_rolling_sink_options_init(th_rolling_sink_options *options)
{
    *options = (th_rolling_sink_options){ .prefix = TH_ROLLING_PREFIX,
                                          .roll_bytes = TH_ROLLING_BYTES,
                                          .roll_ms = TH_ROLLING_MS };
}

static const th_stream_sink_verbs verbs = { .name = "files",
                                            .put = put,
                                            .flush = flush,
                                            .conclude = conclude,
                                            .drop = drop,
                                            .recover = recover,
                                            .tick = tick,
                                            .facts = facts,
                                            .close = close_sink };

th_status th_rolling_sink_open(const th_rolling_sink_options *options,
                               th_stream_sink **out, th_error *err)
{
    struct sink *sink = calloc(1, sizeof *sink);
    if (!sink)
        return th_fail(err, TH_NOMEM, "cannot allocate an output");
    sink->base.verbs = &verbs;
    sink->options = *options;
    const th_status status = open_streams(sink, err);
    if (status == TH_OK)
        *out = &sink->base;
    else
        free_sink(sink);
    return status;
}
