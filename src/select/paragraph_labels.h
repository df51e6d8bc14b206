/* From the blocks' labels to those of what people read. */
#ifndef TH_PARAGRAPH_LABELS_H
#define TH_PARAGRAPH_LABELS_H

#include "thresher/page.h"

/**
 * Labels each paragraph as most of its tokens are: page->paragraph_label_of, from
 * page->label_of. Rows of a table and items of a list go together.
 * @return TH_OK or TH_NOMEM. Linear.
 */
th_status th_paragraph_labels(th_page *page);

#endif
