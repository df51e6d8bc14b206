/*
 * The n-th of our allocations fails, for n = 1, 2, .... Then a parser is not created, or a page
 * is refused with TH_NOMEM, or it is complete. Nothing leaks, and the next page is right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "failing_allocation.h"
#include "parse/page_check.h"
#include "thresher/parse.h"

/* A page that makes every table grow. */
static void write_page(th_buffer *html)
{
    th_buffer_append_text(html, "<title>t</title><!x><script type='application/ld+json'>"
                                "{\"author\":\"a\"}</script>");
    for (int i = 0; i < 600; i++)
        th_buffer_printf(html, "<div><a href=%d>b</a> c</div>", i);
    for (int i = 0; i < 600; i++)
        th_buffer_append_text(html, "<i>");
    th_buffer_append_text(html, "\u4E2D\u56FD\u4EBA");
    assert_false(html->has_failed);
}

static th_status parse(th_parser *parser, th_arena *arena, th_view html, th_page **page)
{
    const th_document document = { .bytes = html, .url = TH_VIEW("http://example.org/") };
    th_arena_reset(arena);
    return th_parse_html(parser, &document, arena, page, NULL, NULL);
}

/* Whether a failure at the n-th allocation was met; the page is checked either way. */
static bool is_met(size_t n, th_view html, const th_page *want)
{
    th_options opt;
    th_options_init(&opt);
    opt.page_ms = 0;
    th_arena *arena = th_arena_new(0);
    assert_non_null(arena);
    fail_allocation(n);
    th_parser *parser = th_parser_new(&opt);
    th_page *page = NULL;
    const th_status status = parser ? parse(parser, arena, html, &page) : TH_NOMEM;
    const bool was_met = is_failure_met();
    fail_allocation(0);
    assert_true(status == TH_OK || (status == TH_NOMEM && was_met));
    if (status == TH_OK)
        check_page(page);
    if (parser) {
        assert_int_equal(parse(parser, arena, html, &page), TH_OK);
        check_same_page(page, want);
    }
    th_parser_free(parser);
    th_arena_free(arena);
    return was_met;
}

static void every_failure_is_survived(void **state)
{
    (void)state;
    th_options opt;
    th_options_init(&opt);
    th_buffer html = { 0 };
    write_page(&html);
    th_parser *parser = th_parser_new(&opt);
    th_arena *arena = th_arena_new(0);
    th_page *want = NULL;
    assert_int_equal(parse(parser, arena, th_buffer_view(&html), &want), TH_OK);
    size_t n = 1;
    while (is_met(n, th_buffer_view(&html), want) && n < 10000)
        n++;
    assert_true(n > 10 && n < 10000);
    th_parser_free(parser);
    th_arena_free(arena);
    th_buffer_done(&html);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_failure_is_survived) };
    return cmocka_run_group_tests_name("parse_nomem", tests, NULL, NULL);
}
