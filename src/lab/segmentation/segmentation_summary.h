/* Means, medians and intervals of the scores of a corpus's pages. */
#ifndef TH_SEGMENTATION_SUMMARY_H
#define TH_SEGMENTATION_SUMMARY_H

#include <stddef.h>

#include "eval/sample_summary.h"
#include "lab/segmentation/segmentation_scores.h"

/** Over the pages that have a field, for one variant. */
typedef struct th_segmentation_summary {
    th_segmentation_score mean;
    double adjusted_rand_median, nmi_median;
    th_interval adjusted_rand_interval, nmi_interval;
    uint32_t pages, missing; /* pages that have the field, and the number of these
                              * without a record */
} th_segmentation_summary;

/**
 * Mean of one figure.
 * @param offset  of the figure in th_segmentation_score
 * @param values  scratch: double[gold.count]
 */
double th_segmentation_mean(const th_segmentation_scores *scores, uint32_t field,
                            uint32_t variant, size_t offset, double *values);

/**
 * Computes all figures, with intervals from the request's number of resamples.
 * @param values  scratch: double[gold.count]
 * @return TH_OK or TH_NOMEM
 */
th_status th_segmentation_sum_up(const th_segmentation_scores *scores, uint32_t field,
                                 uint32_t variant, double *values,
                                 th_segmentation_summary *out);

#endif
