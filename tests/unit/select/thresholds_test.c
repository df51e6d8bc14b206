/* The classifiers of one or two thresholds, on each side of their borders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "make_page.h"
#include "thresher/classifier.h"
#include "thresher/segmenter.h"

/* clang-format off */
static const struct row {
    const char *name, *classifier;
    struct block_row blocks[4];
    const char *want; /* c: content, b: boilerplate */
} rows[] = {
    { "keep-all keeps bars too", "keep-all", { { "a", 1, NULL }, { "|", 0, NULL } },
      "cc" },
    { "ten words", "min-words", { { "a b c d e f g h i j", 10, NULL },
      { "a b c d e f g h i", 0, NULL } }, "cb" },
    { "a segment denser than 5", "density-5", { { "a b c d e f", 0, "h1" },
      { "a b c d e", 0, "h1" } }, "cb" },
    { "a thin block in a dense segment stays", "density-5",
      { { "a b c d e f g h i j", 0, "h1" }, { "k", 0, "p" }, { "k", 0, "h1" } }, "ccb" },
    { "dense enough, few links", "cleaneval", { { "a b c d e f g", 2, NULL },
      { "a b c d e f", 0, NULL }, { "a b c d e f g", 3, NULL } }, "cbb" },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_arena *arena = th_arena_new(0);
    th_page *page = make_page(arena, row->blocks, strlen(row->want));
    const th_options opt = { .size = sizeof opt,
                             .segmenter = "just-rules",
                             .profile = "2008",
                             .theta_max = -1,
                             .w_max = 80,
                             .classifier = row->classifier };
    assert_int_equal(th_segment_page(page, &opt), TH_OK);
    assert_int_equal(th_select_page(page, &opt), TH_OK);
    for (uint32_t i = 0; i < page->block_count; i++)
        assert_int_equal(page->label_of[i] == TH_CONTENT ? 'c' : 'b', row->want[i]);
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
