/* src/content/content_decision.c: each step on a small page with given scores. */
#include "content/content_decision.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "thresher/classifier.h"
#include "thresher/parse.h"

#define T10 "a b c d e f g h i j "
#define T40 T10 T10 T10 T10
#define T200 T40 T40 T40 T40 T40
#define ALL ((1u << TH_CONTENT_STEP_COUNT) - 1)
#define ONLY(step) (ALL & ~TH_CONTENT_STEP(step))

enum { FORUM = 1, LISTING, PRODUCT };

/* A letter for each verdict, in their order. */
static const char letters[] = "bcLRHTGgCKDEFPOISN";

/*
 * Scores: a digit for each paragraph, tenths of 1; 'x' is 1. Verdicts: letters; c and b
 * are by the cut.
 */
/* clang-format off */
static const struct row {
    const char *name;
    const char *html;
    const char *scores, *want;
    uint32_t left_out;
    uint8_t type; /* FORUM, LISTING, PRODUCT or 0 */
    uint8_t keeps_comments;
} rows[] = {
    { "no paragraph", "", "", "", 0, 0, 0 },
    { "without its step the cut is a half", "<p>" T10 "<p>" T10 "<p>" T10, "456", "bcc", ALL, 0, 0 },
    { "the prefix with the highest expected F1", "<p>" T40 "<p>" T40 "<p>" T40, "951", "ccb", ONLY(CUT), 0, 0 },
    { "in which a false word weighs more than a missed one", "<p>" T40 "<p>" T40 "<p>" T40, "941", "cbb", ONLY(CUT), 0, 0 },
    { "a sure page has a high cut", "<p>" T40 "<p>" T40 "<p>" T40 "<p>" T40, "xxx4", "cccb", ONLY(CUT), 0, 0 },
    { "it is never over .60", "<p>" T200 "<p>" T10, "x7", "cc", ONLY(CUT), 0, 0 },
    { "and never under .25", "<p>" T40 "<p>" T40 "<p>" T40, "222", "bbb", ONLY(CUT), 0, 0 },
    { "of a long paragraph little suffices", "<p>" T200 "more<p>" T200 "more<p>" T40 "<p>" T200, "2122", "Lbbb", ONLY(LONG), 0, 0 },
    { "nearly nothing kept: the best element",
      "<div><p>" T40 "<p>" T40 "</div><div><p>" T40 "<p>" T40 "</div>", "2200", "RRbb", ONLY(RESCUE), 0, 0 },
    { "its inner one, where the outer has no more", "<div><div><p>" T40 "</div></div><p>" T40, "20", "Rb", ONLY(RESCUE), 0, 0 },
    { "nothing to rescue", "<p>" T40 "<p>" T40, "00", "bb", ONLY(RESCUE), 0, 0 },
    { "three percent of it are enough", "<p>" T10 T10 T10 "<p>" T200 T200 T200 T200 T40 T40 T40 T40 T10, "92", "cb", ONLY(RESCUE), 0, 0 },
    { "a word more is too much", "<p>" T10 T10 T10 "<p>" T200 T200 T200 T200 T40 T40 T40 T40 T10 "z", "92", "cR", ONLY(RESCUE), 0, 0 },
    { "enough kept: no rescue", "<p>" T40 "<p>" T40, "92", "cb", ONLY(RESCUE), 0, 0 },
    { "a heading in doubt goes with its text", "<h2>x</h2><p>" T10, "29", "Hc", ONLY(HEADINGS), 0, 0 },
    { "and stays if there is no lower one", "<p>" T10 "<h2>y</h2><p>" T10, "332", "ccb", ONLY(HEADINGS) & ~TH_CONTENT_STEP(CUT), 0, 0 },
    { "a clear one does not", "<h2>x</h2><p>" T10 "<h2>y</h2><p>" T10, "1990", "bccb", ONLY(HEADINGS), 0, 0 },
    { "a higher one with the text of the lower one", "<h1>x</h1><h2>y</h2><p>" T10, "229", "HHc", ONLY(HEADINGS), 0, 0 },
    { "not one of the same level", "<h2>x</h2><h2>y</h2><p>" T10, "229", "bHc", ONLY(HEADINGS), 0, 0 },
    { "a heading of nothing stays", "<p>" T10 "<h2>x</h2>", "99", "cc", ONLY(HEADINGS), 0, 0 },
    { "items of a list", "<ul><li>" T10 "<li>" T10 "<li>" T10 "</ul>", "992", "ccG", ONLY(GROUPS), 0, 0 },
    { "but not against their scores", "<ul><li>" T10 "<li>" T10 "<li>" T10 "</ul>", "990", "ccb", ONLY(GROUPS), 0, 0 },
    { "and none is taken away", "<ul><li>" T10 "<li>" T10 "<li>" T10 "</ul>", "009", "bbc", ONLY(GROUPS), 0, 0 },
    { "a table amid content", "<div><p>" T10 "<table><tr><td>a<td>b<tr><td>c<td>d</table><p>" T10 "</div>", "933039", "cTTTTc", ONLY(TABLES), 0, 0 },
    { "a table in a separate frame", "<div><p>" T10 "</p><div><figure><table><tr><td>a<td>b<tr><td>c<td>d</table></figure></div><p>" T10 "</div>", "933039", "cTTTTc", ONLY(TABLES), 0, 0 },
    { "a table of low scores", "<div><p>" T10 "<table><tr><td>a<td>b<tr><td>c<td>d</table><p>" T10 "</div>", "930009", "cbbbbc", ONLY(TABLES), 0, 0 },
    { "a table at the end of content", "<div><p>" T10 "<table><tr><td>a<td>b<tr><td>c<td>d</table></div><p>" T10, "933339", "cbbbbc", ONLY(TABLES), 0, 0 },
    { "a table before boilerplate", "<div><p>" T10 "<table><tr><td>a<td>b<tr><td>c<td>d</table><p>" T10 "</div>", "933330", "cbbbbb", ONLY(TABLES), 0, 0 },
    { "a table of layout", "<div><p>" T10 "<table><tr><td>" T40 T40 "<td><p>b<p>c</table><p>" T10 "</div>", "93339", "cbbbc", ONLY(TABLES), 0, 0 },
    { "a table with a table in it is layout", "<div><p>" T10 "<table><tr><td>a<td><table><tr><td>b</table></table><p>" T10 "</div>", "9339", "cbbc", ONLY(TABLES), 0, 0 },
    { "cells of a row", "<table><tr><td>" T10 "<td>b<td>c<tr><td>d<td>" T10 "</table>", "90090", "cGGgb", ONLY(GROUPS), 0, 0 },
    { "a table of contents by the author", "<h1>Contents</h1><ul><li><a href='/c'>Start</a><li><a href='#x'>X</a><ul><li><a href='#y'>Y z</a></ul></ul><h1>Start</h1><p>" T10, "911199", "cNNNcc", ONLY(CONTENTS), 0, 0 },
    { "headings that it lists stay", "<h1>Contents</h1><ul><li><a href='#x'>The first of two parts</a><li><a href='#y'>Y z</a></ul><h1>The first of two parts</h1><p>" T10, "91159", "cNNcc", ONLY(CONTENTS) & ~TH_CONTENT_STEP(REPEATS), 0, 0 },
    { "contents with links to other pages", "<h1>Contents</h1><ul><li><a href='/c'>Start</a><li><a href='/d#x'>X</a><li><a href='#y'>Y z</a></ul><h1>Start</h1><p>" T10, "911199", "cbbbcc", ONLY(CONTENTS), 0, 0 },
    { "contents with other text", "<h1>Contents</h1><ul><li><a href='#x'>X</a> y<li><a href='#y'>Y z</a></ul><h1>Start</h1><p>" T10, "91199", "cbbcc", ONLY(CONTENTS), 0, 0 },
    { "contents in a separate element", "<div><h1>Contents</h1><ul><li><a href='#x'>X</a><li><a href='#y'>Y z</a></ul></div><h1>Start</h1><p>" T10, "91199", "cbbcc", ONLY(CONTENTS), 0, 0 },
    { "contents with a class", "<h1>Contents</h1><ul class=toc><li><a href='#x'>X</a><li><a href='#y'>Y z</a></ul><h1>Start</h1><p>" T10, "91199", "cbbcc", ONLY(CONTENTS), 0, 0 },
    { "contents in a frame below the heading", "<h1>Contents</h1><div><ul><li><a href='#x'>X</a><li><a href='#y'>Y z</a></ul></div><h1>Start</h1><p>" T10, "91199", "cbbcc", ONLY(CONTENTS), 0, 0 },
    { "contents before a lower heading", "<h1>A</h1><ul><li><a href='#x'>X</a><li><a href='#y'>Y z</a></ul><h2>Start</h2><p>" T10, "91199", "cbbcc", ONLY(CONTENTS), 0, 0 },
    { "contents before text", "<h1>Contents</h1><ul><li><a href='#x'>X</a><li><a href='#y'>Y z</a></ul><p>" T10 "<h1>Start</h1><p>" T10, "911999", "cbbccc", ONLY(CONTENTS), 0, 0 },
    { "contents below a heading that is not content", "<h1>Contents</h1><ul><li><a href='#x'>X</a><li><a href='#y'>Y z</a></ul><h1>Start</h1><p>" T10, "11199", "bbbcc", ONLY(CONTENTS), 0, 0 },
    { "comments", "<p>" T10 "<div id=comments><div class=one>" T10 "</div><div class=one>" T10 "</div></div><p>" T40, "9999", "cCCc", ONLY(COMMENTS), 0, 0 },
    { "kept by option", "<p>" T10 "<div id=comments><div>" T10 "</div><div>" T10 "</div></div><p>" T40, "9909", "cKKc", ONLY(COMMENTS), 0, 1 },
    { "content of a forum", "<p>" T10 "<div id=comments><div>" T10 "</div><div>" T10 "</div></div><p>" T40, "9999", "cccc", ONLY(COMMENTS), 1, 0 },
    { "but below a long text", "<p>" T200 T200 T200 "<div id=comments><div>" T10 "</div><div>" T10 "</div></div>", "999", "cCC", ONLY(COMMENTS), 1, 0 },
    { "however much of the page they are", "<p>" T40 "<div id=comments><div>" T40 T40 T40 T40 "</div><div>" T40 T40 T40 T40 "</div></div><p>" T40 T40 T40, "9990", "cCCb", ONLY(COMMENTS), 0, 0 },
    { "nearly all of it, below its heading", "<h1>x</h1><p>" T10 T10 "</p><div id=comments><div>" T200 "</div><div>" T200 "</div></div>", "9999", "ccCC", ONLY(COMMENTS), 0, 0 },
    { "each says so, and what is around them holds the heading", "<div class=comments><h1>x</h1><p>" T10 T10 "</p><div><div class=comment>" T200 "</div><div class=comment>" T200 "</div></div></div>", "9999", "ccCC", ONLY(COMMENTS), 0, 0 },
    { "reviews of a product", "<p>" T10 "<div class=reviews><div>" T10 "</div><div>" T10 "</div></div><p>" T40, "9999", "cCCc", ONLY(COMMENTS), PRODUCT, 0 },
    { "reviews elsewhere", "<p>" T10 "<div class=reviews><div>" T10 "</div><div>" T10 "</div></div><p>" T40, "9999", "cccc", ONLY(COMMENTS), 0, 0 },
    { "replies of a forum's program", "<h1>x</h1><p>" T10 "<div class='forums bbp-replies'><div class=one>" T10 "</div><div class=one>" T10 "</div></div>", "9999", "cccc", ONLY(COMMENTS), 0, 0 },
    { "a notice over the posts of a known program", "<h1>x</h1><p>" T10 "<div class='topic type-topic hentry'><div class=bbp-reply-author><span class=bbp-author-name>Ada</span></div><div class=bbp-reply-content><p>" T40 "</div></div><div class='reply type-reply hentry'><div class=bbp-reply-author><span class=bbp-author-name>Bob</span></div><div class=bbp-reply-content><p>" T40 "</div></div>", "990909", "cObcbc", ONLY(COMMENTS), FORUM, 0 },
    { "if the posts are not content, it stays", "<h1>x</h1><p>" T10 "<div class='topic type-topic hentry'><div class=bbp-reply-author><span class=bbp-author-name>Ada</span></div><div class=bbp-reply-content><p>" T40 "</div></div><div class='reply type-reply hentry'><div class=bbp-reply-author><span class=bbp-author-name>Bob</span></div><div class=bbp-reply-content><p>" T40 "</div></div>", "990000", "ccbbbb", ONLY(COMMENTS), FORUM, 0 },
    { "headings in French that ask how", "<h1>x</h1><p>" T10 "<h2 class=anchor id=comment-faire>x</h2><p>" T10 "<h2 class=anchor id=comment-lire>x</h2><p>" T10, "999999", "cccccc", ONLY(COMMENTS), 0, 0 },
    { "a section whose id is its heading, as those around it", "<section id=sending-patches-2><h1>Sending patches, 2</h1><p>" T10 "<section id=respond-to-comments><h2>Respond to comments</h2><p>" T10 "<p>" T10 "</section></section>", "99999", "ccccc", ONLY(COMMENTS), 0, 0 },
    { "a section of comments in a post", "<section id=post><h1>Sending patches</h1><p>" T10 "<section id=comments><h2>2 comments</h2><p>" T10 "<p>" T10 "</section></section>", "99999", "ccCCC", ONLY(COMMENTS), 0, 0 },
    { "a section of comments with another heading", "<section id=sending-patches><h1>Sending patches</h1><p>" T10 "<section id=comments><h2>Discussion</h2><p>" T10 "<p>" T10 "</section></section>", "99999", "ccCCC", ONLY(COMMENTS), 0, 0 },
    { "headings with a class of comments", "<h1>x</h1><p>" T10 "<h2 class=comment>x</h2><p>" T10 "<h2 class=comment>x</h2><p>" T10, "999999", "ccCcCc", ONLY(COMMENTS), 0, 0 },
    { "one comment is a link to them", "<p>" T10 "<div class=comments><div>" T10 "</div></div><p>" T40, "999", "ccc", ONLY(COMMENTS), 0, 0 },
    { "a body that speaks of comments", "<body class=comments-open><p>" T10 "<p>" T10, "99", "cc", ONLY(COMMENTS), 0, 0 },
    { "ingredients by JSON-LD", "<script type=application/ld+json>{\"recipeIngredient\":[\"2 brown eggs\",\"salt\"]}</script><ul><li>Salt<li>Eggs, 2 brown<li>About us</ul><ul><li>Salt</ul><p>" T40, "11109", "IIbbc", ONLY(INGREDIENTS), 0, 0 },
    { "without it", "<ul><li>Salt<li>Eggs</ul><p>" T40, "119", "bbc", ONLY(INGREDIENTS), 0, 0 },
    { "ingredients by their heading", "<h2>Ingredients</h2><ul><li>2 eggs<li>Salt</ul><h3>Sauce</h3><ul><li>\u00bd onion</ul><h2>Method</h2><ul><li>3 kinds</ul><p>" T40, "11111119", "IIIIIbbc", ONLY(INGREDIENTS), 0, 0 },
    { "with a heading at its start", "<h2>Zutaten:</h2><h2>Teig</h2><p>200 g Mehl<p>1 Ei<h2>Tipp</h2><p>8 Tassen<p>" T40, "1111119", "IIIIbbc", ONLY(INGREDIENTS), 0, 0 },
    { "prose ends them", "<p>INGREDIENTES<p>2 huevos<p>\u00bc kg<p>" T40 "<p>2 huevos", "11191", "IIIcb", ONLY(INGREDIENTS), 0, 0 },
    { "of a menu they have no number", "<p>Ingredients<ul><li>Beef<li>Pork<li>7 fish<li>Figs</ul><p>" T40, "111119", "bbbbbc", ONLY(INGREDIENTS), 0, 0 },
    { "or few have one", "<p>Ingredients<ul><li>Beef<li>Pork<li>7 fish<li>Figs<li>2 nuts<li>Oil<li>Rum<li>Tea</ul><p>" T40, "1111111119", "bbbbbbbbbc", ONLY(INGREDIENTS), 0, 0 },
    { "nor against their scores", "<p>Ingredients<ul><li>2 eggs<li>3 figs</ul><p>" T40, "0009", "bbbc", ONLY(INGREDIENTS), 0, 0 },
    { "posts of a thread in doubt", "<div id=p1 class='post bg1'><div class=postbody><p class=author>by <a class=username>ada</a> May 1, 2019<div class=content>" T40 "</div></div></div><div id=p2 class='post bg2'><div class=postbody><p class=author>by <a class=username>bob</a> May 2, 2019<div class=content>" T10 "</div></div></div>", "0901", "bcbP", ONLY(COMMENTS), 1, 0 },
    { "unless the page is none", "<div id=p1 class='post bg1'><div class=postbody><p class=author>by <a class=username>ada</a> May 1, 2019<div class=content>" T40 "</div></div></div><div id=p2 class='post bg2'><div class=postbody><p class=author>by <a class=username>bob</a> May 2, 2019<div class=content>" T10 "</div></div></div>", "0901", "bcbb", ONLY(COMMENTS), 0, 0 },
    { "unless most is none", "<div id=p1 class='post bg1'><div class=postbody><p class=author>by <a class=username>ada</a> May 1, 2019<div class=content>" T40 "</div></div></div><div id=p2 class='post bg2'><div class=postbody><p class=author>by <a class=username>bob</a> May 2, 2019<div class=content>" T10 "</div></div></div>", "0109", "bbbc", ONLY(COMMENTS), 1, 0 },
    { "a listing with an article's prose needs .60 after it", "<p>" T40 "<h2>x</h2><p>" T40 "<p>" T10, "8556", "cEEc", ONLY(END), LISTING, 0 },
    { "the model must be sure of the prose", "<p>" T40 "<h2>x</h2><p>" T40 "<p>" T10, "7556", "cccc", ONLY(END), LISTING, 0 },
    { "another page does not", "<p>" T40 "<h2>x</h2><p>" T40 "<p>" T10, "x556", "cccc", ONLY(END), 0, 0 },
    { "nor a listing with more text after the prose", "<p>" T10 T10 "<p>" T40, "x5", "cc", ONLY(END), LISTING, 0 },
    { "a line with a link to the editor of its source", "<p>Last updated on 2026-06-10 | <a href=https://github.com/a/b/edit/main/c.md>Edit this page</a></p><p>" T40, "99", "Sc", ONLY(EDIT), 0, 0 },
    { "of Gitea", "<p>" T40 "<p><a href=https://gitea.example.org/a/b/_edit/main/c.md>Edit</a>", "99", "cS", ONLY(EDIT), 0, 0 },
    { "not a longer text with such a link", "<p>" T10 "Anyone may <a href=https://github.com/a/b/edit/main/c.md>edit</a> it.</p><p>" T40, "99", "cc", ONLY(EDIT), 0, 0 },
    { "nor an item of a list", "<ul><li><a href=https://github.com/a/b/edit/main/c.md>c.md</a></ul><p>" T40, "99", "cc", ONLY(EDIT), 0, 0 },
    { "nor a line with a link to the source", "<p>Fixed in <a href=https://github.com/a/b/commit/ab12>ab12</a></p><p>" T40, "99", "cc", ONLY(EDIT), 0, 0 },
    { "nor with an editor elsewhere", "<p><a href=https://example.org/edit/main/c.md>Edit</a></p><p>" T40, "99", "cc", ONLY(EDIT), 0, 0 },
    { "the same text once", "<p>" T10 "<p>" T10 "<p>A  B c d e f g h i j", "555", "cDD", ONLY(REPEATS), 0, 0 },
    { "but where the model is sure", "<p>" T10 "<p>" T10 "<blockquote>" T10 "</blockquote>", "599", "ccc", ONLY(REPEATS), 0, 0 },
    { "but short ones", "<p>a b c<p>a b c", "55", "cc", ONLY(REPEATS), 0, 0 },
    { "and in PRE", "<pre>" T10 "</pre><pre>" T10 "</pre>", "55", "cc", ONLY(REPEATS), 0, 0 },
    { "and where it has a place: steps, cells", "<ol><li>" T10 "<li>" T10 "</ol><table><tr><td>a<td>" T10 "<tr><td>b<td>" T10 "</table>", "555555", "cccccc", ONLY(REPEATS), 0, 0 },
    { "beside a cell with a list, too", "<table><tr><td>a<td>" T10 "<td><ul><li>b<li>c</ul><tr><td>d<td>" T10 "<td><ul><li>e</ul></table>", "5555555", "ccccccc", ONLY(REPEATS), 0, 0 },
    { "among others of its cell, too", "<table><tr><td>a<td><p>" T10 "<p>b<tr><td>c<td><p>" T10 "<p>d</table>", "555555", "cccccc", ONLY(REPEATS), 0, 0 },
    { "and alone in its row", "<table><tr><td>" T10 "<tr><td>" T10 "</table>", "55", "cc", ONLY(REPEATS), 0, 0 },
    { "an item between other neighbors", "<ul><li>x<li>" T10 "<li>y</ul><ul><li>z<li>" T10 "<li>w</ul>", "555555", "cccccc", ONLY(REPEATS), 0, 0 },
    { "but not a list that stands twice", "<ul><li>" T10 "x<li>" T10 "y</ul><p>z</p><ul><li>" T10 "x<li>" T10 "y</ul>", "55555", "cccDD", ONLY(REPEATS), 0, 0 },
    { "what is left out does not count", "<p>" T10 "<p>" T10, "09", "bc", ONLY(REPEATS), 0, 0 },
    { "what is seen goes before what is hidden", "<div hidden>" T10 "</div><p>" T10, "99", "Dc", ONLY(REPEATS), 0, 0 },
    { "paragraphs alike share their scores",
      "<div class=card><p>" T10 "</div><div class=card><p>" T10 "</div><div class=card><p>" T10 "</div><div class=ad><p>" T10 "</div>",
      "9933", "cccb", ONLY(LIKE), 0, 0 },
    { "two are not a group", "<div class=card><p>" T10 "</div><div class=card><p>" T10 "</div>", "93", "cb", ONLY(LIKE), 0, 0 },
};
/* clang-format on */

