/* Multisets: their intersection, and shingles of short texts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "eval/extraction/overlap.h"

static th_hash_list list(const char *letters)
{
    th_hash_list out = { 0 };
    for (; *letters; letters++)
        assert_int_equal(th_hash_list_add(&out, (uint64_t)*letters), TH_OK);
    return out;
}

static const struct row {
    const char *gold, *found;
    uint64_t common, gold_only, found_only;
} rows[] = {
    { "", "", 0, 0, 0 },         { "abc", "cab", 3, 0, 0 }, { "aab", "abb", 2, 1, 1 },
    { "abc", "", 0, 3, 0 },      { "", "abc", 0, 0, 3 },    { "aaaa", "aa", 2, 2, 0 },
    { "abcd", "wxyz", 0, 4, 4 },
};

static void rows_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_hash_list gold = list(rows[i].gold), found = list(rows[i].found);
        const th_overlap overlap = th_overlap_count(&gold, &found);
        assert_int_equal(overlap.common, rows[i].common);
        assert_int_equal(overlap.gold_only, rows[i].gold_only);
        assert_int_equal(overlap.found_only, rows[i].found_only);
        assert_int_equal(isnan(th_overlap_precision(&overlap)), !*rows[i].found);
        assert_int_equal(isnan(th_overlap_recall(&overlap)), !*rows[i].gold);
        th_hash_list_done(&gold);
        th_hash_list_done(&found);
    }
}

static void shingles_are_windows_of_four(void **state)
{
    static const size_t want[] = { 0, 1, 1, 1, 1, 2, 3 };
    static const char *const texts[] = {
        "", "a", "ab", "abc", "abcd", "abcde", "abcdef"
    };
    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        th_hash_list words = list(texts[i]), shingles = { 0 };
        assert_int_equal(th_overlap_shingles(&words, &shingles), TH_OK);
        assert_int_equal(shingles.count, want[i]);
        th_hash_list_done(&words);
        th_hash_list_done(&shingles);
    }
}

static void order_counts_within_a_shingle(void **state)
{
    th_hash_list a = list("abcd"), b = list("abdc"), x = { 0 }, y = { 0 };
    (void)state;
    assert_int_equal(th_overlap_shingles(&a, &x), TH_OK);
    assert_int_equal(th_overlap_shingles(&b, &y), TH_OK);
    assert_true(x.hashes[0] != y.hashes[0]);
    th_hash_list *const all[] = { &a, &b, &x, &y };
    for (int i = 0; i < 4; i++)
        th_hash_list_done(all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold),
        cmocka_unit_test(shingles_are_windows_of_four),
        cmocka_unit_test(order_counts_within_a_shingle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
