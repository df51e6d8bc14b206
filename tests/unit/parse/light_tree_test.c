/*
 * The enclosing element of a text, and linked text, by the standard's rules: HTML in,
 * "text@path" out for each block, followed by '+' if all its tokens are linked.
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
    { "NOSCRIPT ends, P open",  "<noscript><p>a</noscript><p>b", "b@body/p" },
    { "NOSCRIPT ends, LI open", "<noscript><ul><li>a</noscript><h1>b</h1>", "b@body/h1" },
    { "NOSCRIPT ends, CENTER open", "<noscript><center>a</noscript><p>b", "b@body/p" },
    { "NOSCRIPT ends, cell open", "<noscript><table><td>a</noscript>b", "b@body" },
    { "NOSCRIPT in DIV",        "<div><noscript><p>a</noscript>b</div>c", "b@body/div c@body" },
    { "P in NOSCRIPT in HEAD",  "<head><noscript><p>a</noscript><title>t</title><p>b", "b@body/p" },
    { "IFRAME in NOSCRIPT",     "<noscript><iframe src=x /></noscript><p>a", "a@body/p" },
    { "IFRAME with end in NOSCRIPT", "<noscript><iframe>a<b></iframe>b</noscript><p>c", "c@body/p" },
    { "STYLE in NOSCRIPT in HEAD", "<head><noscript><style /></noscript><title>t</title></head>b", "b@body" },
    { "IFRAME without end",     "<p>a<iframe src=x /><p>b", "a@body/p" },
    { "end of HEAD in TEMPLATE", "<head><template><div>a</div></head>b</template>c", "c@body" },

    { "P ends at P",            "<p>a<p>b", "a@body/p b@body/p" },
    { "P ends at DIV",          "<p>a<div>b</div>c", "a@body/p b@body/div c@body" },
    { "P ends in formatting",   "<p><b>a<div>b", "a@body/p/b b@body/div/b" },
    { "P in BUTTON",            "<p>a<button><div>b</div></button>c", "a@body/p b@body/p/button/div c@body/p" },
    { "P ends at headings",     "<p>a<h1>b", "a@body/p b@body/h1" },
    { "heading in heading",     "<h1>a<h2>b</h1>c", "a@body/h1 b@body/h2 c@body" },
    { "P in quirks mode",       "<p>a<table><td>b</table>c", "a@body/p b@body/p/table/tbody/tr/td c@body/p" },
    { "P ends at TABLE",        "<!doctype html><p>a<table><td>b</table>c", "a@body/p b@body/table/tbody/tr/td c@body" },
    { "an old doctype",         "<!doctype html public '-//W3C//DTD HTML 4.01 Transitional//EN'><p>a<table><td>b", "a@body/p b@body/p/table/tbody/tr/td" },
    { "an IETF doctype",        "<!doctype html public '-//IETF//DTD HTML//EN'><p>a<table><td>b", "a@body/p b@body/p/table/tbody/tr/td" },
    { "an IETF doctype with number", "<!doctype html public '-//IETF//DTD HTML 2.0//EN'><p>a<table><td>b", "a@body/p b@body/p/table/tbody/tr/td" },
    { "the IETF doctype i18n",  "<!doctype html public '-//IETF//DTD HTML i18n//EN'><p>a<table><td>b", "a@body/p b@body/table/tbody/tr/td" },
    { "doctype after spaces",   " <!-- --> <!doctype html><p>a<table><td>b", "a@body/p b@body/table/tbody/tr/td" },
    { "doctype after text",     "a<!doctype html><p>b<table><td>c", "a@body b@body/p c@body/p/table/tbody/tr/td" },
    { "doctype after an end tag", "</p><!doctype html><p>a<table><td>b", "a@body/p b@body/p/table/tbody/tr/td" },
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
    { "inline ends with formatting", "<i><span>a<div><span>b</i>c</span>d</span>e</div>f", "a@body/i/span b@body/i/span/div/span c@body/i/span/div/span d@body/i/span/div e@body/i/span/div f@body" },
    { "formatting opens again", "<p><b>a</p><p>b</b>c", "a@body/p/b b@body/p/b c@body/p" },
    { "FONT around P",          "<font>a<p>b</font>c", "a@body/font b@body/font/p c@body/font/p" },
    { "not after a cell",       "<table><td><b>a<td>b</table>c", "a@body/table/tbody/tr/td/b b@body/table/tbody/tr/td c@body" },
    { "at most three times",         "<p><b><b><b><b>a<p>b", "a@body/p/b/b/b/b b@body/p/b/b/b" },

    { "A ends at A",            "<a href=1>a</p><a href=2>b</a><p>c", "a@body+ b@body+ c@body/p" },
    { "A around DIV",           "<a><div>a</div>b</a><p>c", "a@body/a/div+ b@body+ c@body/p" },
    { "A mis-nested",           "<a>a<div>b</a><br>c</div><p>d", "a@body+ b@body/a/div+ c@body/a/div d@body/p" },
    { "A opens again",          "<p><a>a</p><p>b</a><p>c", "a@body/p+ b@body/p+ c@body/p" },
    { "A in LI",                "<li><a>a<li><a>b</a><p>c", "a@body/li+ b@body/li+ c@body/li/p" },
    { "A out of scope in SVG",  "<a><svg><desc>a<a>b</a></desc>c</svg></a>d", "d@body" },
    { "A out of scope in TABLE", "<a><span>a<table><tr><a>b</a><td>c</table>d</span>e", "a@body/a/span+ b@body/a/span+ c@body/a/span/table/tbody/tr/td d@body/a/span e@body" },
    { "NOBR out of scope",      "<nobr>a<table><tr><nobr>b</nobr><td>c</table>d", "a@body/nobr b@body/nobr/nobr c@body/nobr/table/tbody/tr/td d@body/nobr" },

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
    { "FORM in DIV in TABLE",   "<table><div><form>a</div>b<tr><td>c", "a@body/div b@body c@body/table/tbody/tr/td" },
    { "FORM behind FORM in TABLE", "<table><form><tr><td>a<form>b", "a@body/table/tbody/tr/td b@body/table/tbody/tr/td" },
    { "text in COLGROUP",       "<table><colgroup> a<col><tr><td>b", "a@body b@body/table/tbody/tr/td" },
    { "DIV in COLGROUP",        "<table><colgroup><div>a</div><tr><td>b", "a@body/div b@body/table/tbody/tr/td" },
    { "many before a cell",     "<b><b><b><i><i><i><u><u><u><s><s><s><em><em><em><tt><tt><table><td><p><big>x</p><p>y", "x@body/b/b/b/i/i/i/u/u/u/s/s/s/em/em/em/tt/tt/table/tbody/tr/td/p/big y@body/b/b/b/i/i/i/u/u/u/s/s/s/em/em/em/tt/tt/table/tbody/tr/td/p/big" },
    { "formatting and COLGROUP", "<p><b></p><table><colgroup> a<tr><td>b", "a@body/b b@body/table/tbody/tr/td" },

    { "FORM in FORM",           "<form>a<form>b</form>c", "a@body/form b@body/form c@body" },
    { "FORM ends alone",        "<form><div>a</form>b</div>c", "a@body/form/div b@body/form/div c@body" },
    { "FORM ends with DIV",     "<div><form></div>a<form>b</form><form>c", "a@body b@body c@body/form" },
    { "end of FORM out of scope", "<form><table><td></form><form>a</form></table></form>b", "a@body/form/table/tbody/tr/td/form b@body/form" },
    { "FORM and TEMPLATE",      "<form><template><form></form></template>a<form>b</form>c", "a@body/form b@body/form c@body" },
    { "LI and ended FORM",      "<ul><li>a<form><b>b</form>c</b><li>d", "a@body/ul/li b@body/ul/li/form/b c@body/ul/li/form/b d@body/ul/li" },
    { "BUTTON in BUTTON",       "<button>a<button>b", "a@body/button b@body/button" },
    { "SELECT",                 "<select><option>a<option>b</select>c", "c@body" },
    { "SELECT in SELECT",       "<select><option>a<select>c", "c@body" },
    { "INPUT ends SELECT",      "<select><option>a<option>b<input>c<p>d</p></select>e", "c@body d@body/p e@body" },
    { "HR in SELECT",           "<p>a<select><option>b<hr>c</select>d", "a@body/p c@body/p/select d@body/p" },
    { "OPTION with SPAN",       "<option><span>a</option>b", "b@body" },
    { "OPTGROUP with SPAN",     "<select><optgroup><option><span>a</optgroup>b", "b@body/select" },
    { "RUBY",                   "<ruby>a<rt>b<rp>c</ruby>d", "a@body/ruby (b)@body/ruby/rt c@body/ruby/rp d@body" },
    { "RUBY that the page ends", "<ruby>a<rt>b<ruby>c<rt>d", "a@body/ruby (b@body/ruby/rt c@body/ruby/rt/ruby (d)@body/ruby/rt/ruby/rt" },
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
    { "MATH",                   "<math><mi>x</mi><mo>=</mo></math>y", "$x =$@body/math y@body" },
    { "formatting before MATH", "<p><b>a</p><math><mi>x</mi></math>", "a@body/p/b $x$@body/b/math" },
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

/* The caller frees it. */
static char *blocks_of(th_view html)
{
    const th_document document = { .bytes = html,
                                   .url = TH_VIEW("http://example.org/"),
                                   .charset = TH_VIEW("utf-8") };
    th_page *page = NULL;
    th_arena_reset(arena);
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    check_page(page);
    th_buffer out = { 0 };
    for (uint32_t i = 0; i < page->block_count; i++) {
        const th_block *block = &page->blocks[i];
        if (i)
            th_buffer_append_char(&out, ' ');
        th_buffer_append_view(&out, th_block_text(page, i));
        th_buffer_append_char(&out, '@');
        put_path(&out, page, block->node);
        if (block->tokens && block->linked_tokens == block->tokens)
            th_buffer_append_char(&out, '+');
    }
    th_buffer_append_char(&out, '\0');
    return out.data;
}

