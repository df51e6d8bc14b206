/*
 * The text that a reader sees: HTML in, the printed text out, and for some pages the
 * kind of each paragraph: "kind@start" with its level, depth, number, row and column.
 */
#include "parse/paragraph.h"

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
    const char *name, *html, *text;
} rows[] = {
    /* clang-format off */
    { "nothing", "", "" },
    { "inline tags part no word", "<p>in <a><em>Science</em></a>, H<sub>2</sub>O <b>c</b>d", "in Science, H2O cd" },
    { "whitespace around tags is one space", "<p>a <b> b </b> c", "a b c" },
    { "whitespace between tags", "<p>a<b> </b><i>b</i>", "a b" },
    { "a drop capital", "<p><span>T</span>he end", "The end" },
    { "inline elements that touch are joined", "<p><span>a</span><span>b</span>", "ab" },
    { "WBR joins", "<p>some<wbr>where", "somewhere" },
    { "soft hyphens and zero-width characters stay", "<p>a\u00adb\u200bc\u2060d", "a\u00adb\u200bc\u2060d" },
    { "blocks part", "<div>a<div>b</div>c</div>d", "a\nb\nc\nd" },
    { "margins are seen", "<p>a<p>b<div>c</div><h2>d</h2>e", "a\n\nb\n\nc\n\nd\n\ne" },
    { "sections are separate", "<div>a</div><section>b</section><div>c</div>", "a\n\nb\n\nc" },
    { "a block in an inline element", "<p>a<b>b<div>c</div>d</b>e", "ab\n\nc\nde" },
    { "an end tag without element parts", "a</p>b</div>c", "a\n\nbc" },
    { "BR", "<p>a<br>b <br/> c</br>d", "a\nb\nc\nd" },
    { "BR twice", "<p>a<br><br>b<br> <br>c", "a\n\nb\n\nc" },
    { "BR at the edges", "<div><br>a<br></div><div>b</div><br><div>c</div>", "a\nb\n\nc" },
    { "HR", "a<hr>b", "a\n\nb" },
    { "a list", "<p>x<ul><li>a<li>b</ul>y", "x\n\n- a\n- b\n\ny" },
    { "lists in lists", "<ul><li>a<ul><li>b<li>c</ul>d<li>e</ul>", "- a\n  - b\n  - c\n  d\n- e" },
    { "a list in an item without text", "<ul><li><ul><li>a</ul>b</ul>", "  - a\n  b" },
    { "numbers", "<ol><li>a<li>b</ol><ol start=9><li>c<li value=3>d<li>e</ol>", "1. a\n2. b\n\n9. c\n3. d\n4. e" },
    { "numbers that fall", "<ol reversed><li>a<li>b<li>c</ol><ol reversed start=1><li>d<li>e</ol>", "3. a\n2. b\n1. c\n\n1. d\n0. e" },
    { "invalid numbers", "<ol start=x><li>a<li value=-2>b<li value=' 7 '>c</ol>", "1. a\n-2. b\n7. c" },
    { "hidden items have no number", "<ol><li>a<li hidden>b<li>c</ol>", "1. a\n2. c" },
    { "paragraphs in an item", "<ul><li><p>a<p>b<li><div>c</div><div>d</div></ul>", "- a\n\n  b\n\n- c\n  d" },
    { "an item without list", "<li>a<div>b</div>", "- a\n  b" },
    { "a table", "<table><tr><th>a<th>b<tr><td>c<td>d</table>e", "a\tb\nc\td\ne" },
    { "empty cells", "<table><tr><td><td>a<td><td>b<tr><td>c<td><td>d</table>", "\ta\t\tb\nc\t\td" },
    { "a row of one text", "<table><tr><td> <td>a<tr><td>b<td></table>", "a\nb" },
    { "paragraphs in cells", "<table><tr><td><p>a<td><p>b<tr><td><p>c<td>d</table>", "a\tb\nc\td" },
    { "BR in a cell", "<table><tr><td>a<br>b<td>c</table>", "a b\tc" },
    { "layout: a cell of two paragraphs", "<table><tr><td>a<td><div>b</div><div>c</div></table>", "a\nb\nc" },
    { "layout: a cell of many lines", "<table><tr><td>a<td>b<br>c<br>d</table>", "a\nb\nc\nd" },
    { "layout: a list in a cell", "<table><tr><td>a<td><ul><li>b</ul></table>", "a\n\n- b" },
    { "layout: a table in a cell", "<table><tr><td>a<td><table><tr><td>b<td>c</table></table>", "a\nb\tc" },
    { "a caption", "<table><caption>a</caption><tr><td>b<td>c</table>", "a\nb\tc" },
    { "text between cells stays", "<table>a<tr>b<td>c<td>d</table>", "a\nb\nc\nd" },
    { "PRE", "<p>a<pre>\n  b\tc\n\n   d  \n</pre>e", "a\n\n  b\tc\n\n   d\n\ne" },
    { "only the first newline goes", "<pre>\n\na\n</pre>", "\na" },
    { "tags in PRE", "<pre><b>a</b>\n  <i>b</i>  <i>c</i>\n</pre>", "a\n  b  c" },
    { "a tag before the newline", "<pre><code>\na</code></pre>", "\na" },
    { "BR in PRE", "<pre>a<br>b<br><br>c</pre>", "a\nb\n\nc" },
    { "blocks in PRE are lines", "<pre><div>a</div><div>b</div><div>  c</div></pre>d", "a\nb\n  c\n\nd" },
    { "PRE in an item", "<ul><li>a<pre>b\n c</pre>d</ul>", "- a\n\nb\n c\n\n  d" },
    { "PRE in a cell is not a line", "<table><tr><td>1<td><pre>a\nb</pre></table>", "1\n\na\nb" },
    { "PRE that is empty", "a<pre> \n </pre>b", "a\n\nb" },
    { "PRE without end", "<pre>a\n b", "a\n b" },
    { "LISTING and XMP", "<listing>\na\n b</listing><xmp>c\n <b></xmp>", "a\n b\n\nc\n <b>" },
    { "no-break spaces in PRE", "<pre>\u00a0 a\u00a0\u00a0b</pre>", "\u00a0 a\u00a0\u00a0b" },
    { "a return by reference in PRE", "<pre>&#13;a&#13;b\r\nc</pre>", " a b\nc" },
    { "a quote", "a<blockquote>b</blockquote>c", "a\n\nb\n\nc" },
    { "a figure", "<figure><img><figcaption>a</figcaption></figure>b", "a\n\nb" },
    { "terms", "<dl><dt>a<dd>b<dt>c<dd>d</dl>e", "a\nb\nc\nd\n\ne" },
    { "DETAILS", "<details><summary>a</summary>b</details>c", "a\nb\nc" },
    { "a field", "<fieldset><legend>a</legend>b</fieldset>", "a\nb" },
    { "controls part words", "<p>a<button>b</button><button>c</button><input>d<select><option>x</select>e", "a b c d e" },
    { "pictures part words", "<p>a<img>b <img> c", "a b c" },
    { "hidden blocks part nothing", "<div>a<span hidden>x</span>b<span hidden><div>y</div></span>c", "abc" },
    { "a hidden block parts nothing", "<div>a<div style=display:none>x</div>b</div>", "ab" },
    { "streamed content", "<p>a<!--$?--><template id=\"B:0\"></template><p>wait<!--/$--><p>b"
      "<div hidden id=\"S:0\"><p>c<div>d</div></div><script>$RC(\"B:0\",\"S:0\")</script>", "a\n\nc\n\nd\n\nb" },
    { "streamed content in streamed content", "<!--$?--><template id=\"B:1f\"></template>x<!--$-->y<!--/$-->z<!--/$-->"
      "<div hidden id=\"S:1f\">a<template id=\"P:2\"></template>c</div>"
      "<div hidden id=\"S:2\"><!--</div>--><script>'</div>'</script><div>b</div></div>", "a\nb\nc" },
    { "ids with a prefix", "<template id=\"aB:0\"></template><div hidden id=\"aS:0\">a</div><div hidden id=\"bS:0\">b</div>", "a" },
    { "streamed content without place", "<template id=\"B:1\"></template>a<div hidden id=\"S:0\">b</div>", "a" },
    { "streamed content in itself", "<div hidden id=\"S:0\"><template id=\"B:0\"></template>a</div>b", "b" },
    { "streamed content without end", "<template id=\"B:0\"></template>a<div hidden id=\"S:0\">b", "ba" },
    { "heads and titles are not text", "<title>x</title><h1>a <small>b</small></h1>", "a b" },
    /* clang-format on */
};

