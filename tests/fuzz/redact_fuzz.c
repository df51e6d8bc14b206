/*
 * Property: for any HTML and any kinds, redacted columns are in range, the texts of blocks
 * and paragraphs are consistent, the count equals the markers that were added, a second
 * search finds nothing in a paragraph, and the Markdown is well formed. The first byte
 * selects kinds and links.
 */
#include <assert.h>
#include <string.h>

#include "base/unicode.h"
#include "fuzz_target.h"
#include "redact/personal_data.h"
#include "redact/redact.h"
#include "thresher/parse.h"
#include "write/formatted_text.h"
#include "write/markup_check.h"

static size_t count_markers(th_view text)
{
    size_t count = 0;
    for (unsigned kind = 0; kind < TH_REDACT_COUNT; kind++) {
        const th_view marker = th_redact_marker(kind);
        const char *at = text.data, *const end = text.data + text.len;
        while ((at = memmem(at, (size_t)(end - at), marker.data, marker.len))) {
            at += marker.len;
            count++;
        }
    }
    return count;
}

/* Offsets in bytes and in code points agree. */
static void check_range(const th_page *page, uint32_t start, uint32_t len, uint32_t chars,
                        uint32_t char_len)
{
    assert(start <= page->text.len && len <= page->text.len - start);
    assert(th_utf8_count(page->text.data, start) == chars);
    assert(th_utf8_count(page->text.data + start, len) == char_len);
}

static void check_columns(const th_page *page, uint32_t kinds)
{
    uint32_t at = 0;
    assert(th_utf8_valid(page->text.data, page->text.len) == page->text.len);
    assert(th_utf8_count(page->text.data, page->text.len) == page->text_chars);
    for (uint32_t i = 0; i < page->block_count; i++) {
        const th_block *block = &page->blocks[i];
        const th_paragraph *paragraph = &page->paragraphs[block->paragraph];
        check_range(page, block->text_start, block->text_len, block->char_start,
                    block->char_len);
        assert(block->text_start >= paragraph->text_start);
        assert(block->text_start + block->text_len <=
               paragraph->text_start + paragraph->text_len);
        assert(block->text_start >= at);
        at = block->text_start + block->text_len;
    }
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const th_paragraph *paragraph = &page->paragraphs[i];
        check_range(page, paragraph->text_start, paragraph->text_len,
                    paragraph->char_start, paragraph->char_len);
        th_personal_search search = { .text = th_paragraph_text(page, i),
                                      .kinds = kinds };
        th_personal_match match;
        assert(paragraph->text_len && !th_personal_next(&search, &match));
    }
    for (uint32_t i = 0; i < page->link_count; i++)
        assert(page->links[i].anchor_start <= page->text.len &&
               page->links[i].anchor_len <= page->text.len - page->links[i].anchor_start);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static th_options opt;
    static th_parser *parser;
    static th_arena *arena;
    if (!arena) {
        th_options_init(&opt);
        opt.page_ms = 0;
        opt.text_format = "markdown";
        opt.text_images = 1;
        parser = th_parser_new(&opt);
        arena = th_arena_new(0);
        assert(parser && arena);
    }
    if (size < 1)
        return 0;
    const th_document document = { .bytes = { (const char *)data + 1, size - 1 },
                                   .url = TH_VIEW("http://example.org/a/b"),
                                   .charset = TH_VIEW("utf-8") };
    th_page *page = NULL;
    th_arena_reset(arena);
    if (th_parse_html(parser, &document, arena, &page, NULL, NULL) != TH_OK)
        return 0;
    opt.redact = data[0] & 7;
    opt.text_links = data[0] >> 3 & 1;
    const size_t before = count_markers(page->text);
    page->paragraph_label_of = th_arena_alloc(arena, page->paragraph_count + 1);
    assert(page->paragraph_label_of);
    memset(page->paragraph_label_of, TH_CONTENT, page->paragraph_count);
    assert(th_redact_page(page, &opt) == TH_OK);
    const size_t replaced = page->redacted[0] + page->redacted[1] + page->redacted[2];
    const size_t after = count_markers(page->text);
    /* A marker of the document may be part of a match. */
    assert(after <= before + replaced && (replaced || after == before));
    const th_view text = th_formatted_text(page, &opt, (th_view){ "", 0 }, 0);
    assert(text.data);
    check_markdown(text);
    check_columns(page, opt.redact);
    return 0;
}
