/*
 * Reads the crawler's statement of a page's languages: the value of languages-cld2 in
 * Common Crawl's metadata records. docs/facts.md#what-the-crawl-says
 */
#ifndef TH_CRAWL_LANGUAGES_H
#define TH_CRAWL_LANGUAGES_H

#include "thresher/page.h"

/**
 * The stage after th_language_page: fills page->crawl_languages and
 * page->crawl_agreement.
 * @param stated  JSON, borrowed for the call; fills nothing if it is absent or damaged
 * @return TH_OK; TH_NOMEM
 */
th_status th_language_crawl(th_page *page, th_view stated);

#endif
