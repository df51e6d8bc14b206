/* Roles of classes, and a quick check that misses no class with a role. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "parse/metadata/class_roles.h"
#include "parse/metadata/fact_marks.h"

static th_view view(const char *text)
{
    return (th_view){ text, strlen(text) };
}

static void classes_have_their_roles(void **state)
{
    static const struct {
        const char *classes;
        uint32_t roles;
    } rows[] = {
        { "nav-item active", 0 },
        { "byline", TH_MARK_DATE_CLASS | TH_MARK_NAME_CLASS | TH_MARK_AUTHOR_CLASS },
        { "post Entry-Date", TH_MARK_DATE_CLASS | TH_MARK_POSTED_CLASS },
        { "post-author-name", TH_MARK_NAME_CLASS | TH_MARK_AUTHOR_CLASS },
        { "particle-time", 0 },
        { "article_time", TH_MARK_DATE_CLASS },
        { "FN", TH_MARK_NAME_CLASS },
        { "author-bio", 0 },
        { "updated", 0 },
        { "date edited", TH_MARK_DATE_CLASS },
        { "updated-date", TH_MARK_DATE_CLASS | TH_MARK_MODIFIED_CLASS },
        { "", 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const th_view classes = view(rows[i].classes);
        const uint32_t roles =
            th_class_may_have_roles(classes) ? th_class_roles(classes) : 0;
        if (roles != rows[i].roles)
            fail_msg("%s: %#x instead of %#x", rows[i].classes, (unsigned)roles,
                     (unsigned)rows[i].roles);
    }
}

/* Each syllable at each position of texts of each length, in either case, and truncated. */
static void no_syllable_is_missed(void **state)
{
    static const char *const syllables[] = { "auth", "BYLI", "by-l", "Date",
                                             "tiMe", "user", "WRIt" };
    (void)state;
    for (size_t s = 0; s < sizeof syllables / sizeof *syllables; s++)
        for (size_t len = 4; len <= 52; len++)
            for (size_t at = 0; at < len; at++) {
                char bytes[64];
                memset(bytes, 'x', sizeof bytes);
                memcpy(bytes + at, syllables[s], 4); /* beyond len it is not the text's */
                const bool is_in = at + 4 <= len;
                if (th_class_may_have_roles((th_view){ bytes, len }) != is_in)
                    fail_msg("%s at %zu of %zu", syllables[s], at, len);
            }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_have_their_roles),
        cmocka_unit_test(no_syllable_is_missed),
    };
    return cmocka_run_group_tests_name("class_roles", tests, NULL, NULL);
}