static const struct row kinds[] = {
    /* clang-format off */
    { "plain", "<div>a</div>b", "paragraph paragraph" },
    { "headings", "<h1>a</h1><h6><div>b</div></h6><p>c", "heading1 heading6 paragraph" },
    { "items", "<ul><li>a<ol start=4><li><p>b<p>c</ol>d</ul>", "item:1 item:2#4 item:2#4 item:1" },
    { "cells", "<table><tr><td colspan=2 rowspan=2>a<td>b<tr><td>c<tr><td>d<td>e</table>",
      "cell(0,0) cell(0,2) cell(1,2) cell(2,0) cell(2,1)" },
    { "cells to the end", "<table><tr><td rowspan=0>a<td>b<tr><td>c<tr><td>d</table>",
      "cell(0,0) cell(0,1) cell(1,1) cell(2,1)" },
    { "cells to the end of their rows' group",
      "<table><thead><tr><td rowspan=0>a<td rowspan=9>b<tbody><tr><td>c<td>d<tfoot><tr><td>e</table>",
      "cell(0,0) cell(0,1) cell(1,0) cell(1,1) cell(2,0)" },
    { "a nested table's groups are its own",
      "<table><tr><td rowspan=2><table><thead><tr><td>a<tbody><tr><td>b</table><tr><td>c</table>",
      "cell(0,0) cell(1,0) cell(1,1)" },
    { "cells that overlap", "<table><tr><td>a<td rowspan=4>b<tr><td colspan=2 rowspan=2>c<tr><tr><td>d<td>e</table>",
      "cell(0,0) cell(0,1) cell(1,0) cell(3,0) cell(3,2)" },
    { "invalid spans", "<table><tr><td colspan=0 rowspan=-1>a<td colspan=9999>b<td>c</table>",
      "cell(0,0) cell(0,1) cell(0,1001)" },
    { "a table in a table", "<table><tr><td rowspan=2><table><tr><td>a<td>b</table><td>c<tr><td>d</table>",
      "cell(0,0) cell(0,1) cell(0,1) cell(1,1)" },
    { "pre", "<pre>a</pre><ul><li><pre>b</pre></ul>", "pre pre:1" },
    { "quotes", "<blockquote>a<p>b<ul><li>c</ul></blockquote>", "quote quote item:1" },
    { "captions", "<table><caption>a</caption></table><figcaption>b</figcaption><legend>c</legend>",
      "caption caption caption" },
    { "terms", "<dl><dt>a<dd>b<p>c</dl>", "term definition definition" },
    { "controls in headings", "<h1><button>a</button></h1><h2><button>b</button> c</h2>", "control heading2" },
    { "controls", "<button>a</button><div><button>b</button> c</div><button><div>d</div></button>",
      "control paragraph control" },
    /* clang-format on */
};

