/*
 * The open elements of a page: a stack that answers the questions of every tag without a
 * search. [HTML Living Standard 13.2.4.2, 13.2.4.3]
 *
 * The innermost open element of a tag and the nearest boundary of each kind of scope are
 * kept with each element, so that no flood of end tags can make a page quadratic.
 * Elements that end while their descendants stay open (mis-nested formatting) are marked.
 * They are removed when they have no open descendants.
 *
 * Next to the stack is the standard's list of active formatting elements. It includes
 * elements that a block's end has closed. They open again where text follows.
 */
#ifndef TH_OPEN_ELEMENTS_H
#define TH_OPEN_ELEMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "parse/paragraph.h"

enum {
    /* Limit of remembered open elements, and one more that hides text. Deeper elements
     * contribute only their text. */
    TH_OPEN_MAX = 16384,
    /* Formatting elements that can open again in one place. Bounds the work of a text. */
    TH_FORMATTING_MAX = 32,
};

/* The element's role in the standard's rules; combined. */
enum {
    TH_ELEMENT_SPECIAL = 1u << 0, /* of the category "special" */
    TH_ELEMENT_SCOPE = 1u << 1,   /* a boundary of every scope */
    TH_ELEMENT_MARKER = 1u << 2,  /* formatting from outside does not open again in it */
    TH_ELEMENT_FOREIGN = 1u << 3, /* SVG or MathML */
    TH_ELEMENT_HTML_IN = 1u << 4, /* foreign, but start tags and text in it are HTML */
    TH_ELEMENT_PASSES_ITEM = 1u << 5, /* special, but does not end a search for an item */
    TH_ELEMENT_STRICT = 1u << 6,      /* in it, few start tags only open their element */
};

typedef struct th_open_element {
    uint32_t node;        /* its own, or its parent's if it has none (flat, hidden) */
    uint32_t foster_node; /* parent of content that is not in a cell: TABLE */
    uint32_t block_node;  /* the parent of a block that opens here: not an A */
    uint32_t text_at;     /* length of the page's text when it began */
    uint32_t link;        /* A: its link, or TH_NONE */
    uint32_t mark;        /* of a fact that it may hold, th_fact_marks_open's; 0 = none */
    uint32_t name;        /* TH_TAG_OTHER: hash of its name */
    uint32_t same_at;     /* the next further out of the same tag, 0 = none */
    uint32_t scope_at;    /* nearest boundary of scope, itself included */
    uint32_t special_at;  /* nearest special element, itself included */
    uint32_t item_stop_at; /* nearest special element that ends a search for an item */
    uint32_t html_at;      /* nearest element that is not foreign, itself included */
    th_flow flow;          /* the context of its text */
    th_tag tag;
    uint8_t kind;       /* TH_ELEMENT_... */
    bool is_node;       /* it has a node */
    bool is_ended;      /* it has ended, and waits for its descendants */
    bool hides;         /* its text is not the page's */
    bool is_textless;   /* its text is not the page's, and gives no facts about it */
    uint8_t code_lines; /* DIV: TH_DOXYGEN_CODE, TH_CONTAINER, or TH_NO_CODE_LINES */
    bool is_code;       /* DIV: its code lines are one text, and nothing else is in it */
    bool is_listed;     /* it is in the list of formatting elements */
} th_open_element;

/** An active formatting element, or a marker. */
typedef struct th_formatting {
    th_tag tag;       /* TH_TAG_COUNT: a marker */
    uint8_t hides;    /* its attributes hide it */
    uint32_t at;      /* on the stack; 0 = closed, to be opened again */
    uint32_t element; /* marker: its element's place on the stack */
} th_formatting;

typedef struct th_open_elements {
    th_open_element *items; /* owned; [0] is the root */
    th_open_element *top;   /* the innermost; NULL if the stack is empty */
    uint32_t count;
    uint32_t capacity;
    uint32_t last_of[TH_TAG_COUNT]; /* innermost open one, 0 = none or the root */

    bool has_quirks; /* of the page: a TABLE does not end the P before it */
    bool has_form;   /* a FORM began that no end tag has ended, on the stack or not */

    th_formatting *formatting; /* owned: at most TH_FORMATTING_MAX after each marker */
    uint32_t formatting_count;
    uint32_t formatting_capacity;
    uint32_t section;      /* where the items after the last marker begin */
    uint32_t closed_count; /* how many of these are closed */
} th_open_elements;

