/*
 * Fetches one web page by its URL, for a person who names it. Unlike objects of a store, a
 * page is one GET without ranges and signatures, and redirects are followed.
 */
#ifndef TH_PAGE_FETCH_H
#define TH_PAGE_FETCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "thresher/arena.h"
#include "thresher/status.h"
#include "thresher/view.h"

/* Redirects that are followed. */
enum { TH_FETCH_REDIRECTS = 5 };

typedef struct th_fetch_options {
    const char *ca_file; /* as of th_http_options, like the next four */
    uint32_t connect_ms, stall_ms, min_rate, min_rate_ms;
    uint64_t max_bytes;     /* of the body; the rest is not read */
    bool allow_private;     /* also addresses that are not public, and proxies of the
                         * environment */
    const atomic_int *stop; /* if not 0, waits end; may be NULL */
} th_fetch_options;

/** A page; all in the arena. */
typedef struct th_fetched_page {
    th_view url; /* after redirects */
    th_view
        block;   /* "HTTP/1.1 200 OK", the headers that matter for a page, and the body */
    bool is_cut; /* the body is longer than max_bytes */
} th_fetched_page;

/**
 * Fetches a page, in one try. Sends the user agent "thresher/VERSION". Every address that
 * it connects to, also after a redirect, must be public unless allow_private is set.
 * @param url  as th_remote_is_page accepts it
 * @return TH_OK; TH_IO: no answer, a status other than 2xx, a redirect that is not
 *         followed, or an address that is refused; TH_INTERRUPTED; TH_NOMEM. err has the
 *         URL and the reason
 */
th_status th_page_fetch(const char *url, const th_fetch_options *options, th_arena *arena,
                        th_fetched_page *out, th_error *err);

#endif
