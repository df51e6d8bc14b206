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
 * The stage: fills page->languages, of the first language_bytes of the content; where
 * opt->fasttext is, page->second_language of the same; with TH_EMIT_LANGUAGES also
 * page->language_of, of each paragraph by itself.
 * @param http_language  Content-Language of the HTTP head, may be absent
 * @param url            of the page, may be absent
 * @return TH_OK; TH_NOMEM
 * Without content page->languages has no languages. Linear.
 */
th_status th_language_page(th_page *page, const th_options *opt, th_view http_language,
                           th_view url);

#endif
