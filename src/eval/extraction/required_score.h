/*
 * Recall of the lines that a reader needs, such as the ingredients of a recipe. The rules
 * match ../shared/tools/score_required.py. A line is kept if the text contains 70 % of
 * its 3-word sequences. Lines of fewer than 3 words do not count.
 */
#ifndef TH_REQUIRED_SCORE_H
#define TH_REQUIRED_SCORE_H

#include "eval/corpus_page.h"
#include "eval/extraction/word_hashes.h"

/** Figures of one page and one method. Figures of kinds are in the page's order. */
typedef struct th_required_score {
    /* Share of the lines that are kept, 0 to 1; NaN if no line of the kind counts. */
    double kept[TH_REQUIRED_KINDS_MAX];
    double all;                /* mean of `kept` over the kinds; NaN if all are NaN */
    double words_per_required; /* words of the text for each word of a required line */
} th_required_score;

/** Scratch memory of one thread; zeroed is empty. */
typedef struct th_required_scorer {
    th_hash_list words, sequences; /* of the text; sequences are sorted */
    th_hash_list line;             /* words of a required line */
} th_required_scorer;

/** Frees the scratch memory. */
void th_required_scorer_done(th_required_scorer *scorer);

/**
 * Scores a text against a page's required lines.
 *
 * @param mapper  lower case; its buffer is overwritten
 * @param text    extracted content, UTF-8; may be empty
 * @param score   receives the figures
 * @return TH_OK or TH_NOMEM. O(n log n) in the words
 */
th_status th_required_score_text(th_required_scorer *scorer, th_case_mapper *mapper,
                                 const th_corpus_page *page, th_view text,
                                 th_required_score *score);

#endif
