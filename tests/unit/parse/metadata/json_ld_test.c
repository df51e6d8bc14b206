/* JSON-LD of pages: values of the page, other values, and invalid JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parse/metadata/json_ld.h"

/*
 * The output has one line per object: the kind's letter (A, P, S), then h= n= d= a= t=
 * l= p= for headline, name, description, author, published, language and publisher.
 */
static const struct row {
    const char *name, *in, *want;
} rows[] = {
    /* clang-format off */
    { "smallest", "{\"@type\":\"Article\"}", "A\n" },
    { "all fields",
      "{\"@context\":\"https://schema.org\",\"@type\":\"NewsArticle\",\"headline\":\"H\",\"name\":\"N\","
      "\"description\":\"D\",\"datePublished\":\"2017\",\"inLanguage\":\"en\",\"author\":\"A\","
      "\"publisher\":{\"@type\":\"Organization\",\"name\":\"P\",\"logo\":{\"name\":\"x\"}}}",
      "A h=H n=N d=D a=A t=2017 l=en p=P\n" },
    { "type after the fields", "{\"headline\":\"H\",\"@type\":\"BlogPosting\"}", "A h=H\n" },
    { "no type", "{\"headline\":\"H\"}", "" },
    { "type of no use", "{\"@type\":\"BreadcrumbList\",\"name\":\"N\"}", "" },
    { "several types", "{\"@type\":[\"Thing\",\"WebPage\",\"Article\"],\"name\":\"N\"}", "A n=N\n" },
    { "type as a URL", "{\"@type\":\"http://schema.org/Article\"}", "A\n" },
    { "type with a prefix", "{\"@type\":\"schema:TechArticle\"}", "A\n" },
    { "site", "{\"@type\":\"WebSite\",\"name\":\"N\"}", "S n=N\n" },
    { "page", "{\"@type\":\"FAQPage\",\"name\":\"N\"}", "P n=N\n" },
    { "report and recipe", "[{\"@type\":\"Report\"},{\"@type\":\"Recipe\"}]", "A\nA\n" },
    { "the first of two equal keys", "{\"@type\":\"Article\",\"name\":\"1\",\"name\":\"2\"}", "A n=1\n" },
    { "an empty value waits for the next", "{\"@type\":\"Article\",\"name\":\" \",\"name\":\"2\"}", "A n=2\n" },
    { "values that are not text",
      "{\"@type\":\"Article\",\"headline\":null,\"name\":12,\"description\":true,\"author\":1e999,"
      "\"publisher\":99999999999999999999999999}", "A\n" },

    /* authors */
    { "author object", "{\"@type\":\"Article\",\"author\":{\"@type\":\"Person\",\"name\":\"A B\",\"url\":\"x\"}}", "A a=A B\n" },
    { "author array", "{\"@type\":\"Article\",\"author\":[{\"name\":\"A\"},\"B\",{\"name\":[\"C\",\"D\"]},{\"name\":\"A\"}]}", "A a=A; B; C; D\n" },
    { "author is a link", "{\"@type\":\"Article\",\"author\":[\"https://a.b/c\",\"D\"]}", "A a=D\n" },
    { "author's employer is not an author", "{\"@type\":\"Article\",\"author\":{\"name\":\"A\",\"affiliation\":{\"name\":\"B\"}}}", "A a=A\n" },
    { "author by id, later", "{\"@graph\":[{\"@type\":\"Article\",\"author\":{\"@id\":\"#a\"}},{\"@type\":\"Person\",\"@id\":\"#a\",\"name\":\"A\"}]}", "A\nA a=A\n" },
    { "author by id, earlier", "[{\"@type\":\"Person\",\"@id\":\"#b\",\"name\":\"B\"},{\"@type\":\"Person\",\"@id\":\"#a\",\"name\":\"A\"},{\"author\":[{\"@id\":\"#a\"},{\"@id\":\"#b\"}],\"@type\":\"WebPage\"}]", "P\nP a=A\n" },
    { "author by id and name", "{\"@graph\":[{\"@type\":\"Article\",\"author\":{\"@id\":\"#a\",\"name\":\"N\"}},{\"@type\":\"Person\",\"@id\":\"#a\",\"name\":\"A\"}]}", "A a=N\n" },
    { "author by an unknown id", "[{\"@type\":\"Person\",\"@id\":\"#b\",\"name\":\"B\"},{\"author\":{\"@id\":\"#a\"},\"@type\":\"WebPage\"}]", "P\n" },
    { "author by id of an organisation", "[{\"@type\":\"NewsMediaOrganization\",\"@id\":\"#b\",\"name\":\"B\"},{\"author\":{\"@id\":\"#b\"},\"@type\":\"Article\"}]", "A\nA a=B\n" },
    { "an empty id does not count", "[{\"@type\":\"Person\",\"@id\":\"\",\"name\":\"B\"},{\"author\":{\"@id\":\"\"},\"@type\":\"Article\"}]", "A\n" },

    /* what is the page's */
    { "array", "[{\"@type\":\"WebSite\",\"name\":\"S\"},{\"@type\":\"Article\",\"name\":\"N\"}]", "S n=S\nA n=N\n" },
    { "arrays in arrays", "[[{\"@type\":\"Article\"}]]", "A\n" },
    { "graph", "{\"@graph\":[{\"@type\":\"WebPage\",\"name\":\"N\"}],\"@type\":\"Article\"}", "P n=N\nA\n" },
    { "main entity", "{\"@type\":\"WebPage\",\"mainEntity\":{\"@type\":\"Article\",\"headline\":\"H\"}}", "A h=H\nP\n" },
    { "parts of others are not", "{\"@type\":\"Article\",\"comment\":[{\"@type\":\"Article\",\"author\":\"X\"}],\"image\":{\"@type\":\"WebPage\",\"name\":\"X\",\"mainEntity\":{\"@type\":\"Article\"}}}", "A\n" },
    { "a list's are not", "{\"@type\":\"ItemList\",\"itemListElement\":[{\"@type\":\"Article\",\"headline\":\"X\"}]}", "" },
    { "four in each other, the fifth is nothing",
      "{\"mainEntity\":{\"mainEntity\":{\"mainEntity\":{\"mainEntity\":{\"@type\":\"Article\",\"name\":\"5\"},\"@type\":\"Article\",\"name\":\"4\"}}},\"@type\":\"Article\",\"name\":\"1\"}",
      "A n=4\nA n=1\n" },
    { "fields continue after an inner object", "{\"mainEntity\":{\"@type\":\"WebPage\"},\"name\":\"N\",\"@type\":\"Article\"}", "P\nA n=N\n" },

    /* text */
    { "escapes", "{\"@type\":\"Article\",\"name\":\"\\u00e4\\n\\\"\\ud83d\\ude00\\/\"}", "A n=\xC3\xA4 \"\xF0\x9F\x98\x80/\n" },
    { "a lone surrogate", "{\"@type\":\"Article\",\"name\":\"a\\udc00 b\"}", "A n=a\xEF\xBF\xBD b\n" },
    { "escaped NUL", "{\"@type\":\"Article\",\"name\":\"a\\u0000b\"}", "A n=a b\n" },
    { "references", "{\"@type\":\"Article\",\"name\":\"A &amp; B&#039;s &#x201C;&lt;C&gt;\"}", "A n=A & B's \xE2\x80\x9C<C>\n" },
    { "references of no use", "{\"@type\":\"Article\",\"name\":\"& &; &#; &#x; &#xD800; &#1114112; &foo; &amp\"}", "A n=& &; &#; &#x; &#xD800; &#1114112; &foo; &amp\n" },
    { "bytes that are not UTF-8", "{\"@type\":\"Article\",\"name\":\"\xFF" "a\xC3\"}", "A n=\xEF\xBF\xBD" "a\xEF\xBF\xBD\n" },
    { "line end in a text", "{\"@type\":\"Article\",\"name\":\"a\n\t b\x01\"}", "A n=a b\n" },

    /* wrappers and damage */
    { "comment", "<!-- {\"@type\":\"Article\"} -->", "A\n" },
    { "CDATA", "\n//<![CDATA[\n[{\"@type\":\"Article\"}]\n//]]>", "A\n" },
    { "CDATA in a comment", "/*<![CDATA[*/{\"@type\":\"Article\"}/*]]>*/", "A\n" },
    { "byte order mark", "\xEF\xBB\xBF{\"@type\":\"Article\"}", "A\n" },
    { "semicolon", "{\"@type\":\"Article\"};", "A\n" },
    { "a second value is garbage", "{\"@type\":\"Article\"} {\"@type\":\"WebSite\"}", "A\n" },
    { "trailing comma", "{\"@type\":\"Article\",\"name\":\"N\",}", "" },
    { "damage keeps what was complete", "[{\"@type\":\"WebSite\",\"name\":\"S\"},{\"@type\":\"Article\" oops", "S n=S\n" },
    { "cut", "{\"@type\":\"Article\",\"name\":\"N\"", "" },
    { "cut in a text", "{\"@type\":\"Article\",\"name\":\"N", "" },
    { "single quotes", "{'@type':'Article'}", "" },
    { "unescaped quotes", "{\"@type\":\"Article\",\"name\":\"a \"b\" c\"}", "" },
    { "no object", "\"Article\"", "" },
    { "a number", "12", "" },
    { "nothing", "", "" },
    { "blanks", " \n", "" },
    { "only a wrapper", "<!--", "" },
    { "markup", "<script>", "" },
    /* clang-format on */
};

