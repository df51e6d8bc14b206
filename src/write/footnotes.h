/*
 * Which of a page's footnotes are written as such.
 */
#ifndef TH_FOOTNOTES_H
#define TH_FOOTNOTES_H

#include "thresher/page.h"

/**
 * Those of which a mark and the note are content, the note has text besides its links
 * back, and stands in no other list or quote: a mark without note would be no text, and a
 * note without mark is not shown.
 * @param label_of  of paragraphs: TH_CONTENT or not
 * @return an entry for each box, 1: it is such a note; in the page's arena, NULL without
 *         memory. Linear.
 */
const uint8_t *th_footnotes(const th_page *page, const uint8_t *label_of);

#endif
