/* src/parse/metadata: pages of random facts in META, JSON-LD, microdata, links and visible
 * bylines, as digests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "outcomes.h"
#include "parse/noted_metadata.h"
#include "thresher/parse.h"

enum { PAGES = 4000, DEPTH = 3 };

/* clang-format off */
static const char *const names[] = {
    "apple-mobile-web-app-title", "application-name", "article.author", "article.published", "article:author", "article:author:name", "article:modified", "article:modified_time", "article:published", "article:published_time", "article_date_original", "author", "author_name", "authors", "byl", "citation_author", "citation_date", "citation_online_date", "citation_publication_date", "citation_title", "content-language", "created", "creator", "cxenseparse:author", "cxenseparse:publishtime", "cxenseparse:recs:publishtime", "date", "date.available", "date.created", "date.modified", "datemodified", "datepublished", "dc.creator", "dc.date", "dc.date.created", "dc.date.issued", "dc.date.modified", "dc.description", "dc.language", "dc.title", "dcterms.abstract", "dcterms.available", "dcterms.created", "dcterms.creator", "dcterms.date", "dcterms.description", "dcterms.issued", "dcterms.language", "dcterms.modified", "dcterms.title", "description", "displaydate", "headline", "language", "last-modified", "og:article:author", "og:article:published_time", "og:author", "og:description", "og:locale", "og:pubdate", "og:published_time", "og:site_name", "og:title", "og:type", "og:updated_time", "og:url", "originalpublicationdate", "parsely-author", "parsely-pub-date", "pub_date", "pubdate", "publication_date", "publicationdate", "publish-date", "publish_date", "publishdate", "published", "published_at", "published_time", "release_date", "revised", "rnews:datepublished", "sailthru.author", "sailthru.date", "sailthru.description", "sailthru.title", "shareaholic:article_author_name", "shareaholic:article_published_time", "title", "twitter:description", "twitter:title", "inlanguage", "robots", "googlebot", "x-bot", "tdm-reservation", "tdm-policy", "keywords", "article:tag", "article:section", "og:image", "twitter:image", "twitter:card", "generator", "x",
};
static const char *const values[] = {
    "Ada Byron", "By Ada Byron and Charles Babbage", "Ada Byron, Grace Hopper", "ada@a.example", "admin", "http://a.example/user/ada", "Saltmouth Times", "Written by Ada, 5 May 2021", "von Ada Byron", "2021-05-06", "2021-05-06T07:08:09Z", "2021-05-06T07:08:09+02:00", "2021-13-45", "20210506", "6 May 2021", "May 6, 2021", "06.05.2021", "1620284889", "Thu, 06 May 2021 07:08:09 GMT",
    "1999", "3021-01-01", "The lamp of the harbour", "The lamp of the harbour | Saltmouth Times", "Saltmouth Times - The lamp", "The lamp: part 1", "Home", "", " ", "en", "en_GB", "de-DE", "xx-yy-zz", "noindex, nofollow", "noai", "1", "0", "article", "website", "product", "/c", "http://a.example/b/c", "//h/x", "javascript:x", "&lt;b&gt;", "a &amp;amp; b", "x\xC3\xA9", "\xE7\x81\xAF\xE5\x8F\xB0 \xE5\xBC\xA0\xE4\xB8\x89",
    "https://creativecommons.org/licenses/by/4.0/", "Ada Byron is a keeper of lamps who counts ships in winter and writes long lines about them until nobody reads on",
};
static const char *const keys[] = {
    "@type", "@id", "@graph", "mainEntity", "mainEntityOfPage", "headline", "name", "description", "author", "creator", "dateCreated", "dateModified", "datePublished", "inLanguage", "url", "publisher", "isPartOf", "comment", "review", "itemListElement", "license", "image", "keywords", "articleSection", "text", "x", "@context", "articleBody", "acceptedAnswer", "video",
};
static const char *const types[] = {
    "Article", "NewsArticle", "BlogPosting", "Report", "Recipe", "HowTo", "CreativeWork", "WebPage", "WebSite", "Person", "Organization", "Product", "Offer", "DiscussionForumPosting", "QAPage", "Question", "Answer", "Comment", "Review", "ItemList", "ListItem", "VideoObject", "ImageObject", "BreadcrumbList", "FAQPage", "JobPosting", "Event", "Book", "http://schema.org/Article", "schema:Person", "X",
};
static const char *const properties[] = { "author", "name", "headline", "datePublished", "dateModified", "dateCreated", "description", "inLanguage", "url", "publisher", "comment", "license", "image", "text", "articleBody", "x", "author creator" };
static const char *const elements[] = { "div", "p", "span", "a", "time", "h1", "h2", "header", "footer", "li", "article", "aside", "nav", "address", "small", "b", "section", "abbr", "figcaption" };
static const char *const classes[] = {
    "author", "byline", "by-line", "author-name", "entry-author", "post-author", "postauthor", "author-bio", "author_avatar", "username", "author vcard", "fn", "byline__author", "byline-link", "author-link", "date", "entry-date", "post-date", "published", "pubdate", "dt-published", "articleDate", "published_time", "dateline", "updated", "modified", "last-modified", "edited", "posted-on", "timestamp", "time", "meta",
    "comment", "comment-author", "comment-date", "related", "sidebar", "footer", "title", "headline", "entry-title", "site-title", "breadcrumb", "share", "writer", "reviewer", "x", "content", "post", "social-author", "revised",
};
static const char *const marks[] = { "By ", "by: ", "Von ", "Par ", "Author: ", "Published: ", "Posted on ", "Updated ", "Last modified: ", "Ver\u00f6ffentlicht am ", "\xE4\xBD\x9C\xE8\x80\x85\xEF\xBC\x9A", "Copyright ", "\xC2\xA9 ", "Photo: ", "", "", " | ", ", " };
static const char *const urls[] = { "http://a.example/b/c", "http://www.saltmouth-times.example/2021/05/06/the-lamp-of-the-harbour.html", "http://a.example/", "http://a.example/2021-05-06-lamp", "http://a.example/blog/20210506/x?date=2020-01-02", "http://a.example/news/1999/12/lamp" };
/* clang-format on */