static uint16_t score_of(char letter)
{
    const int tenths = letter == 'x' ? 10 : letter - '0';
    return (uint16_t)(tenths * TH_PROBABILITY_ONE / 10);
}

static th_page *parse(const char *html, th_arena *arena)
{
    th_options opt;
    th_options_init(&opt);
    opt.reads = TH_READS_CLASSES | TH_READS_HIDDEN | TH_READS_HINTS;
    th_parser *parser = th_parser_new(&opt);
    const th_document document = { .bytes = { html, strlen(html) },
                                   .url = TH_VIEW("http://example.org/a#b"),
                                   .charset = TH_VIEW("utf-8") };
    th_page *page = NULL;
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    th_parser_free(parser);
    return page;
}

static th_content_rules rules_of(const struct row *row)
{
    th_content_rules rules = th_content_rules_standard();
    rules.left_out = row->left_out;
    rules.forum = row->type == FORUM ? TH_PROBABILITY_ONE - 4000 : 500;
    rules.listing = row->type == LISTING ? TH_PROBABILITY_ONE / 5 : 500;
    rules.product = row->type == PRODUCT ? TH_PROBABILITY_ONE - 4000 : 500;
    rules.keeps_comments = row->keeps_comments;
    return rules;
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_arena *arena = th_arena_new(0);
    const th_page *page = parse(row->html, arena);
    const size_t count = strlen(row->scores);
    assert_int_equal(page->paragraph_count, count);
    uint16_t *score = malloc((count + 1) * sizeof *score);
    uint8_t *verdict_of = malloc(count + 1), *is_comment = malloc(count + 1);
    assert_true(score && verdict_of && is_comment);
    for (size_t i = 0; i < count; i++)
        score[i] = score_of(row->scores[i]);
    const th_content_rules rules = rules_of(row);
    th_content_choice choice;
    assert_int_equal(
        th_content_decide(page, score, &rules, arena, verdict_of, is_comment, &choice),
        TH_OK);
    char found[64] = "";
    for (size_t i = 0; i < count; i++)
        found[i] = letters[verdict_of[i]];
    assert_string_equal(found, row->want);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(is_comment[i], found[i] == 'C' || found[i] == 'K');
    assert_int_equal(choice.is_rescued, strchr(row->want, 'R') != NULL);
    free(score);
    free(verdict_of);
    free(is_comment);
    th_arena_free(arena);
}

