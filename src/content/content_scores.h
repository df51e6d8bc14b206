/*
 * A content model's results for a page: a probability for each paragraph, and the
 * reasons.
 */
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

/**
 * The columns that this program computes of a page. A model must have been trained on
 * them.
 */
extern const th_content_schema th_feature_schema;

/** The model that ships. */
const th_content_model *th_content_model_shipped(void);

/**
 * Scores every paragraph of a page.
 * @param page     made with TH_FEATURES_READ
 * @param scratch  owns the targets of `out`
 * @return TH_OK or TH_NOMEM
 * The features are most of the cost; see th_features_compute.
 */
th_status th_content_score(const th_content_model *model, const th_page *page,
                           th_arena *scratch, th_content_scores *out);

/**
 * Computes the contribution of each group of features to a paragraph's score, as log-odds
 * in 1/2^model->paragraph.shift. The sum of all groups and means->base is the score.
 * @param means     of model->paragraph, made once for all rows
 * @param row       of scores
 * @param by_group  out: [TH_FEATURE_GROUP_COUNT]
 */
void th_content_explain(const th_ensemble_means *means, const th_content_scores *scores,
                        uint32_t row, int32_t *by_group);

#endif
