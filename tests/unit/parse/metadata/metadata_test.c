/* Metadata of a page: the source used, and the normalized value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/unicode.h"
#include "parse/metadata/class_roles.h"
#include "parse/metadata/metadata.h"

#define BASE "https://example.com/a/b.html"

/*
 * A page is a list of lines: "meta|name=author|content=Ada" is a tag with attributes,
 * "title:..." and "json:..." are texts. `want` lists what is known, in the record's
 * order.
 */
static const struct row {
    const char *name, *page, *want;
} rows[] = {
    /* clang-format off */
    { "nothing", "", "" },
    { "tags without attributes", "html\nmeta\nlink\ntime\na", "" },
    { "META without content", "meta|name=author", "" },
    { "META with empty content", "meta|name=author|content=\nmeta|name=description|content= \t", "" },

    { "title", "title: A \n", "title=A\n" },
    { "og:title before title, if no heading decides", "meta|property=og:title|content=B C D\ntitle:A", "title=B C D\n" },
    { "og:title for an empty title", "title: \nmeta|property=og:title|content=B", "title=B\n" },
    { "title: the first", "title:A\ntitle:B", "title=A\n" },
    { "title: order of trust",
      "meta|itemprop=headline|content=7\nmeta|name=title|content=6\nmeta|name=DC.title|content=5\n"
      "meta|name=twitter:title|content=4\njson:{\"@type\":\"Article\",\"headline\":\"3\"}\n"
      "meta|property=og:title|content=2", "title=2\n" },
    { "title: a news article's headline first", "json:{\"@type\":\"NewsArticle\",\"headline\":\"H\"}\nmeta|property=og:title|content=2", "title=H\n" },
    { "title: without the site's name", "title:What is new | The Site\nmeta|property=og:site_name|content=The Site", "title=What is new\nsite=The Site\n" },
    { "title: without the host's name", "title:What is new - Example", "title=What is new\n" },
    { "title: up to the first bar", "title:What is new | And what is old | Some more", "title=What is new\n" },
    { "title: JSON-LD's headline, then its name", "json:{\"@type\":\"Article\",\"name\":\"N\",\"headline\":\"H\"}", "title=H\n" },
    { "title: JSON-LD's name", "json:{\"@type\":\"Article\",\"name\":\"N\"}", "title=N\n" },
    { "title: a page's name is the last resort", "json:{\"@type\":\"WebPage\",\"name\":\"N\"}\nmeta|name=title|content=M", "title=M\n" },

    { "description: order of trust",
      "meta|itemprop=description|content=6\nmeta|name=dc.description|content=5\nmeta|name=twitter:description|content=4\n"
      "json:{\"@type\":\"Article\",\"description\":\"3\"}\nmeta|property=og:description|content=2\nmeta|name=Description|content=1",
      "description=1\n" },
    { "whitespace collapses", "meta|name=description|content= a\t\tb\r\xC2\xA0\xE3\x80\x80" "c ", "description=a b c\n" },
    { "control bytes and bad UTF-8", "meta|name=description|content=a\x01" "b\xFF" "c\xE2\x82", "description=a b\xEF\xBF\xBD" "c\xEF\xBF\xBD\xEF\xBF\xBD\n" },
    { "references in META stay", "meta|name=description|content=a &amp; b", "description=a &amp; b\n" },
    { "name in property and property in name", "meta|property=description|content=D\nmeta|name=og:site_name|content=S", "description=D\nsite=S\n" },
    { "name in spaces and capitals", "meta|name= DESCRIPTION |content=D", "description=D\n" },
    { "one META, several names", "meta|name=description|property=og:title|itemprop=headline|content=D", "title=D\ndescription=D\n" },
    { "names of no use", "meta|name=descriptio|content=D\nmeta|name=descriptions|content=D\nmeta|name=|content=D\nmeta|name=a-name-much-longer-than-any-that-we-know-of|content=D", "" },

    { "canonical", "link|rel=canonical|href=c?d", "canonical=https://example.com/a/c?d\n" },
    { "canonical among others", "link|rel=alternate CANONICAL|href=/c", "canonical=https://example.com/c\n" },
    { "canonical: the first", "link|rel=canonical|href=/c\nlink|rel=canonical|href=/d", "canonical=https://example.com/c\n" },
    { "canonical before og:url", "meta|property=og:url|content=/o\nlink|rel=canonical|href=/c", "canonical=https://example.com/c\n" },
    { "og:url for no canonical", "link|rel=alternate|href=/c\nmeta|property=og:url|content=/o", "canonical=https://example.com/o\n" },
    { "og:url instead of an invalid canonical", "link|rel=canonical|href=javascript:x\nmeta|property=og:url|content=/o", "canonical=https://example.com/o\n" },
    { "an empty canonical does not count", "link|rel=canonical|href= \nlink|rel=canonical|href=/c", "canonical=https://example.com/c\n" },
    { "canonical without href", "link|rel=canonical", "" },
    { "canonical of no use", "link|rel=canonical|href=http://", "" },

    { "language", "html|lang=en-GB", "language=en-GB\n" },
    { "language: order of trust",
      "meta|itemprop=inLanguage|content=ff\nmeta|name=dc.language|content=ee\nmeta|property=og:locale|content=dd_DD\n"
      "meta|http-equiv=Content-Language|content=cc\nhtml|xml:lang=bb|lang=aa", "language=aa\n" },
    { "language: xml:lang", "html|xml:lang=bb\nmeta|http-equiv=content-language|content=cc", "language=bb\n" },
    { "language: content-language", "meta|property=og:locale|content=dd\nmeta|http-equiv=content-language|content=cc", "language=cc\n" },
    { "language: the first of a list", "meta|http-equiv=content-language|content=de-AT, en", "language=de-AT\n" },
    { "language: a locale", "meta|property=og:locale|content=zh_Hant_TW", "language=zh-Hant-TW\n" },
    { "language: JSON-LD", "json:{\"@type\":\"WebPage\",\"inLanguage\":\"fr-FR\"}", "language=fr-FR\n" },
    { "language: invalid tags", "html|lang=English\nhtml|lang={{ lang }}\nhtml|lang=e\nhtml|lang=en-\nhtml|lang=-en\nhtml|lang=en-abcdefghi\nhtml|lang=12\nhtml|lang=", "" },
    { "language: no tag gives way", "html|lang=*\nmeta|name=language|content=English\nmeta|property=og:locale|content=en_US", "language=en-US\n" },

    { "author", "meta|name=author|content=Ada Lovelace", "author=Ada Lovelace\n" },
    { "author: order of trust",
      "meta|itemprop=author|content=5\nmeta|property=article:author|content=4\nmeta|name=byl|content=3\n"
      "meta|name=author|content=2\nmeta|name=citation_author|content=1\njson:{\"@type\":\"Article\",\"author\":\"Zoe\"}", "author=Zoe\n" },
    { "authors", "meta|name=citation_author|content=Lovelace, Ada\nmeta|name=citation_author|content=Babbage, Charles\nmeta|name=citation_author|content=Lovelace, Ada", "author=Lovelace, Ada; Babbage, Charles\n" },
    { "authors of a better source replace", "meta|name=author|content=A\nmeta|name=author|content=B\nmeta|name=citation_author|content=C", "author=C\n" },
    { "authors of a worse source do not", "meta|name=citation_author|content=C\nmeta|name=author|content=A", "author=C\n" },
    { "author: a link does not count", "meta|property=article:author|content=https://www.facebook.com/ada\nmeta|name=byl|content=A", "author=A\n" },
    { "author: a link does not displace", "meta|name=author|content=A\nmeta|name=citation_author|content=http://a.b/", "author=A\n" },
    { "author: newsletters' is one line", "meta|name=sailthru.author|content=A\nmeta|name=sailthru.author|content=B", "author=A\n" },
    { "author: a byline's By goes", "meta|name=author|content=BY Ada By\nmeta|name=author|content=by", "author=Ada By\n" },
    { "author: JSON-LD's list", "json:{\"@type\":\"Article\",\"author\":[{\"name\":\"A\"},{\"name\":\"B\"}]}", "author=A; B\n" },
    { "author: the first article's", "json:{\"@type\":\"Article\",\"author\":\"A\"}\njson:{\"@type\":\"Article\",\"author\":\"B\"}", "author=A\n" },
    { "author: a page's", "json:{\"@type\":\"WebPage\",\"author\":\"A\"}", "author=A\n" },
    { "author: article before page", "json:{\"@type\":\"WebPage\",\"author\":\"A\"}\njson:{\"@type\":\"Article\",\"author\":\"B\"}", "author=B\n" },
    { "author: META before a page's", "json:{\"@type\":\"WebPage\",\"author\":\"A\"}\nmeta|name=author|content=B", "author=B\n" },
    { "author: microdata with content only", "span|itemprop=author\nspan|itemprop=name author|content=B", "author=B\n" },

    { "published", "meta|property=article:published_time|content=2017-06-05T12:30:00+0200", "published=2017-06-05T12:30:00+02:00\n" },
    { "published: order of trust",
      "meta|name=date|content=2006\ntime|pubdate=|datetime=2005\ntime|itemprop=datePublished|datetime=2004\nmeta|name=parsely-pub-date|content=2003\n"
      "meta|name=citation_publication_date|content=2002\nmeta|property=article:published_time|content=2001\njson:{\"@type\":\"Article\",\"datePublished\":\"2000\"}", "published=2000\n" },
    { "published: TIME with pubdate", "time|datetime=2001\ntime|pubdate=|datetime=2002\ntime|pubdate=|datetime=2003", "published=2002\n" },
    { "published: TIME with itemprop", "time|itemprop=dateModified|datetime=2001\ntime|itemprop=datePublished|datetime=2002", "published=2002\n" },
    { "published: content before datetime", "time|itemprop=datePublished|datetime=2001|content=2002", "published=2002\n" },
    { "published: TIME without either", "time|datetime=2001", "" },
    { "published: libraries' with a colon", "meta|property=DC:date.issued|content=2002\nmeta|name=dcterms:created|content=2003", "published=2002\n" },
    { "published: kept as it is", "meta|name=date|content= 05/06/2017  ", "published=05/06/2017\n" },
    { "published: the safe one wins", "json:{\"@type\":\"Article\",\"datePublished\":\"05/06/2017\"}\nmeta|name=date|content=5 June 2017", "published=2017-06-05\n" },
    { "published: the safe one stays", "meta|name=date|content=5 June 2017\njson:{\"@type\":\"Article\",\"datePublished\":\"05/06/2017\"}", "published=2017-06-05\n" },
    { "published: zeros", "meta|property=article:published_time|content=0000-00-00 00:00:00\nmeta|name=date|content=2001", "published=2001\n" },
    { "published: no date at all", "meta|name=date|content=never\nmeta|name=pubdate|content=5\nmeta|name=created|content=a text of more than 64 bytes that has a number like 2017 in it, 12:30", "" },

    { "modified: order of trust", "json:{\"@type\":\"WebPage\",\"dateModified\":\"2003\"}\njson:{\"@type\":\"Article\",\"dateModified\":\"2002\"}", "modified=2002\n" },
    { "modified: a page's", "json:{\"@type\":\"WebPage\",\"dateModified\":\"2003\"}", "modified=2003\n" },
    { "description: a page's", "json:{\"@type\":\"WebPage\",\"description\":\"D\",\"headline\":\"H\"}", "title=H\ndescription=D\n" },

    { "site name", "meta|property=og:site_name|content=S", "site=S\n" },
    { "site name: order of trust",
      "meta|name=apple-mobile-web-app-title|content=5\nmeta|name=application-name|content=4\n"
      "json:[{\"@type\":\"Article\",\"publisher\":{\"name\":\"3\"}},{\"@type\":\"WebSite\",\"name\":\"2\"}]\nmeta|property=og:site_name|content=1", "site=1\n" },
    { "site name: JSON-LD's site before its publisher", "json:[{\"@type\":\"Article\",\"publisher\":{\"name\":\"3\"}},{\"@type\":\"WebSite\",\"name\":\"2\"}]", "site=2\n" },
    { "site name: JSON-LD's publisher", "json:{\"@type\":\"Article\",\"publisher\":{\"name\":\"A &amp; B\"}}\nmeta|name=application-name|content=4", "site=A & B\n" },
    { "item properties on a link say nothing", "a|itemprop=author|href=/x\naddress|itemprop=description", "" },
    /* clang-format on */
};

