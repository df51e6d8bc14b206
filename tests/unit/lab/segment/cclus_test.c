/* cclus: the reference's small cases and pages, and brute force. */
#include "lab/segment/cclus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lab/segment/lab_segmenters.h"
#include "lab/segment/split_mix.h"
#include "make_page.h"
#include "segment/fixed_point.h"
#include "segment/vectors.h"

enum { MOST = 64, MOST_RANDOM = 12 };

static void check_result(json_val want, int64_t cost, const uint32_t *label_of,
                         uint32_t count)
{
    assert_int_equal(cost, integer_at(want, 0));
    check_numbers(element(want, 1), label_of, count);
}

static void toys_are_the_references(void **unused)
{
    (void)unused;
    json *file = load_vectors("cclus.json");
    json_val toys = member(file, "toys");
    th_arena *arena = th_arena_new(0);
    for (uint32_t i = 0; i < length_of(toys); i++) {
        json_val toy = element(toys, i), matrix = member(toy, "v");
        const uint32_t count = length_of(matrix);
        const int32_t lambda = (int32_t)integer(member(toy, "lambda"));
        uint64_t seed = (uint64_t)integer(member(toy, "seed"));
        int16_t v[MOST * MOST];
        uint32_t label_of[MOST];
        int64_t cost = 0;
        assert_true(count <= MOST);
        for (uint32_t b = 1, pair = 0; b < count; b++) {
            for (uint32_t a = 0; a < b; a++)
                v[pair++] = (int16_t)integer_at(element(matrix, b), a);
        }
        assert_int_equal(
            th_cclus_cluster(count, v, lambda, seed, 1, arena, label_of, &cost), TH_OK);
        check_result(member(toy, "one_trial"), cost, label_of, count);
        assert_int_equal(th_cclus_cluster(count, v, lambda, seed, TH_CCLUS_TRIALS, arena,
                                          label_of, &cost),
                         TH_OK);
        check_result(member(toy, "best"), cost, label_of, count);
        assert_true(cost >= integer(member(toy, "optimum")));
        th_split_mix_permute(&seed, count, label_of);
        check_numbers(member(toy, "first_permutation"), label_of, count);
        th_arena_reset(arena);
    }
    th_arena_free(arena);
    json_free(file);
}

static void pages_are_the_references(void **unused)
{
    (void)unused;
    th_segment_model model;
    const th_options opt = vector_options(&th_cclus_model, &model);
    json *file = load_vectors("cclus.json");
    json_val pages = member(file, "pages");
    th_arena *arena = th_arena_new(0);
    for (uint32_t i = 0; i < length_of(pages); i++) {
        json_val want = element(pages, i), pairs = member(want, "pairs");
        th_page *page = vector_page(string(member(want, "name")), arena);
        th_text_tree tree;
        th_cclus_stats facts;
        uint32_t segment_of[MOST];
        assert_int_equal(th_text_tree_build(page, 0, arena, &tree), TH_OK);
        assert_int_equal(th_cclus_facts_gather(page, &tree, arena, &facts), TH_OK);
        for (uint32_t k = 0; k < length_of(pairs); k++) {
            json_val pair = element(pairs, k);
            int32_t features[TH_CCLUS_FEATURES];
            th_cclus_pair_features(&facts, tree.leaves[integer_at(pair, 0)],
                                   tree.leaves[integer_at(pair, 1)], features);
            for (uint32_t f = 0; f < TH_CCLUS_FEATURES; f++)
                assert_int_equal(features[f], integer_at(element(pair, 2), f));
            const int64_t z =
                th_fixed_dot(features, model.final.of, TH_CCLUS_FEATURES) >> 16;
            assert_int_equal(th_fixed_sigmoid(z), integer_at(pair, 3));
        }
        assert_int_equal(th_cclus.segment(page, &opt, arena, segment_of), TH_OK);
        check_numbers(member(want, "segment_of"), segment_of, page->block_count);
        th_arena_reset(arena);
    }
    th_arena_free(arena);
    json_free(file);
}

/* Properties of each result: the cost equals the cost of the labels, the labels have no gaps
 * and increase by first leaf, and more trials never cost more. */
static void random_clusters_hold(void **unused)
{
    (void)unused;
    uint64_t random = 31;
    th_arena *arena = th_arena_new(0);
    for (uint32_t round = 0; round < 2000; round++) {
        const uint32_t count = 1 + (uint32_t)(next_random(&random) % MOST_RANDOM);
        const int32_t lambda = (int32_t)(next_random(&random) % 2048);
        int16_t v[MOST_RANDOM * (MOST_RANDOM - 1) / 2];
        for (uint32_t i = 0; i < count * (count - 1) / 2; i++)
            v[i] = (int16_t)(next_random(&random) % (TH_ONE + 1));
        uint32_t label_of[MOST_RANDOM], labels = 0;
        int64_t before = INT64_MAX;
        for (uint32_t trials = 1; trials <= 4; trials++) {
            int64_t cost = 0, sum = 0;
            assert_int_equal(
                th_cclus_cluster(count, v, lambda, round, trials, arena, label_of, &cost),
                TH_OK);
            for (uint32_t j = 1; j < count; j++) {
                for (uint32_t i = 0; i < j; i++) {
                    if (label_of[i] == label_of[j])
                        sum += (int64_t)TH_ONE * TH_ONE -
                               (int64_t)(TH_ONE + lambda) * v[j * (j - 1) / 2 + i];
                }
            }
            assert_int_equal(sum, cost);
            assert_true(cost <= before);
            before = cost;
        }
        for (uint32_t i = 0; i < count; i++) {
            assert_true(label_of[i] <= labels);
            labels += label_of[i] == labels;
        }
        th_arena_reset(arena);
    }
    th_arena_free(arena);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(toys_are_the_references),
        cmocka_unit_test(pages_are_the_references),
        cmocka_unit_test(random_clusters_hold),
    };
    return run_vector_tests(argc, argv, tests, sizeof tests / sizeof *tests);
}
