/*
 * Computes the key under which an index of captures sorts a URL: its host reversed, lower
 * case.
 */
#ifndef TH_SURT_H
#define TH_SURT_H

#include "thresher/arena.h"
#include "thresher/view.h"

enum { TH_SURT_URL_MAX = 64 << 10 }; /* bytes of a URL that has a key */

/**
 * Computes the Sort-friendly URI Reordering Transform of a URL:
 * "com,example)/path?a=1&b=2", in the Internet Archive's canonical form. The keys match
 * the package surt of PyPI, which cdxj-indexer and pywb use, except for host names of
 * IDNA that the two read differently.
 *
 * Omits scheme, user, "www." with or without digits, default port, fragment, session ids,
 * and a slash at the end. Escapes are undone and applied again, letters are lower case,
 * the query's parameters are sorted. A URL without a host keeps its scheme:
 * "urn:uuid:...".
 *
 * @param url  any bytes
 * @return printable ASCII without spaces, in the arena. "-" for an empty URL. The URL
 *         itself if its port is invalid. data == NULL if the arena is full, or if the URL
 *         is longer than TH_SURT_URL_MAX
 * Cost: O(length), plus the sorting of the parameters.
 */
th_view th_surt(th_view url, th_arena *arena);

#endif
