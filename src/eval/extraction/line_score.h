/*
 * Measures whether a text keeps its lines, as score_lines.py does. [docs/eval.md]
 *
 * A bag of words does not detect a sentence that is broken at every tag. These measures
 * do.
 */
#ifndef TH_LINE_SCORE_H
#define TH_LINE_SCORE_H

#include "eval/corpus_page.h"
#include "eval/extraction/word_hashes.h"

/** Counts of one page and one text. */
typedef struct th_line_score {
    /* lines of the gold with at least 8 words; they add up */
    uint32_t intact;  /* all of it within one line of the text */
    uint32_t broken;  /* all its characters in order, ignoring whitespace, over several */
    uint32_t nearly;  /* at least 90 % of its 5-word shingles are in the text's words */
    uint32_t torn;    /* some of them */
    uint32_t missing; /* none of these */
    uint32_t glued;   /* lines of the text that contain at least two gold lines */

    /* PRE elements with at least 4 lines, if the text has some of them */
    uint32_t pre;
    uint32_t pre_lines;  /* each line is a line of the text */
    uint32_t pre_indent; /* with its whitespace */

    uint32_t h1;      /* 1: the page has one H1, with at least 6 characters */
    uint32_t h1_kept; /* 1: it is within a line of the text */
} th_line_score;

/** A line of the gold: a slice of th_line_scorer.gold. */
typedef struct th_gold_line {
    size_t start, len;
} th_gold_line;

/** Work space of one thread, with the page's gold prepared. */
typedef struct th_line_scorer {
    th_case_mapper mapper;
    th_buffer gold;      /* lines with collapsed whitespace */
    th_gold_line *lines; /* owned */
    size_t line_count, line_capacity;
    th_buffer pre;     /* texts of the PRE elements, each followed by a NUL */
    th_buffer heading; /* the H1's text, empty without one */

    /* of the current text; each line is between two line ends */
    th_buffer joined;   /* with collapsed whitespace */
    th_buffer exact;    /* without whitespace at their ends */
    th_buffer squeezed; /* without whitespace */
    th_buffer words;    /* lower case, separated by spaces */
    th_buffer scratch, line;
    struct th_found_line *found; /* owned; as many as lines */
} th_line_scorer;

/** TH_OK or TH_NOMEM; _done accepts the zeroed and the half-built. */
th_status th_line_scorer_init(th_line_scorer *scorer);
void th_line_scorer_done(th_line_scorer *scorer);

/**
 * Prepares the gold of a page. TH_OK or TH_NOMEM.
 * @param html  its source in UTF-8; absent if it was refused
 */
th_status th_line_scorer_begin(th_line_scorer *scorer, const th_corpus_page *page,
                               th_view html);

/**
 * Scores a text against the page of the last th_line_scorer_begin.
 * @return TH_OK or TH_NOMEM. O(lines of the gold * text): a search for each
 */
th_status th_line_scorer_score(th_line_scorer *scorer, th_view text,
                               th_line_score *score);

#endif
