/* Events in, blocks out. Limits set flags and lose no text. */
#include "parse/page_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parse/page_check.h"

/*
 * Events in short: "<tag name=value>" and "</tag>" are in the source, "{tag}" and
 * "{/tag}" are implied, and the rest is text. Values have no spaces; '_' is a space.
 */
static const struct row {
    const char *name, *events, *blocks;
} rows[] = {
    /* clang-format off */
    { "no text",             "<html><body><p></p></body></html>", "" },
    { "text alone",          "foo bar",           "foo bar|2 0 1 2||html\n" },
    { "a gap",               "<p>a</p>\n <p>b",   "a|1 0 1 1|p|p\nb|1 0 1 1|/p p|p\n" },
    { "a space is not text", "<p>a</p>\u00A0<p>b", "a|1 0 1 1|p|p\nb|1 0 1 1|/p p|p\n" },
    { "A makes no gap",      "<p>foo<a>bar</a> baz", "foobar baz|2 0 1 2|p|p\n" },
    { "A counts as linked",  "<p>x <a>y z</a>",   "x y z|3 2 1 3|p|p\n" },
    { "A is part of a gap",  "<p>x<a></a><br><a>y</a>", "x|1 0 1 1|p|p\ny|1 1 1 1|a /a br a|p\n" },
    { "A before text only",  "<a>x</a>",          "x|1 1 1 1||html\n" },
    { "A encloses nothing",  "<div><a>x</a>y<br>z", "xy|1 1 1 1|div a|div\nz|1 0 1 1|br|div\n" },
    { "void elements",       "a<br>b<img>c<wbr>d<hr>e", "a|1 0 1 1||html\nb|1 0 1 1|br|html\nc|1 0 1 1|img|html\nd|1 0 1 1|wbr|html\ne|1 0 1 1|hr|html\n" },
    { "inline makes a gap",  "foo <b>bar</b>",    "foo|1 0 1 1||html\nbar|1 0 1 1|b|b\n" },
    { "implied makes none",  "{p}foo{b}bar{/b}baz{/p}", "foobarbaz|1 0 1 1||p\n" },
    { "an implied PRE parts text", "a b{pre}c\n d", "a b|2 0 1 2||html\nc\n d|2 0 1 2||pre\n" },
    { "stray end tag",       "a</b>b",            "a|1 0 1 1||html\nb|1 0 1 1|/b|html\n" },
    { "unknown tag",         "<x-y>a</x-y>",      "a|1 0 1 1|*|*\n" },
    { "end closes inner",    "<div><p><b>a</div>b", "a|1 0 1 1|div p b|b\nb|1 0 1 1|/div|html\n" },
    { "body stays open",     "<html><body>a</body></html>b", "a|1 0 1 1|html body|body\nb|1 0 1 1|/body /html|body\n" },
    { "second body",         "<body>a<body>b</body>c", "a|1 0 1 1|body|body\nb|1 0 1 1|body|body\nc|1 0 1 1|/body|body\n" },
    { "sign only",           "<p>|</p>",          "||0 0 1 0|p|p\n" },
    { "trailing gap",        "a<br></p><p>",      "a|1 0 1 1||html\n" },

    { "script",              "a<script>b</script>c", "a|1 0 1 1||html\nc|1 0 1 1|script /script|html\n" },
    { "tags inside hidden",  "a<noscript><p>b</p></noscript>c", "a|1 0 1 1||html\nc|1 0 1 1|noscript /noscript|html\n" },
    { "nested in hidden",    "<svg><svg>a</svg>b</svg>c", "c|1 0 1 1|svg /svg|html\n" },
    { "title, option, textarea", "<title>a</title><option>b</option><textarea>c</textarea>d", "d|1 0 1 1|title /title option /option textarea /textarea|html\n" },
    { "hidden",              "<p hidden>a</p>b",  "b|1 0 1 1|p /p|html\n" },
    { "until-found",         "<p hidden=until-found>a", "a|1 0 1 1|p|p\n" },
    { "aria-hidden",         "<p aria-hidden=True>a</p><p aria-hidden=false>b", "b|1 0 1 1|p /p p|p\n" },
    { "display:none",        "<p style=color:red;_DISPLAY:_None_!important>a</p>b", "b|1 0 1 1|p /p|html\n" },
    { "visibility:hidden",   "<p style=visibility:hidden>a</p>b", "b|1 0 1 1|p /p|html\n" },
    { "display set back",    "<p style=display:none;display:block>a", "a|1 0 1 1|p|p\n" },
    { "not that style",      "<p style=xdisplay:none>a<p style=display:nonee>b", "a|1 0 1 1|p|p\nb|1 0 1 1|p|p\n" },
    { "hidden void",         "<br hidden>a",      "a|1 0 1 1|br|html\n" },
    { "hidden A",            "foo<a hidden>x</a>bar", "foobar|1 0 1 1||html\n" },
    { "hidden body",         "<body style=display:none>a", "a|1 0 1 1|body|body\n" },
    { "mis-nested hidden",   "<div><p hidden>a</div>b", "b|1 0 1 1|div p /div|html\n" },
    { "implied end unhides", "<p hidden>a{/p}<p>b", "b|1 0 1 1|p p|p\n" },
    { "hidden in hidden",    "<p hidden><b hidden>a</b>b</p>c", "c|1 0 1 1|p /p|html\n" },
    { "stray end tag in hidden", "<p hidden>a</b></i>b</p>c", "c|1 0 1 1|p /p|html\n" },
    { "never closed",        "a<svg>b",           "a|1 0 1 1||html\n" },
    { "cut code point",      "<p>a\xE4\xB8</p>\xADx", "a\uFFFD|1 0 1 1|p|p\n\uFFFDx|1 0 1 1|/p|html\n" },
    { "only half a code point", "<p>\xE4</p>",    "\uFFFD|0 0 1 0|p|p\n" },
    /* clang-format on */
};

