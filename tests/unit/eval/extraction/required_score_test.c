/* src/eval/extraction/required_score.c: lines kept by the rule of score_required.py. */
#include "eval/extraction/required_score.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* clang-format off */
static const struct row {
    const char *name, *line, *text;
    double kept; /* NaN: the line does not count */
} rows[] = {
    { "whole line",          "2 large eggs",              "Take 2 LARGE eggs, beaten",        1 },
    { "another order",       "2 large eggs",              "eggs large 2",                     0 },
    { "two words",           "2 eggs",                    "2 eggs",                           NAN },
    { "no words",            "- -",                       "- -",                              NAN },
    { "no text",             "2 large eggs",              "",                                 0 },
    { "text of two words",   "2 large eggs",              "large eggs",                       0 },
    { "across lines",        "one cup of milk",           "one cup\n\nof milk",               1 },
    { "7 of 10 sequences",   "a b c d e f g h i j k l",   "a b c d e f g h i x",              1 },
    { "6 of 10 sequences",   "a b c d e f g h i j k l",   "a b c d e f g h x",                0 },
    { "letters with accents", "Cr\xC3\x88me fra\xC3\xAE" "che 2 dl", "cr\xC3\xA8me fra\xC3\xAE" "che 2 dl", 1 },
};
/* clang-format on */

static void scores_row(void **state)
{
    const struct row *row = *state;
    th_case_mapper mapper;
    assert_int_equal(th_case_mapper_init(&mapper), TH_OK);
    static th_corpus_page page;
    page = (th_corpus_page){ .required_kind_count = 1, .required_count = 1 };
    page.required[0].text = (th_view){ row->line, strlen(row->line) };
    th_required_scorer scorer = { .line = { .count = 0 } };
    th_required_score score;
    const th_view text = { row->text, strlen(row->text) };
    for (int round = 0; round < 2; round++) { /* a scorer is used again */
        assert_int_equal(th_required_score_text(&scorer, &mapper, &page, text, &score),
                         TH_OK);
        if (isnan(row->kept))
            assert_true(isnan(score.kept[0]) && isnan(score.all));
        else
            assert_true(score.kept[0] == row->kept && score.all == row->kept);
    }
    th_required_scorer_done(&scorer);
    th_case_mapper_done(&mapper);
}

/* Kinds are apart, and words of short lines count among those required. */
static void kinds_and_words(void **state)
{
    (void)state;
    th_case_mapper mapper;
    assert_int_equal(th_case_mapper_init(&mapper), TH_OK);
    static th_corpus_page page;
    page = (th_corpus_page){ .required_kind_count = 2, .required_count = 4 };
    page.required[0] = (th_required_line){ TH_VIEW("one cup flour"), 0 };
    page.required[1] = (th_required_line){ TH_VIEW("two cups sugar"), 0 };
    page.required[2] = (th_required_line){ TH_VIEW("salt"), 0 };
    page.required[3] = (th_required_line){ TH_VIEW("stir it all"), 1 };
    th_required_scorer scorer = { .line = { .count = 0 } };
    th_required_score score;
    const th_view text =
        TH_VIEW("one cup flour stir it all up well now and then more and "
                "often than you would have thought of");
    assert_int_equal(th_required_score_text(&scorer, &mapper, &page, text, &score),
                     TH_OK);
    assert_true(score.kept[0] == .5 && score.kept[1] == 1 && score.all == .75);
    assert_true(score.words_per_required == 2); /* 20 words, 10 required */
    th_required_scorer_done(&scorer);
    th_case_mapper_done(&mapper);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = scores_row,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(kinds_and_words);
    return cmocka_run_group_tests_name("required_score", tests, NULL, NULL);
}
