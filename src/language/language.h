/*
 * Detects the languages of a page's content by CLD2, with the page's own statements as
 * hints, and by a user's model. A stage after select; fills page->languages and, on
 * request, page->second_language, page->language_of, page->paragraph_languages and
 * page->language_shares. docs/facts.md#language
 */
#ifndef TH_LANGUAGE_H
#define TH_LANGUAGE_H

#include <stdbool.h>

#include "thresher/options.h"
#include "thresher/page.h"

/** Returns whether the options request languages, and the detector is built in. */
bool th_language_is_wanted(const th_options *opt);

/**
 * Returns TH_OK, or TH_USAGE with a message if the options name a detector that is not
 * built in.
 */
th_status th_language_check(const th_options *opt, th_error *err);

/**
 * The stage: fills page->languages from a sample of at most language_bytes of the
 * content, taken in evenly spaced windows. CLD2 first gets a quarter of the sample, at
 * least 256 bytes. It gets the whole sample only if less than 90 % of the quarter is
 * surely in one language. With opt->fasttext, fills page->second_language from the whole
 * sample; with the detector "fasttext", page->languages has its label instead of CLD2's.
 *
 * With TH_EMIT_LANGUAGES or TH_EMIT_PARAGRAPH_LANGUAGES, the detector gets the first
 * language_bytes of each paragraph of the content, and with TH_EMIT_LANGUAGES of all.
 * @param http_language  Content-Language of the HTTP head, may be absent
 * @param url            of the page, may be absent
 * @return TH_OK; TH_NOMEM
 * Without content page->languages has no languages. Linear.
 */
th_status th_language_page(th_page *page, const th_options *opt, th_view http_language,
                           th_view url);

#endif
