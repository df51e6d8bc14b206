/*
 * What the crawler says of a page's languages, beside what is found here: the value of
 * languages-cld2 in Common Crawl's metadata records. docs/facts.md#what-the-crawl-says
 */
#ifndef TH_CRAWL_LANGUAGES_H
#define TH_CRAWL_LANGUAGES_H

#include "thresher/page.h"

/**
 * The stage behind th_language_page: fills page->crawl_languages and
 * page->crawl_agreement.
 * @param stated  JSON, borrowed for the call; absent or damaged: nothing is filled in
 * @return TH_OK; TH_NOMEM
 */
th_status th_language_crawl(th_page *page, th_view stated);

#endif
