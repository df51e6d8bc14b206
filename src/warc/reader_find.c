/*
 * Reads from the end of one record to the header of the next. A record is expected at
 * once, after blank lines. If no record begins there, bytes are skipped until one does,
 * at the beginning of a line or elsewhere.
 */
#include "arc_head.h"
#include "reader_state.h"

#include <stddef.h>
#include <string.h>

static unsigned long long ull(uint64_t number)
{
    return number;
}

static void end_stray(struct warc_reader *reader, bool is_at_end)
{
    const struct stray *stray = &reader->stray;
    if (!stray->is_any)
        return;
    const uint64_t count = reader->stream.out.at - stray->begin.uoffset;
    reader->stats.stray_bytes += count;
    reader_diag_at(reader, is_at_end ? DIAG_OF_FILE : DIAG_OF_NEXT,
                   is_at_end ? WARC_DIAG_GARBAGE_AT_END : WARC_DIAG_GARBAGE_BEFORE,
                   stray->begin, "%llu bytes", ull(count));
}

static void begin_stray(struct warc_reader *reader)
{
    if (!reader->stray.is_any)
        reader->stray = (struct stray){ true, reader_place(reader) };
}

/* ---- the header ---- */

enum header_fate { HEADER_TAKEN, HEADER_DROPPED };

/* Finds the end of the header that begins here. */
static warc_status header_end(struct warc_reader *reader, size_t *len, enum head_end *end)
{
    const struct decompressed_window *out = &reader->stream.out;
    warc_status status = WARC_OK;
    *len = reader->scanned;
    for (;;) {
        const size_t ready = decompressed_window_len(out);
        const warc_view bytes = { decompressed_window_data(out), ready };
        *end = warc_head_end(bytes, len);
        if (*end != HEAD_END_MORE || ready > reader->options.max_header)
            break;
        status = reader_need(reader, ready + 1);
        if (status != WARC_OK || decompressed_window_len(out) == ready)
            break;
    }
    reader->scanned = status == WARC_PAUSED ? *len : 0;
    return status;
}

/* A header may continue in the next member, but not over the beginning of another record
 * there, because damage may have removed the line end before it. */
static void cut_at_member(const struct warc_reader *reader, size_t *len,
                          enum head_end *end)
{
    const struct decompressed_window *out = &reader->stream.out;
    const size_t limit = *end == HEAD_END_MORE ? decompressed_window_len(out) : *len;
    for (size_t i = out->mark_begin; i < out->mark_end; i++) {
        const struct mark *mark = &out->marks[i];
        const uint64_t at = mark->at - out->at;
        if (mark->kind != MARK_START || at == 0)
            continue;
        if (at >= limit)
            return;
        const warc_view rest = { decompressed_window_data(out) + at,
                                 decompressed_window_len(out) - (size_t)at };
        if (warc_head_begins(rest, true) == HEAD_YES) {
            *len = (size_t)at;
            *end = HEAD_END_BROKEN;
            return;
        }
    }
}

static void move_pending(struct warc_reader *reader)
{
    memcpy(reader->record.diags, reader->pending,
           reader->pending_count * sizeof *reader->pending);
    reader->record.diag_count = reader->pending_count;
    reader->pending_count = 0;
}

/* The record's own diagnostics are located at the start of the record. */
static void note(struct warc_reader *reader, bool is_so, warc_diag_code code,
                 const char *detail)
{
    if (is_so)
        reader_diag_at(reader, DIAG_OF_RECORD, code, reader->record.position, "%s",
                       detail);
}

static void note_value(struct warc_reader *reader, warc_diag_code code, warc_view value)
{
    const int len = value.len < 64 ? (int)value.len : 64;
    reader_diag_at(reader, DIAG_OF_RECORD, code, reader->record.position, "'%.*s'", len,
                   value.data);
}

