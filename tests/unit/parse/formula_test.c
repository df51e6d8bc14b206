/* src/parse/formula.c: TeX in all its wrappings, the marks of formulas, and which raised
 * texts are exponents. tests/unit/write/markdown_test.c and tests/golden/text have
 * formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parse/formula.h"
#include "parse/mathml.h"

/* clang-format off */
static const struct row {
    const char *before, *raised;
    bool is_exponent;
} rows[] = {
    { "10", "6", true },
    { "5 x 10", " -3 ", true },
    { "10", "\u22123", true },
    { "x", "2", true },
    { "12 km", "2", true },
    { "m/s", "2", true },
    { "2", "n", true },
    { "x", "n", true },
    { "in 2020", "1", false },
    { "12345", "1", false },
    { "a word", "1", false },
    { "a word", "12", false },
    { "x", "1234", false },
    { "2", "e", false },
    { "1", "o", false },
    { "n", "o", false },
    { "word", "-2", false },
    { "$2,899", "00", false },
    { "x", "", false },
    { "", "2", false },
    { "a, ", "2", false },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    const th_view before = { row->before, strlen(row->before) };
    const th_view raised = { row->raised, strlen(row->raised) };
    assert_int_equal(th_is_exponent(before, raised), row->is_exponent);
}

/* ---- TeX in delimiters ---- */

static const struct wrapping {
    const char *open, *close;
    bool is_display;
} wrappings[] = {
    { "", "", false },
    { "$", "$", false },
    { "\\(", "\\)", false },
    { "$$", "$$", true },
    { "\\[", "\\]", true },
    { "{\\displaystyle ", "}", false },
    { "$${\\displaystyle ", "}$$", true },
    { "{\\textstyle ", "}", false },
    { "\\({\\textstyle ", "}\\)", false },
};

/* TeX in a page, and its TeX in one line. */
static const struct {
    const char *written, *left;
} formulas[] = {
    { "x", "x" },
    { "{a}+{b}", "{a}+{b}" },
    { "\\frac{1}{2}\n\t \\alpha", "\\frac{1}{2} \\alpha" },
    { "a % a comment\n+ b", "a + b" },
    { "50\\% of a", "50\\% of a" },
    { "\\{ a \\} {b}", "\\{ a \\} {b}" },
    { "f(x) = [0, 1]", "f(x) = [0, 1]" },
};

static const char *const blanks[] = { "", " ", "\n", "\t ", " \r\n  " };

/* Every formula in every wrapping, with spaces around both. */
static void delimiters_and_blanks_are_removed(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(1 << 20);
    assert_non_null(arena);
    for (size_t w = 0; w < sizeof wrappings / sizeof *wrappings; w++)
        for (size_t f = 0; f < sizeof formulas / sizeof *formulas; f++)
            for (size_t b = 0; b < 25; b++) {
                char text[200];
                const char *outer = blanks[b % 5], *inner = blanks[b / 5];
                const int len = snprintf(text, sizeof text, "%s%s%s%s%s%s%s", outer,
                                         wrappings[w].open, inner, formulas[f].written,
                                         inner, wrappings[w].close, outer);
                const th_view tex = th_formula_tex(arena, (th_view){ text, (size_t)len });
                if (tex.len != strlen(formulas[f].left) ||
                    memcmp(tex.data, formulas[f].left, tex.len) != 0)
                    fail_msg("'%s' becomes '%.*s'", text, (int)tex.len, tex.data);
                if (th_formula_is_display((th_view){ text, (size_t)len }) !=
                    wrappings[w].is_display)
                    fail_msg("'%s': is it displayed?", text);
            }
    assert_true(th_formula_is_display(TH_VIEW(" \\begin{align}x\\end{align}")));
    assert_false(th_formula_is_display(TH_VIEW("")));
    assert_false(th_formula_is_display(TH_VIEW(" ")));
    assert_false(th_formula_is_display(TH_VIEW("$")));
    th_arena_free(arena);
}

/* Delimiters that do not belong together stay. */
static void other_delimiters_stay(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "$x",     "x$",    "\\(x\\]", "\\[x\\)", "$$", "{\\displaystyle a}+{b}",
        "\\(\\)", "$x$$y",
    };
    th_arena *arena = th_arena_new(1 << 20);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const th_view text = { texts[i], strlen(texts[i]) };
        const th_view tex = th_formula_tex(arena, text);
        if (tex.len != text.len || memcmp(tex.data, text.data, tex.len) != 0)
            fail_msg("'%s' becomes '%.*s'", texts[i], (int)tex.len, tex.data);
    }
    char large[TH_TEX_MAX + 3];
    memset(large, 'x', sizeof large);
    large[0] = large[sizeof large - 1] = '$';
    for (size_t more = 0; more < 2; more++) { /* the longest, and one byte more */
        large[TH_TEX_MAX + more + 1] = '$';
        const th_view tex =
            th_formula_tex(arena, (th_view){ large, TH_TEX_MAX + more + 2 });
        assert_int_equal(tex.len, more ? 0 : TH_TEX_MAX);
        assert_non_null(tex.data);
    }
    th_arena_free(arena);
}

