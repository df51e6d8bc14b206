/* Tracks the reader's position in the container, and reports its diagnostics. */
#include "byte_order.h"
#include "reader_state.h"

#include "arc_head.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- diagnostics ---- */

static void keep(warc_diag *list, size_t *count, const warc_diag *diag)
{
    if (*count < WARC_RECORD_DIAGS)
        list[(*count)++] = *diag;
}

static void report(struct warc_reader *reader, enum diag_owner owner,
                   const warc_diag *diag)
{
    reader->stats.diag_count[diag->code]++;
    reader->stats.damage_count += warc_diag_is_damage(diag->code);
    if (owner == DIAG_OF_RECORD)
        keep(reader->record.diags, &reader->record.diag_count, diag);
    else if (owner == DIAG_OF_NEXT)
        keep(reader->pending, &reader->pending_count, diag);
    if (reader->options.on_diag)
        reader->options.on_diag(reader->options.diag_context, diag);
}

/* Details may quote the input. Bytes that are not printable ASCII become '?'. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

static void report_v(struct warc_reader *reader, enum diag_owner owner,
                     warc_diag_code code, warc_position place, const char *detail,
                     va_list args)
{
    warc_diag diag = { .code = code, .offset = place.offset, .uoffset = place.uoffset };
    vsnprintf(diag.detail, sizeof diag.detail, detail, args);
    make_printable(diag.detail);
    report(reader, owner, &diag);
}

void reader_diag(struct warc_reader *reader, enum diag_owner owner, warc_diag_code code,
                 const char *detail, ...)
{
    va_list args;
    va_start(args, detail);
    report_v(reader, owner, code, reader_place(reader), detail, args);
    va_end(args);
}

void reader_diag_at(struct warc_reader *reader, enum diag_owner owner,
                    warc_diag_code code, warc_position place, const char *detail, ...)
{
    va_list args;
    va_start(args, detail);
    report_v(reader, owner, code, place, detail, args);
    va_end(args);
}

/* ---- place ---- */

warc_position reader_place(const struct warc_reader *reader)
{
    const uint64_t at = reader->stream.out.at;
    if (reader->stream.container == WARC_CONTAINER_PLAIN)
        return (warc_position){ at, 0, at, WARC_NO_OFFSET };
    return (warc_position){ reader->member_offset, at - reader->member_at, at,
                            reader->member_dict };
}

warc_status reader_need(struct warc_reader *reader, size_t count)
{
    return byte_stream_need(&reader->stream, count);
}

const struct mark *reader_mark_here(const struct warc_reader *reader)
{
    const struct mark *mark = decompressed_window_first_mark(&reader->stream.out);
    return mark && mark->at == reader->stream.out.at ? mark : NULL;
}

bool reader_is_damage(const struct mark *mark)
{
    return mark->kind == MARK_DIAG && (mark->code == WARC_DIAG_MEMBER_DAMAGED ||
                                       mark->code == WARC_DIAG_MEMBER_TRUNCATED ||
                                       mark->code == WARC_DIAG_DICT_MISSING);
}

static warc_diag diag_of(const struct mark *mark)
{
    warc_diag diag = { .code = mark->code, .offset = mark->offset, .uoffset = mark->at };
    const char *number = strstr(mark->detail, "%llu");
    if (number)
        snprintf(diag.detail, sizeof diag.detail, "%.*s%llu%s",
                 (int)(number - mark->detail), mark->detail,
                 (unsigned long long)mark->number, number + 4);
    else
        snprintf(diag.detail, sizeof diag.detail, "%s", mark->detail);
    return diag;
}

static void take_diag(struct warc_reader *reader, const struct mark *mark,
                      enum diag_owner owner)
{
    if (reader_is_damage(mark)) {
        reader->stats.damaged_members++;
        if (owner == DIAG_OF_RECORD)
            reader->record.is_damaged = true;
    }
    const warc_diag diag = diag_of(mark);
    report(reader, owner, &diag);
}

void reader_share_damage(struct warc_reader *reader, const struct mark *mark)
{
    const warc_diag diag = diag_of(mark);
    reader->record.is_damaged = true;
    keep(reader->record.diags, &reader->record.diag_count, &diag);
}

void reader_take_mark(struct warc_reader *reader, enum diag_owner owner)
{
    const struct mark *mark = decompressed_window_first_mark(&reader->stream.out);
    switch (mark->kind) {
    case MARK_START:
        reader->member_offset = mark->offset;
        reader->member_at = mark->at;
        reader->member_dict = mark->dict_offset;
        reader->is_member_over = false;
        reader->is_overrun = false;
        reader->at_line_start = true;
        reader->stats.members++;
        break;
    case MARK_END:
        reader->is_member_over = true;
        reader->member_end = mark->offset;
        break;
    case MARK_DIAG:
        take_diag(reader, mark, owner);
        break;
    }
    decompressed_window_pop_mark(&reader->stream.out);
}