/* ---- events ------------------------------------------------------------------------ */

enum { ATTRIBUTES = 8 };

static void tag_event(th_builder *builder, char *text, unsigned how)
{
    th_attribute attrs[ATTRIBUTES];
    size_t count = 0;
    char *rest = NULL;
    const char *name = strtok_r(text, " ", &rest);
    for (char *part; (part = strtok_r(NULL, " ", &rest)) && count < ATTRIBUTES;) {
        for (char *c = part; *c; c++)
            *c = *c == '_' ? ' ' : *c;
        char *value = strchr(part, '=');
        const size_t len = value ? (size_t)(value - part) : strlen(part);
        value = value ? value + 1 : part + len;
        attrs[count++] = (th_attribute){ { part, len }, { value, strlen(value) } };
    }
    if (*name == '/')
        th_builder_end_tag(builder, th_tag_of((th_view){ name + 1, strlen(name + 1) }),
                           how);
    else
        th_builder_start_tag(builder, th_tag_of((th_view){ name, strlen(name) }), attrs,
                             count, th_attribute_bits(attrs, count), how);
}

/* Feeds the events, texts in steps of `step` bytes. */
static void feed(th_builder *builder, const char *events, size_t step)
{
    while (*events) {
        size_t len = strcspn(events, "<{");
        if (len == 0) {
            len = strcspn(events, ">}");
            char *tag = strndup(events + 1, len - 1);
            tag_event(builder, tag, *events == '{' ? TH_TAG_IMPLIED : TH_TAG_IN_SOURCE);
            free(tag);
            events += len + 1;
            continue;
        }
        len = len < step ? len : step;
        char *exact = malloc(len);
        memcpy(exact, events, len);
        th_builder_text(builder, exact, len);
        free(exact);
        events += len;
    }
}

/* One builder for all tests, with limits that a test may set; and two arenas. */
static th_options opt;
static th_builder *builder;
static th_arena *arena, *other;

