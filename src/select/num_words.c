/*
 * The NumWords classifier: number of words and link density of a block and its two
 * neighbours, as a decision tree learned on news pages of 2008. [K11 Alg. 4.3]
 */
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

static const th_reason reasons[] = { TH_NUM_WORDS_REASONS, { 0, NULL } };

/* The leaves of the tree: their places among the reasons. */
enum {
    LINKED,
    LONG_BEHIND_LINKS,
    BEFORE_LONG_BEHIND_LINKS,
    BEHIND_LINKS,
    LONG,
    BEFORE_LONG,
    BEHIND_SOME,
    SHORT,
};

/* The listing, test for test. @return the leaf */
static inline unsigned decide(const th_page *page, uint32_t block)
{
    if (link_density(page, block) > 0.333333)
        return LINKED;
    if (link_density(page, block - 1) > 0.555556) {
        if (words(page, block) > 40)
            return LONG_BEHIND_LINKS;
        return words(page, block + 1) > 17 ? BEFORE_LONG_BEHIND_LINKS : BEHIND_LINKS;
    }
    if (words(page, block) > 16)
        return LONG;
    if (words(page, block + 1) > 15)
        return BEFORE_LONG;
    return words(page, block - 1) > 4 ? BEHIND_SOME : SHORT;
}

static th_status classify_num_words(const th_page *page, const th_options *opt,
                                    th_arena *scratch, uint8_t *label_of)
{
    (void)opt;
    (void)scratch;
    for (uint32_t i = 0; i < page->block_count; i++)
        label_of[i] = reasons[decide(page, i)].label;
    return TH_OK;
}

static th_status explain_num_words(const th_page *page, const th_options *opt,
                                   th_arena *scratch, uint8_t *reason_of)
{
    (void)opt;
    (void)scratch;
    for (uint32_t i = 0; i < page->block_count; i++)
        reason_of[i] = (uint8_t)decide(page, i);
    return TH_OK;
}

const th_classifier th_num_words = {
    .name = "num-words",
    .cites = "[K11 Alg. 4.3]",
    .help = "words and link density of a block and its neighbours",
    .classify = classify_num_words,
    .reasons = reasons,
    .explain = explain_num_words,
};
