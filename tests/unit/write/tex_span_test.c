/* src/write/tex_span.c: which texts between dollars and other delimiters are formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "write/tex_span.h"

/* NULL: no formula. The text begins at a '^', which is left out. */
static const struct row {
    const char *text;
    const char *without,
        *with; /* the formula, on a page without a renderer and with one */
    bool is_display;
} rows[] = {
    /* clang-format off */
    /* dollars: TeX by its signs */
    { "^$\\alpha$", "\\alpha", "\\alpha", false },
    { "is ^$x^2$.", "x^2", "x^2", false },
    { "^$x^{2}$", "x^{2}", "x^{2}", false },
    { "^$x^n$", "x^n", "x^n", false },
    { "^$^2$", NULL, "^2", false },
    { "^$x_1$", "x_1", "x_1", false },
    { "^$x_{12}$", "x_{12}", "x_{12}", false },
    { "^$x_i$", "x_i", "x_i", false },
    { "^$x_i+1$", "x_i+1", "x_i+1", false },
    { "^$ab_cd$", NULL, "ab_cd", false },
    { "^$1_a$", NULL, "1_a", false },
    { "^$_i$", NULL, "_i", false },
    { "^$x$", NULL, "x", false },
    { "^$a + b$", NULL, "a + b", false },
    /* words */
    { "^$one two$", NULL, NULL, false },
    { "^$on two$", NULL, "on two", false },
    { "^$one, two$", NULL, "one, two", false },
    { "^$one  two$", NULL, NULL, false },
    { "^$one 2 two$", NULL, "one 2 two", false },
    { "^$one x two$", NULL, "one x two", false },
    { "^$one+two three$", NULL, NULL, false },
    { "^$x^2 one two$", NULL, NULL, false },
    { "^$\\text{one two}$", "\\text{one two}", "\\text{one two}", false },
    /* prices */
    { "^$5 or 6$", NULL, NULL, false },
    { "^$5$", NULL, "5", false },
    { "^$5 6$", NULL, "5 6", false },
    { "^$5+6+7$", NULL, "5+6+7", false },
    { "^$5 \\cdot 6$", "5 \\cdot 6", "5 \\cdot 6", false },
    /* what is next to the dollars */
    { "^$ x^2$", NULL, NULL, false },
    { "^$x^2 $", NULL, NULL, false },
    { "US^$x^2$", NULL, NULL, false },
    { "9^$x^2$", NULL, NULL, false },
    { "(^$x^2$)", "x^2", "x^2", false },
    { "^$x^2$s", NULL, NULL, false },
    { "^$x^2$9", NULL, NULL, false },
    { "^$x^2$$", NULL, NULL, false },
    { "^$x^2", NULL, NULL, false },
    { "^$", NULL, NULL, false },
    { "^$\\$x^2$", "\\$x^2", "\\$x^2", false },
    { "^$x^2\\$", NULL, NULL, false },
    /* two dollars */
    { "^$$x^2$$", "x^2", "x^2", true },
    { "a^$$ x^2 $$b", "x^2", "x^2", true },
    { "^$$x$$", NULL, "x", true },
    { "^$$one two$$", NULL, "one two", true },
    { "^$$$$", NULL, NULL, false },
    { "^$$ $$", NULL, NULL, false },
    { "^$$x^2$", NULL, NULL, false },
    /* parentheses and brackets */
    { "^\\(x^2\\)", "x^2", "x^2", false },
    { "^\\( x \\)", NULL, "x", false },
    { "^\\[x^2\\]", "x^2", "x^2", true },
    { "^\\[x\\]", NULL, "x", true },
    { "^\\[x^2\\)", NULL, NULL, false },
    { "^\\(x^2$$\\)", NULL, NULL, false },
    { "^\\(\\)", NULL, NULL, false },
    { "^\\{x^2\\}", NULL, NULL, false },
    { "^\\", NULL, NULL, false },
    /* environments */
    { "^\\begin{align}x&=1\\end{align}.", "\\begin{align}x&=1\\end{align}", "\\begin{align}x&=1\\end{align}", true },
    { "^\\begin{align*}\\end{align}\\end{align*}", "\\begin{align*}\\end{align}\\end{align*}", "\\begin{align*}\\end{align}\\end{align*}", true },
    { "^\\begin{multline}x\\end{multline}", "\\begin{multline}x\\end{multline}", "\\begin{multline}x\\end{multline}", true },
    { "^\\begin{table}x\\end{table}", NULL, NULL, false },
    { "^\\begin{align}x\\end{align*}", NULL, NULL, false },
    { "^\\begin{align}x\\end{align", NULL, NULL, false },
    { "^\\begin{align", NULL, NULL, false },
    { "^\\beginning{align}x\\end{align}", NULL, NULL, false },
    /* clang-format on */
};

static void row_holds(void **state)
{
    const struct row *row = *state;
    char bytes[128];
    const size_t at = strcspn(row->text, "^");
    (void)snprintf(bytes, sizeof bytes, "%.*s%s", (int)at, row->text, row->text + at + 1);
    const th_view text = { bytes, strlen(bytes) };
    for (int has_tex = 0; has_tex < 2; has_tex++) {
        const char *want = has_tex ? row->with : row->without;
        th_tex_span span = { .end = 0 };
        assert_int_equal(th_tex_span_at(text, at, has_tex, &span), want != NULL);
        if (!want)
            continue;
        assert_int_equal(span.tex.len, strlen(want));
        assert_memory_equal(span.tex.data, want, span.tex.len);
        assert_int_equal(span.is_display, row->is_display);
        assert_true(span.end >= at + span.tex.len && span.end <= text.len);
        assert_true(span.end == text.len || strchr(".)b", text.data[span.end]));
    }
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].text, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
