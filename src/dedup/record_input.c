/*
 * Two kinds of input with one interface. Lines are decompressed here. An archive goes to
 * libwarc still compressed, because only libwarc finds the next good member after a
 * damaged one.
 */
#include "dedup/record_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <warc/warc.h>

#include "base/file_name.h"
#include "base/stoppable_read.h"
#include "dedup/line_reader.h"

struct th_record_input {
    const char *path;
    size_t max_line;
    const atomic_int *stop;
    th_decompressed_input *decompressed;
    warc_reader *warc; /* NULL for lines */
    uint64_t offset;   /* of the last WARC record */
    uint64_t found;    /* metadata records with JSON */
    uint64_t others;   /* other records, except warcinfo */
    warc_diag damage;  /* the first of the archive */
    warc_error error;  /* libwarc's */
    th_error failure;  /* of the descriptor, when libwarc reads it */
    th_buffer block;   /* JSON of a WARC record */
    th_line_reader lines;
};

static th_status no_memory(const th_record_input *input, th_error *err)
{
    return th_fail(err, TH_NOMEM, "out of memory for a record of '%s'", input->path);
}

/* ---- WARC ---- */

static warc_status read_stored(void *context, char *buffer, size_t capacity, size_t *got)
{
    th_record_input *input = context;
    *got = 0;
    const th_status status =
        th_decompressed_read(input->decompressed, buffer, capacity, got, &input->failure);
    if (status == TH_INTERRUPTED)
        return WARC_PAUSED;
    return status == TH_OK || status == TH_END ? WARC_OK : WARC_IO;
}

static bool is_stopped(void *context)
{
    const th_record_input *input = context;
    return th_is_stopped(input->stop);
}

static void keep_first_damage(void *context, const warc_diag *diag)
{
    th_record_input *input = context;
    if (warc_diag_is_damage(diag->code) && input->damage.code == WARC_DIAG_COUNT)
        input->damage = *diag;
}

static th_status open_warc(th_record_input *input, th_error *err)
{
    const warc_input source = { .context = input, .read = read_stored };
    warc_reader_options options;
    warc_reader_options_init(&options);
    options.on_diag = keep_first_damage;
    options.diag_context = input;
    options.should_pause = is_stopped;
    options.pause_context = input;
    input->damage.code = WARC_DIAG_COUNT;
    th_decompressed_read_raw(input->decompressed);
    if (warc_reader_open(&source, &options, &input->warc, NULL) != WARC_OK)
        return th_fail(err, TH_NOMEM, "out of memory to read '%s'", input->path);
    return TH_OK;
}

/* Takes the complete record's block, and the bytes after it, where a checksum is
 * verified. @return false when it is longer than a record may be */
static bool take_block(th_record_input *input, warc_status *read)
{
    warc_view chunk;
    bool fits = true;
    th_buffer_reset(&input->block);
    while ((*read = warc_reader_chunk(input->warc, &chunk, &input->error)) == WARC_OK) {
        fits = fits && chunk.len <= input->max_line - input->block.len;
        if (fits)
            th_buffer_append(&input->block, chunk.data, chunk.len);
    }
    if (*read == WARC_END)
        *read = warc_reader_finish(input->warc, &input->error);
    return fits;
}

static bool is_json(const warc_record *record)
{
    static const char type[] = "application/json";
    const warc_view field = warc_record_get(record, WARC_FIELD_CONTENT_TYPE);
    return warc_record_type(record) == WARC_TYPE_METADATA &&
           field.len >= sizeof type - 1 &&
           strncasecmp(field.data, type, sizeof type - 1) == 0;
}

static th_status report_damage(const th_record_input *input, th_error *err)
{
    const uint64_t count = warc_reader_get_stats(input->warc)->damage_count;
    char more[64] = "";
    if (count > 1)
        (void)snprintf(more, sizeof more, ", the first of %" PRIu64 " damaged places",
                       count);
    return th_fail(err, TH_BAD_CODING, "offset %" PRIu64 ": %s%s%s%s",
                   input->damage.offset, warc_diag_name(input->damage.code),
                   input->damage.detail[0] ? ": " : "", input->damage.detail, more);
}

/* Returns how the archive ended: the error of its bytes, or of its records. */
static th_status end_of_warc(const th_record_input *input, warc_status read,
                             th_error *err)
{
    if (read == WARC_NOMEM)
        return th_fail(err, TH_NOMEM, "out of memory to read '%s'", input->path);
    if (read == WARC_PAUSED)
        return th_fail(err, TH_INTERRUPTED, "interrupted");
    if (read == WARC_IO)
        return th_fail(err, TH_IO, "%s", input->failure.text);
    if (read != WARC_END)
        return th_fail(err, TH_BAD_CODING, "offset %" PRIu64 ": %s",
                       warc_reader_tell(input->warc), input->error.text);
    if (input->damage.code != WARC_DIAG_COUNT)
        return report_damage(input, err);
    if (input->others && !input->found)
        return th_fail(
            err, TH_ABSENT,
            "not one of its %" PRIu64
            " WARC records was written by thresher (use `thresher run -f warc`)",
            input->others);
    return TH_END;
}