/* Every name of META and its field. The value is valid for the field. */
static const struct {
    const char *name, *field;
} names[] = {
    /* clang-format off */
    { "apple-mobile-web-app-title", "site" }, { "application-name", "site" }, { "article:author", "author" },
    { "article:published_time", "published" }, { "author", "author" }, { "byl", "author" },
    { "citation_author", "author" }, { "citation_date", "published" }, { "citation_online_date", "published" },
    { "citation_publication_date", "published" }, { "citation_title", "title" }, { "content-language", "language" },
    { "created", "published" }, { "date", "published" }, { "dc.creator", "author" }, { "dc.date", "published" },
    { "dc.date.created", "published" }, { "dc.date.issued", "published" }, { "dc.description", "description" },
    { "dc.language", "language" }, { "dc.title", "title" }, { "dcterms.abstract", "description" },
    { "dcterms.created", "published" }, { "dcterms.creator", "author" }, { "dcterms.date", "published" },
    { "dcterms.description", "description" }, { "dcterms.issued", "published" }, { "dcterms.language", "language" },
    { "dcterms.title", "title" }, { "description", "description" }, { "displaydate", "published" },
    { "headline", "title" }, { "language", "language" }, { "og:article:published_time", "published" },
    { "og:description", "description" }, { "og:locale", "language" }, { "og:published_time", "published" },
    { "og:site_name", "site" }, { "og:title", "title" }, { "og:url", "canonical" },
    { "originalpublicationdate", "published" }, { "parsely-author", "author" }, { "parsely-pub-date", "published" },
    { "pubdate", "published" }, { "publication_date", "published" }, { "publicationdate", "published" },
    { "publish-date", "published" }, { "publish_date", "published" }, { "publishdate", "published" },
    { "published_time", "published" }, { "rnews:datepublished", "published" }, { "sailthru.author", "author" },
    { "sailthru.date", "published" }, { "sailthru.description", "description" }, { "sailthru.title", "title" },
    { "title", "title" }, { "twitter:description", "description" }, { "twitter:title", "title" },
    /* clang-format on */
};

