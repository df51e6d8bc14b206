/* Characters and words of ASCII, and the clocks. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/file_name.h"

/* Held to C's own, in the C locale, for each byte; no byte above 0x7F is anything. */
static void each_byte(void **state)
{
    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        const char c = (char)byte;
        const bool is_ascii = byte < 128;
        assert_int_equal(th_is_digit(c), is_ascii && isdigit(byte));
        assert_int_equal(th_is_letter(c), is_ascii && isalpha(byte));
        assert_int_equal(th_ascii_is_blank(c), is_ascii && isspace(byte));
        assert_int_equal((unsigned char)th_lower(c), is_ascii ? tolower(byte) : byte);
        assert_int_equal(th_hex_value(c) >= 0, is_ascii && isxdigit(byte));
        assert_int_equal(th_is_html_blank(c), byte && strchr("\t\n\f\r ", byte));
        assert_int_equal(th_is_json_blank(c), byte && strchr("\t\n\r ", byte));
    }
    assert_int_equal(th_hex_value('7'), 7);
    assert_int_equal(th_hex_value('a'), 10);
    assert_int_equal(th_hex_value('F'), 15);
}

static void words(void **state)
{
    (void)state;
    assert_true(th_ascii_is(TH_VIEW("Content-TYPE"), "content-type"));
    assert_true(th_ascii_is(TH_VIEW("content-type"), "Content-Type"));
    assert_false(th_ascii_is(TH_VIEW("content-typ"), "content-type"));
    assert_false(th_ascii_is(TH_VIEW("content-types"), "content-type"));
    assert_true(th_ascii_is(TH_VIEW(""), ""));
    assert_false(th_ascii_is(TH_VIEW("\x01"), "!")); /* bit 5 apart, but no letters */
    assert_false(th_ascii_is(TH_VIEW("a\0b"), "a"));
    assert_true(th_ascii_same(TH_VIEW("a\0B"), TH_VIEW("A\0b")));
    assert_false(th_ascii_same(TH_VIEW("ab"), TH_VIEW("abc")));
    assert_true(th_ascii_starts_with(TH_VIEW("<!doctype html"), "<!DOCTYPE"));
    assert_false(th_ascii_starts_with(TH_VIEW("<!doc"), "<!DOCTYPE"));
    assert_true(th_ascii_starts_with(TH_VIEW(""), ""));
    assert_true(th_view_same(TH_VIEW("News"), TH_VIEW("News")));
    assert_true(th_view_same(TH_VIEW(""), (th_view){ NULL, 0 }));
    assert_false(th_view_same(TH_VIEW("News"), TH_VIEW("news")));
    assert_false(th_view_same(TH_VIEW("News"), TH_VIEW("New")));
    assert_true(th_starts_with(TH_VIEW("NewsArticle"), "News"));
    assert_false(th_starts_with(TH_VIEW("NewsArticle"), "news"));
    assert_false(th_starts_with(TH_VIEW("New"), "News"));
    assert_true(th_ascii_has_word(TH_VIEW(" a License\tb "), "license"));
    assert_false(th_ascii_has_word(TH_VIEW("a licenses b"), "license"));
    assert_string_equal(th_last_name("a/b/c"), "c");
    assert_string_equal(th_last_name("c"), "c");
    assert_string_equal(th_last_name("c/"), "");
    assert_true(th_ends_with(TH_VIEW("NewsArticle"), "Article"));
    assert_false(th_ends_with(TH_VIEW("NewsArticle"), "article"));
    assert_false(th_ends_with(TH_VIEW("cle"), "Article"));
    assert_true(th_ascii_all_blank(" \t\v", 3));
    assert_false(th_ascii_all_blank(" x", 2));
    const th_view trimmed = th_ascii_trimmed(TH_VIEW(" \n a b\r"));
    assert_int_equal(trimmed.len, 3);
    assert_memory_equal(trimmed.data, "a b", 3);
    assert_int_equal(th_ascii_trimmed(TH_VIEW(" \n ")).len, 0);
}

static void clocks(void **state)
{
    (void)state;
    const int64_t start = th_now_ms();
    const int64_t since_1970 = th_clock_ms(CLOCK_REALTIME);
    assert_true(start >= 0 && th_now_ms() >= start);
    assert_true(since_1970 > INT64_C(1700000000000)); /* November 2023 */
    const int64_t ns = th_clock_ns(CLOCK_MONOTONIC);
    const double seconds = th_clock_seconds(CLOCK_MONOTONIC);
    assert_true(seconds * 1e9 >= (double)ns - 1000 && seconds < (double)ns * 1e-9 + 600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_byte),
        cmocka_unit_test(words),
        cmocka_unit_test(clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
