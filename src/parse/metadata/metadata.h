/*
 * What a page says of itself: title, author, date ... gathered while it is parsed.
 *
 * The builder reports what may matter; th_metadata_finish weighs it, best source first.
 */
#ifndef TH_METADATA_H
#define TH_METADATA_H

#include "parse/html/attribute.h"
#include "thresher/page.h"

typedef struct th_metadata_collector th_metadata_collector;

/** In the arena of the page; NULL without memory. The base URL is set by ..._base. */
th_metadata_collector *th_metadata_begin(th_arena *arena);

/**
 * A start tag that may carry metadata: HTML (lang), META, LINK, TIME, and any element with
 * rel=author, itemprop or class that names an author or date. Cheap for all other tags: the
 * builder calls it for HTML, META, LINK, TIME, A, SPAN, ADDRESS only.
 */
void th_metadata_tag(th_metadata_collector *collector, th_tag tag,
                     const th_attribute *attrs, size_t attr_count);

/** Text of an element that matters: TITLE (outside SVG, the first), SCRIPT of type
 *  application/ld+json. The whole text in one call, borrowed. */
void th_metadata_text(th_metadata_collector *collector, th_tag tag, th_view text);

/** Whether the text of this SCRIPT is wanted: its type is application/ld+json. */
bool th_metadata_wants_script(const th_attribute *attrs, size_t attr_count);

/** Weighs what was gathered. Views are in the arena. @param base to resolve URLs against */
void th_metadata_finish(th_metadata_collector *collector, th_view base, th_metadata *out);

#endif
