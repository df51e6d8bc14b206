/* Resolving references: the examples of RFC 3986 §5.4, and the behavior of
 * browsers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/ascii.h"
#include "parse/url/url.h"

enum { URL_MAX = 8192 };

#define RFC "http://a/b/c/d;p?q"
#define UNUSABLE NULL

/* clang-format off */
static const struct row { const char *base, *reference, *want; } rows[] = {
    /* RFC 3986 §5.4.1, normal examples */
    { RFC, "g:h",     "g:h" },
    { RFC, "g",       "http://a/b/c/g" },
    { RFC, "./g",     "http://a/b/c/g" },
    { RFC, "g/",      "http://a/b/c/g/" },
    { RFC, "/g",      "http://a/g" },
    { RFC, "//g",     "http://g" },
    { RFC, "?y",      "http://a/b/c/d;p?y" },
    { RFC, "g?y",     "http://a/b/c/g?y" },
    { RFC, "#s",      "http://a/b/c/d;p?q#s" },
    { RFC, "g#s",     "http://a/b/c/g#s" },
    { RFC, "g?y#s",   "http://a/b/c/g?y#s" },
    { RFC, ";x",      "http://a/b/c/;x" },
    { RFC, "g;x",     "http://a/b/c/g;x" },
    { RFC, "g;x?y#s", "http://a/b/c/g;x?y#s" },
    { RFC, "",        "http://a/b/c/d;p?q" },
    { RFC, ".",       "http://a/b/c/" },
    { RFC, "./",      "http://a/b/c/" },
    { RFC, "..",      "http://a/b/" },
    { RFC, "../",     "http://a/b/" },
    { RFC, "../g",    "http://a/b/g" },
    { RFC, "../..",   "http://a/" },
    { RFC, "../../",  "http://a/" },
    { RFC, "../../g", "http://a/g" },
    /* RFC 3986 §5.4.2, abnormal examples */
    { RFC, "../../../g",    "http://a/g" },
    { RFC, "../../../../g", "http://a/g" },
    { RFC, "/./g",          "http://a/g" },
    { RFC, "/../g",         "http://a/g" },
    { RFC, "g.",            "http://a/b/c/g." },
    { RFC, ".g",            "http://a/b/c/.g" },
    { RFC, "g..",           "http://a/b/c/g.." },
    { RFC, "..g",           "http://a/b/c/..g" },
    { RFC, "./../g",        "http://a/b/g" },
    { RFC, "./g/.",         "http://a/b/c/g/" },
    { RFC, "g/./h",         "http://a/b/c/g/h" },
    { RFC, "g/../h",        "http://a/b/c/h" },
    { RFC, "g;x=1/./y",     "http://a/b/c/g;x=1/y" },
    { RFC, "g;x=1/../y",    "http://a/b/c/y" },
    { RFC, "g?y/./x",       "http://a/b/c/g?y/./x" },
    { RFC, "g?y/../x",      "http://a/b/c/g?y/../x" },
    { RFC, "g#s/./x",       "http://a/b/c/g#s/./x" },
    { RFC, "g#s/../x",      "http://a/b/c/g#s/../x" },
    { RFC, "http:g",        "http://a/b/c/g" }, /* the backward compatible answer */

    /* absolute and clean: the same bytes */
    { RFC, "https://example.com/a/b?c=d#e", "https://example.com/a/b?c=d#e" },
    { RFC, "HTTPS://Example.COM", "HTTPS://Example.COM" },
    { RFC, "http://h/.well-known/...", "http://h/.well-known/..." },
    { RFC, "http://h?x", "http://h?x" },
    /* absolute, to be normalized */
    { RFC, "http://h/a/../b/./c", "http://h/b/c" },
    { RFC, "http://h/a/%2E%2e/b/%2e", "http://h/b/" },
    { RFC, "http://h/a/.%2e", "http://h/" },
    { RFC, "http:\\\\h\\a\\b?c\\d", "http://h/a/b?c\\d" },
    { RFC, "http:///h/a", "http://h/a" },
    { RFC, "https:/h/a", "https://h/a" },
    { RFC, "https:h/a", "https://h/a" },
    { RFC, "http:/h/a", "http://a/h/a" },
    { RFC, "http://h/a b?c d#e f", "http://h/a%20b?c%20d#e%20f" },
    { RFC, "http://h/\x01\x7F", "http://h/%01%7F" },
    { RFC, "http://h//a//b", "http://h//a//b" },
    { RFC, "http://h/\xC3\xA4/\xE6\x9D\xB1", "http://h/\xC3\xA4/\xE6\x9D\xB1" },

    /* no host, or no byte of a host */
    { RFC, "https://:0", NULL },
    { RFC, "http://:80/x", NULL },
    { RFC, "http://user@", NULL },
    { RFC, "http://user@:8/x", NULL },
    { RFC, "http:///", NULL },
    { RFC, "//:8/x", NULL },
    { RFC, "http://a b/", NULL },
    { RFC, "http://a%20b/", NULL },
    { RFC, "http://a%0Ab/", NULL },
    { RFC, "http://a<b>/x", NULL },
    { RFC, "http://a|b/../x", NULL },
    { RFC, "http://og:title/x", NULL },
    { RFC, "http://h:80a/x", NULL },
    { RFC, "http://a:b:80/x", NULL },
    { RFC, "http://h:/x", "http://h:/x" },
    { "http://:80/", "g", NULL },
    { RFC, "http://a%C3%A4b/", "http://a%C3%A4b/" },
    { RFC, "http://user:word@h:80/x", "http://user:word@h:80/x" },
    { RFC, "http://h/:80", "http://h/:80" },
    { RFC, "http://[::1]:80/x", "http://[::1]:80/x" },

    /* spaces and line ends */
    { RFC, " \t\n g \r\n", "http://a/b/c/g" },
    { RFC, "\x01\x1Fg\x02", "http://a/b/c/g" },
    { RFC, "ht\ntp://h/a\tb\r\n/c", "http://h/ab/c" },
    { RFC, ".\t./g", "http://a/b/g" },
    { RFC, "a b", "http://a/b/c/a%20b" },
    { RFC, " ", RFC },

    /* slashes */
    { RFC, "\\g\\h", "http://a/g/h" },
    { RFC, "\\\\h\\g", "http://h/g" },
    { RFC, "///h/g", "http://h/g" },
    { RFC, "..\\g", "http://a/b/g" },
    { RFC, "//h:8080/", "http://h:8080/" },
    { RFC, "g//h/..", "http://a/b/c/g//" },
    { RFC, "/.//g", "http://a//g" },

    /* other schemes are unchanged */
    { RFC, "javascript:void 0", "javascript:void 0" },
    { RFC, "java\nscript:x()", "javascript:x()" },
    { RFC, "mailto:a@b/../c", "mailto:a@b/../c" },
    { RFC, "data:text/html,<b>\\</b>", "data:text/html,<b>\\</b>" },
    { RFC, "1a:b", "http://a/b/c/1a:b" },
    { RFC, "./g:h", "http://a/b/c/g:h" },
    { RFC, "?g:h", "http://a/b/c/d;p?g:h" },

    /* no host: no URL */
    { RFC, "http://", UNUSABLE },
    { RFC, "//", UNUSABLE },
    { RFC, "http:///?q", UNUSABLE },
    { RFC, "http:", "http://a/b/c/d;p?q" },
    { RFC, "https:", UNUSABLE },
    { RFC, "http:// h/", UNUSABLE },
    { RFC, "http://h h/", UNUSABLE },

    /* bases of every kind */
    { "http://h", "g", "http://h/g" },
    { "http://h", "../g", "http://h/g" },
    { "http://h", "?q", "http://h?q" },
    { "http://h", "", "http://h" },
    { "http://h?q#f", "g", "http://h/g" },
    { "http://h/a#f", "", "http://h/a" },
    { "http://h/a?q#f", "#g", "http://h/a?q#g" },
    { "http://h/a b/c", "d", "http://h/a%20b/d" },
    { " http://h/\na ", "b", "http://h/b" },
    { "http://h/a/../b/c", "d", "http://h/b/d" },
    { "http:\\\\h\\a\\b", "c", "http://h/a/c" },
    { "https://h/a", "//i/b", "https://i/b" },
    { "https://h/a", "https:b", "https://h/b" },
    { "https://u:p@h:8/a/b", "c", "https://u:p@h:8/a/c" },
    { "file:///a/b", "c", "file:///a/c" },
    { "app://x/a/b", "../c\\d", "app://x/c\\d" },
    { "app://x/a/b", "//y//z", "app://y//z" },
    /* nothing is relative to these */
    { "", "g", "g" },
    { NULL, " a b ", "a b" },
    { NULL, "http://h/a b", "http://h/a%20b" },
    { "example.com/a", "g", "g" },
    { "urn:uuid:1", "/g", "/g" },
    { "dns:example.com", "//h/g", "//h/g" },
    { "http:/a", "g", "g" },
};

