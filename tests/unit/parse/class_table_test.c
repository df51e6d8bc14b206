/*
 * Optional columns of the page model: the words of attributes, and hidden text. A page
 * parsed without the request must be unchanged.
 */
#include "parse/class_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "page/class_word.h"
#include "parse/page_check.h"
#include "thresher/parse.h"

static struct scene {
    th_parser *parser, *plain_parser;
    th_arena *arena, *other_arena;
} scene;

static th_page *parse(th_parser *parser, th_arena *arena, const char *html)
{
    const th_document document = { .bytes = { html, strlen(html) },
                                   .url = TH_VIEW("http://example.org/"),
                                   .charset = TH_VIEW("utf-8") };
    th_page *page = NULL;
    th_arena_reset(arena);
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    check_page(page);
    return page;
}

/* ---- words ------------------------------------------------------------------------- */

/* clang-format off */
static const struct word_row {
    const char *name, *attributes, *words; /* each with its place: c i r p */
} word_rows[] = {
    { "none", "", "" },
    { "blanks", "class='  one\ttwo\n three '", "one.c two.c three.c" },
    { "signs", "class='site-header__nav md:flex/2'", "site.c header.c nav.c md.c flex.c" },
    { "capitals", "class='relatedPosts XMLFeed'", "related.c posts.c xmlfeed.c" },
    { "digits at the end", "class='widget4 col12 post-123 h1'", "widget.c col.c post.c h1.c" },
    { "digits within", "class='a1b2'", "a1b.c" },
    { "single letters", "class='a b cc'", "cc.c" },
    { "all four", "itemprop=name id=top class=box role=main", "box.c top.i main.r name.p" },
    { "an attribute twice", "class=one class=two", "one.c" },
    { "letters that are not ASCII", "class='\u00fcber-uns'", "\u00fcber.c uns.c" },
    { "24 at most", "class='aa bb cc dd ee ff gg hh ii jj kk ll mm nn oo pp qq rr ss tt uu vv ww xx yy zz'",
      "aa.c bb.c cc.c dd.c ee.c ff.c gg.c hh.c ii.c jj.c kk.c ll.c mm.c nn.c oo.c pp.c qq.c rr.c ss.c tt.c uu.c vv.c ww.c xx.c" },
};
/* clang-format on */

static void words_hold(void **state)
{
    const struct word_row *row = *state;
    char html[512];
    (void)snprintf(html, sizeof html, "<div %s>x</div>", row->attributes);
    const th_page *page = parse(scene.parser, scene.arena, html);
    uint32_t node = 0;
    while (page->nodes[node].tag != TH_TAG_DIV)
        node++;
    const th_class_set *set = &page->class_sets[page->class_set_of[node]];
    uint32_t count = 0;
    for (const char *at = row->words; *at; count++) {
        const size_t len = strcspn(at, ".");
        const unsigned place = (unsigned)(strchr("cirp", at[len + 1]) - "cirp");
        assert_true(count < set->count);
        assert_int_equal(page->class_words[set->first + count],
                         th_word_number((th_view){ at, len }, place));
        at += len + 2;
        at += *at == ' ';
    }
    assert_int_equal(set->count, count);
}

/* Siblings are similar except for the words that distinguish them. */
static void likeness(void **state)
{
    (void)state;
    const th_page *page = parse(scene.parser, scene.arena,
                                "<p class='card first' id=a>1<p class='card card-12'>2"
                                "<p class='item card'>3<p id=card>4<p class='CARD'>5");
    uint32_t found[5], count = 0;
    for (uint32_t i = 0; i < page->node_count; i++)
        if (page->nodes[i].tag == TH_TAG_P)
            found[count++] = page->class_sets[page->class_set_of[i]].likeness;
    assert_int_equal(count, 5);
    assert_int_not_equal(found[0], 0);
    assert_int_equal(found[0], found[4]);
    assert_int_not_equal(found[0], found[2]);
    assert_int_equal(found[3], 0);
}

static void equal_attributes_share_a_set(void **state)
{
    (void)state;
    const th_page *page = parse(scene.parser, scene.arena,
                                "<p class='a b'>1<p class='a b'>2<p class='b a'>3<p>4");
    assert_int_equal(page->class_set_count, 3);
}

/* ---- hidden text ------------------------------------------------------------------- */

/* clang-format off */
static const struct hidden_row {
    const char *name, *html, *text; /* paragraphs; hidden paragraphs follow a '!' */
} hidden_rows[] = {
    { "an attribute", "a<div hidden>b</div>c", "a|!b|c" },
    { "a style", "a<section style='display:none'><p>b<p>c</section>d", "a|!b|!c|d" },
    { "aria-hidden", "<p aria-hidden=true>a<p>b", "!a|b" },
    { "within hidden text", "<div hidden>a<div hidden>b</div>c</div>d", "!a|!b|!c|d" },
    { "an item of a list", "<ul><li>a<li hidden>b<li>c</ul>", "a|!b|c" },
    { "a row of a table", "<table><tr><td>a<tr hidden><td>b</table>", "a|!b" },
    { "what hides within a line", "<p>a<span hidden>b</span>c<i aria-hidden=true>d</i>", "ac" },
    { "a block in a hidden element", "a<span hidden><div>b</div></span>c", "ac" },
    { "an element that scripts define", "a<x-tab hidden><p>b</p></x-tab>c", "a|!b|c" },
    { "its bare text", "a <x-tab hidden>b</x-tab> c", "a|!b|c" },
    { "a dialog", "a<dialog hidden>b</dialog><div role=dialog hidden>c</div>d", "ad" },
    { "a tooltip", "a<div class='my-tooltip' hidden>b</div>c", "ac" },
    { "a template", "a<template><p>b</template><noscript>c</noscript>d", "ad" },
    { "a link in hidden text", "<div hidden><a href=x>a b</a></div>c", "!a b|c" },
    { "nothing", "a<div hidden><img></div>b", "a|b" },
    { "BODY", "<body hidden>a", "a" },
};
/* clang-format on */

