/* src/graph/link_key.c: keys of hosts and pages. '|' replaces NUL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph/link_key.h"

/* clang-format off */
static const struct row {
    const char *url, *key; /* NULL if it has none */
} rows[] = {
    { "http://example.com/a?b=c#d",        "com.example|/a?b=c|http://example.com" },
    { "https://www.Blog.Example.ORG/",     "org.example.blog|/|https://www.blog.example.org" },
    { "HTTP://example.com",                "com.example|/|http://example.com" },
    { "http://example.com?q",              "com.example|/?q|http://example.com" },
    { "http://example.com#top",            "com.example|/|http://example.com" },
    { "http://user:pw@x@example.com:80/",  "com.example|/|http://example.com" },
    { "https://example.com:443/",          "com.example|/|https://example.com" },
    { "https://example.com:80/",           "com.example|/|https://example.com:80" },
    { "http://example.com:/",              "com.example|/|http://example.com" },
    { "http://example.com./",              "com.example|/|http://example.com" },
    { "http://www.com/",                   "com.www|/|http://www.com" },
    { "http://www.de.com/",                "com.de|/|http://www.de.com" },
    { "http://localhost/",                 "localhost|/|http://localhost" },
    { "http://127.0.0.1:8080/x",           "127.0.0.1|/x|http://127.0.0.1:8080" },
    { "http://[::1]:8080/x",               "[::1]|/x|http://[::1]:8080" },
    { "http://xn--bcher-kva.example/",     "example.xn--bcher-kva|/|http://xn--bcher-kva.example" },
    { "http://example.com/a/http://b/",    "com.example|/a/http://b/|http://example.com" },
    { "ftp://example.com/",                NULL },
    { "mailto:a@example.com",              NULL },
    { "//example.com/",                    NULL },
    { "http:/example.com/",                NULL },
    { "http://",                           NULL },
    { "http:///x",                         NULL },
    { "http://./x",                        NULL },
    { "http://a b/",                       NULL },
    { "http://a:b/",                       NULL },
    { "https://[::1]:[::1]:8.?q",          NULL },
    { "http://[::1/",                      NULL },
    { "http://example.com/a\tb",           NULL },
    { "http://exa\nmple.com/",             NULL },
    { "",                                  NULL },
};
/* clang-format on */

static th_view view(const char *text)
{
    return (th_view){ text, strlen(text) };
}

static void check_key(const char *want, const th_buffer *key)
{
    char shown[256];
    assert_true(key->len < sizeof shown);
    memcpy(shown, key->data, key->len);
    shown[key->len] = '\0';
    for (size_t i = 0; i < key->len; i++)
        if (!shown[i])
            shown[i] = '|';
    assert_string_equal(shown, want);
}

static void keys_are_as_listed(void **state)
{
    (void)state;
    th_buffer key = { 0 }, url = { 0 }, again = { 0 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(th_link_key(view(rows[i].url), &key), rows[i].key != NULL);
        if (!rows[i].key)
            continue;
        check_key(rows[i].key, &key);
        th_buffer_reset(&url);
        th_link_key_url(th_buffer_view(&key), &url);
        assert_true(th_link_key(th_buffer_view(&url), &again));
        check_key(rows[i].key, &again);
        assert_int_equal(th_link_key_host(th_buffer_view(&key)).len,
                         strcspn(rows[i].key, "|"));
        assert_int_equal(th_link_key_local(th_buffer_view(&key)).len,
                         strcspn(strchr(rows[i].key, '|') + 1, "|"));
    }
    th_buffer_done(&key);
    th_buffer_done(&url);
    th_buffer_done(&again);
}

static void lengths_have_limits(void **state)
{
    (void)state;
    static char url[10000] = "http://";
    th_buffer key = { 0 };
    memset(url + 7, 'a', sizeof url - 8);
    assert_false(th_link_key((th_view){ url, 7 + 254 }, &key)); /* host */
    assert_true(th_link_key((th_view){ url, 7 + 253 }, &key));
    url[8] = '/';
    assert_true(th_link_key((th_view){ url, 8192 }, &key));
    assert_false(th_link_key((th_view){ url, 8193 }, &key));
    assert_false(th_link_key((th_view){ "http://a/\0b", 11 }, &key));
    th_buffer_done(&key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_as_listed),
        cmocka_unit_test(lengths_have_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
