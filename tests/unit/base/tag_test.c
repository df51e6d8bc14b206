/* src/base/tag.c: every name has its number, and other names have none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "thresher/tag.h"

static th_tag find(const char *name)
{
    return th_tag_of((th_view){ name, strlen(name) });
}

static void names_and_numbers_agree(void **state)
{
    (void)state;
    for (th_tag tag = 0; tag < TH_TAG_OTHER; tag++) {
        char upper[16];
        const char *name = th_tag_name(tag);
        assert_int_equal(find(name), tag);
        for (size_t i = 0; i <= strlen(name); i++)
            upper[i] = (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 32 : name[i]);
        assert_int_equal(find(upper), tag);
        if (tag)
            assert_true(strcmp(th_tag_name((th_tag)(tag - 1)), name) < 0);
    }
}

static void other_names_are_other(void **state)
{
    (void)state;
    static const char *const names[] = {
        "",    "*", "my-app", "h7",    "aa",         "divv", "di",    "blockquotes",
        "zzz", "1", "\xC3",   "spa n", "annotation", "{div", "html:p"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(find(names[i]), TH_TAG_OTHER);
    assert_string_equal(th_tag_name(TH_TAG_OTHER), "*");
    assert_string_equal(th_tag_name(9999), "*");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_numbers_agree),
        cmocka_unit_test(other_names_are_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