static th_options opt;
static th_parser *parser;
static th_arena *arena;

static const th_page *parse(const char *html)
{
    const th_document document = { .bytes = { html, strlen(html) },
                                   .charset = TH_VIEW("utf-8") };
    th_page *page = NULL;
    th_arena_reset(arena);
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    check_page(page);
    return page;
}

static void text_holds(void **state)
{
    const struct row *row = *state;
    const th_page *page = parse(row->html);
    th_buffer text = { 0 };
    th_buffer_append(&text, page->text.data, page->text.len);
    th_buffer_append_char(&text, '\0');
    assert_string_equal(text.data, row->text);
    th_buffer_done(&text);
}

static void put_kind(th_buffer *out, const th_page *page, const th_paragraph *paragraph)
{
    th_buffer_printf(out, "%s%s", out->len ? " " : "",
                     th_paragraph_kind_name(paragraph->kind));
    if (paragraph->level)
        th_buffer_printf(out, "%u", paragraph->level);
    const th_box *box = paragraph->box == TH_NONE ? NULL : &page->boxes[paragraph->box];
    if (box && box->kind == TH_BOX_CELL)
        th_buffer_printf(out, "(%d,%u)", (int)box->number, box->column);
    if (!box || box->item == TH_NONE)
        return;
    const th_box *item = &page->boxes[box->item];
    th_buffer_printf(out, ":%u", item->depth);
    if (page->boxes[item->parent].kind == TH_BOX_ORDERED)
        th_buffer_printf(out, "#%d", (int)item->number);
}

static void kinds_hold(void **state)
{
    const struct row *row = *state;
    const th_page *page = parse(row->html);
    th_buffer out = { 0 };
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        put_kind(&out, page, &page->paragraphs[i]);
    th_buffer_append_char(&out, '\0');
    assert_string_equal(out.data, row->text);
    th_buffer_done(&out);
}

/* For lists of any depth, a line is indented by a bounded number of spaces. */
static void depth_is_bounded(void **state)
{
    (void)state;
    th_buffer html = { 0 };
    for (int i = 0; i < 4000; i++)
        th_buffer_printf(&html, "<ul><li>a");
    th_buffer_append_char(&html, '\0');
    const th_page *page = parse(html.data);
    assert_in_range(page->text.len, 4000 * 3, 4000 * (32 + 4));
    th_buffer_done(&html);
}

static int set_up(void **state)
{
    (void)state;
    th_options_init(&opt);
    opt.classifier = "num-words"; /* reads what is shown, no classes */
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

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows, KINDS = sizeof kinds / sizeof *kinds };
    struct CMUnitTest tests[ROWS + KINDS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = text_holds,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    for (size_t i = 0; i < KINDS; i++)
        tests[ROWS + i] =
            (struct CMUnitTest){ .name = kinds[i].name,
                                 .test_func = kinds_hold,
                                 .initial_state = (void *)(uintptr_t)&kinds[i] };
    tests[ROWS + KINDS] = (struct CMUnitTest)cmocka_unit_test(depth_is_bounded);
    return cmocka_run_group_tests_name("paragraph", tests, set_up, tear_down);
}
