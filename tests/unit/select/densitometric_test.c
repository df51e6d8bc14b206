/* [K11 Alg. 4.2]: a row for each leaf of the tree, and one on each side of each border.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "make_page.h"
#include "thresher/classifier.h"

/* Text densities in tenths; linked of ten tokens. 0 at a border. */
/* clang-format off */
static const struct row {
    const char *name;
    uint32_t prev, prev_linked, curr, curr_linked, next;
    int want;
} rows[] = {
    { "thin among thin", 40, 0, 90, 0, 100, TH_BOILERPLATE },
    { "thin, one before is denser than 4", 41, 0, 90, 0, 100, TH_CONTENT },
    { "thin, one after is denser than 10", 0, 0, 10, 0, 101, TH_CONTENT },
    { "denser than 9, something after", 0, 0, 91, 0, 1, TH_CONTENT },
    { "denser than 9, nothing after", 120, 0, 91, 0, 0, TH_BOILERPLATE },
    { "links before, 11 after", 120, 6, 120, 0, 110, TH_BOILERPLATE },
    { "links before, over 11 after", 120, 6, 120, 0, 111, TH_CONTENT },
    { "few links before", 120, 5, 95, 0, 50, TH_CONTENT },
    { "linked itself", 120, 0, 120, 4, 120, TH_BOILERPLATE },
    { "linked a little itself", 120, 0, 120, 3, 120, TH_CONTENT },
};
/* clang-format on */

/* Ten full lines and an empty last one; the tokens' links are counted in tenths. */
static th_block block(uint32_t tenths, uint32_t linked)
{
    return (th_block){ .tokens = tenths,
                       .linked_tokens = tenths * linked / 10,
                       .lines = 11,
                       .last_line_tokens = 0 };
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_arena *arena = th_arena_new(0);
    const th_block blocks[] = { block(row->prev, row->prev_linked),
                                block(row->curr, row->curr_linked), block(row->next, 0) };
    uint8_t labels[3];
    const th_page *page = make_page_of_counts(arena, blocks, 3);
    label_blocks("densitometric", page, labels);
    assert_int_equal(labels[1], row->want);
    if (row->next == 0) { /* a border is a block of zeros */
        page = make_page_of_counts(arena, blocks, 2);
        label_blocks("densitometric", page, labels);
        assert_int_equal(labels[1], row->want);
    }
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
