/* The content of a page in the formats that the options name. */
#ifndef TH_FORMATTED_TEXT_H
#define TH_FORMATTED_TEXT_H

#include <stdbool.h>

#include "page/record.h"
#include "thresher/options.h"

/**
 * Returns the text of a record, in a format of th_text_formats.
 *
 * It begins with front matter and with the headline if the options select them.
 * @param page    parsed with the same options and labelled
 * @param url     of the page, for front matter; may be empty
 * @param number  of the format in the list text_format, from 0; less than
 *                th_text_format_count
 * @return in the page's arena. data is NULL without memory. {"", 0} without content.
 */
th_view th_formatted_text(th_page *page, const th_options *opt, th_view url,
                          unsigned number);

/** Returns whether one of the formats is plain, and begins with neither front matter nor
 * headline: the text is then th_page_print_thread()'s. */
bool th_formatted_text_is_printed(const th_options *opt);

/**
 * Appends the text of an emitted page in the first format of text_format, ending with a
 * newline. Appends nothing for a page without content.
 * @return TH_OK; TH_TOO_LARGE if the page's arena is at its limit; TH_NOMEM
 */
th_status th_formatted_text_append(const th_annotated *annotated, const th_options *opt,
                                   th_buffer *out);

/**
 * The same in the first format, by other labels.
 * @param label_of  a label for each paragraph. The page has its own labels again after
 *                  the call
 */
th_view th_formatted_text_by(th_page *page, const th_options *opt, th_view url,
                             uint8_t *label_of);

#endif
