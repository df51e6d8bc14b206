/* Starts of records, ends of headers, and their values. */
#include "warc/warc_head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct begin_row {
    const char *name, *in;
    enum head_answer want; /* when nothing follows, HEAD_MORE is HEAD_NO */
} begin_rows[] = {
    // clang-format off
    { "1.0",              "WARC/1.0\r\nWARC-Type: x",   HEAD_YES },
    { "lf",               "WARC/1.1\nA:",               HEAD_YES },
    { "crcrlf",           "WARC/1.0\r\r\nA:",           HEAD_YES },
    { "lower case",       "warc/0.17\r\na:",            HEAD_YES },
    { "blanks behind",    "WARC/1.0 \t\r\nA:",          HEAD_YES },
    { "blank in name",    "WARC/1.0\r\nPower by: x",    HEAD_YES },
    { "nothing yet",      "",                           HEAD_MORE },
    { "cut in word",      "WAR",                        HEAD_MORE },
    { "cut in number",    "WARC/1",                     HEAD_MORE },
    { "cut before field", "WARC/1.0\r\n",               HEAD_MORE },
    { "cut in name",      "WARC/1.0\r\nWARC-Ty",        HEAD_MORE },
    { "no number",        "WARC/x.0\r\nA:",             HEAD_NO },
    { "no minor",         "WARC/1\r\nA:",               HEAD_NO },
    { "text behind",      "WARC/1.0 is a format\nA:",   HEAD_NO },
    { "no field",         "WARC/1.0\r\n\r\n",           HEAD_NO },
    { "no colon",         "WARC/1.0\r\nno field\r\n",   HEAD_NO },
    { "another word",     "HTTP/1.0\r\nA:",             HEAD_NO },
    // clang-format on
};

static void record_begins(void **state)
{
    const struct begin_row *row = *state;
    const size_t len = strlen(row->in);
    char *copy = malloc(len > 0 ? len : 1);
    assert_non_null(copy);
    memcpy(copy, row->in, len);
    const warc_view bytes = { copy, len };
    assert_int_equal(warc_head_begins(bytes, false), row->want);
    assert_int_equal(warc_head_begins(bytes, true),
                     row->want == HEAD_MORE ? HEAD_NO : row->want);
    for (size_t cut = 0; row->want == HEAD_YES && cut < len;
         cut++) /* every prefix waits */
        if (!memchr(copy + 9, ':', cut > 9 ? cut - 9 : 0))
            assert_int_equal(warc_head_begins((warc_view){ copy, cut }, false),
                             HEAD_MORE);
    free(copy);
}

static const struct length_row {
    const char *in;
    bool is_good;
    uint64_t want;
} length_rows[] = {
    // clang-format off
    { "0",                    true,  0 },
    { "007",                  true,  7 },
    { "9223372036854775807",  true,  INT64_MAX },
    { "9223372036854775808",  false, 0 },
    { "18446744073709551617", false, 0 },
    { "",                     false, 0 },
    { "-1",                   false, 0 },
    { "+1",                   false, 0 },
    { "1 2",                  false, 0 },
    { "0x10",                 false, 0 },
    // clang-format on
};

static void length_parses(void **state)
{
    const struct length_row *row = *state;
    uint64_t got = 77;
    assert_int_equal(warc_length_parse((warc_view){ row->in, strlen(row->in) }, &got),
                     row->is_good);
    assert_int_equal(got, row->is_good ? row->want : 77);
}

static const struct date_row {
    const char *in;
    bool in_1_0, in_1_1;
} date_rows[] = {
    // clang-format off
    { "2020-01-01T00:00:00Z",            true,  true },
    { "2020",                            false, true },
    { "2020-01-01",                      false, true },
    { "2020-01-01T00:00Z",               false, true },
    { "2020-01-01T00:00:00.1Z",          false, true },
    { "2020-01-01T00:00:00.123456789Z",  false, true },
    { "2020-01-01T00:00:00.1234567890Z", false, false },
    { "2020-01-01T00:00:00.Z",           false, false },
    { "2020-01-01T00:00:00.1",           false, false },
    { "2020-01-01T00:00:00.x2Z",         false, false },
    { "2020-01-01T00:00:00.2xZ",         false, false },
    { "2020-01-01 00:00:00Z",            false, false },
    { "",                                false, false },
    // clang-format on
};

static void date_is_judged(void **state)
{
    const struct date_row *row = *state;
    const warc_view date = { row->in, strlen(row->in) };
    assert_int_equal(warc_date_is_valid(date, false), row->in_1_0);
    assert_int_equal(warc_date_is_valid(date, true), row->in_1_1);
}

