/*
 * What is known of a page's site, put beside its paragraphs: on how many pages each of
 * them stands, and whether it recurs. The stages behind read these columns.
 */
#ifndef TH_SITE_RECALL_H
#define TH_SITE_RECALL_H

#include "site/page_paragraphs.h"

/** Where sites are looked up: a file, or a memory that grows. */
typedef struct th_site_lookup {
    /** TH_OK; TH_ABSENT; TH_DAMAGED, which was told and counts as absent. `out` is
     * valid while the page is made. Any number of threads. */
    th_status (*find)(void *context, const th_site_name *name, th_site *out);
    /** Called before and after the look-ups of a page, where the table can change. NULL:
     * it cannot. */
    void (*hold)(void *context, bool is_held);
    void *context;
    th_site_grouping grouping;
    bool has_segments; /* segments are counted, too */
} th_site_lookup;

/* From so many distinct pages on, the one at hand among them, a paragraph can recur. */
enum { TH_RECURS_PAGES = 3 };
/* A paragraph of so many tokens is long: it needs twice as many pages. */
enum { TH_RECURS_LONG = 40 };

/**
 * Whether a paragraph recurs: it stands on three pages at least, and on the square root of
 * the site's pages; a long one on twice that, or on all of them. So the share falls with
 * the pages: all of 3, a third of 9, a tenth of 100.
 * @param count   pages that have it, the one at hand among them
 * @param pages   of the site, in the same way
 * @param tokens  in the paragraph
 */
bool th_recurs(uint32_t count, uint32_t pages, uint32_t tokens);

/**
 * Fills site_pages, knows_template, paragraph_pages and paragraph_recurs, and what
 * th_page_paragraphs_hash does. A template is known when three pages at least are, and
 * a sixteenth at least of the page's linked tokens stands in paragraphs that recur: after
 * a redesign, or in a section that is new, hardly any does. A page that the site has not counted yet counts as one
 * more. Of a site that is not known the page at hand is the only page.
 * Where segments are counted, segment_hashes, segment_pages and segment_recurs in the same
 * way: the page must have been segmented.
 * @return TH_OK or TH_NOMEM. Linear in the text, O(paragraphs * log hashes).
 */
th_status th_site_recall(const th_site_lookup *lookup, th_view url, th_page *page);

#endif
