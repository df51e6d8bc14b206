/*
 * Microdata and RDFa of a page as statements, while the page is parsed.
 *
 * Microdata: a `content` attribute is the value of any element, as schema.org writes it.
 * `itemref` is not followed.
 * RDFa: without `inlist`, XML literals, data types and languages. Namespaces of XML count
 * as prefixes. A META of OpenGraph or of a card is not RDFa.
 * Sources: HTML Living Standard 5; RDFa Core 1.1, 7.5; HTML+RDFa 1.1.
 */
#ifndef TH_ITEMS_H
#define TH_ITEMS_H

#include "base/buffer.h"
#include "parse/html/attribute.h"
#include "parse/metadata/statements.h"

enum {
    TH_ITEM_DEPTH = 256, /* open elements with attributes of microdata or RDFa */
    TH_ITEM_PREFIXES = 64
};

/** A row whose value is the text of an open element. */
typedef struct th_open_value {
    uint32_t first, count; /* rows of its list */
} th_open_value;

/** An open element. */
typedef struct th_item_scope {
    uint32_t at;      /* its place among the open elements */
    th_view item;     /* microdata: the item that its content belongs to */
    th_view subject;  /* RDFa: of hanging relations */
    th_view object;   /* RDFa: subject of its content */
    th_view vocab;    /* RDFa: absent without one */
    th_view rel, rev; /* RDFa: relations to the next item of its content */
    th_view related;  /* the last item to which they were applied */
    size_t text_at;   /* its text begins here */
    bool wants_text;
    th_open_value values[TH_STRUCTURED_RDFA + 1];
} th_item_scope;

/** A prefix of RDFa. */
typedef struct th_item_prefix {
    th_view name, iri;
    uint32_t at; /* the open element that has it */
} th_item_prefix;

/** Collector of a page. */
typedef struct th_items {
    th_statements *statements; /* borrowed */
    uint32_t names;            /* items without a name */
    uint32_t depth, prefix_count, text_count;
    th_buffer text; /* of open elements whose text is a value; owned */
    th_item_scope scopes[TH_ITEM_DEPTH];
    th_item_prefix prefixes[TH_ITEM_PREFIXES];
} th_items;

/** Starts a page. `items` is zeroed, or has ended a page. */
void th_items_begin(th_items *items, th_statements *statements);
void th_items_done(th_items *items);

/**
 * Takes a start tag.
 * @param base  URL of the page, to resolve URLs against
 * @param at    place of its element among the open ones, or TH_NONE if it has no content
 */
void th_items_start(th_items *items, th_view base, uint32_t at, th_tag tag,
                    const th_attribute *attrs, size_t attr_count);

/** Returns whether a property of META is of OpenGraph or of a card: "og:title". Such a
 * META is not RDFa. */
bool th_is_opengraph(th_view property);

/** Takes text of the page, also hidden text, but not of SCRIPT and STYLE. */
void th_items_text(th_items *items, const char *bytes, size_t len);

/** Returns whether an open element needs text. */
static inline bool th_items_want_text(const th_items *items)
{
    return items->text_count != 0;
}

/** Takes the end of the open element `at`. */
void th_items_end(th_items *items, uint32_t at);

#endif
