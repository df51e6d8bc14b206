/*
 * Functions on a page that depend on no stage: densities of adjacent blocks, by prefix
 * sums, and texts. Sources: [KN08 §3], [K11 §4.2.1].
 */
#include "thresher/page.h"

#include <assert.h>

#include "page/density.h"

const char *th_flag_name(unsigned bit)
{
    static const char *const names[] = {
#define FLAG_NAME(name, text) text,
        TH_FLAG_LIST(FLAG_NAME)
#undef FLAG_NAME
    };
    assert(bit < TH_FLAG_COUNT);
    return names[bit];
}

const char *th_sign_name(unsigned text)
{
    static const char *const names[] = {
        [TH_SIGN_MAIN] = "main",
        [TH_SIGN_CONTENT] = "content",
        [TH_SIGN_PAGE] = "page",
        [TH_SIGN_DISTINCT] = "distinct",
    };
    return text < TH_SIGN_COUNT ? names[text] : NULL;
}

const char *th_position_name(unsigned position)
{
    static const char *const names[] = {
        [TH_POSITION_MIDDLE] = "middle", [TH_POSITION_TOP] = "top",
        [TH_POSITION_BOTTOM] = "bottom", [TH_POSITION_LEFT] = "left",
        [TH_POSITION_RIGHT] = "right",
    };
    return position < sizeof names / sizeof *names ? names[position] : NULL;
}

const char *th_paragraph_kind_name(unsigned kind)
{
    static const char *const names[] = {
#define KIND_NAME(name, text) text,
        TH_PARAGRAPH_KIND_LIST(KIND_NAME)
#undef KIND_NAME
    };
    assert(kind < TH_PARAGRAPH_KIND_COUNT);
    return names[kind];
}

double th_page_density(const th_page *page, uint32_t first, uint32_t end)
{
    assert(end <= page->block_count);
    if (first >= end)
        return 0;
    return th_density_value(th_density_of(page, first, end));
}

double th_page_link_density(const th_page *page, uint32_t first, uint32_t end)
{
    assert(end <= page->block_count);
    if (first >= end)
        return 0;
    const uint32_t tokens = page->tokens_before[end] - page->tokens_before[first];
    const uint32_t linked = page->linked_before[end] - page->linked_before[first];
    return tokens ? (double)linked / tokens : 0;
}

th_view th_block_text(const th_page *page, uint32_t block)
{
    assert(block < page->block_count);
    const th_block *row = &page->blocks[block];
    return (th_view){ page->text.data + row->text_start, row->text_len };
}

th_view th_paragraph_text(const th_page *page, uint32_t paragraph)
{
    assert(paragraph < page->paragraph_count);
    const th_paragraph *row = &page->paragraphs[paragraph];
    return (th_view){ page->text.data + row->text_start, row->text_len };
}

th_view th_page_title(const th_page *page)
{
    const th_metadata *facts = &page->metadata;
    return facts->page_title.data ? facts->page_title : facts->title;
}
