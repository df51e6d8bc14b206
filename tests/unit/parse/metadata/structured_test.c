/* Structured data of pages: statements, limits, memory. */
#include "parse/metadata/structured.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "thresher/options.h"
#include "thresher/parse.h"

/* A page and its statements, one in a line: "list item property value" or "... > ref". */
static const struct row {
    const char *name, *page, *want;
} rows[] = {
    /* clang-format off */
    { "nothing", "<p class=a>text <a href=/b>b</a> <img src=c>", "" },

    { "JSON-LD is compact", "<script type=application/ld+json>\n{ \"a\" : [1, 2.50, true, null, {}] ,\n\"b\":\"x\\u00e4\\n\" }</script>",
      "json_ld - - {\"a\":[1,2.50,true,null,{}],\"b\":\"xä\\n\"}\n" },
    { "JSON-LD in CDATA", "<script type=application/ld+json>//<![CDATA[\n[]\n//]]></script>", "json_ld - - []\n" },
    { "JSON-LD that is not JSON", "<script type=application/ld+json>{\"a\":}</script><script type=application/ld+json>{\"a\":1", "cut\n" },
    { "empty JSON-LD", "<script type=application/ld+json> </script>", "" },

    { "microdata", "<div itemscope itemtype='T U'><b itemprop='a b'>x\n <i>y</i></b><p itemprop=c><i>1</i><p>2",
      "microdata _:0 @type T\nmicrodata _:0 @type U\nmicrodata _:0 a x y\nmicrodata _:0 b x y\nmicrodata _:0 c 1\n" },
    { "microdata: items in items", "<div itemscope><div itemprop=a itemscope itemtype=T><b itemprop=n>x</b></div><b itemprop=m>y</b></div><b itemprop=o>z</b>",
      "microdata _:0 a > _:1\nmicrodata _:1 @type T\nmicrodata _:1 n x\nmicrodata _:0 m y\n" },
    { "microdata: values of elements",
      "<html itemscope itemid=/i><meta itemprop=a content=' c '><link itemprop=b href=l><a itemprop=c href=//h/>t</a><img itemprop=d src=s><time itemprop=e datetime=2024>t</time><time itemprop=f>t</time>"
      "<data itemprop=g value=5>t</data><span itemprop=h content=v>t</span><span itemprop=i content=''>t</span><a itemprop=j>t</a><object itemprop=k data=o></object>",
      "microdata http://a.example/i a c\nmicrodata http://a.example/i b http://a.example/b/l\nmicrodata http://a.example/i c http://h/\nmicrodata http://a.example/i d http://a.example/b/s\n"
      "microdata http://a.example/i e 2024\nmicrodata http://a.example/i f t\nmicrodata http://a.example/i g 5\nmicrodata http://a.example/i h v\nmicrodata http://a.example/i i t\n"
      "microdata http://a.example/i j \nmicrodata http://a.example/i k http://a.example/b/o\n" },
    { "microdata: hidden text, but no script", "<div itemscope><p itemprop=a hidden>x<script>s</script><style>t</style>y", "microdata _:0 a xy\n" },
    { "microdata: not in a template", "<template><div itemscope itemtype=T></div></template><noscript><b itemscope itemtype=T></b></noscript>", "" },

    { "RDFa Lite", "<body vocab=http://schema.org/ typeof=Person><b property=name>x <i>y</i></b><a property=url href=/u>t</a>"
      "<div property=knows typeof=Person resource=#p><b property=name>z</b></div>",
      "rdfa _:0 @type http://schema.org/Person\nrdfa _:0 http://schema.org/name x y\nrdfa _:0 http://schema.org/url > http://a.example/u\n"
      "rdfa http://a.example/b/c#p @type http://schema.org/Person\nrdfa _:0 http://schema.org/knows > http://a.example/b/c#p\nrdfa http://a.example/b/c#p http://schema.org/name z\n" },
    { "RDFa: prefixes", "<div prefix='e: http://e/'><b property=e:a>1</b><b property=dc:title content=2></b><b property=f:x>3</b></div><b property=e:a>4</b><div xmlns:g=http://g/><b property=g:h>5</b></div><b property=term>6</b>",
      "rdfa http://a.example/b/c http://e/a 1\nrdfa http://a.example/b/c http://purl.org/dc/terms/title 2\nrdfa http://a.example/b/c f:x 3\nrdfa http://a.example/b/c e:a 4\nrdfa http://a.example/b/c http://g/h 5\n" },
    { "RDFa: relations", "<div about=/a prefix='e: http://e/'><a rel=e:r href=/o>t</a><a rev=e:s href=/o>t</a><p rel=e:k><b about=/x></b><b about=/y></b></p><p rel=e:l><i property=e:n>z</i></p></div><a rel=nofollow href=/>t</a>",
      "rdfa http://a.example/a http://e/r > http://a.example/o\nrdfa http://a.example/o http://e/s > http://a.example/a\nrdfa http://a.example/a http://e/k > http://a.example/x\n"
      "rdfa http://a.example/a http://e/k > http://a.example/y\nrdfa http://a.example/a http://e/l > _:1\nrdfa _:1 http://e/n z\n" },
    { "RDFa: CURIEs as resources", "<b about=[dc:x] property=dc:y resource=_:n>t</b><b about=[unknown:x] property=dc:z>u</b><b about=' [dc:v] ' property=dc:w>s",
      "rdfa http://purl.org/dc/terms/x http://purl.org/dc/terms/y > _:n\nrdfa http://a.example/b/c http://purl.org/dc/terms/z u\nrdfa http://purl.org/dc/terms/v http://purl.org/dc/terms/w s\n" },

    { "OpenGraph, cards", "<meta property=og:title content='a  b'><meta name=twitter:card content=c><meta property=twitter:site content=d><meta name=og:x content=e><meta name=description content=f>",
      "opengraph - og:title a b\nopengraph - og:x e\ntwitter - twitter:card c\ntwitter - twitter:site d\n" },
    { "feeds, languages", "<link rel=alternate type=application/atom+xml title=F href=/f><link rel='x alternate' hreflang=de href=/de><link rel=alternate media=print href=/p><link rel=next type=application/rss+xml href=/n>",
      "feeds - application/atom+xml F > http://a.example/f\nalternates - de - > http://a.example/de\n" },
    { "tags", "<meta name=keywords content='a, b ,,a'><meta property=article:tag content=c><script type=application/ld+json>{\"@graph\":[{\"keywords\":[\"d\",\"b\"],\"about\":{\"keywords\":\"no\"}}]}</script>",
      "json_ld - - {\"@graph\":[{\"keywords\":[\"d\",\"b\"],\"about\":{\"keywords\":\"no\"}}]}\nopengraph - article:tag c\ntags - - a\ntags - - b\ntags - - c\ntags - - d\n" },
    { "section and image of JSON-LD", "<link rel=image_src href=/l><script type=application/ld+json>[{\"articleSection\":\"S\",\"image\":[{\"@type\":\"ImageObject\",\"url\":\"/i\"},\"j\"]}]</script>",
      "json_ld - - [{\"articleSection\":\"S\",\"image\":[{\"@type\":\"ImageObject\",\"url\":\"/i\"},\"j\"]}]\nsection S\nimage http://a.example/i\n" },
    { "section and image of META", "<script type=application/ld+json>{\"image\":\"/j\"}</script><meta name=twitter:image content=/t><meta property=og:image content=/o><meta property=article:section content=M>",
      "json_ld - - {\"image\":\"/j\"}\nopengraph - og:image /o\nopengraph - article:section M\ntwitter - twitter:image /t\nsection M\nimage http://a.example/o\n" },
    /* clang-format on */
};