/* Behind the last prose: linked items alike and the heading over them; a table, notes and
 * what comes before stay. */
static void linked_items_behind_the_end(void **state)
{
    (void)state;
    static const char html[] = "<ul><li>a<li>b</ul><p>" T40 "<h2>Notes</h2><p>" T10
                               "<h2>Related</h2><ul><li>c<li>d</ul>";
    enum { COUNT = 8 };
    static const uint8_t links[COUNT] = { 255, 255, 0, 0, 0, 0, 255, 255 };
    static const uint8_t size[COUNT] = { 16, 16, 0, 0, 0, 0, 16, 16 };
    th_arena *arena = th_arena_new(0);
    const th_page *page = parse(html, arena);
    assert_int_equal(page->paragraph_count, COUNT);
    uint16_t score[COUNT];
    for (unsigned i = 0; i < COUNT; i++)
        score[i] = score_of('9');
    uint8_t verdict_of[COUNT], is_comment[COUNT];
    th_content_choice choice;
    th_content_rules rules = th_content_rules_standard();
    rules.left_out = ONLY(END);
    for (unsigned known = 0; known < 2; known++) {
        rules.group_links = known ? links : NULL;
        rules.group_size = known ? size : NULL;
        assert_int_equal(th_content_decide(page, score, &rules, arena, verdict_of,
                                           is_comment, &choice),
                         TH_OK);
        char found[COUNT + 1] = "";
        for (unsigned i = 0; i < COUNT; i++)
            found[i] = letters[verdict_of[i]];
        assert_string_equal(found, known ? "cccccEEE" : "cccccccc");
    }
    th_arena_free(arena);
}

