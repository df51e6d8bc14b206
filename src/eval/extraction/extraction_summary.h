/* What the scores of a corpus's pages amount to. */
#ifndef TH_EXTRACTION_SUMMARY_H
#define TH_EXTRACTION_SUMMARY_H

#include "eval/extraction/extraction_scores.h"
#include "eval/sample_summary.h"

/** A variant's figures on a corpus. */
typedef struct th_extraction_summary {
    uint64_t pages, gold_pages, snippet_pages;
    uint64_t refused; /* by the pipeline; of a peer, pages that it has no text for */
    double word_p, word_r, word_f, word_median;
    th_interval word_interval;
    double shingle_p, shingle_r, shingle_f, shingle_equal;
    double snippet_p, snippet_r, snippet_f, snippet_accuracy;
} th_extraction_summary;

/**
 * Sums up a variant; the interval is a bootstrap over pages, of as many resamples as the
 * request says.
 * @param values  scratch: double[row_count]
 * @return TH_OK or TH_NOMEM
 */
th_status th_extraction_sum_up(const th_extraction_scores *scores, uint32_t variant,
                               double *values, th_extraction_summary *out);

#endif
