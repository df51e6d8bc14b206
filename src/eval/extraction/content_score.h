/*
 * Compares a page's extracted content with its gold. [docs/methods.md#measures], with the
 * definitions of score_extraction.py: bag of words, 4-token shingles, snippets.
 */
#ifndef TH_CONTENT_SCORE_H
#define TH_CONTENT_SCORE_H

#include "eval/corpus_page.h"
#include "eval/extraction/overlap.h"
#include "eval/extraction/required_score.h"
#include "eval/extraction/word_hashes.h"

/** Figures of one page and one method. */
typedef struct th_content_score {
    double word_p, word_r, word_f; /* 0..1; all 1 when both sides are empty */
    double shingle_p;              /* NaN: nothing was extracted */
    double shingle_r;              /* NaN: the gold is empty */
    double is_equal;               /* 1: the same tokens in the same order */
    /* Snippets that belong to the content: found in the text, not found. */
    uint32_t hits, misses;
    /* Snippets that do not: found in the text, not found. */
    uint32_t false_hits, right_misses;
    th_required_score required; /* zero if the page has no required lines */
} th_content_score;

/** Work space of one thread, with the page's gold prepared. */
typedef struct th_content_scorer {
    th_case_mapper mapper;
    th_buffer content, snippet; /* lower case, one space between words */
    th_hash_list gold_words, gold_tokens, gold_shingles;
    th_hash_list words, tokens, shingles;
    th_required_scorer required;
} th_content_scorer;

/** TH_OK or TH_NOMEM; _done accepts the zeroed and the half-built. */
th_status th_content_scorer_init(th_content_scorer *scorer);
void th_content_scorer_done(th_content_scorer *scorer);

/** Prepares the gold of a page. TH_OK or TH_NOMEM. */
th_status th_content_scorer_begin(th_content_scorer *scorer, const th_corpus_page *page);

/**
 * Scores a text against the page of the last th_content_scorer_begin.
 * @param text  extracted content, UTF-8; empty for a refused page
 * @return TH_OK or TH_NOMEM. O(n log n) in the words
 */
th_status th_content_scorer_score(th_content_scorer *scorer, const th_corpus_page *page,
                                  th_view text, th_content_score *score);

#endif