static void hidden_holds(void **state)
{
    const struct hidden_row *row = *state;
    char text[256] = "";
    size_t len = 0;
    const th_page *page = parse(scene.parser, scene.arena, row->html);
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const th_view one = th_paragraph_text(page, i);
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s%.*s", i ? "|" : "",
                                page->paragraphs[i].is_hidden ? "!" : "", (int)one.len,
                                one.data);
    }
    assert_string_equal(text, row->text);
    const bool has_hidden = strchr(row->text, '!') != NULL;
    if (has_hidden)
        assert_true(page->flags & TH_FLAG_HIDDEN_TEXT);
}

/* Asked for nothing, the page has only what is shown. */
static void plain_holds(void **state)
{
    const struct hidden_row *row = *state;
    const th_page *page = parse(scene.plain_parser, scene.other_arena, row->html);
    assert_null(page->class_set_of);
    assert_null(page->hints);
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        assert_false(page->paragraphs[i].is_hidden);
    const bool has_hidden = strchr(row->text, '!') != NULL;
    if (has_hidden)
        assert_true(page->flags & TH_FLAG_HIDDEN_TEXT);
    for (const char *at = row->text; (at = strchr(at, '!')); at++) {
        const size_t hidden_len = strcspn(at + 1, "|");
        for (uint32_t i = 0; i < page->paragraph_count; i++) {
            const th_view one = th_paragraph_text(page, i);
            assert_false(one.len == hidden_len &&
                         memcmp(one.data, at + 1, hidden_len) == 0);
        }
    }
}

/* The same parser, page after page: a large page has no effect on later pages, whether
 * its tables are kept for them or not. */
static void many_sets(void **state)
{
    (void)state;
    static const int counts[] = { 5000, 300000, 5000 };
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        char *html = malloc((size_t)counts[k] * 64);
        size_t len = 0;
        assert_non_null(html);
        for (int i = 0; i < counts[k]; i++)
            len += (size_t)snprintf(html + len, 64, "<p class='%c%c%c x%d' id=y%d>t",
                                    'a' + i % 26, 'a' + i / 26 % 26, 'a' + i / 676 % 26,
                                    i, i);
        const th_page *page = parse(scene.parser, scene.arena, html);
        const uint32_t sets = page->class_set_count;
        assert_true(sets == (uint32_t)counts[k] + 1 || counts[k] > 26 * 26 * 26);
        free(html);
        for (int again = 0; again < 2; again++) {
            page = parse(scene.parser, scene.arena, "<p class=x>1");
            assert_int_equal(page->class_set_count, 2);
        }
    }
}

static int set_up(void **state)
{
    (void)state;
    th_options opt;
    th_options_init(&opt);
    opt.classifier = "num-words"; /* reads what is shown, no classes */
    scene.plain_parser = th_parser_new(&opt);
    opt.reads = TH_READS_CLASSES | TH_READS_HIDDEN | TH_READS_HINTS;
    scene.parser = th_parser_new(&opt);
    scene.arena = th_arena_new(0);
    scene.other_arena = th_arena_new(0);
    return !scene.parser || !scene.plain_parser || !scene.arena || !scene.other_arena;
}

static int tear_down(void **state)
{
    (void)state;
    th_parser_free(scene.parser);
    th_parser_free(scene.plain_parser);
    th_arena_free(scene.arena);
    th_arena_free(scene.other_arena);
    return 0;
}

int main(void)
{
    enum {
        WORDS = sizeof word_rows / sizeof *word_rows,
        HIDDEN = sizeof hidden_rows / sizeof *hidden_rows,
    };
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(likeness),
        cmocka_unit_test(equal_attributes_share_a_set),
        cmocka_unit_test(many_sets),
    };
    enum { OTHERS = sizeof others / sizeof *others };
    struct CMUnitTest tests[WORDS + 2 * HIDDEN + OTHERS];
    for (size_t i = 0; i < WORDS; i++)
        tests[i] = (struct CMUnitTest){ word_rows[i].name, words_hold, NULL, NULL,
                                        (void *)(uintptr_t)&word_rows[i] };
    for (size_t i = 0; i < HIDDEN; i++) {
        void *row = (void *)(uintptr_t)&hidden_rows[i];
        tests[WORDS + i] =
            (struct CMUnitTest){ hidden_rows[i].name, hidden_holds, NULL, NULL, row };
        tests[WORDS + HIDDEN + i] =
            (struct CMUnitTest){ hidden_rows[i].name, plain_holds, NULL, NULL, row };
    }
    memcpy(tests + WORDS + 2 * HIDDEN, others, sizeof others);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
