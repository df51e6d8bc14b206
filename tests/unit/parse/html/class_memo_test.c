/* Answers about classes: a remembered answer equals a new one. */
#include "parse/html/class_memo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "parse/formula.h"
#include "parse/furniture.h"
#include "parse/metadata/class_roles.h"

enum { ROUNDS = 20000 };

static uint64_t state_of_random = 1;

static unsigned below(unsigned count)
{
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state_of_random >> 33) % count;
}

/* One to three words, so few that classes recur, and replace one another. */
static th_view random_class(char bytes[64])
{
    static const char *const words[] = {
        "byline", "math",    "inline", "lineno",         "code-label",     "copy",
        "mute",   "display", "fn",     "mw-editsection", "post-date",      "arithmatex",
        "a",      "boring",  "author", "linenodiv",      "bbCodeBlock-ex", "copyBtn",
    };
    size_t len = 0;
    for (unsigned left = 1 + below(3); left; left--)
        len += (size_t)snprintf(bytes + len, 64 - len, "%s%s", len ? " " : "",
                                words[below(sizeof words / sizeof *words)]);
    return (th_view){ bytes, len };
}

static void remembered_answers_are_right(void **state)
{
    (void)state;
    static th_class_memo memo;
    static const th_tag tags[] = { TH_TAG_DIV, TH_TAG_TD, TH_TAG_H2, TH_TAG_BUTTON };
    th_class_memo_begin(&memo);
    for (int round = 0; round < ROUNDS; round++) {
        char bytes[64];
        const th_view words = random_class(bytes);
        th_class_facts none = { 0 };
        th_class fresh = { .words = words, .facts = &none };
        th_class class = { .words = words, .memo = &memo };
        const th_tag tag = tags[below(sizeof tags / sizeof *tags)];
        const bool is_pre = below(2);
        assert_int_equal(th_roles_in_class(&class), th_roles_in_class(&fresh));
        assert_int_equal(th_formula_in_class(&class), th_formula_class(words));
        assert_int_equal(th_is_furniture(tag, &class, NULL, 0, is_pre),
                         th_is_furniture(tag, &fresh, NULL, 0, is_pre));
    }
}

static void no_class_says_nothing(void **state)
{
    (void)state;
    th_class none = { 0 };
    assert_int_equal(th_roles_in_class(&none), 0);
    assert_int_equal(th_formula_in_class(&none), 0);
    assert_false(th_is_furniture(TH_TAG_TD, &none, NULL, 0, false));
    assert_false(th_is_furniture(TH_TAG_DIV, &none, NULL, 0, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(remembered_answers_are_right),
        cmocka_unit_test(no_class_says_nothing),
    };
    return cmocka_run_group_tests_name("class_memo", tests, NULL, NULL);
}
