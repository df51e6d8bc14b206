/* Finds the first special byte at every offset. The vector code and the portable code
 * agree. */
#include "base/byte_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LONGEST = 700 }; /* a long step, and two longer ones */

typedef size_t scan(const char *bytes, size_t len);
typedef bool matters(unsigned char c);

static bool is_not_ascii(unsigned char c)
{
    return c >= 0x80;
}

static bool is_escaped(unsigned char c)
{
    return c < 0x20 || c == '"' || c == '\\';
}

static const struct row {
    const char *name;
    scan *function;
    matters *is_found;
} rows[] = {
    { "ascii", th_scan_ascii, is_not_ascii },
    { "ascii, portable", th_scan_ascii_portable, is_not_ascii },
    { "json", th_scan_json, is_escaped },
    { "json, portable", th_scan_json_portable, is_escaped },
};

static void every_byte_is_judged(void **state)
{
    const struct row *row = *state;
    for (unsigned c = 0; c < 256; c++) {
        char text[40];
        memset(text, 'x', sizeof text);
        text[7] = text[30] = (char)c;
        const size_t want = row->is_found((unsigned char)c) ? 7 : sizeof text;
        assert_int_equal(row->function(text, sizeof text), want);
        assert_int_equal(row->function(text, 8), want < 8 ? want : 8);
    }
}

/* Two bytes that matter, at every place of texts of every length. */
static void the_first_is_found(void **state)
{
    const struct row *row = *state;
    const char odd = row->is_found(0x80) ? '\x80' : '\n';
    for (size_t len = 0; len <= LONGEST; len++) {
        char *text = malloc(len ? len : 1);
        assert_non_null(text);
        memset(text, 'x', len);
        assert_int_equal(row->function(text, len), len);
        for (size_t at = len; at > 0; at--) { /* the following bytes stay odd */
            text[at - 1] = odd;
            assert_int_equal(row->function(text, len), at - 1);
        }
        free(text);
    }
}

enum { ROWS = sizeof rows / sizeof *rows };

int main(void)
{
    struct CMUnitTest tests[2 * ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        void *row = (void *)(uintptr_t)&rows[i];
        tests[2 * i] = (struct CMUnitTest){ .name = rows[i].name,
                                            .test_func = every_byte_is_judged,
                                            .initial_state = row };
        tests[2 * i + 1] = (struct CMUnitTest){ .name = rows[i].name,
                                                .test_func = the_first_is_found,
                                                .initial_state = row };
    }
    return cmocka_run_group_tests_name("byte_scan", tests, NULL, NULL);
}
