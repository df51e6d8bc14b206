/* URLs: resolving a reference against a base, the host of a URL. [RFC 3986 §5, WHATWG
 * URL] */
#ifndef TH_URL_H
#define TH_URL_H

#include <stdbool.h>
#include <string.h>

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

/** A base for many references, with some of its lengths. */
typedef struct th_url_base {
    th_view url;          /* borrowed */
    size_t origin_len;    /* through its host; 0 if it is not a plain URL of the web */
    size_t directory_len; /* through the last slash of its path, at least origin_len */
    size_t path_len;      /* through its path */
    size_t query_len;     /* through its query */
    bool is_plain;        /* and not only its origin [plain_url.h] */
} th_url_base;

/** Measures a base. O(length). */
th_url_base th_url_base_of(th_view url);

/** Like th_url_resolve, for a page with many references. */
th_view th_url_resolve_from(const th_url_base *base, th_view reference, th_arena *arena);

/** Returns the host of an absolute URL, unchanged, without port and user; absent when
 * there is none. */
th_view th_url_host(th_view url);

/** Whether an absolute URL begins with the origin of a base and a slash. */
static inline bool th_url_has_origin(th_view url, const th_url_base *base)
{
    const size_t len = base->origin_len;
    return len && url.len > len && url.data[len] == '/' &&
           memcmp(url.data, base->url.data, len) == 0;
}

/** Whether an absolute URL has that host, ASCII case ignored. False without a host. */
bool th_url_has_host(th_view url, th_view host);

#endif
