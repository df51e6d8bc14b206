/* Groups of paragraphs that are labelled together. */
#ifndef TH_PARAGRAPH_GROUP_H
#define TH_PARAGRAPH_GROUP_H

#include "thresher/page.h"

/**
 * Returns the list whose items directly contain a paragraph, or the single-line row that
 * contains its cell, as an index into th_page.boxes. TH_NONE if the paragraph is judged
 * separately.
 */
static inline uint32_t th_paragraph_group(const th_page *page,
                                          const th_paragraph *paragraph)
{
    if (paragraph->box == TH_NONE)
        return TH_NONE;
    const th_box *box = &page->boxes[paragraph->box];
    if (box->kind == TH_BOX_CELL && !page->boxes[box->row].is_layout)
        return box->row;
    if (box->kind == TH_BOX_ITEM)
        return box->parent;
    return TH_NONE;
}

#endif
