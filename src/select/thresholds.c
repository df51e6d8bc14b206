/*
 * Classifiers of one threshold or two: baselines, and the simplest things that work.
 *
 *  - keep-all: nothing is boilerplate.
 *  - min-words: a block of at least ten words is content. [K11 §4.4.3]
 *  - density-5: a segment of text density five or less is boilerplate. [K11 §4.3.3]
 *  - cleaneval: a block of text density seven or more and link density 0.35 or less is
 *    content: what CleanEval's own training set teaches. [K11 §4.4.3]
 */
#include <stdbool.h>

#include "select/classifiers.h"

/* Labels each block by a test of its own. */
static th_status label_each(const th_page *page,
                            bool (*is_content)(const th_page *, uint32_t),
                            uint8_t *label_of)
{
    for (uint32_t i = 0; i < page->block_count; i++)
        label_of[i] = is_content(page, i) ? TH_CONTENT : TH_BOILERPLATE;
    return TH_OK;
}

static bool is_any(const th_page *page, uint32_t block)
{
    (void)page;
    (void)block;
    return true;
}

static bool has_ten_words(const th_page *page, uint32_t block)
{
    return page->blocks[block].tokens >= 10;
}

static bool is_in_dense_segment(const th_page *page, uint32_t block)
{
    return page->segments[page->segment_of[block]].density > 5;
}

static bool is_dense_and_unlinked(const th_page *page, uint32_t block)
{
    return th_page_density(page, block, block + 1) >= 7 &&
           th_page_link_density(page, block, block + 1) <= 0.35;
}

static th_status classify_keep_all(const th_page *page, const th_options *opt,
                                   th_arena *scratch, uint8_t *label_of)
{
    (void)opt;
    (void)scratch;
    return label_each(page, is_any, label_of);
}

static th_status classify_min_words(const th_page *page, const th_options *opt,
                                    th_arena *scratch, uint8_t *label_of)
{
    (void)opt;
    (void)scratch;
    return label_each(page, has_ten_words, label_of);
}

static th_status classify_density_5(const th_page *page, const th_options *opt,
                                    th_arena *scratch, uint8_t *label_of)
{
    (void)opt;
    (void)scratch;
    return label_each(page, is_in_dense_segment, label_of);
}

static th_status classify_cleaneval(const th_page *page, const th_options *opt,
                                    th_arena *scratch, uint8_t *label_of)
{
    (void)opt;
    (void)scratch;
    return label_each(page, is_dense_and_unlinked, label_of);
}

/* A test has two outcomes, so a reason's number is its label, and to classify is to
 * explain. */
static const th_reason keep_all_reasons[] = {
    { TH_BOILERPLATE, "never" },
    { TH_CONTENT, "every block is kept" },
    { 0, NULL },
};
static const th_reason min_words_reasons[] = {
    { TH_BOILERPLATE, "{tokens} < 10 words" },
    { TH_CONTENT, "{tokens} >= 10 words" },
    { 0, NULL },
};
static const th_reason density_5_reasons[] = {
    { TH_BOILERPLATE, "its segment's text density {segment.density} <= 5" },
    { TH_CONTENT, "its segment's text density {segment.density} > 5" },
    { 0, NULL },
};
static const th_reason cleaneval_reasons[] = {
    { TH_BOILERPLATE,
      "text density {density} < 7, or link density {link_density} > 0.35" },
    { TH_CONTENT, "text density {density} >= 7 and link density {link_density} <= 0.35" },
    { 0, NULL },
};

const th_classifier th_keep_all = {
    .name = "keep-all",
    .cites = "[K11 §4.4.3]",
    .help = "baseline: every block is content",
    .classify = classify_keep_all,
    .reasons = keep_all_reasons,
    .explain = classify_keep_all,
};

const th_classifier th_min_words = {
    .name = "min-words",
    .cites = "[K11 §4.4.3]",
    .help = "blocks of at least 10 words",
    .classify = classify_min_words,
    .reasons = min_words_reasons,
    .explain = classify_min_words,
};

const th_classifier th_density_5 = {
    .name = "density-5",
    .cites = "[K11 §4.3.3]",
    .help = "segments of text density over 5",
    .classify = classify_density_5,
    .reasons = density_5_reasons,
    .explain = classify_density_5,
};

const th_classifier th_cleaneval = {
    .name = "cleaneval",
    .cites = "[K11 §4.4.3]",
    .help = "blocks of text density 7 or more and link density 0.35 or less",
    .classify = classify_cleaneval,
    .reasons = cleaneval_reasons,
    .explain = classify_cleaneval,
};
