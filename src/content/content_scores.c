/*
 * From a page to the probability of each paragraph: features, the page's type, whose
 * probabilities are features too, trees, calibration.
 */
#include "content/content_scores.h"

#include <string.h>

const th_content_schema th_feature_schema = {
    .column_name = th_feature_name,
    .column_count = TH_FEATURE_COUNT,
    .page_column_name = th_page_feature_name,
    .page_column_count = TH_PAGE_FEATURE_COUNT,
};

th_status th_content_score(const th_content_model *model, const th_page *page,
                           th_arena *scratch, th_content_scores *out)
{
    th_content_scores scores = { .score = NULL };
    const th_status status = th_features_compute(page, &model->tokens, scratch,
                                                 &scores.columns, scores.vector);
    if (status != TH_OK)
        return status;
    const uint32_t rows = scores.columns.rows, stride = scores.columns.stride;
    scores.score = th_arena_calloc(scratch, stride ? stride : 1, sizeof *scores.score);
    scores.probability =
        th_arena_calloc(scratch, rows ? rows : 1, sizeof *scores.probability);
    if (!scores.score || !scores.probability)
        return TH_NOMEM;
    th_content_model_types(model, scores.vector, scores.type_probability);
    for (uint32_t i = 0; i < TH_PAGE_TYPE_COUNT; i++)
        memset(scores.columns.column[TH_FEATURE_TYPES + i],
               scores.type_probability[i] >> 8, rows);
    th_ensemble_score(&model->paragraph, (const uint8_t *const *)scores.columns.column,
                      stride, scores.score);
    th_content_model_calibrate(model, scores.type_probability, scores.score, rows,
                               scores.probability);
    *out = scores;
    return TH_OK;
}

void th_content_explain(const th_ensemble_means *means, const th_content_scores *scores,
                        uint32_t row, int32_t *by_group)
{
    uint8_t value[TH_FEATURE_COUNT], group_of[TH_FEATURE_COUNT];
    for (unsigned i = 0; i < TH_FEATURE_COUNT; i++) {
        value[i] = scores->columns.column[i][row];
        group_of[i] = (uint8_t)th_feature_group(i);
    }
    memset(by_group, 0, TH_FEATURE_GROUP_COUNT * sizeof *by_group);
    th_ensemble_explain(means, value, group_of, by_group);
}
