/*
 * Places of a page that may hold its facts: the headings of the first level, and elements
 * whose attributes mark an author or a date. Gathered while the page is parsed.
 */
#ifndef TH_FACT_MARKS_H
#define TH_FACT_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "parse/html/attribute.h"
#include "thresher/arena.h"
#include "thresher/tag.h"

/* The roles of a mark; combined. */
enum {
    TH_MARK_H1 = 1u << 0,
    TH_MARK_TIME = 1u << 1,           /* TIME */
    TH_MARK_DATE_CLASS = 1u << 2,     /* a class of dates: "entry-date", "byline" */
    TH_MARK_POSTED_CLASS = 1u << 3,   /* a class for a published or posted date */
    TH_MARK_MODIFIED_CLASS = 1u << 4, /* a class for an updated date */
    TH_MARK_REL_AUTHOR = 1u << 5,
    TH_MARK_NAME_CLASS = 1u << 6,   /* a class of names: "author-name" */
    TH_MARK_AUTHOR_CLASS = 1u << 7, /* a class that includes an author */
    TH_MARK_ITEM_AUTHOR = 1u << 8,  /* microdata, RDFa */
    TH_MARK_ITEM_NAME = 1u << 9,
    TH_MARK_ITEM_PUBLISHED = 1u << 10,
    TH_MARK_ITEM_MODIFIED = 1u << 11,
    TH_MARK_ITEM_HEADLINE = 1u << 12,
    TH_MARK_FOREIGN =
        1u << 13, /* its content is another's: a comment, an answer, a product */
};

typedef struct th_fact_mark {
    uint32_t roles;      /* TH_MARK_... */
    uint32_t start, end; /* of its text, bytes in the text while the page is built */
    uint32_t last;       /* number of the last mark inside it, or its own */
    bool is_foreign;     /* it is TH_MARK_FOREIGN, or inside such a mark */
    th_view value;       /* the value in its attributes, tidy; absent */
} th_fact_mark;

/** The marks of a page, in document order. */
typedef struct th_fact_marks {
    th_arena *arena; /* of the page */
    th_fact_mark *rows;
    uint32_t count, capacity;
    uint32_t foreign_count; /* marks that are TH_MARK_FOREIGN and open */
    uint32_t class_end;     /* later classes are too far from a headline */
} th_fact_marks;

/** Begins a table whose bytes are all zero. @param arena  of the page */
void th_fact_marks_begin(th_fact_marks *marks, th_arena *arena);

/* Elements without a role by their class: most tags of a page, and in menus nearly
 * all. */
static const bool th_holds_no_byline[TH_TAG_COUNT] = {
    [TH_TAG_LI] = true,   [TH_TAG_UL] = true,     [TH_TAG_I] = true,
    [TH_TAG_IMG] = true,  [TH_TAG_BUTTON] = true, [TH_TAG_INPUT] = true,
    [TH_TAG_LINK] = true, [TH_TAG_SCRIPT] = true, [TH_TAG_SVG] = true,
    [TH_TAG_NAV] = true,  [TH_TAG_FORM] = true,   [TH_TAG_BODY] = true,
    [TH_TAG_HTML] = true,
};

/** Whether the class of a tag matters. */
static inline bool th_fact_asks_class(const th_fact_marks *marks, th_tag tag,
                                      uint32_t text_at)
{
    return (text_at <= marks->class_end && !th_holds_no_byline[tag]) ||
           tag == TH_TAG_TIME;
}

/* The bits of the names, except class, by which an element may be noted. */
#define TH_FACT_NAMES                                                                    \
    (th_attribute_bit(TH_VIEW("itemprop")) | th_attribute_bit(TH_VIEW("itemtype")) |     \
     th_attribute_bit(TH_VIEW("property")) | th_attribute_bit(TH_VIEW("rel")))

/** Whether a tag may be noted for more than its class. */
static inline bool th_fact_has_more(th_tag tag, uint64_t attr_bits)
{
    const uint64_t names =
        th_attribute_bit(TH_VIEW("itemprop")) | th_attribute_bit(TH_VIEW("itemtype")) |
        (tag == TH_TAG_META ? 0 : th_attribute_bit(TH_VIEW("property"))) |
        (tag == TH_TAG_LINK ? 0 : th_attribute_bit(TH_VIEW("rel")));
    return (attr_bits & names) || tag == TH_TAG_H1 || tag == TH_TAG_TIME;
}

/** Whether th_fact_marks_open may note a tag. False for most tags. */
static inline bool th_fact_may_be(const th_fact_marks *marks, th_tag tag,
                                  uint64_t attr_bits, uint32_t text_at)
{
    const uint64_t class_bit = th_attribute_bit(TH_VIEW("class"));
    if (!(attr_bits & (TH_FACT_NAMES | class_bit)))
        return tag == TH_TAG_H1 || tag == TH_TAG_TIME;
    return ((attr_bits & class_bit) && th_fact_asks_class(marks, tag, text_at)) ||
           th_fact_has_more(tag, attr_bits);
}

/**
 * Notes an element for which th_fact_may_be is true. Without memory, and beyond 4096,
 * nothing is noted.
 * @param class_roles  of its class, if th_fact_asks_class; else 0
 * @param text_at      bytes of text so far
 * @return its number + 1; 0 if it has no role, or was not noted
 */
uint32_t th_fact_marks_open(th_fact_marks *marks, th_tag tag, const th_attribute *attrs,
                            size_t attr_count, uint32_t class_roles, uint32_t text_at);

/** Ends an element. @param mark  the result of th_fact_marks_open */
void th_fact_marks_close(th_fact_marks *marks, uint32_t mark, uint32_t text_at);

#endif
