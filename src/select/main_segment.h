/* Which segment of a page is the one that is signed as its main content. */
#ifndef TH_MAIN_SEGMENT_H
#define TH_MAIN_SEGMENT_H

#include "thresher/options.h"
#include "thresher/page.h"

/** The rules that opt->main_segment can name; ends with NULL. The first is the
 * default. */
extern const char *const th_main_segment_names[];

/**
 * Finds the main segment by the rule that the options name. Labels are asked only where
 * page->learned says how sure they are; then `weighed` goes by them.
 * @param out  of a rule a segment with fewer linked than plain tokens; the earlier one of
 *             a tie; TH_NONE: there is none
 * @return TH_OK or TH_NOMEM. O(nodes + blocks + segments)
 */
th_status th_main_segment_find(const th_page *page, const th_options *opt, uint32_t *out);

#endif
