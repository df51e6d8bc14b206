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
    th_strictness_list list = { 0 };
    assert_int_equal(th_strictness_read(row->name, NULL), row->want);
    assert_int_equal(th_strictness_read(row->name, &list), row->want);
    if (row->want == TH_OK) {
        assert_int_equal(list.count, 1);
        th_strictness_apply(list.of[0], &rules);
        assert_int_equal(rules.lowest_cut, row->lowest);
        assert_int_equal(rules.highest_cut, row->highest);
    } else {
        assert_int_equal(list.count, 0);
    }
}

static void lists_of_names(void **state)
{
    (void)state;
    static const struct {
        const char *text, *first, *second, *third; /* NULL: none; first NULL: refused */
    } lists[] = {
        { "strict,balanced,wide", "balanced", "strict", "wide" },
        { "wide,strict", "wide", "strict", NULL },
        { "wide,balanced", "balanced", "wide", NULL },
        { "balanced,wide,strict", "balanced", "wide", "strict" },
        { "wide,wide", NULL, NULL, NULL },
        { "wide,", NULL, NULL, NULL },
        { ",wide", NULL, NULL, NULL },
        { "wide,.5", NULL, NULL, NULL },
        { ".5,wide", NULL, NULL, NULL },
        { "wide, strict", NULL, NULL, NULL },
        { "strict,balanced,wide,strict", NULL, NULL, NULL },
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const char *const want[] = { lists[i].first, lists[i].second, lists[i].third };
        th_strictness_list list = { 0 };
        assert_int_equal(th_strictness_read(lists[i].text, &list),
                         want[0] ? TH_OK : TH_USAGE);
        for (unsigned k = 0; k < 3 && want[k]; k++)
            assert_string_equal(list.of[k], want[k]);
        assert_int_equal(list.count, !want[0] ? 0 : !want[2] ? 2 : 3);
    }
}

static void balanced_is_the_standard(void **state)
{
    (void)state;
    const th_content_rules standard = th_content_rules_standard();
    th_content_rules rules = standard;
    th_strictness_list list;
    assert_int_equal(th_strictness_read(NULL, &list), TH_OK);
    th_strictness_apply(list.of[0], &rules);
    assert_memory_equal(&rules, &standard, sizeof rules);
}

int main(void)
{
    enum { COUNT = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[COUNT + 2];
    for (size_t i = 0; i < COUNT; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[COUNT] = (struct CMUnitTest)cmocka_unit_test(balanced_is_the_standard);
    tests[COUNT + 1] = (struct CMUnitTest)cmocka_unit_test(lists_of_names);
    return cmocka_run_group_tests_name("strictness", tests, NULL, NULL);
}
