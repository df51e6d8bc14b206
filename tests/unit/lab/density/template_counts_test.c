/* Frequent items are found in a stream with more items than the table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/density/template_counts.h"

static uint64_t scattered(uint64_t number)
{
    return number * 0x9E3779B97F4A7C15u;
}

static void frequent_ones_survive(void **state)
{
    enum { STREAM = 5 * TH_TEMPLATES_KEPT, FREQUENT = 8 };
    th_template_counts *counts = th_template_counts_new();
    const th_template *found = NULL;
    uint64_t real[FREQUENT] = { 0 };
    (void)state;
    assert_non_null(counts);
    for (uint64_t i = 0; i < STREAM; i++) {
        th_template_counts_add(counts, scattered(1000 + i), 1, TH_VIEW("rare"));
        for (uint64_t j = 0; j < FREQUENT; j++)
            if (i % (100 * (j + 1)) == 0) {
                th_template_counts_add(counts, scattered(j), 3, TH_VIEW("often"));
                real[j]++;
            }
    }
    const uint64_t error = th_template_counts_error(counts);
    assert_true(error > 0);
    assert_true(th_template_counts_sort(counts, &found) >= TH_TEMPLATES_KEPT);
    for (uint64_t j = 0; j < FREQUENT; j++) {
        assert_int_equal(found[j].fingerprint, scattered(j));
        assert_true(found[j].count <= real[j] && found[j].count + error >= real[j]);
        assert_int_equal(found[j].tokens, 3 * found[j].count);
        assert_int_equal(found[j].sample_len, 5);
    }
    th_template_counts_free(counts);
}

static void exact_while_there_is_capacity(void **state)
{
    static char text[2 * TH_TEMPLATE_SAMPLE];
    th_template_counts *counts = th_template_counts_new();
    const th_template *found = NULL;
    (void)state;
    assert_non_null(counts);
    for (uint64_t i = 0; i < 1000; i++)
        th_template_counts_add(counts, i % 10, 1, (th_view){ text, sizeof text });
    assert_int_equal(th_template_counts_error(counts), 0);
    assert_int_equal(th_template_counts_sort(counts, &found), 10);
    for (uint64_t i = 0; i < 10; i++) {
        assert_int_equal(found[i].fingerprint, i); /* ties by fingerprint */
        assert_int_equal(found[i].count, 100);
        assert_int_equal(found[i].sample_len, TH_TEMPLATE_SAMPLE);
    }
    th_template_counts_free(counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_while_there_is_capacity),
        cmocka_unit_test(frequent_ones_survive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
