/*
 * Columns of small pages: a page, the start of the text of the tested row, a column, and
 * its value. Each group has its rows.
 */
#include "content/features.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "content/feature_work.h"
#include "content/row_words.h"
#include "thresher/parse.h"

#define P25 "z b c d e f g h i j k l m n o p q r s t u v w x y "
#define LONG "some eleven words that stand in a line of the text"

/* clang-format off */
static const struct row {
    const char *name, *html, *text; /* NULL: the page's own feature */
    unsigned feature, value;
} rows[] = {
    { "a byte of a logarithm", "<p>x y z", "x", TH_FEATURE_TOKENS, 32 },
    { "bytes", "<p>1234567", "1", TH_FEATURE_BYTES, 48 },
    { "link share", "<p>x y <a href=z>z</a> w", "x", TH_FEATURE_LINK_SHARE, 63 },
    { "links", "<p>x <a href=1>y</a> <a href=2>z</a>", "x", TH_FEATURE_LINKS, 24 },
    { "commas", "<p>x, y, z,", "x", TH_FEATURE_COMMAS, 32 },
    { "wide commas", "<p>\u4e00\uff0c\u4e8c\u3001\u4e09\uff0c", "\u4e00", TH_FEATURE_COMMAS, 32 },
    { "sentences", "<p>X is 3.5. Yes! \u201cNo?\u201d", "X", TH_FEATURE_SENTENCES, 24 },
    { "the end of a sentence", "<p>That is it.", "That", TH_FEATURE_ENDS_SENTENCE, 1 },
    { "behind a quote", "<p>\u201cThat is it.\u201d", "\u201c", TH_FEATURE_ENDS_SENTENCE, 1 },
    { "of Chinese", "<p>\u4e00\u4e8c\u3002", "\u4e00", TH_FEATURE_ENDS_SENTENCE, 1 },
    { "with an exclamation mark", "<p>\u4e00\u4e8c\uff01", "\u4e00", TH_FEATURE_ENDS_SENTENCE, 1 },
    { "with a question mark", "<p>\u4e00\u4e8c\uff1f", "\u4e00", TH_FEATURE_ENDS_SENTENCE, 1 },
    { "with an ellipsis", "<p>That is\u2026", "That", TH_FEATURE_ENDS_SENTENCE, 1 },
    { "another sign does not end one", "<p>That is\u2022", "That", TH_FEATURE_ENDS_SENTENCE, 0 },
    { "no end", "<p>That is it", "That", TH_FEATURE_ENDS_SENTENCE, 0 },
    { "a colon", "<p>That is (it:)", "That", TH_FEATURE_ENDS_COLON, 1 },
    { "capital words", "<p>Some Words here now", "Some", TH_FEATURE_CAPITAL_WORDS, 127 },
    { "capitals", "<p>ABcd", "A", TH_FEATURE_CAPITALS, 127 },
    { "digits", "<p>12ab", "1", TH_FEATURE_DIGITS, 127 },
    { "short words", "<p>a bcd efgh ijklm", "a", TH_FEATURE_SHORT_WORDS, 127 },
    { "bytes that are not ASCII", "<p>\u00e9\u00e9ab", "\u00e9", TH_FEATURE_HIGH_BYTES, 170 },
    { "a small letter first", "<p>abc", "a", TH_FEATURE_STARTS_LOWER, 1 },
    { "copyright", "<p>\u00a9 2020", "\u00a9", TH_FEATURE_COPYRIGHT, 1 },
    { "separators", "<p>a | b \u00b7 c \u00bb d", "a", TH_FEATURE_SEPARATORS, 32 },
    { "prices", "<p>now $5 or \u20ac6", "now", TH_FEATURE_PRICES, 24 },
    { "a year, a month, a time", "<p>on 5 June 2021, 12:30", "on", TH_FEATURE_DATES, 32 },
    { "a number is not a year", "<p>on 5 x 3021", "on", TH_FEATURE_DATES, 0 },
    { "addresses", "<p>a@b.c http://d", "a", TH_FEATURE_ADDRESSES, 32 },
    { "signs that are not addresses", "<p>a @ b @c d@ x:/y z/ /", "a", TH_FEATURE_ADDRESSES, 0 },
    { "words of menus", "<p>Share this xyz subscribe", "Share", TH_FEATURE_CHROME_WORDS, 127 },
    { "words of menus in Arabic", "<p>آخر تحديث هذه الصفحة", "آخر", TH_FEATURE_CHROME_WORDS, 127 },
    { "words of menus in Thai", "<p>หน้าแรก ข่าว", "หน้าแรก", TH_FEATURE_CHROME_WORDS, 127 },
    { "pieces", "<p>a <b>b</b> c", "a", TH_FEATURE_PIECES, 32 },

    { "P", "<p>a", "a", TH_FEATURE_IN_P, 1 },
    { "an item", "<ul><li>a<li>b", "b", TH_FEATURE_IN_ITEM, 1 },
    { "a cell", "<table><tr><td>a<td>b", "b", TH_FEATURE_IN_CELL, 1 },
    { "a table of data", "<table><tr><td>a<td>b", "b", TH_FEATURE_IS_DATA, 1 },
    { "a heading", "<h2>a", "a", TH_FEATURE_HEADING, 5 },
    { "code", "<p>a <code>b</code>", "a", TH_FEATURE_CODE, 127 },
    { "bold", "<p>a <strong>b c d</strong>", "a", TH_FEATURE_BOLD, 191 },
    { "hidden", "<div hidden><p>a</div><p>b", "a", TH_FEATURE_HIDDEN, 1 },
    { "shown", "<div hidden><p>a</div><p>b", "b", TH_FEATURE_HIDDEN, 0 },
    { "depth of lists", "<ul><li>a<ul><li>b", "b", TH_FEATURE_LIST_DEPTH, 2 },
    { "in one inline element", "<div><span>a</span></div>", "a", TH_FEATURE_BARE_INLINE, 1 },

    { "its own element", "<article>a", "a", TH_FEATURE_LEVEL_ARTICLE, 0 },
    { "two further out", "<nav><ul><li>a", "a", TH_FEATURE_LEVEL_NAV, 2 },
    { "the nearer one", "<nav><div><nav><div>a", "a", TH_FEATURE_LEVEL_NAV, 1 },
    { "none", "<div>a", "a", TH_FEATURE_LEVEL_NAV, 255 },
    { "a role", "<div role=navigation><p>a", "a", TH_FEATURE_LEVEL_NAV, 1 },
    { "no role", "<div class=navigation><p>a", "a", TH_FEATURE_LEVEL_NAV, 255 },

    { "a class", "<div class='x sidebarLeft'><p>a", "a", TH_FEATURE_FAMILY_SIDE, 1 },
    { "an id", "<div id=comments-12><p>a", "a", TH_FEATURE_FAMILY_COMMENT, 1 },
    { "an item property", "<div itemprop=description>a", "a", TH_FEATURE_FAMILY_DESCRIPTION, 0 },
    { "of two families", "<div class=related_posts><p>a", "a", TH_FEATURE_FAMILY_RELATED, 1 },
    { "of two families", "<div class=related_posts><p>a", "a", TH_FEATURE_FAMILY_POST, 1 },
    { "in no part of a word", "<div class=unrelated><p>a", "a", TH_FEATURE_FAMILY_RELATED, 255 },
    { "not the page's", "<body class=single-post><p>a", "a", TH_FEATURE_FAMILY_POST, 255 },

    { "no regression", "<div class=x>a", "a", TH_FEATURE_TOKEN_OWN, 128 },
    { "words of classes", "<div class='x y-z'><p id=v>a", "a", TH_FEATURE_TOKEN_COUNT, 0 },
    { "words of two letters", "<div class='xx yy-zz'><p id=vv>a", "a", TH_FEATURE_TOKEN_COUNT, 36 },

    { "half of the page before", "<p>a<p>b", "b", TH_FEATURE_ROWS_BEFORE, 127 },
    { "tokens before", "<p>a b c<p>d", "d", TH_FEATURE_TOKENS_BEFORE, 191 },
    { "the H1 itself", "<h1>a</h1>b", "a", TH_FEATURE_ROWS_FROM_H1, 128 },
    { "behind it", "<h1>a</h1>b", "b", TH_FEATURE_ROWS_FROM_H1, 136 },
    { "before it", "<p>a<h1>b</h1>", "a", TH_FEATURE_ROWS_FROM_H1, 120 },
    { "no H1", "<p>a", "a", TH_FEATURE_ROWS_FROM_H1, 255 },
    { "from a heading", "<h3>a</h3>b", "b", TH_FEATURE_ROWS_FROM_HEADING, 16 },
    { "the last heading", "<h3>a</h3>b", "b", TH_FEATURE_LAST_HEADING, 4 },
    { "depth", "<div><div>a", "a", TH_FEATURE_DEPTH, 3 },
    { "sibling", "<div>a</div><div>b</div><div>c</div>", "c", TH_FEATURE_SIBLING, 32 },

    { "the row before", "<p>a b c<p>d", "d", TH_FEATURE_TOKENS_1_BEFORE, 32 },
    { "two after", "<p>a<p>b<p>c d e", "a", TH_FEATURE_TOKENS_2_AFTER, 32 },
    { "beyond the page", "<p>a", "a", TH_FEATURE_TOKENS_1_AFTER, 0 },
    { "a window", "<p>a<p><a href=x>b</a><p>c<p>d", "a", TH_FEATURE_WINDOW_4_LINKS, 63 },
    { "long rows", "<p>" LONG "<p>b", "b", TH_FEATURE_WINDOW_10_LONG, 127 },
    { "the same element before", "<p class=x>a<p class=x>b", "b", TH_FEATURE_SAME_ELEMENT_BEFORE, 1 },
    { "another class", "<p class=x1y>a<p class=zz>b", "b", TH_FEATURE_SAME_ELEMENT_BEFORE, 0 },

    { "what holds more", "<div><p>a<p>b c</div><p>d e f", "a", TH_FEATURE_SUBTREE_1_TOKENS, 32 },
    { "wrappers are passed over", "<div><div><p>a<p>b c</div></div><p>d", "a", TH_FEATURE_SUBTREE_2_TOKENS, 36 },
    { "share of the page", "<div><p>a<p>b c</div><p>d e f", "a", TH_FEATURE_SUBTREE_1_SHARE, 127 },
    { "headings in it", "<div><h2>a</h2><h2>b</h2>c</div>d", "c", TH_FEATURE_SUBTREE_1_HEADINGS, 24 },
    { "text in P", "<div><p>a b c</p>d</div>", "d", TH_FEATURE_SUBTREE_1_P, 191 },
    { "like siblings", "<div class=card><p>a<p>b</div><div class='card first'><p>c<p>d</div>", "a", TH_FEATURE_SUBTREE_1_LIKE, 16 },
    { "the largest one", "<div><p>a b<p>c d</div><p>e f g", "a", TH_FEATURE_LARGEST_SHARE, 145 },

    { "a group", "<ul><li>a<li>b<li>c</ul>", "b", TH_FEATURE_GROUP_SIZE, 24 },
    { "its share", "<ul><li>a<li>b<li>c</ul><p>d", "b", TH_FEATURE_GROUP_SHARE, 191 },
    { "the same words", "<p>Read more<p>b<p>read MORE", "read", TH_FEATURE_SAME_TEXTS, 16 },
    { "the same words later", "<p>Read more<p>b<p>read MORE", "Read", TH_FEATURE_SAME_TEXTS, 16 },
    { "others", "<p>Read more<p>b", "b", TH_FEATURE_SAME_TEXTS, 0 },

    { "num-words", "<p>" LONG " " LONG, "some", TH_FEATURE_NUM_WORDS, 1 },
    { "num-words of links", "<p><a href=x>" LONG " " LONG "</a>", "some", TH_FEATURE_NUM_WORDS, 0 },
    { "densitometric", "<p>" LONG " " LONG " " LONG "<p>x", "some", TH_FEATURE_DENSITOMETRIC, 1 },
    { "the run", "<p>" LONG " " LONG, "some", TH_FEATURE_IN_LARGEST_RUN, 1 },
    { "readability", "<div><p>" LONG "<p>" LONG "</div><p>x", "some", TH_FEATURE_READABILITY, 255 },
    { "outside of it", "<div><p>" LONG "<p>" LONG "</div><div>x</div>", "x", TH_FEATURE_READABILITY_BEST, 255 },

    { "words of the title", "<title>Green house</title><p>A green thing", "A", TH_FEATURE_TITLE_WORDS, 85 },
    { "of all of them", "<title>Green house</title><p>A green thing", "A", TH_FEATURE_WORDS_OF_TITLE, 127 },
    { "of the description", "<meta name=description content='Green house'><p>green", "green", TH_FEATURE_DESCRIPTION_WORDS, 255 },
    { "of the H1", "<h1>Green house</h1><p>no house", "no", TH_FEATURE_H1_WORDS, 127 },
    { "no articleBody", "<p>a b c d", "a", TH_FEATURE_IN_BODY, 255 },
    { "in articleBody", "<script type=application/ld+json>{\"articleBody\":\"x a b c d y\"}</script><p>a b c d<p>e f g h", "a", TH_FEATURE_IN_BODY, 254 },
    { "not in articleBody", "<script type=application/ld+json>{\"articleBody\":\"x a b c d y\"}</script><p>a b c d<p>e f g h", "e", TH_FEATURE_IN_BODY, 0 },

    { "tokens of the page", "<p>a<p>b c", "a", TH_FEATURE_PAGE_TOKENS, 32 },
    { "articles", "<article>a</article><article>b</article>", "a", TH_FEATURE_PAGE_ARTICLES, 24 },
    { "og:type", "<meta property=og:type content=Article><p>a", "a", TH_FEATURE_PAGE_OG_TYPE, 4 },
    { "og:type with spaces", "<meta property=og:type content=' product.item\n'><p>a", "a", TH_FEATURE_PAGE_OG_TYPE, 3 },
    { "og:type with a prefix", "<meta property=og:type content='og:product'><p>a", "a", TH_FEATURE_PAGE_OG_TYPE, 3 },
    { "another og:type", "<meta property=og:type content=' video.movie '><p>a", "a", TH_FEATURE_PAGE_OG_TYPE, 2 },
    { "og:type of a site", "<meta property=og:type content=' Website '><p>a", "a", TH_FEATURE_PAGE_OG_TYPE, 1 },
    { "a longer og:type", "<meta property=og:type content='websites'><p>a", "a", TH_FEATURE_PAGE_OG_TYPE, 2 },
    { "an empty og:type", "<meta property=og:type content=' '><p>a", "a", TH_FEATURE_PAGE_OG_TYPE, 0 },
    { "hidden text", "<div hidden>a</div>b", "b", TH_FEATURE_PAGE_HIDDEN, 127 },
    { "a recipe", "<script type=application/ld+json>{\"@type\":\"Recipe\"}</script><p>a", "a", TH_FEATURE_PAGE_LD_RECIPE, 1 },
    { "none", "<script type=application/ld+json>{\"@type\":\"Article\"}</script><p>a", "a", TH_FEATURE_PAGE_LD_RECIPE, 0 },
    { "unknown", "<p>a", "a", TH_FEATURE_SITE_PAGES, 255 },
    { "not ours", "<p>a", "a", TH_FEATURE_TYPE_SERVICE, 0 },

    { "prose before a row", "<p>" P25 "<p>a<p>" P25, "a", TH_FEATURE_PROSE_BEFORE, 127 },
    { "rows from prose", "<p>" P25 "<p>b<p>a<p>" P25 "<p>c", "a", TH_FEATURE_ROWS_FROM_PROSE, 24 },
    { "rows to prose", "<p>" P25 "<p>a<p>b<p>" P25 "<p>c", "a", TH_FEATURE_ROWS_TO_PROSE, 24 },
    { "none behind it", "<p>" P25 "<p>a", "a", TH_FEATURE_ROWS_TO_PROSE, 255 },
    { "links are no prose", "<p><a href=x>" P25 "</a><p>a", "a", TH_FEATURE_ROWS_FROM_PROSE, 255 },
    { "headings of a group", "<div class=c><h3>b</h3><p>a</div><div class=c><h3>d</h3><p>e</div>", "a", TH_FEATURE_GROUP_HEADINGS, 16 },
    { "that are linked", "<div class=c><h3><a href=x>b</a></h3><p>a</div><div class=c><h3>d</h3><p>e</div>", "a", TH_FEATURE_GROUP_TITLES, 8 },
    { "of its rows half are long", "<div class=c><h3>b</h3><p>" LONG "</div><div class=c><h3>d</h3><p>" LONG "</div>", "d", TH_FEATURE_GROUP_LONG, 127 },
    { "of the page: prose of its own", "<p>" P25 "<div class=comments><p>" P25 P25 "</div>", NULL, TH_PAGE_FEATURE_PROSE_APART, 74 },
    { "of the page: before its group", "<p>" P25 "<ul><li>" P25 "<li>" P25 "<li>" P25 "</ul>", NULL, TH_PAGE_FEATURE_PROSE_BEFORE_GROUP, 74 },
    { "of the page: a recipe", "<script type=application/ld+json>{\"@type\":\"Recipe\"}</script><p>a", NULL, TH_PAGE_FEATURE_LD_RECIPE, 1 },
    { "of the page: a generator", "<meta name=generator content='Discourse 3.2'><p>a", NULL, TH_PAGE_FEATURE_GENERATOR_FORUM, 1 },
    { "of the page: a type", "<script type=application/ld+json>{\"@type\":[\"x\",\"http://schema.org/Product\"]}</script><p>a", NULL, TH_PAGE_FEATURE_LD_PRODUCT, 1 },
    { "of the page: comments", "<div class=comments>a</div>b", NULL, TH_PAGE_FEATURE_IN_COMMENT, 127 },
    { "of the page: a group", "<ul><li>a b<li>c d<li>e f</ul>g", NULL, TH_PAGE_FEATURE_GROUP_TOKENS, 24 },
    { "of the page: the title", "<title>Green house</title><p>A green thing", NULL, TH_PAGE_FEATURE_TITLE_ROW, 127 },
};
/* clang-format on */