struct output {
    char bytes[16384];
    size_t len;
};

static void write_field(struct output *out, char name, th_view value)
{
    if (!value.data)
        return;
    assert_true(value.len > 0);
    out->len += (size_t)snprintf(out->bytes + out->len, sizeof out->bytes - out->len,
                                 " %c=%.*s", name, (int)value.len, value.data);
    assert_true(out->len < sizeof out->bytes);
}

static void write_object(void *context, const th_json_ld *object)
{
    struct output *out = context;
    assert_true(object->kind < TH_LD_OTHER);
    assert_true(out->len + 2 < sizeof out->bytes);
    out->bytes[out->len++] = "APS"[object->kind];
    write_field(out, 'h', object->headline);
    write_field(out, 'n', object->name);
    write_field(out, 'd', object->description);
    write_field(out, 'a', object->author);
    write_field(out, 't', object->published);
    write_field(out, 'l', object->language);
    write_field(out, 'p', object->publisher);
    out->bytes[out->len++] = '\n';
}

/* Reads an exact-size copy, so that a sanitizer sees one byte read too far. */
static void read(const char *bytes, size_t len, th_arena *arena,
                 th_json_ld_memory *memory, struct output *out)
{
    char *copy = malloc(len ? len : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, len);
    out->len = 0;
    th_json_ld_read((th_view){ copy, len }, arena, memory, write_object, out);
    free(copy);
    out->bytes[out->len] = '\0';
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_arena *arena = th_arena_new(0);
    th_json_ld_memory memory = { NULL, 0 };
    struct output *out = malloc(sizeof *out);
    assert_non_null(out);
    read(row->in, strlen(row->in), arena, &memory, out);
    assert_string_equal(out->bytes, row->want);
    const size_t used = th_arena_used(arena);
    read(row->in, strlen(row->in), arena, &memory, out); /* memory is used again */
    assert_string_equal(out->bytes, row->want);
    assert_int_equal(th_arena_used(arena), used);
    /* Every prefix says a prefix of the same, object by object. */
    for (size_t cut = 0; cut < strlen(row->in); cut++) {
        read(row->in, cut, arena, &memory, out);
        assert_memory_equal(out->bytes, row->want, out->len);
    }
    free(out);
    th_arena_free(arena);
}