static const struct host_row { const char *url, *want; } host_rows[] = {
    { "http://example.com/a", "example.com" },
    { "HTTP://Example.Com", "Example.Com" },
    { "https://u:p@w@h:8080?x@y", "h" },
    { "https://h#@i", "h" },
    { "http://h:/", "h" },
    { "http://[::1]:80/", "[::1]" },
    { "http://[::1]", "[::1]" },
    { "http:\\\\h\\@i", "h" },
    { "app://h/x", "h" },
    { "http://@/", NULL },
    { "http://:80/", NULL },
    { "file:///a", NULL },
    { "mailto:a@b", NULL },
    { "//h/a", NULL },
    { "h/a", NULL },
    { "", NULL },
};
/* clang-format on */

/* An exact-size copy, so that a sanitizer sees one byte read too far. */
static th_view heap_copy(const char *text, size_t len)
{
    char *copy = malloc(len ? len : 1);
    assert_non_null(copy);
    memcpy(copy, text, len);
    return (th_view){ copy, len };
}

static th_view heap_text(const char *text)
{
    return text ? heap_copy(text, strlen(text)) : (th_view){ NULL, 0 };
}

static void drop(th_view copy)
{
    free((void *)(uintptr_t)copy.data);
}

static void assert_view(th_view have, const char *want)
{
    if (!want) {
        assert_null(have.data);
        return;
    }
    assert_non_null(have.data);
    assert_int_equal(have.len, strlen(want));
    assert_memory_equal(have.data, want, have.len);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_arena *arena = th_arena_new(0);
    const th_view base = heap_text(row->base), reference = heap_text(row->reference);
    const th_view url = th_url_resolve(base, reference, arena);
    assert_view(url, row->want);
    if (url.data) { /* what is resolved stays, and costs nothing */
        const size_t used = th_arena_used(arena);
        assert_view(th_url_resolve(base, url, arena), row->want);
        assert_int_equal(th_arena_used(arena), used);
    }
    drop(base);
    drop(reference);
    th_arena_free(arena);
}

