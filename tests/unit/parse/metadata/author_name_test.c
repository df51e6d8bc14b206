/* Names of authors from texts and lines, and texts that are not names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parse/metadata/author_name.h"

static const struct row {
    const char *text, *want; /* "" = none */
} names[] = {
    { "Ada Lovelace", "Ada Lovelace" },
    { "By Ada Lovelace", "Ada Lovelace" },
    { "Written by: Ada Lovelace", "Ada Lovelace" },
    { "By: : Ada Lovelace", "Ada Lovelace" },
    { "Von Ada Lovelace | Redakteurin", "Ada Lovelace" },
    { "Ada Lovelace \xE2\x80\x94 The Site", "Ada Lovelace" },
    { "Lovelace, Ada", "Lovelace, Ada" },
    { "Byron", "Byron" },
    { "\xE6\x9D\xBE\xE5\xB2\xA1\xE5\xA4\xA7\xE5\x9C\xB0", "\xE6\x9D\xBE\xE5\xB2\xA1\xE5\xA4\xA7\xE5\x9C\xB0" },
    { "بقلم: سلمى الحداد", "سلمى الحداد" },
    { "מאת נועה ברקאי", "נועה ברקאי" },
    { "نویسنده: مهتاب رستگار", "مهتاب رستگار" },
    { "लेखक: रश्मि तिवारी", "रश्मि तिवारी" },
    { "โดย ปาริชาต ศรีสุข", "ปาริชาต ศรีสุข" },
    { "โดยสาร", "โดยสาร" }, /* a word that only begins with it */
    { "https://facebook.com/ada", "" },
    { "ada@a.example", "" },
    { "andrew.keaveney", "" },
    { "page.head.extra.author", "" },
    { "{{ author }}", "" },
    { "admin", "" },
    { "By", "" },
    { "2025", "" },
    { "", "" },
}, lines[] = {
    { "By Ada Lovelace", "Ada Lovelace" },
    { "By Ada Lovelace, Staff writer", "Ada Lovelace" },
    { "Written by Ada de Lovelace on May 5", "Ada de Lovelace" },
    { "by ada \xC2\xBB Mon Aug 5", "ada" },
    { "Thread starter ada72", "ada72" },
    { "By Ada Lovelace King Noel Of Ockham", "Ada Lovelace King Noel" },
    { "بقلم سلمى الحداد", "سلمى الحداد" },
    { "โดย ปาริชาต ศรีสุข | 5 มีนาคม 2550", "ปาริชาต ศรีสุข" },
    { "โดย นี่ คือ ประโยค ที่ ยาว", "" },
    { "By now, everybody knows", "" },
    { "By the end of May", "" },
    { "Ada Lovelace", "" },
    { "", "" },
};

static void name_holds(void **state)
{
    const struct row *row = *state;
    const th_view name = th_author_name((th_view){ row->text, strlen(row->text) });
    assert_int_equal(name.data != NULL, row->want[0] != '\0');
    assert_int_equal(name.len, strlen(row->want));
    if (name.data)
        assert_memory_equal(name.data, row->want, name.len);
}

static void line_holds(void **state)
{
    const struct row *row = *state;
    bool is_label = true;
    const th_view name =
        th_author_in_line((th_view){ row->text, strlen(row->text) }, &is_label);
    assert_false(is_label);
    assert_int_equal(name.len, strlen(row->want));
    if (name.data)
        assert_memory_equal(name.data, row->want, name.len);
}

static void label_is_told(void **state)
{
    (void)state;
    bool is_label = false;
    assert_null(th_author_in_line(TH_VIEW("Written by:"), &is_label).data);
    assert_true(is_label);
    assert_null(th_author_in_line(TH_VIEW("Author"), &is_label).data);
    assert_true(is_label);
}

static void persons_are_told_from_firms(void **state)
{
    (void)state;
    assert_true(th_author_is_no_person(TH_VIEW("Docker Inc")));
    assert_true(th_author_is_no_person(TH_VIEW("Ada Lovelace; Some University")));
    assert_true(th_author_is_no_person(TH_VIEW("Claight Corporation (Expert)")));
    assert_true(
        th_author_is_sentence(TH_VIEW("This review is posted in Mobile App Reviews")));
    assert_false(th_author_is_no_person(TH_VIEW("Ada Lovelace; Editorial Team")));
    assert_false(th_author_is_no_person(TH_VIEW("Incara Ltdson")));
    assert_false(th_author_is_sentence(
        TH_VIEW("Ann Bee Cee; Dee Eff Gee; Aitch Eye Jay; Kay Ell Em")));
    assert_false(th_author_is_no_person((th_view){ NULL, 0 }));
}

int main(void)
{
    enum { NAMES = sizeof names / sizeof *names, LINES = sizeof lines / sizeof *lines };
    static struct CMUnitTest tests[NAMES + LINES + 2];
    for (size_t i = 0; i < NAMES; i++)
        tests[i] = (struct CMUnitTest){ names[i].text, name_holds, NULL, NULL,
                                        (void *)(uintptr_t)&names[i] };
    for (size_t i = 0; i < LINES; i++)
        tests[NAMES + i] = (struct CMUnitTest){ lines[i].text, line_holds, NULL, NULL,
                                                (void *)(uintptr_t)&lines[i] };
    tests[NAMES + LINES] = (struct CMUnitTest)cmocka_unit_test(label_is_told);
    tests[NAMES + LINES + 1] =
        (struct CMUnitTest)cmocka_unit_test(persons_are_told_from_firms);
    return cmocka_run_group_tests_name("author_name", tests, NULL, NULL);
}
