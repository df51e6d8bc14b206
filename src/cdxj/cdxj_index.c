/*
 * Lines are made when their captures arrive, and sorted by the external sort of base
 * strings. An index of any size uses a fixed amount of memory.
 */
#include "cdxj/cdxj_index.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json.h"
#include "cdxj/surt.h"
#include "graph/text_sort.h"
#include "thresher/arena.h"
#include "write/format.h"

enum {
    STAMP = 14,      /* digits of a timestamp: YYYYMMDDhhmmss */
    ARENA = 1 << 20, /* most bytes for the key of one URL */
    NUMBER_ROOM = 24 /* digits of 64 bits, and a NUL */
};

struct th_cdxj_index {
    th_text_sort *sort;
    th_arena *arena;
    th_buffer line;
    th_buffer last;   /* the line before: equal ones are written once */
    th_buffer packed; /* a block's gzip member */
    th_buffer block;  /* the lines of the current block */
    th_buffer first;  /* their first key and timestamp */
    uint32_t block_lines;
    uint64_t packed_offset;
};

/* The targets of a write. */
struct output {
    th_cdxj_write lines, blocks;
    void *context;
};

th_status th_cdxj_index_new(uint64_t memory, th_cdxj_index **out, th_error *err)
{
    th_cdxj_index *index = calloc(1, sizeof *index);
    *out = index;
    if (!index)
        return th_fail(err, TH_NOMEM, "out of memory for an index");
    index->arena = th_arena_new(ARENA);
    if (!index->arena)
        return th_fail(err, TH_NOMEM, "out of memory for an index");
    return th_text_sort_new("", memory, &index->sort, err);
}

void th_cdxj_index_free(th_cdxj_index *index)
{
    if (!index)
        return;
    th_text_sort_free(index->sort);
    th_arena_free(index->arena);
    th_buffer_done(&index->line);
    th_buffer_done(&index->last);
    th_buffer_done(&index->packed);
    th_buffer_done(&index->block);
    th_buffer_done(&index->first);
    free(index);
}

uint64_t th_cdxj_index_count(const th_cdxj_index *index)
{
    return th_text_sort_count(index->sort);
}

/* ---- a line ---- */

/* Returns the 14 digits of "2026-03-01T06:00:03Z". False if there are fewer. */
static bool stamp_of(th_view date, char stamp[STAMP + 1])
{
    size_t digits = 0;
    for (size_t i = 0; i < date.len && digits < STAMP; i++)
        if (th_is_digit(date.data[i]))
            stamp[digits++] = date.data[i];
    stamp[digits] = '\0';
    return digits == STAMP;
}

/* Up to the first ';' or blank. */
static th_view bare_mime(th_view mime)
{
    size_t len = 0;
    mime = th_ascii_trimmed(mime);
    while (len < mime.len && mime.data[len] != ';' && !th_ascii_is_blank(mime.data[len]))
        len++;
    return (th_view){ len ? mime.data : NULL, len };
}

/* Numbers are strings in this format. */
static void member_number(th_json *json, const char *key, uint64_t value)
{
    char text[NUMBER_ROOM];
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    th_json_member_text(json, key, text);
}

static th_status make_line(th_cdxj_index *index, th_view key, const char *stamp,
                           const th_cdxj_capture *capture)
{
    th_buffer *line = &index->line;
    th_json json;
    th_buffer_reset(line);
    th_buffer_append_view(line, key);
    th_buffer_printf(line, " %s ", stamp);
    th_json_begin(&json, line);
    th_json_open_object(&json);
    th_json_member(&json, "url", capture->url);
    th_json_member(&json, "mime", bare_mime(capture->mime));
    if (capture->status > 0)
        member_number(&json, "status", (uint64_t)capture->status);
    th_json_member(&json, "digest", capture->digest);
    if (capture->has_length)
        member_number(&json, "length", capture->length);
    member_number(&json, "offset", capture->offset);
    th_json_member(&json, "filename", capture->filename);
    th_json_close_object(&json);
    return th_json_end(&json);
}

th_status th_cdxj_index_add(th_cdxj_index *index, const th_cdxj_capture *capture,
                            th_error *err)
{
    char stamp[STAMP + 1];
    if (!capture->url.len)
        return th_fail(err, TH_NOT_WANTED, "record has no URL");
    if (!stamp_of(capture->date, stamp))
        return th_fail(err, TH_NOT_WANTED, "record has no date");
    th_arena_reset(index->arena);
    const th_view key = th_surt(capture->url, index->arena);
    if (!key.data)
        return capture->url.len > TH_SURT_URL_MAX
                   ? th_fail(err, TH_NOT_WANTED, "URL is too long for a key")
                   : th_fail(err, TH_NOMEM, "out of memory for a key of the index");
    const th_status status = make_line(index, key, stamp, capture);
    if (status != TH_OK)
        return th_fail(err, status, "out of memory for a line of the index");
    const th_view line = { index->line.data, index->line.len - 1 }; /* no line end */
    if (line.len > TH_TEXT_SORT_KEY_MAX)
        return th_fail(err, TH_NOT_WANTED, "index line is longer than %d bytes",
                       TH_TEXT_SORT_KEY_MAX);
    return th_text_sort_add(index->sort, line, 0, err);
}