/* Decides about paragraphs of the score .9 by rules; `found` gets the verdicts. */
static void decide_all(const th_page *page, const th_content_rules *rules,
                       th_arena *arena, char *found)
{
    uint16_t score[16];
    uint8_t verdict_of[16], is_comment[16];
    th_content_choice choice;
    assert_true(page->paragraph_count < 16);
    for (unsigned i = 0; i < page->paragraph_count; i++)
        score[i] = score_of('9');
    assert_int_equal(
        th_content_decide(page, score, rules, arena, verdict_of, is_comment, &choice),
        TH_OK);
    for (unsigned i = 0; i < page->paragraph_count; i++)
        found[i] = letters[verdict_of[i]];
    found[page->paragraph_count] = 0;
}

/* Like items with linked headlines after an article's prose, however high their scores.
 * Not on other pages, nor before prose, nor a numbered list, nor like parts. */
static void teasers_behind_the_end(void **state)
{
    (void)state;
#define TEASER(tag) "<" tag "><h3>x</h3><p>" T40 "</" tag ">"
    static const struct {
        const char *html, *want;
        uint16_t article;
        uint8_t titles, size;
    } cases[] = {
        { "<p>" T40 "<h2>y</h2><ul>" TEASER("li") TEASER("li") "</ul>", "cEEEEE", 40000,
          16, 32 },
        { "<p>" T40 "<h2>y</h2><ul>" TEASER("li") TEASER("li") "</ul>", "cccccc", 30000,
          16, 32 },
        { "<p>" T40 "<h2>y</h2><ul>" TEASER("li") TEASER("li") "</ul>", "cccccc", 40000,
          11, 32 },
        { "<p>" T40 "<h2>y</h2><ul>" TEASER("li") TEASER("li") "</ul>", "cccccc", 40000,
          16, 31 },
        { "<p>" T40 "<h2>y</h2><ol>" TEASER("li") TEASER("li") "</ol>", "cccccc", 40000,
          16, 32 },
        { "<p>" T40 "<h2>y</h2>" TEASER("div") TEASER("div"), "cccccc", 40000, 16, 32 },
        { "<ul>" TEASER("li") TEASER("li") "</ul><p>" T40, "ccccc", 40000, 16, 32 },
        { "<ul>" TEASER("li") TEASER("li") "</ul>", "cccc", 40000, 16, 32 },
    };
#undef TEASER
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        uint8_t links[16] = { 0 }, size[16], titles[16];
        char found[16];
        th_arena *arena = th_arena_new(0);
        th_content_rules rules = th_content_rules_standard();
        memset(size, cases[k].size, sizeof size);
        memset(titles, cases[k].titles, sizeof titles);
        rules.left_out = ONLY(END);
        rules.article = cases[k].article;
        rules.group_links = links;
        rules.group_size = size;
        rules.group_titles = titles;
        decide_all(parse(cases[k].html, arena), &rules, arena, found);
        assert_string_equal(found, cases[k].want);
        th_arena_free(arena);
    }
}

