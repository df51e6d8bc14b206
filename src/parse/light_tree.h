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

/**
 * Handles a start tag.
 * @param is_self_closing  it ends in "/>"
 * @param step             out; a start tag is too frequent to copy it
 * @return whether it only opens an element in the innermost one, as most do
 */
bool th_light_tree_start(const th_open_elements *open, th_tag tag,
                         const th_attribute *attrs, size_t attr_count,
                         bool is_self_closing, th_tree_step *step);

/** The same by the tag's rule, which th_light_tree_start need not ask for most tags. */
void th_light_tree_start_by_rule(const th_open_elements *open, th_tag tag,
                                 const th_attribute *attrs, size_t attr_count,
                                 bool is_self_closing, th_tree_step *step);

/** Whether an end tag does nothing but end the innermost element, as most do. Then
 * th_light_tree_end need not decide. @param name  hash of the name of a TH_TAG_OTHER */
bool th_light_tree_ends_top(const th_open_elements *open, th_tag tag, uint32_t name);

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