/* Shared by the tests. */
static struct scene {
    th_parser *parser, *plain_parser;
    th_arena *page_arena, *scratch;
} scene;

static th_page *parse_at(th_parser *parser, const char *html, const char *url)
{
    const size_t len = strlen(html);
    char *exact = malloc(len ? len : 1);
    assert_non_null(exact);
    memcpy(exact, html, len);
    const th_document document = {
        .bytes = { exact, len },
        .url = { url, strlen(url) },
        .charset = TH_VIEW("utf-8"),
    };
    th_page *page = NULL;
    th_arena_reset(scene.page_arena);
    assert_int_equal(
        th_parse_html(parser, &document, scene.page_arena, &page, NULL, NULL), TH_OK);
    free(exact);
    return page;
}

static th_page *parse(th_parser *parser, const char *html)
{
    return parse_at(parser, html, "https://example.org/blog/2024/green-house?x#docs");
}

/* The first row whose text begins so. */
static uint32_t find_row(const th_page *page, const char *start)
{
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const th_view text = th_paragraph_text(page, i);
        if (text.len >= strlen(start) && memcmp(text.data, start, strlen(start)) == 0)
            return i;
    }
    fail_msg("no row begins with '%s'", start);
    return 0;
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_feature_columns columns;
    uint8_t vector[TH_PAGE_FEATURE_COUNT];
    th_page *page = parse(scene.parser, row->html);
    th_arena_reset(scene.scratch);
    assert_int_equal(th_features_compute(page, NULL, scene.scratch, &columns, vector),
                     TH_OK);
    if (!row->text)
        assert_int_equal(vector[row->feature], row->value);
    else
        assert_int_equal(columns.column[row->feature][find_row(page, row->text)],
                         row->value);
}

