/* The key under which an index of captures sorts a URL: its host from the end, lower case. */
#ifndef TH_SURT_H
#define TH_SURT_H

#include "thresher/arena.h"
#include "thresher/view.h"

enum { TH_SURT_URL_MAX = 64 << 10 }; /* bytes of a URL that has a key */

/**
 * The Sort-friendly URI Reordering Transform of a URL: "com,example)/path?a=1&b=2", as the
 * Internet Archive's canonical form has it (package surt of PyPI, which cdxj-indexer and
 * pywb use; the same keys, but for host names of IDNA that the two read otherwise).
 *
 * Left out are scheme, user, "www." with or without digits, default port, fragment,
 * session ids, a slash at the end; escapes are undone and made anew, letters are lower
 * case, the query's parameters are sorted. A URL without a host keeps its scheme:
 * "urn:uuid:...".
 *
 * @param url  any bytes
 * @return printable ASCII without a blank in the arena, for an empty URL "-"; data == NULL when
 *         the arena is used up; the URL itself where it has a port that is none; absent,
 *         too, when it is over TH_SURT_URL_MAX
 * O(length), but for the sorting of the parameters.
 */
th_view th_surt(th_view url, th_arena *arena);

#endif