static void print_view(th_buffer *out, const char *before, th_view view)
{
    th_buffer_append_text(out, before);
    th_buffer_append_view(out, view.data ? view : TH_VIEW("-"));
}

static void print(th_buffer *out, const th_page *page)
{
    static const char *const names[] = { "json_ld",    "microdata", "rdfa",
                                         "opengraph",  "twitter",   "feeds",
                                         "alternates", "tags" };
    const th_structured *const structured = page->structured;
    for (unsigned list = 0; list < TH_STRUCTURED_LISTS; list++)
        for (uint32_t i = 0; i < structured->counts[list]; i++) {
            const th_statement *const row = &structured->rows[list][i];
            const bool is_link = row->ref.data && !row->item.data;
            th_buffer_append_text(out, names[list]);
            print_view(out, " ", row->item);
            print_view(out, " ", row->property);
            if (row->value.data || is_link)
                print_view(out, " ", row->value);
            if (row->ref.data)
                print_view(out, " > ", row->ref);
            th_buffer_append_char(out, '\n');
        }
    if (structured->section.data)
        print_view(out, "section ", structured->section);
    if (structured->section.data)
        th_buffer_append_char(out, '\n');
    if (structured->image.data)
        print_view(out, "image ", structured->image);
    if (structured->image.data)
        th_buffer_append_char(out, '\n');
    if (page->flags & TH_FLAG_STRUCTURED_CUT)
        th_buffer_append_text(out, "cut\n");
}

/* A parser that reads structured data, and its page. */
struct fixture {
    th_options opt;
    th_parser *parser;
    th_arena *arena;
};

static int set_up(void **state)
{
    struct fixture *const fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    th_options_init(&fixture->opt);
    fixture->opt.reads = TH_READS_STRUCTURED;
    fixture->parser = th_parser_new(&fixture->opt);
    fixture->arena = th_arena_new(0);
    assert_true(fixture->parser && fixture->arena);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *const fixture = *state;
    th_parser_free(fixture->parser);
    th_arena_free(fixture->arena);
    free(fixture);
    return 0;
}

