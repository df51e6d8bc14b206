/*
 * The languages of a page: what its content is written in, by CLD2, with what the page says
 * of itself as a hint, and by a model of the user's. A stage behind select; fills
 * page->languages and, on request, page->second_language and page->language_of.
 * docs/facts.md#language
 */
#ifndef TH_LANGUAGE_H
#define TH_LANGUAGE_H

#include <stdbool.h>

#include "thresher/options.h"
#include "thresher/page.h"

/** Whether the options ask for languages, and this program can tell them. */
bool th_language_is_wanted(const th_options *opt);

/**
 * TH_OK; TH_USAGE in words: the options ask for a detector that is not built in.
 */
th_status th_language_check(const th_options *opt, th_error *err);

/**
 * The stage: fills page->languages from a sample of at most language_bytes of the content:
 * windows that are evenly spaced in it. CLD2 gets a quarter of that first, at least 256
 * bytes, and all of it only if less than 90 % of the quarter is surely in one language. With
 * opt->fasttext, fills page->second_language from the whole sample. With
 * TH_EMIT_LANGUAGES, fills page->language_of from each paragraph by itself.
 * @param http_language  Content-Language of the HTTP head, may be absent
 * @param url            of the page, may be absent
 * @return TH_OK; TH_NOMEM
 * Without content page->languages has no languages. Linear.
 */
th_status th_language_page(th_page *page, const th_options *opt, th_view http_language,
                           th_view url);

#endif
