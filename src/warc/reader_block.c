/*
 * Reads through the block to the end of the record. Content-Length alone frames a block,
 * with two exceptions, both for records whose writer was cut off.
 *
 * A record that runs over the beginning of a compressed member with a version line is
 * cut there. A record that contains the beginning of another record, and does not end
 * where its length says, is cut at that beginning. This is decided before the bytes are
 * returned, so no caller sees another record's bytes. Without a usable length the block
 * runs to the next record or to the end of its member.
 */
#include "reader_state.h"

#include <string.h>
#include <strings.h>

static void end_digest(struct warc_reader *reader)
{
    if (!reader->is_hashing)
        return;
    reader->is_hashing = false;
    warc_digest_value value;
    warc_digest_end(reader->digest, &value);
    const bool is_good = warc_digest_equal(&value, &reader->declared);
    reader->record.block_digest = is_good ? WARC_DIGEST_OK : WARC_DIGEST_BAD;
    if (!is_good)
        reader_diag_at(reader, DIAG_OF_RECORD, WARC_DIAG_BLOCK_DIGEST_BAD,
                       reader->record.position, "%s", "");
}

static void end_block(struct warc_reader *reader)
{
    end_digest(reader);
    reader->stage = STAGE_TERMINATOR;
    reader->terminator.place = reader_place(reader);
    reader->terminator.len = 0;
}

/* Handles a block that stops before its declared length. */
static void cut_block(struct warc_reader *reader)
{
    reader->record.is_damaged = true;
    reader_diag(reader, DIAG_OF_RECORD, WARC_DIAG_TRUNCATED_BLOCK, "%llu of %llu bytes",
                (unsigned long long)reader->record.block_len,
                (unsigned long long)reader->record.content_length);
    end_block(reader);
}

/* Passes the marks before the next byte of the block. Sets *is_cut if the block ends at
 * one.
 */
static warc_status pass_marks(struct warc_reader *reader, bool *is_cut)
{
    for (;;) {
        warc_status status = reader_need(reader, 1);
        const struct mark *mark = reader_mark_here(reader);
        if (status != WARC_OK || !mark)
            return status;
        const enum mark_kind kind = mark->kind;
        if (kind == MARK_START) {
            status = reader_begins(reader, is_cut);
            if (status != WARC_OK || *is_cut)
                return status;
        }
        if (kind == MARK_END && !reader->is_framed && reader->record.block_len > 0) {
            *is_cut = true;
            return WARC_OK;
        }
        reader_take_mark(reader, DIAG_OF_RECORD);
    }
}

/* ---- a record within the block ---- */

/* reader_begins, but a copy of a later record begins no record. */
static warc_status begins_here(struct warc_reader *reader, bool *is_record)
{
    bool is_copy = false;
    warc_status status = reader_begins(reader, is_record);
    if (status == WARC_OK && *is_record)
        status = reader_is_copy(reader, &is_copy);
    *is_record = *is_record && !is_copy;
    return status;
}

/* Returns the value of Content-Length in a header; 0 if it has none. */
static uint64_t length_in(warc_view header)
{
    static const char name[] = "content-length:";
    const size_t name_len = sizeof name - 1;
    uint64_t length = 0;
    while (header.len > 0) {
        const char *lf = memchr(header.data, '\n', header.len);
        const size_t line = lf ? (size_t)(lf - header.data) : header.len;
        if (line > name_len && strncasecmp(header.data, name, name_len) == 0) {
            warc_view value = { header.data + name_len, line - name_len };
            while (value.len > 0 && value.data[value.len - 1] == '\r')
                value.len--;
            return warc_length_parse(warc_trim(value), &length) ? length : 0;
        }
        const size_t step = line < header.len ? line + 1 : line;
        header = (warc_view){ header.data + step, header.len - step };
    }
    return 0;
}

/* Returns whether the record at the beginning of `bytes`, or a record directly after it,
 * contains the byte `end`. Then the block does not end there, but was cut before these
 * records. Passes at most BROKEN_MAX headers that are cut themselves, because each needs a
 * search up to the next blank line. */
