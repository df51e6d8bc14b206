/* Invariants of every text that is not plain, for any page. */
#ifndef MARKUP_CHECK_H
#define MARKUP_CHECK_H

#include "thresher/view.h"

/** Aborts unless each fence is closed and all rows of a table have as many cells. */
void check_markdown(th_view text);

/** Aborts unless each element is allowed and ends in its parent. */
void check_clean_html(th_view text);

#endif