/* ---- random facts ---- */

// NOLINTNEXTLINE(misc-no-recursion): bounded by DEPTH
static void append_json(struct outcomes *all, th_buffer *out, int depth)
{
    const uint32_t kind =
        depth == 0 ? 7 + below(all, 3) : below(all, depth < DEPTH ? 10 : 6);
    const bool is_list = kind == 9;
    if (kind == 5) {
        th_buffer_append_text(out, below(all, 2) ? "17" : "null");
        return;
    }
    if (kind < 5) {
        th_buffer_printf(out, "\"%s\"", kind ? ONE(all, values) : ONE(all, types));
        return;
    }
    th_buffer_append_text(out, is_list ? "[" : "{");
    for (uint32_t i = below(all, is_list ? 4 : 7); i; i--) {
        const char *key = ONE(all, keys);
        if (!is_list)
            th_buffer_printf(out, "\"%s\":", key);
        if (!is_list && strcmp(key, "@type") == 0) {
            const char *type = ONE(all, types);
            th_buffer_printf(out, below(all, 6) ? "\"%s\"" : "[\"%s\",\"X\"]", type);
        } else {
            append_json(all, out, depth + 1);
        }
        th_buffer_append_text(out, i > 1 ? "," : "");
    }
    th_buffer_append_text(out, is_list ? "]" : "}");
}

static void append_head(struct outcomes *all, th_buffer *out)
{
    static const char *const sources[] = { "name", "name", "property", "http-equiv",
                                           "itemprop" };
    static const char *const links[] = { "canonical", "license",   "author",
                                         "alternate", "image_src", "bookmark canonical" };
    const uint32_t kind = below(all, 12);
    if (kind == 0) {
        th_buffer_printf(out, "<title>%s</title>", ONE(all, values));
    } else if (kind == 1) {
        th_buffer_printf(out, "<link rel=\"%s\"", ONE(all, links));
        th_buffer_printf(out, " href=\"%s\">", ONE(all, values));
    } else if (kind < 5) {
        th_buffer_append_text(out, "<script type=\"application/ld+json\">");
        append_json(all, out, 0);
        th_buffer_append_text(out, below(all, 20) ? "</script>" : "</script");
    } else {
        th_buffer_printf(out, "<meta %s=", ONE(all, sources));
        th_buffer_printf(out, "\"%s\" content=", ONE(all, names));
        th_buffer_printf(out, "\"%s\">", ONE(all, values));
    }
}

static void append_attributes(struct outcomes *all, th_buffer *out)
{
    switch (below(all, 8)) {
    case 0:
        th_buffer_printf(out, " itemprop=\"%s\"", ONE(all, properties));
        break;
    case 1:
        th_buffer_printf(out, " itemscope itemtype=\"http://schema.org/%s\"",
                         ONE(all, types));
        break;
    case 2:
        th_buffer_printf(out, " property=\"schema:%s\"", ONE(all, properties));
        break;
    case 3:
        th_buffer_printf(out, " datetime=\"%s\"", ONE(all, values));
        break;
    case 4:
        th_buffer_append_text(out, below(all, 2) ? " rel=author href=/user/ada"
                                                 : " href=/about rel=\"license x\"");
        break;
    default:
        th_buffer_printf(out, " class=\"%s\"", ONE(all, classes));
    }
}

