/* src/content/expected_f1.c: the cut equals the best of all prefixes in doubles. */
#include "content/expected_f1.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "make_page.h"

static double quality_at(const uint16_t *score, const uint32_t *tokens, uint32_t count,
                         uint16_t cut, double beta_squared)
{
    double kept = 0, chosen = 0, expected = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double sure = (double)score[i] / TH_PROBABILITY_ONE * tokens[i];
        expected += sure;
        kept += score[i] >= cut ? sure : 0;
        chosen += score[i] >= cut ? tokens[i] : 0;
    }
    const double whole = chosen + beta_squared * expected;
    return whole > 0 ? (1 + beta_squared) * kept / whole : 0;
}

static void no_cut_is_better(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (unsigned round = 0; round < 300; round++) {
        enum { MOST = 40 };
        uint16_t score[MOST];
        uint32_t tokens[MOST];
        const uint32_t count = (uint32_t)(next_random(&seed) % (MOST + 1));
        for (uint32_t i = 0; i < count; i++) {
            score[i] = (uint16_t)next_random(&seed);
            tokens[i] = (uint32_t)(next_random(&seed) % 300);
        }
        const th_cut_taste taste = { (uint32_t[]){ 4, 16, 64 }[round % 3] };
        const double beta_squared = taste.missed / (double)TH_TASTE_ONE;
        const th_best_cut best = th_best_cut_find(score, tokens, count, taste);
        const double found =
            quality_at(score, tokens, count, best.quality ? best.cut : TH_PROBABILITY_ONE,
                       beta_squared);
        if (best.quality)
            assert_true(fabs(found - best.quality / (double)TH_F1_ONE) < 1e-6);
        for (unsigned step = 0; step < 1024; step++)
            assert_true(quality_at(score, tokens, count, (uint16_t)(step << 6),
                                   beta_squared) <= found + 1e-6);
    }
}

static void nothing_is_zero(void **state)
{
    (void)state;
    const th_cut_taste taste = { TH_TASTE_ONE };
    assert_int_equal(th_expected_f1(0, 0, 0, taste), 0);
    assert_int_equal(th_best_cut_find(NULL, NULL, 0, taste).quality, 0);
    assert_int_equal(th_expected_f1(1, 1, 1, taste), TH_F1_ONE);
}

/* As many tokens as the largest page that is allowed has. */
static void large_sums_hold(void **state)
{
    (void)state;
    const th_cut_taste taste = { 64 };
    const uint16_t score[] = { TH_PROBABILITY_ONE, TH_PROBABILITY_ONE };
    const uint32_t tokens[] = { 1u << 30, 1u << 30 };
    assert_int_equal(th_best_cut_find(score, tokens, 2, taste).quality, TH_F1_ONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_cut_is_better),
        cmocka_unit_test(nothing_is_zero),
        cmocka_unit_test(large_sums_hold),
    };
    return cmocka_run_group_tests_name("expected_f1", tests, NULL, NULL);
}
