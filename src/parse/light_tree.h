/*
 * What a tag does to the open elements, by the rules of the standard's tree construction
 * that decide on nearly all pages which element encloses a text: implied end tags,
 * scopes, tables, formatting that is not nested properly, foreign content.
 * [HTML Living Standard 13.2.6]
 *
 * Pure decisions: nothing is changed here, the page builder carries them out.
 */
#ifndef TH_LIGHT_TREE_H
#define TH_LIGHT_TREE_H

#include "parse/html/attribute.h"
#include "parse/open_elements.h"

/** Whether it is a table or a part of one that holds no text of its own. */
static inline bool th_light_tree_is_table_part(th_tag tag)
{
    return tag == TH_TAG_TABLE || tag == TH_TAG_TR || tag == TH_TAG_TBODY ||
           tag == TH_TAG_TFOOT || tag == TH_TAG_THEAD;
}

/** What is to be done, in this order. */
typedef struct th_tree_step {
    uint32_t keep;   /* so many open elements stay, those further in are closed */
    uint32_t ended;  /* this one ends among its descendants, which stay open; 0 = none */
    bool ends_alone; /* ... and what is inline between them and it does not */
    bool has_form;   /* a FORM is there from now on that no end tag has ended */
    bool unlists;    /* the last listed formatting element of this tag is taken off */
    bool reopens;    /* start tag: closed formatting elements open again */
    uint8_t implied_count;
    th_tag implied[2]; /* start tag: these are opened, outermost first */
    bool is_element;   /* start tag: it makes an element */
    bool stays_open;   /* ... and this has content */
    bool is_listed;    /* ... and is a formatting element */
    bool is_fostered;  /* ... and stands beside the table it was found in */
    /* foreign content ends: the caller closes down to `keep` and asks again; all other
     * members are void */
    bool is_asked_again;
    uint8_t kind; /* TH_ELEMENT_... of the element that is opened */
} th_tree_step;

/**
 * A start tag.
 * @param is_self_closing  it ends in "/>"
 */
th_tree_step th_light_tree_start(const th_open_elements *open, th_tag tag,
                                 const th_attribute *attrs, size_t attr_count,
                                 bool is_self_closing);

/** An end tag. @param name  hash of the name of a TH_TAG_OTHER */
th_tree_step th_light_tree_end(const th_open_elements *open, th_tag tag, uint32_t name);

/**
 * Text, before which elements may have to be opened: BODY, and formatting that a block's
 * end has closed.
 * @param is_blank  it is white space only, which opens no BODY
 */
th_tree_step th_light_tree_text(const th_open_elements *open, bool is_blank);

/** Whether th_light_tree_text may want something; a cheap question, for every text. */
static inline bool th_light_tree_minds_text(const th_open_elements *open)
{
    return open->closed_count > 0 || !open->last_of[TH_TAG_BODY] ||
           th_open_top(open)->tag == TH_TAG_COLGROUP;
}

/** TH_ELEMENT_... of an HTML element with that tag. */
uint8_t th_light_tree_kind(th_tag tag);

/** Whether the current node is foreign: decides what "<![CDATA[" is. */
static inline bool th_light_tree_is_foreign(const th_open_elements *open)
{
    return open->count && (th_open_top(open)->kind & TH_ELEMENT_FOREIGN);
}

/** Whether a text or element that comes now stands in a table, but in no cell of it. */
static inline bool th_light_tree_is_in_table(const th_open_elements *open)
{
    return th_light_tree_is_table_part(th_open_top(open)->tag);
}

/** Whether a start tag now opens an HTML element, not one of SVG or MathML. */
bool th_light_tree_is_html(const th_open_elements *open);

#endif