enum { MAX_ATTRIBUTES = 8, MAX_OUTPUT = 16384 };

/* Bytes up to the next `stop`, which is passed; at the end of the text all. */
static th_view take_until(const char **at, const char *end, char stop)
{
    const char *start = *at;
    const char *found = memchr(start, stop, (size_t)(end - start));
    *at = found ? found + 1 : end;
    return (th_view){ start, (size_t)((found ? found : end) - start) };
}

static void report_tag(th_metadata_collector *collector, th_view line)
{
    th_attribute attrs[MAX_ATTRIBUTES];
    size_t count = 0;
    const char *at = line.data, *end = line.data + line.len;
    const th_tag tag = th_tag_of(take_until(&at, end, '|'));
    while (at < end) {
        const th_view attribute = take_until(&at, end, '|');
        const char *value = attribute.data;
        assert_true(count < MAX_ATTRIBUTES);
        attrs[count].name = take_until(&value, attribute.data + attribute.len, '=');
        attrs[count].value =
            (th_view){ value, (size_t)(attribute.data + attribute.len - value) };
        count++;
    }
    th_metadata_tag(collector, tag, attrs, count);
    th_fact_marks *const marks = th_metadata_marks(collector);
    const uint64_t bits = th_attribute_bits(attrs, count);
    const th_attribute *class = th_attribute_find(attrs, count, TH_VIEW("class"));
    const uint32_t class_roles =
        class && th_fact_asks_class(marks, tag, 0) ? th_class_roles(class->value) : 0;
    const uint32_t mark =
        th_fact_may_be(marks, tag, bits, 0)
            ? th_fact_marks_open(marks, tag, attrs, count, class_roles, 0)
            : 0;
    if (mark)
        th_fact_marks_close(marks, mark, 0);
}

