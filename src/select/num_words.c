/*
 * The NumWords classifier: number of words and link density of a block and its two
 * neighbours, as a decision tree learned on news pages of 2008. [K11 Alg. 4.3]
 */
#include "select/num_words.h"

#include "select/neighbours.h"

/* Returns a block's words, or zero outside the page. */
static uint32_t words(const th_page *page, uint32_t block)
{
    return block < page->block_count ? page->blocks[block].tokens : 0;
}

/* clang-format off */
static const th_reason reasons[] = { TH_NUM_WORDS_LEAVES(TH_LEAF_REASON) { 0, NULL } };
/* clang-format on */

/* The decision tree, test by test as in the listing. @return the leaf */
static inline unsigned leaf_of(const th_page *page, const th_neighbours *at)
{
    const uint32_t block = at->block;
    if (th_link_density_at(page, block) > NW_LINKED)
        return LINKED;
    if (th_link_density_at(page, at->before) > NW_LINKED_BEFORE) {
        if (words(page, block) > NW_WORDS_BEHIND_LINKS)
            return LONG_BEHIND_LINKS;
        return words(page, at->after) > NW_WORDS_AFTER_BEHIND_LINKS
                   ? BEFORE_LONG_BEHIND_LINKS
                   : BEHIND_LINKS;
    }
    if (words(page, block) > NW_WORDS)
        return LONG;
    if (words(page, at->after) > NW_WORDS_AFTER)
        return BEFORE_LONG;
    return words(page, at->before) > NW_WORDS_BEFORE ? BEHIND_SOME : SHORT;
}

static th_status decide(const th_page *page, const th_options *opt, th_arena *scratch,
                        uint8_t *reason_of)
{
    (void)scratch;
    th_decide_by_neighbours(page, opt, leaf_of, reason_of);
    return TH_OK;
}

const th_classifier th_num_words = {
    .name = "num-words",
    .cites = "[K11 Alg. 4.3]",
    .help = "word count and link density of a block and its neighbors",
    .reasons = reasons,
    .decide = decide,
};