/* An element with a mark, a value, and elements in it. */
// NOLINTNEXTLINE(misc-no-recursion): bounded by DEPTH
static void append_element(struct outcomes *all, th_buffer *out, int depth)
{
    const char *name = ONE(all, elements);
    th_buffer_printf(out, "<%s", name);
    for (uint32_t i = below(all, 3); i; i--)
        append_attributes(all, out);
    th_buffer_printf(out, ">%s", ONE(all, marks));
    if (below(all, 3))
        th_buffer_append_text(out, ONE(all, values));
    for (uint32_t i = depth < DEPTH ? below(all, 3) : 0; i; i--)
        append_element(all, out, depth + 1);
    th_buffer_printf(out, "</%s>", name);
}

static void facts_of_random_pages_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 5 };
    th_options opt;
    th_options_init(&opt);
    opt.reads = TH_READS_HINTS | TH_READS_RIGHTS | TH_READS_STRUCTURED;
    th_arena *arena = th_arena_new(0);
    th_parser *parser = th_parser_new(&opt);
    assert_true(arena && parser);
    uint32_t authors = 0, dates = 0;
    for (unsigned i = 0; i < PAGES; i++) {
        th_buffer html = { 0 };
        th_page *page = NULL;
        pick_some(&all, 12);
        for (uint32_t k = below(&all, 7); k; k--)
            append_head(&all, &html);
        th_buffer_append_text(&html, "<body>");
        for (uint32_t k = below(&all, 7); k; k--)
            append_element(&all, &html, 0);
        const char *url = ONE(&all, urls);
        const th_document document = { .bytes = { html.len ? html.data : "", html.len },
                                       .url = { url, strlen(url) },
                                       .charset = TH_VIEW("utf-8") };
        assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL),
                         TH_OK);
        note_metadata(&all, page);
        const th_page_hints *hints = page->hints;
        note_line(&all, "hints %x %u", hints->ld_types, hints->has_recipe_item);
        note_view(&all, hints->og_title);
        note_view(&all, hints->og_type);
        note_view(&all, hints->generator);
        note_view(&all, hints->body);
        note_view(&all, hints->about);
        note_view(&all, hints->ingredients);
        authors += page->metadata.author.len > 0;
        dates += page->metadata.published.len > 0;
        th_buffer_done(&html);
        th_arena_reset(arena);
    }
    th_parser_free(parser);
    th_arena_free(arena);
    assert_in_range(authors, PAGES / 8, PAGES);
    assert_in_range(dates, PAGES / 8, PAGES);
    expect_digest(&all, UINT64_C(0xE3B260FAFC7B48B2));
}

/* Two META each, of all pairs of names: the choice between them. */
static void choices_of_names_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 6 };
    th_options opt;
    th_options_init(&opt);
    th_arena *arena = th_arena_new(0);
    th_parser *parser = th_parser_new(&opt);
    th_buffer html = { 0 };
    assert_true(arena && parser);
    for (size_t i = 0; i < COUNT(names); i++)
        for (size_t k = 0; k < COUNT(names); k++) {
            th_page *page = NULL;
            th_buffer_reset(&html);
            th_buffer_printf(&html, "<meta name=\"%s\" content=\"2021-05-06\">",
                             names[i]);
            th_buffer_printf(&html, "<meta name=\"%s\" content=\"2022-07-08\">",
                             names[k]);
            th_buffer_printf(&html, "<meta name=\"%s\" content=\"Ada Byron\">", names[i]);
            th_buffer_printf(&html, "<meta name=\"%s\" content=\"Eda Myron\">", names[k]);
            const th_document document = { .bytes = th_buffer_view(&html),
                                           .url = TH_VIEW("http://a.example/b"),
                                           .charset = TH_VIEW("utf-8") };
            assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL),
                             TH_OK);
            note_metadata(&all, page);
            th_arena_reset(arena);
        }
    th_buffer_done(&html);
    th_parser_free(parser);
    th_arena_free(arena);
    expect_digest(&all, UINT64_C(0x057B6CA020F5A97F));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_of_random_pages_are_known),
        cmocka_unit_test(choices_of_names_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
