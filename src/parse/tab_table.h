/*
 * Tabs as they stream in: panels, and the labels that select them. Browsers show one
 * panel of a set at a time. Recorded only if text_format is not "plain".
 *
 * A label belongs to a panel
 * - by ids, if they have the roles "tab" and "tabpanel" [WAI-ARIA 1.2]
 * - by order, if as many panels without ids follow a tablist
 * - by ids, if the labels of siblings are the items of one list
 * - by order, if the labels are of radio buttons outside of forms: each label is directly
 *   before its panel, or the panels are the children of the next element
 */
#ifndef TH_TAB_TABLE_H
#define TH_TAB_TABLE_H

#include <stdbool.h>

#include "parse/html/attribute.h"
#include "parse/paragraph.h"

/** An element that may be part of a set of tabs. */
typedef struct th_tab_mark {
    th_view id;     /* its own, or empty */
    th_view target; /* tab: the panel's id; panel: the label's; LABEL: the control's */
    uint32_t node;
    uint32_t link; /* it is, or TH_NONE */
    uint32_t item; /* box of the list item that contains it, or TH_NONE */
    uint8_t kind;
    bool is_taken; /* tab, panel: the other one is found */
} th_tab_mark;

enum { TH_TAB_MARK_KINDS = 7 };

typedef struct th_tab_table {
    th_tab_mark *marks; /* owned; in document order */
    uint32_t count, capacity;
    uint32_t count_of[TH_TAB_MARK_KINDS];

    th_arena *arena; /* of the page: owns views */
    th_status status;
} th_tab_table;

/** The context of a start tag. */
typedef struct th_tab_place {
    uint32_t node; /* its own */
    uint32_t link; /* its own, or TH_NONE */
    uint32_t box;  /* of its text, or TH_NONE */
    bool is_in_form;
} th_tab_place;

void th_tab_table_done(th_tab_table *table);
void th_tab_table_begin(th_tab_table *table, th_arena *arena);

/** Whether th_tab_tag may have an effect for a start tag. For most it has none.
 * @param attr_bits  th_attribute_bits of its attributes */
static inline bool th_tab_minds(th_tag tag, uint64_t attr_bits)
{
    const uint64_t names = th_attribute_bit(TH_VIEW("role")) |
                           th_attribute_bit(TH_VIEW("for")) |
                           th_attribute_bit(TH_VIEW("aria-labelledby"));
    return (attr_bits & names) ||
           ((tag == TH_TAG_A || tag == TH_TAG_LI || tag == TH_TAG_INPUT) &&
            (attr_bits & th_attribute_bit(TH_VIEW("id"))));
}

/** Takes a start tag with a node. Most change nothing. */
void th_tab_tag(th_tab_table *table, const th_paragraph_table *paragraphs, th_tag tag,
                const th_attribute *attrs, size_t attr_count, th_tab_place place);

/**
 * Finds the tabs once all elements are known. O(n log n) of the marks, and linear in the
 * nodes.
 * @param count  out
 * @return in the page's arena, in the order of the panels; NULL if there are none, or on
 *         the error in `status`
 */
th_tab *th_tab_table_finish(th_tab_table *table, const th_paragraph_table *paragraphs,
                            const th_node *nodes, uint32_t node_count, uint32_t *count);

#endif
