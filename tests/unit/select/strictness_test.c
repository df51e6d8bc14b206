/* src/select/strictness.c: words, scores, and invalid values. */
#include "select/strictness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* clang-format off */
static const struct row {
    const char *name;
    th_status want;
    uint16_t lowest, highest; /* of 65535, where it is TH_OK */
} rows[] = {
    { "balanced", TH_OK, 16383, 39321 },
    { "strict", TH_OK, 32767, 55704 },
    { "wide", TH_OK, 6553, 26214 },
    { ".5", TH_OK, 32767, 32767 },
    { "0.35", TH_OK, 22937, 22937 },
    { "1.0", TH_OK, 65535, 65535 },
    { "0.0", TH_OK, 0, 0 },
    { "", TH_USAGE, 0, 0 },
    { ".", TH_USAGE, 0, 0 },
    { "1", TH_USAGE, 0, 0 },
    { "1.01", TH_USAGE, 0, 0 },
    { "2.0", TH_USAGE, 0, 0 },
    { "-.5", TH_USAGE, 0, 0 },
    { ".5x", TH_USAGE, 0, 0 },
    { ".12345", TH_USAGE, 0, 0 },
    { "Strict", TH_USAGE, 0, 0 },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    const th_content_rules standard = th_content_rules_standard();
    th_content_rules rules = standard;
    assert_int_equal(th_strictness_apply(row->name, NULL), row->want);
    assert_int_equal(th_strictness_apply(row->name, &rules), row->want);
    if (row->want == TH_OK) {
        assert_int_equal(rules.lowest_cut, row->lowest);
        assert_int_equal(rules.highest_cut, row->highest);
    } else {
        assert_memory_equal(&rules, &standard, sizeof rules);
    }
}

static void balanced_is_the_standard(void **state)
{
    (void)state;
    const th_content_rules standard = th_content_rules_standard();
    th_content_rules rules = standard;
    assert_int_equal(th_strictness_apply("balanced", &rules), TH_OK);
    assert_int_equal(th_strictness_apply(NULL, &rules), TH_OK);
    assert_memory_equal(&rules, &standard, sizeof rules);
}

int main(void)
{
    enum { COUNT = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[COUNT + 1];
    for (size_t i = 0; i < COUNT; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[COUNT] = (struct CMUnitTest)cmocka_unit_test(balanced_is_the_standard);
    return cmocka_run_group_tests_name("strictness", tests, NULL, NULL);
}