/*
 * The page's footer is no content, however high its score, unless the page has nothing
 * else. The footer of an article or of MAIN may be content.
 */
static void page_footer(void **state)
{
    (void)state;
    static const char html[] = "<p>" T40 "<p>" T10 "<p>" T10 "<p>" T40;
    static const uint8_t footer[] = { 255, 1, 1, 1 }, main_of[] = { 255, 255, 2, 255 },
                         article[] = { 255, 255, 255, 2 };
    static const uint8_t everywhere[] = { 1, 1, 1, 1 },
                         nowhere[] = { 255, 255, 255, 255 }, before[] = { 1, 1, 1, 255 };
    char found[16];
    th_arena *arena = th_arena_new(0);
    const th_page *page = parse(html, arena);
    th_content_rules rules = th_content_rules_standard();
    rules.left_out = ONLY(FOOTER);
    decide_all(page, &rules, arena, found);
    assert_string_equal(found, "cccc"); /* unknown */
    rules.level_footer = footer;
    rules.level_main = main_of;
    rules.level_article = article;
    decide_all(page, &rules, arena, found);
    assert_string_equal(found, "cFcc");
    rules.left_out = ALL;
    decide_all(page, &rules, arena, found);
    assert_string_equal(found, "cccc");
    rules.left_out = ONLY(FOOTER);
    rules.level_footer = everywhere;
    rules.level_main = rules.level_article = nowhere;
    decide_all(page, &rules, arena, found);
    assert_string_equal(found, "cccc");
    rules.level_footer = before; /* the content comes last */
    decide_all(page, &rules, arena, found);
    assert_string_equal(found, "FFFc");
    th_arena_free(arena);
}