static void note_repeated(struct warc_reader *reader)
{
    for (unsigned i = 0; i < WARC_FIELD_COUNT; i++)
        note(reader, reader->record.head.findings.repeated >> i & 1,
             WARC_DIAG_REPEATED_FIELD, warc_field_name((warc_field)i));
}

static void note_form(struct warc_reader *reader)
{
    const struct head_findings *found = &reader->record.head.findings;
    note(reader, found->has_lf, WARC_DIAG_LF_LINE_ENDS, "");
    note(reader, found->has_crcrlf, WARC_DIAG_CRCRLF_LINE_ENDS, "");
    note(reader, found->is_version_unknown, WARC_DIAG_VERSION_UNKNOWN, "");
    note(reader, found->is_version_odd, WARC_DIAG_VERSION_CASE, "");
    note(reader, found->is_folded, WARC_DIAG_HEADER_FOLDED, "");
    note(reader, found->has_no_colon, WARC_DIAG_HEADER_NO_COLON, "");
    note(reader, found->is_not_utf8, WARC_DIAG_HEADER_NOT_UTF8, "");
    note(reader, found->has_nul, WARC_DIAG_HEADER_NUL, "");
    note(reader, found->has_too_many, WARC_DIAG_TOO_MANY_FIELDS, "");
    note_repeated(reader);
}

static void note_values(struct warc_reader *reader)
{
    const struct warc_record *record = &reader->record;
    const warc_view *known = record->head.known;
    const warc_view type = known[WARC_FIELD_TYPE];
    const warc_view date = known[WARC_FIELD_DATE];
    const warc_view uri = known[WARC_FIELD_TARGET_URI];
    note(reader, !type.data, WARC_DIAG_NO_TYPE, "");
    if (type.data && record->type == WARC_TYPE_UNKNOWN)
        note_value(reader, WARC_DIAG_UNKNOWN_TYPE, type);
    note(reader, !known[WARC_FIELD_RECORD_ID].data, WARC_DIAG_NO_RECORD_ID, "");
    note(reader, !date.data, WARC_DIAG_NO_DATE, "");
    if (date.data &&
        !warc_date_is_valid(date, record->head.major > 1 || record->head.minor >= 1))
        note_value(reader, WARC_DIAG_DATE_FORMAT, date);
    note(reader, uri.len > 0 && warc_strip_brackets(uri).len < uri.len,
         WARC_DIAG_URI_ANGLE_BRACKETS, "");
    note(reader, uri.len > 0 && memchr(uri.data, ' ', uri.len) != NULL,
         WARC_DIAG_URI_SPACE, "");
}

static void note_length(struct warc_reader *reader)
{
    struct warc_record *record = &reader->record;
    const warc_view length = record->head.known[WARC_FIELD_CONTENT_LENGTH];
    record->has_content_length =
        length.data && warc_length_parse(length, &record->content_length);
    if (!length.data)
        note(reader, true, WARC_DIAG_NO_CONTENT_LENGTH, "");
    else if (!record->has_content_length)
        note_value(reader, WARC_DIAG_BAD_CONTENT_LENGTH, length);
    record->is_damaged = !record->has_content_length; /* its end is a guess */
}

/* Prepares the check of the declared block digest. */
static warc_status ready_digest(struct warc_reader *reader)
{
    reader->is_hashing = false;
    reader->record.block_digest = WARC_DIGEST_UNCHECKED;
    if (!reader->options.verify_digests)
        return WARC_OK;
    const warc_view field = reader->record.head.known[WARC_FIELD_BLOCK_DIGEST];
    reader->record.block_digest = WARC_DIGEST_ABSENT;
    if (!field.data)
        return WARC_OK;
    warc_status status = warc_digest_parse(field, &reader->declared);
    if (status == WARC_OK) {
        reader->record.block_digest = WARC_DIGEST_UNCHECKED;
        status = warc_digest_begin(reader->digest, reader->declared.algorithm);
    }
    if (status == WARC_OK)
        reader->is_hashing = true;
    if (status == WARC_BAD_DIGEST) {
        reader->record.block_digest = WARC_DIGEST_MALFORMED;
        note_value(reader, WARC_DIAG_BLOCK_DIGEST_MALFORMED, field);
    }
    if (status == WARC_UNKNOWN_ALGORITHM) {
        reader->record.block_digest = WARC_DIGEST_UNKNOWN_ALG;
        note_value(reader, WARC_DIAG_BLOCK_DIGEST_UNKNOWN, field);
    }
    return status == WARC_NOMEM ? status : WARC_OK;
}

