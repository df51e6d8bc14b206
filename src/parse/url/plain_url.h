/* Whether a reference can be resolved without splitting it; see plain_url.c. */
#ifndef TH_PLAIN_URL_H
#define TH_PLAIN_URL_H

#include <stdbool.h>

#include "thresher/view.h"

/**
 * Whether a reference has no byte to strip or to escape, no backslash, and no possible
 * dot segment after a slash. False means only that it must be split. Its first segment,
 * which no slash precedes, is left to the caller. O(length).
 */
bool th_url_is_plain(th_view url);

/** The same byte by byte, for machines without SSE2 and for the test. */
bool th_url_is_plain_portable(th_view url);

#endif
