/* The site's counts as columns of a page. See the header. */
#include "site/site_recall.h"

bool th_recurs(uint32_t count, uint32_t pages, uint32_t tokens)
{
    const uint64_t square = (uint64_t)count * count;
    if (count < TH_RECURS_PAGES)
        return false;
    if (tokens < TH_RECURS_LONG)
        return square >= pages;
    return square >= 4 * (uint64_t)pages || count >= pages;
}

enum { KNOWN_SHARE = 16 }; /* one of so many linked tokens */

static bool knows_template(const th_page *page)
{
    uint64_t known = 0, all = 0;
    if (page->site_pages < TH_RECURS_PAGES)
        return false;
    for (uint32_t i = 0; i < page->block_count; i++) {
        const th_block *block = &page->blocks[i];
        all += block->linked_tokens;
        if (page->paragraph_recurs[block->paragraph])
            known += block->linked_tokens;
    }
    return KNOWN_SHARE * known >= all;
}

static uint32_t tokens_of(const th_page *page, const th_paragraph *paragraph)
{
    return page->tokens_before[paragraph->end_block] -
           page->tokens_before[paragraph->first_block];
}

th_status th_site_recall(const th_site_lookup *lookup, th_view url, th_page *page)
{
    th_site site = { .pages = 0 };
    th_site_name name;
    const bool has_name = th_site_name_of(url, lookup->grouping, &name);
    if (th_page_paragraphs_hash(page) != TH_OK)
        return TH_NOMEM;
    const uint32_t count = page->paragraph_count;
    uint32_t *pages = th_arena_calloc(page->arena, count, sizeof *pages);
    uint8_t *recurs = th_arena_calloc(page->arena, count, 1);
    if (!pages || !recurs)
        return TH_NOMEM;
    if (lookup->hold)
        lookup->hold(lookup->context, true);
    if (has_name)
        (void)lookup->find(lookup->context, &name, &site);
    const th_page_identity identity = th_page_identify(page, url);
    const uint32_t self = !th_site_has_page(&site, identity.url, identity.text);
    page->site_pages = site.pages + self;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t hash = page->paragraph_hashes[i];
        if (!hash)
            continue;
        const uint32_t known = th_site_count(&site, hash);
        pages[i] = known + self ? known + self : 1;
        recurs[i] =
            th_recurs(pages[i], page->site_pages, tokens_of(page, &page->paragraphs[i]));
    }
    if (lookup->hold)
        lookup->hold(lookup->context, false);
    page->paragraph_pages = pages;
    page->paragraph_recurs = recurs;
    page->knows_template = knows_template(page);
    return TH_OK;
}
