/* Names, dates, quotes out of texts as forums print them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "content/post_facts.h"
#include "outcomes.h"

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

/* clang-format off */
static const char *const parts[] = {
    "Ada", "velo77", "Byron", "by ", "Posted by ", "says:", " said:", " wrote:", " wrote: ", "Originally posted by ", "View Post", "@", "-=", "=-", "\xC2\xBB", "\xE2\x80\x93", "\xE2\x86\x91", "\xE2\x80\xA2", "Joined: ", "Posted: ", "Last edited ", "Edited by ", "Member since ", "Mon Mar 14, 2005 9:12 am", "14 March 2005", "01 Feb 2003", "05/06/2017", "11-23-2008, 05:41 PM",
    "2005-03-14T09:12:00Z", "2 days ago", "yesterday", "1110790320", "Reply", "Reply to this comment", "Report post", "Flag", "Quote", "Name *", "E-mail (required)", "Anna schrieb:", "\u0643\u062a\u0628:", "\u05de\u05d0\u05ea ", "\u0e40\u0e02\u0e35\u0e22\u0e19:", "\u4f5c\u8005\uff1a", " | ", " on ", " at ", ", ", ": ", "\n", " ", "12", "#5", "http://a.example", "Admin", "Post subject: x", "He", "Note: this", "(", ")", "\u5f20\u4e09 2\u6708\u524d",
};
/* clang-format on */

/* Texts that are joined of such parts, as a digest. */
static void facts_of_random_texts_are_known(void **state)
{
    struct outcomes all = { .chance = 1 };
    th_buffer text = { 0 };
    th_page page = { .arena = *state };
    const th_post_reader reader = { .page = &page, .arena = *state };
    for (unsigned round = 0; round < 30000; round++) {
        th_buffer_reset(&text);
        pick_some(&all, 9);
        for (uint32_t i = 1 + below(&all, 6); i; i--) {
            th_buffer_append_text(&text, ONE(&all, parts));
            th_buffer_append_text(&text, below(&all, 2) ? " " : "");
        }
        const th_view line = th_buffer_view(&text);
        const th_view name = th_post_name_in(line), quoted = th_post_quoted(line);
        const th_view date = th_post_date_in(&reader, line);
        note_line(&all, "%.*s -> name '%.*s' quoted '%.*s' date '%.*s'", (int)line.len,
                  line.data, (int)name.len, name.len ? name.data : "", (int)quoted.len,
                  quoted.len ? quoted.data : "", (int)date.len,
                  date.len ? date.data : "");
        note_number(&all, th_post_is_control(line));
        note_number(&all, th_post_date_is_of_another(line));
        th_arena_reset(*state);
    }
    th_buffer_done(&text);
    expect_digest(&all, UINT64_C(0xCD28CF05396548C7));
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
        cmocka_unit_test(facts_of_random_texts_are_known),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
