/* Derives the labels of paragraphs from the labels of blocks. */
#ifndef TH_PARAGRAPH_LABELS_H
#define TH_PARAGRAPH_LABELS_H

#include "thresher/page.h"

/**
 * Labels each paragraph like most of its tokens: page->paragraph_label_of, from
 * page->label_of. Rows of a table and items of a list are labelled together.
 * @param recurs  for each paragraph whether it recurs on the site, and is therefore
 *                judged separately; NULL if none does
 * @return TH_OK or TH_NOMEM. Linear.
 */
th_status th_paragraph_labels(th_page *page, const uint8_t *recurs);

#endif
