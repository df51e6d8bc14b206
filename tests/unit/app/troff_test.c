/* src/app/troff.c: man shows the text unchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/troff.h"

enum how { TEXT, HEADING, MARKDOWN };

/* clang-format off */
static const struct row {
    const char *name, *in, *out;
    enum how how;
} rows[] = {
    { "empty", "", "", TEXT },
    { "signs", "a-b \\ 'c' `d` ^ ~ \"e\"", "a\\-b \\e \\(aqc\\(aq \\(gad\\(ga \\(ha \\(ti \"e\"", TEXT },
    { "requests", ".a .b\n.c\nd.", "\\&.a .b\n\\&.c\nd.", TEXT },
    { "lists", "a,b, c,", "a,\\:b, c,", TEXT },
    { "letters", "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "\\[u00E9] \\[u20AC] \\[u1F600]", TEXT },
    { "heading", "Names", ".SH \"Names\"\n", HEADING },
    { "quotes in a heading", "The \"best\" of-", ".SH \"The \"\"best\"\" of\\-\"\n", HEADING },
    { "quote at the end", "a\"", ".SH \"a\"\"\"\n", HEADING },
    { "title", "# Title\n\nWords.\n", ".PP\nWords.\n", MARKDOWN },
    { "headings", "## One\n### Two\nw\n", ".SH \"One\"\n.SS \"Two\"\n.PP\nw\n", MARKDOWN },
    { "paragraphs", "a\nb\n\n\nc", ".PP\na\nb\n.PP\nc\n", MARKDOWN },
    { "items", "* one\n  more\n* two\n\nend\n", ".IP \\(bu 2\none\nmore\n.IP \\(bu 2\ntwo\n.PP\nend\n", MARKDOWN },
    { "fence", "```sh\n.x * | # `y`\n\nz\n```\nend\n", ".PP\n.EX\n\\&.x * | # \\(gay\\(ga\n\nz\n.EE\n.nh\n.PP\nend\n", MARKDOWN },
    { "code and strong", "a `b-c` **d** e\n", ".PP\na \\fBb\\-c\\fR \\fBd\\fR e\n", MARKDOWN },
    { "unclosed", "a `b\n", ".PP\na \\fBb\\fR\n", MARKDOWN },
    { "link to a file", "see [the docs](a.md#b) here\n", ".PP\nsee the docs here\n", MARKDOWN },
    { "link to a site", "[x](https://a.example/-)\n", ".PP\nx <https://a.example/\\->\n", MARKDOWN },
    { "no link", "[x] (y) [z](w\n", ".PP\n[x] (y) [z](w\n", MARKDOWN },
    { "table", "| field | type | meaning |\n| --- | --- | --- |\n| `a` `b` now | text | one |\n| `.c` | | two: |\n| word | n | |\n",
      ".TP\n\\fBa\\fR \\fBb\\fR now\none.\nType: text.\n.TP\n\\fBb\\&.c\\fR\ntwo:\n.TP\n\\fBword\\fR\nType: n.\n", MARKDOWN },
    { "the last column comes first", "| a | Use |\n| --- | --- |\n| `x` | y. |\n", ".TP\n\\fBx\\fR\ny.\n", MARKDOWN },
    { "meaning in the middle", "| a | meaning of it | Unit |\n| --- | --- | --- |\n| `x` | y | `s` |\n", ".TP\n\\fBx\\fR\ny.\nUnit: \\fBs\\fR.\n", MARKDOWN },
    { "ten columns are eight", "|0|1|2|3|4|5|6|7|8|9|\n| --- |\n|a|b|c|d|e|f|g|h|i|j|\n", ".TP\n\\fBa\\fR\nh.\n1: b.\n2: c.\n3: d.\n4: e.\n5: f.\n6: g.\n", MARKDOWN },
    { "a row without cells", "| a | b |\n| --- | --- |\n|\n", "", MARKDOWN },
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows };

static void row_holds(void **state)
{
    const struct row *row = *state;
    char *text = NULL;
    size_t len = 0;
    FILE *const out = open_memstream(&text, &len);
    assert_non_null(out);
    const th_view in = { row->in, strlen(row->in) };
    if (row->how == TEXT)
        th_troff_put(out, in);
    else if (row->how == HEADING)
        th_troff_put_heading(out, ".SH", in);
    else
        th_troff_put_markdown(out, in);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, row->out);
    free(text);
}

int main(void)
{
    static struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] =
            (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, (void *)&rows[i] };
    return _cmocka_run_group_tests("troff", tests, ROWS, NULL, NULL);
}
