/* The baselines on small pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/segment/lab_segmenters.h"
#include "make_page.h"
#include "thresher/segmenter.h"

/* clang-format off */
static const struct row {
    const char *name, *method;
    uint32_t w_max;
    struct block_row blocks[6];
    const char *want; /* a letter for each block */
} rows[] = {
    { "tag-gap parts all", "tag-gap", 80, { { "a", 0, "br" }, { "b", 0, "h1" } }, "ab" },
    { "full-text parts nothing", "full-text", 80, { { "a", 0, "br" }, { "b", 0, "h1" } },
      "aa" },
    { "short blocks share a line", "word-wrap", 11, { { "one", 0, NULL },
      { "two", 0, NULL }, { "red", 0, NULL }, { "four", 0, NULL } }, "aaab" },
    { "a space is between blocks", "word-wrap", 10, { { "one", 0, NULL },
      { "two", 0, NULL }, { "red", 0, NULL } }, "aab" },
    { "a block counts where it starts, a longer one takes its next lines", "word-wrap",
      10, { { "one", 0, NULL }, { "two three four", 0, NULL }, { "five", 0, NULL } },
      "aab" },
    { "lines on which no block starts get no number", "word-wrap", 10,
      { { "one two three four five six seven", 0, NULL }, { "nine", 0, NULL } }, "ab" },
    { "a long word stands alone", "word-wrap", 5, { { "a", 0, NULL },
      { "longlonglong", 0, NULL }, { "b", 0, NULL } }, "abc" },
    { "a block without a token has a line", "word-wrap", 5, { { "a", 0, NULL },
      { "|", 0, NULL }, { "b", 0, NULL }, { "|", 0, NULL } }, "aaab" },
    { "wide letters take two columns and end a line anywhere", "word-wrap", 8,
      { { "\u5929\u5730\u7384", 0, NULL }, { "\u9ec4", 0, NULL }, /* behind a blank:
      columns 8 and 9 */ { "\u5b87\u5b99\u6d2a", 0, NULL }, { "\u8352", 0, NULL } },
      "abbc" },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_arena *arena = th_arena_new(0);
    th_page *page = make_page(arena, row->blocks, strlen(row->want));
    const th_options opt = { .size = sizeof opt,
                             .segmenters = th_lab_segmenters,
                             .segmenter = row->method,
                             .profile = "2008",
                             .theta_max = -1,
                             .w_max = row->w_max };
    assert_int_equal(th_segment_page(page, &opt), TH_OK);
    for (uint32_t i = 0; i < page->block_count; i++)
        assert_int_equal('a' + page->segment_of[i], row->want[i]);
    th_arena_free(arena);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
