/* Normalizes the short texts of metadata, with every limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/unicode.h"
#include "parse/metadata/tidy_text.h"

/* clang-format off */
static const struct row { const char *name, *in; unsigned how; const char *want; } rows[] = {
    { "nothing", "", TH_TIDY_PLAIN, "" },
    { "blanks", " \t\r\n\f\v\xC2\xA0\xE2\x80\xA8", TH_TIDY_PLAIN, "" },
    { "one letter", "a", TH_TIDY_PLAIN, "a" },
    { "trimmed and collapsed", "  a \n b  ", TH_TIDY_PLAIN, "a b" },
    { "controls are spaces", "\x01" "a\x7F" "b\xC2\x85" "c\x1F", TH_TIDY_PLAIN, "a b c" },
    { "one to four bytes", "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", TH_TIDY_PLAIN, "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80" },
    { "a byte that starts nothing", "\x80", TH_TIDY_PLAIN, "\xEF\xBF\xBD" },
    { "cut off", "a\xF0\x9F\x98", TH_TIDY_PLAIN, "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD" },
    { "a surrogate", "\xED\xA0\x80" "a", TH_TIDY_PLAIN, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD" "a" },
    { "references stay", "&amp;&#65;", TH_TIDY_PLAIN, "&amp;&#65;" },
    { "references", "&amp;&lt;&gt;&quot;&apos;&#65;&#x42;&#X20aC;", TH_TIDY_REFERENCES, "&<>\"'AB\xE2\x82\xAC" },
    { "blank references", "&nbsp;a&nbsp;&#32;&#9;b&#10;", TH_TIDY_REFERENCES, "a b" },
    { "resolved once", "&amp;amp;", TH_TIDY_REFERENCES, "&amp;" },
    { "a reference after bad bytes", "\xFF&amp;\xFF", TH_TIDY_REFERENCES, "\xEF\xBF\xBD&\xEF\xBF\xBD" },
    { "no reference", "& &; &#; &x; &amp &#0; &#xD800; &#1114112; &#99999999999;", TH_TIDY_REFERENCES,
      "& &; &#; &x; &amp &#0; &#xD800; &#1114112; &#99999999999;" },
    { "the largest code point", "&#x10FFFF;", TH_TIDY_REFERENCES, "\xF4\x8F\xBF\xBF" },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    const size_t in_len = strlen(row->in), want_len = strlen(row->want);
    char *in = malloc(in_len ? in_len : 1);
    assert_non_null(in);
    for (size_t i = 0; i < in_len; i++)
        in[i] = row->in[i];
    for (size_t max = 0; max <= want_len + 1; max++) {
        char *out = malloc(max ? max : 1);
        assert_non_null(out);
        const size_t len = th_tidy_text((th_view){ in, in_len }, row->how, out, max);
        assert_true(len <= max && len <= want_len);
        assert_true(max < want_len || len == want_len);
        assert_memory_equal(out, row->want, len); /* a prefix, of whole code points, */
        assert_int_equal(th_utf8_valid(out, len), len);
        assert_true(len == 0 || out[len - 1] != ' ');
        if (row->how == TH_TIDY_PLAIN) { /* and tidy is tidy */
            char again[256];
            assert_int_equal(
                th_tidy_text((th_view){ out, len }, TH_TIDY_PLAIN, again, sizeof again),
                len);
            assert_memory_equal(again, out, len);
        }
        free(out);
    }
    free(in);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof rows[0] };
    static struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests_name("tidy_text", tests, NULL, NULL);
}
