/* Compares probabilities in integers with the C library. */
#include "content/log_odds.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void exponentials_are_right(void **state)
{
    (void)state;
    for (uint64_t d = 0; d < 25 * 65536; d += 97) {
        const double want = exp(-(double)d / 65536) * (1 << 30);
        const double error = fabs(th_exp_minus(d) - want);
        assert_true(d >= 22 * 65536 ? th_exp_minus(d) == 0 : error <= want / 30000 + 1);
    }
    assert_int_equal(th_exp_minus(0), 1 << 30);
    assert_int_equal(th_exp_minus(UINT64_MAX), 0);
}

static void the_logistic_function_is_right(void **state)
{
    (void)state;
    uint16_t before = 0;
    for (int64_t z = -30 * 65536; z <= 30 * 65536; z += 1013) {
        const double want = 65535 / (1 + exp(-(double)z / 65536));
        const uint16_t p = th_logistic(z);
        assert_true(fabs(p - want) <= 1.5);
        assert_true(p >= before);
        assert_int_equal(th_logistic(-z), TH_PROBABILITY_ONE - p);
        before = p;
    }
    assert_int_equal(th_logistic(0), 32768);
    assert_int_equal(th_logistic(INT64_MIN), 0);
    assert_int_equal(th_logistic(INT64_MAX), TH_PROBABILITY_ONE);
}

static void classes_share_one(void **state)
{
    (void)state;
    uint16_t p[3];
    th_softmax((const int64_t[]){ 7, 7, 7 }, 3, p);
    for (int i = 0; i < 3; i++)
        assert_int_equal(p[i], 21845);
    /* e^0 : e^-1 : e^-2 */
    th_softmax((const int64_t[]){ 3 * 65536, 2 * 65536, 65536 }, 3, p);
    assert_in_range(p[0], 43595, 43601); /* .66524 */
    assert_in_range(p[1], 16036, 16040); /* .24473 */
    assert_in_range(p[2], 5897, 5901);   /* .09003 */
    th_softmax((const int64_t[]){ INT64_MIN, INT64_MAX, 0 }, 3, p);
    assert_int_equal(p[1], TH_PROBABILITY_ONE);
    assert_int_equal(p[0] + p[2], 0);
    th_softmax((const int64_t[]){ -5 }, 1, p);
    assert_int_equal(p[0], TH_PROBABILITY_ONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponentials_are_right),
        cmocka_unit_test(the_logistic_function_is_right),
        cmocka_unit_test(classes_share_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
