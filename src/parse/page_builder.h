/*
 * Events in, page out: the interface for every HTML parser.
 *
 * A parser reports start tags, end tags and text in document order. The builder makes
 * atomic blocks, nodes, gaps, lines, tokens, links and metadata of them in the same pass.
 */
#ifndef TH_PAGE_BUILDER_H
#define TH_PAGE_BUILDER_H

#include <stdbool.h>

#include "parse/html/attribute.h"
#include "thresher/options.h"
#include "thresher/page.h"
#include "thresher/parse.h"

/* The origin of a tag. */
enum {
    TH_TAG_IN_SOURCE = 0,          /* it is in the document: part of a gap */
    TH_TAG_IMPLIED = 1u << 0,      /* the parser supplied it: never part of a gap */
    TH_TAG_SELF_CLOSING = 1u << 1, /* it ends in "/>", which counts in SVG and MathML */
    TH_TAG_NAME_SHIFT = 8, /* above: 24 bits of a hash of a TH_TAG_OTHER's name, so that
                              its end tag finds it */
};

typedef struct th_builder th_builder;

/** One per parser, reused for every page. NULL without memory. Options are borrowed. */
th_builder *th_builder_new(const th_options *opt);
void th_builder_free(th_builder *builder);

/**
 * Starts a page.
 * @param arena     gets the page and all its data
 * @param document  its url is the base of links until a BASE element changes it
 */
th_status th_builder_begin(th_builder *builder, th_arena *arena,
                           const th_document *document);

/**
 * Selects the light tree. Called after th_builder_begin. Tags come as in the source, and
 * the builder applies the standard's rules to find which elements they close and open
 * (light_tree.h). Without this call the builder takes the tree as repaired by the parser:
 * an end tag closes the nearest element of its name.
 */
void th_builder_use_light_tree(th_builder *builder);

/** Sets whether the page is in quirks mode; false without this call. Call it after
 * th_builder_use_light_tree. */
void th_builder_set_quirks(th_builder *builder, bool has_quirks);

/** Whether the current node is outside HTML, where "<![CDATA[" begins a section. */
bool th_builder_is_foreign(const th_builder *builder);

/** Whether a start tag that does not end foreign content would make an HTML element. */
bool th_builder_starts_html(const th_builder *builder);

/** Whether an element of that name is open. */
bool th_builder_has_open(const th_builder *builder, th_tag tag);

/**
 * Handles a start tag. Void elements (BR, IMG, ...) need no end tag.
 * @param tag    number of the name; TH_TAG_OTHER for names not listed
 * @param attrs  borrowed for the call; duplicates: the first wins
 * @param attr_bits  th_attribute_bits of them, which avoids searches for missing
 *                   attributes
 * @param how    TH_TAG_..., combined
 */
void th_builder_start_tag(th_builder *builder, th_tag tag, const th_attribute *attrs,
                          size_t attr_count, uint64_t attr_bits, unsigned how);

/** Handles an end tag. If it closes no open element, it is only a gap tag. */
void th_builder_end_tag(th_builder *builder, th_tag tag, unsigned how);

/** Takes character data, references resolved, UTF-8 that may be cut anywhere, even in a
 * code point. The first text of a SUP, RT or A should come whole, because it tells
 * exponents, ruby, and marks of links. */
void th_builder_text(th_builder *builder, const char *bytes, size_t len);

/** Whether the page has hidden content that scripts would move, and a place for it
 * (streamed.h). */
bool th_builder_has_streamed(const th_builder *builder);

/** Sets flags of the page: TH_FLAG_..., combined. */
void th_builder_flag(th_builder *builder, uint32_t flag);

/**
 * Reports work of the parser without an event, such as a long search through open
 * elements. It counts towards the next check of the clock. @param units  of about 0.1 us
 */
void th_builder_work(th_builder *builder, size_t units);

/**
 * Whether the parser should stop because memory or the page's time is used up. Cheap
 * enough for every tag. TH_OK, TH_NOMEM, TH_TOO_LARGE or TH_TIME_LIMIT.
 */
th_status th_builder_status(const th_builder *builder);

/** Returns where th_builder_status is, for a parser that looks at it after each tag. */
const th_status *th_builder_status_place(const th_builder *builder);

/**
 * Ends the page: closes open elements, computes prefix sums, resolves metadata.
 * @return TH_OK, or the result of th_builder_status
 */
th_status th_builder_finish(th_builder *builder, th_page **page);

#endif
