/* Hashes of a page's paragraphs and segments, for a site memory. */
#ifndef TH_PAGE_PARAGRAPHS_H
#define TH_PAGE_PARAGRAPHS_H

#include "base/buffer.h"
#include "site/site.h"
#include "site/site_name.h"
#include "thresher/page.h"

/**
 * Normalises each paragraph and hashes it (XXH3-64, its lowest byte 0): fills
 * paragraph_words and paragraph_hashes. The hash of a paragraph without a word is 0.
 * @return TH_OK or TH_NOMEM. Linear.
 */
th_status th_page_paragraphs_hash(th_page *page);

/**
 * Hashes each segment by its template fingerprint and its position: fills segment_hashes.
 * The hash of a segment without a token is 0. Call it after the segmenter.
 * @return TH_OK or TH_NOMEM. Linear in the text.
 */
th_status th_page_segments_hash(th_page *page);

/** Hashes that identify a page: of its URL without fragment, and of its text. */
typedef struct th_page_identity {
    uint32_t url, text;
} th_page_identity;

/** Returns the hashes that identify a page. Call it after th_page_paragraphs_hash. */
th_page_identity th_page_identify(const th_page *page, th_view url);

/**
 * Appends the entry of a page, with its segments if they have hashes. Call it after
 * th_page_paragraphs_hash.
 * @return TH_OK; TH_ABSENT if its URL has no site; TH_NOMEM
 */
th_status th_site_entry_append(const th_page *page, th_view url, uint64_t when,
                               th_site_grouping grouping, th_buffer *out);

#endif
