/* Keys of URLs, equal to the package surt of PyPI (tests/conform/cdxj_peer.py compares
 * more). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cdxj/surt.h"

/* clang-format off */
static const struct row {
    const char *url, *key;
} rows[] = {
    { "http://www.Example.com/", "com,example)/" },
    { "https://www2.example.co.uk:443/A/B/?Z=1&a=2&a=1&b", "uk,co,example)/a/b?a=1&a=2&b&z=1" },
    { "http://example.com:8080/x/../y/./z//q/", "com,example:8080)/y/z/q" },
    { "http://user:pw@example.com/#top", "com,example)/" },
    { "example.com/path", "com,example)/path" },
    { "http://http://https://order.example.org/a", "org,example,order)/a" },
    { "http:////late.example/x", "example,late)/x" },
    { "http://example.com./a%2541%2f%7e?q=%20+%c3%a4", "com,example)/aa/~?q=%20+%c3%a4" },
    { "http://16909060/", "4,3,2,1)/" },
    { "http://127.1/x", "1,0,0,127)/x" },
    { "http://[2001:db8::1]:81/", "2001:db8::1:81)/" },
    { "urn:uuid:1234", "urn:uuid:1234" },
    { "mailto:Someone@Example.com", "mailto:someone@example.com" },
    { "http://example.com/?jsessionid=0123456789abcdef0123456789abcdef&x=1", "com,example)/?x=1" },
    { "http://example.com/a?x=1&cfid=12&cftoken=34", "com,example)/a?&x=1" },
    { "http://example.com/a?sid=0123456789abcdef0123456789abcdef", "com,example)/a" },
    { "http://example.com/?ASPSESSIONIDABCDEFGH=abcdefghijklmnopqrstuvwx&x=1", "com,example)/?x=1" },
    { "http://example.com/?aspsessionidabcdefg=abcdefghijklmnopqrstuvwx&x=1", "com,example)/?aspsessionidabcdefg=abcdefghijklmnopqrstuvwx&x=1" },
    { "http://example.com/?aspsessionidabcdefghi=abcdefghijklmnopqrstuvwx", "com,example)/?aspsessionidabcdefghi=abcdefghijklmnopqrstuvwx" },
    { "http://example.com/?aspsessionidabcdefgh=abcdefghijklmnopqrstuvw1", "com,example)/?aspsessionidabcdefgh=abcdefghijklmnopqrstuvw1" },
    { "http://example.com/?aspsessionidabcdefgh", "com,example)/?aspsessionidabcdefgh" },
    { "http://example.com/?x=1&cfid=12", "com,example)/?cfid=12&x=1" },
    { "http://example.com/?cfid=12&y&cftoken=3", "com,example)/?cfid=12&cftoken=3&y" },
    { "http://1.2.3.4.5/", "5,4,3,2,1)/" },
    { "http://1.999.1.1/", "1,1,999,1)/" },
    { "http://example.com/(S(abcdefghij0123456789abcd))/page.aspx", "com,example)/page.aspx" },
    { "http://example.com/(abcdefghij0123456789abcd)/page.aspx?y", "com,example)/page.aspx?y" },
    { "http://example.com/a/long/path/without/a/session/(S(abcdefghij0123456789abcd))/page.aspx", "com,example)/a/long/path/without/a/session/page.aspx" },
    { "http://example.com/()/page.aspx", "com,example)/()/page.aspx" },
    { "http://example.com/(S)/page.aspx", "com,example)/(s)/page.aspx" },
    { "http://example.com/a/../../b", "com,example)/../b" },
    { "http://.www.example..co...uk./", "uk,,co,example)/" },
    { "http://example.com/a//..", "com,example)/a" },
    { "http://example.com?q", "com,example)/?q" },
    { "http://m\303\274nchen.example/", "example,xn--mnchen-3ya)/" },
    { "http://example.com/a b\tc", "com,example)/a%20bc" },
    { "http://example.com:x/", "http://example.com:x/" },
    { "dns:www.example.com", "dns:www.example.com" },
    { "http://www.example.com:/a?", "com,example)/a" },
    { "http://example.com/a?a=&a&aa=1&a=0", "com,example)/a?a&a=&a=0&aa=1" },
    { "", "-" },
    { "   ", "http:" },
};
/* clang-format on */

static th_view view_of(const char *text)
{
    return (th_view){ text, strlen(text) };
}

static void makes_keys(void **state)
{
    th_arena *arena = th_arena_new(0);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const th_view key = th_surt(view_of(rows[i].url), arena);
        assert_non_null(key.data);
        if (key.len != strlen(rows[i].key) || memcmp(key.data, rows[i].key, key.len) != 0)
            fail_msg("%s: %.*s, not %s", rows[i].url, (int)key.len, key.data,
                     rows[i].key);
    }
    th_arena_free(arena);
}

/* Escapes of escapes are undone in one pass, and a key has a limit. */
static void is_linear(void **state)
{
    th_arena *arena = th_arena_new(0);
    char *url = calloc(1, TH_SURT_URL_MAX + 2);
    (void)state;
    assert_non_null(url);
    memcpy(url, "http://a/%", 10);
    for (size_t i = 10; i + 2 <= TH_SURT_URL_MAX; i += 2)
        memcpy(url + i, "25", 2);
    th_view key = th_surt((th_view){ url, TH_SURT_URL_MAX }, arena);
    assert_int_equal(key.len, 6);
    assert_memory_equal(key.data, "a)/%25", 6);
    assert_null(th_surt((th_view){ url, TH_SURT_URL_MAX + 1 }, arena).data);
    th_arena_free(arena);
    free(url);
}

/* Bytes of any kind: a key is printable ASCII, and without memory there is no key. */
static void takes_any_bytes(void **state)
{
    uint64_t draw = 1;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        th_arena *arena = th_arena_new(round % 3 ? 0 : 1 + (size_t)round % 700);
        static const char often[] = "%/?&=:@[]().#25hHtTpw \t\xC3\xA4";
        char url[48];
        size_t len = 0;
        draw = draw * 6364136223846793005u + 1442695040888963407u;
        for (uint64_t bits = draw; len < (draw >> 58) && len < sizeof url; len++) {
            bits = bits * 2862933555777941757u + 3037000493u;
            url[len] = bits >> 63 ? (char)(bits >> 40)
                                  : often[(bits >> 33) % (sizeof often - 1)];
        }
        const th_view key = th_surt((th_view){ url, len }, arena);
        for (size_t i = 0; i < key.len; i++)
            assert_in_range((unsigned char)key.data[i], 0x21, 0x7E);
        th_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_keys),
        cmocka_unit_test(is_linear),
        cmocka_unit_test(takes_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