/* Occurrences of a paragraph on other pages of the site: 16 log2(1 + n), linear between powers
 * of two, and a share of 255. */
static void other_pages_of_the_site_count(void **state)
{
    uint32_t pages[] = { 5, 3, 1, 0 };
    const struct {
        uint32_t site_pages;
        uint8_t log[4], share[4];
    } cases[] = {
        { 2, { 255, 255, 255, 255 }, { 255, 255, 255, 255 } },
        { 5, { 36, 24, 0, 0 }, { 254, 127, 0, 0 } },
        { 9, { 36, 24, 0, 0 }, { 127, 63, 0, 0 } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        th_feature_columns columns;
        uint8_t vector[TH_PAGE_FEATURE_COUNT];
        th_page *page = parse(scene.parser, "<p>a<p>b<p>c<p>d");
        assert_int_equal(page->paragraph_count, 4);
        page->paragraph_pages = pages;
        page->site_pages = cases[i].site_pages;
        th_arena_reset(scene.scratch);
        assert_int_equal(th_features_compute(page, NULL, scene.scratch, &columns, vector),
                         TH_OK);
        assert_memory_equal(columns.column[TH_FEATURE_SITE_PAGES], cases[i].log, 4);
        assert_memory_equal(columns.column[TH_FEATURE_SITE_SHARE], cases[i].share, 4);
    }
}

#define LD(type) "<script type=application/ld+json>{\"@type\":\"" type "\"}</script>"

/* Something of everything that a feature of the page counts. */
static const char everything[] =
    "<title>Green house</title><meta name=generator content='WordPress, Discourse, "
    "Sphinx, "
    "Shopify'>" LD("Article") LD("Product") LD("DiscussionForumPosting") LD(
        "ItemList") LD("TechArticle") LD("LocalBusiness") LD("Event") LD("VideoObject")
        LD("Recipe") LD(
            "FAQPage") "<script type=application/ld+json>{\"articleBody\":\"a green "
                       "house\"}</script>"
                       "<nav>nav</nav><main><article>article</article></"
                       "main><section>section</section>"
                       "<h1>Green house</h1><h2>b</h2><div>" LONG " " LONG " " LONG
                       " " LONG " <a href=x>link</a></div>"
                       "<ul><li>an item<li>a second<li>and a third</ul>"
                       "<table><tr><td>a<td>b<tr><td>c<td>d</table><pre>code and "
                       "code</pre>"
                       "<form>form <input><button>b</button></form><div hidden>hidden "
                       "words</div>"
                       "<p>only $5<p>on 5 June 2021<p>is it so? is it?<p>more "
                       "<time>now</time><img src=a>"
                       "<video></video><iframe></iframe>"
                       "<div class=comments>a comment</div><div class=post>a post</div>"
                       "<div class=product>a product</div><div class=toc>contents</div>"
                       "<div class=review>a review</div><div class=hero>a hero</div>"
                       "<div class=byline>by somebody</div>"
                       "<div class=card><a href=1>one</a> card</div><div class=card><a "
                       "href=2>two</a> card</div>"
                       "<div class=card><a href=3>three</a> card</div>"
                       "<ol><li><a href=4>four five six</a> " LONG " " LONG "<li>" LONG
                       " " LONG "<li>" LONG " " LONG "</ol>";

static void compute(const char *html, const char *url,
                    uint8_t vector[TH_PAGE_FEATURE_COUNT])
{
    th_feature_columns columns;
    th_page *page = parse_at(scene.parser, html, url);
    th_arena_reset(scene.scratch);
    assert_int_equal(th_features_compute(page, NULL, scene.scratch, &columns, vector),
                     TH_OK);
}

/* Every feature of a page is written. No feature is 0 on a page with all kinds of content.
 * On a page with one word, only these few are not 0. */
static void no_feature_is_forgotten(void **state)
{
    static const unsigned of_any_page[] = {
        TH_PAGE_FEATURE_TOKENS,
        TH_PAGE_FEATURE_ROWS,
        TH_PAGE_FEATURE_WORDS,
        TH_PAGE_FEATURE_P,
    };
    uint8_t all[TH_PAGE_FEATURE_COUNT], few[TH_PAGE_FEATURE_COUNT];
    (void)state;
    compute(everything,
            "http://e.org/blog/forum/docs/product/category/services/collections/1-a-b?q",
            all);
    compute("<p>a", "http://e.org/x", few);
    for (unsigned i = 0; i < TH_PAGE_FEATURE_COUNT; i++) {
        const bool is_of_og =
            i >= TH_PAGE_FEATURE_OG_ARTICLE && i <= TH_PAGE_FEATURE_OG_WEBSITE;
        bool is_of_any = false;
        for (size_t k = 0; k < sizeof of_any_page / sizeof *of_any_page; k++)
            is_of_any |= of_any_page[k] == i;
        if (all[i] == 0 && !is_of_og)
            fail_msg("%s is 0", th_page_feature_name(i));
        if ((few[i] != 0) != is_of_any)
            fail_msg("%s is %u", th_page_feature_name(i), few[i]);
    }
    compute("<meta property=og:type content=article>a", "", all);
    assert_int_equal(all[TH_PAGE_FEATURE_OG_ARTICLE], 1);
    compute("<meta property=og:type content=og:product>a", "", all);
    assert_int_equal(all[TH_PAGE_FEATURE_OG_PRODUCT], 1);
    compute("<meta property=og:type content=website>a", "", all);
    assert_int_equal(all[TH_PAGE_FEATURE_OG_WEBSITE], 1);
    assert_int_equal(all[TH_PAGE_FEATURE_OG_ARTICLE], 0);
}

/* A page is the same at another address. */
static void the_address_says_nothing(void **state)
{
    uint8_t one[TH_PAGE_FEATURE_COUNT], other[TH_PAGE_FEATURE_COUNT];
    (void)state;
    compute(everything, "http://e.org/blog/forum/docs/product/category/1-a-b?q", one);
    compute(everything, "http://page.invalid/1", other);
    assert_memory_equal(one, other, sizeof one);
}

/* ---- properties -------------------------------------------------------------------- */

static const char rich[] =
    "<title>Green house</title><nav class=menu><ul><li><a href=a>Home</a><li>About</ul>"
    "</nav><main id=content><h1>Green house</h1><p>" LONG ".<p class=x>" LONG
    "<div class='card item-1'>Buy $5</div><div class='card item-2'>Buy $6</div>"
    "<div hidden class=tab><p>" LONG "</div></main><footer>\u00a9 2020</footer>";

static th_token_table *make_table(void)
{
    th_token_table *table = calloc(1, sizeof *table);
    assert_non_null(table);
    table->bias = -700;
    for (unsigned i = 0; i < TH_TOKEN_BUCKETS; i++)
        table->weight[i] = (int16_t)(i * 7919 % 3001) - 1500;
    return table;
}

static void names_are_unique(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TH_FEATURE_COUNT; i++) {
        assert_true(th_feature_group(i) < TH_FEATURE_GROUP_COUNT);
        assert_true(i == 0 || th_feature_group(i) >= th_feature_group(i - 1));
        assert_non_null(th_feature_help(i));
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(th_feature_name(i), th_feature_name(k));
    }
    for (unsigned i = 0; i < TH_PAGE_FEATURE_COUNT; i++)
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(th_page_feature_name(i), th_page_feature_name(k));
    assert_string_equal(th_feature_name(TH_FEATURE_TYPES), "type_article");
}

