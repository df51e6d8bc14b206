/*
 * The densitometric classifier: text and link density of a block and its two neighbours,
 * as a decision tree learned on news pages of 2008. [K11 Alg. 4.2]
 */
#include "select/classifiers.h"

/* Zero beyond the page's borders; the block before the first is UINT32_MAX. */
static double text_density(const th_page *page, uint32_t block)
{
    return block < page->block_count ? th_page_density(page, block, block + 1) : 0;
}

static double link_density(const th_page *page, uint32_t block)
{
    return block < page->block_count ? th_page_link_density(page, block, block + 1) : 0;
}

/* The leaves of the tree: their places among the reasons. */
enum {
    LINKED,
    BEFORE_DENSE_BEHIND_LINKS,
    BEHIND_LINKS,
    DENSE,
    DENSE_BEFORE_NOTHING,
    BEFORE_DENSE,
    BEHIND_SOME,
    THIN,
};

/* clang-format off */
static const th_reason reasons[] = {
    { TH_BOILERPLATE, "link density {link_density} > 0.333333" },
    { TH_CONTENT, "links before ({prev.link_density} > 0.555556), but text density {next.density} > 11 after" },
    { TH_BOILERPLATE, "links before ({prev.link_density} > 0.555556), text density {next.density} <= 11 after" },
    { TH_CONTENT, "text density {density} > 9, and {next.density} > 0 after" },
    { TH_BOILERPLATE, "text density {density} > 9, but no text after" },
    { TH_CONTENT, "text density {next.density} > 10 after" },
    { TH_CONTENT, "text density {prev.density} > 4 before" },
    { TH_BOILERPLATE, "text density {density} <= 9, {next.density} <= 10 after, {prev.density} <= 4 before" },
    { 0, NULL },
};
/* clang-format on */

/* The listing, test for test. @return the leaf */
static inline unsigned decide(const th_page *page, uint32_t block)
{
    if (link_density(page, block) > 0.333333)
        return LINKED;
    if (link_density(page, block - 1) > 0.555556)
        return text_density(page, block + 1) > 11 ? BEFORE_DENSE_BEHIND_LINKS
                                                  : BEHIND_LINKS;
    if (text_density(page, block) > 9)
        return text_density(page, block + 1) > 0 ? DENSE : DENSE_BEFORE_NOTHING;
    if (text_density(page, block + 1) > 10)
        return BEFORE_DENSE;
    return text_density(page, block - 1) > 4 ? BEHIND_SOME : THIN;
}

static th_status classify_densitometric(const th_page *page, const th_options *opt,
                                        th_arena *scratch, uint8_t *label_of)
{
    (void)opt;
    (void)scratch;
    for (uint32_t i = 0; i < page->block_count; i++)
        label_of[i] = reasons[decide(page, i)].label;
    return TH_OK;
}

static th_status explain_densitometric(const th_page *page, const th_options *opt,
                                       th_arena *scratch, uint8_t *reason_of)
{
    (void)opt;
    (void)scratch;
    for (uint32_t i = 0; i < page->block_count; i++)
        reason_of[i] = (uint8_t)decide(page, i);
    return TH_OK;
}

const th_classifier th_densitometric = {
    .name = "densitometric",
    .cites = "[K11 Alg. 4.2]",
    .help = "text and link density of a block and its neighbours",
    .classify = classify_densitometric,
    .reasons = reasons,
    .explain = explain_densitometric,
};
