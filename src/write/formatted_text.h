/* The content of a page in the format that the options name. */
#ifndef TH_FORMATTED_TEXT_H
#define TH_FORMATTED_TEXT_H

#include "thresher/options.h"
#include "thresher/page.h"

/**
 * The text of a record.
 * @param page  parsed with the same options and labelled
 * @return in the page's arena; data == NULL without memory; {"", 0} without content
 */
th_view th_formatted_text(th_page *page, const th_options *opt);

#endif