/* Whether what looks like comments is the content: on a forum, below little other prose. */
static void comment_threads(void **state)
{
    (void)state;
#define COMMENTS "<div id=comments><div>" T10 "</div><div>" T10 "</div></div>"
    static const struct {
        const char *html;
        uint16_t forum;
        uint8_t want;
    } cases[] = {
        { "<p>" T40 COMMENTS, 60000, 1 },  { "<p>" T10 COMMENTS, 14000, 1 },
        { "<p>" T10 COMMENTS, 13000, 0 },  { "<p>" T40 COMMENTS, 14000, 0 },
        { "<p>" T10 "<p>" T10, 60000, 0 },
    };
#undef COMMENTS
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static const uint16_t score[] = { 60000, 60000, 60000 };
        uint8_t verdict_of[3], is_comment[3];
        th_content_choice choice;
        th_arena *arena = th_arena_new(0);
        const th_page *page = parse(cases[k].html, arena);
        th_content_rules rules = th_content_rules_standard();
        rules.left_out = ONLY(COMMENTS);
        rules.forum = cases[k].forum;
        assert_in_range(page->paragraph_count, 2, 3);
        assert_int_equal(th_content_decide(page, score, &rules, arena, verdict_of,
                                           is_comment, &choice),
                         TH_OK);
        assert_int_equal(choice.is_comment_thread, cases[k].want);
        th_arena_free(arena);
    }
}