static bool starts_with(th_view line, const char *start)
{
    return line.len >= strlen(start) && memcmp(line.data, start, strlen(start)) == 0;
}

static void report(th_metadata_collector *collector, const char *page, size_t len)
{
    const char *at = page;
    while (at < page + len) {
        const th_view line = take_until(&at, page + len, '\n');
        if (starts_with(line, "title:"))
            th_metadata_text(collector, TH_TAG_TITLE,
                             (th_view){ line.data + 6, line.len - 6 });
        else if (starts_with(line, "json:"))
            th_metadata_text(collector, TH_TAG_SCRIPT,
                             (th_view){ line.data + 5, line.len - 5 });
        else
            report_tag(collector, line);
    }
}

static size_t write_field(char *out, const char *name, th_view value)
{
    if (!value.data)
        return 0;
    assert_true(value.len > 0);
    assert_int_equal(th_utf8_valid(value.data, value.len), value.len);
    return (size_t)sprintf(out, "%s=%.*s\n", name, (int)value.len, value.data);
}

static void write_metadata(const th_metadata *metadata, char out[MAX_OUTPUT])
{
    size_t len = write_field(out, "title", metadata->title);
    len += write_field(out + len, "author", metadata->author);
    len += write_field(out + len, "published", metadata->published);
    len += write_field(out + len, "modified", metadata->modified);
    len += write_field(out + len, "description", metadata->description);
    len += write_field(out + len, "canonical", metadata->canonical_url);
    len += write_field(out + len, "language", metadata->language);
    len += write_field(out + len, "site", metadata->site_name);
    out[len] = '\0';
}

