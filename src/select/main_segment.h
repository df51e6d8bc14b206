/* Finds the segment of a page that is signed as its main content. */
#ifndef TH_MAIN_SEGMENT_H
#define TH_MAIN_SEGMENT_H

#include "thresher/options.h"
#include "thresher/page.h"

/** The rules that opt->main_segment can name; ends with NULL. The first is the
 * default. */
extern const char *const th_main_segment_names[];

/**
 * Finds the main segment by the rule that the options name. Uses the labels only if
 * page->learned has their scores; then `weighed` is computed from these.
 * @param out  by rule, a segment with fewer linked than plain tokens, and the earlier one
 *             of a tie. TH_NONE if there is none
 * @return TH_OK or TH_NOMEM. O(nodes + blocks + segments)
 */
th_status th_main_segment_find(const th_page *page, const th_options *opt, uint32_t *out);

#endif
