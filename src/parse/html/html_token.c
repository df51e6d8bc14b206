/* Rare operations of a token: long text, room in scratch, the name of the end tag due. */
#include "parse/html/html_token.h"

#include <stdlib.h>
#include <string.h>

static void fail(th_html_tokenizer *tok)
{
    tok->has_failed = true;
    tok->is_stopped = true;
}

/* Makes room in scratch and updates pointers into it. @return false without memory */
static bool grow(th_html_tokenizer *tok, size_t extra)
{
    size_t size = tok->scratch_size;
    while (size - tok->scratch_len < extra)
        size *= 2;
    char *bytes = malloc(size);
    if (!bytes) {
        fail(tok);
        return false;
    }
    memcpy(bytes, tok->scratch, tok->scratch_len);
    for (uint32_t i = 0; i < tok->attributes.count; i++) {
        th_attribute *item = &tok->attributes.items[i];
        item->name.data = bytes + (item->name.data - tok->scratch);
        item->value.data = bytes + (item->value.data - tok->scratch);
    }
    free(tok->scratch);
    tok->scratch = bytes;
    tok->scratch_size = size;
    return true;
}

void th_html_append(th_html_tokenizer *tok, const char *bytes, size_t len)
{
    const size_t capacity = tok->max_tag - (tok->scratch_len - tok->part);
    if (len > capacity) {
        len = capacity;
        tok->is_over = true;
    }
    if (len > tok->scratch_size - tok->scratch_len && !grow(tok, len))
        return;
    memcpy(tok->scratch + tok->scratch_len, bytes, len);
    tok->scratch_len += len;
}

void th_html_emit_long_text(th_html_tokenizer *tok, const char *from, const char *to)
{
    while (from < to && !tok->is_stopped) {
        const size_t left = (size_t)(to - from);
        const size_t len = left < TH_TEXT_MAX ? left : TH_TEXT_MAX;
        tok->sink->text(tok->context, from, len);
        from += len;
        th_html_check(tok);
    }
}

/* The standard compares only letters, so no other name can ever end its content. */
static bool is_of_letters(th_view name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!th_is_letter(name.data[i]))
            return false;
    return true;
}

void th_html_expect_end(th_html_tokenizer *tok, th_view name)
{
    tok->end_name_len = 0;
    if (name.len == 0 || name.len + 2 > tok->max_tag || !is_of_letters(name))
        return;
    if (name.len > tok->end_name_size) {
        char *bytes = realloc(tok->end_name, name.len);
        if (!bytes) {
            fail(tok);
            return;
        }
        tok->end_name = bytes;
        tok->end_name_size = name.len;
    }
    memcpy(tok->end_name, name.data, name.len);
    tok->end_name_len = name.len;
}
