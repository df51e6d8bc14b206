/* Statistics of a list of figures, one for each page. */
#ifndef TH_SAMPLE_SUMMARY_H
#define TH_SAMPLE_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "thresher/status.h"

/**
 * Returns the mean of the values that are numbers (NaN is ignored), or 0 if there are no
 * numbers.
 */
double th_mean(const double *values, size_t count);

/**
 * Returns the middle value, or the mean of the two middle ones, or 0 if there are no
 * values. Sorts `values`.
 */
double th_median(double *values, size_t count);

/** An interval that holds the mean of such pages in 95 of 100 cases. */
typedef struct th_interval {
    double low, high;
} th_interval;

/**
 * Percentile bootstrap of the mean [Efron 1979]: `resamples` draws of `count` pages with
 * replacement. The draws depend only on `count`, so methods are compared on equal draws
 * and the result is the same on every machine.
 * @param out  written on TH_OK
 * @return TH_OK or TH_NOMEM. O(count * resamples)
 */
th_status th_bootstrap_mean(const double *values, size_t count, uint32_t resamples,
                            th_interval *out);

#endif
