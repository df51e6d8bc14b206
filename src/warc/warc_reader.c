/* The calls of the reader: opening, reading, seeking. */
#include "warc/warc_reader.h"

#include "arc_head.h"
#include "fail.h"
#include "reader_state.h"

#include <stdlib.h>
#include <string.h>

/* Minimum size of the struct: all versions have the fields up to this one. */
enum {
    FIRST_SIZE = offsetof(warc_reader_options, diag_context) +
                 sizeof(((warc_reader_options *)0)->diag_context)
};

static warc_reader_options defaults(void)
{
    return (warc_reader_options){
        .size = sizeof(warc_reader_options),
        .max_header = WARC_MAX_HEADER,
        .max_fields = WARC_MAX_FIELDS,
        .max_dictionary = WARC_MAX_DICTIONARY,
        .max_window_log = WARC_MAX_WINDOW_LOG,
    };
}

void warc_reader_options_init_sized(warc_reader_options *options, size_t size)
{
    const warc_reader_options all = defaults();
    memset(options, 0, size);
    memcpy(options, &all, size < sizeof all ? size : sizeof all);
    options->size = size;
}

static bool are_sane(const warc_reader_options *options)
{
    return options->max_header >= WARC_MAX_HEADER_LEAST &&
           options->max_header <= WARC_MAX_HEADER_MOST && options->max_fields > 0 &&
           options->max_dictionary <= WARC_MAX_DICTIONARY_MOST &&
           options->max_window_log >= WARC_MAX_WINDOW_LOG_LEAST &&
           options->max_window_log <= WARC_MAX_WINDOW_LOG_MOST;
}

/* ---- opening ---- */

static void close_input(const warc_input *input)
{
    if (input->close)
        input->close(input->context);
}

warc_status warc_reader_open(const warc_input *input, const warc_reader_options *options,
                             warc_reader **out, warc_error *error)
{
    warc_reader_options known = defaults(); /* for fields unknown to the caller */
    const bool is_sized =
        !options || (options->size >= FIRST_SIZE && options->size <= sizeof known);
    if (options && is_sized)
        memcpy(&known, options, options->size);
    options = &known;
    if (!is_sized || !are_sane(options)) {
        close_input(input);
        return warc_fail(error, WARC_BAD_ARGUMENT,
                         is_sized ? "reader option out of range"
                                  : "reader options were not initialized with "
                                    "warc_reader_options_init of this libwarc");
    }
    const size_t header = options->max_header + 1;
    const size_t peek = header > READER_WINDOW_MAX ? header : READER_WINDOW_MAX;
    warc_reader *reader = calloc(1, sizeof *reader);
    if (!reader || byte_stream_init(&reader->stream, input, peek) != WARC_OK) {
        close_input(input);
        free(reader);
        return warc_fail(error, WARC_NOMEM, "cannot allocate a reader");
    }
    if (options->verify_digests && warc_digest_new(&reader->digest) != WARC_OK) {
        warc_reader_free(reader);
        return warc_fail(error, WARC_NOMEM, "cannot allocate a digest");
    }
    reader->options = *options;
    reader->options.size = sizeof *options;
    reader->stream.should_pause = options->should_pause;
    reader->stream.pause_context = options->pause_context;
    reader->record_member = WARC_NO_OFFSET;
    reader->member_dict = WARC_NO_OFFSET;
    *out = reader;
    return WARC_OK;
}

warc_status warc_reader_open_path(const char *path, const warc_reader_options *options,
                                  warc_reader **out, warc_error *error)
{
    warc_input input;
    const warc_status status = warc_input_from_path(path, &input, error);
    return status == WARC_OK ? warc_reader_open(&input, options, out, error) : status;
}

warc_status warc_reader_open_fd(int fd, const warc_reader_options *options,
                                warc_reader **out, warc_error *error)
{
    warc_input input;
    const warc_status status = warc_input_from_fd(fd, &input, error);
    return status == WARC_OK ? warc_reader_open(&input, options, out, error) : status;
}

warc_status warc_reader_open_memory(warc_view bytes, const warc_reader_options *options,
                                    warc_reader **out, warc_error *error)
{
    warc_input input;
    const warc_status status = warc_input_from_memory(bytes, &input, error);
    return status == WARC_OK ? warc_reader_open(&input, options, out, error) : status;
}