static int set_up(void **state)
{
    (void)state;
    th_options_init(&opt);
    builder = th_builder_new(&opt);
    arena = th_arena_new(0);
    other = th_arena_new(0);
    return !builder || !arena || !other;
}

static int tear_down(void **state)
{
    (void)state;
    th_builder_free(builder);
    th_arena_free(arena);
    th_arena_free(other);
    return 0;
}

static int reset_options(void **state)
{
    (void)state;
    th_options_init(&opt);
    return 0;
}

static th_page *build_cut(th_arena *into, const char *events, size_t step)
{
    const th_document document = { .url = TH_VIEW("http://example.org/a/b") };
    th_page *page = NULL;
    th_arena_reset(into);
    assert_int_equal(th_builder_begin(builder, into, &document), TH_OK);
    feed(builder, events, step);
    assert_int_equal(th_builder_finish(builder, &page), TH_OK);
    check_page(page);
    return page;
}

static th_page *build(const char *events)
{
    return build_cut(arena, events, SIZE_MAX);
}

static void assert_blocks(const th_page *page, const char *want)
{
    char *blocks = dump_blocks(page);
    assert_string_equal(blocks, want);
    free(blocks);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    const th_page *page = build(row->events);
    assert_blocks(page, row->blocks);
    assert_int_equal(page->flags & ~(unsigned)TH_FLAG_HIDDEN_TEXT, 0);
    for (size_t step = 1; step < 4; step++)
        check_same_page(page, build_cut(other, row->events, step));
}

/* ---- nodes, links, metadata -------------------------------------------------------- */

static void nodes_have_extents(void **state)
{
    (void)state;
    const th_page *page = build("<body><div>a<p>b</p><i></i></div><a>c</a>d<br>e");
    static const th_node want[] = {
        { TH_NONE, 0, 4, TH_TAG_HTML, 0 }, { 0, 0, 4, TH_TAG_BODY, 1 },
        { 1, 0, 2, TH_TAG_DIV, 2 },        { 2, 1, 2, TH_TAG_P, 3 },
        { 2, 2, 2, TH_TAG_I, 3 },          { 1, 2, 3, TH_TAG_A, 2 },
        { 1, 3, 3, TH_TAG_BR, 2 },
    };
    assert_int_equal(page->node_count, sizeof want / sizeof *want);
    for (uint32_t i = 0; i < page->node_count; i++) {
        assert_int_equal(page->nodes[i].parent, want[i].parent);
        assert_int_equal(page->nodes[i].first_block, want[i].first_block);
        assert_int_equal(page->nodes[i].end_block, want[i].end_block);
        assert_int_equal(page->nodes[i].tag, want[i].tag);
        assert_int_equal(page->nodes[i].depth, want[i].depth);
    }
}

static void hidden_elements_are_nodes_their_content_is_not(void **state)
{
    (void)state;
    const th_page *page = build("<svg><path></path><g></g></svg><p>x");
    assert_int_equal(page->node_count, 3); /* html, svg, p */
}

static const struct link_row {
    const char *name, *events, *url, *anchor;
    uint32_t block;
    int is_internal;
} links[] = {
    /* clang-format off */
    { "link, relative",      "<p>x <a href=c>y z</a> w",        "http://example.org/a/c", "y z", 0, 1 },
    { "link, other host",    "<a href=http://example.com/>y",   "http://example.com/", "y", 0, 0 },
    { "link, same host with port", "<a href=http://example.org:80/x>y", "http://example.org:80/x", "y", 0, 1 },
    { "link, no text",       "<a href=c><img></a>",             "http://example.org/a/c", "", TH_NONE, 1 },
    { "link over blocks",    "<p>x</p><a href=c><b>y</b><p>z</p></a>", "http://example.org/a/c", "y\n\nz", 1, 1 },
    { "link inside a word",  "x<a href=c>y</a>z",               "http://example.org/a/c", "y", 0, 1 },
    { "area",                "<area href=c>",                   "http://example.org/a/c", "", TH_NONE, 1 },
    { "base",                "<base href=http://example.com/d/><base href=/e/><a href=c>x", "http://example.com/d/c", "x", 0, 0 },
    { "hidden link",         "<p hidden><a href=c>x</a></p>",   "http://example.org/a/c", "", TH_NONE, 1 },
    { "mail",                "<a href=mailto:a@b>x",            "mailto:a@b", "x", 0, 0 },
    /* clang-format on */
};

