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

/** A type of pages and its mean words F1. */
typedef struct th_type_row {
    const char *name;
    uint64_t pages;
    double word_f;
} th_type_row;

/** Types that are told apart; pages of further ones are left out. */
enum { TH_TYPES_MAX = 16 };

typedef struct th_type_summary {
    th_type_row rows[TH_TYPES_MAX]; /* by name */
    uint32_t count;
} th_type_summary;

/** Sums up a variant by the types that the corpus names: the same rows for each. */
void th_extraction_by_type(const th_extraction_scores *scores, uint32_t variant,
                           th_type_summary *out);

/** A page and its scores; both are the scores' own. */
typedef struct th_worst_page {
    const char *id;
    const th_content_score *score;
} th_worst_page;

/**
 * Pages with gold and the lowest words F1, the lowest first; by id where it is equal.
 * @param count  in: how many are wanted; out: how many there are
 * @param arena  owns them
 * @return TH_OK or TH_NOMEM
 */
th_status th_extraction_worst(const th_extraction_scores *scores, uint32_t variant,
                              th_arena *arena, size_t *count, th_worst_page **out);

#endif
