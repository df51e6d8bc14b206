/* src/dedup/cluster_writer.c: sizes of clusters, in any order of their sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dedup/cluster_writer.h"

/* Joins clusters of these sizes in the order of records. */
static void make(th_union_find *sets, const uint32_t *sizes, size_t count)
{
    uint32_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += sizes[i];
    assert_true(th_union_find_init(sets, all));
    uint32_t at = 0;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t k = 1; k < sizes[i]; k++)
            assert_true(th_union_find_join(sets, at, at + k));
        at += sizes[i];
    }
}

static void the_largest_are_sorted(void **state)
{
    (void)state;
    static const uint32_t sizes[] = { 3, 2, 7, 1, 4, 9, 5, 8, 6, 10, 12, 11 };
    static const uint32_t largest[TH_LARGEST_CLUSTERS] = {
        12, 11, 10, 9, 8, 7, 6, 5, 4, 3
    };
    static const uint32_t first[TH_LARGEST_CLUSTERS] = { 55, 67, 45, 17, 31,
                                                         5,  39, 26, 13, 0 };
    th_union_find sets;
    th_clusters clusters;
    make(&sets, sizes, sizeof sizes / sizeof *sizes);
    assert_int_equal(th_clusters_init(&clusters, &sets, NULL), TH_OK);
    const th_cluster_sizes *summary = &clusters.summary;
    assert_int_equal(summary->clusters, 11);
    assert_int_equal(summary->clustered, 77);
    for (size_t i = 0; i < TH_LARGEST_CLUSTERS; i++) {
        assert_int_equal(summary->largest[i], largest[i]);
        assert_int_equal(summary->representatives[i], first[i]);
    }
    /* 2 | 3-4 | 5-8 | 9-16 */
    assert_int_equal(summary->classes[0], 1);
    assert_int_equal(summary->classes[1], 2);
    assert_int_equal(summary->classes[2], 4);
    assert_int_equal(summary->classes[3], 4);
    th_clusters_done(&clusters);
    th_union_find_done(&sets);
}

static void few_leave_the_rest_empty(void **state)
{
    (void)state;
    static const uint32_t sizes[] = { 2, 3, 2 };
    th_union_find sets;
    th_clusters clusters;
    make(&sets, sizes, 3);
    assert_int_equal(th_clusters_init(&clusters, &sets, NULL), TH_OK);
    assert_int_equal(clusters.summary.largest[0], 3);
    assert_int_equal(clusters.summary.largest[1], 2);
    assert_int_equal(clusters.summary.largest[2], 2);
    assert_int_equal(clusters.summary.largest[3], 0);
    assert_int_equal(clusters.summary.representatives[1], 0);
    assert_int_equal(clusters.summary.representatives[2], 5);
    th_clusters_done(&clusters);
    th_union_find_done(&sets);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_are_sorted),
        cmocka_unit_test(few_leave_the_rest_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
