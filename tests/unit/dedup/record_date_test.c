/* Checks the order of dates as numbers, and that other texts are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dedup/record_date.h"

static uint64_t number_of(const char *date)
{
    return th_record_date((th_view){ date, strlen(date) });
}

/* Dates in ascending order. A step above 0 is the time since the row before, in units of
 * 100 ns. */
static const struct row {
    const char *date;
    uint64_t step;
} rows[] = {
    { "1969-12-31T23:59:59Z", 0 },
    { "2023-12-31T23:59:59Z", 0 },
    { "2024", 0 },
    { "2024-01-01T00:00:00Z", 0 },
    { "2024-01-01T00:00:00.0000001Z", 1 },
    { "2024-01-01T00:00:00.01Z", 99999 },
    { "2024-01-01T00:00:00.12345678Z", 1134567 },
    { "2024-01-01T00:00:00.5", 3765433 },
    { "2024-01-01T00:00:01Z", 5000000 },
    { "2024-01-01T00:00:59Z", 580000000 },
    { "2024-01-01T00:01:00Z", 0 },
    { "2024-01-01T01:00:00Z", 0 },
    { "2024-01-02", 0 },
    { "2024-02", 0 },
    { "2024-12-31T23:59:60Z", 0 },
    { "9999-12-31T23:59:59.9999999Z", 0 },
};

static void dates_are_in_order(void **state)
{
    (void)state;
    for (size_t i = 1; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t before = number_of(rows[i - 1].date);
        const uint64_t now = number_of(rows[i].date);
        assert_true(now >= before);
        assert_true(now < UINT64_MAX);
        if (rows[i].step)
            assert_int_equal(now - before, rows[i].step);
    }
}

static void others_are_no_dates(void **state)
{
    (void)state;
    static const char *const texts[] = { "",           "x",
                                         "202",        "2024-1-02",
                                         "2024/01/02", "2024-01-01 00:00:00",
                                         "20240101",   "2024-01-01T00:00:00+01:00",
                                         "2024-",      "2024-01-01T00:00:00x" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(number_of(texts[i]), UINT64_MAX);
    assert_int_equal(th_record_date((th_view){ NULL, 0 }), UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_in_order),
        cmocka_unit_test(others_are_no_dates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
