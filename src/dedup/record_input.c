/*
 * Several kinds of input with one interface: each gives the JSON of a record. Lines are
 * decompressed here. An archive goes to libwarc still compressed, because only libwarc
 * finds the next good member after a damaged one.
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
#include "dedup/input_kind.h"
#include "dedup/line_reader.h"
#include "dedup/sig_input.h"
#include "dedup/table_input.h"
#include "dedup/wet_record.h"

/* Content of an archive. */
enum content {
    UNKNOWN_CONTENT, /* before the second record of a page */
    METADATA,        /* metadata records with JSON; conversion records are not read */
    CONVERSIONS,     /* only text */
};

struct th_record_input {
    const char *path;
    th_record_input_options options;
    th_decompressed_input *decompressed; /* of lines and archives */
    th_table_input *table;               /* if it is Parquet */
    th_sig_input *signatures;            /* if it is a shard of them */
    warc_reader *warc;                   /* if it is an archive */
    enum content content;
    th_wet_maker wet;
    warc_record *held; /* a record that was read early, or NULL */
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
    return th_is_stopped(input->options.stop);
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
    input->content =
        input->options.use == TH_RECORD_TEXTS ? CONVERSIONS : UNKNOWN_CONTENT;
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
        fits = fits && chunk.len <= input->options.max_line - input->block.len;
        if (fits)
            th_buffer_append(&input->block, chunk.data, chunk.len);
    }
    if (*read == WARC_END)
        *read = warc_reader_finish(input->warc, &input->error);
    return fits;
}

