/*
 * The current token: its bytes in scratch, the text to emit, the end tag that is due.
 * Scanner and machine share these parts of the tokenizer.
 */
#ifndef TH_HTML_TOKEN_H
#define TH_HTML_TOKEN_H

#include "parse/html/html_tokenizer_state.h"

/** Emits text in pieces of at most TH_TEXT_MAX bytes, unless the tokenizer stops. */
void th_html_emit_long_text(th_html_tokenizer *tok, const char *from, const char *to);

/** Copies the name of the end tag that is due. A name with other characters than letters,
 * or too long for max_tag, is never found: the content then extends to the end of the
 * page. */
void th_html_expect_end(th_html_tokenizer *tok, th_view name);

/** Appends to the part that is being read. Bytes beyond max_tag are cut. */
void th_html_append(th_html_tokenizer *tok, const char *bytes, size_t len);

/** Sets how the following content is read. */
static inline void th_html_set_content(th_html_tokenizer *tok, th_html_content content)
{
    tok->content = content;
    tok->script = (th_script){ 0 };
    tok->brackets = 0;
}

static inline void th_html_emit_text(th_html_tokenizer *tok, const char *from,
                                     const char *to)
{
    const size_t len = (size_t)(to - from);
    if (len == 0)
        return;
    if (__builtin_expect(len > TH_TEXT_MAX || tok->is_stopped, 0)) {
        th_html_emit_long_text(tok, from, to);
        return;
    }
    tok->sink->text(tok->context, from, len);
    th_html_check(tok);
}

/** Emits a tag, and sets how the following content is read. */
static inline void th_html_emit_tag(th_html_tokenizer *tok, const th_html_tag *tag,
                                    bool is_end)
{
    tok->state = TH_IN_CONTENT;
    if (is_end) {
        tok->sink->end_tag(tok->context, tag);
        if (tok->content != TH_HTML_DATA)
            th_html_set_content(tok, TH_HTML_DATA);
    } else {
        const th_html_content content = tok->sink->start_tag(tok->context, tag);
        if (content != TH_HTML_DATA) {
            th_html_expect_end(tok, tag->name);
            th_html_set_content(tok, content);
        }
    }
    th_html_check(tok);
}

/**
 * Adds the attribute after the last one to the tag, unless its name is already in the tag
 * or a limit is reached.
 * @param is_over  a part of it is cut
 * @return whether it was added
 */
static inline bool th_html_add_attribute(th_html_tokenizer *tok, bool is_over)
{
    th_attribute_list *list = &tok->attributes;
    const uint32_t count = list->count;
    const size_t len = list->items[count].name.len + list->items[count].value.len;
    if (__builtin_expect(is_over || len > tok->max_tag - tok->tag_len, 0) ||
        !th_attribute_list_add(list)) {
        tok->is_cut = true;
        return false;
    }
    if (list->count == count)
        return false;
    tok->tag_len += len;
    return true;
}

#endif
