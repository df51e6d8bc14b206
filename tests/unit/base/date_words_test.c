/* Dates in running text: dates found, their locations, and texts that are not dates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/date_words.h"

static const struct row {
    const char *text, *language, *want; /* "" = none */
} rows[] = {
    { "2025-12-18", "", "2025-12-18" },
    { "on 2025/12/18, 10:30", "", "2025-12-18" },
    { "18.12.2025", "", "2025-12-18" },
    { "Dec 18, 2025", "", "2025-12-18" },
    { "Posted December 18th, 2025 by Ada", "", "2025-12-18" },
    { "18 December 2025", "", "2025-12-18" },
    { "18th of December, 2025", "", "2025-12-18" },
    { "18. Dezember 2025", "de", "2025-12-18" },
    { "18 de diciembre de 2025", "es", "2025-12-18" },
    { "1er ao\xC3\xBBt 2025", "fr", "2025-08-01" },
    { "18 \xD0\xB4\xD0\xB5\xD0\xBA\xD0\xB0\xD0\xB1\xD1\x80\xD1\x8F 2025", "ru",
      "2025-12-18" },
    { "18 Aral\xC4\xB1k 2025", "tr", "2025-12-18" },
    { "2025\xE5\xB9\xB4"
      "12\xE6\x9C\x88"
      "18\xE6\x97\xA5",
      "zh", "2025-12-18" },
    { "2025\xEB\x85\x84 12\xEC\x9B\x94 18\xEC\x9D\xBC", "ko", "2025-12-18" },
    { "12/18/2025", "", "2025-12-18" },
    { "18/12/2025", "", "2025-12-18" },
    { "18 Dec\xC2\xA0"
      "2025",
      "", "2025-12-18" },     /* a space that does not break */
    { "05/06/2025", "", "" }, /* ambiguous */
    { "05/06/2025", "en", "" },
    { "05/06/2025", "en-US", "2025-05-06" },
    { "05/06/2025", "en-GB", "2025-06-05" },
    { "05/06/2025", "fr", "2025-06-05" },
    { "5. listopada 2025", "hr", "2025-10-05" },
    { "5 listopada 2025", "pl", "2025-11-05" },
    { "5 listopada 2025", "", "" },
    { "30 February 2025", "", "" },
    { "13/13/2025", "", "" },
    { "1.2.3", "", "" },
    { "version 10.12.2025.4", "", "2025-12-10" },
    { "1 January 1970", "", "1970-01-01" },
    { "31 December 1969", "", "" },
    { "31 December 2099", "", "2099-12-31" },
    { "1 January 2100", "", "" },
    { "2025", "", "" },
    { "December 2025", "", "" },
    { "may 5 people of 2025", "", "" },
    { "12345678901234567890", "", "" },
    { "", "", "" },
    /* clang-format off */
    { "3 نوفمبر، 2025", "ar", "2025-11-03" },
    { "١٤ أكتوبر ٢٠٢٥", "ar", "2025-10-14" },
    { "الثلاثاء 25 نوفمبر 2025 - 14:20", "", "2025-11-25" },
    { "نوفمبر 25, 2025", "ar", "2025-11-25" },
    { "2 تموز 2025", "ar", "2025-07-02" },
    { "8 كانون الثاني 2025", "ar", "2025-01-08" },
    { "8 تشرين الأول، 2025", "", "2025-10-08" },
    { "1 اغسطس 2025", "ar", "2025-08-01" },
    { "17 جمادى الأولى 1447", "ar", "" }, /* a lunar calendar */
    { "12 ستمبر 2025", "ur", "2025-09-12" },
    { "יום חמישי, 9 באוקטובר 2025", "he", "2025-10-09" },
    { "02 יוני 2025, 19:14", "he", "2025-06-02" },
    { "ב-3 בינו׳ 2025", "he", "2025-01-03" },
    { "\u200F25.11.2025\u200F", "he", "2025-11-25" },
    { "25 नवंबर 2025, 02:20 PM IST", "hi", "2025-11-25" },
    { "१४ अक्टूबर २०२५", "hi", "2025-10-14" },
    { "16 फ़रवरी 2025", "hi", "2025-02-16" },
    { "5 जन॰ 2025", "hi", "" }, /* too short a name */
    { "5 दिस॰ 2025", "hi", "2025-12-05" },
    { "25 พฤศจิกายน 2568 เวลา 14:20 น.", "th", "2025-11-25" },
    { "เมื่อ25พฤศจิกายน2568", "", "2025-11-25" },
    { "25 พ.ย. 2568", "th", "2025-11-25" },
    { "วันที่ ๙ ตุลาคม พ.ศ. ๒๕๖๘", "th", "2025-10-09" },
    { "5 มีนาคม 2025", "th", "2025-03-05" },
    { "25/11/2568", "th-TH", "2025-11-25" },
    { "25/11/2568", "", "" },
    { "25 November 2568", "", "" },
    { "سه‌شنبه ۴ آذر ۱۴۰۴ - ۱۴:۲۰", "fa", "2025-11-25" },
    { "۲۸ اسفند ۱۴۰۳", "fa", "2025-03-18" },
    { "۳۰ اسفند ۱۴۰۳", "fa", "2025-03-20" }, /* a leap year */
    { "۳۰ اسفند ۱۴۰۴", "fa", "" },
    { "۲۹ اسفند ۱۴۰۴", "fa", "2026-03-20" },
    { "۱ فروردین ۱۴۰۳", "fa", "2024-03-20" },
    { "۱ فروردین ۱۲۰۰", "fa", "" },
    { "۱ فروردین ۱۹۹۹", "fa", "" },
    { "۱۰ دی ۱۴۰۳", "fa", "2024-12-30" },
    { "۱۱ دی‌ماه ۱۴۰۳", "fa", "2024-12-31" },
    { "۱۲ دی ماه سال ۱۴۰۳", "fa", "2025-01-01" },
    { "دوشنبه, 21 مهر 1404", "fa-IR", "2025-10-13" },
    { "۱۴۰۴/۰۹/۰۴", "fa", "2025-11-25" },
    { "1404/09/04", "", "" },
    { "۳۱ مهر ۱۴۰۴", "fa", "" },
    { "۲۵ نوامبر ۲۰۲۵", "fa", "2025-11-25" },
    /* clang-format on */
};

static th_view view_of(const char *text)
{
    return (th_view){ text, strlen(text) };
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_date_words found;
    char *copy = malloc(strlen(row->text) + 1); /* of its exact size */
    assert_non_null(copy);
    memcpy(copy, row->text, strlen(row->text));
    const bool is_found = th_date_words_find((th_view){ copy, strlen(row->text) }, 0,
                                             view_of(row->language), &found);
    assert_int_equal(is_found, row->want[0] != '\0');
    if (is_found)
        assert_memory_equal(found.day, row->want, TH_DAY_LEN);
    free(copy);
}

static void place_is_told(void **state)
{
    (void)state;
    th_date_words found;
    const th_view text = TH_VIEW("a 5 May 2025, b 6 May 2025");
    assert_true(th_date_words_find(text, 0, (th_view){ NULL, 0 }, &found));
    assert_int_equal(found.start, 2);
    assert_int_equal(found.end, 12);
    assert_true(th_date_words_find(text, found.end, (th_view){ NULL, 0 }, &found));
    assert_memory_equal(found.day, "2025-05-06", TH_DAY_LEN);
    assert_false(th_date_words_find(text, found.end, (th_view){ NULL, 0 }, &found));
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    static struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].text, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(place_is_told);
    return cmocka_run_group_tests_name("date_words", tests, NULL, NULL);
}
