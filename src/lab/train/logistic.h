/* Logistic regression: the probability of a yes from a row of features. */
#ifndef TH_LOGISTIC_H
#define TH_LOGISTIC_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/status.h"

enum { TH_LOGISTIC_FEATURES = 16 };

/** Rows of one page. */
typedef struct th_logistic_rows {
    const int32_t *features; /* [row][width], 1024 is 1.0 */
    const uint8_t *is_yes;   /* [row] */
    uint32_t count;
} th_logistic_rows;

/**
 * Fits weights by Newton's method, at most 12 steps, with a ridge of 1e-4 on the mean loss.
 * Pages weigh the same however many rows they have.
 * @param width  of a row, at most TH_LOGISTIC_FEATURES
 * @param out    the weights, not in fixed point; zeros when no page has a row
 * @return whether any page has a row
 */
bool th_logistic_fit(const th_logistic_rows *pages, uint32_t count, uint32_t width,
                     double *out);

#endif