/* The bytes after the rows of a plane are zero, and the scratch arena contains only
 * planes. */
static void planes_are_padded(void **state)
{
    (void)state;
    th_feature_columns columns;
    uint8_t vector[TH_PAGE_FEATURE_COUNT];
    th_page *page = parse(scene.parser, rich);
    th_arena_reset(scene.scratch);
    assert_int_equal(th_features_compute(page, NULL, scene.scratch, &columns, vector),
                     TH_OK);
    assert_int_equal(columns.stride % 32, 0);
    for (unsigned i = 0; i < TH_FEATURE_COUNT; i++)
        for (uint32_t row = columns.rows; row < columns.stride; row++)
            assert_int_equal(columns.column[i][row], 0);
    assert_in_range(th_arena_used(scene.scratch),
                    (size_t)columns.stride * TH_FEATURE_COUNT,
                    (size_t)(columns.stride + 1) * TH_FEATURE_COUNT + 64);
}

/* The value of a row equals the sum of its buckets, in training and in use. */
static void buckets_are_those_of_use(void **state)
{
    (void)state;
    th_feature_columns columns;
    th_token_buckets buckets;
    uint8_t vector[TH_PAGE_FEATURE_COUNT];
    th_token_table *table = make_table();
    th_page *page = parse(scene.parser, rich);
    th_arena_reset(scene.scratch);
    assert_int_equal(th_features_compute(page, table, scene.scratch, &columns, vector),
                     TH_OK);
    assert_int_equal(th_features_buckets(page, scene.scratch, &buckets), TH_OK);
    for (uint32_t i = 0; i < columns.rows; i++) {
        int64_t value = table->bias;
        for (uint32_t k = buckets.start[i]; k < buckets.start[i + 1]; k++)
            value += table->weight[buckets.bucket[k]];
        const int64_t byte = 128 + value * 12 / TH_TOKEN_UNIT;
        assert_int_equal(columns.column[TH_FEATURE_TOKEN_OWN][i], byte < 0     ? 0
                                                                  : byte > 255 ? 255
                                                                               : byte);
    }
    free(table);
}

