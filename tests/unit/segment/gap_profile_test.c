/* Enforcing and avoiding gaps. The profiles contain the tags of the papers. */
#include "segment/gap_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define END(tag) (TH_TAG_##tag | TH_GAP_END)

/* clang-format off */
static const struct row {
    const char *name, *profile;
    uint16_t tags[4];
    uint32_t len;
    int want;
} rows[] = {
    { "no tag says nothing", "2008", { 0 }, 0, TH_GAP_NEUTRAL },
    { "a paragraph says nothing", "2008", { TH_TAG_P }, 1, TH_GAP_NEUTRAL },
    { "a heading enforces", "2008", { TH_TAG_H1 }, 1, TH_GAP_ENFORCING },
    { "so does its end", "2008", { END(H6) }, 1, TH_GAP_ENFORCING },
    { "a script enforces", "2008", { TH_TAG_SCRIPT, END(SCRIPT) }, 2, TH_GAP_ENFORCING },
    { "a line break avoids", "2008", { TH_TAG_BR }, 1, TH_GAP_AVOIDING },
    { "all avoid", "2008", { END(B), TH_TAG_BR, TH_TAG_TT }, 3, TH_GAP_AVOIDING },
    { "one of three is neutral", "2008", { END(B), TH_TAG_DIV, TH_TAG_I }, 3,
      TH_GAP_NEUTRAL },
    { "one of three enforces", "2008", { TH_TAG_B, TH_TAG_DIV, TH_TAG_HR }, 3,
      TH_GAP_ENFORCING },
    { "an unknown tag is neutral", "html5", { TH_TAG_OTHER }, 1, TH_GAP_NEUTRAL },
    { "2008 knows no article", "2008", { TH_TAG_ARTICLE }, 1, TH_GAP_NEUTRAL },
    { "html5 does", "html5", { TH_TAG_ARTICLE }, 1, TH_GAP_ENFORCING },
    { "2008 knows no code", "2008", { TH_TAG_CODE }, 1, TH_GAP_NEUTRAL },
    { "html5 does not part it", "html5", { TH_TAG_CODE, END(SPAN) }, 2, TH_GAP_AVOIDING },
    { "html5 keeps the paper's", "html5", { TH_TAG_TABLE }, 1, TH_GAP_ENFORCING },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    const th_gap_profile *profile = th_gap_profile_find(row->profile);
    assert_non_null(profile);
    assert_int_equal(th_gap_class(profile, row->tags, row->len), row->want);
}

static unsigned count(const th_gap_profile *profile, uint8_t class)
{
    unsigned found = 0;
    for (size_t i = 0; i < TH_TAG_COUNT; i++)
        found += profile->class_of[i] == class;
    return found;
}

static void profiles_hold_what_the_papers_list(void **state)
{
    (void)state;
    const th_gap_profile *old = th_gap_profile_find("2008");
    const th_gap_profile *new = th_gap_profile_find("html5");
    assert_int_equal(count(old, TH_GAP_ENFORCING), 14);
    assert_int_equal(count(old, TH_GAP_AVOIDING), 13);
    assert_int_equal(count(new, TH_GAP_ENFORCING), 14 + 12);
    assert_int_equal(count(new, TH_GAP_AVOIDING), 13 + 18);
}

static void lookup_knows_the_table_and_no_more(void **state)
{
    (void)state;
    for (const th_gap_profile *const *at = th_gap_profiles; *at; at++)
        assert_ptr_equal(th_gap_profile_find((*at)->name), *at);
    assert_null(th_gap_profile_find("html"));
    assert_null(th_gap_profile_find(""));
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(profiles_hold_what_the_papers_list);
    tests[ROWS + 1] =
        (struct CMUnitTest)cmocka_unit_test(lookup_knows_the_table_and_no_more);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
