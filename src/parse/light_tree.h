/*
 * The effect of a tag on the open elements. It follows the rules of the standard's tree
 * construction that on nearly all pages decide which element encloses a text: implied end
 * tags, scopes, tables, formatting that is not nested properly, foreign content. [HTML
 * Living Standard 13.2.6]
 *
 * These functions only decide. The page builder makes the changes.
 */
#ifndef TH_LIGHT_TREE_H
#define TH_LIGHT_TREE_H

#include "parse/html/attribute.h"
#include "parse/open_elements.h"

/** Whether it is a table or a part of a table that has no text itself. */
static inline bool th_light_tree_is_table_part(th_tag tag)
{
    return tag == TH_TAG_TABLE || tag == TH_TAG_TR || tag == TH_TAG_TBODY ||
           tag == TH_TAG_TFOOT || tag == TH_TAG_THEAD;
}

/** The actions, in this order. */
typedef struct th_tree_step {
    uint32_t keep;   /* this many open elements stay, inner ones are closed */
    uint32_t ended;  /* this one ends among its descendants, which stay open; 0 = none */
    bool ends_alone; /* ... and inline elements between them and it stay open */
    bool has_form;   /* a FORM is now open that no end tag has ended */
    bool unlists;    /* the last listed formatting element of this tag is taken off */
    bool reopens;    /* start tag: closed formatting elements open again */
    uint8_t implied_count;
    th_tag implied[2]; /* start tag: opens these first, outermost first */
    bool is_element;   /* start tag: makes an element */
    bool stays_open;   /* ... that has content */
    bool is_listed;    /* ... that is a formatting element */
    bool is_fostered;  /* ... that becomes a sibling of the table that contains it */
    /* foreign content ends: the caller closes down to `keep` and calls again; all other
     * members are void */
    bool is_asked_again;
    uint8_t kind; /* TH_ELEMENT_... of the element that is opened */
} th_tree_step;

/* The opening of a start tag, in one word: TH_ELEMENT_... of the element, and these. */
enum {
    TH_OPENS_EMPTY = 1u << 8,     /* the element has no content */
    TH_OPENS_ELEMENT = 1u << 10,  /* there is an element */
    TH_OPENS_LISTED = 1u << 11,   /* it is a formatting element */
    TH_OPENS_FOSTERED = 1u << 12, /* it becomes a sibling of the table that contains it */
    TH_OPENS_AGAIN = 1u << 13,    /* closed formatting elements open again before it */
};

/** Returns the opening of a step of a start tag. */
static inline unsigned th_tree_opening(const th_tree_step *step)
{
    return step->kind | (step->stays_open ? 0u : TH_OPENS_EMPTY) |
           (step->is_element ? TH_OPENS_ELEMENT : 0u) |
           (step->is_listed ? TH_OPENS_LISTED : 0u) |
           (step->is_fostered ? TH_OPENS_FOSTERED : 0u) |
           (step->reopens ? TH_OPENS_AGAIN : 0u);
}

/* Conditions of th_plain_starts. */
enum {
    TH_NEEDS_NO_P = 1u << 16,
    TH_NEEDS_NO_HEADING = 1u << 17, /* as the innermost element */
    TH_NEEDS_NO_ITEM = 1u << 18,
    TH_NEEDS_NO_LISTED = 1u << 19, /* formatting element since the last marker */
};

/* The rule of an end tag. Before TH_END_FORMATTING, nothing between the innermost element
 * and itself keeps it open. */
enum {
    TH_END_ORDINARY, /* any other end tag: closes its element unless a special one is open */
    TH_END_SCOPED, /* closes its element and all in it, if it is in scope */
    TH_END_PARAGRAPH,
    TH_END_ITEM, /* in list item scope */
    TH_END_HEADING,
    TH_END_ANYWAY, /* closes its element and all in it */
    TH_END_FORMATTING,
    TH_END_TABLE, /* parts of a table: in table scope */
    TH_END_FORM,
    TH_END_HEAD,
    TH_END_NOTHING,
};

/* The rules of a tag. */
typedef struct th_tree_rule {
    uint8_t start, end;
    uint16_t kind; /* TH_ELEMENT_..., TH_OPENS_EMPTY, and a bit of light_tree.c */
} th_tree_rule;