warc_status warc_reader_reopen_memory(warc_reader *reader, warc_view bytes,
                                      warc_error *error)
{
    warc_input input;
    const warc_status status = warc_input_from_memory(bytes, &input, error);
    if (status != WARC_OK)
        return status;
    byte_stream_reopen(&reader->stream, &input);
    const struct warc_head memory = { .text = reader->record.head.text,
                                      .text_capacity = reader->record.head.text_capacity,
                                      .fields = reader->record.head.fields,
                                      .field_capacity =
                                          reader->record.head.field_capacity };
    *reader = (struct warc_reader){
        .options = reader->options,
        .stream = reader->stream,
        .digest = reader->digest,
        .record_member = WARC_NO_OFFSET,
        .member_dict = WARC_NO_OFFSET,
    };
    reader->record.head = memory;
    return WARC_OK;
}

void warc_reader_free(warc_reader *reader)
{
    if (!reader)
        return;
    byte_stream_done(&reader->stream);
    warc_head_done(&reader->record.head);
    warc_digest_free(reader->digest);
    free(reader);
}

/* ---- failing ---- */

/* Remembers the failure: every later call returns it again. A pause is not a failure. */
static warc_status fail(struct warc_reader *reader, warc_status status, warc_error *error)
{
    if (status == WARC_PAUSED)
        return status;
    reader->failure = status;
    if (reader->failure_error.status != status)
        warc_fail(&reader->failure_error, status, "%s", warc_status_text(status));
    if (error && status != WARC_END)
        *error = reader->failure_error;
    return status;
}

/* ---- starting ---- */

/* Refuses a container within a container, with its name in the error. */
static warc_status refuse_nested(struct warc_reader *reader)
{
    enum { LOOK = 256 * 1024 }; /* a block of zstd, and its headers */
    const struct decompressed_window *out = &reader->stream.out;
    const warc_view bytes = { decompressed_window_data(out),
                              decompressed_window_len(out) };
    if (reader->stream.container == WARC_CONTAINER_PLAIN)
        return WARC_OK;
    const char *name = byte_stream_foreign(bytes);
    const bool is_gzip = bytes.len >= 2 && memcmp(bytes.data, "\x1f\x8b", 2) == 0;
    if (!name && (is_gzip || zstd_unpacker_is_magic(bytes))) {
        warc_status status = reader_need(reader, LOOK);
        if (status == WARC_OK)
            status = byte_stream_nested(&reader->stream, &reader->options, &name);
        /* The stored block of a member that was cut can contain the next member. The
         * damage shows soon after it. */
        const struct mark *damage = NULL;
        if (status == WARC_OK && name)
            status = reader_damage_ahead(reader, &damage);
        if (status != WARC_OK)
            return status;
        if (damage && damage->at - out->at < LOOK)
            name = NULL;
    }
    if (!name)
        return WARC_OK;
    return warc_fail(&reader->failure_error, WARC_BAD_CONTAINER, "'%s' lies within %s",
                     name,
                     reader->stream.container == WARC_CONTAINER_GZIP ? "gzip" : "zstd");
}

static warc_status start(struct warc_reader *reader)
{
    warc_status status = WARC_OK;
    if (reader->stream.container == WARC_CONTAINER_UNKNOWN)
        status =
            byte_stream_detect(&reader->stream, &reader->options, &reader->failure_error);
    if (status != WARC_OK)
        return status;
    reader->stats.container = reader->stream.container;
    enum { LOOK = 16 };
    status = reader_need(reader, LOOK);
    if (status != WARC_OK)
        return status;
    if (reader_is_cut_off(reader))
        return WARC_IO;
    const struct decompressed_window *out = &reader->stream.out;
    reader->is_arc = reader->stats.is_arc = arc_head_is_version_block(
        (warc_view){ decompressed_window_data(out), decompressed_window_len(out) });
    status = refuse_nested(reader);
    if (reader->stream.gzip)
        gzip_unpacker_set_arc(reader->stream.gzip, reader->is_arc);
    reader->is_started = status == WARC_OK;
    return status;
}

/* ---- reading ---- */

static warc_status seek_on(struct warc_reader *reader);

static warc_status next(struct warc_reader *reader)
{
    warc_status status = reader->is_started ? WARC_OK : start(reader);
    if (status == WARC_OK && reader->is_seeking)
        status = seek_on(reader);
    if (status == WARC_OK)
        status = reader_finish(reader);
    reader->rest.len = 0;
    if (status == WARC_OK)
        status = reader_find(reader);
    if (status != WARC_OK && status != WARC_PAUSED)
        reader->stage = STAGE_NONE;
    return status;
}

warc_status warc_reader_next(warc_reader *reader, warc_record **out, warc_error *error)
{
    if (reader->failure != WARC_OK)
        return fail(reader, reader->failure, error);
    const warc_status status = next(reader);
    if (status != WARC_OK)
        return fail(reader, status, error);
    *out = &reader->record;
    return WARC_OK;
}

