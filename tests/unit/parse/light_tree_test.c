/*
 * Which element encloses a text, and which text is linked, by the standard's rules: HTML
 * in, "text@path" out for each block, a '+' behind it where all its tokens are linked.
 */
#include "parse/light_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "parse/page_check.h"
#include "thresher/parse.h"

static const struct row {
    const char *name, *html, *blocks;
} rows[] = {
    /* clang-format off */
    { "TITLE without end",      "<title>a<meta><body><p>b</p>c", "b@body/p c@body" },
    { "TITLE in BODY without end", "<body>a<title>t<p>b</p>c", "a@body b@body/p c@body" },
    { "TITLE without all",      "<title>a<div>b</title", "b@body/div" },
    { "body is implied",        "a", "a@body" },
    { "head ends at text",      "<head><title>t</title>a", "a@body" },
    { "head ends at a DIV",     "<head><meta><div>a", "a@body/div" },
    { "body in source",         "<html><head></head><body>a", "a@body" },
    { "second body",            "<body>a<body>b", "a@body b@body" },
    { "SCRIPT behind HEAD",     "<head></head><script>x</script><p>a", "a@body/p" },
    { "NOSCRIPT in HEAD",       "<head><noscript><img>no</noscript><title>t</title></head><body>a", "a@body" },

    { "P ends at P",            "<p>a<p>b", "a@body/p b@body/p" },
    { "P ends at DIV",          "<p>a<div>b</div>c", "a@body/p b@body/div c@body" },
    { "P ends in formatting",   "<p><b>a<div>b", "a@body/p/b b@body/div/b" },
    { "P in BUTTON",            "<p>a<button><div>b</div></button>c", "a@body/p b@body/p/button/div c@body/p" },
    { "P ends at headings",     "<p>a<h1>b", "a@body/p b@body/h1" },
    { "heading in heading",     "<h1>a<h2>b</h1>c", "a@body/h1 b@body/h2 c@body" },
    { "P in quirks mode",       "<p>a<table><td>b</table>c", "a@body/p b@body/p/table/tbody/tr/td c@body/p" },
    { "P ends at TABLE",        "<!doctype html><p>a<table><td>b</table>c", "a@body/p b@body/table/tbody/tr/td c@body" },
    { "an old doctype",         "<!doctype html public '-//W3C//DTD HTML 4.01 Transitional//EN'><p>a<table><td>b", "a@body/p b@body/p/table/tbody/tr/td" },
    { "stray end of P",         "<div>a</p>b</div>c", "a@body/div b@body/div c@body" },
    { "P inside SPAN ends",     "<p><span>a<p>b</span>c", "a@body/p/span b@body/p c@body/p" },

    { "LI ends at LI",          "<ul><li>a<li>b</ul>c", "a@body/ul/li b@body/ul/li c@body" },
    { "LI with DIV",            "<ul><li><div>a<li>b</ul>", "a@body/ul/li/div b@body/ul/li" },
    { "LI in nested list",      "<ul><li>a<ul><li>b</ul>c<li>d", "a@body/ul/li b@body/ul/li/ul/li c@body/ul/li d@body/ul/li" },
    { "end of LI outside",      "<ul><li>a<ol></li>b", "a@body/ul/li b@body/ul/li/ol" },
    { "DT and DD",              "<dl><dt>a<dd>b<dt>c</dl>d", "a@body/dl/dt b@body/dl/dd c@body/dl/dt d@body" },

    { "end tag is ignored",     "<span><div>a</span>b</div>c", "a@body/span/div b@body/span/div c@body/span" },
    { "end closes inner",       "<div><span>a</div>b", "a@body/div/span b@body" },
    { "unlisted names",         "<x-a><x-b>a</x-a>b", "a@body/*/* b@body" },
    { "other unlisted name",    "<x-a>a</x-b>b", "a@body/* b@body/*" },

    { "formatting crosses",     "<b>a<i>b</b>c</i>d", "a@body/b b@body/b/i c@body/i d@body" },
    { "formatting opens again", "<p><b>a</p><p>b</b>c", "a@body/p/b b@body/p/b c@body/p" },
    { "FONT around P",          "<font>a<p>b</font>c", "a@body/font b@body/font/p c@body/font/p" },
    { "not behind a cell",      "<table><td><b>a<td>b</table>c", "a@body/table/tbody/tr/td/b b@body/table/tbody/tr/td c@body" },
    { "thrice at most",         "<p><b><b><b><b>a<p>b", "a@body/p/b/b/b/b b@body/p/b/b/b" },

    { "A ends at A",            "<a href=1>a</p><a href=2>b</a><p>c", "a@body+ b@body+ c@body/p" },
    { "A around DIV",           "<a><div>a</div>b</a><p>c", "a@body/a/div+ b@body+ c@body/p" },
    { "A mis-nested",           "<a>a<div>b</a><br>c</div><p>d", "a@body+ b@body/a/div+ c@body/a/div d@body/p" },
    { "A opens again",          "<p><a>a</p><p>b</a><p>c", "a@body/p+ b@body/p+ c@body/p" },
    { "A in LI",                "<li><a>a<li><a>b</a><p>c", "a@body/li+ b@body/li+ c@body/li/p" },

    { "TABLE",                  "<table><tr><td>a<td>b<tr><th>c</table>d", "a@body/table/tbody/tr/td b@body/table/tbody/tr/td c@body/table/tbody/tr/th d@body" },
    { "cell without row",       "<table><td>a", "a@body/table/tbody/tr/td" },
    { "table part alone",       "<div><tr><td>a</td></tr>b", "a@body/div b@body/div" },
    { "CAPTION, THEAD",         "<table><caption>a<thead><tr><th>b", "a@body/table/caption b@body/table/thead/tr/th" },
    { "TABLE in cell",          "<table><td>a<table><td>b</table>c</table>d", "a@body/table/tbody/tr/td b@body/table/tbody/tr/td/table/tbody/tr/td c@body/table/tbody/tr/td d@body" },
    { "TABLE in TABLE",         "<table><tr><table><td>a", "a@body/table/tbody/tr/td" },
    { "text in TABLE",          "<div><table>a<tr>b<td>c</table>", "a@body/div b@body/div c@body/div/table/tbody/tr/td" },
    { "P in TABLE",             "<div><table><p>a</p><tr><td>c</table>", "a@body/div/p c@body/div/table/tbody/tr/td" },
    { "end in cell",            "<div><table><td>a</div>b", "a@body/div/table/tbody/tr/td b@body/div/table/tbody/tr/td" },
    { "FORM in TABLE",          "<table><form><tr><td>a</form></table>b", "a@body/table/tbody/tr/td b@body" },

    { "FORM in FORM",           "<form>a<form>b</form>c", "a@body/form b@body/form c@body" },
    { "FORM ends alone",        "<form><div>a</form>b</div>c", "a@body/form/div b@body/form/div c@body" },
    { "BUTTON in BUTTON",       "<button>a<button>b", "a@body/button b@body/button" },
    { "SELECT",                 "<select><option>a<option>b</select>c", "c@body" },
    { "SELECT in SELECT",       "<select><option>a<select>c", "c@body" },
    { "RUBY",                   "<ruby>a<rt>b<rp>c</ruby>d", "a@body/ruby b@body/ruby/rt c@body/ruby/rp d@body" },
    { "TEMPLATE",               "<template><div>a</template>b", "b@body" },
    { "OBJECT",                 "<div><object><p>a</object>b", "b@body/div" },
    { "FRAMESET",               "<frameset><frame>a<noframes>b</noframes></frameset>", "" },
    { "PLAINTEXT",              "<p>a<plaintext><b>b</b>", "a@body/p <b>b</b>@body/plaintext" },

    { "hidden P ends",          "<p hidden>a<div>b", "b@body/div" },
    { "hidden LI ends",         "<ul><li hidden>a<li>b", "b@body/ul/li" },
    { "hidden B opens again",   "<p><b hidden>a<p>b</b>c", "c@body/p" },
    { "SVG in hidden A, mis-nested", "<a hidden><div><svg></a>b</svg>c", "c@body" },
    { "hidden A, mis-nested",   "<a hidden><div>a</a>b", "b@body" },

    { "SVG",                    "a<svg><path/><title>b</title><g>c</svg>d", "a@body d@body" },
    { "self-closing SVG",       "<svg/>a", "a@body" },
    { "SVG ends at DIV",        "<svg><g>a<div>b", "b@body/div" },
    { "SVG ends at FONT",       "<svg>a<font>b<font color=red>c", "c@body/font" },
    { "HTML in SVG",            "<svg><foreignObject><div>a</div></foreignObject></svg>b", "b@body" },
    { "MATH",                   "<math><mi>x</mi><mo>=</mo></math>y", "x@body/math/mi =@body/math/mo y@body" },
    { "CDATA in SVG",           "<svg><![CDATA[a<p>]]></svg>b", "b@body" },
    { "CDATA in HTML",          "<![CDATA[a]]>b", "b@body" },
    { "STYLE in SVG",           "<svg><style><a>a</a></style></svg>b", "b@body" },
    { "end of P in SVG",        "<p>a<svg></p>b", "a@body/p b@body" },
    { "self-closing DIV",       "<div/>a", "a@body/div" },
    { "IMAGE is IMG",           "a<image>b", "a@body b@body" },
    /* clang-format on */
};

