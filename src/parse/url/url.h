/* URLs: resolving a reference against a base, the host of a URL. [RFC 3986 §5, WHATWG
 * URL] */
#ifndef TH_URL_H
#define TH_URL_H

#include <stdbool.h>

#include "thresher/arena.h"
#include "thresher/view.h"

/**
 * Resolves a reference as it occurs in a page: leading and trailing spaces stripped, tabs
 * and line ends removed, backslashes as browsers read them, dot segments removed. The
 * fragment is kept.
 * @param base  absolute URL; if it is absent or not usable, a relative reference is only
 *              stripped
 * @return in the arena, or a borrowed view when nothing had to change; data == NULL when
 *         the reference is not a usable URL (over 8 KiB, no host, a byte that no host
 *         has, a port that is not a number) or memory is used up
 * O(length).
 */
th_view th_url_resolve(th_view base, th_view reference, th_arena *arena);

/** Returns the host of an absolute URL, unchanged, without port and user; absent when
 * there is none. */
th_view th_url_host(th_view url);

/** Whether two absolute URLs have the same host, ASCII case ignored. False without a
 * host. */
bool th_url_same_host(th_view a, th_view b);

#endif
