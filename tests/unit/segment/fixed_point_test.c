/* Compares the integers of the learned segmenters with the vectors and their
 * definitions. */
#include "segment/fixed_point.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lab/segment/split_mix.h"
#include "segment/vectors.h"

static void arithmetic_is_the_references(void **state)
{
    (void)state;
    json *file = load_vectors("arithmetic.json");
    json_val rows = member(file, "lg");
    for (uint32_t i = 0; i < length_of(rows); i++) {
        json_val row = element(rows, i);
        assert_int_equal(th_fixed_lg((uint32_t)integer_at(row, 0)), integer_at(row, 1));
    }
    rows = member(file, "ratio");
    for (uint32_t i = 0; i < length_of(rows); i++) {
        json_val row = element(rows, i);
        assert_int_equal(
            th_fixed_ratio((uint64_t)integer_at(row, 0), (uint64_t)integer_at(row, 1)),
            integer_at(row, 2));
    }
    rows = member(file, "sigmoid_table");
    for (uint32_t i = 0; i < length_of(rows); i++)
        assert_int_equal(th_fixed_sigmoid(32 * (int64_t)i), integer_at(rows, i));
    rows = member(file, "sigmoid");
    for (uint32_t i = 0; i < length_of(rows); i++) {
        json_val row = element(rows, i);
        assert_int_equal(th_fixed_sigmoid(integer_at(row, 0)), integer_at(row, 1));
    }
    json_free(file);
}

static void random_numbers_are_the_references(void **state)
{
    (void)state;
    json *file = load_vectors("random.json");
    json_val streams = member(file, "streams");
    for (uint32_t i = 0; i < length_of(streams); i++) {
        json_val stream = element(streams, i);
        uint64_t seed = strtoull(string(member(stream, "seed")), NULL, 10);
        json_val next = member(stream, "next"), below = member(stream, "below_10");
        for (uint32_t k = 0; k < length_of(next); k++)
            assert_true(th_split_mix_next(&seed) ==
                        strtoull(string(element(next, k)), NULL, 16));
        for (uint32_t k = 0; k < length_of(below); k++)
            assert_int_equal(th_split_mix_below(&seed, 10), integer_at(below, k));
        uint32_t permutation[10];
        th_split_mix_permute(&seed, 10, permutation);
        check_numbers(member(stream, "permutation_10"), permutation, 10);
    }
    json_free(file);
}

static void roots_are_whole(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t i = 0; i < 100000; i++) {
        const uint64_t n = th_split_mix_next(&seed) >> (i % 64);
        const uint64_t root = th_fixed_sqrt(n);
        assert_true(root * root <= n);
        assert_true(root == UINT32_MAX || (root + 1) * (root + 1) > n);
    }
}

static void extremes_stay_in_range(void **state)
{
    (void)state;
    assert_int_equal(th_fixed_lg(UINT32_MAX), 32 * TH_ONE);
    assert_int_equal(th_fixed_ratio(UINT32_MAX, UINT32_MAX), TH_ONE);
    assert_int_equal(th_fixed_sigmoid(INT64_MAX), TH_ONE);
    assert_int_equal(th_fixed_sigmoid(-INT64_MAX), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_is_the_references),
        cmocka_unit_test(random_numbers_are_the_references),
        cmocka_unit_test(roots_are_whole),
        cmocka_unit_test(extremes_stay_in_range),
    };
    return run_vector_tests(argc, argv, tests, sizeof tests / sizeof *tests);
}
