/* Documents in, blocks out, through th_parse_html, including hostile documents. */
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
    const char *name, *html, *blocks;
} html_rows[] = {
    /* clang-format off */
    { "empty",               "",                     "" },
    { "plain text",          "foo bar",              "foo bar|2 0 1 2||p\n" },
    { "a whole page",        "<!DOCTYPE html><html><head><title>t</title></head><body><p>a</p></body></html>",
                             "a|1 0 1 1|html head title /title /head body p|p\n" },
    { "implied tags",        "<title>t</title><p>a<li>b<tr><td>c",
                             "a|1 0 1 1|title /title p|p\nb|1 0 1 1|li|li\nc|1 0 1 1|tr td|td\n" },
    { "implied end",         "<p>a<p>b</p>c",         "a|1 0 1 1|p|p\nb|1 0 1 1|p|p\nc|1 0 1 1|/p|body\n" },
    { "spaces in tags",      "<p >a</p\n><P\n>b</P  >", "a|1 0 1 1|p|p\nb|1 0 1 1|/p p|p\n" },
    { "no readable attribute", "<p ' \">a<br @x=1 />b", "a|1 0 1 1|p|p\nb|1 0 1 1|br|p\n" },
    { "void is one tag",     "a<br>b<br/>c<img src=x>d", "a|1 0 1 1||p\nb|1 0 1 1|br|p\nc|1 0 1 1|br|p\nd|1 0 1 1|img|p\n" },
    { "end of body",         "<body>a</body>b</html>c", "a|1 0 1 1|body|body\nb|1 0 1 1|/body|p\nc|1 0 1 1|/html|p\n" },
    { "references",          "a&amp;b &eacute;&#x4E2D;&nbsp;&#60;i>", "a&b \u00E9\u4E2D <i>|4 0 1 4||p\n" },
    { "token over references", "x&amp;<a href=y>z</a>", "x&z|1 0 1 1||p\n" },
    { "comment is not a gap", "foo<!-- x -->bar",      "foobar|1 0 1 1||p\n" },
    { "script and style",    "a<script>if (x<b) '</p>'</script>b<style>p{}</style>c", "a|1 0 1 1||p\nb|1 0 1 1|script /script|p\nc|1 0 1 1|style /style|p\n" },
    { "options",             "<select><option>a<option>b</select>c", "c|1 0 1 1|select option option /select|body\n" },
    { "hidden, mis-nested",  "<div><span hidden>a</div>b",  "b|1 0 1 1|div span /div|body\n" },
    { "meta charset is not a charset", "<meta charset=utf-7>+ADw-p+AD4-a\u00E9", "+ADw-p+AD4-a\u00E9|1 0 1 1|meta|p\n" },
    { "charset in XML declaration", "<?xml version='1.0' encoding='iso-8859-1'?><p>\u00E9", "\u00E9|1 0 1 1|p|p\n" },
    { "conditional comments", "<![if IE]>a<![endif]>b",      "ab|1 0 1 1||p\n" },
    { "click handler",       "<p @click=\"a > b\">c",         "c|1 0 1 1|p|p\n" },
    { "two doctypes",        "<!doctype html><!doctype html></p><p>a", "a|1 0 1 1|p|p\n" },
    { "unknown elements",    "<x-a>b<y-c/>d</x-a>e",         "b|1 0 1 1|*|*\nd|1 0 1 1|*|*\ne|1 0 1 1|/*|body\n" },
    /* clang-format on */
}, xml_rows[] = {
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
    { "xml, is HTML",        "foo<p>bar",             "foo|1 0 1 1||p\nbar|1 0 1 1|p|p\n" },
    { "xml, external DTD",   "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'http://127.0.0.1:9/x.dtd'><html><p>a</p></html>", "a|1 0 1 1|html p|p\n" },
    /* clang-format on */
};

static th_options opt;
static th_parser *parser;
static th_arena *arena, *other;

/* A parser keeps a copy of its options: another limit takes another parser. */
static void parse_within(unsigned page_ms)
{
    th_options_init(&opt);
    opt.parser = "libxml2";
    opt.page_ms = page_ms;
    th_parser_free(parser);
    parser = th_parser_new(&opt);
}

