/*
 * The reasons for a learned classifier's score of a paragraph: the amount that each group
 * of features adds to the log-odds that it is content.
 */
#ifndef TH_EXPLANATION_H
#define TH_EXPLANATION_H

#include "base/buffer.h"
#include "content/content_scores.h"
#include "thresher/classifier.h"

/** The page's scores, recomputed with their components. */
typedef struct th_explanation {
    const th_content_model *model;
    th_content_scores scores;
    th_ensemble_means means; /* of the model's trees */
} th_explanation;

/** Contributions for and against a paragraph; log-odds. */
typedef struct th_explained {
    double base; /* the part that no feature causes */
    double by_group[TH_FEATURE_GROUP_COUNT];
} th_explained;

/**
 * Scores a page again.
 * @param page   labelled by a learned classifier (page->learned)
 * @param opt    the options of that run
 * @param arena  owns the result
 * @return TH_OK or TH_NOMEM
 */
th_status th_explanation_make(const th_page *page, const th_options *opt, th_arena *arena,
                              th_explanation *out);

/** Splits a paragraph's score. O(levels of all trees), about 3 us with 400 trees. */
th_explained th_explanation_of(const th_explanation *explanation, uint32_t paragraph);

/**
 * Appends the contributions in words, the strongest group first: "token +2.1, subtree
 * +0.9; position -0.4". Groups that add less than a tenth are left out.
 */
void th_explanation_text(const th_explained *explained, th_buffer *out);

#endif
