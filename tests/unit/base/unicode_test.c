/* src/base/unicode.c: validity by the standard, classes, round trips. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/unicode.h"

static const struct row {
    const char *name, *in;
    size_t len, valid;
} rows[] = {
    { "empty", "", 0, 0 },
    { "ascii", "abc", 3, 3 },
    { "two bytes", "\xC3\xA9", 2, 2 },
    { "three bytes", "\xE2\x82\xAC", 3, 3 },
    { "four bytes", "\xF0\x9F\x98\x80", 4, 4 },
    { "lone continuation", "a\x80", 2, 1 },
    { "overlong two", "\xC0\xAF", 2, 0 },
    { "overlong three", "\xE0\x80\xAF", 3, 0 },
    { "overlong four", "\xF0\x80\x80\xAF", 4, 0 },
    { "surrogate", "\xED\xA0\x80", 3, 0 },
    { "last before surrogates", "\xED\x9F\xBF", 3, 3 },
    { "beyond U+10FFFF", "\xF4\x90\x80\x80", 4, 0 },
    { "last code point", "\xF4\x8F\xBF\xBF", 4, 4 },
    { "five bytes", "\xF8\x88\x80\x80\x80", 5, 0 },
    { "cut sequence", "ab\xE2\x82", 4, 2 },
    { "nul", "a\0b", 3, 3 },
};

static void row_holds(void **state)
{
    const struct row *row = *state;
    char *copy = malloc(row->len ? row->len : 1);
    assert_non_null(copy);
    memcpy(copy, row->in, row->len);
    assert_int_equal(th_utf8_valid(copy, row->len), row->valid);
    free(copy);
    /* After any number of ASCII bytes, the fast path stops at the right byte. */
    for (size_t before = 0; before < 100; before++) {
        copy = malloc(before + row->len + 1);
        assert_non_null(copy);
        memset(copy, 'x', before);
        memcpy(copy + before, row->in, row->len);
        assert_int_equal(th_utf8_valid(copy, before + row->len), before + row->valid);
        free(copy);
    }
}

static void sequences_are_counted(void **state)
{
    (void)state;
    static const char text[] =
        "x\u00e4 \u20ac\U0001D11E, and so on to a vector; \u00e4\xff\u00e4";
    size_t sequences = 0;
    assert_int_equal(th_utf8_survey(text, sizeof text - 1, &sequences), sizeof text - 4);
    assert_int_equal(sequences, 4);
    assert_int_equal(th_utf8_survey(text, 1, &sequences), 1);
    assert_int_equal(sequences, 0);
}

static void every_code_point_comes_back(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < 0x110000; c++) {
        char bytes[4];
        if (c >= 0xD800 && c < 0xE000)
            continue;
        const size_t len = th_utf8_put(c, bytes);
        size_t at = 0;
        assert_int_equal(th_utf8_valid(bytes, len), len);
        assert_int_equal(th_utf8_count(bytes, len), 1);
        assert_int_equal(th_utf8_next(bytes, &at), c);
        assert_int_equal(at, len);
    }
}

static void classes_are_those_of_unicode(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < 0x110000; c++) {
        assert_int_equal(th_is_space(c), u_isUWhiteSpace((UChar32)c) != 0);
        assert_int_equal(th_is_alnum(c), u_isalnum((UChar32)c) != 0);
        const int width = u_getIntPropertyValue((UChar32)c, UCHAR_EAST_ASIAN_WIDTH);
        assert_int_equal(th_columns(c),
                         width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2 : 1);
    }
    assert_true(th_is_unspaced(0x4E2D));
    assert_true(th_is_unspaced(0x3042));
    assert_true(th_is_unspaced(0x0E01));
    assert_true(th_is_unspaced(0x1780));
    assert_true(th_is_unspaced(0x20000));
    assert_false(th_is_unspaced(0xAC00)); /* Korean has spaces */
    assert_false(th_is_unspaced('a'));
}

enum { ROWS = sizeof rows / sizeof *rows };

int main(void)
{
    struct CMUnitTest tests[ROWS + 3] = {
        cmocka_unit_test(every_code_point_comes_back),
        cmocka_unit_test(sequences_are_counted),
        cmocka_unit_test(classes_are_those_of_unicode),
    };
    for (size_t i = 0; i < ROWS; i++)
        tests[i + 3] = (struct CMUnitTest){ .name = rows[i].name,
                                            .test_func = row_holds,
                                            .initial_state = (void *)&rows[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