static void link_holds(void **state)
{
    const struct link_row *row = *state;
    const th_page *page = build(row->events);
    assert_int_equal(page->link_count, 1);
    const th_link *link = &page->links[0];
    assert_int_equal(link->url.len, strlen(row->url));
    assert_memory_equal(link->url.data, row->url, link->url.len);
    assert_int_equal(link->anchor_len, strlen(row->anchor));
    if (link->anchor_len)
        assert_memory_equal(page->text.data + link->anchor_start, row->anchor,
                            link->anchor_len);
    assert_int_equal(link->block, row->block);
    assert_int_equal(link->is_internal, row->is_internal);
}

static void what_is_no_link(void **state)
{
    (void)state;
    const th_page *page =
        build("<a name=x>a</a><a href=_JavaScript:x>b</a><a href=data:,x>c"
              "</a><svg><a href=x>d</a></svg><noscript><a href=y>e");
    assert_int_equal(page->link_count, 0);
}

static void the_first_title_is_the_title(void **state)
{
    (void)state;
    const th_page *page =
        build("<head><title>a &\n b</title><title>c</title></head><svg><title>d</title>");
    assert_int_equal(page->metadata.title.len, 5);
    assert_memory_equal(page->metadata.title.data, "a & b", 5);
}

/* ---- limits ------------------------------------------------------------------------ */

static void depth_goes_flat(void **state)
{
    (void)state;
    opt.max_depth = 2;
    const th_page *page = build("<div><div><div hidden>x</div><p>a</p>b</div>c</div>d");
    assert_blocks(page, "a|1 0 1 1|div div div /div p|div\nb|1 0 1 1|/p|div\n"
                        "c|1 0 1 1|/div|div\nd|1 0 1 1|/div|html\n");
    assert_int_equal(page->flags, TH_FLAG_DEPTH_CUT | TH_FLAG_HIDDEN_TEXT);
    assert_int_equal(page->node_count, 3);
}

/* Deeper than the stack of open elements goes: text stays, script does not. */
static void abyss_goes_flat(void **state)
{
    (void)state;
    const th_document document = { 0 };
    th_page *page = NULL;
    th_arena_reset(arena);
    assert_int_equal(th_builder_begin(builder, arena, &document), TH_OK);
    for (int i = 0; i < 100000; i++)
        th_builder_start_tag(builder, TH_TAG_DIV, NULL, 0, 0, 0);
    feed(builder, "a<script>b<b>c</script>d", SIZE_MAX);
    for (int i = 0; i < 100000; i++)
        th_builder_end_tag(builder, TH_TAG_DIV, 0);
    feed(builder, "e", SIZE_MAX);
    assert_int_equal(th_builder_finish(builder, &page), TH_OK);
    check_page(page);
    assert_int_equal(page->flags, TH_FLAG_DEPTH_CUT);
    assert_int_equal(page->text.len, 4);
    assert_memory_equal(page->text.data, "ad\ne", 4);
    assert_int_equal(page->node_count, opt.max_depth + 1);
}

static void nodes_go_flat(void **state)
{
    (void)state;
    opt.max_nodes = 2;
    const th_page *page = build("<p>a</p><p>b</p><p hidden>c</p>");
    assert_blocks(page, "a|1 0 1 1|p|p\nb|1 0 1 1|/p p|html\n");
    assert_int_equal(page->flags, TH_FLAG_NODES_CUT | TH_FLAG_HIDDEN_TEXT);
    assert_int_equal(page->node_count, 2);
}

