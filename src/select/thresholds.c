/*
 * Classifiers of one threshold or two: baselines, and the simplest rules that work.
 *
 * - keep-all: labels every block as content.
 * - min-words: a block of at least ten words is content. [K11 §4.4.3]
 * - density-5: a segment of text density five or less is boilerplate. [K11 §4.3.3]
 * - cleaneval: a block of text density seven or more and link density 0.35 or less is
 *   content, as learned from CleanEval's own training set. [K11 §4.4.3]
 */
#include <stdbool.h>

#include "select/classifiers.h"

#define LEAST_WORDS 10
#define THIN_DENSITY 5
#define LEAST_DENSITY 7
#define MOST_LINK_DENSITY 0.35

/* Applies a test to each block. The label is also the number of the reason. */
static th_status decide_each(const th_page *page,
                             bool (*is_content)(const th_page *, uint32_t),
                             uint8_t *reason_of)
{
    for (uint32_t i = 0; i < page->block_count; i++)
        reason_of[i] = is_content(page, i) ? TH_CONTENT : TH_BOILERPLATE;
    return TH_OK;
}

static bool is_any(const th_page *page, uint32_t block)
{
    (void)page;
    (void)block;
    return true;
}

static bool has_enough_words(const th_page *page, uint32_t block)
{
    return page->blocks[block].tokens >= LEAST_WORDS;
}

static bool is_in_dense_segment(const th_page *page, uint32_t block)
{
    return page->segments[page->segment_of[block]].density > THIN_DENSITY;
}

static bool is_dense_and_unlinked(const th_page *page, uint32_t block)
{
    return th_page_density(page, block, block + 1) >= LEAST_DENSITY &&
           th_page_link_density(page, block, block + 1) <= MOST_LINK_DENSITY;
}

static th_status decide_keep_all(const th_page *page, const th_options *opt,
                                 th_arena *scratch, uint8_t *reason_of)
{
    (void)opt;
    (void)scratch;
    return decide_each(page, is_any, reason_of);
}

static th_status decide_min_words(const th_page *page, const th_options *opt,
                                  th_arena *scratch, uint8_t *reason_of)
{
    (void)opt;
    (void)scratch;
    return decide_each(page, has_enough_words, reason_of);
}

static th_status decide_density_5(const th_page *page, const th_options *opt,
                                  th_arena *scratch, uint8_t *reason_of)
{
    (void)opt;
    (void)scratch;
    return decide_each(page, is_in_dense_segment, reason_of);
}

static th_status decide_cleaneval(const th_page *page, const th_options *opt,
                                  th_arena *scratch, uint8_t *reason_of)
{
    (void)opt;
    (void)scratch;
    return decide_each(page, is_dense_and_unlinked, reason_of);
}

/* clang-format off */
static const th_reason keep_all_reasons[] = {
    [TH_BOILERPLATE] = { TH_BOILERPLATE, "never" },
    [TH_CONTENT] = { TH_CONTENT, "every block is kept" },
    { 0, NULL },
};
static const th_reason min_words_reasons[] = {
    [TH_BOILERPLATE] = { TH_BOILERPLATE, "{tokens} < " TH_IN_WORDS(LEAST_WORDS) " words" },
    [TH_CONTENT] = { TH_CONTENT, "{tokens} >= " TH_IN_WORDS(LEAST_WORDS) " words" },
    { 0, NULL },
};
static const th_reason density_5_reasons[] = {
    [TH_BOILERPLATE] = { TH_BOILERPLATE, "its segment's text density {segment.density} <= " TH_IN_WORDS(THIN_DENSITY) },
    [TH_CONTENT] = { TH_CONTENT, "its segment's text density {segment.density} > " TH_IN_WORDS(THIN_DENSITY) },
    { 0, NULL },
};
static const th_reason cleaneval_reasons[] = {
    [TH_BOILERPLATE] = { TH_BOILERPLATE, "text density {density} < " TH_IN_WORDS(LEAST_DENSITY)
                         ", or link density {link_density} > " TH_IN_WORDS(MOST_LINK_DENSITY) },
    [TH_CONTENT] = { TH_CONTENT, "text density {density} >= " TH_IN_WORDS(LEAST_DENSITY)
                     " and link density {link_density} <= " TH_IN_WORDS(MOST_LINK_DENSITY) },
    { 0, NULL },
};
/* clang-format on */

const th_classifier th_keep_all = {
    .name = "keep-all",
    .cites = "[K11 §4.4.3]",
    .help = "baseline: every block is content",
    .reasons = keep_all_reasons,
    .decide = decide_keep_all,
};

const th_classifier th_min_words = {
    .name = "min-words",
    .cites = "[K11 §4.4.3]",
    .help = "blocks of at least " TH_IN_WORDS(LEAST_WORDS) " words",
    .reasons = min_words_reasons,
    .decide = decide_min_words,
};

const th_classifier th_density_5 = {
    .name = "density-5",
    .cites = "[K11 §4.3.3]",
    .help = "segments of text density over " TH_IN_WORDS(THIN_DENSITY),
    .reasons = density_5_reasons,
    .decide = decide_density_5,
};

const th_classifier th_cleaneval = {
    .name = "cleaneval",
    .cites = "[K11 §4.4.3]",
    .help = "blocks of text density " TH_IN_WORDS(
        LEAST_DENSITY) " or more and link density " TH_IN_WORDS(MOST_LINK_DENSITY) " or "
                                                                                   "less",
    .reasons = cleaneval_reasons,
    .decide = decide_cleaneval,
};