/* ---- marks ---- */

enum { W = TH_TEX_WITHIN, T = TH_TEX_IS_TEXT, D = TH_TEX_DISPLAYED };

static void classes_mark_formulas(void **state)
{
    (void)state;
    static const struct {
        const char *classes;
        unsigned kind;
    } cases[] = {
        { "", 0 },
        { "mast", 0 },
        { "x math", 0 }, /* the mark is the first word */
        { "math", W },
        { "math inline", W | T },
        { "math  display", W | T | D },
        { "math notranslate", W | T },
        { "math notranslate nohighlight display", W | T | D },
        { "arithmatex", W | T },
        { "arithmatex display", W | T | D },
        { "math-tex", W | T },
        { "math-tex display", W | T | D },
        { "tex2jax_process", W },
        { "tex2jax_process math display", W },
        { "matx inline", 0 },
        { "math inlinf", W },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (th_formula_class((th_view){ cases[i].classes, strlen(cases[i].classes) }) !=
            cases[i].kind)
            fail_msg("'%s'", cases[i].classes);
}

static void images_show_formulas(void **state)
{
    (void)state;
    static const struct {
        const char *class, *alt, *title, *src;
        const char *tex; /* NULL if there is not a formula */
        bool is_display;
    } cases[] = {
        { "latex", "a", NULL, NULL, "a", false },
        { "x tex y", "a", NULL, NULL, "a", false },
        { "math", " ", NULL, NULL, NULL, false },
        { "math", NULL, "a", NULL, NULL, false },
        { "mwe-math-fallback-image-inline", "a", NULL, NULL, "a", false },
        { "mwe-math-fallback-image-display", "a", NULL, NULL, "a", true },
        { "ql-img-displayed-equation ql-img-inline-formula", "a", NULL, NULL, "a",
          false },
        { "ql-img-displayed-equation", "a", NULL, NULL, "a", true },
        { "latexx", "a", NULL, NULL, NULL, false },
        { NULL, "a", NULL, "http://a.example/_images/math/1.png", "a", true },
        { NULL, "a", NULL, "/_images/math", NULL, false },
        { NULL, "a", "b", "//latex.codecogs.com/svg.latex?a", "a", false },
        { NULL, NULL, "b", "//latex.codecogs.com/svg.latex?a", "b", false },
        { NULL, NULL, NULL, "//latex.codecogs.com/svg.latex?a", NULL, false },
        { NULL, "a", NULL, "//codecogs.com", NULL, false },
        { NULL, "a", NULL, "/x?y=latex.php?a", "a", false },
        { NULL, "a", NULL, "/cgi/mimetex.cgi?a", "a", false },
        { NULL, "a", NULL, "mathtex.cgi?a", "a", false },
        { NULL, "a", NULL, "athtex.cgi?a", NULL, false },
        { NULL, "a", NULL, NULL, NULL, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const names[] = { "class", "alt", "title", "src" };
        const char *const values[] = { cases[i].class, cases[i].alt, cases[i].title,
                                       cases[i].src };
        th_attribute attrs[4];
        size_t count = 0;
        th_view tex = { NULL, 0 };
        bool is_display = false;
        for (size_t k = 0; k < 4; k++)
            if (values[k])
                attrs[count++] =
                    (th_attribute){ .name = { names[k], strlen(names[k]) },
                                    .value = { values[k], strlen(values[k]) } };
        const bool is_formula = th_formula_in_image(attrs, count, &tex, &is_display);
        if (is_formula != (cases[i].tex != NULL) ||
            (is_formula && (tex.len != strlen(cases[i].tex) ||
                            memcmp(tex.data, cases[i].tex, tex.len) != 0 ||
                            is_display != cases[i].is_display)))
            fail_msg("case %zu", i);
    }
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows, MORE = 4 };
    struct CMUnitTest tests[ROWS + MORE] = {
        cmocka_unit_test(delimiters_and_blanks_are_removed),
        cmocka_unit_test(other_delimiters_stay),
        cmocka_unit_test(classes_mark_formulas),
        cmocka_unit_test(images_show_formulas),
    };
    for (size_t i = 0; i < ROWS; i++)
        tests[MORE + i] = (struct CMUnitTest){ rows[i].before, row_holds, NULL, NULL,
                                               (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
