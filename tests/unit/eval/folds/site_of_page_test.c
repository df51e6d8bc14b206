/* Registered domains. A fold depends only on them. */
#include "eval/folds/site_of_page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* clang-format off */
static const struct row {
    const char *name, *url, *domain;
} rows[] = {
    { "a name", "http://example.org/a", "example.org" },
    { "a deeper one", "https://www.news.example.org:80/a", "example.org" },
    { "a country's part", "http://www.bbc.co.uk/", "bbc.co.uk" },
    { "a part itself", "http://co.uk/", "co.uk" },
    { "a short name in a country", "http://www.orf.at/", "orf.at" },
    { "a part in no country", "http://a.com.example/", "com.example" },
    { "one label", "http://localhost/", "localhost" },
    { "numbers", "http://192.0.2.1/a", "192.0.2.1" },
    { "none", "about:blank", "" },
    { "no URL", "", "" },
};
/* clang-format on */

static th_view view(const char *text)
{
    return (th_view){ text, strlen(text) };
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    const th_view domain = th_registered_domain(view(row->url));
    assert_int_equal(domain.len, strlen(row->domain));
    if (domain.len)
        assert_memory_equal(domain.data, row->domain, domain.len);
}

static void folds(void **state)
{
    (void)state;
    unsigned seen = 0;
    const th_view none = view("");
    assert_int_equal(th_content_fold(view("http://a.example.org/x"), view("1")),
                     th_content_fold(view("https://B.EXAMPLE.org/y"), view("2")));
    for (char id[] = "page-a"; id[5] <= 'z'; id[5]++) {
        const unsigned fold = th_content_fold(none, view(id));
        assert_true(fold < TH_CONTENT_FOLDS);
        seen |= 1u << fold;
    }
    assert_int_equal(seen, (1u << TH_CONTENT_FOLDS) - 1);
    assert_int_equal(th_content_fold(view("http://example.org/"), none), 2);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(folds);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