void th_open_elements_done(th_open_elements *open);

/** Empties the stack. Keeps its memory. */
void th_open_elements_reset(th_open_elements *open);

/** Returns the innermost open element; the stack is not empty. */
static inline th_open_element *th_open_top(const th_open_elements *open)
{
    return open->top;
}

/** Makes room for one more element. @return false without memory */
bool th_open_grow(th_open_elements *open);

/** Lists the marker of an element. @return false without memory */
bool th_open_begin_section(th_open_elements *open, uint32_t element);

/**
 * Opens an element.
 * @param kind  TH_ELEMENT_...; FOREIGN of the element itself
 * @return the new element, with its tag, name, kind and the places of others (..._at,
 *         except text_at) filled in, the rest 0 for the caller to fill; NULL without
 *         memory
 */
static inline th_open_element *th_open_push(th_open_elements *open, th_tag tag,
                                            uint32_t name, unsigned kind)
{
    const uint32_t at = open->count;
    if ((at == open->capacity && !th_open_grow(open)) ||
        ((kind & TH_ELEMENT_MARKER) && !th_open_begin_section(open, at)))
        return NULL;
    th_open_element *const element = &open->items[at];
    *element = (th_open_element){ .tag = tag, .name = name, .kind = (uint8_t)kind };
    if (at) {
        const th_open_element *const parent = element - 1;
        const bool is_special = kind & TH_ELEMENT_SPECIAL;
        const bool stops_items = is_special && !(kind & TH_ELEMENT_PASSES_ITEM);
        element->scope_at = kind & TH_ELEMENT_SCOPE ? at : parent->scope_at;
        element->special_at = is_special ? at : parent->special_at;
        element->item_stop_at = stops_items ? at : parent->item_stop_at;
        element->html_at = kind & TH_ELEMENT_FOREIGN ? parent->html_at : at;
        element->same_at = open->last_of[tag];
        open->last_of[tag] = at;
    }
    open->top = element;
    open->count++;
    return element;
}

/** Updates the list of formatting elements before th_open_pop. */
void th_open_unlist(th_open_elements *open);

/**
 * Removes the innermost element; there is one. A formatting element that stays listed is
 * to be opened again. With a marker, the elements listed after it are removed too.
 */
static inline void th_open_pop(th_open_elements *open)
{
    const th_open_element *const top = open->top;
    if (!top->is_ended) { /* else it left the chain of its tag when it ended */
        if (top->is_listed || (top->kind & TH_ELEMENT_MARKER))
            th_open_unlist(open);
        open->last_of[top->tag] = top->same_at;
    }
    open->count--;
    open->top = open->count ? open->top - 1 : NULL;
}

/** Marks an element with open descendants as ended. Later queries do not find it. */
void th_open_end(th_open_elements *open, uint32_t at);

/**
 * Removes elements that are already marked, none of them special, from the chains of
 * their tags: from `first` to before `end`. O(count - first).
 */
void th_open_unchain(th_open_elements *open, uint32_t first, uint32_t end);

/**
 * Lists the innermost element as an active formatting element. If there are three of one
 * tag, the first is removed (the standard compares attributes too). Over the limit,
 * nothing is listed.
 * @return false without memory
 */
bool th_formatting_add(th_open_elements *open, bool hides);

/** Whether the innermost element is the last that is listed. */
static inline bool th_formatting_is_last(const th_open_elements *open)
{
    const uint32_t count = open->formatting_count;
    return count > open->section && open->formatting[count - 1].at == open->count - 1;
}

/** Returns the last element of that tag listed after the last marker, or NULL. */
th_formatting *th_formatting_find(const th_open_elements *open, th_tag tag);

/** Removes an item that th_formatting_find returned from the list. */
void th_formatting_drop(th_open_elements *open, th_formatting *item);

#endif
