/* Plain URLs. The vector code and the portable code agree. */
#include "parse/url/plain_url.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct row {
    const char *name, *url;
    bool is_plain;
} rows[] = {
    /* clang-format off */
    { "empty",              "",                                   true },
    { "one letter",         "a",                                  true },
    { "absolute",           "https://example.com/a/b.c?d=e%20#f", true },
    { "not ASCII",          "/\xC3\xA4",                          true },
    { "dot in front",       "./a",                                true },
    { "dot after letters", "/a./b..",                            true },
    { "blank",              "/a b",                               false },
    { "blank in front",     " /a",                                false },
    { "control",            "/a\x1F",                             false },
    { "delete",             "/a\x7F",                             false },
    { "backslash",          "\\a",                                false },
    { "dot segment",        "/a/../b",                            false },
    { "escaped dot",        "/a/%2e",                             false },
    { "dot at a border",    "/aaaaaaaaaaaaaa/./bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", false },
    /* clang-format on */
};

static void row_holds(void **state)
{
    const struct row *row = *state;
    const th_view url = { row->url, strlen(row->url) };
    assert_int_equal(th_url_is_plain(url), row->is_plain);
    assert_int_equal(th_url_is_plain_portable(url), row->is_plain);
}

/* Every length to some vectors, an odd byte or pair at every place. */
static void twins_agree(void **state)
{
    (void)state;
    static const char *const oddities[] = { " ",  "\x7F", "\\", "/.",
                                            "/%", "%",    ".",  "\x80" };
    for (size_t len = 1; len <= 70; len++)
        for (size_t at = 0; at < len; at++)
            for (size_t i = 0; i < sizeof oddities / sizeof *oddities; i++) {
                char *exact = malloc(len);
                assert_non_null(exact);
                memset(exact, 'x', len);
                const size_t capacity = strlen(oddities[i]);
                memcpy(exact + at, oddities[i],
                       capacity < len - at ? capacity : len - at);
                const th_view url = { exact, len };
                assert_int_equal(th_url_is_plain(url), th_url_is_plain_portable(url));
                free(exact);
            }
}

enum { ROWS = sizeof rows / sizeof *rows };

int main(void)
{
    struct CMUnitTest tests[ROWS + 1] = { cmocka_unit_test(twins_agree) };
    for (size_t i = 0; i < ROWS; i++)
        tests[i + 1] = (struct CMUnitTest){ .name = rows[i].name,
                                            .test_func = row_holds,
                                            .initial_state = (void *)&rows[i] };
    return cmocka_run_group_tests_name("plain_url", tests, NULL, NULL);
}
