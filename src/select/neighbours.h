/*
 * The neighbouring blocks of a block, for rules. If recurring paragraphs are labelled as
 * such, their blocks are skipped: a rule sees the page without them.
 */
#ifndef TH_NEIGHBOURS_H
#define TH_NEIGHBOURS_H

#include <string.h>

#include "thresher/options.h"
#include "thresher/page.h"

/** A block and its neighbours: their numbers, or an invalid number at the ends. */
typedef struct th_neighbours {
    uint32_t before, block, after;
} th_neighbours;

/** For each paragraph, whether it recurs and is labelled for that; NULL if none is. */
static inline const uint8_t *th_labelled_recurrent(const th_page *page,
                                                   const th_options *opt)
{
    return page->paragraph_recurs && strcmp(opt->sites_rule, "labels") == 0
               ? page->paragraph_recurs
               : NULL;
}

/** Returns the next block from `from` that does not recur, or block_count. */
static inline uint32_t th_next_own_block(const th_page *page, const uint8_t *recurs,
                                         uint32_t from)
{
    while (recurs && from < page->block_count && recurs[page->blocks[from].paragraph])
        from++;
    return from;
}

/** Returns the neighbours of the first block that does not recur. */
static inline th_neighbours th_neighbours_first(const th_page *page,
                                                const uint8_t *recurs)
{
    const uint32_t block = th_next_own_block(page, recurs, 0);
    return (th_neighbours){ UINT32_MAX, block,
                            th_next_own_block(page, recurs, block + 1) };
}

/** Moves to the next such block. After the last one `block` is block_count or more. */
static inline void th_neighbours_next(const th_page *page, const uint8_t *recurs,
                                      th_neighbours *at)
{
    *at = (th_neighbours){ at->block, at->after,
                           th_next_own_block(page, recurs, at->after + 1) };
}

/** Returns a block's link density, or zero outside the page. */
static inline double th_link_density_at(const th_page *page, uint32_t block)
{
    return block < page->block_count ? th_page_link_density(page, block, block + 1) : 0;
}

/**
 * Decides each block that does not recur by a tree over the block and its neighbours.
 * @param leaf_of    returns the leaf, which is the number of the reason
 * @param reason_of  out: one entry for each such block
 */
static inline void th_decide_by_neighbours(const th_page *page, const th_options *opt,
                                           unsigned (*leaf_of)(const th_page *page,
                                                               const th_neighbours *at),
                                           uint8_t *reason_of)
{
    const uint8_t *recurs = th_labelled_recurrent(page, opt);
    th_neighbours at = th_neighbours_first(page, recurs);
    for (; at.block < page->block_count; th_neighbours_next(page, recurs, &at))
        reason_of[at.block] = (uint8_t)leaf_of(page, &at);
}

#endif