/* `count` times `open`, then `middle`, then `count` times `close`. */
static char *nested(const char *open, const char *middle, const char *close, size_t count)
{
    const size_t size = count * (strlen(open) + strlen(close)) + strlen(middle) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    char *at = text;
    for (size_t i = 0; i < count; i++)
        at = stpcpy(at, open);
    at = stpcpy(at, middle);
    for (size_t i = 0; i < count; i++)
        at = stpcpy(at, close);
    return text;
}

static void depth_is_capped(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    th_json_ld_memory memory = { NULL, 0 };
    struct output *out = malloc(sizeof *out);
    assert_non_null(out);
    for (size_t depth = 30; depth < 34; depth++) {
        char *arrays = nested("[", "{\"@type\":\"Article\"}", "]", depth);
        char *values = nested("[", "1", "]", depth);
        const size_t size = strlen(values) + 32;
        char *page = malloc(size);
        assert_non_null(page);
        (void)snprintf(page, size, "{\"@type\":\"Article\",\"x\":%s}", values);
        read(arrays, strlen(arrays), arena, &memory, out);
        assert_string_equal(out->bytes, depth < 32 ? "A\n" : "");
        read(page, strlen(page), arena, &memory, out);
        assert_string_equal(out->bytes, depth < 32 ? "A\n" : "");
        free(arrays);
        free(values);
        free(page);
    }
    char *deep = nested("[", "", "", 1000000);
    read(deep, strlen(deep), arena, &memory, out);
    assert_string_equal(out->bytes, "");
    free(deep);
    free(out);
    th_arena_free(arena);
}