/* Empties the record, but keeps the memory of its header. */
static void clear_record(struct warc_record *record)
{
    const struct warc_head head = record->head;
    memset(record, 0, offsetof(struct warc_record, diags));
    record->diag_count = 0;
    record->head = head;
}

/* Returns whether the block begins as an HTTP response. */
static warc_status look_at_block(struct warc_reader *reader)
{
    static const char word[] = "HTTP/";
    const size_t len = sizeof word - 1;
    const size_t wanted = reader->is_framed && reader->left < len ? 0 : len;
    const warc_status status = reader_need(reader, wanted);
    const struct decompressed_window *out = &reader->stream.out;
    reader->record.is_http_block = wanted == len && decompressed_window_len(out) >= len &&
                                   memcmp(decompressed_window_data(out), word, len) == 0;
    if (status == WARC_OK && reader->stream.has_failed &&
        decompressed_window_len(out) < wanted)
        return WARC_IO;
    if (status == WARC_OK)
        reader->stage = STAGE_BLOCK;
    return status;
}

/* Makes the header of `len` bytes here the current record. */
static warc_status take_header(struct warc_reader *reader, size_t len, bool is_arc)
{
    struct warc_record *record = &reader->record;
    clear_record(record);
    record->position = reader_place(reader);
    record->is_arc = is_arc;
    const struct decompressed_window *out = &reader->stream.out;
    const warc_view bytes = { decompressed_window_data(out), len };
    warc_status status =
        is_arc ? arc_head_read(&record->head, bytes, &len)
               : warc_head_read(&record->head, bytes, reader->options.max_fields);
    if (status != WARC_OK)
        return status;
    record->header_len = len;
    record->type = warc_type_by_name(record->head.known[WARC_FIELD_TYPE]);
    move_pending(reader);
    if (record->position.skip > 0 && reader->record_member == record->position.offset)
        note(reader, true, WARC_DIAG_SHARED_MEMBER, "");
    reader->record_member = record->position.offset;
    note_form(reader);
    if (!is_arc)
        note_values(reader);
    note_length(reader);
    reader_consume(reader, len, DIAG_OF_RECORD);
    reader->stage = STAGE_LOOK;
    reader->is_framed = record->has_content_length;
    reader->is_whole = false;
    reader->inner_heads = 0;
    reader->left = record->content_length;
    reader->at_line_start = true;
    reader->stats.records++;
    return ready_digest(reader);
}

/* Skips a version line whose header cannot be used, as stray bytes: the complete header
 * if its end is known, else its first line. */
static void drop_header(struct warc_reader *reader, size_t len, enum head_end end)
{
    const size_t ready = decompressed_window_len(&reader->stream.out);
    const bool is_too_large =
        (end == HEAD_END_BROKEN ? len : ready) > reader->options.max_header;
    reader_diag(reader, DIAG_OF_NEXT,
                is_too_large ? WARC_DIAG_HEADER_TOO_LARGE : WARC_DIAG_HEADER_EOF,
                is_too_large ? "more than %llu bytes" : "after %llu bytes",
                ull(is_too_large             ? reader->options.max_header
                    : end == HEAD_END_BROKEN ? len
                                             : ready));
    reader->stats.dropped_headers++;
    size_t drop = ready;
    if (end == HEAD_END_BROKEN)
        drop = len;
    else if (is_too_large)
        drop = reader_scan(reader);
    reader_consume(reader, drop, DIAG_OF_NEXT);
    reader->at_line_start = true;
}

