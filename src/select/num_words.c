/*
 * The NumWords classifier: number of words and link density of a block and its two
 * neighbours, as a decision tree learned on news pages of 2008. [K11 Alg. 4.3]
 */
#include <stdbool.h>

#include "select/classifiers.h"

/* Zero beyond the page's borders; the block before the first is UINT32_MAX. */
static uint32_t words(const th_page *page, uint32_t block)
{
    return block < page->block_count ? page->blocks[block].tokens : 0;
}

static double link_density(const th_page *page, uint32_t block)
{
    return block < page->block_count ? th_page_link_density(page, block, block + 1) : 0;
}

/* The listing, test for test. */
static bool is_content(const th_page *page, uint32_t block)
{
    if (link_density(page, block) > 0.333333)
        return false;
    if (link_density(page, block - 1) > 0.555556)
        return words(page, block) > 40 || words(page, block + 1) > 17;
    if (words(page, block) > 16)
        return true;
    if (words(page, block + 1) > 15)
        return true;
    return words(page, block - 1) > 4;
}

static th_status classify_num_words(const th_page *page, const th_options *opt,
                                    th_arena *scratch, uint8_t *label_of)
{
    (void)opt;
    (void)scratch;
    for (uint32_t i = 0; i < page->block_count; i++)
        label_of[i] = is_content(page, i) ? TH_CONTENT : TH_BOILERPLATE;
    return TH_OK;
}

const th_classifier th_num_words = {
    .name = "num-words",
    .cites = "[K11 Alg. 4.3]",
    .help = "words and link density of a block and its neighbours",
    .classify = classify_num_words,
};