/* The largest possible strings, escaped and truncated. */
static void long_strings_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *before, *filler, *after, *want;
    } texts[] = {
        { "{\"@type\":\"Article\",\"x\":\"\\n", "x", "\"}", "A\n" },
        { "{\"@type\":\"Article\",\"x\":\"\\n", "x", "", "" },
        { "{\"@type\":\"Article\",\"x\":\"", "\\n", "\"}", "A\n" },
        { "{\"@type\":\"Article\",\"x\":\"", "\\u20ac", "\"}", "A\n" },
        { "{\"@type\":\"Article\",\"x\":\"\\n\",\"", "\\t", "\":1}", "A\n" },
        { "{\"@type\":\"Article\",\"x\":", "1", "}", "A\n" },
        { "{\"@type\":\"Article\",\"x\":", "1", "", "" },
        { "[\"\\n\",", "\"\\n\",", "{\"@type\":\"Article\"}]", "A\n" },
        { "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"", "\\n", "", "" },
    };
    static const size_t sizes[] = { 1, 2047, 2048, 2049, 65536, 1000000, 1048400 };
    struct output *out = malloc(sizeof *out);
    assert_non_null(out);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++) {
            th_arena *arena = th_arena_new(0);
            th_json_ld_memory memory = { NULL, 0 };
            const size_t count = sizes[j] / strlen(texts[i].filler);
            char *middle = nested(texts[i].filler, "", "", count);
            const size_t size =
                strlen(texts[i].before) + strlen(middle) + strlen(texts[i].after) + 1;
            char *text = malloc(size);
            assert_non_null(text);
            (void)stpcpy(stpcpy(stpcpy(text, texts[i].before), middle), texts[i].after);
            read(text, strlen(text), arena, &memory, out);
            assert_string_equal(out->bytes, texts[i].want);
            free(middle);
            free(text);
            th_arena_free(arena);
        }
    }
    free(out);
}

static void text_is_capped_at_a_mib(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    th_json_ld_memory memory = { NULL, 0 };
    struct output *out = malloc(sizeof *out);
    char *text = nested(" ", "[{\"@type\":\"Article\"}", " ", 1 << 20);
    assert_non_null(out);
    const char *start = strchr(text, '[');
    (void)snprintf(text + strlen(text) - 24, 25, ",{\"@type\":\"WebPage\"}]   ");
    read(start, strlen(start), arena, &memory, out);
    assert_string_equal(out->bytes, "A\n");
    free(text);
    free(out);
    th_arena_free(arena);
}

static void values_are_capped(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        size_t want;
    } keys[] = { { "headline", 1023 },     { "name", 510 },       { "description", 4095 },
                 { "datePublished", 510 }, { "inLanguage", 510 }, { "publisher", 510 },
                 { "author", 510 } };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        th_arena *arena = th_arena_new(0);
        th_json_ld_memory memory = { NULL, 0 };
        struct output *out = malloc(sizeof *out);
        char *value = nested("\xE2\x82\xAC", "", "", 3000); /* three bytes each */
        char *text = malloc(10000);
        assert_non_null(out);
        assert_non_null(text);
        (void)snprintf(text, 10000, "{\"@type\":\"Article\",\"%s\":\"%s\"}", keys[i].key,
                       value);
        read(text, strlen(text), arena, &memory, out);
        assert_int_equal(out->len, strlen("A x=\n") + keys[i].want);
        free(text);
        free(value);
        free(out);
        th_arena_free(arena);
    }
}

static void no_memory_says_nothing(void **state)
{
    (void)state;
    struct output *out = malloc(sizeof *out);
    assert_non_null(out);
    for (size_t limit = 1; limit < 40000; limit += 997) {
        th_arena *arena = th_arena_new(limit);
        th_json_ld_memory memory = { NULL, 0 };
        const char text[] = "{\"@type\":\"Article\",\"name\":\"a\\nb\"}";
        read(text, sizeof text - 1, arena, &memory, out);
        assert_string_equal(out->bytes, memory.data ? "A n=a b\n" : "");
        th_arena_free(arena);
    }
    free(out);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof rows[0] };
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(depth_is_capped),
        cmocka_unit_test(long_strings_are_read),
        cmocka_unit_test(values_are_capped),
        cmocka_unit_test(text_is_capped_at_a_mib),
        cmocka_unit_test(no_memory_says_nothing),
    };
    enum { OTHERS = sizeof others / sizeof others[0] };
    static struct CMUnitTest tests[ROWS + OTHERS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    memcpy(tests + ROWS, others, sizeof others);
    return cmocka_run_group_tests_name("json_ld", tests, NULL, NULL);
}
