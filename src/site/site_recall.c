/* Fills a page's columns with the site's counts. See the header. */
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

enum { KNOWN_SHARE = 16 }; /* one of 16 linked tokens */

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

static th_status make_columns(const th_site_lookup *lookup, th_page *page)
{
    th_status status = th_page_paragraphs_hash(page);
    page->paragraph_pages = th_arena_calloc(page->arena, page->paragraph_count,
                                            sizeof *page->paragraph_pages);
    page->paragraph_recurs = th_arena_calloc(page->arena, page->paragraph_count, 1);
    if (!page->paragraph_pages || !page->paragraph_recurs)
        return TH_NOMEM;
    if (!lookup->has_segments)
        return status;
    if (status == TH_OK)
        status = th_page_segments_hash(page);
    page->segment_pages =
        th_arena_calloc(page->arena, page->segment_count, sizeof *page->segment_pages);
    page->segment_recurs = th_arena_calloc(page->arena, page->segment_count, 1);
    return page->segment_pages && page->segment_recurs ? status : TH_NOMEM;
}

/* @param self  1 if the site has not counted the page yet */
static void recall_paragraphs(const th_site *site, uint32_t self, th_page *page)
{
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const uint64_t hash = page->paragraph_hashes[i];
        if (!hash)
            continue;
        const uint32_t known = th_site_count(site, hash);
        page->paragraph_pages[i] = known + self ? known + self : 1;
        page->paragraph_recurs[i] = th_recurs(page->paragraph_pages[i], page->site_pages,
                                              tokens_of(page, &page->paragraphs[i]));
    }
}

static void recall_segments(const th_site *site, uint32_t self, th_page *page)
{
    for (uint32_t i = 0; page->segment_hashes && i < page->segment_count; i++) {
        const uint64_t hash = page->segment_hashes[i];
        if (!hash)
            continue;
        const uint32_t known = th_site_count_segment(site, hash);
        page->segment_pages[i] = known + self ? known + self : 1;
        page->segment_recurs[i] =
            th_recurs(page->segment_pages[i], page->site_pages, page->segments[i].tokens);
    }
}

th_status th_site_recall(const th_site_lookup *lookup, th_view url, th_page *page)
{
    th_site site = { .pages = 0 };
    th_site_name name;
    const bool has_name = th_site_name_of(url, lookup->grouping, &name);
    if (make_columns(lookup, page) != TH_OK)
        return TH_NOMEM;
    if (lookup->hold)
        lookup->hold(lookup->context, true);
    if (has_name)
        (void)lookup->find(lookup->context, &name, &site);
    const th_page_identity identity = th_page_identify(page, url);
    const uint32_t self = !th_site_has_page(&site, identity.url, identity.text);
    page->site_pages = site.pages + self;
    recall_paragraphs(&site, self, page);
    recall_segments(&site, self, page);
    if (lookup->hold)
        lookup->hold(lookup->context, false);
    page->knows_template = knows_template(page);
    return TH_OK;
}