static bool is_within_record(warc_view bytes, size_t end)
{
    enum { BROKEN_MAX = 4 };
    size_t at = 0;
    for (unsigned broken = 0; at < end;) {
        const warc_view rest = { bytes.data + at, bytes.len - at };
        size_t header = 0;
        if (warc_head_begins(rest, true) != HEAD_YES)
            return false;
        const enum head_end kind = warc_head_end(rest, &header);
        if (kind == HEAD_END_MORE || (kind == HEAD_END_BROKEN && ++broken > BROKEN_MAX))
            return false;
        const uint64_t length =
            kind == HEAD_END_FOUND ? length_in((warc_view){ rest.data, header }) : 0;
        if (length > end - at || header > end - at - length)
            return true;
        at += header + (size_t)length;
        while (at < end && (bytes.data[at] == '\r' || bytes.data[at] == '\n'))
            at++;
    }
    return false;
}

/* Checks whether a record ends after the `left` bytes of the block that are still to
 * come. Line ends must follow, and then a record or the end of the input; without line
 * ends, one of these two. Other bytes may follow CR LF CR LF, if that is not within a
 * record that begins in the block. Also true if the place is too far ahead to be checked,
 * unless the input ends before. */
static warc_status ends_at_length(struct warc_reader *reader, bool *is_so)
{
    enum {
        BEHIND = 512,   /* line ends, a version line and a field's name */
        INNER_MOST = 16 /* headers in a block, after each of which the end may be wrong */
    };
    const struct decompressed_window *out = &reader->stream.out;
    *is_so = true;
    const bool is_far = reader->left > READER_LOOK_AHEAD - BEHIND;
    const size_t left = is_far ? READER_LOOK_AHEAD - BEHIND + 1 : (size_t)reader->left;
    const warc_status status = reader_need(reader, left + BEHIND);
    if (status != WARC_OK)
        return status;
    const size_t len = decompressed_window_len(out);
    const char *data = decompressed_window_data(out);
    if (len < left && reader->stream.has_failed)
        return WARC_IO;
    if (len < left) {
        *is_so = !reader->stream.at_end; /* else there are too many members to see it */
        return WARC_OK;
    }
    if (is_far)
        return WARC_OK;
    size_t at = left;
    while (at < len && at < left + BEHIND / 2 && (data[at] == '\r' || data[at] == '\n'))
        at++;
    const bool is_sure =
        at == len || warc_head_begins((warc_view){ data + at, len - at },
                                      !reader->stream.has_failed) != HEAD_NO;
    *is_so = is_sure || (len - left >= 4 && memcmp(data + left, "\r\n\r\n", 4) == 0 &&
                         !is_within_record((warc_view){ data, len }, left));
    reader->is_whole = *is_so && (is_sure || ++reader->inner_heads == INNER_MOST);
    return WARC_OK;
}

/* Counts the bytes, at most `count`, before the next place where a record may begin.
 * Sets *is_cut when the block ends here, because a record begins. */
static warc_status up_to_record(struct warc_reader *reader, size_t *count, bool *is_cut)
{
    if (reader->is_whole || reader->is_arc)
        return WARC_OK;
    const char *data = decompressed_window_data(&reader->stream.out);
    const size_t len = decompressed_window_len(&reader->stream.out);
    size_t at = 0;
    if (*data == 'W') { /* within a block only capitals count */
        bool is_record;
        warc_status status = reader_begins(reader, &is_record);
        bool is_so = true;
        if (status == WARC_OK && is_record)
            status = ends_at_length(reader, &is_so);
        bool is_copy = false;
        if (status == WARC_OK && !is_so)
            status = reader_is_copy(reader, &is_copy);
        if (status != WARC_OK)
            return status;
        *is_cut = !is_so && !is_copy;
        at = 1;
        data = decompressed_window_data(&reader->stream.out);
    }
    while (at < *count) {
        static const char word[] = "WARC/";
        const char *found = memchr(data + at, 'W', *count - at);
        if (!found)
            return WARC_OK;
        at = (size_t)(found - data);
        const size_t seen = len - at < sizeof word - 1 ? len - at : sizeof word - 1;
        if (memcmp(found, word, seen) == 0) {
            *count = at;
            return WARC_OK;
        }
        at++;
    }
    return WARC_OK;
}

