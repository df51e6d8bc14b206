/* Intermediate results of dom-cohesion, for its tests. [H25] */
#ifndef TH_DOM_COHESION_H
#define TH_DOM_COHESION_H

#include <stdbool.h>

#include "thresher/page.h"

/** A block: an element two of whose children, side by side, have one skeleton. */
typedef struct th_dom_block {
    uint32_t node; /* in page->nodes */
    /* N^2 sum(C^2) - sum(C)^2 and N^2, where C is the N x N matrix of edit distances
     * between the element's children. */
    uint64_t spread, cells;
    double heterogeneity; /* sqrt(spread) / cells: standard deviation of the matrix */
    bool is_outlier;
} th_dom_block;

/**
 * Finds the blocks of a page, breadth first.
 * @param blocks  out: in the arena
 * @param bound   out: heterogeneity above which a block is an outlier; negative if no
 *                block has a heterogeneity
 * @return TH_OK or TH_NOMEM. At most 20 million cells of edit distance.
 */
th_status th_dom_blocks_find(const th_page *page, th_arena *arena, th_dom_block **blocks,
                             uint32_t *count, double *bound);

#endif