warc_status reader_settle(struct warc_reader *reader, enum diag_owner owner)
{
    do {
        while (reader_mark_here(reader))
            reader_take_mark(reader, owner);
        const warc_status status = reader_need(reader, 1);
        if (status != WARC_OK)
            return status;
    } while (reader_mark_here(reader));
    return WARC_OK;
}

void reader_consume(struct warc_reader *reader, size_t count, enum diag_owner owner)
{
    struct decompressed_window *out = &reader->stream.out;
    reader->stats.bytes_out += count;
    while (count > 0) {
        while (reader_mark_here(reader))
            reader_take_mark(reader, owner);
        const size_t run = decompressed_window_run(out);
        const size_t step = run < count ? run : count;
        decompressed_window_consume(out, step);
        count -= step;
    }
}

/* ---- where records begin ---- */

static enum head_answer begins(const struct warc_reader *reader, bool at_end)
{
    const struct decompressed_window *out = &reader->stream.out;
    const warc_view bytes = { decompressed_window_data(out),
                              decompressed_window_len(out) };
    const enum head_answer answer = warc_head_begins(bytes, at_end);
    if (answer == HEAD_NO && reader->is_arc)
        return arc_head_begins(bytes, at_end);
    return answer;
}

enum { RAW_FRAME_HEADER_MIN = 4 + 1 + 1 + 3 };

/* Returns whether these `len` bytes, at least RAW_FRAME_HEADER_MIN, are the header of a
 * zstd frame and of its first block, which is a raw one [RFC 8878 3.1.1]. */
static bool is_raw_frame_header(const char *bytes, size_t len)
{
    enum { BLOCK_HEADER = 3 };
    static const uint8_t id_len[] = { 0, 1, 2, 4 };
    if (warc_le32(bytes) != 0xfd2fb528)
        return false;
    const uint8_t descriptor = (uint8_t)bytes[4];
    const size_t window_len = descriptor >> 5 & 1 ? 0 : 1; /* none in a single segment */
    const unsigned size_flag = descriptor >> 6;
    const size_t size_len = size_flag ? (size_t)1 << size_flag : 1 - window_len;
    const size_t header = 4 + 1 + window_len + id_len[descriptor & 3] + size_len;
    return len == header + BLOCK_HEADER && (bytes[header] >> 1 & 3) == 0;
}

/*
 * Returns whether the bytes before this place are the header of a stored member or of a
 * raw frame. Then a damaged member, which was cut in such a block, contains the next
 * member as it is. The unpacker finds that member itself, so its record must not begin
 * here too.
 */
static bool is_swallowed_member(const struct warc_reader *reader)
{
    const struct decompressed_window *out = &reader->stream.out;
    const warc_container container = reader->stream.container;
    const size_t len = sizeof out->before;
    const uint64_t passed = out->at - reader->member_at; /* bytes of this member */
    if (container == WARC_CONTAINER_PLAIN || passed < 4)
        return false;
    if (container == WARC_CONTAINER_GZIP) { /* LEN and its complement */
        const uint32_t word = warc_le32(out->before + len - 4);
        return ((word ^ word >> 16) & 0xffff) == 0xffff;
    }
    const size_t first = passed < len ? len - (size_t)passed : 0;
    for (size_t i = first; i + RAW_FRAME_HEADER_MIN <= len; i++)
        if (is_raw_frame_header(out->before + i, len - i))
            return true;
    return false;
}

warc_status reader_begins(struct warc_reader *reader, bool *is_record)
{
    enum head_answer answer;
    while ((answer = begins(reader, reader->stream.at_end &&
                                        !reader->stream.has_failed)) == HEAD_MORE) {
        if (reader->stream.has_failed)
            return WARC_IO;
        const size_t before = decompressed_window_len(&reader->stream.out);
        const warc_status status = reader_need(reader, before + 1);
        if (status != WARC_OK)
            return status;
        if (reader->stream.has_failed)
            continue;
        if (decompressed_window_len(&reader->stream.out) == before) {
            answer = begins(reader, true);
            break;
        }
    }
    *is_record = answer == HEAD_YES;
    const struct mark *damage = NULL;
    warc_status status = WARC_OK;
    if (*is_record && is_swallowed_member(reader)) {
        status = reader_damage_ahead(reader, &damage);
        *is_record = damage == NULL; /* an intact member contains no other one */
    }
    return status;
}

static bool may_begin(const struct warc_reader *reader, char c)
{
    return c == 'W' || c == 'w' ||
           (reader->is_arc && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')));
}

size_t reader_scan(struct warc_reader *reader)
{
    const char *data = decompressed_window_data(&reader->stream.out);
    const size_t run = decompressed_window_run(&reader->stream.out);
    for (size_t at = 0;;) {
        const char *lf = memchr(data + at, '\n', run - at);
        const size_t end = lf ? (size_t)(lf - data) + 1 : run;
        const size_t from = at > 0 ? at : 1;
        const size_t word = warc_head_find_word((warc_view){ data, end }, from);
        at = word;
        reader->at_line_start = lf != NULL && word == end;
        if (at < end || at == run || may_begin(reader, data[at]))
            return at;
    }
}