/* Without what the page model keeps on request, columns are there all the same. */
static void plain_page_has_columns(void **state)
{
    (void)state;
    th_feature_columns columns;
    th_token_buckets buckets;
    uint8_t vector[TH_PAGE_FEATURE_COUNT];
    th_token_table *table = make_table();
    th_page *page = parse(scene.plain_parser, rich);
    th_arena_reset(scene.scratch);
    assert_null(page->class_sets);
    assert_null(page->hints);
    assert_int_equal(th_features_compute(page, table, scene.scratch, &columns, vector),
                     TH_OK);
    assert_int_equal(th_features_buckets(page, scene.scratch, &buckets), TH_OK);
    const uint32_t card = find_row(page, "Buy");
    assert_int_equal(columns.column[TH_FEATURE_FAMILY_CARD][card], TH_UNKNOWN);
    assert_int_equal(columns.column[TH_FEATURE_PAGE_HIDDEN][card], 0);
    assert_int_equal(columns.column[TH_FEATURE_TOKEN_MAX][card], TH_TOKEN_UNKNOWN);
    free(table);
}

static void no_rows(void **state)
{
    (void)state;
    th_feature_columns columns;
    th_token_buckets buckets;
    uint8_t vector[TH_PAGE_FEATURE_COUNT];
    th_token_table *table = make_table();
    th_page *page = parse(scene.parser, "<title>x</title><img>");
    th_arena_reset(scene.scratch);
    assert_int_equal(th_features_compute(page, table, scene.scratch, &columns, vector),
                     TH_OK);
    assert_int_equal(th_features_buckets(page, scene.scratch, &buckets), TH_OK);
    assert_int_equal(columns.rows, 0);
    assert_int_equal(buckets.start[0], 0);
    free(table);
}

