/* Compares src/dedup/union_find.c with labels that are rewritten at each union. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dedup/union_find.h"

enum { COUNT = 500 };

/* The label of a set is its smallest number, as the root is. */
static bool relabel(uint32_t labels[COUNT], uint32_t a, uint32_t b)
{
    const uint32_t low = labels[a] < labels[b] ? labels[a] : labels[b];
    const uint32_t high = labels[a] < labels[b] ? labels[b] : labels[a];
    for (uint32_t i = 0; i < COUNT; i++)
        if (labels[i] == high)
            labels[i] = low;
    return low != high;
}

static void agrees_with_labels(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 20; seed++) {
        uint32_t labels[COUNT];
        th_union_find sets;
        unsigned random = seed;
        assert_true(th_union_find_init(&sets, COUNT));
        for (uint32_t i = 0; i < COUNT; i++)
            labels[i] = i;
        for (unsigned step = 0; step < seed * 40; step++) {
            const uint32_t a = (uint32_t)rand_r(&random) % COUNT;
            const uint32_t b = (uint32_t)rand_r(&random) % COUNT;
            assert_int_equal(th_union_find_join(&sets, a, b), relabel(labels, a, b));
            assert_int_equal(th_union_find_root(&sets, a), labels[a]);
        }
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(th_union_find_root(&sets, i), labels[i]);
        th_union_find_done(&sets);
    }
}

static void a_long_chain_is_one_set(void **state)
{
    (void)state;
    enum { LONG = 1000000 };
    th_union_find sets;
    assert_true(th_union_find_init(&sets, LONG));
    for (uint32_t i = LONG - 1; i > 0; i--)
        assert_true(th_union_find_join(&sets, i, i - 1));
    for (uint32_t i = 0; i < LONG; i += 997)
        assert_int_equal(th_union_find_root(&sets, i), 0);
    th_union_find_done(&sets);
    assert_true(th_union_find_init(&sets, 0));
    th_union_find_done(&sets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_labels),
        cmocka_unit_test(a_long_chain_is_one_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
