/* The record of tokens that tests compare. */
#include "token_record.h"

#include <stdlib.h>
#include <string.h>

static void close_text(th_token_record *record)
{
    if (record->is_in_text)
        th_buffer_append_char(&record->out, '}');
    record->is_in_text = false;
}

static int by_name(const void *a, const void *b)
{
    const th_view x = ((const th_attribute *)a)->name;
    const th_view y = ((const th_attribute *)b)->name;
    const int order = memcmp(x.data, y.data, x.len < y.len ? x.len : y.len);
    return order ? order : (x.len > y.len) - (x.len < y.len);
}

static void write_attributes(th_token_record *record, const th_html_tag *tag)
{
    const size_t bytes = tag->attr_count * sizeof *tag->attrs;
    th_attribute *attrs = malloc(bytes ? bytes : 1);
    if (!attrs)
        abort();
    if (bytes)
        memcpy(attrs, tag->attrs, bytes);
    if (record->is_sorted)
        qsort(attrs, tag->attr_count, sizeof *attrs, by_name);
    for (size_t i = 0; i < tag->attr_count; i++) {
        th_buffer_append_char(&record->out, ' ');
        th_buffer_append_view(&record->out, attrs[i].name);
        th_buffer_append_text(&record->out, "=\"");
        th_buffer_append_view(&record->out, attrs[i].value);
        th_buffer_append_char(&record->out, '"');
    }
    free(attrs);
}

/* Stops the tokenizer after as many tags as the test wants. */
static void note_tag(th_token_record *record)
{
    record->tags++;
    if (record->tags == record->stop_after)
        record->status = TH_INTERRUPTED;
}

static th_html_content start_tag(void *context, const th_html_tag *tag)
{
    th_token_record *record = context;
    if (tag->tag != th_tag_of(tag->name))
        abort();
    close_text(record);
    th_buffer_append_char(&record->out, '<');
    th_buffer_append_view(&record->out, tag->name);
    write_attributes(record, tag);
    if (tag->is_self_closing)
        th_buffer_append_char(&record->out, '/');
    if (tag->is_cut)
        th_buffer_append_char(&record->out, '!');
    th_buffer_append_char(&record->out, '>');
    note_tag(record);
    return record->content_of ? record->content_of(tag) : TH_HTML_DATA;
}

static void end_tag(void *context, const th_html_tag *tag)
{
    th_token_record *record = context;
    if (tag->attr_count)
        abort();
    if (tag->tag != th_tag_of(tag->name))
        abort();
    close_text(record);
    th_buffer_append_text(&record->out, "</");
    th_buffer_append_view(&record->out, tag->name);
    if (tag->is_cut)
        th_buffer_append_char(&record->out, '!');
    th_buffer_append_char(&record->out, '>');
    note_tag(record);
}

static void text(void *context, const char *bytes, size_t len)
{
    th_token_record *record = context;
    /* A NUL comes alone, and nothing comes empty. */
    if (len == 0 || (len > 1 && memchr(bytes, '\0', len)))
        abort();
    if (len > record->longest_text)
        record->longest_text = len;
    if (!record->is_in_text)
        th_buffer_append_char(&record->out, '{');
    record->is_in_text = true;
    th_buffer_append(&record->out, bytes, len);
}

static void comment(void *context, th_view data)
{
    th_token_record *record = context;
    close_text(record);
    th_buffer_append_text(&record->out, "(--");
    th_buffer_append_view(&record->out, data);
    th_buffer_append_text(&record->out, "--)");
}

static void write_part(th_token_record *record, th_view part)
{
    if (part.data)
        th_buffer_append_view(&record->out, part);
    else
        th_buffer_append_char(&record->out, '~');
}

static void doctype(void *context, const th_html_doctype *doctype)
{
    th_token_record *record = context;
    close_text(record);
    th_buffer_append_text(&record->out, "(!");
    write_part(record, doctype->name);
    th_buffer_append_char(&record->out, ',');
    write_part(record, doctype->public_id);
    th_buffer_append_char(&record->out, ',');
    write_part(record, doctype->system_id);
    th_buffer_append_text(&record->out, doctype->force_quirks ? "?)" : ")");
}

static bool is_foreign(void *context)
{
    return ((const th_token_record *)context)->is_foreign;
}

const th_html_sink th_token_record_sink = { .start_tag = start_tag,
                                            .end_tag = end_tag,
                                            .text = text,
                                            .comment = comment,
                                            .doctype = doctype,
                                            .is_foreign = is_foreign };

const th_html_sink th_token_record_text_sink = {
    .start_tag = start_tag, .end_tag = end_tag, .text = text, .is_foreign = is_foreign
};

void th_token_record_reset(th_token_record *record)
{
    th_buffer_reset(&record->out);
    record->is_in_text = false;
    record->tags = 0;
    record->status = TH_OK;
    record->longest_text = 0;
}

void th_token_record_close(th_token_record *record)
{
    close_text(record);
}

th_html_content th_token_record_html_content(const th_html_tag *tag)
{
    switch (tag->tag) {
    case TH_TAG_TITLE:
    case TH_TAG_TEXTAREA:
        return TH_HTML_RCDATA;
    case TH_TAG_STYLE:
    case TH_TAG_XMP:
    case TH_TAG_IFRAME:
    case TH_TAG_NOEMBED:
    case TH_TAG_NOFRAMES:
        return TH_HTML_RAWTEXT;
    case TH_TAG_SCRIPT:
        return TH_HTML_SCRIPT_DATA;
    case TH_TAG_PLAINTEXT:
        return TH_HTML_PLAINTEXT;
    default:
        return TH_HTML_DATA;
    }
}

void th_token_record_run(th_token_record *record, th_html_tokenizer *tokenizer,
                         const th_html_sink *sink, th_html_content content,
                         th_view last_start_tag, th_view page, size_t first, size_t piece)
{
    th_token_record_reset(record);
    th_html_tokenizer_begin(tokenizer, sink, record, &record->status, content,
                            last_start_tag);
    size_t len = first ? first : piece;
    for (size_t at = 0; at < page.len; at += len, len = piece) {
        if (len == 0 || len > page.len - at)
            len = page.len - at;
        char *exact = malloc(len);
        if (!exact)
            abort();
        memcpy(exact, page.data + at, len);
        if (th_html_tokenizer_feed(tokenizer, exact, len) != TH_OK)
            abort();
        free(exact);
    }
    if (th_html_tokenizer_finish(tokenizer) != TH_OK || record->out.has_failed)
        abort();
    close_text(record);
}