static int set_up(void **state)
{
    (void)state;
    parse_within(0); /* what a test expects must not depend on the machine's speed */
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

static th_status parse(th_arena *into, th_view bytes, bool is_xml, th_page **page)
{
    const th_document document = { .bytes = bytes,
                                   .url = TH_VIEW("http://example.org/a/b"),
                                   .charset = TH_VIEW("utf-8"),
                                   .is_xml = is_xml };
    th_arena_reset(into);
    return th_parse_html(parser, &document, into, page, NULL, NULL);
}

static th_page *page_of(th_arena *into, th_view bytes, bool is_xml)
{
    th_page *page = NULL;
    char *exact = malloc(bytes.len ? bytes.len : 1);
    memcpy(exact, bytes.data, bytes.len);
    assert_int_equal(parse(into, (th_view){ exact, bytes.len }, is_xml, &page), TH_OK);
    free(exact);
    check_page(page);
    return page;
}

static void row_holds(const struct row *row, bool is_xml)
{
    const th_view html = { row->html, strlen(row->html) };
    const th_page *page = page_of(arena, html, is_xml);
    if (row->blocks) {
        char *blocks = dump_blocks(page);
        assert_string_equal(blocks, row->blocks);
        free(blocks);
    }
    check_same_page(page, page_of(other, html, is_xml));
}

static void html_row_holds(void **state)
{
    row_holds(*state, false);
}

static void xml_row_holds(void **state)
{
    row_holds(*state, true);
}

static void repaired_xml_keeps_its_text(void **state)
{
    (void)state;
    const th_page *page =
        page_of(arena, TH_VIEW("<html><body><p>a & b</i><br>c</p>d</body></html>"), true);
    assert_int_equal(page->tokens_before[page->block_count], 4);
}

/* Without a space before it libxml2's copy of "/>" and "</p>" cannot be mixed up. */
static void nothing_is_kept_from_page_to_page(void **state)
{
    (void)state;
    (void)page_of(arena, TH_VIEW("<div hidden><a href=x><script>a"), false);
    const th_page *page = page_of(arena, TH_VIEW("<p>b"), false);
    assert_int_equal(page->block_count, 1);
    assert_int_equal(page->linked_before[1], 0);
}

/* ---- hostile documents [docs/reliability.md#hostile-html] -------------------------- */

static void repeat(th_buffer *out, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        th_buffer_append_text(out, text);
}

static void numbered(th_buffer *out, const char *before, size_t count, const char *after)
{
    for (size_t i = 0; i < count; i++)
        th_buffer_printf(out, "%s%zu%s", before, i, after);
}

#define MAKE(name, body)                                                                 \
    static void name(th_buffer *out)                                                     \
    {                                                                                    \
        body                                                                             \
    }

enum { MANY = 100000 };

/* clang-format off */
MAKE(deep, repeat(out, "<div>", 10000); th_buffer_append_text(out, "word"); repeat(out, "</div>", 10000);)
MAKE(nul_in_tag, th_buffer_append(out, "<p \0>word</p\0><p>more", 21);)
MAKE(attributes, th_buffer_append_text(out, "<p"); numbered(out, " a", 118000, "=1"); th_buffer_append_text(out, ">word");)
MAKE(attributes_quoted, th_buffer_append_text(out, "<p"); numbered(out, " a", 118000, "='>'"); th_buffer_append_text(out, ">word");)
MAKE(attributes_glued, th_buffer_append_text(out, "<p"); numbered(out, "a", 118000, "=''"); th_buffer_append_text(out, ">word");)
MAKE(attributes_in_script, th_buffer_append_text(out, "<b><script></b><p"); numbered(out, " a", 118000, "=1"); th_buffer_append_text(out, "></script>word");)
MAKE(attributes_in_comment, th_buffer_append_text(out, "<!--><p"); numbered(out, " a", 118000, "=1"); th_buffer_append_text(out, ">word<!---->");)
MAKE(attributes_in_doctype, th_buffer_append_text(out, "<!doctype html><!doctype html '><p"); numbered(out, " a", 118000, "=1"); th_buffer_append_text(out, ">word");)
MAKE(many_bodies, numbered(out, "<body a", 2 * MANY, "=1>"); numbered(out, "<html a", MANY, "=1>"); th_buffer_append_text(out, "word");)
MAKE(many_ids, numbered(out, "<i id=a", 4 * MANY, ">"); th_buffer_append_text(out, "word");)
MAKE(many_paragraphs, repeat(out, "<p>x", 10 * MANY);)
MAKE(long_text, repeat(out, "0123456789 ", 10 * MANY);)
MAKE(long_word, repeat(out, "0123456789", 10 * MANY); th_buffer_append_text(out, "<p>word");)
MAKE(formatting, repeat(out, "<b><i><font>", 20000); repeat(out, "<p>", 20000); th_buffer_append_text(out, "word"); repeat(out, "</b>", 20000);)
MAKE(very_deep, repeat(out, "<div>", 4 * MANY); th_buffer_append_text(out, "word");)
MAKE(definition_lists, repeat(out, "<dl><dd>", 3551); th_buffer_append_text(out, "word");)
MAKE(colspan, th_buffer_append_text(out, "<table><tr><td colspan=9007199254740991 rowspan=9007199254740991>word</table>");)
MAKE(short_blocks, repeat(out, "<p>a</p>", MANY);)
MAKE(list_loop, repeat(out, "<ul><li><ol><li>&lt;</ul>", 20000); th_buffer_append_text(out, "word");)
MAKE(unclosed_quote, th_buffer_append_text(out, "word<p title=\""); repeat(out, "x '> ", 4 * MANY);)
MAKE(paths, th_buffer_append_text(out, "<svg>"); repeat(out, "<path d='M0'/>", 12000); th_buffer_append_text(out, "</svg>word");)
MAKE(unclosed_comment, th_buffer_append_text(out, "word<!--"); repeat(out, "- >-", MANY);)
MAKE(unclosed_script, th_buffer_append_text(out, "word<script>"); repeat(out, "</scrip", MANY);)
MAKE(unclosed_title, th_buffer_append_text(out, "<p>word<title>"); repeat(out, "</titl ", MANY);)
MAKE(unclosed_textarea, th_buffer_append_text(out, "<p>word<textarea>"); repeat(out, "</text ", MANY);)
MAKE(plaintext, th_buffer_append_text(out, "<p>word<plaintext>"); repeat(out, "</p> ", MANY);)
MAKE(data_uri, th_buffer_append_text(out, "<p>word<img alt=x src='data:image/png;base64,"); repeat(out, "0123456789", MANY); th_buffer_append_text(out, "' title=y>more");)
MAKE(end_tags, repeat(out, "</p>", 4 * MANY); th_buffer_append_text(out, "word");)
MAKE(comments, repeat(out, "<!---->", 4 * MANY); th_buffer_append_text(out, "word");)
MAKE(references, repeat(out, "&amp;&#x41;&zz;&", MANY);)
MAKE(anchors, repeat(out, "<a href=x>y<b>", MANY);)
MAKE(styles, repeat(out, "<p style=';;::display:nones;;!!'>x", MANY);)
MAKE(lone_brackets, repeat(out, "<", 40 * MANY); th_buffer_append_text(out, " word");)
MAKE(angle_slash, repeat(out, "</", 20 * MANY); th_buffer_append_text(out, " >word");)
/* clang-format on */

static const struct hostile {
    const char *name;
    void (*make)(th_buffer *out);
    uint32_t tokens; /* that must be found */
    uint32_t flags;  /* and nothing else may have befallen the page */
} hostiles[] = {
    /* clang-format off */
    { "34 NUL in a tag",           nul_in_tag,            2, TH_FLAG_NUL_REMOVED },
    { "37 depth 10,000",           deep,                  1, TH_FLAG_DEPTH_CUT },
    { "38 attribute flood",        attributes,            1, TH_FLAG_ATTRIBUTES_CUT },
    { "38 with '>' in quotes",     attributes_quoted,     1, TH_FLAG_ATTRIBUTES_CUT },
    { "38 without blanks",         attributes_glued,      1, TH_FLAG_ATTRIBUTES_CUT },
    { "38 after a false script",   attributes_in_script,  1, 0 },
    { "38 after a false comment", attributes_in_comment, 1, TH_FLAG_ATTRIBUTES_CUT },
    { "38 after a false doctype", attributes_in_doctype, 1, TH_FLAG_ATTRIBUTES_CUT },
    { "39 many bodies",            many_bodies,           1, 0 },
    { "40 distinct ids",           many_ids,              1, TH_FLAG_DEPTH_CUT },
    { "41 a million paragraphs",   many_paragraphs, 10 * MANY, TH_FLAG_NODES_CUT | TH_FLAG_BLOCKS_CUT },
    { "42 text over 10 MB",        long_text,       10 * MANY, 0 },
    { "42 word of 10 MB",          long_word,             2, 0 },
    { "43 formatting elements",    formatting,            1, TH_FLAG_DEPTH_CUT },
    { "44 depth 400,000",          very_deep,             1, TH_FLAG_DEPTH_CUT },
    { "45 definition lists",       definition_lists,      1, TH_FLAG_DEPTH_CUT },
    { "46 colspan",                colspan,               1, 0 },
    { "47 short blocks",           short_blocks,       MANY, 0 },
    { "48 list loop",              list_loop,             1, 0 },
    { "49 unclosed quote",         unclosed_quote,        1, TH_FLAG_ATTRIBUTES_CUT },
    { "50 self-closing paths",     paths,                 1, 0 },
    { "51 unclosed comment",       unclosed_comment,      1, 0 },
    { "51 unclosed script",        unclosed_script,       1, 0 },
    { "51 unclosed title",         unclosed_title,        1, 0 },
    { "51 unclosed textarea",      unclosed_textarea,     1, 0 },
    { "51 plaintext",              plaintext,             1, 0 },
    { "51 megabyte data: URI",     data_uri,              2, TH_FLAG_ATTRIBUTES_CUT },
    { "51 end tags",               end_tags,              1, 0 },
    { "comments",                  comments,              1, 0 },
    { "references",                references,            1, 0 },
    { "52 anchors",                anchors,            MANY, TH_FLAG_DEPTH_CUT | TH_FLAG_LINKS_CUT },
    { "52 styles",                 styles,             MANY, 0 },
    { "lone brackets",             lone_brackets,         1, 0 },
    { "angle slash",               angle_slash,           1, 0 },
    /* clang-format on */
};

/* Instrumented code may take longer. */
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
enum { SECONDS = 30 };
#else
enum { SECONDS = 1 };
#endif

static double cpu_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void hostile_is_survived(void **state)
{
    const struct hostile *hostile = *state;
    th_buffer html = { 0 };
    hostile->make(&html);
    assert_false(html.has_failed);
    const double start = cpu_seconds();
    th_page *page = NULL;
    assert_int_equal(parse(arena, th_buffer_view(&html), false, &page), TH_OK);
    const double seconds = cpu_seconds() - start;
    check_page(page);
    assert_int_equal(page->tokens_before[page->block_count], hostile->tokens);
    assert_int_equal(page->flags, hostile->flags);
    assert_true(seconds < SECONDS);
    th_buffer_done(&html);
}

/*
 * Every end tag that matches nothing is compared with every open element, inside libxml2
 * and without an event: the page's time must stop it all the same.
 */
static void time_stops_what_makes_no_events(void **state)
{
    (void)state;
    parse_within(100);
    th_buffer html = { 0 };
    repeat(&html, "<b>", 5 * MANY);
    repeat(&html, "</i>", 5 * MANY);
    th_page *page = NULL;
    const double start = cpu_seconds();
    assert_int_equal(parse(arena, th_buffer_view(&html), false, &page), TH_TIME_LIMIT);
    assert_true(cpu_seconds() - start < SECONDS);
    th_buffer_done(&html);
    parse_within(0);
}

static void xml_floods_go_the_road_of_html(void **state)
{
    (void)state;
    th_buffer xml = { 0 };
    th_buffer_append_text(&xml, "<html><p");
    numbered(&xml, " a", 118000, "='1'");
    th_buffer_append_text(&xml, ">word</p></html>");
    th_page *page = NULL;
    const double start = cpu_seconds();
    assert_int_equal(parse(arena, th_buffer_view(&xml), true, &page), TH_OK);
    assert_true(cpu_seconds() - start < SECONDS);
    assert_int_equal(page->tokens_before[page->block_count], 1);
    assert_int_equal(page->flags, TH_FLAG_ATTRIBUTES_CUT);
    th_buffer_done(&xml);
}

enum {
    HTML = sizeof html_rows / sizeof *html_rows,
    XML = sizeof xml_rows / sizeof *xml_rows,
    HOSTILE = sizeof hostiles / sizeof *hostiles,
};

static struct CMUnitTest named(const char *name, CMUnitTestFunction function,
                               const void *row)
{
    return (struct CMUnitTest){ .name = name,
                                .test_func = function,
                                .initial_state = (void *)row };
}

int main(void)
{
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(repaired_xml_keeps_its_text),
        cmocka_unit_test(nothing_is_kept_from_page_to_page),
        cmocka_unit_test(time_stops_what_makes_no_events),
        cmocka_unit_test(xml_floods_go_the_road_of_html),
    };
    enum { OTHERS = sizeof others / sizeof *others };
    struct CMUnitTest tests[OTHERS + HTML + XML + HOSTILE];
    memcpy(tests, others, sizeof others);
    struct CMUnitTest *next = tests + OTHERS;
    for (size_t i = 0; i < HTML; i++)
        *next++ = named(html_rows[i].name, html_row_holds, &html_rows[i]);
    for (size_t i = 0; i < XML; i++)
        *next++ = named(xml_rows[i].name, xml_row_holds, &xml_rows[i]);
    for (size_t i = 0; i < HOSTILE; i++)
        *next++ = named(hostiles[i].name, hostile_is_survived, &hostiles[i]);
    return cmocka_run_group_tests_name("html_libxml2", tests, set_up, tear_down);
}
