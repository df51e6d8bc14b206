/* The header Accept of a request: which of our media types the client prefers. */
#ifndef TH_ACCEPT_H
#define TH_ACCEPT_H

#include "thresher/view.h"

/**
 * Chooses a media type. [RFC 9110 §12.5.1]
 *
 * The first type with the highest weight is chosen. The most specific range that matches a
 * type gives its weight. Parameters other than q are ignored. Ranges that are
 * not valid match nothing.
 * @param accept  the header's value; absent or only spaces: everything is accepted
 * @param types   "text/html", in order of our preference; ends with NULL
 * @return the index of the type, or -1 if none is accepted
 * O(types * length).
 */
int th_accept_choose(th_view accept, const char *const *types);

#endif
