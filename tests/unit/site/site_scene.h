/* Entries and sites for tests. */
#ifndef SITE_SCENE_H
#define SITE_SCENE_H

#include "site/site.h"

/** A page of at most eight paragraphs: 0 ends them. */
struct site_page {
    uint32_t url, text;
    uint64_t hashes[8];
};

/** Entries in one buffer; `out` gets a pointer to each. Aborts without memory. */
void make_entries(const struct site_page *pages, size_t count, th_buffer *bytes,
                  const th_site_entry **out);

/** Counts pages on top of `before` (NULL: a new site); the bytes in `capacity`. */
th_site count_pages(const th_site *before, const struct site_page *pages, size_t count,
                    const th_site_limits *limits, th_buffer *scratch);

#endif