static th_status next_in_warc(th_record_input *input, th_view *json,
                              th_record_fault *fault, th_error *err)
{
    warc_record *found = NULL;
    warc_status read;
    while ((read = warc_reader_next(input->warc, &found, &input->error)) == WARC_OK &&
           !is_json(found))
        input->others += warc_record_type(found) != WARC_TYPE_WARCINFO;
    if (read != WARC_OK)
        return end_of_warc(input, read, err);
    input->found++;
    input->offset = warc_record_position(found).offset;
    const bool fits = take_block(input, &read);
    const bool is_damaged = warc_record_is_damaged(found);
    *fault = is_damaged ? TH_RECORD_DAMAGED : fits ? TH_RECORD_NONE : TH_RECORD_TOO_LONG;
    *json = th_buffer_view(&input->block);
    if (input->block.has_failed)
        return no_memory(input, err);
    return read == WARC_OK ? TH_OK : end_of_warc(input, read, err);
}

/* ---- lines ---- */

static bool is_blank(th_view line)
{
    for (size_t i = 0; i < line.len; i++)
        if (line.data[i] != ' ' && line.data[i] != '\t')
            return false;
    return true;
}

static th_status next_line(th_record_input *input, th_view *json, th_record_fault *fault,
                           th_error *err)
{
    th_status status;
    do
        status = th_line_read(&input->lines, json, err);
    while (status == TH_OK && is_blank(*json));
    *fault = status == TH_TOO_LARGE ? TH_RECORD_TOO_LONG : TH_RECORD_NONE;
    return status == TH_TOO_LARGE ? TH_OK : status;
}

/* ---- the input ---- */

void th_record_input_free(th_record_input *input)
{
    if (!input)
        return;
    warc_reader_free(input->warc);
    th_decompressed_free(input->decompressed);
    th_line_reader_done(&input->lines);
    th_buffer_done(&input->block);
    free(input);
}

/* Decides by the first bytes, decompressed, or by the name if they are damaged. */
static bool is_archive(const th_record_input *input)
{
    static const char mark[] = "WARC/";
    static const char *const ends[] = { ".warc", ".warc.gz", ".warc.zst" };
    char start[sizeof mark - 1];
    const size_t count = th_decompressed_peek(input->decompressed, start, sizeof start);
    if (count == sizeof start && memcmp(start, mark, sizeof start) == 0)
        return true;
    bool is_named = false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        is_named |= th_file_name_ends(input->path, ends[i]);
    return is_named && (!count || start[0] != '{');
}

th_status th_record_input_open(const char *path, size_t max_line, const atomic_int *stop,
                               th_record_input **out, th_error *err)
{
    th_record_input *input = calloc(1, sizeof *input);
    if (!input)
        return th_fail(err, TH_NOMEM, "out of memory to read '%s'", path);
    input->path = path;
    input->max_line = max_line;
    input->stop = stop;
    th_status status = th_decompressed_open(path, stop, &input->decompressed, err);
    if (status == TH_OK && is_archive(input))
        status = open_warc(input, err);
    else if (status == TH_OK)
        th_line_reader_start(&input->lines, input->decompressed, max_line);
    if (status != TH_OK)
        th_record_input_free(input);
    else
        *out = input;
    return status;
}

th_status th_record_input_json(th_record_input *input, th_view *json,
                               th_record_fault *fault, th_error *err)
{
    return input->warc ? next_in_warc(input, json, fault, err)
                       : next_line(input, json, fault, err);
}

th_status th_record_input_next(th_record_input *input, th_record_line *record,
                               th_record_fault *fault, th_error *err)
{
    th_view json = { NULL, 0 };
    const th_status status = th_record_input_json(input, &json, fault, err);
    if (status == TH_OK && *fault == TH_RECORD_NONE &&
        th_record_line_read(record, json, fault) != TH_OK)
        return no_memory(input, err);
    return status;
}

void th_record_input_place(const th_record_input *input, char place[TH_PLACE_MAX])
{
    if (input->warc)
        (void)snprintf(place, TH_PLACE_MAX, "offset %" PRIu64, input->offset);
    else
        (void)snprintf(place, TH_PLACE_MAX, "line %" PRIu64, input->lines.number);
}

uint64_t th_record_input_report(const th_record_input *input)
{
    return th_decompressed_report(input->decompressed);
}