static void encloses_as_the_standard_says(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        char *blocks = blocks_of((th_view){ row->html, strlen(row->html) });
        if (strcmp(blocks, row->blocks) != 0) {
            print_error("%s: %s\n  got  %s\n  want %s\n", row->name, row->html, blocks,
                        row->blocks);
            wrong++;
        }
        free(blocks);
    }
    assert_int_equal(wrong, 0);
}

/* It goes where text is HTML, in SVG and MathML too, and is replaced elsewhere in
 * them. */
static void nul_goes_where_text_is_html(void **state)
{
    (void)state;
    char *blocks = blocks_of(TH_VIEW("a\0b<math><mi>c\0d</mi>e\0f"));
    assert_string_equal(blocks, "ab@body $\\mathrm{cd}e\uFFFDf$@body/math");
    free(blocks);
}

/* ---- shortcuts --------------------------------------------------------------------- */

enum { STEPS = 100000, DEPTH_MAX = 40 };

static uint64_t random_state = 1;

static unsigned below(unsigned count)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % count;
}

static void keep_open(th_open_elements *open, uint32_t keep)
{
    while (open->count > keep || (open->count > 1 && th_open_top(open)->is_ended))
        th_open_pop(open);
}

static void close_what(th_open_elements *open, th_tag tag, const th_tree_step *step)
{
    if (step->unlists)
        th_formatting_drop(open, th_formatting_find(open, tag));
    if (step->ended)
        th_open_end(open, step->ended);
    open->has_form = step->has_form;
    keep_open(open, step->keep);
}

