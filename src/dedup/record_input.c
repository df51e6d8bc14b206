/*
 * Two shapes behind one verb. libwarc gets the unpacked bytes, so that one piece of code
 * unpacks both; offsets are those of the unpacked stream.
 */
#include "dedup/record_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <warc/warc.h>

#include "dedup/line_reader.h"

struct th_record_input {
    const char *path;
    size_t max_line;
    th_unpacked_input *unpacked;
    warc_reader *warc; /* NULL: lines */
    uint64_t offset;   /* of the last WARC record */
    th_status fate;    /* of the unpacked bytes, when libwarc reads them */
    th_error fate_words;
    th_buffer block; /* JSON of a WARC record */
    th_line_reader lines;
};

/* ---- WARC ---- */

static warc_status read_unpacked(void *context, char *buffer, size_t capacity,
                                 size_t *got)
{
    th_record_input *input = context;
    *got = 0;
    if (input->fate == TH_OK)
        input->fate =
            th_unpacked_read(input->unpacked, buffer, capacity, got, &input->fate_words);
    if (input->fate == TH_IO || input->fate == TH_NOMEM)
        return WARC_IO;
    return WARC_OK; /* *got = 0 is the end, also of a damaged file */
}

static th_status open_warc(th_record_input *input, th_error *err)
{
    const warc_input source = { .context = input, .read = read_unpacked };
    if (warc_reader_open(&source, NULL, &input->warc, NULL) != WARC_OK)
        return th_fail(err, TH_NOMEM, "out of memory to read '%s'", input->path);
    return TH_OK;
}

/* The record's block, whole. @return false when it is longer than a record may be */
static bool take_block(th_record_input *input, warc_status *read)
{
    warc_view chunk;
    bool fits = true;
    th_buffer_reset(&input->block);
    while ((*read = warc_reader_chunk(input->warc, &chunk, NULL)) == WARC_OK) {
        fits = fits && chunk.len <= input->max_line - input->block.len;
        if (fits)
            th_buffer_append(&input->block, chunk.data, chunk.len);
    }
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

/* How the archive ended: what was wrong with its bytes, or with its records. */
static th_status end_of_warc(th_record_input *input, warc_status read, th_error *err)
{
    const uint64_t damage = warc_reader_get_stats(input->warc)->damage_count;
    if (input->fate != TH_OK && input->fate != TH_END)
        return th_fail(err, input->fate, "%s", input->fate_words.text);
    if (read != WARC_END)
        return th_fail(err, read == WARC_NOMEM ? TH_NOMEM : TH_BAD_CODING,
                       "the archive cannot be read on");
    if (damage)
        return th_fail(err, TH_BAD_CODING, "damage in %" PRIu64 " places of the archive",
                       damage);
    return TH_END;
}

static th_status next_in_warc(th_record_input *input, th_record_line *record,
                              th_record_fault *fault, th_error *err)
{
    warc_record *found = NULL;
    warc_status read;
    while ((read = warc_reader_next(input->warc, &found, NULL)) == WARC_OK) {
        if (!is_json(found))
            continue;
        input->offset = warc_record_position(found).offset;
        if (!take_block(input, &read))
            *fault = TH_RECORD_TOO_LONG;
        else if (input->block.has_failed ||
                 th_record_line_read(record, th_buffer_view(&input->block), fault) !=
                     TH_OK)
            return th_fail(err, TH_NOMEM, "out of memory for a record of '%s'",
                           input->path);
        if (read == WARC_END)
            return TH_OK;
        break;
    }
    return end_of_warc(input, read, err);
}

/* ---- lines ---- */

static bool is_blank(th_view line)
{
    for (size_t i = 0; i < line.len; i++)
        if (line.data[i] != ' ' && line.data[i] != '\t')
            return false;
    return true;
}

static th_status next_line(th_record_input *input, th_record_line *record,
                           th_record_fault *fault, th_error *err)
{
    th_view line;
    th_status status;
    do
        status = th_line_read(&input->lines, &line, err);
    while (status == TH_OK && is_blank(line));
    *fault = TH_RECORD_TOO_LONG;
    if (status == TH_TOO_LARGE)
        return TH_OK;
    if (status == TH_OK && th_record_line_read(record, line, fault) != TH_OK)
        return th_fail(err, TH_NOMEM, "out of memory for a record of '%s'", input->path);
    return status;
}

/* ---- the input ---- */

void th_record_input_free(th_record_input *input)
{
    if (!input)
        return;
    warc_reader_free(input->warc);
    th_unpacked_free(input->unpacked);
    th_line_reader_done(&input->lines);
    th_buffer_done(&input->block);
    free(input);
}

th_status th_record_input_open(const char *path, size_t max_line, th_record_input **out,
                               th_error *err)
{
    static const char mark[] = "WARC/";
    char start[sizeof mark - 1];
    th_record_input *input = calloc(1, sizeof *input);
    if (!input)
        return th_fail(err, TH_NOMEM, "out of memory to read '%s'", path);
    input->path = path;
    input->max_line = max_line;
    th_status status = th_unpacked_open(path, &input->unpacked, err);
    if (status == TH_OK) {
        const size_t count = th_unpacked_peek(input->unpacked, start, sizeof start);
        th_line_reader_start(&input->lines, input->unpacked, max_line);
        if (count == sizeof start && memcmp(start, mark, sizeof start) == 0)
            status = open_warc(input, err);
    }
    if (status != TH_OK)
        th_record_input_free(input);
    else
        *out = input;
    return status;
}

th_status th_record_input_next(th_record_input *input, th_record_line *record,
                               th_record_fault *fault, th_error *err)
{
    return input->warc ? next_in_warc(input, record, fault, err)
                       : next_line(input, record, fault, err);
}

void th_record_input_place(const th_record_input *input, char place[TH_PLACE_MAX])
{
    if (input->warc)
        (void)snprintf(place, TH_PLACE_MAX, "offset %" PRIu64, input->offset);
    else
        (void)snprintf(place, TH_PLACE_MAX, "line %" PRIu64, input->lines.number);
}

uint64_t th_record_input_tell(const th_record_input *input)
{
    return th_unpacked_tell(input->unpacked);
}