static void memory_may_end(void **state)
{
    (void)state;
    th_feature_columns columns;
    uint8_t vector[TH_PAGE_FEATURE_COUNT];
    th_token_table *table = make_table();
    th_page *page = parse(scene.parser, rich);
    th_status status = TH_NOMEM;
    for (size_t limit = 1000; status == TH_NOMEM; limit += 1000) {
        th_arena *arena = th_arena_new(limit);
        status = th_features_compute(page, table, arena, &columns, vector);
        th_arena_free(arena);
        assert_true(status == TH_OK || status == TH_NOMEM);
    }
    free(table);
}

static void logarithms(void **state)
{
    (void)state;
    uint8_t last = 0;
    for (uint32_t n = 0; n < 100000; n++) {
        assert_true(th_log(n) >= last);
        last = th_log(n);
    }
    assert_int_equal(th_log(0), 0);
    assert_int_equal(th_log(1), 16);
    assert_int_equal(th_log(2), 24);
    assert_int_equal(th_log(UINT32_MAX), 254);
    assert_int_equal(th_share(1, 0), 0);
    assert_int_equal(th_share(UINT32_MAX - 1, UINT32_MAX), 254);
}

/* Eight bytes at a time say of a word what one at a time do. */
static void words_are_read_alike(void **state)
{
    (void)state;
    static const char letters[] = "aBz9Z0 .\xC3\xA9@[`{/:";
    uint64_t seed = 0x9E3779B97F4A7C15;
    for (int round = 0; round < 20000; round++) {
        char bytes[40];
        size_t len = 0, fast_at = 0, slow_at = 0;
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        len = 1 + seed % sizeof bytes;
        for (size_t i = 0; i < len; i++) /* letters above all */
            bytes[i] = letters[(seed >> i % 48 & 15) < 13 ? (seed >> i % 50) % 6
                                                          : (seed >> i % 40) % 16];
        char *exact = malloc(len);
        assert_non_null(exact);
        memcpy(exact, bytes, len);
        exact[0] = (char)(exact[0] & 0x80 ? 'a' : exact[0]);
        th_row_word fast, slow;
        if (th_byte_kinds[(unsigned char)exact[0]] &&
            th_row_word_read_ascii((th_view){ exact, len }, &fast_at, &fast)) {
            th_row_word_read_any((th_view){ exact, len }, &slow_at, &slow);
            assert_int_equal(fast_at, slow_at);
            assert_int_equal(fast.hash, slow.hash);
            assert_int_equal(fast.bytes, slow.bytes);
            assert_int_equal(fast.first, slow.first);
            unsigned char padded[sizeof bytes + 8] = { 0 };
            memcpy(padded, bytes, len);
            padded[0] = (unsigned char)exact[0];
            assert_int_equal(th_row_word_hash(padded, fast.bytes), slow.hash);
        }
        free(exact);
    }
}

