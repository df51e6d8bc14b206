/* Paragraphs of a page that are made alike: cards, rows of results, answers. */
#ifndef TH_SIMILAR_SIBLINGS_H
#define TH_SIMILAR_SIBLINGS_H

#include "thresher/page.h"

enum {
    TH_LIKE_LEVELS = 4, /* elements whose tag and class must be the same, from inside */
    TH_LIKE_LEAST = 3,  /* paragraphs that make a group */
};

/**
 * Moves the scores of paragraphs with the same path of tag and class over TH_LIKE_LEVELS
 * levels towards their mean, if there are at least TH_LIKE_LEAST of them. Two fifths of
 * each score are kept.
 * @param score  uint16_t[page->paragraph_count], in and out
 * @return TH_OK or TH_NOMEM. Linear.
 */
th_status th_similar_siblings_smooth(const th_page *page, th_arena *scratch,
                                     uint16_t *score);

#endif
