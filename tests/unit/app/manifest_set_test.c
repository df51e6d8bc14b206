/* src/app/manifest_set.c: manifests that it reads, and texts that are not manifests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/manifest_set.h"

#define SUM "52dfd523c84d57f38248262579483a2f2f362f99d5577f1b94fdfc843bcccf2f"
#define HEAD                                                                             \
    "\"schema\":\"thresher-manifest/1\",\"version\":\"1.0.0\",\"format\":\"jsonl\""
#define OUTPUT                                                                           \
    "{\"name\":\"a.jsonl\",\"kind\":\"records\",\"bytes\":7,\"sha256\":\"" SUM "\"}"
#define OUTPUTS(text) "{" HEAD ",\"outputs\":[" text "]}"
#define MEMBER(text) "{" HEAD "," text "}"
#define NAME(text) OUTPUTS("{\"name\":\"" text "\",\"sha256\":\"" SUM "\"}")
#define HASH(text) OUTPUTS("{\"name\":\"a\",\"sha256\":\"" text "\"}")

/* lines: of the sums; -1 if it is not a manifest */
static const struct row {
    const char *name, *text;
    int lines;
} rows[] = {
    /* clang-format off */
    { "smallest", "{" HEAD "}", 0 },
    { "one output", OUTPUTS(OUTPUT), 1 },
    { "two outputs", OUTPUTS(OUTPUT "," OUTPUT), 2 },
    { "unknown members", "{\"x\":[{\"y\":{}}]," HEAD ",\"z\":null,\"outputs\":[{\"w\":[1],\"name\":\"a\",\"sha256\":\"" SUM "\"}]}", 1 },
    { "all members", MEMBER("\"options\":{\"redact\":\"ip\"},\"inputs\":[{\"name\":\"i\"},{}],\"counts\":{\"read\":3,\"refused\":{\"x\":1},\"emitted\":2}"), 0 },
    { "nothing", "", -1 },
    { "no object", "[]", -1 },
    { "cut", "{" HEAD, -1 },
    { "text after it", "{" HEAD "} x", -1 },
    { "no schema", "{\"version\":\"1\",\"format\":\"jsonl\"}", -1 },
    { "another schema", "{\"schema\":\"thresher-manifest/2\",\"version\":\"1\",\"format\":\"jsonl\"}", -1 },
    { "a schema that is a number", "{\"schema\":1,\"version\":\"1\",\"format\":\"jsonl\"}", -1 },
    { "no format", "{\"schema\":\"thresher-manifest/1\",\"version\":\"1\"}", -1 },
    { "a format that is a number", "{\"schema\":\"thresher-manifest/1\",\"format\":1}", -1 },
    { "a version that is a number", "{\"schema\":\"thresher-manifest/1\",\"format\":\"jsonl\",\"version\":1}", -1 },
    { "options that are a list", MEMBER("\"options\":[]"), -1 },
    { "an option that is a number", MEMBER("\"options\":{\"a\":\"b\",\"jobs\":1}"), -1 },
    { "an option with NUL", MEMBER("\"options\":{\"a\":\"\\u0000\"}"), -1 },
    { "inputs that are an object", MEMBER("\"inputs\":{}"), -1 },
    { "cut inputs", "{" HEAD ",\"inputs\":[{\"name\":", -1 },
    { "counts that are a list", MEMBER("\"counts\":[]"), -1 },
    { "counts that are a number", MEMBER("\"counts\":3"), -1 },
    { "a count that is text", MEMBER("\"counts\":{\"read\":\"3\"}"), -1 },
    { "another count that is cut", "{" HEAD ",\"counts\":{\"x\":[", -1 },
    { "outputs that are an object", MEMBER("\"outputs\":{}"), -1 },
    { "an output without a name", OUTPUTS("{\"sha256\":\"" SUM "\"}"), -1 },
    { "an output without a sum", OUTPUTS("{\"name\":\"a\"}"), -1 },
    { "bytes that are text", OUTPUTS("{\"bytes\":\"7\",\"name\":\"a\",\"sha256\":\"" SUM "\"}"), -1 },
    { "a name that is a number", OUTPUTS("{\"name\":7,\"sha256\":\"" SUM "\"}"), -1 },
    { "a kind that is a number", OUTPUTS("{\"kind\":7,\"name\":\"a\",\"sha256\":\"" SUM "\"}"), -1 },
    { "a member of an output that is cut", "{" HEAD ",\"outputs\":[{\"w\":[", -1 },
    { "names with dots", NAME("..a"), 1 },
    { "the folder above", NAME(".."), -1 },
    { "a folder below", NAME("a/b"), 1 },
    { "a folder with dots", NAME("a/..b/c"), 1 },
    { "the folder above a folder", NAME("a/../b"), -1 },
    { "a name that ends above", NAME("a/.."), -1 },
    { "a name from the root", NAME("/a"), -1 },
    { "a name that ends with a slash", NAME("a/"), -1 },
    { "an empty part of a name", NAME("a//b"), -1 },
    { "a line end in a name", NAME("a\\nb"), -1 },
    { "a carriage return in a name", NAME("a\\rb"), -1 },
    { "a backslash in a name", NAME("a\\\\b"), -1 },
    { "NUL in a name", NAME("a\\u0000b"), -1 },
    { "an empty name", NAME(""), -1 },
    { "an empty sum", HASH(""), -1 },
    { "a sum with 63 digits", HASH("2dfd523c84d57f38248262579483a2f2f362f99d5577f1b94fdfc843bcccf2f"), -1 },
    { "a sum with 65 digits", HASH(SUM "0"), -1 },
    { "a sum with capitals", HASH("52DFD523c84d57f38248262579483a2f2f362f99d5577f1b94fdfc843bcccf2f"), -1 },
    /* clang-format on */
};

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Prints the sums to a file. @return its lines */
static int count_sums(const th_manifest_set *set, const char *path)
{
    th_error err = { .text = "" };
    (void)fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    assert_true(kept >= 0);
    assert_non_null(freopen(path, "w", stdout));
    const th_status status = th_manifest_set_sums(set, &err);
    (void)fflush(stdout);
    (void)dup2(kept, STDOUT_FILENO);
    (void)close(kept);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    int count = 0;
    for (int c; (c = fgetc(file)) != EOF;)
        count += c == '\n';
    (void)fclose(file);
    assert_int_equal(status, count ? TH_OK : TH_USAGE);
    return count;
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    char folder[] = "/tmp/manifest_set.XXXXXX", path[64], sums[64];
    th_error err = { .text = "" };
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/a.manifest.json", folder);
    (void)snprintf(sums, sizeof sums, "%s/sums", folder);
    write_text(path, row->text);
    th_manifest_set *set = th_manifest_set_new();
    assert_non_null(set);
    const th_status status = th_manifest_set_add(set, folder, &err);
    assert_int_equal(status, row->lines < 0 ? TH_USAGE : TH_OK);
    if (status == TH_OK)
        assert_int_equal(count_sums(set, sums), row->lines);
    else
        assert_non_null(strstr(err.text, "a.manifest.json' is not a manifest"));
    th_manifest_set_free(set);
    (void)unlink(sums);
    (void)unlink(path);
    (void)rmdir(folder);
}

static void a_missing_folder_is_named(void **state)
{
    (void)state;
    th_error err = { .text = "" };
    th_manifest_set *set = th_manifest_set_new();
    assert_int_equal(th_manifest_set_add(set, "/nowhere/at/all", &err), TH_IO);
    assert_non_null(strstr(err.text, "'/nowhere/at/all'"));
    th_manifest_set_free(set);
    th_manifest_set_free(NULL);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    static struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] =
            (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, (void *)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(a_missing_folder_is_named);
    return cmocka_run_group_tests_name("manifest_set", tests, NULL, NULL);
}
