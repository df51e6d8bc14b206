/* src/kafka/archive_waits.c: duration of waits, and number of pointers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kafka/archive_waits.h"
#include "outcomes.h"

enum { WAIT = 1000 };

/* Queries at a moment, for a file that changed this long before and has `size` bytes; size
 * -1 if there is none. */
static th_archive_answer ask(th_archive_waits *waits, const char *name, int size,
                             int64_t age, int64_t now)
{
    const int64_t now_1970 = 1700000000000 + now;
    const int64_t changed = now_1970 - age;
    const th_file_identity seen = { .device = 1,
                                    .inode = 2,
                                    .size = (uint64_t)size,
                                    .seconds = changed / 1000,
                                    .nanoseconds = changed % 1000 * 1000000 };
    return th_archive_waits_query(waits, name, size < 0 ? NULL : &seen, now, now_1970);
}

static void a_thousand_pointers_wait_once(void **state)
{
    (void)state;
    th_archive_waits *waits = th_archive_waits_new(WAIT);
    assert_int_equal(ask(waits, "a", -1, 0, 0), TH_ARCHIVE_WAIT_BEGINS);
    assert_int_equal(ask(waits, "a", -1, 0, WAIT - 1), TH_ARCHIVE_WAIT);
    assert_int_equal(ask(waits, "a", -1, 0, WAIT), TH_ARCHIVE_GIVE_UP);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(ask(waits, "a", -1, 0, WAIT + i * WAIT), TH_ARCHIVE_GIVEN_UP);
    assert_int_equal(ask(waits, "b", -1, 0, WAIT), TH_ARCHIVE_WAIT_BEGINS);
    assert_int_equal(th_archive_waits_given_up(waits), 1);
    /* No query for a long time. */
    assert_int_equal(ask(waits, "a", -1, 0, 1100 * WAIT), TH_ARCHIVE_WAIT_BEGINS);
    th_archive_waits_free(waits);
}

static void one_that_grows_is_waited_for(void **state)
{
    (void)state;
    th_archive_waits *waits = th_archive_waits_new(WAIT);
    int64_t now = 0;
    assert_int_equal(ask(waits, "a", -1, 0, now), TH_ARCHIVE_WAIT_BEGINS);
    for (int i = 0; i < 8; i++)
        assert_int_equal(ask(waits, "a", i, 1, now += WAIT - 1), TH_ARCHIVE_WAIT);
    /* It does not change. */
    assert_int_equal(ask(waits, "a", 7, WAIT, now + WAIT), TH_ARCHIVE_GIVE_UP);
    /* The record arrived. Then the wait restarts. */
    th_archive_waits_end(waits, "a");
    assert_int_equal(ask(waits, "a", 9, 1, now + WAIT), TH_ARCHIVE_WAIT_BEGINS);
    th_archive_waits_free(waits);
}

/* For any changes of a file, a wait ends. */
static void every_wait_ends(void **state)
{
    (void)state;
    static const struct {
        int64_t age;
        bool grows;
    } rows[] = { { 1, true }, { -100000, false }, { -100000, true } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_archive_waits *waits = th_archive_waits_new(WAIT);
        int64_t now = 0;
        int size = 5;
        th_archive_answer answer = ask(waits, "a", size, rows[i].age, now);
        assert_int_equal(answer, TH_ARCHIVE_WAIT_BEGINS);
        while (answer != TH_ARCHIVE_GIVE_UP) {
            assert_true(now <= TH_ARCHIVE_PATIENCE * WAIT);
            size += rows[i].grows;
            answer = ask(waits, "a", size, rows[i].age, now += WAIT / 4);
        }
        assert_int_equal(ask(waits, "a", size + 1, rows[i].age, now += WAIT / 4),
                         TH_ARCHIVE_GIVEN_UP);
        th_archive_waits_free(waits);
    }
}

static void an_old_file_and_no_patience_have_no_wait(void **state)
{
    (void)state;
    th_archive_waits *waits = th_archive_waits_new(WAIT);
    assert_int_equal(ask(waits, "a", 5, WAIT, 0), TH_ARCHIVE_GIVEN_UP);
    assert_int_equal(th_archive_waits_given_up(waits), 0); /* there was no wait */
    th_archive_waits_free(waits);
    waits = th_archive_waits_new(0);
    assert_int_equal(ask(waits, "a", -1, 0, 0), TH_ARCHIVE_GIVEN_UP);
    assert_int_equal(ask(waits, "a", 5, 0, 0), TH_ARCHIVE_GIVEN_UP);
    th_archive_waits_free(waits);
}

/* A file that comes in parts after it was given up. */
static void one_that_comes_late_is_waited_for(void **state)
{
    (void)state;
    th_archive_waits *waits = th_archive_waits_new(WAIT);
    (void)ask(waits, "a", -1, 0, 0);
    assert_int_equal(ask(waits, "a", -1, 0, WAIT), TH_ARCHIVE_GIVE_UP);
    assert_int_equal(ask(waits, "a", 100, 1, WAIT + 1), TH_ARCHIVE_WAIT);
    th_archive_waits_free(waits);
}

static void memory_is_bounded(void **state)
{
    (void)state;
    th_archive_waits *waits = th_archive_waits_new(WAIT);
    char name[32];
    for (int i = 0; i < 10 * TH_ARCHIVE_WAITS; i++) {
        (void)snprintf(name, sizeof name, "%d", i);
        assert_int_equal(ask(waits, name, -1, 0, i), TH_ARCHIVE_WAIT_BEGINS);
        assert_int_equal(ask(waits, name, -1, 0, i), TH_ARCHIVE_WAIT);
    }
    assert_int_equal(ask(waits, "0", -1, 0, 99),
                     TH_ARCHIVE_WAIT_BEGINS); /* it was gone */
    th_archive_waits_free(waits);
}

/* More archives than are remembered, in random states. Many ask at the same time. */
static void one_digest_for_random_waits(void **state)
{
    enum { NAMES = TH_ARCHIVE_WAITS + 40 };
    static const int64_t ages[] = { 0, 1, WAIT - 1, WAIT, WAIT + 1, -5000 };
    struct outcomes all = { .chance = 11 };
    int64_t now = 0;
    (void)state;
    for (int round = 0; round < 20; round++) {
        th_archive_waits *waits = th_archive_waits_new(WAIT);
        assert_non_null(waits);
        for (int i = 0; i < 4000; i++) {
            char name[16];
            (void)snprintf(name, sizeof name, "%u", below(&all, NAMES));
            const int size = (int)below(&all, 4) - 1;
            const int64_t age = ages[below(&all, 6)];
            if (below(&all, 20) == 0)
                th_archive_waits_end(waits, name);
            else
                note_number(&all, ask(waits, name, size, age, now));
            if (below(&all, 40) == 0)
                now += below(&all, 12) ? below(&all, 300) : below(&all, 12 * WAIT);
        }
        note_number(&all, th_archive_waits_given_up(waits));
        th_archive_waits_free(waits);
    }
    expect_digest(&all, UINT64_C(0xB7698DFA3B0E8E29));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_pointers_wait_once),
        cmocka_unit_test(one_that_grows_is_waited_for),
        cmocka_unit_test(every_wait_ends),
        cmocka_unit_test(an_old_file_and_no_patience_have_no_wait),
        cmocka_unit_test(one_that_comes_late_is_waited_for),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(one_digest_for_random_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
