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

/* Children of an element, each a letter. Their parent is not closed. */
static th_view children(th_mathml *math, const char *parent, unsigned count)
{
    const uint32_t name = th_tag_name_hash((th_view){ parent, strlen(parent) });
    th_mathml_begin(math, false);
    th_mathml_start(math, TH_TAG_OTHER, name, NULL, 0);
    for (unsigned i = 0; i < count; i++) {
        th_mathml_start(math, TH_TAG_MI, 0, NULL, 0);
        th_mathml_text(math, "x", 1);
        if (i + 1 < count)
            th_mathml_end(math);
    }
    return th_mathml_finish(math);
}

static void expect_tex(th_view tex, const char *want)
{
    if (tex.len != strlen(want) || memcmp(tex.data, want, tex.len) != 0)
        fail_msg("'%.*s' and not '%s'", (int)tex.len, tex.data, want);
}

/* Only of an element whose children have different meanings. */
static void children_have_a_limit(void **state)
{
    (void)state;
    th_mathml math = { 0 };
    expect_tex(children(&math, "mfenced", TH_MATHML_CHILDREN),
               "(x,x,x,x,x,x,x,x,x,x,x,x)");
    expect_tex(children(&math, "mfenced", TH_MATHML_CHILDREN + 1), "");
    expect_tex(children(&math, "mmultiscripts", TH_MATHML_CHILDREN + 1), "");
    expect_tex(children(&math, "msqrt", TH_MATHML_CHILDREN + 1),
               "\\sqrt{x x x x x x x x x x x x x}");
    th_mathml_done(&math);
}

/* Elements that are open at the end of a formula end there. */
static void open_elements_end(void **state)
{
    (void)state;
    th_mathml math = { 0 };
    expect_tex(children(&math, "msqrt", 2), "\\sqrt{x x}");
    th_mathml_begin(&math, false);
    th_mathml_start(&math, TH_TAG_MI, 0, NULL, 0);
    th_mathml_text(&math, "x", 1);
    th_mathml_end(&math);
    th_mathml_start(&math, TH_TAG_OTHER, th_tag_name_hash(TH_VIEW("annotation")), NULL,
                    0);
    th_mathml_text(&math, "y", 1);
    expect_tex(th_mathml_finish(&math), "x");
    th_mathml_done(&math);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_elements_end),
        cmocka_unit_test(children_have_a_limit),
        cmocka_unit_test(length_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