static void open_what(th_open_elements *open, th_tag tag, uint32_t name,
                      const th_tree_step *step)
{
    for (unsigned i = 0; i < step->implied_count; i++)
        assert_non_null(th_open_push(open, step->implied[i], 0,
                                     th_light_tree_kind(step->implied[i])));
    if (!step->is_element || !step->stays_open || open->count >= DEPTH_MAX)
        return;
    assert_non_null(th_open_push(open, tag, name, step->kind));
    if (step->is_listed)
        assert_true(th_formatting_add(open, false));
}

static th_tree_step checked_start(const th_open_elements *open, th_tag tag,
                                  bool is_self_closing)
{
    enum {
        OF_ELEMENT = 0xFF | TH_OPENS_EMPTY | TH_OPENS_ELEMENT | TH_OPENS_LISTED |
                     TH_OPENS_FOSTERED | TH_OPENS_AGAIN
    };
    const th_tree_step step = th_light_tree_start(open, tag, NULL, 0, is_self_closing);
    const unsigned opens = th_light_tree_plain_start(open, tag);
    if (opens) {
        assert_int_equal(opens & OF_ELEMENT, th_tree_opening(&step));
        assert_int_equal(step.keep, open->count);
        assert_int_equal(step.has_form, open->has_form);
        assert_int_equal(step.implied_count, 0);
        assert_false(step.ended || step.unlists || step.is_fostered ||
                     step.is_asked_again);
    }
    return step;
}