static char *heap_copy(const char *bytes, size_t len)
{
    char *copy = malloc(len ? len : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, len);
    return copy;
}

/* The page is an exact-size copy that is freed before the result is checked. */
static void read_page(const char *page, char out[MAX_OUTPUT])
{
    th_arena *arena = th_arena_new(0);
    th_metadata_collector *collector = th_metadata_begin(arena);
    assert_non_null(collector);
    char *copy = heap_copy(page, strlen(page));
    report(collector, copy, strlen(page));
    free(copy);
    th_metadata metadata;
    const th_metadata_page facts = { .url = TH_VIEW(BASE), .base = TH_VIEW(BASE) };
    th_metadata_finish(collector, &facts, &metadata);
    write_metadata(&metadata, out);
    th_arena_free(arena);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    char out[MAX_OUTPUT];
    read_page(row->page, out);
    assert_string_equal(out, row->want);
}

static void every_name_is_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *const field = names[i].field;
        const char *value = "value";
        if (strcmp(field, "published") == 0)
            value = "2017-06-05";
        else if (strcmp(field, "language") == 0)
            value = "en";
        else if (strcmp(field, "canonical") == 0)
            value = "http://a/";
        char page[128], want[128], out[MAX_OUTPUT];
        (void)snprintf(page, sizeof page, "meta|name=%s|content=%s", names[i].name,
                       value);
        (void)snprintf(want, sizeof want, "%s=%s\n", field, value);
        read_page(page, out);
        assert_string_equal(out, want);
    }
}

/* A text of `count` times "€", three bytes each. */
static void values_are_capped(void **state)
{
    (void)state;
    static const struct {
        const char *start;
        size_t want; /* bytes */
    } fields[] = { { "title:", 1023 },
                   { "meta|name=description|content=", 4095 },
                   { "meta|name=author|content=", 510 },
                   { "meta|property=og:site_name|content=", 510 } };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        char page[6100], out[MAX_OUTPUT];
        size_t len = (size_t)sprintf(page, "%s", fields[i].start);
        for (size_t j = 0; j < 2000; j++)
            len += (size_t)sprintf(page + len, "\xE2\x82\xAC");
        read_page(page, out);
        assert_int_equal(strlen(strchr(out, '=') + 1) - 1, fields[i].want);
    }
}

static void author_list_is_capped(void **state)
{
    (void)state;
    char page[20000], out[MAX_OUTPUT];
    size_t len = 0;
    for (unsigned i = 0; i < 400; i++)
        len += (size_t)sprintf(page + len, "meta|name=author|content=Name %u\n", i);
    read_page(page, out);
    assert_non_null(strstr(out, "Name 14; Name 15\n")); /* 16 names */
    len = 0;
    for (int c = 'a'; c < 'e'; c++) { /* names of 200 bytes: two of them fit */
        len += (size_t)sprintf(page + len, "meta|name=author|content=");
        memset(page + len, c, 200);
        len += 200;
        page[len++] = '\n';
    }
    page[len] = '\0';
    read_page(page, out);
    assert_int_equal(strlen(out), strlen("author=") + 200 + 2 + 200 + 1);
}

