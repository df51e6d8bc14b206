/* `text` about random markup: formulas, tables, lists, emphasis, and characters that Markdown
 * escapes, as a digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "shortage.h"

enum { ROUNDS = 2500, DEPTH = 4 };

static const char *const texts[] = {
    "word",
    "two words",
    "*",
    "_a_",
    "# no",
    "1. one",
    "- item",
    "+ x",
    "> said",
    "a|b",
    "`code`",
    "~~~",
    "[x](y)",
    "![i]",
    "&lt;b&gt;",
    "&amp;amp;",
    "\\",
    "a_b_c",
    "**",
    "===",
    "---",
    "1) first",
    "http://c.example/d",
    "e@f.com",
    "$x$",
    "&nbsp;g",
    "h \n",
    "\t i",
    "<br>",
    "<!--c-->",
    "12.5",
    "***",
    "!",
    "]",
    "(",
    "&lt;i j='k'&gt;",
    "&#123;",
    "~",
    "\"q\"",
    "l: m",
};
static const char *const titles[] = { "T",     "two words", "two words - Site",
                                      "a_b_c", "a|b: l: m", "word | 1. one",
                                      "12.5",  "" };
static const char *const inlines[] = { "b",   "i", "em",  "strong", "code",
                                       "s",   "a", "sub", "sup",    "span",
                                       "kbd", "q", "u",   "mark",   "del" };
static const char *const blocks[] = { "p",     "div",     "ul",    "ol", "blockquote",
                                      "pre",   "h1",      "h3",    "h6", "dl",
                                      "table", "section", "figure" };
static const char *const tokens[] = {
    "<mi>x</mi>",
    "<mi>sin</mi>",
    "<mn>12</mn>",
    "<mo>+</mo>",
    "<mo>(</mo>",
    "<mo>)</mo>",
    "<mo>[</mo>",
    "<mo>]</mo>",
    "<mo>{</mo>",
    "<mo>}</mo>",
    "<mo>|</mo>",
    "<mo>&Vert;</mo>",
    "<mo>&sum;</mo>",
    "<mo>&le;</mo>",
    "<mtext>if a</mtext>",
    "<mspace/>",
    "<mi mathvariant=bold>B</mi>",
    "<mi>&alpha;</mi>",
    "<mo stretchy=false>&rarr;</mo>",
    "<mi>&#x1D49C;</mi>",
    "<mi>&Ropf;</mi>",
    "<mi>&Afr;</mi>",
    "<mn>&#x1D7D8;</mn>",
    "<mi>&#x1D4D0;&#x1D6E2;</mi>",
    "<mo>&infin;</mo>",
    "<ms>s</ms>",
};
static const char *const pairs[][2] = {
    { "(", ")" }, { "[", "]" },           { "{", "}" },
    { "|", "|" }, { "&Vert;", "&Vert;" }, { "{", "" },
};
static const struct {
    const char *name;
    uint32_t children;
} shapes[] = {
    { "mrow", 3 },          { "mfrac", 2 },      { "msqrt", 2 },   { "mroot", 2 },
    { "msup", 2 },          { "msub", 2 },       { "msubsup", 3 }, { "munder", 2 },
    { "mover", 2 },         { "munderover", 3 }, { "mfenced", 2 }, { "mstyle", 1 },
    { "mphantom", 1 },      { "menclose", 1 },   { "mpadded", 1 }, { "merror", 1 },
    { "mmultiscripts", 4 },
};

// NOLINTNEXTLINE(misc-no-recursion): bounded by DEPTH
static void put_formula(struct outcomes *all, th_buffer *out, int depth)
{
    const uint32_t kind = below(all, 6);
    if (depth == DEPTH || kind < 2) {
        th_buffer_append_text(out, ONE(all, tokens));
    } else if (kind == 2) {
        const char *const *pair = ONE(all, pairs);
        const uint32_t rows = 1 + below(all, 3), columns = 1 + below(all, 3);
        th_buffer_printf(out, "<mrow><mo>%s</mo><mtable>", pair[0]);
        for (uint32_t i = 0; i < rows; i++) {
            th_buffer_append_text(out, "<mtr>");
            for (uint32_t k = 0; k < columns; k++) {
                th_buffer_append_text(out, "<mtd>");
                put_formula(all, out, depth + 1);
                th_buffer_append_text(out, "</mtd>");
            }
            th_buffer_append_text(out, "</mtr>");
        }
        th_buffer_printf(out, "</mtable><mo>%s</mo></mrow>", pair[1]);
    } else {
        const uint32_t shape = below(all, COUNT(shapes));
        th_buffer_printf(out, "<%s>", shapes[shape].name);
        const uint32_t children = below(all, 9) ? shapes[shape].children : below(all, 5);
        for (uint32_t i = 0; i < children; i++)
            put_formula(all, out, depth + 1);
        th_buffer_printf(out, "</%s>", shapes[shape].name);
    }
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by DEPTH
static void put_inline(struct outcomes *all, th_buffer *out, int depth)
{
    const uint32_t count = 1 + below(all, 4);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t kind = below(all, 10);
        if (kind == 0) {
            th_buffer_append_text(out, "<math>");
            put_formula(all, out, 1);
            th_buffer_append_text(out, "</math>");
        } else if (kind == 1) {
            th_buffer_printf(out, "<img src=/i.png alt='%s'>", ONE(all, texts));
        } else if (kind < 5 && depth < DEPTH) {
            const char *name = ONE(all, inlines);
            th_buffer_printf(
                out, "<%s%s>", name,
                *name == 'a' ? below(all, 2) ? " href='/l(1)'" : " href=#m title=n" : "");
            put_inline(all, out, depth + 1);
            th_buffer_printf(out, "</%s>", name);
        } else {
            th_buffer_append_text(out, ONE(all, texts));
        }
        th_buffer_append_text(out, below(all, 3) ? " " : "");
    }
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by DEPTH
static void put_block(struct outcomes *all, th_buffer *out, int depth)
{
    const char *name = ONE(all, blocks);
    const bool is_list = name[1] == 'l', is_table = name[0] == 't';
    th_buffer_printf(out, "<%s%s>", name,
                     *name == 'o' && below(all, 2) ? " start=7" : "");
    const uint32_t count = 1 + below(all, 3);
    for (uint32_t i = 0; i < count; i++) {
        if (is_list)
            th_buffer_append_text(out, *name != 'd'    ? "<li>"
                                       : below(all, 2) ? "<dt>"
                                                       : "<dd>");
        else if (is_table)
            th_buffer_append_text(out, "<tr><td>1<th colspan=2>");
        put_inline(all, out, 1);
        if (is_table)
            th_buffer_append_text(out,
                                  below(all, 2) ? "<td rowspan=2>2" : "<td align=right>");
        if (depth < DEPTH && below(all, 3) == 0)
            put_block(all, out, depth + 1);
    }
    th_buffer_printf(out, "</%s>", name);
}

static const char *const options[] = {
    "--text-format markdown",
    "--text-format markdown --text-links --text-images",
    "--text-format html --text-links --text-images",
    "--text-format plain",
    "--json -e html,links --text-format html,markdown,plain",
    "--json -e full_text,blocks",
    "--text-format markdown --text-front-matter --text-title yes",
};

static void outcomes_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 12 };
    th_buffer page = { 0 };
    char command[256];
    shortage_begin();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        th_buffer_reset(&page);
        pick_some(&all, 8);
        const char *title = ONE(&all, titles);
        th_buffer_printf(&page, "<!DOCTYPE html><title>%s</title>", title);
        if (below(&all, 2))
            th_buffer_printf(&page, "<h%" PRIu32 ">%s</h1>", 1 + below(&all, 3), title);
        const uint32_t count = 1 + below(&all, 6);
        for (uint32_t i = 0; i < count; i++)
            put_block(&all, &page, 1);
        assert_false(page.has_failed);
        shortage_write("page.html", page.data, page.len);
        (void)snprintf(command, sizeof command,
                       "text -q -k keep-all --language-detector none --page-ms 0 --url "
                       "http://a.example/b/c %s ../page.html",
                       ONE(&all, options));
        note_command(&all, command, NULL);
    }
    th_buffer_done(&page);
    shortage_end();
    expect_digest(&all, UINT64_C(0x256F8CCF48D5480E));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outcomes_are_known) };
    return cmocka_run_group_tests_name("text_command_outcomes", tests, NULL, NULL);
}