static void give(struct warc_reader *reader, size_t count, warc_view *chunk)
{
    *chunk = (warc_view){ decompressed_window_data(&reader->stream.out), count };
    if (reader->is_hashing)
        warc_digest_update(reader->digest, *chunk);
    reader->record.block_len += count;
    reader->stats.bytes_out += count;
    decompressed_window_consume(&reader->stream.out, count);
}

warc_status reader_block(struct warc_reader *reader, warc_view *chunk)
{
    if (reader->stage != STAGE_BLOCK)
        return WARC_END;
    bool is_cut = false;
    if (reader->is_framed && reader->left == 0) {
        end_block(reader);
        return WARC_END;
    }
    warc_status status = pass_marks(reader, &is_cut);
    const bool is_empty = decompressed_window_len(&reader->stream.out) == 0;
    if (status == WARC_OK && !is_cut && !is_empty && !reader->is_framed)
        status = begins_here(reader, &is_cut);
    size_t count = decompressed_window_run(&reader->stream.out);
    if (reader->is_framed && count > DECOMPRESSED_WINDOW_ROOM)
        count = DECOMPRESSED_WINDOW_ROOM; /* more waits during the search for a record */
    if (reader->is_framed && count > reader->left)
        count = (size_t)reader->left;
    if (status == WARC_OK && !is_cut && !is_empty && reader->is_framed)
        status = up_to_record(reader, &count, &is_cut);
    if (status != WARC_OK)
        return status;
    if (!is_cut && reader_is_cut_off(reader))
        return WARC_IO;
    if (is_cut || is_empty) {
        if (reader->is_framed)
            cut_block(reader);
        else
            end_block(reader);
        return WARC_END;
    }
    if (reader->is_framed)
        reader->left -= count;
    else
        count = reader_scan(reader);
    give(reader, count, chunk);
    return WARC_OK;
}

/* ---- the terminator ---- */

static bool is_standard(const struct terminator *terminator)
{
    return terminator->len == 4 && memcmp(terminator->bytes, "\r\n\r\n", 4) == 0;
}

/* Takes line ends up to the next mark. Returns false if another byte comes first. */
static bool take_line_ends(struct warc_reader *reader)
{
    struct terminator *terminator = &reader->terminator;
    const char *data = decompressed_window_data(&reader->stream.out);
    const size_t run = decompressed_window_run(&reader->stream.out);
    size_t count = 0;
    while (count < run && (data[count] == '\r' || data[count] == '\n')) {
        if (terminator->len < TERMINATOR_KEPT)
            terminator->bytes[terminator->len] = data[count];
        terminator->len++;
        count++;
    }
    decompressed_window_consume(&reader->stream.out, count);
    reader->stats.bytes_out += count;
    return count == run;
}

/* A terminator may continue in the next member, but a complete one may not. */
static bool goes_on(const struct warc_reader *reader)
{
    const struct decompressed_window *out = &reader->stream.out;
    if (reader->terminator.len >= 4 || decompressed_window_len(out) == 0)
        return false;
    const char next = *decompressed_window_data(out);
    return next == '\r' || next == '\n';
}

static warc_status read_terminator(struct warc_reader *reader)
{
    for (;;) {
        const warc_status status = reader_need(reader, 1);
        if (status != WARC_OK || decompressed_window_len(&reader->stream.out) == 0)
            return status;
        if (reader_mark_here(reader)) {
            if (!goes_on(reader))
                return WARC_OK;
            while (reader_mark_here(reader))
                reader_take_mark(reader, DIAG_OF_RECORD);
        }
        if (!take_line_ends(reader))
            return WARC_OK;
    }
}

/* After an odd terminator a record or the end must follow. Otherwise the length is
 * wrong. */
static warc_status judge_length(struct warc_reader *reader)
{
    bool is_record = true;
    warc_status status = reader_need(reader, 1);
    if (status == WARC_OK && decompressed_window_len(&reader->stream.out) > 0 &&
        !reader_mark_here(reader))
        status = reader_begins(reader, &is_record);
    if (status == WARC_OK && !is_record)
        reader->record.is_damaged = true;
    return status;
}

