/*
 * Hints about a page's kind: og:type, generator, the types and texts of its JSON-LD, a
 * recipe in microdata. Kept only if a classifier reads it. [th_page_hints]
 */
#ifndef TH_PAGE_HINTS_H
#define TH_PAGE_HINTS_H

#include "parse/html/attribute.h"
#include "thresher/page.h"

/** In the arena of the page; NULL without memory. @param url  of the document, borrowed */
th_page_hints *th_page_hints_begin(th_arena *arena, th_view url);

/** Takes a META. */
void th_page_hints_meta(th_page_hints *hints, th_arena *arena, const th_attribute *attrs,
                        size_t attr_count);

/** Takes an element's itemtype, a URL of schema.org. */
void th_page_hints_itemtype(th_page_hints *hints, th_view type);

/**
 * Reads the text of a SCRIPT of JSON-LD: keys and strings at any place, because its
 * grammar may be broken. The longest of each text is kept, at most 1 MiB. O(length).
 */
void th_page_hints_json(th_page_hints *hints, th_arena *arena, th_view text);

#endif