static bool is_text(const warc_record *record)
{
    return warc_record_type(record) == WARC_TYPE_CONVERSION;
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

/* Takes a record's block. With a fault there is no JSON. */
static th_status take_record(th_record_input *input, const warc_record *record,
                             th_record_fault *fault, th_error *err)
{
    warc_status read;
    input->found++;
    input->offset = warc_record_position(record).offset;
    const bool fits = take_block(input, &read);
    const bool is_damaged = warc_record_is_damaged(record);
    *fault = is_damaged ? TH_RECORD_DAMAGED : fits ? TH_RECORD_NONE : TH_RECORD_TOO_LONG;
    if (input->block.has_failed)
        return no_memory(input, err);
    return read == WARC_OK ? TH_OK : end_of_warc(input, read, err);
}

static th_status take_metadata(th_record_input *input, const warc_record *record,
                               th_view *json, th_record_fault *fault, th_error *err)
{
    const th_status status = take_record(input, record, fault, err);
    *json = th_buffer_view(&input->block);
    return status;
}

static th_status take_text(th_record_input *input, const warc_record *record,
                           th_view *json, th_record_fault *fault, th_error *err)
{
    th_status status = th_wet_maker_begin(&input->wet, record);
    if (status == TH_OK)
        status = take_record(input, record, fault, err);
    if (status == TH_OK && *fault == TH_RECORD_NONE)
        status = th_wet_maker_json(&input->wet, th_buffer_view(&input->block),
                                   input->options.use == TH_RECORD_TEXTS, json);
    return status == TH_NOMEM ? no_memory(input, err) : status;
}

/* Returns the next record that may be read, of a type that the content allows. */
static warc_status find_record(th_record_input *input, warc_record **found)
{
    warc_status read;
    if (input->held) {
        *found = input->held;
        input->held = NULL;
        return WARC_OK;
    }
    while ((read = warc_reader_next(input->warc, found, &input->error)) == WARC_OK &&
           !(is_json(*found) && input->content != CONVERSIONS) &&
           !(is_text(*found) && input->content != METADATA))
        input->others += warc_record_type(*found) != WARC_TYPE_WARCINFO &&
                         !is_text(*found) && !is_json(*found);
    return read;
}

static th_status no_links(th_error *err)
{
    return th_fail(err, TH_ABSENT,
                   "this is WET, text without links (`thresher run --emit links` writes "
                   "them into JSON lines, WARC or Parquet)");
}

/* Takes the first text of an archive. In one of `-f warc` the metadata of its page
 * follows, and is taken instead. In one of `-f wet` the next text follows. */
static th_status take_first_text(th_record_input *input, const warc_record *first,
                                 th_view *json, th_record_fault *fault, th_error *err)
{
    warc_record *next = NULL;
    th_status status = take_text(input, first, json, fault, err);
    if (status != TH_OK)
        return status;
    const warc_status read = warc_reader_next(input->warc, &next, &input->error);
    if (read == WARC_OK && is_json(next)) {
        input->content = METADATA;
        input->found = 0;
        return take_metadata(input, next, json, fault, err);
    }
    input->content = CONVERSIONS;
    if (read == WARC_OK && is_text(next))
        input->held = next;
    return input->options.use == TH_RECORD_LINKS ? no_links(err) : TH_OK;
}

static th_status next_in_warc(th_record_input *input, th_view *json,
                              th_record_fault *fault, th_error *err)
{
    warc_record *found = NULL;
    const warc_status read = find_record(input, &found);
    if (read != WARC_OK)
        return end_of_warc(input, read, err);
    if (is_json(found)) {
        input->content = METADATA;
        return take_metadata(input, found, json, fault, err);
    }
    return input->content == UNKNOWN_CONTENT
               ? take_first_text(input, found, json, fault, err)
               : take_text(input, found, json, fault, err);
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
    th_table_input_free(input->table);
    th_sig_input_free(input->signatures);
    th_wet_maker_done(&input->wet);
    th_decompressed_free(input->decompressed);
    th_line_reader_done(&input->lines);
    th_buffer_done(&input->block);
    free(input);
}

/* Decides by the first bytes, decompressed, or by the name if they are damaged. */
static bool is_archive(const th_record_input *input, th_view start)
{
    static const char mark[] = "WARC/";
    static const char *const ends[] = { ".warc", ".warc.gz", ".warc.zst" };
    if (start.len >= sizeof mark - 1 && memcmp(start.data, mark, sizeof mark - 1) == 0)
        return true;
    bool is_named = false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        is_named |= th_file_name_ends(input->path, ends[i]);
    return is_named && (!start.len || start.data[0] != '{');
}

static th_status open_table(th_record_input *input, th_error *err)
{
    /* Columns by use. `http` has the status. */
    static const char *const columns[][8] = {
        [TH_RECORD_SIGNATURES] = { "id", "url", "date", "http", "digest", "minhash",
                                   "template_known" },
        [TH_RECORD_DIGESTS] = { "id", "url", "date", "http", "digest" },
        [TH_RECORD_TEXTS] = { "id", "url", "date", "http", "text" },
        [TH_RECORD_LINKS] = { "url", "links" },
    };
    const th_record_input_options *options = &input->options;
    th_decompressed_free(input->decompressed);
    input->decompressed = NULL;
    if (strcmp(input->path, "-") == 0)
        return th_fail(err, TH_ABSENT,
                       "this is Parquet, which is read from a file, not from stdin");
    return th_table_input_open(input->path, options->remote, options->stop,
                               columns[options->use], &input->table, err);
}

static th_status open_bytes(th_record_input *input, th_error *err)
{
    static const char table[] = "PAR1";
    char bytes[TH_DECOMPRESSED_PEEK];
    th_status status =
        th_decompressed_open(input->path, input->options.remote, input->options.stop,
                             &input->decompressed, err);
    if (status != TH_OK)
        return status;
    const th_view start = { bytes, th_decompressed_peek(input->decompressed, bytes,
                                                        sizeof bytes) };
    if (start.len >= sizeof table - 1 && memcmp(bytes, table, sizeof table - 1) == 0)
        return open_table(input, err);
    if (is_archive(input, start))
        return open_warc(input, err);
    status = th_input_kind_check(start, err);
    if (status == TH_OK)
        th_line_reader_start(&input->lines, input->decompressed, input->options.max_line);
    return status;
}

th_status th_record_input_open(const char *path, const th_record_input_options *options,
                               th_record_input **out, th_error *err)
{
    th_record_input *input = calloc(1, sizeof *input);
    th_status status = TH_OK;
    if (!input)
        return th_fail(err, TH_NOMEM, "out of memory to read '%s'", path);
    input->path = path;
    input->options = *options;
    if (!th_sig_input_is_name(path, NULL))
        status = open_bytes(input, err);
    else if (options->use == TH_RECORD_SIGNATURES)
        status = th_sig_input_open(path, options->remote, &input->signatures, err);
    else
        status = th_fail(err, TH_ABSENT, "this is minhash-sig, signatures without %s",
                         options->use == TH_RECORD_LINKS ? "links" : "text");
    if (status != TH_OK)
        th_record_input_free(input);
    else
        *out = input;
    return status;
}

static th_status next_in_table(th_record_input *input, th_view *json,
                               th_record_fault *fault, th_error *err)
{
    const th_status status = th_table_input_next(input->table, json, err);
    *fault = status == TH_OK && json->len > input->options.max_line ? TH_RECORD_TOO_LONG
                                                                    : TH_RECORD_NONE;
    return status;
}

th_status th_record_input_json(th_record_input *input, th_view *json,
                               th_record_fault *fault, th_error *err)
{
    *fault = TH_RECORD_NONE;
    return input->table        ? next_in_table(input, json, fault, err)
           : input->signatures ? th_sig_input_next(input->signatures, json, err)
           : input->warc       ? next_in_warc(input, json, fault, err)
                               : next_line(input, json, fault, err);
}

th_status th_record_input_next(th_record_input *input, th_record_line *record,
                               th_record_fault *fault, th_error *err)
{
    th_view json = { NULL, 0 };
    const th_status status = th_record_input_json(input, &json, fault, err);
    record->wants_text =
        input->options.use == TH_RECORD_TEXTS || input->options.use == TH_RECORD_DIGESTS;
    if (status == TH_OK && *fault == TH_RECORD_NONE &&
        th_record_line_read(record, json, fault) != TH_OK)
        return no_memory(input, err);
    return status;
}

void th_record_input_place(const th_record_input *input, char place[TH_PLACE_MAX])
{
    const char *unit = input->table        ? "row"
                       : input->signatures ? "page"
                       : input->warc       ? "offset"
                                           : "line";
    const uint64_t number = input->table        ? th_table_input_row(input->table)
                            : input->signatures ? th_sig_input_page(input->signatures)
                            : input->warc       ? input->offset
                                                : input->lines.number;
    (void)snprintf(place, TH_PLACE_MAX, "%s %" PRIu64, unit, number);
}

uint64_t th_record_input_report(const th_record_input *input)
{
    return input->table        ? th_table_input_report(input->table)
           : input->signatures ? th_sig_input_report(input->signatures)
                               : th_decompressed_report(input->decompressed);
}
