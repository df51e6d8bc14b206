/* Dates as pages write them; the forms come from our corpora. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/iso_date.h"

#define OTHER ""     /* TH_DATE_OTHER */
#define UNSET "none" /* TH_DATE_UNSET */

/* clang-format off */
static const struct row { const char *in, *want; } rows[] = {
    /* ISO 8601, and it stays as it is */
    { "2017", "2017" },
    { "2017-06", "2017-06" },
    { "2017-06-05", "2017-06-05" },
    { "2017-06-05T12:30", "2017-06-05T12:30" },
    { "2017-06-05T12:30Z", "2017-06-05T12:30Z" },
    { "2017-06-05T12:30:00", "2017-06-05T12:30:00" },
    { "2017-06-05T12:30:00Z", "2017-06-05T12:30:00Z" },
    { "2017-06-05T12:30:00+02:00", "2017-06-05T12:30:00+02:00" },
    { "2017-06-05T12:30:00.123-03:30", "2017-06-05T12:30:00.123-03:30" },
    { "2017-06-30T23:59:60Z", "2017-06-30T23:59:60Z" },
    { "2016-02-29", "2016-02-29" },
    { "2000-02-29", "2000-02-29" },
    /* nearly */
    { "  2017-06-05  ", "2017-06-05" },
    { "2017-6-5", "2017-06-05" },
    { "2017/06/05", "2017-06-05" },
    { "2017.06.05 9:05", "2017-06-05T09:05" },
    { "2017-06-05t12:30:00z", "2017-06-05T12:30:00Z" },
    { "2017-06-05 12:30:00", "2017-06-05T12:30:00" },
    { "2017-06-05 12:30:00Z", "2017-06-05T12:30:00Z" },
    { "2017-06-05 12:30:00 +0000", "2017-06-05T12:30:00+00:00" },
    { "2017-06-05T12:30:00+0200", "2017-06-05T12:30:00+02:00" },
    { "2017-06-05T12:30+02", "2017-06-05T12:30+02:00" },
    { "2017-06-05T12:30:00,5Z", "2017-06-05T12:30:00.5Z" },
    { "2017-06-05T12:30:00.1234567891234Z", "2017-06-05T12:30:00.123456789Z" },
    { "2017-06-05 12:30:00 UTC", "2017-06-05T12:30:00Z" },
    { "2017-06-05 12:30:00 EST", "2017-06-05T12:30:00-05:00" },
    { "2017-06-05 12:30:00 +0000 UTC", "2017-06-05T12:30:00+00:00" },
    { "2017-06-05 12:30:00 +0000 +0000", "2017-06-05T12:30:00+00:00" },
    { "2017-06-05 3:30 PM", "2017-06-05T15:30" },
    { "2017-06-05 12:30 am", "2017-06-05T00:30" },
    { "20170605", "2017-06-05" },
    { "20170605T123000Z", "2017-06-05T12:30:00Z" },
    { "20170605T1230", "2017-06-05T12:30" },
    { "20170605 12:30", "2017-06-05T12:30" },
    { "20170605123000", "2017-06-05T12:30:00" },
    /* month in letters */
    { "Mon, 05 Jun 2017 12:30:00 +0200", "2017-06-05T12:30:00+02:00" },
    { "Mon, 05 Jun 2017 12:30:00 GMT", "2017-06-05T12:30:00Z" },
    { "5 Jun 2017", "2017-06-05" },
    { "Mon Jun  5 12:30:00 2017", "2017-06-05T12:30:00" },
    { "Mon Jun 05 12:30:00 UTC 2017", "2017-06-05T12:30:00Z" },
    { "Wed Mar 08 12:30:00 EDT 2017", "2017-03-08T12:30:00-04:00" },
    { "Wed Aug 27 13:08:45 +0000 2008", "2008-08-27T13:08:45+00:00" },
    { "Mon Jun 05 2017 12:30:00 GMT+0200 (CEST)", "2017-06-05T12:30:00+02:00" },
    { "June 5, 2017", "2017-06-05" },
    { "JUNE 5TH 2017", "2017-06-05" },
    { "Sept. 5, 2017", "2017-09-05" },
    { "Monday, June 5, 2017 3:30 PM", "2017-06-05T15:30" },
    { "Friday, December 14, 2012, 10:18 AM", "2012-12-14T10:18" },
    { "June 5, 2017 at 12:00 pm", "2017-06-05T12:00" },
    { "05-Jun-2017", "2017-06-05" },
    { "2017-Jun-05", "2017-06-05" },
    { "April 2017", "2017-04" },
    /* not safe */
    { "05/06/2017", OTHER },
    { "5.6.2017", OTHER },
    { "05062017", OTHER },
    { "05/06/17", OTHER },
    { "Mon, 05 Jun 17 12:30:00 GMT", OTHER },
    { "2017-06-05 12:30:00 CST", OTHER },
    { "Mar 14, 2024, 3:05 pm IST", OTHER },
    { "5 juin 2017", OTHER },
    { "5 6 June 2017", OTHER },
    { "June July 2017", OTHER },
    { "June 5, 2017 12:30 13:30", OTHER },
    { "June 5, 2017 12:30 GMT GMT", OTHER },
    { "June 5, 2017 0:30 PM", OTHER },
    { "June 5xx, 2017", OTHER },
    { "June 2017 12:30", OTHER },
    { "June 5", OTHER },
    { "Monday", OTHER },
    { "2017-13-05", OTHER },
    { "2017-02-29", OTHER },
    { "1900-02-29", OTHER },
    { "2017-06-31", OTHER },
    { "2017-00-05", OTHER },
    { "2017-06-05T24:00", OTHER },
    { "2017-06-05T12:60", OTHER },
    { "2017-06-05T12", OTHER },
    { "2017-06-05T", OTHER },
    { "2017-06-05T12:30:", OTHER },
    { "2017-06-05T12:30:00.", OTHER },
    { "2017-06-05T12:30:00+15:00", OTHER },
    { "2017-06-05T12:30:00+1", OTHER },
    { "2017-06-05T12:30:00 and more", OTHER },
    { "2017-06/05", OTHER },
    { "2017-06-05-07", OTHER },
    { "2017-06 12:30", OTHER },
    { "1496665800", OTHER },
    { "never", OTHER },
    { "", OTHER },
    { "-", OTHER },
    { "+", OTHER },
    { "-2017-06-05", OTHER },
    /* the zeros of databases */
    { "0000-00-00", UNSET },
    { "0000-00-00 00:00:00", UNSET },
    { "0001-01-01T00:00:00Z", UNSET },
    { "-0001-11-30T00:00:00+00:00", UNSET },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    const size_t in_len = strlen(row->in);
    char *copy = malloc(in_len ? in_len : 1); /* exact size, for the sanitizer */
    assert_non_null(copy);
    memcpy(copy, row->in, in_len);
    char out[TH_ISO_DATE_MAX], again[TH_ISO_DATE_MAX];
    size_t len = 99;
    const th_date_kind kind = th_iso_date((th_view){ copy, in_len }, out, &len);
    free(copy);
    if (strcmp(row->want, OTHER) == 0 || strcmp(row->want, UNSET) == 0) {
        assert_int_equal(kind, *row->want ? TH_DATE_UNSET : TH_DATE_OTHER);
        assert_int_equal(len, 99);
        return;
    }
    assert_int_equal(kind, TH_DATE_ISO);
    assert_int_equal(len, strlen(row->want));
    assert_memory_equal(out, row->want, len);
    /* normalised is normal */
    assert_int_equal(th_iso_date((th_view){ out, len }, again, &len), TH_DATE_ISO);
    assert_int_equal(len, strlen(row->want));
    assert_memory_equal(again, row->want, len);
}

static void absent_is_no_date(void **state)
{
    (void)state;
    char out[TH_ISO_DATE_MAX];
    size_t len = 0;
    assert_int_equal(th_iso_date((th_view){ NULL, 0 }, out, &len), TH_DATE_OTHER);
}

static void length_has_a_limit(void **state)
{
    (void)state;
    char text[129], out[TH_ISO_DATE_MAX];
    size_t len = 0;
    memset(text, ' ', sizeof text);
    memcpy(text, "2017-06-05", 10);
    assert_int_equal(th_iso_date((th_view){ text, 128 }, out, &len), TH_DATE_ISO);
    assert_int_equal(th_iso_date((th_view){ text, 129 }, out, &len), TH_DATE_OTHER);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof rows[0] };
    static struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].in, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(absent_is_no_date);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(length_has_a_limit);
    return cmocka_run_group_tests_name("iso_date", tests, NULL, NULL);
}
