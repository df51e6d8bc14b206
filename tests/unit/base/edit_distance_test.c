/* src/base/edit_distance.c: each typing error counts one. */
#include "base/edit_distance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct row {
    const char *a, *b;
    size_t distance;
} rows[] = {
    { "", "", 0 },
    { "", "abc", 3 },
    { "emit", "emit", 0 },
    { "classifer", "classifier", 1 }, /* left out */
    { "segmennter", "segmenter", 1 }, /* put in */
    { "minhadh", "minhash", 1 },      /* changed */
    { "fromat", "format", 1 },        /* swapped */
    { "ca", "abc", 3 },               /* a swapped pair is not changed again */
    { "max-bdoy", "max-body", 1 },
    { "kitten", "sitting", 3 },
};

static void row_holds(void **state)
{
    const struct row *row = *state;
    assert_int_equal(th_edit_distance(row->a, row->b), row->distance);
    assert_int_equal(th_edit_distance(row->b, row->a), row->distance);
}

static void long_names_are_far(void **state)
{
    (void)state;
    char name[TH_NAME_MAX + 2];
    memset(name, 'x', sizeof name);
    name[TH_NAME_MAX + 1] = '\0';
    assert_int_equal(th_edit_distance(name, name), TH_NAME_MAX);
    name[TH_NAME_MAX] = '\0';
    assert_int_equal(th_edit_distance(name, name), 0);
    assert_int_equal(th_edit_distance(name, ""), TH_NAME_MAX);
}

static void a_third_may_be_wrong(void **state)
{
    (void)state;
    assert_true(th_name_is_near("abc", 1));
    assert_false(th_name_is_near("ab", 1));
    assert_true(th_name_is_near("classifer", 3));
    assert_false(th_name_is_near("classifer", 4));
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].a, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(long_names_are_far);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(a_third_may_be_wrong);
    return cmocka_run_group_tests_name("edit_distance", tests, NULL, NULL);
}
