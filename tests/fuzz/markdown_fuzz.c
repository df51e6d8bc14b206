/*
 * Property: for any HTML and any choice of content paragraphs, the Markdown closes its
 * fences, its table rows have the same number of cells, and the clean HTML is well formed.
 * The first byte selects the format, links and pictures, and the second the content
 * paragraphs.
 */
#include <assert.h>
#include <stdlib.h>

#include "fuzz_target.h"
#include "parse/page_check.h"
#include "thresher/parse.h"
#include "write/formatted_text.h"
#include "write/markup_check.h"

static void label(th_page *page, unsigned how)
{
    page->paragraph_label_of = th_arena_calloc(page->arena, page->paragraph_count, 1);
    assert(page->paragraph_label_of);
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        page->paragraph_label_of[i] =
            how == 0 || (i * 2654435761u + how * 40503u) >> 13 & 3 ? TH_CONTENT
                                                                   : TH_BOILERPLATE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static th_options opt[8];
    static th_parser *parser;
    static th_arena *arena;
    if (!arena) {
        for (unsigned i = 0; i < 8; i++) {
            th_options_init(&opt[i]);
            opt[i].page_ms = 0;
            opt[i].text_format = i & 1 ? "markdown" : "html";
            opt[i].text_links = i & 2;
            opt[i].text_images = i & 4;
        }
        parser = th_parser_new(&opt[1]);
        arena = th_arena_new(0);
        assert(parser && arena);
    }
    if (size < 2)
        return 0;
    const th_document document = { .bytes = { (const char *)data + 2, size - 2 },
                                   .url = TH_VIEW("http://example.org/a/b"),
                                   .charset = TH_VIEW("utf-8") };
    th_page *page = NULL;
    th_arena_reset(arena);
    if (th_parse_html(parser, &document, arena, &page, NULL, NULL) != TH_OK)
        return 0;
    check_page(page);
    label(page, data[1]);
    const th_options *chosen = &opt[data[0] & 7];
    const th_view text = th_formatted_text(page, chosen, (th_view){ "", 0 }, 0);
    assert(text.data);
    if (data[0] & 1)
        check_markdown(text);
    else
        check_clean_html(text);
    return 0;
}
