/* Statistics of a list of figures, one for each page. */
#ifndef TH_SAMPLE_SUMMARY_H
#define TH_SAMPLE_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "thresher/status.h"

/** Mean of the values that are numbers (NaN is left out); 0 of none. */
double th_mean(const double *values, size_t count);

/** Sum without the error of adding a small number to a large one [Neumaier 1974]. */
double th_sum(const double *values, size_t count);

/** The middle value, or the mean of the two middle ones; 0 of none. Sorts `values`. */
double th_median(double *values, size_t count);

/** Standard error of the mean, sd / sqrt(n) with n - 1 in sd; 0 of fewer than two. */
double th_standard_error(const double *values, size_t count);

/** An interval that holds the mean of such pages in 95 of 100 cases. */
typedef struct th_interval {
    double low, high;
} th_interval;

/**
 * Percentile bootstrap of the mean [Efron 1979]: `resamples` draws of `count` pages with
 * replacement. The draws depend on `count` alone, so methods are compared on equal draws
 * and the result is the same on every machine.
 * @param out  written on TH_OK
 * @return TH_OK or TH_NOMEM. O(count * resamples)
 */
th_status th_bootstrap_mean(const double *values, size_t count, uint32_t resamples,
                            th_interval *out);

#endif
