/* Title, author and dates of whole pages: each source separately, and texts that are not facts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "thresher/parse.h"

#define H "<title>Of bees | Site</title><body><p>Menu</p><h1>Of bees</h1>"
#define TEXT                                                                             \
    "<p>A paragraph that is long enough to be the text of an article, and not a line "   \
    "around its headline: it goes on and on, about bees and what they do all day long, " \
    "until nobody can take it for a byline any more, and then a little further.</p>"

/* want: "author from published from"; "-" = none */
static const struct row {
    const char *name, *html, *want;
} rows[] = {
    { "nothing", H TEXT, "- - - -" },
    { "rel=author", H "<a rel=author href=/ada>Ada Lovelace</a>" TEXT,
      "Ada Lovelace rel-author - -" },
    { "byline by class", H "<div class='post-byline'>By Ada Lovelace</div>" TEXT,
      "Ada Lovelace byline - -" },
    { "name and date in a byline",
      H "<div class='post-byline'>By Ada Lovelace | May 5, 2025</div>" TEXT,
      "Ada Lovelace byline 2025-05-05 byline" },
    { "name by class", H "<span class=author-name>Ada Lovelace</span>" TEXT,
      "Ada Lovelace byline - -" },
    { "a biography is not a name", H "<div class=author-bio>Ada Lovelace</div>" TEXT,
      "- - - -" },
    { "a line", H "<p>By Ada Lovelace</p>" TEXT, "Ada Lovelace text - -" },
    { "a line in Arabic", H "<p>بقلم: سلمى الحداد</p><p>3 نوفمبر، 2025</p>" TEXT,
      "سلمى الحداد text 2025-11-03 text" },
    { "an update in Arabic", H "<p>آخر تحديث: 3 نوفمبر 2025</p>" TEXT, "- - - -" },
    { "a deadline in Hindi, after a label of twenty letters",
      H "<p>आवेदन की अंतिम तिथि</p><p>15 दिसंबर 2025</p>" TEXT, "- - - -" },
    { "a long name in Hindi",
      H "<span class=author-name>डॉ. सुरेन्द्र कुमार मिश्रा त्रिपाठी</span>" TEXT,
      "डॉ. सुरेन्द्र कुमार मिश्रा त्रिपाठी byline - -" },
    { "\"Updated\" thirty characters before the date",
      H "<p>Updated by the whole team on: May 5, 2025</p>" TEXT, "- - - -" },
    { "\"Updated\" 31 characters before the date",
      H "<p>Updated by the whole teams on: May 5, 2025</p>" TEXT, "- - 2025-05-05 text" },
    { "an update in Thai", H "<p>แก้ไขล่าสุด 3 พ.ย. 2568</p>" TEXT, "- - - -" },
    { "the title of an ABBR",
      H "<abbr itemprop=datePublished title=2025-05-05T07:15:00+03:00>7:15</abbr>" TEXT,
      "- - 2025-05-05T07:15:00+03:00 microdata" },
    { "a label and a line", H "<p>Written by</p><p>Ada Lovelace</p>" TEXT,
      "Ada Lovelace text - -" },
    { "a line after the text", H TEXT "<p>By Ada Lovelace</p>", "- - - -" },
    { "microdata",
      H "<div itemprop=author itemscope><span itemprop=name>Ada Lovelace</span>, "
        "editor</div>" TEXT,
      "Ada Lovelace microdata - -" },
    { "RDFa", H "<span property='schema:author'>Ada Lovelace</span>" TEXT,
      "Ada Lovelace microdata - -" },
    { "a commenter is not an author",
      H TEXT "<div itemscope itemtype='https://schema.org/Comment'><b "
             "itemprop=author>Bob Smith</b>"
             "<time itemprop=datePublished datetime=2025-05-05>May</time></div>",
      "- - - -" },
    { "a front page has no author",
      H "<a rel=author href=/ada>Ada Lovelace</a>" TEXT "<!--front-->", "- - - -" },
    { "a front page's articles have, by microdata",
      H "<div itemscope itemtype='https://schema.org/Article'><b itemprop=author>Ada "
        "Lovelace</b></div>" TEXT "<!--front-->",
      "- - - -" },
    { "a book's author is not the page's",
      H "<div itemscope itemtype='http://schema.org/Book'><b itemprop=author>Ada "
        "Lovelace</b></div>" TEXT,
      "- - - -" },
    { "authors of list entries do not count",
      H "<a rel=author>A One</a><p>x</p><a rel=author>B Two</a><p>x</p><a rel=author>C "
        "Three</a>",
      "- - - -" },
    { "the site is not an author",
      "<meta property=og:site_name content=Site><meta name=author content=Site>" H TEXT,
      "- - - -" },

    { "TIME", H "<time datetime='2025-05-05T10:00:00+02:00'>May 5</time>" TEXT,
      "- - 2025-05-05T10:00:00+02:00 time" },
    { "TIME without attribute", H "<time>5. Mai 2025</time>" TEXT,
      "- - 2025-05-05 time" },
    { "TIME of an update",
      H "<p>Updated: <time datetime=2025-05-05>May 5</time></p>" TEXT, "- - - -" },
    { "TIME far away",
      H TEXT
      "<p>a</p><p>b</p><p>c</p><p>d</p><p>e</p><p>f</p><p>g</p><p>h</p><p>i</p><p>j</p>"
      "<p>k</p><p>l</p><p>m</p><time datetime=2025-05-05>x</time>",
      "- - - -" },
    { "TIMEs of a list",
      H "<time datetime=2025-05-05>x</time><p>a</p><time "
        "datetime=2025-05-04>x</time><p>b</p>"
        "<time datetime=2025-05-03>x</time>",
      "- - - -" },
    { "TIMEs of a list after other marks",
      H "<span class=entry-date>soon</span><p>a</p><time>soon</time><time "
        "datetime=2025-05-05>x</time><p>b</p><time "
        "datetime=2025-05-05>x</time><time datetime=2025-05-04>x</time><p>c</p>"
        "<time datetime=2025-05-03>x</time>",
      "- - - -" },
    { "TIMEs of two days",
      H "<time datetime=2025-05-05>x</time><p>a</p><time "
        "datetime=2025-05-04>x</time><p>b</p>"
        "<time datetime='2025-05-04 10:00'>x</time>" TEXT,
      "- - 2025-05-05 time" },
    { "a caption that ends with a date",
      H "<p>Machines of war on the road to the town, May 5, 2025</p>" TEXT, "- - - -" },
    { "date by class", H "<span class=entry-date>May 5, 2025</span>" TEXT,
      "- - 2025-05-05 byline" },
    { "date in a line", H "<p>May 5, 2025</p>" TEXT, "- - 2025-05-05 text" },
    { "date of an update in a line", H "<p>Last updated on May 5, 2025</p>" TEXT,
      "- - - -" },
    { "microdata's date", H TEXT "<meta itemprop=datePublished content=2025-05-05>",
      "- - 2025-05-05 microdata" },
    { "JSON-LD of an article",
      "<script "
      "type=application/ld+json>{\"@type\":\"Article\",\"author\":{\"name\":\"Ada "
      "Lovelace\"},"
      "\"datePublished\":\"2025-05-05\"}</script>" H TEXT,
      "Ada Lovelace json-ld 2025-05-05 json-ld" },
    { "a page's date is not published",
      "<script "
      "type=application/"
      "ld+json>{\"@type\":\"WebPage\",\"datePublished\":\"2025-05-05\"}</script>" H TEXT,
      "- - - -" },
    { "a page's date that is shown",
      "<script "
      "type=application/"
      "ld+json>{\"@type\":\"WebPage\",\"datePublished\":\"2025-05-05\"}</script>" H
      "<p>May 5, 2025</p>" TEXT,
      "- - 2025-05-05 json-ld" },
    { "a product's date is not published",
      "<script type=application/ld+json>{\"@type\":\"Product\"}</script>"
      "<meta property=article:published_time content=2025-05-05>" H TEXT,
      "- - - -" },
    { "META", "<meta property=article:published_time content=2025-05-05>" H TEXT,
      "- - 2025-05-05 meta" },
    { "META of a site",
      "<meta property=og:type content=website><meta property=article:published_time "
      "content=2025-05-05>" H TEXT,
      "- - - -" },
};

