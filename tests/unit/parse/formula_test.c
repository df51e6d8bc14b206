/* src/parse/formula.c: which raised texts are exponents. tests/unit/write/markdown_test.c
 * and tests/golden/text have formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parse/formula.h"

/* clang-format off */
static const struct row {
    const char *before, *raised;
    bool is_exponent;
} rows[] = {
    { "10", "6", true },
    { "5 x 10", " -3 ", true },
    { "10", "\u22123", true },
    { "x", "2", true },
    { "12 km", "2", true },
    { "m/s", "2", true },
    { "2", "n", true },
    { "x", "n", true },
    { "in 2020", "1", false },
    { "12345", "1", false },
    { "a word", "1", false },
    { "a word", "12", false },
    { "x", "1234", false },
    { "2", "e", false },
    { "1", "o", false },
    { "n", "o", false },
    { "word", "-2", false },
    { "$2,899", "00", false },
    { "x", "", false },
    { "", "2", false },
    { "a, ", "2", false },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    const th_view before = { row->before, strlen(row->before) };
    const th_view raised = { row->raised, strlen(row->raised) };
    assert_int_equal(th_is_exponent(before, raised), row->is_exponent);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].before, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