static th_parser *parser;
static th_arena *arena;

static int set_up(void **state)
{
    (void)state;
    static th_options opt;
    th_options_init(&opt);
    opt.parser = "whatwg";
    parser = th_parser_new(&opt);
    arena = th_arena_new(0);
    return parser && arena ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    th_parser_free(parser);
    th_arena_free(arena);
    return 0;
}

static void put_path(th_buffer *out, const th_page *page, uint32_t node)
{
    const th_node *const at = &page->nodes[node];
    if (at->parent == TH_NONE)
        return;
    put_path(out, page, at->parent);
    if (page->nodes[at->parent].parent != TH_NONE)
        th_buffer_append_char(out, '/');
    th_buffer_append_text(out, th_tag_name(at->tag));
}

static void encloses_as_the_standard_says(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        const th_document document = { .bytes = { row->html, strlen(row->html) },
                                       .url = TH_VIEW("http://example.org/"),
                                       .charset = TH_VIEW("utf-8") };
        th_page *page = NULL;
        th_arena_reset(arena);
        assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL),
                         TH_OK);
        check_page(page);
        th_buffer out = { 0 };
        for (uint32_t j = 0; j < page->block_count; j++) {
            const th_block *block = &page->blocks[j];
            if (j)
                th_buffer_append_char(&out, ' ');
            th_buffer_append_view(&out, th_block_text(page, j));
            th_buffer_append_char(&out, '@');
            put_path(&out, page, block->node);
            if (block->tokens && block->linked_tokens == block->tokens)
                th_buffer_append_char(&out, '+');
        }
        th_buffer_append_char(&out, '\0');
        if (strcmp(out.data, row->blocks) != 0) {
            print_error("%s: %s\n  got  %s\n  want %s\n", row->name, row->html, out.data,
                        row->blocks);
            wrong++;
        }
        th_buffer_done(&out);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(encloses_as_the_standard_says, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
