/* The mixture: recovers its parameters, and reports a missing mixture. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/density/density_mixture.h"
#include "lab/density/nelder_mead.h"

/* The thesis's own figures for 356,437 British pages. [K11 §4.3.2] */
static const th_density_mixture of_the_thesis = {
    .x_norm = 36,
    .a1 = 68.03,
    .b1 = 132.5,
    .a2 = 4.034,
    .b2 = 54.49,
    .c = .015,
    .d = .64,
    .e = 78.87,
    .mu = 28.65 - 7.834,
    .sigma = 2.547351,
};

static double total(const th_density_mixture *mixture, double density)
{
    const th_density_parts parts = th_density_mixture_at(mixture, density);
    return parts.dense + parts.sparse + parts.normal;
}

static void finds_the_thesis_again(void **state)
{
    uint64_t tokens[TH_DENSITY_BINS] = { 0 };
    double all = 0;
    th_density_mixture found;
    (void)state;
    for (int i = 0; i <= 36; i++)
        all += total(&of_the_thesis, i);
    for (int i = 0; i <= 36; i++)
        tokens[i] = (uint64_t)(total(&of_the_thesis, i) / all * 1e9);
    tokens[36] += 2000000; /* so that x_norm is the same: 2 in 1000 */
    assert_true(th_density_mixture_fit(tokens, &found));
    assert_true(found.x_norm == 36);
    assert_true(found.r2 > .999);
    assert_true(found.rmse < .002);
    const double dense = (found.a1 - 1) / (found.a1 + found.b1 - 2) * 36;
    const double sparse = (found.a2 - 1) / (found.a2 + found.b2 - 2) * 36;
    assert_true(fabs(dense - 12.15) < .1);
    assert_true(fabs(sparse - 1.93) < .1);
    assert_true(fabs(found.d - .64) < .05);
    assert_true(fabs(found.mu / found.e - of_the_thesis.mu / of_the_thesis.e) < .01);
}

static void nothing_to_fit(void **state)
{
    uint64_t tokens[TH_DENSITY_BINS] = { 0 };
    th_density_mixture found;
    (void)state;
    assert_false(th_density_mixture_fit(tokens, &found));
    for (int i = 0; i < 9; i++)
        tokens[i * 3] = 100;
    assert_false(th_density_mixture_fit(tokens, &found));
    tokens[27] = 100; /* the tenth density */
    assert_true(th_density_mixture_fit(tokens, &found));
    for (int i = 0; i < 64; i++)
        tokens[i] = 1; /* flat: a poor fit, and no trouble */
    assert_true(th_density_mixture_fit(tokens, &found));
    assert_true(isfinite(found.rmse));
}

/* Rosenbrock's valley, with its lowest point at (1, 1). */
static double valley(void *context, const double *x)
{
    (void)context;
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    return a * a + 100 * b * b;
}

static double nowhere(void *context, const double *x)
{
    ++*(uint32_t *)context;
    (void)x;
    return NAN;
}

static void simplex(void **state)
{
    double x[2] = { -1.2, 1 };
    uint32_t calls = 0;
    (void)state;
    assert_true(th_nelder_mead(valley, NULL, x, .5, 2, 2000) < 1e-9);
    assert_true(fabs(x[0] - 1) < 1e-3 && fabs(x[1] - 1) < 1e-3);
    (void)th_nelder_mead(nowhere, &calls, x, .5, 2, 100);
    assert_true(calls <= 110); /* bounded for any function */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simplex),
        cmocka_unit_test(finds_the_thesis_again),
        cmocka_unit_test(nothing_to_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