/* Without memory it says so, wherever it runs out. */
static void memory_runs_out(void **state)
{
    (void)state;
    static const char html[] =
        "<p>" T10 "<ul><li>" T10 "<li>b</ul><div id=comments><p>" T10 "<p>b</div>";
    th_arena *arena = th_arena_new(0);
    const th_page *page = parse(html, arena);
    const th_content_rules rules = th_content_rules_standard();
    const uint16_t score[5] = { 900, 2, 3, 4, 5 };
    uint8_t verdict_of[5], is_comment[5];
    th_content_choice choice;
    assert_int_equal(page->paragraph_count, 5);
    unsigned failed = 0;
    th_status status = TH_NOMEM;
    for (size_t capacity = 1; status == TH_NOMEM && capacity < 1 << 20; capacity += 64) {
        th_arena *scratch = th_arena_new(capacity);
        status = th_content_decide(page, score, &rules, scratch, verdict_of, is_comment,
                                   &choice);
        failed += status == TH_NOMEM;
        th_arena_free(scratch);
    }
    assert_int_equal(status, TH_OK);
    assert_true(failed > 2);
    th_arena_free(arena);
}

static void names_are_whole(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TH_CONTENT_STEP_COUNT; i++)
        assert_non_null(th_content_step_names[i]);
    assert_null(th_content_step_names[TH_CONTENT_STEP_COUNT]);
    assert_int_equal(sizeof letters - 1, TH_VERDICT_COUNT);
}

int main(void)
{
    enum { COUNT = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[COUNT + 6];
    for (size_t i = 0; i < COUNT; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[COUNT] = (struct CMUnitTest)cmocka_unit_test(memory_runs_out);
    tests[COUNT + 1] = (struct CMUnitTest)cmocka_unit_test(names_are_whole);
    tests[COUNT + 2] = (struct CMUnitTest)cmocka_unit_test(linked_items_behind_the_end);
    tests[COUNT + 3] = (struct CMUnitTest)cmocka_unit_test(page_footer);
    tests[COUNT + 4] = (struct CMUnitTest)cmocka_unit_test(teasers_behind_the_end);
    tests[COUNT + 5] = (struct CMUnitTest)cmocka_unit_test(comment_threads);
    return cmocka_run_group_tests_name("content_decision", tests, NULL, NULL);
}