/* For random tags, the shortcuts and the rules give the same answer. */
static void shortcuts_are_right(void **state)
{
    (void)state;
    static const th_tag tags[] = {
        TH_TAG_HTML, TH_TAG_HEAD, TH_TAG_BODY,     TH_TAG_P,      TH_TAG_DIV, TH_TAG_LI,
        TH_TAG_UL,   TH_TAG_A,    TH_TAG_B,        TH_TAG_I,      TH_TAG_H1,  TH_TAG_H2,
        TH_TAG_FORM, TH_TAG_SPAN, TH_TAG_TEMPLATE, TH_TAG_TABLE,  TH_TAG_TR,  TH_TAG_TD,
        TH_TAG_SVG,  TH_TAG_DESC, TH_TAG_OTHER,    TH_TAG_BUTTON,
    };
    th_open_elements open = { 0 };
    unsigned shortcuts = 0; /* of end tags */
    th_open_elements_reset(&open);
    assert_non_null(th_open_push(&open, TH_TAG_HTML, 0, th_light_tree_kind(TH_TAG_HTML)));
    for (unsigned i = 0; i < STEPS; i++) {
        const th_tag tag = tags[below(sizeof tags / sizeof *tags)];
        const uint32_t name = tag == TH_TAG_OTHER ? 1 + below(2) : 0;
        if (below(2)) {
            th_tree_step step = checked_start(&open, tag, below(2));
            if (step.is_asked_again) {
                keep_open(&open, step.keep);
                step = checked_start(&open, tag, false);
            }
            close_what(&open, tag, &step);
            open_what(&open, tag, name, &step);
            continue;
        }
        const th_tree_step step = th_light_tree_end(&open, tag, name);
        if (th_light_tree_ends_top(&open, tag, name)) {
            shortcuts++;
            assert_int_equal(step.keep, open.count - 1);
            assert_int_equal(step.ended, 0);
            assert_int_equal(step.unlists, th_open_top(&open)->is_listed);
            assert_int_equal(step.has_form, open.has_form);
            assert_false(step.is_asked_again);
            if (step.unlists)
                assert_ptr_equal(th_formatting_find(&open, tag),
                                 &open.formatting[open.formatting_count - 1]);
        }
        if (step.is_asked_again)
            keep_open(&open, step.keep);
        else
            close_what(&open, tag, &step);
    }
    assert_true(shortcuts > STEPS / 100);
    th_open_elements_done(&open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortcuts_are_right),
        cmocka_unit_test(encloses_as_the_standard_says),
        cmocka_unit_test(nul_goes_where_text_is_html),
    };
    return cmocka_run_group_tests_name("light_tree", tests, set_up, tear_down);
}
