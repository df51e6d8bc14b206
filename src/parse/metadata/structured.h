/*
 * Structured data of a page: JSON-LD, microdata, RDFa, OpenGraph, cards, feeds, other
 * languages, tags, section and main image. Read only on request. [th_structured]
 */
#ifndef TH_STRUCTURED_H
#define TH_STRUCTURED_H

#include "parse/html/attribute.h"
#include "thresher/page.h"

typedef struct th_structured_collector th_structured_collector;

/** Returns a collector for any number of pages, or NULL without memory. */
th_structured_collector *th_structured_new(void);
void th_structured_free(th_structured_collector *collector);

/** Starts a page. */
void th_structured_begin(th_structured_collector *collector, th_arena *arena);

/** Takes a start tag. @see th_items_start */
void th_structured_start(th_structured_collector *collector, th_view base, uint32_t at,
                         th_tag tag, const th_attribute *attrs, size_t attr_count);

/** Takes text of the page, also hidden text, but not of SCRIPT and STYLE. The caller adds
 * a space where a paragraph or line begins or ends. */
void th_structured_text(th_structured_collector *collector, const char *bytes,
                        size_t len);

/** Takes the end of the open element `at`. */
void th_structured_end(th_structured_collector *collector, uint32_t at);

/** Takes the text of a SCRIPT of JSON-LD. Sets the flag if it is not JSON, or nests more
 * than TH_JSON_DEPTH containers. O(length). */
void th_structured_json(th_structured_collector *collector, th_view text);

/**
 * Ends the page.
 * @param base   to resolve URLs against
 * @param flags  out: TH_FLAG_STRUCTURED_CUT is added if something was dropped
 * @return in the arena; NULL without memory
 */
const th_structured *th_structured_finish(th_structured_collector *collector,
                                          th_view base, uint32_t *flags);

#endif
