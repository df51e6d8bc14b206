/* Converts hosts and addresses to sites. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "site/site_name.h"

static const struct row {
    const char *url, *domain, *host; /* NULL: no site */
} rows[] = {
    { "http://www.example.com/a", "example.com", "www.example.com" },
    { "HTTPS://News.Example.CO.UK:8080/a#b", "example.co.uk", "news.example.co.uk" },
    { "http://user@a.b.example.com./", "example.com", "a.b.example.com" },
    { "http://someone.github.io/x", "someone.github.io", "someone.github.io" },
    { "http://github.io/", "github.io", "github.io" }, /* itself a suffix */
    { "http://192.168.10.1/", "192.168.10.1", "192.168.10.1" },
    { "http://[2001:db8::1]/", "[2001:db8::1]", "[2001:db8::1]" },
    { "http://localhost/", "localhost", "localhost" },
    { "http://xn--bcher-kva.example/", "xn--bcher-kva.example", "xn--bcher-kva.example" },
    { "mailto:someone@example.com", NULL, NULL },
    { "urn:uuid:1", NULL, NULL },
    { "/path", NULL, NULL },
    { "", NULL, NULL },
};

static th_view view_of(const char *text)
{
    return (th_view){ text, strlen(text) };
}

static void names_sites(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const wanted[] = { rows[i].domain, rows[i].host };
        for (int by = TH_SITE_DOMAIN; by <= TH_SITE_HOST; by++) {
            th_site_name name;
            const bool has =
                th_site_name_of(view_of(rows[i].url), (th_site_grouping)by, &name);
            assert_int_equal(has, wanted[by] != NULL);
            if (has)
                assert_string_equal(name.text, wanted[by]);
        }
    }
}

static void refuses_long_hosts(void **state)
{
    char url[600] = "http://";
    th_site_name name;
    (void)state;
    memset(url + 7, 'a', 500);
    assert_false(th_site_name_of(view_of(url), TH_SITE_HOST, &name));
    assert_false(th_site_name_of((th_view){ "http://a\0b/", 11 }, TH_SITE_HOST, &name));
}

static void takes_hosts_apart(void **state)
{
    static const struct {
        const char *host;
        bool with_private;
        const char *suffix, *domain; /* NULL: none */
    } hosts[] = {
        { "www.example.co.uk", false, "co.uk", "example.co.uk" },
        { "a.b.github.io", false, "io", "github.io" },
        { "a.b.github.io", true, "github.io", "b.github.io" },
        { "github.io", true, "github.io", NULL },
        { "com", false, "com", NULL },
        { "a.b.example", false, NULL, NULL },
        { "192.0.2.1", true, NULL, NULL },
        { "localhost", true, NULL, NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        th_site_name name;
        th_host_domain found;
        assert_true(th_site_name_parse(view_of(hosts[i].host), TH_SITE_HOST, &name));
        assert_int_equal(th_host_domain_of(&name, hosts[i].with_private, &found),
                         hosts[i].suffix != NULL);
        if (!hosts[i].suffix)
            continue;
        assert_string_equal(found.suffix, hosts[i].suffix);
        if (hosts[i].domain)
            assert_string_equal(found.domain, hosts[i].domain);
        else
            assert_null(found.domain);
    }
}

static void parses_what_people_write(void **state)
{
    th_site_name a, b, c;
    (void)state;
    assert_true(
        th_site_name_parse(view_of("http://www.example.org/x"), TH_SITE_DOMAIN, &a));
    assert_true(th_site_name_parse(view_of("www.Example.org"), TH_SITE_DOMAIN, &b));
    assert_true(th_site_name_parse(view_of("example.org"), TH_SITE_DOMAIN, &c));
    assert_int_equal(a.number, b.number);
    assert_int_equal(a.number, c.number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_sites),
        cmocka_unit_test(refuses_long_hosts),
        cmocka_unit_test(takes_hosts_apart),
        cmocka_unit_test(parses_what_people_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
