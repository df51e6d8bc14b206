/* Compares the table with a list: all insertions are found, after any number of resizes. */
#include "index/slot_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "index/key_filter.h"

/* Keys: some at the very ends, some equal, most anywhere. */
static th_index_key key_of(uint32_t i)
{
    const uint32_t any = i * 2654435761u ^ i >> 3;
    switch (i % 8) {
    case 0:
        return i % 800; /* one run at the start */
    case 1:
        return UINT32_MAX - i % 900; /* wraps around the end */
    case 2:
        return any & 0xFFFF0000;
    default:
        return any;
    }
}

static bool holds(const th_slot_table *table, th_index_key key, th_entry_ref ref)
{
    th_entry_ref refs[TH_BUCKET_MAX];
    const unsigned count = th_slot_table_find(table, key, refs);
    for (unsigned i = 0; i < count; i++)
        if (refs[i] == ref)
            return true;
    return false;
}

static void all_are_found_after_every_growth(void **state)
{
    enum { KEYS = 24000 };
    th_slot_table table = { 0 };
    uint64_t slots = 0;
    uint32_t capped = 0, growths = 0;
    static bool is_in[KEYS + 1];
    (void)state;
    for (uint32_t i = 1; i <= KEYS; i++) {
        assert_int_equal(th_slot_table_reserve(&table, 1), TH_OK);
        is_in[i] = th_slot_table_insert(&table, key_of(i), i);
        capped += !is_in[i];
        if (table.slot_count == slots && i != KEYS)
            continue;
        slots = table.slot_count;
        growths++;
        for (uint32_t j = 1; j <= i; j++)
            assert_int_equal(holds(&table, key_of(j), j), is_in[j]);
    }
    assert_int_equal(table.used, KEYS - capped);
    assert_true(growths >= 5);

    /* Another table, of another size, holds the same. */
    th_slot_table other = { 0 };
    assert_int_equal(th_slot_table_reserve(&other, 4 * table.used), TH_OK);
    assert_int_not_equal(other.slot_count, table.slot_count);
    th_slot_table_move(&table, &other);
    for (uint32_t j = 1; j <= KEYS; j++)
        assert_int_equal(holds(&other, key_of(j), j), is_in[j]);
    assert_int_equal(other.used, table.used);
    th_slot_table_done(&other);
    th_slot_table_done(&table);
}

static void a_bucket_has_its_limit(void **state)
{
    th_slot_table table = { 0 };
    th_entry_ref refs[TH_BUCKET_MAX];
    (void)state;
    assert_int_equal(th_slot_table_reserve(&table, 100), TH_OK);
    for (uint32_t i = 1; i <= 100; i++)
        assert_int_equal(th_slot_table_insert(&table, 77, i), i <= TH_BUCKET_MAX);
    assert_int_equal(th_slot_table_find(&table, 77, refs), TH_BUCKET_MAX);
    assert_int_equal(th_slot_table_find(&table, 78, refs), 0);
    th_slot_table_done(&table);
}

static void an_empty_table_finds_nothing(void **state)
{
    const th_slot_table table = { 0 };
    th_entry_ref refs[TH_BUCKET_MAX];
    (void)state;
    assert_int_equal(th_slot_table_find(&table, 1, refs), 0);
}

static void a_filter_lets_its_own_pass_and_few_others(void **state)
{
    enum { KEYS = 20000 };
    th_key_filter filter = { .line_count = th_key_filter_size(KEYS) };
    uint32_t strangers = 0;
    (void)state;
    filter.lines = calloc(filter.line_count, sizeof *filter.lines);
    assert_non_null(filter.lines);
    for (uint32_t i = 0; i < KEYS; i++)
        th_key_filter_add(&filter, i * 2654435761u);
    for (uint32_t i = 0; i < KEYS; i++)
        assert_true(th_key_filter_may_hold(&filter, i * 2654435761u));
    for (uint32_t i = KEYS; i < 11 * KEYS; i++)
        strangers += th_key_filter_may_hold(&filter, i * 2654435761u);
    assert_true(strangers < 10 * KEYS / 40); /* 2.5%; 1.4% is expected */
    free(filter.lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_found_after_every_growth),
        cmocka_unit_test(a_bucket_has_its_limit),
        cmocka_unit_test(an_empty_table_finds_nothing),
        cmocka_unit_test(a_filter_lets_its_own_pass_and_few_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
