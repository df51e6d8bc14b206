/*
 * Decides which of a page's footnotes are written as footnotes.
 */
#ifndef TH_FOOTNOTES_H
#define TH_FOOTNOTES_H

#include "thresher/page.h"

/**
 * Finds complete footnotes. Both the mark and the note are content, the note has text
 * other than its links back, and it is not inside another list or quote. A mark without
 * its note, or a note without its mark, is not shown as a footnote.
 * @param label_of  of paragraphs: TH_CONTENT or not
 * @return an entry for each box, 1 if it is such a note; in the page's arena, NULL
 *         without memory. Linear.
 */
const uint8_t *th_footnotes(const th_page *page, const uint8_t *label_of);

#endif
