/* Finds the parts of a page that readers wrote. */
#ifndef TH_COMMENT_AREA_H
#define TH_COMMENT_AREA_H

#include <stdbool.h>

#include "thresher/page.h"

/**
 * Marks the paragraphs of comments. They are in an element with a class or id that means
 * comments. That element contains at least two adjacent elements of one kind, or is one
 * of these.
 * @param is_product  whether the page is of a product, where reviews are comments
 * @param is_comment  uint8_t[page->paragraph_count], out: 1 or 0; all 0 if the page keeps
 *                    no classes (th_options.reads)
 * @return TH_OK or TH_NOMEM. Linear in nodes and words.
 */
th_status th_comment_areas_find(const th_page *page, bool is_product, th_arena *scratch,
                                uint8_t *is_comment);

/** Whether a class or id of the page has a word of forums: "topic", "discussion". */
bool th_speaks_of_thread(const th_page *page);

#endif
