/* Scores of each page, for tests of significance and distributions over pages. */
#ifndef TH_PAGE_SCORES_H
#define TH_PAGE_SCORES_H

#include "base/buffer.h"
#include "lab/segmentation/segmentation_scores.h"

/**
 * Appends one JSON object and a newline for each field, page and method of the table.
 * `page` is the line of the page in the gold, from 0. Pages are in the order of th_gold_set.
 * @param scores  scored
 * @return TH_OK or TH_NOMEM
 */
th_status th_page_scores_append(const th_segmentation_scores *scores, th_buffer *out);

#endif
