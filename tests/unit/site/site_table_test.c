/* src/site/site_table.c: a table keeps what was seen last, within its bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "site/site_table.h"

enum { SITES = 500, PAGES = 3 };

static const th_site_limits limits = { 100, 100, 1 };

/* Site number `number`: its numbers are far apart, so that slots are shared. */
static uint64_t number_of(uint64_t number)
{
    return (number + 1) * 0x9E3779B97F4A7C15u;
}

static void add(th_site_table *table, uint64_t number, uint64_t when)
{
    th_buffer bytes = { 0 };
    const th_site_entry entry = { .site = number_of(number),
                                  .when = when,
                                  .url = (uint32_t)when,
                                  .text = (uint32_t)when,
                                  .hash_count = 2,
                                  .name_len = 3 };
    const uint64_t hashes[2] = { 0x1100, 0x1100 + (when + 1) * 0x100 };
    th_buffer_append(&bytes, (const char *)&entry, sizeof entry);
    th_buffer_append(&bytes, (const char *)hashes, sizeof hashes);
    th_buffer_append(&bytes, "a.b\0\0\0\0\0", 8);
    assert_int_equal(th_site_table_add(table, th_buffer_view(&bytes), &limits), TH_OK);
    th_buffer_done(&bytes);
}

/* Each site has PAGES pages. The last page of site i is number i in time. */
static void fill(th_site_table *table)
{
    for (uint64_t page = 0; page < PAGES; page++)
        for (uint64_t i = 0; i < SITES; i++)
            add(table, i, 1 + page * SITES + i);
}

/* The number of known sites, all of which have all their pages. */
static uint32_t known(const th_site_table *table, uint64_t first, uint64_t end)
{
    uint32_t count = 0;
    for (uint64_t i = first; i < end; i++) {
        th_site site;
        if (th_site_table_find(table, number_of(i), &site) != TH_OK)
            continue;
        assert_int_equal(site.pages, PAGES);
        assert_int_equal(th_site_count(&site, 0x1100), PAGES);
        count++;
    }
    return count;
}

static void the_least_recently_seen_are_forgotten(void **state)
{
    (void)state;
    th_site_table table = { 0 };
    fill(&table);
    assert_int_equal(table.count, SITES);
    assert_int_equal(known(&table, 0, SITES), SITES);
    const uint64_t all = table.bytes;
    assert_int_equal(th_site_table_bound(&table, all), TH_OK);
    assert_int_equal(table.count, SITES); /* they fit */
    assert_int_equal(th_site_table_bound(&table, all - 1), TH_OK);
    /* A tenth more goes, to be done seldom: nearly 450 of the 500 remain. */
    const uint32_t kept = (uint32_t)table.count;
    assert_in_range(kept, SITES * 9 / 10 - 2, SITES * 9 / 10);
    assert_true(table.bytes <= (all - 1) - (all - 1) / 10);
    assert_true(table.bytes > (all - 1) - (all - 1) / 10 - all / SITES - 1);
    assert_int_equal(known(&table, 0, SITES - kept), 0);
    assert_int_equal(known(&table, SITES - kept, SITES), kept);
    /* A forgotten site is new at its next page, and the others are as before. */
    add(&table, 0, 9999);
    th_site site;
    assert_int_equal(th_site_table_find(&table, number_of(0), &site), TH_OK);
    assert_int_equal(site.pages, 1);
    assert_int_equal(table.count, kept + 1);
    assert_int_equal(known(&table, SITES - kept, SITES), kept);
    /* It was seen last, so that it remains alone. */
    assert_int_equal(th_site_table_bound(&table, table.bytes / kept * 3 / 2), TH_OK);
    assert_int_equal(table.count, 1);
    assert_int_equal(th_site_table_find(&table, number_of(0), &site), TH_OK);
    assert_int_equal(th_site_table_bound(&table, 0), TH_OK);
    assert_int_equal(table.count, 0);
    assert_int_equal(table.bytes, 0);
    assert_int_equal(th_site_table_find(&table, number_of(0), &site), TH_ABSENT);
    fill(&table);
    assert_int_equal(known(&table, 0, SITES), SITES);
    assert_int_equal(table.bytes, all);
    th_site_table_done(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_recently_seen_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
