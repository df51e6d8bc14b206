/* From the blocks' labels to those of what people read. */
#ifndef TH_PARAGRAPH_LABELS_H
#define TH_PARAGRAPH_LABELS_H

#include "thresher/page.h"

/**
 * Labels each paragraph as most of its tokens are: page->paragraph_label_of, from
 * page->label_of. Rows of a table and items of a list go together.
 * @param recurs  of each paragraph whether it recurs on the site, and so is judged alone;
 *                NULL: none does
 * @return TH_OK or TH_NOMEM. Linear.
 */
th_status th_paragraph_labels(th_page *page, const uint8_t *recurs);

#endif
