/* Documents that are served as XML, through th_parse_html, including a hostile one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "parse/page_check.h"
#include "thresher/parse.h"

static const struct row {
    const char *name, *xml, *blocks;
} rows[] = {
    /* clang-format off */
    { "xml, empty",          "",                      "" },
    { "xml, a page",         "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>t</title></head><body><p>a<br/>b</p><div/>c</body></html>",
                             "a|1 0 1 1|html head title /title /head body p|p\nb|1 0 1 1|br|p\nc|1 0 1 1|/p div|body\n" },
    { "xml, prefix",         "<h:html xmlns:h='http://www.w3.org/1999/xhtml'><h:p>a</h:p></h:html>", "a|1 0 1 1|html p|p\n" },
    { "xml, HTML references", "<html><p title='&nbsp;&lt;'>a&nbsp;b&eacute;&none;&amp;</p></html>", "a b\u00E9&|2 0 1 2|html p|p\n" },
    { "xml, own entities",   "<!DOCTYPE html [<!ENTITY a 'b'><!ENTITY c '&a;&a;'>]><html>&c;x&a;</html>", "x|1 0 1 1|html|html\n" },
    { "xml, CDATA",          "<html><p><![CDATA[a < b]]></p></html>", "a < b|2 0 1 2|html p|p\n" },
    { "xml, script",         "<html><script><![CDATA[a < b]]></script><p>c</p></html>", "c|1 0 1 1|html script /script p|p\n" },
    { "xml, declared charset", "<?xml version='1.0' encoding='iso-8859-1'?><html>\u00E9</html>", "\u00E9|1 0 1 1|html|html\n" },
    { "xml, repaired",       "<html><p>a &amp b & c<br>d</p></html>", NULL },
    { "xml, is HTML",        "foo<p>bar",             "foo|1 0 1 1||body\nbar|1 0 1 1|p|p\n" },
    { "xml, external DTD",   "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'http://127.0.0.1:9/x.dtd'><html><p>a</p></html>", "a|1 0 1 1|html p|p\n" },
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
                                   .charset = TH_VIEW("utf-8"),
                                   .is_xml = true };
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
    const th_view xml = { row->xml, strlen(row->xml) };
    const th_page *page = page_of(arena, xml);
    if (row->blocks) {
        char *blocks = dump_blocks(page);
        assert_string_equal(blocks, row->blocks);
        free(blocks);
    }
    check_same_page(page, page_of(other, xml));
}

static void repaired_xml_keeps_its_text(void **state)
{
    (void)state;
    const th_page *page =
        page_of(arena, TH_VIEW("<html><body><p>a & b</i><br>c</p>d</body></html>"));
    assert_int_equal(page->tokens_before[page->block_count], 4);
}

/* Maximum processor time of a hostile document; libxml2 takes minutes. */
enum { SECONDS = 5 };

static void numbered(th_buffer *out, const char *before, size_t count, const char *after)
{
    for (size_t i = 0; i < count; i++)
        th_buffer_printf(out, "%s%zu%s", before, i, after);
}

static double cpu_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void a_flood_of_attributes_is_read_as_html(void **state)
{
    (void)state;
    th_buffer xml = { 0 };
    th_buffer_append_text(&xml, "<html><p");
    numbered(&xml, " a", 118000, "='1'");
    th_buffer_append_text(&xml, ">word</p></html>");
    th_page *page = NULL;
    const double start = cpu_seconds();
    assert_int_equal(parse(arena, th_buffer_view(&xml), &page), TH_OK);
    assert_true(cpu_seconds() - start < SECONDS);
    assert_int_equal(page->tokens_before[page->block_count], 1);
    assert_int_equal(page->flags, TH_FLAG_ATTRIBUTES_CUT);
    th_buffer_done(&xml);
}

enum { ROWS = sizeof rows / sizeof *rows, OTHERS = 2 };

int main(void)
{
    struct CMUnitTest tests[OTHERS + ROWS] = {
        cmocka_unit_test(repaired_xml_keeps_its_text),
        cmocka_unit_test(a_flood_of_attributes_is_read_as_html),
    };
    for (size_t i = 0; i < ROWS; i++)
        tests[OTHERS + i] = (struct CMUnitTest){ .name = rows[i].name,
                                                 .test_func = row_holds,
                                                 .initial_state = (void *)&rows[i] };
    return cmocka_run_group_tests_name("xml_parser", tests, set_up, tear_down);
}