/* Words and signs count the same wherever they are in a text, which is read in parts. */
static void words_count_at_any_place(void **state)
{
    enum { MOST = 150 };
    static const struct {
        unsigned feature, value;
    } wanted[] = {
        { TH_FEATURE_TITLE_WORDS, 72 }, /* two of seven */
        { TH_FEATURE_DATES, 24 },       { TH_FEATURE_COMMAS, 32 },
        { TH_FEATURE_QUESTIONS, 16 },   { TH_FEATURE_SEPARATORS, 24 },
        { TH_FEATURE_SENTENCES, 16 },
    };
    (void)state;
    for (size_t i = 1; i < MOST; i++) {
        char html[300] = "<title>Green house</title><p>";
        memset(html + strlen(html), 'x', i);
        strcat(html, " \xE4\xB8\x80\xEF\xBC\x8Cgreen house, 2021 \xC2\xBB "
                     "caf\xC3\xA9, | june?");
        th_feature_columns columns;
        uint8_t vector[TH_PAGE_FEATURE_COUNT];
        th_page *page = parse(scene.parser, html);
        th_arena_reset(scene.scratch);
        assert_int_equal(th_features_compute(page, NULL, scene.scratch, &columns, vector),
                         TH_OK);
        for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
            assert_int_equal(columns.column[wanted[k].feature][0], wanted[k].value);
    }
}

