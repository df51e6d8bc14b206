/* Means, medians and intervals; a page without a record counts with its zeros. */
#include "lab/segmentation/segmentation_summary.h"

#include <string.h>

/* One figure of every page that has the field. */
static uint32_t gather(const th_segmentation_scores *scores, uint32_t field,
                       uint32_t variant, size_t offset, double *values)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scores->gold.count; i++) {
        const th_gold_page *gold = &scores->gold.pages[i];
        if (!gold->labels[field])
            continue;
        const char *score =
            (const char *)th_segmentation_score_at(scores, gold->number, field, variant);
        memcpy(&values[count++], score + offset, sizeof *values);
    }
    return count;
}

double th_segmentation_mean(const th_segmentation_scores *scores, uint32_t field,
                            uint32_t variant, size_t offset, double *values)
{
    return th_mean(values, gather(scores, field, variant, offset, values));
}

th_status th_segmentation_sum_up(const th_segmentation_scores *scores, uint32_t field,
                                 uint32_t variant, double *values,
                                 th_segmentation_summary *out)
{
    const uint32_t resamples = scores->request->resamples;
    *out = (th_segmentation_summary){ 0 };
#define MEAN(member)                                                                     \
    out->mean.member = th_segmentation_mean(                                             \
        scores, field, variant, offsetof(th_segmentation_score, member), values)
    MEAN(coverage);
    MEAN(gold_segments);
    MEAN(found_segments);
    MEAN(b3_p);
    MEAN(b3_r);
    MEAN(b3_f);
    MEAN(b3_chars_p);
    MEAN(b3_chars_r);
    MEAN(b3_chars_f);
    MEAN(b3_nodes_p);
    MEAN(b3_nodes_r);
    MEAN(b3_nodes_f);
    MEAN(largest_found);
    MEAN(nmi);
    MEAN(adjusted_rand);
#undef MEAN
    for (uint32_t i = 0; i < scores->gold.count; i++) {
        const th_gold_page *gold = &scores->gold.pages[i];
        out->pages += gold->labels[field] != NULL;
        out->missing += gold->labels[field] && !scores->was_found[gold->number];
    }
    uint32_t count = gather(scores, field, variant,
                            offsetof(th_segmentation_score, adjusted_rand), values);
    th_status status =
        th_bootstrap_mean(values, count, resamples, &out->adjusted_rand_interval);
    out->adjusted_rand_median = th_median(values, count);
    count = gather(scores, field, variant, offsetof(th_segmentation_score, nmi), values);
    if (status == TH_OK)
        status = th_bootstrap_mean(values, count, resamples, &out->nmi_interval);
    out->nmi_median = th_median(values, count);
    return status;
}
