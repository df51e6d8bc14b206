/* src/remote/remote_prefix.c: names below a prefix, for any decoding by a server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "remote/remote_name.h"
#include "remote/remote_prefix.h"

static const struct row {
    const char *name, *prefix;
    bool is_below;
} rows[] = {
    /* clang-format off */
    { "s3://b/a.warc.gz", "s3://b/", true },
    { "s3://b/x/y/a b+c=d%41.warc.gz", "s3://b/x/", true },
    { "s3://b/x//a.warc", "s3://b/x/", true },
    { "s3://b/x/a?b#c.warc", "s3://b/x/", true },
    { "https://h.example/p/a.warc", "https://h.example/p/", true },
    { "https://h.example/p/a.warc?X-Amz-Signature=../..", "https://h.example/p/", true },
    { "https://h.example:8443/a.warc", "https://h.example:8443/", true },
    { "https://h.example/p/...", "https://h.example/p/", true },
    { "https://h.example/p/..a/.b", "https://h.example/p/", true },
    { "https://h.example/p/a%20b%", "https://h.example/p/", true },
    { "https://h.example/p/100%25/a", "https://h.example/p/", true },
    { "https://h.example/p/%zz%4", "https://h.example/p/", true },

    { "s3://b/", "s3://b/", false },
    { "s3://bb/a.warc.gz", "s3://b/", false },
    { "s3://b/xa.warc", "s3://b/x/", false },
    { "S3://b/a.warc", "s3://b/", false },
    { "s3://b/x/../y/a.warc", "s3://b/x/", false },
    { "s3://b/x/%2e%2E/a.warc", "s3://b/x/", false },
    { "http://h.example/p/a.warc", "https://h.example/p/", false },
    { "https://H.example/p/a.warc", "https://h.example/p/", false },
    { "https://h.example.evil.example/p/a.warc", "https://h.example/", false },
    { "https://h.example@evil.example/p/a.warc", "https://h.example/", false },
    { "https://h.example:8443/a.warc", "https://h.example/", false },
    { "https://h.example?/p/a.warc", "https://h.example/", false },
    { "https://h.example/q/a.warc", "https://h.example/p/", false },
    { "https://h.example/p", "https://h.example/p/", false },
    { "https://h.example/p/?list", "https://h.example/p/", false },
    { "https://h.example/p/a.warc#b", "https://h.example/p/", false },
    { "https://h.example/p/..", "https://h.example/p/", false },
    { "https://h.example/p/../q/a.warc", "https://h.example/p/", false },
    { "https://h.example/p/./a.warc", "https://h.example/p/", false },
    { "https://h.example/p/x/..%2fa.warc", "https://h.example/p/", false },
    { "https://h.example/p/%2e%2e/a.warc", "https://h.example/p/", false },
    { "https://h.example/p/.%2e/a.warc", "https://h.example/p/", false },
    { "https://h.example/p/%252e%252e/a.warc", "https://h.example/p/", false },
    { "https://h.example/p/%25252525252e%2e/a.warc", "https://h.example/p/", false },
    { "https://h.example/p/%252525252525252525252525252541", "https://h.example/p/", false },
    { "https://h.example/p/a%2fb", "https://h.example/p/", false },
    { "https://h.example/p/a%5c..%5cb", "https://h.example/p/", false },
    { "https://h.example/p/a\\..\\b", "https://h.example/p/", false },
    { "https://h.example/p/a%00b", "https://h.example/p/", false },
    { "https://h.example/p/a%0d%0ab", "https://h.example/p/", false },
    { "https://h.example/p/a\nb", "https://h.example/p/", false },
    /* clang-format on */
};

static void row_holds(void **state)
{
    const struct row *row = *state;
    char *exact = strdup(row->name);
    assert_non_null(exact);
    assert_int_equal(th_remote_is_below(exact, row->prefix), row->is_below);
    free(exact);
}

static void a_long_name_is_below_nothing(void **state)
{
    (void)state;
    char name[TH_REMOTE_NAME_MAX + 2] = "s3://b/";
    memset(name + 7, 'a', sizeof name - 8);
    name[sizeof name - 1] = '\0';
    assert_false(th_remote_is_below(name, "s3://b/"));
    name[TH_REMOTE_NAME_MAX] = '\0';
    assert_true(th_remote_is_below(name, "s3://b/"));
}

static void lists_are_read(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "s3://b",           "s3://b/x",
        "s3:///",           "https://h.example",
        "https:///",        "https://h.example/p",
        "ftp://h.example/", "/srv/archives/",
        "h.example/",       "https://u:p@h.example/",
        "s3://b/../",       "https://h.example/%2e%2e/",
        "s3://b/ s3://c",   "https://h.example/a/?b/",
    };
    th_remote_prefixes prefixes;
    assert_int_equal(th_remote_prefixes_read("", &prefixes, NULL), TH_OK);
    assert_int_equal(prefixes.count, 0);
    th_remote_prefixes_done(&prefixes);
    assert_int_equal(
        th_remote_prefixes_read("  s3://b/x/ https://h.example/ ", &prefixes, NULL),
        TH_OK);
    assert_int_equal(prefixes.count, 2);
    assert_int_equal(th_remote_prefixes_find(&prefixes, "https://h.example/a"), 1);
    assert_int_equal(th_remote_prefixes_find(&prefixes, "s3://b/x/a"), 0);
    assert_int_equal(th_remote_prefixes_find(&prefixes, "s3://b/y/a"), -1);
    th_remote_prefixes_done(&prefixes);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        th_error why = { .text = "" };
        assert_int_equal(th_remote_prefixes_read(bad[i], &prefixes, &why), TH_USAGE);
        assert_true(*why.text);
    }
}

static void a_list_is_bounded(void **state)
{
    (void)state;
    char list[(TH_REMOTE_PREFIXES_MAX + 1) * 8 + 1] = "";
    th_remote_prefixes prefixes;
    for (int i = 0; i < TH_REMOTE_PREFIXES_MAX; i++)
        strcat(list, "s3://b/ ");
    assert_int_equal(th_remote_prefixes_read(list, &prefixes, NULL), TH_OK);
    assert_int_equal(prefixes.count, TH_REMOTE_PREFIXES_MAX);
    th_remote_prefixes_done(&prefixes);
    strcat(list, "s3://b/");
    assert_int_equal(th_remote_prefixes_read(list, &prefixes, NULL), TH_USAGE);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    static struct CMUnitTest names[ROWS];
    const struct CMUnitTest claims[] = {
        cmocka_unit_test(a_long_name_is_below_nothing),
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(a_list_is_bounded),
    };
    for (size_t i = 0; i < ROWS; i++)
        names[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests_name("names", names, NULL, NULL) +
           cmocka_run_group_tests_name("claims", claims, NULL, NULL);
}
