/* HTML documents in, blocks out, through th_parse_html. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parse/page_check.h"
#include "thresher/parse.h"

static const struct row {
    const char *name, *html, *blocks;
} rows[] = {
    /* clang-format off */
    { "empty",               "",                     "" },
    { "plain text",          "foo bar",              "foo bar|2 0 1 2||body\n" },
    { "a whole page",        "<!DOCTYPE html><html><head><title>t</title></head><body><p>a</p></body></html>",
                             "a|1 0 1 1|html head title /title /head body p|p\n" },
    { "implied tags",        "<title>t</title><p>a<li>b<tr><td>c",
                             "a|1 0 1 1|title /title p|p\nb|1 0 1 1|li|li\nc|1 0 1 1|tr td|li\n" },
    { "implied end",         "<p>a<p>b</p>c",         "a|1 0 1 1|p|p\nb|1 0 1 1|p|p\nc|1 0 1 1|/p|body\n" },
    { "spaces in tags",      "<p >a</p\n><P\n>b</P  >", "a|1 0 1 1|p|p\nb|1 0 1 1|/p p|p\n" },
    { "no readable attribute", "<p ' \">a<br @x=1 />b", "a|1 0 1 1|p|p\nb|1 0 1 1|br|p\n" },
    { "void is one tag",     "a<br>b<br/>c<img src=x>d", "a|1 0 1 1||body\nb|1 0 1 1|br|body\nc|1 0 1 1|br|body\nd|1 0 1 1|img|body\n" },
    { "end of body",         "<body>a</body>b</html>c", "a|1 0 1 1|body|body\nb|1 0 1 1|/body|body\nc|1 0 1 1|/html|body\n" },
    { "references",          "a&amp;b &eacute;&#x4E2D;&nbsp;&#60;i>", "a&b \u00E9\u4E2D <i>|4 0 1 4||body\n" },
    { "token over references", "x&amp;<a href=y>z</a>", "x&z|1 0 1 1||body\n" },
    { "comment is not a gap", "foo<!-- x -->bar",      "foobar|1 0 1 1||body\n" },
    { "script and style",    "a<script>if (x<b) '</p>'</script>b<style>p{}</style>c", "a|1 0 1 1||body\nb|1 0 1 1|script /script|body\nc|1 0 1 1|style /style|body\n" },
    { "options",             "<select><option>a<option>b</select>c", "c|1 0 1 1|select option option /select|body\n" },
    { "hidden, mis-nested",  "<div><span hidden>a</div>b",  "b|1 0 1 1|div span /div|body\n" },
    { "meta charset is not a charset", "<meta charset=utf-7>+ADw-p+AD4-a\u00E9", "+ADw-p+AD4-a\u00E9|1 0 1 1|meta|body\n" },
    { "charset in XML declaration", "<?xml version='1.0' encoding='iso-8859-1'?><p>\u00E9", "\u00E9|1 0 1 1|p|p\n" },
    { "conditional comments", "<![if IE]>a<![endif]>b",      "ab|1 0 1 1||body\n" },
    { "click handler",       "<p @click=\"a > b\">c",         "c|1 0 1 1|p|p\n" },
    { "two doctypes",        "<!doctype html><!doctype html></p><p>a", "a|1 0 1 1|/p p|p\n" },
    { "unknown elements",    "<x-a>b<y-c/>d</x-a>e",         "b|1 0 1 1|*|*\nd|1 0 1 1|*|*\ne|1 0 1 1|/*|body\n" },
    /* clang-format on */
};

static th_parser *parser;
static th_arena *arena, *other;

static int set_up(void **state)
{
    (void)state;
    th_options opt;
    th_options_init(&opt);
    opt.page_ms = 0; /* what a test expects must not depend on the machine's speed */
    parser = th_parser_new(&opt);
    arena = th_arena_new(0);
    other = th_arena_new(0);
    return !parser || !arena || !other;
}

static int tear_down(void **state)
{
    (void)state;
    th_parser_free(parser);
    th_arena_free(arena);
    th_arena_free(other);
    return 0;
}

static th_status parse(th_arena *into, th_view bytes, th_page **page)
{
    const th_document document = { .bytes = bytes,
                                   .url = TH_VIEW("http://example.org/a/b"),
                                   .charset = TH_VIEW("utf-8") };
    th_arena_reset(into);
    return th_parse_html(parser, &document, into, page, NULL, NULL);
}

static th_page *page_of(th_arena *into, th_view bytes)
{
    th_page *page = NULL;
    char *exact = malloc(bytes.len ? bytes.len : 1);
    memcpy(exact, bytes.data, bytes.len);
    assert_int_equal(parse(into, (th_view){ exact, bytes.len }, &page), TH_OK);
    free(exact);
    check_page(page);
    return page;
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    const th_view html = { row->html, strlen(row->html) };
    const th_page *page = page_of(arena, html);
    if (row->blocks) {
        char *blocks = dump_blocks(page);
        assert_string_equal(blocks, row->blocks);
        free(blocks);
    }
    check_same_page(page, page_of(other, html));
}

static void nothing_is_kept_from_page_to_page(void **state)
{
    (void)state;
    (void)page_of(arena, TH_VIEW("<div hidden><a href=x><script>a"));
    const th_page *page = page_of(arena, TH_VIEW("<p>b"));
    assert_int_equal(page->block_count, 1);
    assert_int_equal(page->linked_before[1], 0);
}

enum { ROWS = sizeof rows / sizeof *rows, OTHERS = 1 };

int main(void)
{
    struct CMUnitTest tests[OTHERS + ROWS] = {
        cmocka_unit_test(nothing_is_kept_from_page_to_page),
    };
    for (size_t i = 0; i < ROWS; i++)
        tests[OTHERS + i] = (struct CMUnitTest){ .name = rows[i].name,
                                                 .test_func = row_holds,
                                                 .initial_state = (void *)&rows[i] };
    return cmocka_run_group_tests_name("parse", tests, set_up, tear_down);
}