static void host_row_holds(void **state)
{
    const struct host_row *row = *state;
    const th_view url = heap_text(row->url);
    assert_view(th_url_host(url), row->want);
    drop(url);
}

static void clean_reference_is_borrowed(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    const th_view clean = TH_VIEW(" https://example.com/a/b.html?c=%2e/../d ");
    const th_view url = th_url_resolve(TH_VIEW(RFC), clean, arena);
    assert_ptr_equal(url.data, clean.data + 1);
    assert_int_equal(url.len, clean.len - 2);
    assert_int_equal(th_arena_used(arena), 0);
    th_arena_free(arena);
}

/* A reference of `len` bytes: "/" and then letters, or spaces that triple when escaped.
 */
static th_view long_reference(size_t len, char fill)
{
    char *bytes = malloc(len);
    assert_non_null(bytes);
    memset(bytes, fill, len);
    bytes[0] = '/';
    bytes[len - 1] = 'z';
    return (th_view){ bytes, len };
}

static void length_is_capped(void **state)
{
    (void)state;
    static const struct {
        size_t len;
        char fill;
        size_t want; /* 0: unusable */
    } lengths[] = { { URL_MAX - 8, 'x', URL_MAX }, { URL_MAX - 7, 'x', 0 },
                    { URL_MAX, 'x', 0 },           { URL_MAX + 1, 'x', 0 },
                    { 2000, ' ', 5996 + 8 },       { 3000, ' ', 0 },
                    { URL_MAX, '/', 8 },           { URL_MAX, '.', 0 } };
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        th_arena *arena = th_arena_new(0);
        const th_view reference = long_reference(lengths[i].len, lengths[i].fill);
        const th_view url = th_url_resolve(TH_VIEW("http://h"), reference, arena);
        assert_int_equal(url.len, lengths[i].want);
        assert_true((url.data != NULL) == (lengths[i].want > 0));
        drop(reference);
        th_arena_free(arena);
    }
}