#pragma GCC visibility push(hidden)
extern const th_tree_rule th_tree_rules[TH_TAG_COUNT];
/* By rule of a start tag: its opening and its conditions; 0 if it is never plain. */
extern const uint32_t th_plain_starts[];
#pragma GCC visibility pop

static inline bool th_is_heading(th_tag tag)
{
    return tag >= TH_TAG_H1 && tag <= TH_TAG_H6;
}

/** Returns the table whose parts are allowed here; 0 if none, or a TEMPLATE is between. */
static inline uint32_t th_light_tree_table(const th_open_elements *open)
{
    const uint32_t at = open->last_of[TH_TAG_TABLE];
    return at > open->last_of[TH_TAG_TEMPLATE] ? at : 0;
}

/**
 * Returns the opening of a start tag that has no other effect, in the innermost element in
 * BODY, as most do. Returns 0 for other start tags, which th_light_tree_start decides.
 */
static inline unsigned th_light_tree_plain_start(const th_open_elements *open, th_tag tag)
{
    const th_open_element *const top = th_open_top(open);
    const th_tree_rule rule = th_tree_rules[tag];
    const unsigned start = th_plain_starts[rule.start];
    if (!start || (top->kind & TH_ELEMENT_STRICT) || !open->last_of[TH_TAG_BODY] ||
        ((start & TH_NEEDS_NO_P) && open->last_of[TH_TAG_P]) ||
        ((start & TH_NEEDS_NO_LISTED) && open->formatting_count != open->section) ||
        ((start & TH_NEEDS_NO_ITEM) && open->items[top->item_stop_at].tag == TH_TAG_LI) ||
        ((start & TH_NEEDS_NO_HEADING) && th_is_heading(top->tag)))
        return 0;
    return start | rule.kind;
}

/** Handles a start tag. @param is_self_closing  it ends in "/>" */
th_tree_step th_light_tree_start(const th_open_elements *open, th_tag tag,
                                 const th_attribute *attrs, size_t attr_count,
                                 bool is_self_closing);

/** Whether an end tag does nothing but end the innermost element, as most do. Then
 * th_light_tree_end need not decide. @param name  hash of the name of a TH_TAG_OTHER */
static inline bool th_light_tree_ends_top(const th_open_elements *open, th_tag tag,
                                          uint32_t name)
{
    const th_open_element *const top = th_open_top(open);
    if (top->tag != tag || top->name != name || (top->kind & TH_ELEMENT_FOREIGN))
        return false;
    const unsigned end = th_tree_rules[tag].end;
    return end < TH_END_FORMATTING ||
           (end == TH_END_FORMATTING && th_formatting_is_last(open)) ||
           (end == TH_END_TABLE && th_light_tree_table(open));
}

/** Handles an end tag. @param name  as above */
th_tree_step th_light_tree_end(const th_open_elements *open, th_tag tag, uint32_t name);

/**
 * Handles text, before which elements may have to be opened: BODY, and formatting that a
 * block's end has closed.
 * @param is_blank  it is only whitespace, which opens no BODY
 */
th_tree_step th_light_tree_text(const th_open_elements *open, bool is_blank);

/** Whether th_light_tree_text may have an effect. This check is cheap enough for every
 * text. */
static inline bool th_light_tree_minds_text(const th_open_elements *open)
{
    return open->closed_count > 0 || !open->last_of[TH_TAG_BODY] ||
           th_open_top(open)->tag == TH_TAG_COLGROUP;
}

/** Returns TH_ELEMENT_... of an HTML element with that tag. */
uint8_t th_light_tree_kind(th_tag tag);

/** Whether the current node is foreign, which decides how "<![CDATA[" is read. */
static inline bool th_light_tree_is_foreign(const th_open_elements *open)
{
    return open->count && (th_open_top(open)->kind & TH_ELEMENT_FOREIGN);
}

/** Whether a text or element at this point is in a table, but not in a cell of it. */
static inline bool th_light_tree_is_in_table(const th_open_elements *open)
{
    return th_light_tree_is_table_part(th_open_top(open)->tag);
}

/** Whether a start tag now opens an HTML element, not one of SVG or MathML. */
bool th_light_tree_is_html(const th_open_elements *open);

#endif