warc_status warc_reader_chunk(warc_reader *reader, warc_view *chunk, warc_error *error)
{
    if (reader->failure != WARC_OK)
        return fail(reader, reader->failure, error);
    if (reader->rest.len > 0) {
        *chunk = reader->rest;
        reader->rest.len = 0;
        return WARC_OK;
    }
    const warc_status status = reader_block(reader, chunk);
    return status == WARC_OK || status == WARC_END || status == WARC_PAUSED
               ? status
               : fail(reader, status, error);
}

warc_status warc_reader_read(warc_reader *reader, char *buffer, size_t len, size_t *got,
                             warc_error *error)
{
    *got = 0;
    while (*got < len) {
        warc_view chunk;
        const warc_status status = warc_reader_chunk(reader, &chunk, error);
        if (status == WARC_END && *got > 0)
            return WARC_OK;
        if (status != WARC_OK)
            return status;
        const size_t step = chunk.len < len - *got ? chunk.len : len - *got;
        memcpy(buffer + *got, chunk.data, step);
        *got += step;
        reader->rest = (warc_view){ chunk.data + step, chunk.len - step };
    }
    return WARC_OK;
}

warc_status warc_reader_finish(warc_reader *reader, warc_error *error)
{
    if (reader->failure != WARC_OK)
        return reader->failure == WARC_END ? WARC_OK
                                           : fail(reader, reader->failure, error);
    reader->rest.len = 0;
    const warc_status status = reader_finish(reader);
    return status == WARC_OK ? WARC_OK : fail(reader, status, error);
}

/* ---- seeking ---- */

static warc_status skip(struct warc_reader *reader)
{
    while (reader->seek_left > 0) {
        const warc_status status = reader_settle(reader, DIAG_OF_FILE);
        if (status != WARC_OK)
            return status;
        size_t run = decompressed_window_run(&reader->stream.out);
        if (run == 0)
            return WARC_OK; /* the end: next says so */
        if (run > reader->seek_left)
            run = (size_t)reader->seek_left;
        decompressed_window_consume(&reader->stream.out, run);
        reader->seek_left -= run;
    }
    return WARC_OK;
}

/* Goes to the member of the requested position. */
static warc_status place_at_member(struct warc_reader *reader)
{
    const warc_position *position = &reader->sought;
    const bool is_plain = reader->stream.container == WARC_CONTAINER_PLAIN;
    const uint64_t uoffset =
        position->uoffset == WARC_NO_OFFSET ? position->skip : position->uoffset;
    const uint64_t at = is_plain ? position->offset : uoffset - position->skip;
    const warc_status status =
        byte_stream_seek(&reader->stream, position->offset, at, position->dict_offset);
    reader->is_placed = status == WARC_OK;
    return status;
}

/* Continues the current seek. */
static warc_status seek_on(struct warc_reader *reader)
{
    warc_status status = reader->is_placed ? WARC_OK : place_at_member(reader);
    if (status == WARC_OK)
        status = skip(reader);
    reader->is_seeking = status == WARC_PAUSED;
    return status;
}

static void begin_seek(struct warc_reader *reader, const warc_position *position)
{
    byte_stream_forget_seek(&reader->stream);
    reader->sought = *position;
    reader->is_seeking = true;
    reader->is_placed = false;
    reader->seek_left = position->skip;
    reader->stage = STAGE_NONE;
    reader->rest.len = 0;
    reader->pending_count = 0;
    reader->record_member = position->skip > 0 ? position->offset : WARC_NO_OFFSET;
}

static bool is_sought(const struct warc_reader *reader, const warc_position *position)
{
    const warc_position *sought = &reader->sought;
    return reader->is_seeking && sought->offset == position->offset &&
           sought->skip == position->skip && sought->uoffset == position->uoffset &&
           sought->dict_offset == position->dict_offset;
}

warc_status warc_reader_seek(warc_reader *reader, const warc_position *position,
                             warc_error *error)
{
    warc_status status = WARC_OK;
    if (!reader->stream.in.input.seek)
        return warc_fail(error, WARC_CANNOT_SEEK, "input is not seekable");
    if (!reader->is_started && reader->failure != WARC_OK)
        return fail(reader, reader->failure, error);
    reader->failure_error.status = WARC_OK;
    if (!is_sought(reader, position))
        begin_seek(reader, position);
    if (!reader->is_started)
        status = start(reader);
    if (status == WARC_OK)
        status = seek_on(reader);
    reader->failure = WARC_OK;
    return status == WARC_OK ? WARC_OK : fail(reader, status, error);
}

/* ---- sums ---- */

const warc_reader_stats *warc_reader_get_stats(const warc_reader *reader)
{
    return &reader->stats;
}

uint64_t warc_reader_tell(const warc_reader *reader)
{
    return byte_stream_tell(&reader->stream);
}