static void long_base_is_none(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    const th_view base = long_reference(URL_MAX + 1, 'x');
    memcpy((void *)(uintptr_t)base.data, "http://h/", 9);
    assert_view(th_url_resolve(base, TH_VIEW("g"), arena), "g");
    assert_view(th_url_host(base), "h");
    drop(base);
    th_arena_free(arena);
}

static void no_memory_is_no_url(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(1);
    assert_null(th_url_resolve(TH_VIEW(RFC), TH_VIEW("g"), arena).data);
    assert_null(th_url_resolve(TH_VIEW(RFC), TH_VIEW("mail\nto:x"), arena).data);
    assert_view(th_url_resolve(TH_VIEW(RFC), TH_VIEW("http://h/g"), arena), "http://h/g");
    th_arena_free(arena);
}

static void absent_reference_is_no_url(void **state)
{
    (void)state;
    assert_null(th_url_resolve(TH_VIEW(RFC), (th_view){ NULL, 0 }, NULL).data);
}

static void hosts_are_compared_without_case(void **state)
{
    (void)state;
    const th_view host = TH_VIEW("ex.com"), none = { NULL, 0 };
    assert_true(th_url_has_host(TH_VIEW("http://Ex.com/a"), host));
    assert_true(th_url_has_host(TH_VIEW("https://u@eX.COM:1"), host));
    assert_false(th_url_has_host(TH_VIEW("http://www.ex.com"), host));
    assert_false(th_url_has_host(TH_VIEW("mailto:a@ex.com"), host));
    assert_false(th_url_has_host(TH_VIEW("mailto:a"), none));
    assert_false(th_url_has_host(none, none));
}

/* A text of pieces in which the whole of RFC 3986 may go wrong. */
static size_t random_text(uint64_t *random, char *out, size_t pieces)
{
    static const char *const parts[] = { "/",        "//",
                                         ".",        "..",
                                         "a",        "b.c",
                                         "?",        "#",
                                         ":",        "http:",
                                         "https://", "h",
                                         "%2e",      "%20",
                                         "\\",       " ",
                                         "\n",       "\x7F",
                                         "\xC3\xA4", "@",
                                         "/x",       "/yyyyyyyyyyyyyyy",
                                         "=&",       "/a/b" };
    size_t len = 0;
    for (size_t i = 0; i < pieces; i++) {
        *random = *random * 6364136223846793005u + 1442695040888963407u;
        const char *part = parts[(*random >> 40) % (sizeof parts / sizeof *parts)];
        for (; *part; part++)
            out[len++] = *part;
    }
    return len;
}