static th_page *parse(struct fixture *fixture, th_view html)
{
    const th_document document = { .bytes = html,
                                   .url = TH_VIEW("http://a.example/b/c"),
                                   .charset = TH_VIEW("utf-8") };
    th_page *page = NULL;
    th_arena_reset(fixture->arena);
    assert_int_equal(
        th_parse_html(fixture->parser, &document, fixture->arena, &page, NULL, NULL),
        TH_OK);
    assert_non_null(page->structured);
    return page;
}

static void every_row(void **state)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_buffer out = { 0 };
        print(&out, parse(*state, (th_view){ rows[i].page, strlen(rows[i].page) }));
        th_buffer_append_char(&out, '\0');
        if (strcmp(out.data, rows[i].want) != 0)
            fail_msg("%s:\n%s\nwanted:\n%s", rows[i].name, out.data, rows[i].want);
        th_buffer_done(&out);
    }
}

/* Without the request nothing is read. */
static void only_on_request(void **state)
{
    struct fixture *const fixture = *state;
    th_page *page = NULL;
    const th_document document = { .bytes = TH_VIEW("<meta property=og:a content=b>") };
    fixture->opt.reads = 0;
    th_parser *const parser = th_parser_new(&fixture->opt);
    assert_int_equal(th_parse_html(parser, &document, fixture->arena, &page, NULL, NULL),
                     TH_OK);
    assert_null(page->structured);
    th_parser_free(parser);
}

/* Repeats a text in a page. */
static th_page *parse_many(struct fixture *fixture, const char *start, const char *again,
                           unsigned times)
{
    th_buffer html = { 0 };
    th_buffer_append_text(&html, start);
    for (unsigned i = 0; i < times; i++)
        th_buffer_append_text(&html, again);
    th_page *const page = parse(fixture, th_buffer_view(&html));
    th_buffer_done(&html);
    return page;
}

static void limits(void **state)
{
    const th_page *page = parse_many(*state, "<div itemscope>", "<b itemprop=a>x</b>",
                                     TH_STATEMENTS_MAX + 1);
    assert_int_equal(page->structured->counts[TH_STRUCTURED_MICRODATA],
                     TH_STATEMENTS_MAX);
    assert_true(page->flags & TH_FLAG_STRUCTURED_CUT);

    page = parse_many(*state, "<div itemscope><b itemprop=a>", "0123456789abcdef",
                      TH_STATEMENT_VALUE_MAX / 16 + 1);
    assert_int_equal(page->structured->rows[TH_STRUCTURED_MICRODATA][0].value.len,
                     TH_STATEMENT_VALUE_MAX);
    assert_true(page->flags & TH_FLAG_STRUCTURED_CUT);

    page = parse_many(*state, "<div itemscope>", "<p itemprop=a>0123456789abcdef",
                      TH_STATEMENT_VALUE_MAX);
    size_t bytes = 0;
    for (uint32_t i = 0; i < page->structured->counts[TH_STRUCTURED_MICRODATA]; i++)
        bytes += page->structured->rows[TH_STRUCTURED_MICRODATA][i].value.len;
    assert_true(bytes <= TH_STATEMENT_BYTES_MAX);
    assert_true(page->flags & TH_FLAG_STRUCTURED_CUT);

    page = parse_many(*state, "", "<div itemscope itemprop=a>", 300);
    assert_true(page->flags & TH_FLAG_STRUCTURED_CUT);
    page = parse_many(*state, "<script type=application/ld+json>", "[", 65);
    assert_int_equal(page->structured->counts[TH_STRUCTURED_JSON_LD], 0);
    assert_true(page->flags & TH_FLAG_STRUCTURED_CUT);
    page =
        parse_many(*state, "<meta name=keywords content='a,", "0,1,2,3,4,5,6,7,8,9,", 1);
    assert_false(page->flags & TH_FLAG_STRUCTURED_CUT);
}

/* An arena that is full fails the page, and nothing else. */
static void without_memory(void **state)
{
    struct fixture *const fixture = *state;
    bool has_passed = false;
    for (size_t limit = 4096; !has_passed && limit < (1u << 22); limit += 8192) {
        th_arena *const arena = th_arena_new(limit);
        assert_non_null(arena);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const th_document document = { .bytes = { rows[i].page,
                                                      strlen(rows[i].page) },
                                           .url = TH_VIEW("http://a.example/b/c"),
                                           .charset = TH_VIEW("utf-8") };
            th_page *page = NULL;
            th_arena_reset(arena);
            const th_status status =
                th_parse_html(fixture->parser, &document, arena, &page, NULL, NULL);
            assert_true(status == TH_TOO_LARGE || page->structured);
            has_passed = status == TH_OK;
        }
        th_arena_free(arena);
    }
    assert_true(has_passed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_row, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_on_request, set_up, tear_down),
        cmocka_unit_test_setup_teardown(limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