static void long_canonical_is_none(void **state)
{
    (void)state;
    char *page = malloc(10000), out[MAX_OUTPUT];
    assert_non_null(page);
    size_t len = (size_t)sprintf(page, "link|rel=canonical|href=");
    memset(page + len, 'x', 8193);
    page[len + 8193] = '\0';
    read_page(page, out);
    assert_string_equal(out, "");
    free(page);
}

/* Many blocks share one MiB, and the following blocks are not read. */
static void json_ld_is_capped(void **state)
{
    (void)state;
    static const size_t paddings[] = { (1 << 20) - 200, 1 << 20 };
    for (size_t i = 0; i < 2; i++) {
        char *page = malloc((1 << 20) + 400), out[MAX_OUTPUT];
        assert_non_null(page);
        memset(page + sprintf(page, "json:"), ' ', 1 << 20);
        (void)sprintf(page + 5 + paddings[i],
                      "\njson:{\"@type\":\"Article\",\"author\":\"A\"}");
        read_page(page, out);
        assert_string_equal(out, i == 0 ? "author=A\n" : "");
        free(page);
    }
}

static void only_json_ld_is_wanted(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        bool want;
    } types[] = { { "application/ld+json", true },
                  { " Application/LD+JSON ", true },
                  { "application/ld+json; charset=utf-8", true },
                  { "application/json", false },
                  { "text/javascript", false },
                  { "application/ld+jsonx", false },
                  { "", false } };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const th_attribute attrs[] = {
            { TH_VIEW("id"), TH_VIEW("x") },
            { TH_VIEW("type"), { types[i].type, strlen(types[i].type) } },
        };
        assert_int_equal(th_metadata_wants_script(attrs, 2), types[i].want);
        assert_false(th_metadata_wants_script(attrs, 1));
    }
    assert_false(th_metadata_wants_script(NULL, 0));
}

/* Without a base nothing relative can be canonical. */
static void base_may_be_absent(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    th_metadata_collector *collector = th_metadata_begin(arena);
    assert_non_null(collector);
    static const char page[] =
        "link|rel=canonical|href=/c\nmeta|property=og:url|content=http://a/b";
    report(collector, page, sizeof page - 1);
    th_metadata metadata;
    th_metadata_finish(collector, &(th_metadata_page){ .url = { NULL, 0 } }, &metadata);
    assert_int_equal(metadata.canonical_url.len, 10);
    assert_memory_equal(metadata.canonical_url.data, "http://a/b", 10);
    th_arena_free(arena);
}

/* If any allocation fails, the other values are right. */
static void memory_may_run_out(void **state)
{
    (void)state;
    static const char page[] =
        "title:T\nhtml|lang=en\nmeta|name=description|content=D\n"
        "meta|name=author|content=A\nlink|rel=canonical|href=c\n"
        "json:{\"@type\":\"Article\",\"author\":\"B\",\"datePublished\":\"2017\"}";
    for (size_t limit = 1; limit < 30000; limit += limit < 2000 ? 1 : 301) {
        th_arena *arena = th_arena_new(limit);
        th_metadata_collector *collector = th_metadata_begin(arena);
        if (collector) {
            char out[MAX_OUTPUT];
            th_metadata metadata;
            report(collector, page, sizeof page - 1);
            th_metadata_finish(collector, &(th_metadata_page){ .base = TH_VIEW(BASE) },
                               &metadata);
            write_metadata(&metadata, out);
        }
        th_arena_free(arena);
    }
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof rows[0] };
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(every_name_is_known),
        cmocka_unit_test(values_are_capped),
        cmocka_unit_test(author_list_is_capped),
        cmocka_unit_test(long_canonical_is_none),
        cmocka_unit_test(json_ld_is_capped),
        cmocka_unit_test(base_may_be_absent),
        cmocka_unit_test(only_json_ld_is_wanted),
        cmocka_unit_test(memory_may_run_out),
    };
    enum { OTHERS = sizeof others / sizeof others[0] };
    static struct CMUnitTest tests[ROWS + OTHERS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    memcpy(tests + ROWS, others, sizeof others);
    return cmocka_run_group_tests_name("metadata", tests, NULL, NULL);
}