/* The host of any URL is compared as if it was taken out. */
static void the_host_need_not_be_taken_out(void **state)
{
    (void)state;
    enum { ROUNDS = 200000, PARTS = 6 };
    static const char *const parts[] = { "http://", "https://", "h.i", "H.I", "h",
                                         ".i",      "@",        ":",   "]",   "[::1]",
                                         "/",       "\\",       "?",   "#" };
    static const char *const hosts[] = { "h.i", "h", "[::1]", "h.i.i" };
    uint64_t random = 5;
    for (int round = 0; round < ROUNDS; round++) {
        char text[64];
        size_t len = 0;
        const size_t first = round % 4 ? 2 : sizeof parts / sizeof *parts;
        for (size_t i = 0; i < PARTS; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const size_t count = i ? sizeof parts / sizeof *parts : first;
            for (const char *part = parts[(random >> 40) % count]; *part; part++)
                text[len++] = *part;
        }
        const char *name = hosts[(random >> 50) % (sizeof hosts / sizeof *hosts)];
        const th_view host = { name, strlen(name) };
        const th_view url = heap_copy(text, len);
        const th_view have = th_url_host(url);
        assert_int_equal(th_url_has_host(url, host),
                         have.data && th_ascii_same(have, host));
        drop(url);
    }
}

/* A leading space must be stripped first, and changes only the code path. */
static void both_roads_lead_to_the_same(void **state)
{
    (void)state;
    enum { ROUNDS = 200000, PIECES = 7, ROOM = 256 };
    static const char *const starts[] = { "http://h", "https://h.i:8/", "http://h/a/b/",
                                          "http://",  "app://h/",       "" };
    uint64_t random = 3;
    th_arena *arena = th_arena_new(0);
    for (int round = 0; round < ROUNDS; round++) {
        char base[ROOM], text[ROOM + 1] = " ";
        const char *start = starts[(random >> 50) % (sizeof starts / sizeof *starts)];
        size_t base_len = 0;
        for (; *start; start++)
            base[base_len++] = *start;
        base_len += random_text(&random, base + base_len, (random >> 60) % PIECES);
        const size_t len = random_text(&random, text + 1, (random >> 58) % PIECES);
        const th_view from = heap_copy(base, base_len);
        const th_view reference = heap_copy(text + 1, len);
        const th_view have = th_url_resolve(from, reference, arena);
        const th_view want = th_url_resolve(from, (th_view){ text, len + 1 }, arena);
        assert_true((have.data != NULL) == (want.data != NULL));
        assert_int_equal(have.len, want.len);
        if (want.len)
            assert_memory_equal(have.data, want.data, want.len);
        drop(from);
        drop(reference);
        th_arena_reset(arena);
    }
    th_arena_free(arena);
}

int main(void)
{
    enum {
        ROWS = sizeof rows / sizeof rows[0],
        HOSTS = sizeof host_rows / sizeof host_rows[0]
    };
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(clean_reference_is_borrowed),
        cmocka_unit_test(length_is_capped),
        cmocka_unit_test(long_base_is_none),
        cmocka_unit_test(no_memory_is_no_url),
        cmocka_unit_test(absent_reference_is_no_url),
        cmocka_unit_test(hosts_are_compared_without_case),
        cmocka_unit_test(the_host_need_not_be_taken_out),
        cmocka_unit_test(both_roads_lead_to_the_same),
    };
    enum { OTHERS = sizeof others / sizeof others[0] };
    static struct CMUnitTest tests[ROWS + HOSTS + OTHERS];
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        tests[count++] =
            (struct CMUnitTest){ rows[i].want ? rows[i].want : rows[i].reference,
                                 row_holds, NULL, NULL, (void *)(uintptr_t)&rows[i] };
    for (size_t i = 0; i < HOSTS; i++)
        tests[count++] = (struct CMUnitTest){ host_rows[i].url, host_row_holds, NULL,
                                              NULL, (void *)(uintptr_t)&host_rows[i] };
    for (size_t i = 0; i < OTHERS; i++)
        tests[count++] = others[i];
    return cmocka_run_group_tests_name("url", tests, NULL, NULL);
}
