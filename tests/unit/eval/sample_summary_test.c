/* Means, medians, intervals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "eval/sample_summary.h"

static void middle_values(void **state)
{
    double odd[] = { 5, 1, 3 }, even[] = { 4, 1, 3, 2 };
    const double holes[] = { 1, NAN, 3 };
    (void)state;
    assert_true(th_median(odd, 3) == 3);
    assert_true(th_median(even, 4) == 2.5);
    assert_true(th_median(odd, 0) == 0);
    assert_true(th_mean(holes, 3) == 2);
    assert_true(th_mean(holes, 0) == 0);
}

static void intervals(void **state)
{
    double values[100];
    th_interval interval, again;
    (void)state;
    for (int i = 0; i < 100; i++)
        values[i] = i % 10;
    assert_int_equal(th_bootstrap_mean(values, 100, 2000, &interval), TH_OK);
    assert_int_equal(th_bootstrap_mean(values, 100, 2000, &again), TH_OK);
    assert_true(interval.low == again.low && interval.high == again.high);
    /* The mean is 4.5; its standard error 2.87 / 10: 1.96 of them on either side. */
    assert_true(fabs(interval.low - (4.5 - .563)) < .08);
    assert_true(fabs(interval.high - (4.5 + .563)) < .08);
    for (int i = 0; i < 100; i++)
        values[i] = .25;
    assert_int_equal(th_bootstrap_mean(values, 100, 100, &interval), TH_OK);
    assert_true(interval.low == .25 && interval.high == .25);
    assert_int_equal(th_bootstrap_mean(values, 0, 100, &interval), TH_OK);
    assert_true(interval.low == 0 && interval.high == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(middle_values),
        cmocka_unit_test(intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
