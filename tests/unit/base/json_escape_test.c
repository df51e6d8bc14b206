/* Escapes of known texts, and any text is read back. */
#include "base/json_escape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json_tree.h"

static const struct row {
    const char *name, *in, *out;
} rows[] = {
    { "empty", "", "" },
    { "plain", "plain / text \x7F \u00e4", "plain / text \x7F \u00e4" },
    { "quotes", "\"a\\\"", "\\\"a\\\\\\\"" },
    { "names", "\b\t\n\f\r", "\\b\\t\\n\\f\\r" },
    { "no names", "\x01\x0B\x1F", "\\u0001\\u000B\\u001F" },
    { "behind a vector", "0123456789abcdef\n0123456789abcdef",
      "0123456789abcdef\\n0123456789abcdef" },
};

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_buffer out = { 0 };
    th_json_escape(&out, (th_view){ row->in, strlen(row->in) });
    assert_int_equal(out.len, strlen(row->out));
    assert_memory_equal(out.len ? out.data : "", row->out, out.len);
    th_buffer_done(&out);
}

/* Bytes of a text whose characters are escaped only if they must be. */
static size_t escaped_len(const char *text, size_t len)
{
    size_t sum = 0;
    for (size_t i = 0; i < len; i++)
        sum += memchr("\"\\\b\t\n\f\r", text[i], 7) ? 2
               : (unsigned char)text[i] < 0x20      ? 6
                                                    : 1;
    return sum;
}

static void is_read_back(void **state)
{
    (void)state;
    enum { ROUNDS = 5000, LONGEST = 60 };
    uint64_t random = 11;
    for (int round = 0; round < ROUNDS; round++) {
        char text[LONGEST];
        for (size_t i = 0; i < LONGEST; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const unsigned any = (unsigned)(random >> 57);
            text[i] = (char)(any < 8    ? (random >> 40) % 0x20
                             : any < 10 ? '"'
                             : any < 12 ? '\\'
                                        : any);
        }
        const size_t len = (size_t)(random >> 33) % (LONGEST + 1);
        char *exact = malloc(len ? len : 1);
        assert_non_null(exact);
        memcpy(exact, text, len);
        th_buffer have = { 0 };
        th_buffer_append_char(&have, '"');
        th_json_escape(&have, (th_view){ exact, len });
        th_buffer_append_char(&have, '"');
        free(exact);

        json *tree = json_read(have.data, have.len);
        assert_non_null(tree);
        assert_int_equal(tree->text_len, len);
        assert_memory_equal(tree->text, text, len);
        assert_int_equal(have.len, 2 + escaped_len(text, len));
        json_free(tree);
        th_buffer_done(&have);
    }
}

enum { ROWS = sizeof rows / sizeof *rows };

int main(void)
{
    struct CMUnitTest tests[ROWS + 1] = { cmocka_unit_test(is_read_back) };
    for (size_t i = 0; i < ROWS; i++)
        tests[i + 1] =
            (struct CMUnitTest){ .name = rows[i].name,
                                 .test_func = row_holds,
                                 .initial_state = (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests_name("json_escape", tests, NULL, NULL);
}