static void blocks_join_the_last(void **state)
{
    (void)state;
    opt.max_blocks = 2;
    const th_page *page = build("<p>a</p><p>b</p><p>c</p>");
    assert_blocks(page, "a|1 0 1 1|p|p\nb c|2 0 1 2|/p p|p\n");
    assert_int_equal(page->flags, TH_FLAG_BLOCKS_CUT);
    page = build("<p>a</p><p>b</p><p></p>");
    assert_int_equal(page->flags, 0); /* nothing was joined */
}

static void links_are_cut(void **state)
{
    (void)state;
    opt.max_links = 1;
    const th_page *page = build("<a href=x>a</a> <a href=y>b</a>");
    assert_blocks(page, "a b|2 2 1 2||html\n");
    assert_int_equal(page->flags, TH_FLAG_LINKS_CUT);
    assert_int_equal(page->link_count, 1);
}

static void time_runs_out(void **state)
{
    (void)state;
    opt.page_ms = 1;
    const th_document document = { 0 };
    th_page *page = NULL;
    th_arena_reset(arena);
    assert_int_equal(th_builder_begin(builder, arena, &document), TH_OK);
    uint32_t events = 0;
    while (!th_builder_status(builder) && events < 1000000000)
        th_builder_end_tag(builder, TH_TAG_P, events++ & TH_TAG_IMPLIED);
    assert_int_equal(th_builder_status(builder), TH_TIME_LIMIT);
    assert_int_equal(th_builder_finish(builder, &page), TH_TIME_LIMIT);
    assert_null(page);
}

/* Every limit of the arena ends in a page or a refusal, and the next page is complete. */
static void an_arena_may_be_full(void **state)
{
    (void)state;
    static const char events[] = "<html><title>t</title><p>a<a href=x rel=r>b</a><br>c";
    bool was_whole = false;
    for (size_t limit = 1; !was_whole; limit += 7) {
        th_arena *small = th_arena_new(limit);
        const th_document document = { .url = TH_VIEW("http://example.org/") };
        th_page *page = NULL;
        th_status status = th_builder_begin(builder, small, &document);
        if (status == TH_OK) {
            feed(builder, events, SIZE_MAX);
            status = th_builder_finish(builder, &page);
        }
        assert_true(status == TH_OK || status == TH_TOO_LARGE);
        was_whole = status == TH_OK && page->link_count == 1 && page->metadata.title.len;
        th_arena_free(small);
        assert_true(limit < 1 << 20);
    }
    (void)build(events);
}

enum { ROWS = sizeof rows / sizeof *rows, LINKS = sizeof links / sizeof *links };

#define WITH_OPTIONS(test)                                                               \
    cmocka_unit_test_setup_teardown(test, reset_options, reset_options)

int main(void)
{
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(nodes_have_extents),
        cmocka_unit_test(hidden_elements_are_nodes_their_content_is_not),
        cmocka_unit_test(what_is_no_link),
        cmocka_unit_test(the_first_title_is_the_title),
        WITH_OPTIONS(depth_goes_flat),
        WITH_OPTIONS(abyss_goes_flat),
        WITH_OPTIONS(nodes_go_flat),
        WITH_OPTIONS(blocks_join_the_last),
        WITH_OPTIONS(links_are_cut),
        WITH_OPTIONS(time_runs_out),
        cmocka_unit_test(an_arena_may_be_full),
    };
    enum { OTHERS = sizeof others / sizeof *others };
    struct CMUnitTest tests[OTHERS + ROWS + LINKS];
    memcpy(tests, others, sizeof others);
    for (size_t i = 0; i < ROWS; i++)
        tests[OTHERS + i] = (struct CMUnitTest){ .name = rows[i].name,
                                                 .test_func = row_holds,
                                                 .initial_state = (void *)&rows[i] };
    for (size_t i = 0; i < LINKS; i++)
        tests[OTHERS + ROWS + i] =
            (struct CMUnitTest){ .name = links[i].name,
                                 .test_func = link_holds,
                                 .initial_state = (void *)&links[i] };
    return cmocka_run_group_tests_name("page_builder", tests, set_up, tear_down);
}
