/* See the header. */
#include "dedup/exact_unit.h"

#include <string.h>

#include "dedup/text_words.h"

const char *const th_dedup_by_names[] = { "similarity", "text", "url", NULL };
const char *const th_dedup_unit_names[] = { "record", "paragraph", NULL };

static th_view without_fragment(th_view url)
{
    const char *hash = url.data ? memchr(url.data, '#', url.len) : NULL;
    return hash ? (th_view){ url.data, (size_t)(hash - url.data) } : url;
}

static void set_digest(th_record_line *record, th_view bytes)
{
    record->has_digest = bytes.len > 0;
    if (bytes.len)
        th_text_digest(bytes, record->digest);
}

th_status th_exact_record(th_record_line *record, th_dedup_by by, th_arena *arena)
{
    memset(record->signatures, 0, sizeof record->signatures);
    record->params[0] = '\0';
    if (record->is_error_page)
        return TH_OK;
    if (by == TH_BY_URL) {
        set_digest(record, without_fragment(record->url));
        return TH_OK;
    }
    if (record->has_digest || !record->text_of_page.len)
        return TH_OK;
    th_arena_reset(arena);
    const th_view words = th_text_words(record->text_of_page, arena);
    if (!words.data)
        return TH_NOMEM;
    set_digest(record, words);
    return TH_OK;
}

static th_view trim(th_view line)
{
    static const char blanks[] = " \t\r\v\f";
    while (line.len && memchr(blanks, line.data[0], sizeof blanks - 1)) {
        line.data++;
        line.len--;
    }
    while (line.len && memchr(blanks, line.data[line.len - 1], sizeof blanks - 1))
        line.len--;
    return line;
}

static bool next_line(th_paragraph_walk *walk, th_view *out)
{
    const th_view text = walk->record->text_of_page;
    walk->number += walk->has_begun;
    walk->has_begun = true;
    if (walk->at >= text.len || walk->number == TH_PARAGRAPHS_MAX)
        return false;
    const th_view rest = { text.data + walk->at, text.len - walk->at };
    const char *end = memchr(rest.data, '\n', rest.len);
    const size_t len = end ? (size_t)(end - rest.data) : rest.len;
    *out = trim((th_view){ rest.data, len });
    walk->at += len + 1;
    return true;
}

th_status th_paragraph_next(th_paragraph_walk *walk)
{
    const th_record_line *record = walk->record;
    th_view line;
    do
        if (!next_line(walk, &line))
            return TH_END;
    while (!line.len);
    th_buffer_reset(walk->id);
    th_buffer_append_view(walk->id, record->id);
    th_buffer_printf(walk->id, "#%06u", walk->number);
    if (walk->id->has_failed)
        return TH_NOMEM;
    walk->unit = (th_record_line){ .id = th_buffer_view(walk->id),
                                   .url = record->url,
                                   .date = record->date };
    set_digest(&walk->unit, line);
    return TH_OK;
}
