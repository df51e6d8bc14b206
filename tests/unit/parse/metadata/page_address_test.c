/* Addresses and whether they are of a page that is not an article. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "parse/metadata/page_address.h"

static void is_told_by_sections(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        bool is_no_article;
    } rows[] = {
        { "https://a.example/docs/guides/auth", true },
        { "https://docs.a.example/get-started/introduction/", true },
        { "https://a.example/services/consulting.html", true },
        { "https://a.example/Shop/", true },
        { "https://a.example/store/detail/x-y-z-1", true },
        { "https://a.example/topic/cloud/", true },
        { "https://a.example/topic/Car%20Rental", true },
        { "https://a.example/news", true },
        { "https://a.example/list/cs.AI/recent", true },
        { "https://a.example/news/housing-market-predictions-2026/", false },
        { "https://a.example/topic/history-of-coffee", false },
        { "https://a.example/blog/services/x", false },
        { "https://a.example/blogs/news/how-it-works", false },
        { "https://forum.a.example/topic/tips", false },
        { "https://a.example/service/x-y-z", false },
        { "https://a.example/a?b=/docs/c", false },
        { "https://a.example/", false },
        { "https://a.example", false },
        { "docs/a", false },
        { "", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(
            th_address_is_no_article((th_view){ rows[i].url, strlen(rows[i].url) }),
            rows[i].is_no_article);
    assert_false(th_address_is_no_article((th_view){ NULL, 0 }));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(is_told_by_sections) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
