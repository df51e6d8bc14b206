/* Path contributions of a model of trees, by group of features. */
#include "inspect/explanation.h"

#include <math.h>

#include "base/json.h"

enum { PLACES = 1 };

th_status th_explanation_make(const th_page *page, const th_options *opt, th_arena *arena,
                              th_explanation *out)
{
    out->model = opt->content_model ? opt->content_model : th_content_model_shipped();
    const th_status status = th_content_score(out->model, page, arena, &out->scores);
    if (status != TH_OK)
        return status;
    return th_ensemble_means_make(&out->model->paragraph, arena, &out->means);
}

th_explained th_explanation_of(const th_explanation *explanation, uint32_t paragraph)
{
    const double unit = (double)(1u << explanation->model->paragraph.shift);
    int32_t by_group[TH_FEATURE_GROUP_COUNT];
    th_content_explain(&explanation->means, &explanation->scores, paragraph, by_group);
    th_explained explained = { .base = explanation->means.base / unit };
    for (unsigned i = 0; i < TH_FEATURE_GROUP_COUNT; i++)
        explained.by_group[i] = by_group[i] / unit;
    return explained;
}

/* Writes groups of one sign, the strongest first. @return how many were written */
static unsigned put_sign(const th_explained *explained, int sign, const char *between,
                         th_buffer *out)
{
    const double min = 0.1;
    unsigned count = 0;
    uint32_t done = 0;
    for (;;) {
        unsigned best = TH_FEATURE_GROUP_COUNT;
        double max = min;
        for (unsigned i = 0; i < TH_FEATURE_GROUP_COUNT; i++) {
            const double value = sign * explained->by_group[i];
            if (!(done >> i & 1) && value >= max &&
                (best == TH_FEATURE_GROUP_COUNT || value > max)) {
                best = i;
                max = value;
            }
        }
        if (best == TH_FEATURE_GROUP_COUNT)
            return count;
        char number[TH_DECIMAL_MAX];
        th_buffer_append_text(out, count ? ", " : between);
        th_buffer_printf(out, "%s %s", th_feature_group_name(best), sign > 0 ? "+" : "-");
        th_buffer_append(out, number, th_decimal(max, PLACES, number));
        done |= 1u << best;
        count++;
    }
}

void th_explanation_text(const th_explained *explained, th_buffer *out)
{
    const unsigned before = put_sign(explained, 1, "", out);
    (void)put_sign(explained, -1, before ? "; " : "", out);
}
