/* The mix of languages in a page's content: share of each label by its paragraphs. */
#ifndef TH_LANGUAGE_SHARES_H
#define TH_LANGUAGE_SHARES_H

#include "thresher/page.h"

/**
 * Fills page->language_shares from page->paragraph_languages: code points of the paragraphs
 * that are surely in a language, and "und" for all others.
 *
 * Shares are multiples of 1/10000 by the method of largest remainders, so their sum is 1.
 * The largest is first; equal ones have the order of the page. After 63 languages the
 * others are together "mul". Nothing is filled if the content has no code point.
 * @return TH_OK; TH_NOMEM
 * Linear in the paragraphs, times at most 64 labels.
 */
th_status th_language_shares_fill(th_page *page);

#endif
