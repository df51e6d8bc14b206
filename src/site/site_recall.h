/*
 * Fills a page's columns from its site's data: on how many pages each paragraph occurs,
 * and whether it recurs. Later stages read these columns.
 */
#ifndef TH_SITE_RECALL_H
#define TH_SITE_RECALL_H

#include "site/page_paragraphs.h"

/** A source of sites: a file, or a memory that grows. */
typedef struct th_site_lookup {
    /** Returns TH_OK; TH_ABSENT; or TH_DAMAGED, which was already reported and counts as
     * absent. `out` is valid while the page is processed. Thread-safe. */
    th_status (*find)(void *context, const th_site_name *name, th_site *out);
    /** Called before and after the look-ups of a page, if the table can change. NULL if
     * the table cannot change. */
    void (*hold)(void *context, bool is_held);
    void *context;
    th_site_grouping grouping;
    bool has_segments; /* segments are counted */
} th_site_lookup;

/* Minimum distinct pages, including the current one, for a paragraph to recur. */
enum { TH_RECURS_PAGES = 3 };
/* Minimum tokens of a long paragraph, which needs twice as many pages. */
enum { TH_RECURS_LONG = 40 };

/**
 * Returns whether a paragraph recurs. It must be on at least three pages and on at least
 * the square root of the site's pages. A long paragraph must be on twice as many, or on
 * all pages. So the fraction falls with the pages: all of 3, a third of 9, a tenth of
 * 100.
 * @param count   pages that have it, including the current one
 * @param pages   of the site, including the current one
 * @param tokens  in the paragraph
 */
bool th_recurs(uint32_t count, uint32_t pages, uint32_t tokens);

/**
 * Fills site_pages, knows_template, paragraph_pages and paragraph_recurs, and the columns
 * of th_page_paragraphs_hash. A template is known if at least three pages are known and
 * at least a sixteenth of the page's linked tokens is in paragraphs that recur. After a
 * redesign, or in a new section, hardly any linked tokens are. A page that the site has
 * not counted yet counts as one more. If the site is unknown, the current page is its
 * only page. If segments are counted, also fills segment_hashes, segment_pages and
 * segment_recurs. Then the page must have been segmented.
 * @return TH_OK or TH_NOMEM. Linear in the text, O(paragraphs * log hashes).
 */
th_status th_site_recall(const th_site_lookup *lookup, th_view url, th_page *page);

#endif