static bool is_usual(const struct warc_reader *reader)
{
    const struct terminator *terminator = &reader->terminator;
    return is_standard(terminator) || (reader->record.is_arc && terminator->len > 0);
}

static void judge_terminator(struct warc_reader *reader)
{
    const struct terminator *terminator = &reader->terminator;
    if (is_usual(reader))
        return;
    if (terminator->len == 0) {
        reader_diag_at(reader, DIAG_OF_RECORD, WARC_DIAG_TERMINATOR_MISSING,
                       terminator->place, "%s", "");
        return;
    }
    char name[2 * TERMINATOR_KEPT + 4];
    size_t len = 0;
    for (size_t i = 0; i < terminator->len && i < TERMINATOR_KEPT; i++) {
        const bool is_cr = terminator->bytes[i] == '\r';
        name[len++] = is_cr ? 'C' : 'L';
        name[len++] = is_cr ? 'R' : 'F';
    }
    for (unsigned dots = 0; dots < 3 && terminator->len > TERMINATOR_KEPT; dots++)
        name[len++] = '.';
    name[len] = '\0';
    reader_diag_at(reader, DIAG_OF_RECORD, WARC_DIAG_TERMINATOR_ODD, terminator->place,
                   "%s", name);
}

static warc_status pass_terminator(struct warc_reader *reader)
{
    if (reader->is_framed && reader->left == 0) {
        warc_status status = read_terminator(reader);
        if (status == WARC_OK && !is_usual(reader) && reader_is_cut_off(reader))
            status = WARC_IO;
        if (status == WARC_OK && !is_usual(reader))
            status = judge_length(reader);
        if (status != WARC_OK)
            return status;
        judge_terminator(reader);
    }
    reader->stage = STAGE_LENGTH;
    return WARC_OK;
}

/* Bytes that follow the record in its member, and begin no record, may come from damage
 * to the record, which the end of the member shows. */
static warc_status share_damage_ahead(struct warc_reader *reader)
{
    const struct mark *damage = NULL;
    bool is_record = false;
    if (reader->is_member_over || reader_mark_here(reader) ||
        decompressed_window_len(&reader->stream.out) == 0)
        return WARC_OK;
    warc_status status = reader_begins(reader, &is_record);
    if (status == WARC_OK && !is_record)
        status = reader_damage_ahead(reader, &damage);
    if (status == WARC_OK && damage)
        reader_share_damage(reader, damage);
    return status;
}

/* The record's length is known when its last member ends here. */
static warc_status note_length(struct warc_reader *reader)
{
    struct warc_record *record = &reader->record;
    if (reader->stream.container == WARC_CONTAINER_PLAIN) {
        record->length = reader->stream.out.at - record->position.offset;
        record->has_length = true;
        reader->stage = STAGE_FINISHED;
        return WARC_OK;
    }
    warc_status status = reader_need(reader, 1);
    if (status == WARC_OK)
        status = share_damage_ahead(reader);
    if (status != WARC_OK)
        return status;
    while (!reader->is_member_over && reader_mark_here(reader) &&
           reader_mark_here(reader)->kind != MARK_START)
        reader_take_mark(reader, DIAG_OF_RECORD);
    if (!reader->is_member_over && reader_is_cut_off(reader))
        return WARC_IO; /* the checksum of the member is not here */
    record->has_length = reader->is_member_over;
    record->length = reader->member_end - record->position.offset;
    reader->stage = STAGE_FINISHED;
    return WARC_OK;
}

warc_status reader_finish(struct warc_reader *reader)
{
    warc_status status = WARC_OK;
    warc_view chunk;
    while (reader->stage == STAGE_BLOCK && status == WARC_OK)
        status = reader_block(reader, &chunk);
    if (status == WARC_END)
        status = WARC_OK;
    if (status == WARC_OK && reader->stage == STAGE_TERMINATOR)
        status = pass_terminator(reader);
    if (status == WARC_OK && reader->stage == STAGE_LENGTH)
        status = note_length(reader);
    return status;
}
