/* One writer for each format. */
#include "write/formatted_text.h"

#include <string.h>

#include "base/buffer.h"
#include "page/page_text.h"
#include "write/clean_html.h"
#include "write/markdown.h"

typedef th_status writer(const th_page *page, const th_options *opt, th_buffer *out);

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

th_view th_formatted_text(th_page *page, const th_options *opt)
{
    writer *const write = writer_of(opt->text_format);
    if (!write)
        return th_page_print_thread(page, page->paragraph_label_of, NULL, NULL);
    th_buffer out = { 0 };
    th_view text = { NULL, 0 };
    if (write(page, opt, &out) == TH_OK)
        text = out.len ? th_arena_copy(page->arena, th_buffer_view(&out))
                       : (th_view){ "", 0 };
    th_buffer_done(&out);
    return text;
}
