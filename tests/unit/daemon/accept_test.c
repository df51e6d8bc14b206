/* src/daemon/accept.c: which media type a header accepts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/accept.h"

static const char *const types[] = { "application/json", "text/markdown", "text/plain",
                                     "text/html", NULL };
enum { JSON, MARKDOWN, PLAIN, HTML, NONE = -1 };

/* clang-format off */
static const struct row {
    const char *name, *accept;
    int chosen;
} rows[] = {
    { "nothing", "", JSON },
    { "spaces", " \t", JSON },
    { "all", "*/*", JSON },
    { "one type", "text/html", HTML },
    { "case", "Text/HTML", HTML },
    { "a family", "text/*", MARKDOWN },
    { "another family", "image/*", NONE },
    { "our order at the same weight", "text/html, text/plain", PLAIN },
    { "weights", "text/html;q=0.9, text/plain;q=0.8", HTML },
    { "weight 1 by default", "text/plain;q=0.999, text/html", HTML },
    { "upper case Q", "text/plain;Q=0.2, text/html", HTML },
    { "spaces around", " text/plain ; q=0.2 , text/html ; q=0.3 ", HTML },
    { "the specific range counts", "text/*;q=1, text/markdown;q=0.1, */*;q=0.2", PLAIN },
    { "its order does not matter", "*/*;q=1, application/json;q=0, text/markdown;q=0", PLAIN },
    { "not acceptable", "application/json;q=0, image/png", NONE },
    { "all but one", "*/*, application/json;q=0", MARKDOWN },
    { "nothing at all", "*/*;q=0", NONE },
    { "a browser", "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8", HTML },
    { "Java", "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", HTML },
    { "other parameters", "text/html;level=1;q=0.5, text/plain;charset=\"a,b;q=1\";q=0.4", HTML },
    { "a quoted quote", "text/plain;a=\"\\\",text/html\"", PLAIN },
    { "a quote that never ends", "text/plain;a=\"x, text/html", PLAIN },
    { "weight over 1", "text/html;q=1.001, text/plain;q=0.1", PLAIN },
    { "weight of letters", "text/html;q=high, text/plain;q=0.1", PLAIN },
    { "weight too long", "text/html;q=0.1234, text/plain;q=0.1", PLAIN },
    { "empty weight", "text/html;q=, text/plain;q=0.1", PLAIN },
    { "weight with a point alone", "text/html;q=1.", HTML },
    { "no slash", "html", NONE },
    { "empty parts", ",,text/html,;q=1,", HTML },
    { "a longer name", "text/htmlx, text/htm", NONE },
    { "a family without a slash", "text*, text", NONE },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *const row = *state;
    const size_t len = strlen(row->accept);
    char *copy = malloc(len ? len : 1); /* exact, so that a sanitizer sees overreads */
    assert_non_null(copy);
    memcpy(copy, row->accept, len);
    assert_int_equal(th_accept_choose((th_view){ copy, len }, types), row->chosen);
    free(copy);
}

static void absent_accepts_all(void **state)
{
    (void)state;
    assert_int_equal(th_accept_choose((th_view){ NULL, 0 }, types), JSON);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = row_holds,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(absent_accepts_all);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