static warc_status read_header(struct warc_reader *reader, enum header_fate *fate)
{
    const struct decompressed_window *out = &reader->stream.out;
    const warc_view bytes = { decompressed_window_data(out),
                              decompressed_window_len(out) };
    const bool is_arc = reader->is_arc && warc_head_begins(bytes, true) != HEAD_YES;
    size_t len = bytes.len;
    enum head_end end = HEAD_END_FOUND;
    if (!is_arc) {
        const warc_status status = header_end(reader, &len, &end);
        if (status != WARC_OK)
            return status;
        cut_at_member(reader, &len, &end);
        if (end == HEAD_END_MORE && reader->stream.has_failed &&
            decompressed_window_len(out) <= reader->options.max_header)
            return WARC_IO;
    }
    *fate = end == HEAD_END_FOUND && (is_arc || len <= reader->options.max_header)
                ? HEADER_TAKEN
                : HEADER_DROPPED;
    if (*fate == HEADER_DROPPED) {
        begin_stray(reader);
        drop_header(reader, len, end);
        return WARC_OK;
    }
    end_stray(reader, false);
    return take_header(reader, len, is_arc);
}

/* ---- the search ---- */

/* Passes the line ends here. Sets *any if there are some. */
static void skip_blank_lines(struct warc_reader *reader, bool *any)
{
    const char *data = decompressed_window_data(&reader->stream.out);
    const size_t run = decompressed_window_run(&reader->stream.out);
    size_t count = 0;
    while (count < run && (data[count] == '\r' || data[count] == '\n'))
        count++;
    reader_consume(reader, count, DIAG_OF_NEXT);
    *any = count > 0;
}

static warc_status end_of_file(struct warc_reader *reader)
{
    end_stray(reader, true);
    if (reader->stats.records == 0 && reader->stats.bytes_out > 0 && reader->stray.is_any)
        reader_diag_at(reader, DIAG_OF_FILE, WARC_DIAG_NOT_WARC, (warc_position){ 0 },
                       "no record in the input");
    return WARC_END;
}

static warc_status search(struct warc_reader *reader)
{
    for (;;) {
        warc_status status = reader_settle(reader, DIAG_OF_NEXT);
        if (status != WARC_OK)
            return status;
        if (reader_is_cut_off(reader))
            return WARC_IO;
        if (decompressed_window_len(&reader->stream.out) == 0)
            return end_of_file(reader);
        bool is_blank = false;
        if (reader->at_line_start)
            skip_blank_lines(reader, &is_blank);
        if (is_blank)
            continue;
        bool is_record = false;
        if (reader->at_line_start || reader->stray.is_any)
            status = reader_begins(reader, &is_record);
        bool is_copy = false;
        if (status == WARC_OK && is_record && reader->stray.is_any)
            status = reader_is_copy(reader, &is_copy);
        enum header_fate fate = HEADER_DROPPED;
        if (status == WARC_OK && is_record && !is_copy) {
            status = read_header(reader, &fate);
        } else if (status == WARC_OK) {
            begin_stray(reader);
            reader_consume(reader, reader_scan(reader), DIAG_OF_NEXT);
        }
        if (status != WARC_OK || fate == HEADER_TAKEN)
            return status;
    }
}

warc_status reader_find(struct warc_reader *reader)
{
    warc_status status = WARC_OK;
    if (reader->stage != STAGE_SEARCH && reader->stage != STAGE_LOOK) {
        reader->stage = STAGE_SEARCH;
        reader->stray = (struct stray){ 0 };
        reader->scanned = 0;
        reader->at_line_start = true;
    }
    if (reader->stage == STAGE_SEARCH)
        status = search(reader);
    return status == WARC_OK ? look_at_block(reader) : status;
}
