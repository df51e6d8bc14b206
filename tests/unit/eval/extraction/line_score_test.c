/* Lines of a gold text in another text, by the definitions of score_lines.py. */
#include "eval/extraction/line_score.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GOLD "One two three four five six seven eight."
#define MORE "Nine ten eleven twelve thirteen fourteen fifteen sixteen."
#define OTHER "Red green blue white black brown grey pink."

static const struct row {
    const char *name, *gold, *html, *text;
    th_line_score want;
} rows[] = {
    /* clang-format off */
    { "intact", GOLD, "", GOLD, { .intact = 1 } },
    { "within a line, whitespace aside", "One two\tthree  four five six seven eight.", "",
      "- One two three four\u00a0five six seven eight. And more", { .intact = 1 } },
    { "short lines do not count", "One two three four five six seven", "", "", { 0 } },
    { "broken by a line end", GOLD, "", "One two three four\nfive six seven eight.", { .broken = 1 } },
    { "broken by a space", GOLD, "", "One two three fo ur five six seven eight.", { .broken = 1 } },
    { "nearly: other signs", GOLD, "", "ONE two three, four five six seven eight!", { .nearly = 1 } },
    { "torn", GOLD, "", "one two three four five", { .torn = 1 } },
    { "shingles are compared as strings", GOLD, "", "stone two three four fiver", { .torn = 1 } },
    { "missing", GOLD, "", "one two three four", { .missing = 1 } },
    { "no text", GOLD, "", "", { .missing = 1 } },
    { "glued", GOLD "\n" MORE, "", GOLD " " MORE, { .intact = 2, .glued = 1 } },
    { "three in one line", GOLD "\n" MORE "\n" OTHER, "", GOLD " " MORE " " OTHER, { .intact = 3, .glued = 1 } },
    { "one line in another is not glued", GOLD "\nAnd " GOLD, "", "And " GOLD, { .intact = 2 } },
    { "the same line twice is not glued", GOLD "\n" GOLD, "", GOLD, { .intact = 2 } },
    { "pre", "", "<pre>\na &lt;long line&gt;\n  b\n<b>c</b><br>d\n</pre>", "a <long line>\n  b\nc\nd",
      { .pre = 1, .pre_lines = 1, .pre_indent = 1 } },
    { "pre without its indent", "", "<PRE class=x>a long line\n  b\nc\nd</PRE >", "a long line\nb\nc\nd",
      { .pre = 1, .pre_lines = 1 } },
    { "pre in one line", "", "<pre>a long line\n  b\nc\nd</pre>", "a long line b c d", { .pre = 1 } },
    { "pre that is not there", "", "<pre>a long line\n  b\nc\nd</pre>", "b\nc\nd", { 0 } },
    { "pre of three lines", "", "<pre>a long line\nb\nc</pre>", "a long line", { 0 } },
    { "no pre", "", "<prefix>a long line\nb\nc\nd</prefix><pre>a long line\nb\nc\nd", "a long line", { 0 } },
    { "a heading", "", "<h1>A <b>title</b> &amp; more</h1>", "x A title & more y", { .h1 = 1, .h1_kept = 1 } },
    { "half of a heading", "", "<h1>A title</h1>", "A\ntitle", { .h1 = 1 } },
    { "two headings", "", "<h1>A title</h1><h1>B title</h1>", "A title", { 0 } },
    { "a short heading next to one", "", "<h1>Title</h1><h1>B title</h1>", "B title", { .h1 = 1, .h1_kept = 1 } },
    /* clang-format on */
};

static void row_holds(void **state)
{
    const struct row *row = *state;
    const th_corpus_page page = { .gold = { row->gold, strlen(row->gold) } };
    th_line_scorer scorer;
    th_line_score score;
    assert_int_equal(th_line_scorer_init(&scorer), TH_OK);
    for (int twice = 0; twice < 2; twice++) { /* nothing is left of the page before */
        assert_int_equal(th_line_scorer_begin(&scorer, &page,
                                              (th_view){ row->html, strlen(row->html) }),
                         TH_OK);
        assert_int_equal(th_line_scorer_score(
                             &scorer, (th_view){ row->text, strlen(row->text) }, &score),
                         TH_OK);
        assert_memory_equal(&score, &row->want, sizeof score);
    }
    th_line_scorer_done(&scorer);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = row_holds,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests_name("line_score", tests, NULL, NULL);
}
