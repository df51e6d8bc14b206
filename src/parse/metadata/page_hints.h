/*
 * What a page says of its kind: og:type, generator, the types and texts of its JSON-LD.
 * Only kept where a classifier reads it. [th_page_hints]
 */
#ifndef TH_PAGE_HINTS_H
#define TH_PAGE_HINTS_H

#include "parse/html/attribute.h"
#include "thresher/page.h"

/** In the arena of the page; NULL without memory. @param url  of the document, borrowed */
th_page_hints *th_page_hints_begin(th_arena *arena, th_view url);

/** A META. */
void th_page_hints_meta(th_page_hints *hints, th_arena *arena, const th_attribute *attrs,
                        size_t attr_count);

/**
 * The text of a SCRIPT of JSON-LD. Reads keys and strings wherever they stand: its grammar
 * may be broken. Of each text the longest is kept, 1 MiB at most. O(length).
 */
void th_page_hints_json(th_page_hints *hints, th_arena *arena, th_view text);

#endif
