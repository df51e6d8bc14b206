/* Summarizes the scores of a corpus's pages. */
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
 * Summarizes a variant. The interval is a bootstrap over pages, with the number of
 * resamples from the request.
 * @param values  scratch: double[row_count]
 * @return TH_OK or TH_NOMEM
 */
th_status th_extraction_sum_up(const th_extraction_scores *scores, uint32_t variant,
                               double *values, th_extraction_summary *out);

/** A group of pages, such as a page type or a language, and its mean words F1. */
typedef struct th_group_row {
    const char *name;
    uint64_t pages;
    double word_f;
} th_group_row;

/** Largest number of groups; pages of further groups are counted as `ungrouped`. */
enum { TH_GROUPS_MAX = 64 };

typedef struct th_group_summary {
    th_group_row rows[TH_GROUPS_MAX]; /* by name */
    uint32_t count;
    uint64_t ungrouped; /* pages with gold whose group is unknown or over the limit */
} th_group_summary;

/** Sums up a variant by the groups that the corpus names. All variants have the same
 * rows. */
void th_extraction_by_group(const th_extraction_scores *scores, uint32_t variant,
                            enum th_corpus_group group, th_group_summary *out);

/** A kind of required lines. */
typedef struct th_required_row {
    const char *name;
    uint64_t pages; /* with lines of the kind that count */
    double kept;    /* mean over these pages of the share of lines kept */
    double lost;    /* share of these pages that keep less than a third of the lines */
} th_required_row;

/** Required lines of a corpus, of one variant. */
typedef struct th_required_summary {
    th_required_row rows[TH_GROUPS_MAX]; /* by name; further kinds are omitted */
    uint32_t count;
    uint64_t pages;            /* with required lines */
    double kept;               /* mean over pages of the mean over kinds */
    double words_per_required; /* median over pages */
} th_required_summary;

/** Sums up a variant's required lines. @param values  scratch: double[row_count] */
void th_extraction_required(const th_extraction_scores *scores, uint32_t variant,
                            double *values, th_required_summary *out);

/** A page and its scores; both are the scores' own. */
typedef struct th_worst_page {
    const char *id;
    const th_content_score *score;
} th_worst_page;

/**
 * Returns the pages with gold and the lowest words F1, the lowest first. Equal ones are
 * sorted by id.
 * @param count  in: the requested number; out: the number found
 * @param arena  owns them
 * @return TH_OK or TH_NOMEM
 */
th_status th_extraction_worst(const th_extraction_scores *scores, uint32_t variant,
                              th_arena *arena, size_t *count, th_worst_page **out);

#endif