/* The words of random texts equal the words that a reader finds one after the other. */
static void words_are_those_of_a_reader(void **state)
{
    static const char *const parts[] = { "a",
                                         "B",
                                         "c",
                                         "D",
                                         "7",
                                         "e",
                                         "F",
                                         "g",
                                         " ",
                                         ",",
                                         ".",
                                         "\xC3\xA9",
                                         "\xE2\x80\x99",
                                         "\xE4\xB8\xAD",
                                         "\xE3\x80\x82",
                                         "\xC2\xBB" };
    uint64_t seed = 0x9E3779B97F4A7C15;
    (void)state;
    for (int round = 0; round < 3000; round++) {
        char html[800] = "<p>x";
        const uint64_t letters = 1 + seed % 16, count = 1 + seed % 251;
        for (uint64_t i = 0; i < count; i++) {
            seed = seed * UINT64_C(6364136223846793005) + 1;
            strcat(html, parts[seed >> 40 & 1 ? (seed >> 60) % letters : seed >> 60]);
        }
        th_feature_columns columns;
        uint8_t vector[TH_PAGE_FEATURE_COUNT];
        th_page *page = parse(scene.parser, html);
        th_arena_reset(scene.scratch);
        assert_int_equal(th_features_compute(page, NULL, scene.scratch, &columns, vector),
                         TH_OK);
        const th_view text = th_paragraph_text(page, 0);
        uint32_t words = 0, capitals = 0, shorts = 0;
        th_row_word word;
        for (size_t at = 0; th_row_word_next(text, &at, &word); words++) {
            capitals += word.first >= 'A' && word.first <= 'Z';
            shorts += word.bytes <= 3;
        }
        assert_int_equal(columns.column[TH_FEATURE_CAPITAL_WORDS][0],
                         th_share(capitals, words));
        assert_int_equal(columns.column[TH_FEATURE_SHORT_WORDS][0],
                         th_share(shorts, words));
        assert_int_equal(columns.column[TH_FEATURE_WORD_LEN][0],
                         th_at_most((uint32_t)text.len * 16 / words, 255));
    }
}

static int set_up(void **state)
{
    (void)state;
    th_options opt;
    th_options_init(&opt);
    opt.classifier = "num-words"; /* reads what is shown, no classes */
    scene.plain_parser = th_parser_new(&opt);
    opt.reads = TH_FEATURES_READ;
    scene.parser = th_parser_new(&opt);
    scene.page_arena = th_arena_new(0);
    scene.scratch = th_arena_new(0);
    return !scene.parser || !scene.plain_parser || !scene.page_arena || !scene.scratch;
}

static int tear_down(void **state)
{
    (void)state;
    th_parser_free(scene.parser);
    th_parser_free(scene.plain_parser);
    th_arena_free(scene.page_arena);
    th_arena_free(scene.scratch);
    return 0;
}

/* Byte k of row i is at place i of column k. */
static void rows_become_columns(void **state)
{
    enum { STRIDE = 11 };
    uint64_t from[TH_EIGHT], copy[TH_EIGHT];
    uint8_t out[TH_EIGHT * STRIDE] = { 0 }, plain[TH_EIGHT * STRIDE] = { 0 };
    (void)state;
    for (unsigned i = 0; i < TH_EIGHT; i++)
        from[i] = copy[i] = UINT64_C(0x8070605040302010) + i * TH_EACH(0x11);
    th_write_eight_portable(copy, plain, STRIDE);
    th_write_eight(from, out, STRIDE);
    assert_memory_equal(out, plain, sizeof out);
    for (unsigned i = 0; i < TH_EIGHT; i++)
        for (unsigned k = 0; k < TH_EIGHT; k++)
            assert_int_equal(out[k * STRIDE + i], (0x10 * (k + 1) + 0x11 * i) & 0xFF);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    static const struct CMUnitTest properties[] = {
        cmocka_unit_test(no_feature_is_forgotten),
        cmocka_unit_test(the_address_says_nothing),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(other_pages_of_the_site_count),
        cmocka_unit_test(planes_are_padded),
        cmocka_unit_test(buckets_are_those_of_use),
        cmocka_unit_test(plain_page_has_columns),
        cmocka_unit_test(no_rows),
        cmocka_unit_test(memory_may_end),
        cmocka_unit_test(logarithms),
        cmocka_unit_test(rows_become_columns),
        cmocka_unit_test(words_are_read_alike),
        cmocka_unit_test(words_count_at_any_place),
        cmocka_unit_test(words_are_those_of_a_reader),
    };
    enum { PROPERTIES = sizeof properties / sizeof *properties };
    struct CMUnitTest tests[ROWS + PROPERTIES];
    memcpy(tests + ROWS, properties, sizeof properties);
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
