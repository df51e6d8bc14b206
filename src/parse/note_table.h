/*
 * Footnotes, as they stream in: raised links to items of ordered lists that link back.
 *
 * A mark is a link to a place in the page, in a SUP or around one. Its note is the item
 * with that id. They are a footnote only if the item has a link back to the mark, and the
 * mark reads as the item's number. Any other link stays a link.
 */
#ifndef TH_NOTE_TABLE_H
#define TH_NOTE_TABLE_H

#include <stdbool.h>

#include "parse/html/attribute.h"
#include "parse/link_table.h"
#include "parse/paragraph.h"

/** A link to a place in the page. */
typedef struct th_local_link {
    th_view target; /* the fragment */
    th_view id;     /* its own, or empty */
    th_view sup_id; /* of the SUP around, or empty */
    uint32_t link;
    uint32_t item; /* the list item that contains it, or TH_NONE */
    uint32_t note; /* once all are known: the item that it marks, or TH_NONE */
    bool is_raised;
} th_local_link;

/** An item that links may lead to. */
typedef struct th_note_item {
    th_view id;
    uint32_t box;
} th_note_item;

typedef struct th_note_table {
    th_local_link *links; /* owned, like the next pointers */
    uint32_t link_count, link_capacity;
    th_note_item *items;
    uint32_t item_count, item_capacity;

    th_arena *arena; /* of the page: owns views */
    th_view sup_id;  /* of the last SUP that began */
    th_status status;
} th_note_table;

/** The context of a start tag. */
typedef struct th_note_place {
    uint32_t box;   /* of its text, or TH_NONE */
    uint32_t link;  /* A: its own; SUP: of the A around; or TH_NONE */
    bool is_in_sup; /* A: a SUP is open */
} th_note_place;

void th_note_table_done(th_note_table *table);
void th_note_table_begin(th_note_table *table, th_arena *arena);

/** Whether th_note_tag may have an effect for a start tag. For most it has none.
 * @param attr_bits  th_attribute_bits of its attributes */
static inline bool th_note_minds(th_tag tag, uint64_t attr_bits)
{
    return tag == TH_TAG_SUP ||
           (tag == TH_TAG_A && (attr_bits & th_attribute_bit(TH_VIEW("href")))) ||
           (tag == TH_TAG_LI && (attr_bits & th_attribute_bit(TH_VIEW("id"))));
}

/** Takes a start tag of an LI, A or SUP that is shown. Others change nothing. */
void th_note_tag(th_note_table *table, const th_paragraph_table *paragraphs, th_tag tag,
                 const th_attribute *attrs, size_t attr_count, th_note_place place);

/**
 * Finds the footnotes once all links and items are known. O(n log n) of the links in the
 * page.
 * @param text   that the links' anchors are slices of
 * @param count  out
 * @return in the page's arena, in the order of links; NULL if there are none, or on the
 *         error in `status`
 */
th_note_link *th_note_table_finish(th_note_table *table,
                                   const th_paragraph_table *paragraphs,
                                   const th_link_table *links, const char *text,
                                   uint32_t *count);

#endif
