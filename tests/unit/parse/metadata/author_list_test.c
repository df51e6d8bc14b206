/* The list of authors: each name once, and none truncated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "parse/metadata/author_list.h"

/* Names, divided by '|', and whether the last of them is in the list in the end. */
static const struct row {
    const char *names, *want;
    bool is_held;
} rows[] = {
    /* clang-format off */
    { "A", "A", true },
    { "A|B", "A; B", true },
    { "A|B|A", "A; B", true },
    { "Lovelace, Ada|Lovelace", "Lovelace, Ada; Lovelace", true },
    { "A; B|B", "A; B", true },
    { "AB|A", "AB; A", true },
    { "A|", "A", false },
    { "http://a.b/c", "", false },
    { "A|https://a.b/c", "A", false },
    { "By A", "A", true },
    { "by By", "", false },
    { "By ", "", false },
    { "Byron", "Byron", true },
    { "By http://a", "", false },
    /* clang-format on */
};

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_author_list list = { 0 };
    bool is_held = false;
    const char *at = row->names;
    for (;;) {
        const size_t len = strcspn(at, "|");
        is_held = th_author_list_add(&list, (th_view){ at, len });
        if (at[len] == '\0')
            break;
        at += len + 1;
    }
    assert_int_equal(is_held, row->is_held);
    assert_int_equal(list.len, strlen(row->want));
    assert_memory_equal(list.bytes, row->want, list.len);
}

static void names_are_counted(void **state)
{
    (void)state;
    th_author_list list = { 0 };
    for (unsigned i = 0; i < 2 * TH_AUTHOR_COUNT_MAX; i++) {
        char name[16];
        const int len = snprintf(name, sizeof name, "Name %u", i);
        assert_int_equal(th_author_list_add(&list, (th_view){ name, (size_t)len }),
                         i < TH_AUTHOR_COUNT_MAX);
    }
    assert_int_equal(list.count, TH_AUTHOR_COUNT_MAX);
}

static void names_are_not_cut(void **state)
{
    (void)state;
    char name[TH_AUTHOR_LIST_MAX + 1];
    memset(name, 'a', sizeof name);
    th_author_list list = { 0 };
    assert_false(th_author_list_add(&list, (th_view){ name, sizeof name }));
    assert_int_equal(list.len, 0);
    assert_true(th_author_list_add(&list, (th_view){ name, TH_AUTHOR_LIST_MAX - 3 }));
    assert_false(th_author_list_add(&list, TH_VIEW("bc")));
    assert_true(th_author_list_add(&list, TH_VIEW("b")));
    assert_false(th_author_list_add(&list, TH_VIEW("c")));
    assert_int_equal(list.len, TH_AUTHOR_LIST_MAX);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof rows[0] };
    static struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].names, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(names_are_counted);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(names_are_not_cut);
    return cmocka_run_group_tests_name("author_list", tests, NULL, NULL);
}
