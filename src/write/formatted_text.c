/* One writer for each format. */
#include "write/formatted_text.h"

#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "page/page_text.h"
#include "write/clean_html.h"
#include "write/markdown.h"

typedef th_status writer(const th_page *page, const th_options *opt,
                         const th_page_headline *headline, th_buffer *out);

static writer *writer_of(const char *format)
{
    static const struct {
        const char *format;
        writer *write;
    } rows[] = { { "markdown", th_markdown_write }, { "html", th_clean_html_write } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].format, format) == 0)
            return rows[i].write;
    return NULL;
}

/* Writes one line of YAML. A JSON string is also a YAML string. */
static void put_fact(th_buffer *out, const char *name, th_view value)
{
    th_json json;
    th_buffer line = { 0 };
    if (!value.len)
        return;
    th_json_begin(&json, &line);
    th_json_string(&json, value);
    out->has_failed |= th_json_end(&json) != TH_OK;
    th_buffer_append_text(out, name);
    th_buffer_append_text(out, ": ");
    for (size_t i = 0; i < line.len; i++) /* the line ends with a newline */
        if (line.data[i] == '<')          /* for a reader that parses it as HTML */
            th_buffer_append_text(out, "\\u003c");
        else
            th_buffer_append_char(out, line.data[i]);
    th_buffer_done(&line);
}

static void put_front_matter(const th_page *page, th_view url, th_buffer *out)
{
    const th_metadata *facts = &page->metadata;
    th_buffer_append_text(out, "---\n");
    put_fact(out, "url", url);
    put_fact(out, "title", facts->title);
    put_fact(out, "author", facts->author);
    put_fact(out, "published", facts->published);
    put_fact(out, "modified", facts->modified);
    put_fact(out, "language", facts->language);
    put_fact(out, "site", facts->site_name);
    th_buffer_append_text(out, "---\n\n");
}

/* Returns plain text, with the headline as its first paragraph. */
static th_status write_plain(const th_page *page, const th_options *opt,
                             const th_page_headline *headline, th_buffer *out)
{
    (void)opt;
    const th_view text = th_page_print_thread(page, headline->label_of, NULL, NULL);
    const th_view title = headline->paragraph == TH_NONE
                              ? headline->title
                              : th_paragraph_text(page, headline->paragraph);
    if (!text.data)
        return TH_NOMEM;
    th_buffer_append_view(out, title);
    if (title.len && text.len)
        th_buffer_append_text(out, "\n\n");
    th_buffer_append_view(out, text);
    return TH_OK;
}

static bool wants_headline(const th_options *opt, bool is_plain)
{
    const char *const rule = opt->text_title ? opt->text_title : th_text_titles[0];
    return strcmp(rule, "yes") == 0 || (strcmp(rule, "no") != 0 && !is_plain);
}

bool th_formatted_text_is_printed(const th_options *opt)
{
    const char *format;
    for (unsigned i = 0; (format = th_text_format_at(opt, i)); i++)
        if (!writer_of(format))
            return !wants_headline(opt, true) && !opt->text_front_matter;
    return false;
}

th_view th_formatted_text(th_page *page, const th_options *opt, th_view url,
                          unsigned number)
{
    const char *const format = th_text_format_at(opt, number);
    writer *write = format ? writer_of(format) : NULL;
    const bool is_plain = !write, is_html = write == th_clean_html_write;
    const bool has_front = opt->text_front_matter && !is_html;
    const bool has_headline = wants_headline(opt, is_plain);
    if (is_plain && !has_headline && !has_front)
        return th_page_print_thread(page, page->paragraph_label_of, NULL, NULL);
    if (is_plain)
        write = write_plain;
    th_buffer out = { 0 };
    th_page_headline headline;
    th_view text = { NULL, 0 };
    th_status status = th_page_headline_find(page, has_headline, &headline);
    if (status == TH_OK && has_front)
        put_front_matter(page, url, &out);
    if (status == TH_OK)
        status = write(page, opt, &headline, &out);
    if (status == TH_OK && !out.has_failed)
        text = out.len ? th_arena_copy(page->arena, th_buffer_view(&out))
                       : (th_view){ "", 0 };
    th_buffer_done(&out);
    return text;
}

th_status th_formatted_text_append(const th_annotated *annotated, const th_options *opt,
                                   th_buffer *out)
{
    const th_view text =
        th_formatted_text(annotated->page, opt, annotated->record->url, 0);
    if (!text.data)
        return th_arena_is_full(annotated->page->arena) ? TH_TOO_LARGE : TH_NOMEM;
    th_buffer_append(out, text.data, text.len);
    if (text.len && text.data[text.len - 1] != '\n')
        th_buffer_append(out, "\n", 1);
    return out->has_failed ? TH_NOMEM : TH_OK;
}

th_view th_formatted_text_by(th_page *page, const th_options *opt, th_view url,
                             uint8_t *label_of)
{
    uint8_t *const own = page->paragraph_label_of;
    page->paragraph_label_of = label_of;
    const th_view text = th_formatted_text(page, opt, url, 0);
    page->paragraph_label_of = own;
    return text;
}
