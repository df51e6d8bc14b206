/* The kind of a page by its address: for pages that are not articles. */
#ifndef TH_PAGE_ADDRESS_H
#define TH_PAGE_ADDRESS_H

#include <stdbool.h>

#include "thresher/view.h"

/**
 * Returns whether the address is in a section of documentation, services, or products, or
 * is itself a section with a list of articles: "/docs/a", "/services/b", "/topic/c".
 * Authors and dates on such pages belong to content systems or to the listed articles.
 * Addresses of blogs and forums are excluded.
 * @param url  absolute, may be absent
 * Pure. O(length).
 */
bool th_address_is_no_article(th_view url);

#endif
