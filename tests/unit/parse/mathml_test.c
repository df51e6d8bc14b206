/* src/parse/mathml.c: the limits of a formula. tests/unit/write/markdown_test.c has its
 * elements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parse/mathml.h"

/* A row of `count` letters. */
static th_view convert(th_mathml *math, unsigned count, const char *letter)
{
    th_mathml_begin(math, false);
    for (unsigned i = 0; i < count; i++) {
        th_mathml_start(math, TH_TAG_MI, 0, NULL, 0);
        th_mathml_text(math, letter, strlen(letter));
        th_mathml_end(math);
    }
    return th_mathml_finish(math);
}

static void length_has_a_limit(void **state)
{
    (void)state;
    th_mathml math = { 0 };
    th_view tex = convert(&math, 2, "\u03b1");
    assert_int_equal(tex.len, strlen("\\alpha\\alpha"));
    tex = convert(&math, 2000, "\u03b1"); /* 4,000 bytes of text, 12,000 of TeX */
    assert_true(tex.len > 11000 && tex.len <= TH_TEX_MAX);
    tex = convert(&math, 4000, "\u03b1"); /* the TeX is too long */
    assert_int_equal(tex.len, 0);
    tex = convert(&math, TH_TEX_MAX + 1, "x"); /* and the text is */
    assert_int_equal(tex.len, 0);
    tex = convert(&math, 1, "x"); /* the next formula is not concerned */
    assert_int_equal(tex.len, 1);
    th_mathml_done(&math);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(length_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
