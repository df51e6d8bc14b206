/* Where a page shows what its readers wrote. */
#ifndef TH_COMMENT_AREA_H
#define TH_COMMENT_AREA_H

#include <stdbool.h>

#include "thresher/page.h"

/** Elements of a kind beside one another that make a list of comments. */
enum { TH_COMMENTS_LEAST = 2 };

/**
 * Marks the paragraphs of comments: those in an element whose class or id speaks of
 * comments and that has two and more elements of one kind beside one another in it, or is
 * one of those.
 * @param is_comment  uint8_t[page->paragraph_count], out: 1 or 0; all 0 where the page
 *                    keeps no classes (th_options.reads)
 * @return TH_OK or TH_NOMEM. Linear in nodes and words.
 */
th_status th_comment_areas_find(const th_page *page, th_arena *scratch,
                                uint8_t *is_comment);

/** Whether a class or id of the page has a word of forums: "topic", "discussion". */
bool th_speaks_of_thread(const th_page *page);

#endif
