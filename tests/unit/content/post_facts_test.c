/* Names, dates, quotes out of texts as forums print them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "content/post_facts.h"

static void assert_view(th_view have, const char *want)
{
    assert_int_equal(have.len, want ? strlen(want) : 0);
    if (want)
        assert_memory_equal(have.data, want, have.len);
}

static th_view view(const char *text)
{
    return (th_view){ text, strlen(text) };
}

static void cuts_names(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
    } rows[] = {
        { "Hanna", "Hanna" },          { " by velo77 \xC2\xBB", "velo77" },
        { "Posted by Ada", "Ada" },    { "Ines says:", "Ines" },
        { "ريم يقول:", "ريم" },        { "מאת רונן76", "רונן76" },
        { "โดย แมวสามสี", "แมวสามสี" },  { "@nell", "nell" },
        { "\xE2\x80\x93 ada", "ada" }, { "Bob\nJoined: 2001", "Bob" },
        { "-=Ray=-", "-=Ray=-" },      { "", NULL },
        { "\xE2\x80\xA2", NULL },      { "http://a.example", NULL },
        { "- Tove", "Tove" },          { "Flag", NULL },
        { "Report post", NULL },       { "Flagstad", "Flagstad" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_view(th_post_name_in(view(rows[i].text)), rows[i].name);
}

static void reads_dates(void **state)
{
    static const struct {
        const char *text, *date;
    } rows[] = {
        { "Posted: Mon Mar 14, 2005 9:12 am", "2005-03-14T09:12" },
        { "Tue Jan 08, 2019 3:33 pm", "2019-01-08T15:33" },
        { "Joined: 01 Feb 2003", NULL },
        { "Joined: 01 Feb 2003 Posted: 14 March 2005", "2005-03-14" },
        { "last edited 5 May 2020", NULL },
        { "تاريخ التسجيل: 1 فبراير 2003", NULL },
        { "เข้าร่วม 1 ก.พ. 2546 โพสต์ 14 มี.ค. 2548", "2005-03-14" },
        { "ارسال: ۱۱ مرداد ۱۴۰۴", "2025-08-02" },
        { "2 days ago", NULL },
        { "11-23-2008, 05:41 PM", "2008-11-23" },
        { "Posted: Mon Mar 14, 2005 9:12 am Post subject: x", "2005-03-14" },
        { "05/06/2017", NULL },
        { "", NULL },
    };
    th_page page = { .arena = *state };
    const th_post_reader reader = { .page = &page, .arena = *state };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_view(th_post_date_in(&reader, view(rows[i].text)), rows[i].date);
}

static void finds_whom_it_quotes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
    } rows[] = {
        { "Hanna said:", "Hanna" },
        { "velo77 wrote: \xE2\x86\x91It is new", "velo77" },
        { "Originally Posted by Brassman", "Brassman" },
        { "Originally posted by Rye View Post", "Rye" },
        { "Anna schrieb:", "Anna" },
        { "أم عمر كتب:", "أم عمر" },
        { "מיכל ג כתב: תודה", "מיכל ג" },
        { "kian نوشته شده:", "kian" },
        { "ลุงชัย เขียน:", "ลุงชัย" },
        { "He said: no", "He" },
        { "Note: this", NULL },
        { "no comment", NULL },
        { "", NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_view(th_post_quoted(view(rows[i].text)), rows[i].name);
}

static int begin(void **state)
{
    *state = th_arena_new(0);
    return *state ? 0 : -1;
}

static int end(void **state)
{
    th_arena_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_names),
        cmocka_unit_test(reads_dates),
        cmocka_unit_test(finds_whom_it_quotes),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