/* The end is found alike whether the bytes come at once or one by one. */
static void end_is_found(void **state)
{
    (void)state;
    static const char text[] = "WARC/1.0\r\nA: b\r\n c\r\r\n\r\nWARC/1.0\r\n";
    const size_t want = sizeof "WARC/1.0\r\nA: b\r\n c\r\r\n\r\n" - 1;
    size_t len = 0, grown = 0;
    assert_int_equal(warc_head_end((warc_view){ text, sizeof text - 1 }, &len),
                     HEAD_END_FOUND);
    assert_int_equal(len, want);
    for (size_t cut = 0; cut < want; cut++)
        assert_int_equal(warc_head_end((warc_view){ text, cut }, &grown), HEAD_END_MORE);
    assert_int_equal(warc_head_end((warc_view){ text, want }, &grown), HEAD_END_FOUND);
    assert_int_equal(grown, want);
    static const char broken[] = "WARC/1.0\nA: b\nWARC/1.1\nC: d\n\n";
    len = 0;
    assert_int_equal(warc_head_end((warc_view){ broken, sizeof broken - 1 }, &len),
                     HEAD_END_BROKEN);
    assert_int_equal(len, 14);
}

/* [RFC 3629 §4] Each sequence ends a value. */
static const struct utf8_row {
    const char *bytes;
    bool is_valid;
} utf8_rows[] = {
    // clang-format off
    { "\x80", false },         { "\xbf", false },         { "\xc1\xbf", false },
    { "\xc2\x80", true },      { "\xdf\xbf", true },      { "\xdf", false },
    { "\xe0\x9f\xbf", false }, { "\xe0\xa0\x80", true },  { "\xed\x9f\xbf", true },
    { "\xed\xa0\x80", false }, { "\xef\xbf\xbf", true },  { "\xef\xbf", false },
    { "\xe1\x80\xc0", false }, { "\xe1\x7f\x80", false }, { "\xf0\x8f\xbf\xbf", false },
    { "\xf0\x90\x80\x80", true }, { "\xf4\x8f\xbf\xbf", true }, { "\xf4\x90\x80\x80", false },
    { "\xf1\x80\x80", false }, { "\xf5\x80\x80\x80", false }, { "\xff", false },
    // clang-format on
};

static void other_than_utf8_is_noted(void **state)
{
    (void)state;
    struct warc_head head = { 0 };
    for (size_t i = 0; i < sizeof utf8_rows / sizeof *utf8_rows; i++) {
        char text[64];
        const int len =
            snprintf(text, sizeof text, "WARC/1.0\r\nA: a%s\r\n\r\n", utf8_rows[i].bytes);
        assert_int_equal(warc_head_read(&head, (warc_view){ text, (size_t)len }, 9),
                         WARC_OK);
        if (head.findings.is_not_utf8 == utf8_rows[i].is_valid)
            fail_msg("row %zu: %d", i, head.findings.is_not_utf8);
    }
    warc_head_done(&head);
}

static void *state_of(const void *constant)
{
    union {
        const void *constant;
        void *state;
    } view = { .constant = constant };
    return view.state;
}

enum {
    BEGINS = sizeof begin_rows / sizeof *begin_rows,
    LENGTHS = sizeof length_rows / sizeof *length_rows,
    DATES = sizeof date_rows / sizeof *date_rows,
};

int main(void)
{
    struct CMUnitTest tests[BEGINS + LENGTHS + DATES + 2];
    size_t n = 0;
    for (size_t i = 0; i < BEGINS; i++)
        tests[n++] = (struct CMUnitTest){ begin_rows[i].name, record_begins, NULL, NULL,
                                          state_of(&begin_rows[i]) };
    for (size_t i = 0; i < LENGTHS; i++)
        tests[n++] = (struct CMUnitTest){ length_rows[i].in, length_parses, NULL, NULL,
                                          state_of(&length_rows[i]) };
    for (size_t i = 0; i < DATES; i++)
        tests[n++] = (struct CMUnitTest){ date_rows[i].in, date_is_judged, NULL, NULL,
                                          state_of(&date_rows[i]) };
    tests[n++] = (struct CMUnitTest){ "end of a header", end_is_found, NULL, NULL, NULL };
    tests[n++] = (struct CMUnitTest){ "other than UTF-8", other_than_utf8_is_noted, NULL,
                                      NULL, NULL };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
