/* Which paragraphs a reader takes as one, so that they are judged as one. */
#ifndef TH_JUDGED_TOGETHER_H
#define TH_JUDGED_TOGETHER_H

#include "thresher/page.h"

/**
 * The list in whose items a paragraph stands directly, or the row that is one line with
 * its cell: an index into th_page.boxes, or TH_NONE: it stands for itself.
 */
static inline uint32_t th_judged_together(const th_page *page,
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