static void put(char *out, th_view value, const char *end)
{
    const size_t len = strlen(out);
    (void)sprintf(out + len, "%.*s%s", value.data ? (int)value.len : 1,
                  value.data ? value.data : "-", end);
}

/* The page is an exact-size copy that is freed before the result is checked. */
static void read_page(const char *html, th_view url, bool is_weak, char *out)
{
    th_options opt;
    th_options_init(&opt);
    opt.weak_facts = is_weak;
    th_parser *parser = th_parser_new(&opt);
    th_arena *arena = th_arena_new(0);
    char *copy = malloc(strlen(html));
    assert_true(parser && arena && copy);
    memcpy(copy, html, strlen(html));
    const th_document document = { .bytes = { copy, strlen(html) }, .url = url };
    th_page *page = NULL;
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    free(copy);
    out[0] = '\0';
    put(out, page->metadata.author, " ");
    put(out, page->metadata.author_from, " ");
    put(out, page->metadata.published, " ");
    put(out, page->metadata.published_from, "");
    th_arena_free(arena);
    th_parser_free(parser);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    char out[2048];
    const bool is_front = strstr(row->html, "<!--front-->") != NULL;
    read_page(row->html,
              is_front ? TH_VIEW("https://a.example/") : TH_VIEW("https://a.example/b/c"),
              false, out);
    assert_string_equal(out, row->want);
}

static void date_of_the_url(void **state)
{
    (void)state;
    char out[2048];
    read_page(H TEXT, TH_VIEW("https://a.example/2025/05/06/bees"), false, out);
    assert_string_equal(out, "- - 2025-05-06 url");
    read_page(H TEXT, TH_VIEW("https://a.example/2025/55/06/bees"), false, out);
    assert_string_equal(out, "- - - -");
}

static void weak_facts_are_told_when_asked_for(void **state)
{
    (void)state;
    char out[2048];
    read_page(H "<p>Last updated on May 5, 2025</p>" TEXT, TH_VIEW("https://a.example/b"),
              true, out);
    assert_string_equal(out, "- - 2025-05-05 text");
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    static struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(date_of_the_url);
    tests[ROWS + 1] =
        (struct CMUnitTest)cmocka_unit_test(weak_facts_are_told_when_asked_for);
    return cmocka_run_group_tests_name("visible_facts", tests, NULL, NULL);
}
