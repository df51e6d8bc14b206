/* Finds the site of a page. */
#ifndef TH_SITE_NAME_H
#define TH_SITE_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/view.h"

/** How pages are grouped into sites. */
typedef enum th_site_grouping {
    TH_SITE_DOMAIN, /* the registered domain: a label below a public suffix */
    TH_SITE_HOST    /* the whole host */
} th_site_grouping;

/** Names of the groupings, "domain" and "host"; ends with NULL. */
extern const char *const th_site_groupings[];

enum { TH_SITE_NAME_MAX = 256 };

/** A site: its name, and its number in files. */
typedef struct th_site_name {
    char text[TH_SITE_NAME_MAX]; /* lower case, NUL-terminated */
    uint32_t len;
    uint64_t number; /* XXH3-64 of the name */
} th_site_name;

/**
 * Finds the site of a page. A host that is an address, or a public suffix, is a separate
 * site. Uses libpsl's built-in list, including private suffixes (github.io).
 * @param url  absolute
 * @return false if the URL has no host, or one of over 253 bytes
 */
bool th_site_name_of(th_view url, th_site_grouping grouping, th_site_name *out);

/**
 * Finds the public suffix of a page's host, "co.uk", by the same list.
 * @param suffix  out: lower case, NUL-terminated
 * @return false if the URL has no host, or an address
 */
bool th_public_suffix_of(th_view url, char suffix[TH_SITE_NAME_MAX]);

/** Returns whether the host, a name by TH_SITE_HOST, is an IP address. */
bool th_site_is_address(const th_site_name *host);

/** Position of a host's registered domain, and the suffix after it. */
typedef struct th_host_domain {
    const char *suffix; /* in the host's text */
    const char *domain; /* in the host's text; NULL: the host is the suffix */
} th_host_domain;

/**
 * Splits a host by the list, unchanged. A host without a listed suffix has none.
 * @param host          by TH_SITE_HOST, borrowed while `out` is used
 * @param with_private  also use the suffixes of private registries: github.io
 * @return whether it has a suffix
 */
bool th_host_domain_of(const th_site_name *host, bool with_private, th_host_domain *out);

/** Parses a site's name from user input: a host, a domain, or a URL. Returns like
 * th_site_name_of. */
bool th_site_name_parse(th_view text, th_site_grouping grouping, th_site_name *out);

#endif
