/* Texts with personal data, and texts that look similar. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "redact/personal_data.h"

/* clang-format off */
static const struct row { const char *text, *found; /* each match in brackets */ } rows[] = {
    /* e-mail */
    { "a@b.example", "[a@b.example]" },
    { "Write to jo.doe+x@mail.b-c.example.", "Write to [jo.doe+x@mail.b-c.example]." },
    { "<jo@b.example>, 'al@b.example'!", "<[jo@b.example]>, '[al@b.example]'!" },
    { "mailto:jo@b.example?subject=x", "mailto:[jo@b.example]?subject=x" },
    { "a@b, @b.example, a@, a.@b.example", "a@b, @b.example, a@, a.@b.example" },
    { "a@b.c a@b.c1 a@-b.example a@b..example", "a@b.c a@b.c1 a@-b.example a@b..example" },
    { "a@b.co.u2", "[a@b.co].u2" },
    { "a@b.xn--p1ai a@b.example-", "[a@b.xn--p1ai] [a@b.example]-" },
    { "a@b.example@c.example a@b.example+d@e.example", "[a@b.example@c.example] [a@b.example+d@e.example]" },
    { "1.2.3.4@b.example +49301234567@b.example", "[1.2.3.4@b.example] +[49301234567@b.example]" },
    { "\u8054\u7cfbjo@b.example\u3002", "\u8054\u7cfb[jo@b.example]\u3002" },
    { "@@@@a@b.example@", "@@@@[a@b.example]@" },
    /* IP */
    { "8.8.8.8 and 1.2.3.4.", "[8.8.8.8] and [1.2.3.4]." },
    { "10.0.0.1 127.0.0.1 192.168.0.9 172.31.0.1 172.32.0.1", "10.0.0.1 127.0.0.1 192.168.0.9 172.31.0.1 [172.32.0.1]" },
    { "256.8.8.8 8.8.8 8.8.8.8.8 v8.8.8.8 8.8.8.8a 08.0008.8.8", "256.8.8.8 8.8.8 8.8.8.8.8 v8.8.8.8 8.8.8.8a 08.0008.8.8" },
    { "http://8.8.4.4:80/ 8.8.4.4/24", "http://[8.8.4.4]:80/ [8.8.4.4]/24" },
    { "2a00:1450:4001:81b::200e", "[2a00:1450:4001:81b::200e]" },
    { "[2606:4700:4700:0:0:0:0:1111]:80", "[[2606:4700:4700:0:0:0:0:1111]]:80" },
    { "2001:db8::1:2 fe80::1:2 ::1 1:2:3:4:5:6:7:8", "2001:db8::1:2 fe80::1:2 ::1 1:2:3:4:5:6:7:8" },
    { "std::add dead::beef 12:30:45 2a00:1:2:3:4:5:6:7:8", "std::add dead::beef 12:30:45 2a00:1:2:3:4:5:6:7:8" },
    { "2a00::1::2", "2a00::1::2" },
    /* phone */
    { "+442079460958, +44 20 7946 0958", "[+442079460958], [+44 20 7946 0958]" },
    { "+49 (0)30 1234-567 +1 (212) 555-0123", "[+49 (0)30 1234-567] [+1 (212) 555-0123]" },
    { "(212) 555-0123 212-555-0123 212.555.0123 1-212-555-0123", "[(212) 555-0123] [212-555-0123] [212.555.0123] [1-212-555-0123]" },
    { "030 1234567 / 01 23 45 67 89, 0049 30 1234567", "[030 1234567] / [01 23 45 67 89], [0049 30 1234567]" },
    { "+33\u00a01\u00a023\u00a045\u00a067\u00a089", "[+33\u00a01\u00a023\u00a045\u00a067\u00a089]" },
    { "020\u20131234567", "[020\u20131234567]" },
    { "2125550123 12345678901 112-555-0123 212-155-0123", "2125550123 12345678901 112-555-0123 212-155-0123" },
    { "01-02-2020 10:30 2020-02-01 1,234,567 +1 000 +123", "01-02-2020 10:30 2020-02-01 1,234,567 +1 000 +123" },
    { "+1234567890123456 978-3-16-148410-0 4111 1111 1111 1111", "+1234567890123456 978-3-16-148410-0 4111 1111 1111 1111" },
    { "a+15551234567 x212-555-0123 212-555-0123x 5-212-555-0123", "a+15551234567 x212-555-0123 212-555-0123x 5-212-555-0123" },
    /* the end of the text */
    { "+", "+" }, { "(", "(" }, { "1.", "1." }, { "2a00:", "2a00:" }, { "a@b.", "a@b." }, { "", "" },
};
/* clang-format on */

static void print(const char *text, size_t len, uint32_t kinds, char *out)
{
    th_personal_search search = { .text = { text, len }, .kinds = kinds };
    th_personal_match match;
    size_t at = 0;
    while (th_personal_next(&search, &match)) {
        assert_true(match.start >= at && match.end > match.start && match.end <= len);
        assert_true(kinds >> match.kind & 1);
        memcpy(out, text + at, match.start - at);
        out += match.start - at;
        *out++ = '[';
        memcpy(out, text + match.start, match.end - match.start);
        out += match.end - match.start;
        *out++ = ']';
        at = match.end;
    }
    memcpy(out, text + at, len - at);
    out[len - at] = '\0';
}

static void finds_row(void **state)
{
    const struct row *row = *state;
    const size_t len = strlen(row->text);
    char *copy = test_malloc(len + 1), out[400];
    char *exact = len ? test_realloc(copy, len) : copy;
    memcpy(exact, row->text, len);
    print(exact, len, TH_REDACT_EMAIL | TH_REDACT_IP | TH_REDACT_PHONE, out);
    assert_string_equal(out, row->found);
    print(exact, len, 0, out);
    assert_string_equal(out, row->text);
    test_free(exact);
}

static void kinds_are_separate(void **state)
{
    (void)state;
    static const char text[] = "a@b.example 8.8.8.8 +442079460958";
    static const char *const found[] = { "[a@b.example] 8.8.8.8 +442079460958",
                                         "a@b.example [8.8.8.8] +442079460958",
                                         "a@b.example 8.8.8.8 [+442079460958]" };
    char out[100];
    for (unsigned i = 0; i < TH_REDACT_COUNT; i++) {
        print(text, sizeof text - 1, 1u << i, out);
        assert_string_equal(out, found[i]);
    }
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].text, finds_row, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(kinds_are_separate);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
