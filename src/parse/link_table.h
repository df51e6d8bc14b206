/*
 * The links of a page while it is built: A and AREA with a usable href, resolved against
 * the base of the document.
 */
#ifndef TH_LINK_TABLE_H
#define TH_LINK_TABLE_H

#include <stdbool.h>

#include "parse/html/attribute.h"
#include "parse/url/url.h"
#include "thresher/page.h"

typedef struct th_link_table {
    th_link *links; /* owned */
    uint32_t count;
    uint32_t capacity;
    uint32_t max; /* links; more are dropped and flagged */

    th_arena *arena;  /* of the page: owns URLs */
    th_url_base url;  /* of the document */
    th_view host;     /* of the document, or absent */
    th_url_base base; /* of its links */
    bool has_base;
    uint32_t flags;   /* TH_FLAG_LINKS_CUT */
    th_status status; /* its first error: TH_NOMEM, TH_TOO_LARGE (the arena is full) */
} th_link_table;

void th_link_table_done(th_link_table *table);

/** Empties the table for a page. @param url  of the document; may be absent */
void th_link_table_begin(th_link_table *table, th_arena *arena, th_view url,
                         uint32_t max_links);

/**
 * Adds the start tag of an A or AREA.
 * @return number of the new link; TH_NONE if it has no href, if the href leads nowhere
 *         (javascript:, data:) or is not a usable URL, over the limit, or on an error
 */
uint32_t th_link_table_add(th_link_table *table, const th_attribute *attrs,
                           size_t attr_count);

/**
 * Resolves a reference, such as a picture's. The absolute URL lasts as long as the page.
 * @return absent if it is empty, leads nowhere (javascript:, data:), is not a usable URL,
 *         or on an error
 */
th_view th_link_table_resolve(th_link_table *table, th_view reference);

/** Handles a BASE. The first with a usable href applies to the following links. */
void th_link_table_base(th_link_table *table, const th_attribute *attrs,
                        size_t attr_count);

/** Whether a link leads into the document itself. @param link  or TH_NONE */
bool th_link_leads_within(const th_link_table *table, uint32_t link);

#endif
