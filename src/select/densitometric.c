/*
 * The densitometric classifier: text and link density of a block and its two neighbours,
 * as a decision tree learned on news pages of 2008. [K11 Alg. 4.2]
 */
#include "select/classifiers.h"
#include "select/neighbours.h"

/* Returns a block's density, or zero outside the page. */
static double text_density(const th_page *page, uint32_t block)
{
    return block < page->block_count ? th_page_density(page, block, block + 1) : 0;
}

/* clang-format off */
#define LINKED_FROM 0.333333        /* link density of a block of links */
#define LINKED_BEFORE_FROM 0.555556 /* link density of the block before */
#define DENSE_AFTER_LINKS 11        /* text density of the block after */
#define DENSE_FROM 9
#define DENSE_AFTER 10
#define DENSE_BEFORE 4

#define LINKS_BEFORE_WORDS "links before ({prev.link_density} > " TH_IN_WORDS(LINKED_BEFORE_FROM) "), "

/* X(leaf, label, the reason as text), in the order of the tree. */
#define LEAVES(X)                                                                                               \
    X(LINKED, BOILERPLATE, "link density {link_density} > " TH_IN_WORDS(LINKED_FROM))                           \
    X(BEFORE_DENSE_BEHIND_LINKS, CONTENT,                                                                       \
      LINKS_BEFORE_WORDS "but text density {next.density} > " TH_IN_WORDS(DENSE_AFTER_LINKS) " after")          \
    X(BEHIND_LINKS, BOILERPLATE,                                                                                \
      LINKS_BEFORE_WORDS "text density {next.density} <= " TH_IN_WORDS(DENSE_AFTER_LINKS) " after")             \
    X(DENSE, CONTENT, "text density {density} > " TH_IN_WORDS(DENSE_FROM) ", and {next.density} > 0 after")     \
    X(DENSE_BEFORE_NOTHING, BOILERPLATE,                                                                        \
      "text density {density} > " TH_IN_WORDS(DENSE_FROM) ", but no text after")                                \
    X(BEFORE_DENSE, CONTENT, "text density {next.density} > " TH_IN_WORDS(DENSE_AFTER) " after")                \
    X(BEHIND_SOME, CONTENT, "text density {prev.density} > " TH_IN_WORDS(DENSE_BEFORE) " before")               \
    X(THIN, BOILERPLATE,                                                                                        \
      "text density {density} <= " TH_IN_WORDS(DENSE_FROM) ", {next.density} <= " TH_IN_WORDS(DENSE_AFTER)      \
      " after, {prev.density} <= " TH_IN_WORDS(DENSE_BEFORE) " before")

enum { LEAVES(TH_LEAF_NAME) };
static const th_reason reasons[] = { LEAVES(TH_LEAF_REASON) { 0, NULL } };
/* clang-format on */

/* The decision tree, test by test as in the listing. @return the leaf */
static inline unsigned leaf_of(const th_page *page, const th_neighbours *at)
{
    const uint32_t block = at->block;
    if (th_link_density_at(page, block) > LINKED_FROM)
        return LINKED;
    if (th_link_density_at(page, at->before) > LINKED_BEFORE_FROM)
        return text_density(page, at->after) > DENSE_AFTER_LINKS
                   ? BEFORE_DENSE_BEHIND_LINKS
                   : BEHIND_LINKS;
    if (text_density(page, block) > DENSE_FROM)
        return text_density(page, at->after) > 0 ? DENSE : DENSE_BEFORE_NOTHING;
    if (text_density(page, at->after) > DENSE_AFTER)
        return BEFORE_DENSE;
    return text_density(page, at->before) > DENSE_BEFORE ? BEHIND_SOME : THIN;
}

static th_status decide(const th_page *page, const th_options *opt, th_arena *scratch,
                        uint8_t *reason_of)
{
    (void)scratch;
    th_decide_by_neighbours(page, opt, leaf_of, reason_of);
    return TH_OK;
}

const th_classifier th_densitometric = {
    .name = "densitometric",
    .cites = "[K11 Alg. 4.2]",
    .help = "text and link density of a block and its neighbors",
    .reasons = reasons,
    .decide = decide,
};
