/* What a content model says of a page: a probability for each paragraph, and why. */
#ifndef TH_CONTENT_SCORES_H
#define TH_CONTENT_SCORES_H

#include "content/content_model.h"
#include "content/features.h"

typedef struct th_content_scores {
    th_feature_columns columns;                    /* all of them, types included */
    uint8_t vector[TH_PAGE_FEATURE_COUNT];         /* of the page */
    uint16_t type_probability[TH_PAGE_TYPE_COUNT]; /* in 1/65535, each rounded down */
    int32_t *score;        /* [columns.rows], log-odds in 1/2^model->paragraph.shift */
    uint16_t *probability; /* [columns.rows], that it is content, in 1/65535 */
} th_content_scores;

/** What this program computes of a page: what a model must have been trained on. */
extern const th_content_schema th_feature_schema;

/** The model that ships. */
const th_content_model *th_content_model_shipped(void);

/**
 * Scores every paragraph of a page.
 * @param page     made with TH_FEATURES_READ
 * @param scratch  owns what `out` points to
 * @return TH_OK or TH_NOMEM
 * The features cost most of it; see th_features_compute.
 */
th_status th_content_score(const th_content_model *model, const th_page *page,
                           th_arena *scratch, th_content_scores *out);

/**
 * What each group of features adds to a paragraph's score, log-odds in
 * 1/2^model->paragraph.shift; with means->base all groups make the score.
 * @param means     of model->paragraph, made once for all rows
 * @param row       of scores
 * @param by_group  out: [TH_FEATURE_GROUP_COUNT]
 */
void th_content_explain(const th_ensemble_means *means, const th_content_scores *scores,
                        uint32_t row, int32_t *by_group);

#endif
