/*
 * A page's statements about itself: title, author, date ... gathered while it is parsed.
 *
 * The builder reports possible facts. th_metadata_finish weighs them, best source first.
 */
#ifndef TH_METADATA_H
#define TH_METADATA_H

#include <stdbool.h>

#include "parse/html/attribute.h"
#include "parse/metadata/fact_marks.h"
#include "thresher/page.h"

typedef struct th_metadata_collector th_metadata_collector;

/** Returns a collector in the arena of the page; NULL without memory. The base URL is set
 * by ..._base. */
th_metadata_collector *th_metadata_begin(th_arena *arena);

/**
 * Takes a start tag whose attributes state facts: HTML (lang), META, LINK, and A, SPAN,
 * ADDRESS, TIME with itemprop and content.
 */
void th_metadata_tag(th_metadata_collector *collector, th_tag tag,
                     const th_attribute *attrs, size_t attr_count);

/** Whether th_metadata_tag has an effect for a start tag. For most it has none.
 * @param attr_bits  th_attribute_bits of its attributes */
static inline bool th_metadata_minds(th_tag tag, uint64_t attr_bits)
{
    switch (tag) {
    case TH_TAG_HTML:
    case TH_TAG_META:
        return attr_bits;
    case TH_TAG_LINK:
        return attr_bits & th_attribute_bit(TH_VIEW("rel"));
    case TH_TAG_A:
    case TH_TAG_SPAN:
    case TH_TAG_ADDRESS:
    case TH_TAG_TIME:
        return attr_bits & th_attribute_bit(TH_VIEW("itemprop"));
    default:
        return false;
    }
}

/** Takes the text of a relevant element: TITLE (outside SVG, the first), SCRIPT of type
 * application/ld+json. The whole text in one call, borrowed. */
void th_metadata_text(th_metadata_collector *collector, th_tag tag, th_view text);

/** Whether the text of this SCRIPT is needed, because its type is application/ld+json. */
bool th_metadata_wants_script(const th_attribute *attrs, size_t attr_count);

/** Returns the collector's marks: the places of facts, which the builder notes.
 * Borrowed. */
th_fact_marks *th_metadata_marks(th_metadata_collector *collector);

/** A page whose text has not been printed yet; borrowed for the call, all may be absent. */
typedef struct th_metadata_page {
    th_view url;  /* of the document */
    th_view base; /* to resolve URLs against */
    th_view text; /* the text that positions of marks and paragraphs refer to */
    const th_paragraph *paragraphs;
    uint32_t paragraph_count;
    bool keeps_weak; /* also count sources that are wrong more than one time in five */
} th_metadata_page;

/** Weighs the statements. Views are in the arena, or are names of sources. */
void th_metadata_finish(th_metadata_collector *collector, const th_metadata_page *page,
                        th_metadata *out);

#endif