/* ---- the output ---- */

static th_status end_block(th_cdxj_index *index, const struct output *output,
                           th_error *err)
{
    th_buffer *row = &index->line;
    if (!index->block_lines)
        return TH_OK;
    th_buffer_reset(&index->packed);
    if (th_compress(TH_GZIP, th_buffer_view(&index->block), &index->packed) != TH_OK)
        return th_fail(err, TH_NOMEM, "out of memory to compress the index");
    th_status status =
        output->blocks(output->context, th_buffer_view(&index->packed), err);
    if (status != TH_OK)
        return status;
    th_buffer_reset(row);
    th_buffer_append_view(row, th_buffer_view(&index->first));
    th_buffer_printf(row, " {\"offset\":%" PRIu64 ",\"length\":%zu}\n",
                     index->packed_offset, index->packed.len);
    if (row->has_failed)
        return th_fail(err, TH_NOMEM, "out of memory for the index of blocks");
    index->packed_offset += index->packed.len;
    index->block_lines = 0;
    th_buffer_reset(&index->block);
    return output->lines(output->context, th_buffer_view(row), err);
}

/* The line up to its object: key and timestamp. */
static th_view key_and_stamp(th_view line)
{
    size_t len = 0;
    while (len + 1 < line.len && !(line.data[len] == ' ' && line.data[len + 1] == '{'))
        len++;
    return (th_view){ line.data, len };
}

static th_status put_line(th_cdxj_index *index, const struct output *output, th_view line,
                          th_error *err)
{
    if (!output->blocks) {
        th_buffer_reset(&index->line);
        th_buffer_append_view(&index->line, line);
        th_buffer_append_char(&index->line, '\n');
        if (index->line.has_failed)
            return th_fail(err, TH_NOMEM, "out of memory for a line of the index");
        return output->lines(output->context, th_buffer_view(&index->line), err);
    }
    if (!index->block_lines) {
        th_buffer_reset(&index->first);
        th_buffer_append_view(&index->first, key_and_stamp(line));
    }
    th_buffer_append_view(&index->block, line);
    th_buffer_append_char(&index->block, '\n');
    if (index->block.has_failed || index->first.has_failed)
        return th_fail(err, TH_NOMEM, "out of memory for a block of the index");
    return ++index->block_lines == TH_CDXJ_LINES_OF_A_BLOCK
               ? end_block(index, output, err)
               : TH_OK;
}

/* The first line of an index of blocks. */
static th_status put_meta(th_cdxj_index *index, const struct output *output,
                          const char *name, th_error *err)
{
    th_json json;
    th_buffer_reset(&index->line);
    th_buffer_append_text(&index->line, "!meta 0 ");
    th_json_begin(&json, &index->line);
    th_json_open_object(&json);
    th_json_member_text(&json, "format", "cdxj-gzip-1.0");
    th_json_member_text(&json, "filename", name);
    th_json_close_object(&json);
    if (th_json_end(&json) != TH_OK)
        return th_fail(err, TH_NOMEM, "out of memory for the index of blocks");
    return output->lines(output->context, th_buffer_view(&index->line), err);
}

static bool is_repeated(th_cdxj_index *index, th_view line)
{
    if (index->last.len == line.len && line.len &&
        memcmp(index->last.data, line.data, line.len) == 0)
        return true;
    th_buffer_reset(&index->last);
    th_buffer_append_view(&index->last, line);
    return false;
}

th_status th_cdxj_index_write(th_cdxj_index *index, th_cdxj_write lines,
                              th_cdxj_write blocks, void *context, const char *name,
                              th_error *err)
{
    const struct output output = { lines, blocks, context };
    th_view line;
    uint64_t value = 0;
    th_status status = th_text_sort_finish(index->sort, err);
    if (status == TH_OK && blocks)
        status = put_meta(index, &output, name, err);
    while (status == TH_OK &&
           (status = th_text_sort_next(index->sort, &line, &value, err)) == TH_OK)
        if (!is_repeated(index, line))
            status = put_line(index, &output, line, err);
    if (status == TH_END)
        status = blocks ? end_block(index, &output, err) : TH_OK;
    return status;
}
