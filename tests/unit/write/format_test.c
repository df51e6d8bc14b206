/* src/write/format.c: every format's row is complete, and inputs that a format refuses. */
#include "write/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "thresher/page.h"

static void rows_are_whole(void **state)
{
    (void)state;
    for (const th_format *const *at = th_formats; *at; at++) {
        const th_format *format = *at;
        assert_ptr_equal(th_format_find(format->name), format);
        assert_true(strlen(format->help) > 10);
        assert_true(format->suffix[0] && format->suffix[0] != '.');
        assert_non_null(format->page);
    }
    assert_null(th_format_find("avro"));
    assert_null(th_format_find(""));
}

static void compressions_have_suffixes(void **state)
{
    (void)state;
    assert_string_equal(th_compression_suffix(TH_PLAIN), "");
    assert_string_equal(th_compression_suffix(TH_GZIP), ".gz");
    assert_string_equal(th_compression_suffix(TH_ZSTD), ".zst");
}

/* Options that shards of signatures do not support. */
static const struct row {
    const char *name, *minhash;
    uint32_t sign;
    th_compression compression;
    bool is_folder;
    uint32_t rank, input_count;
    const char *why; /* NULL if it is valid */
} rows[] = {
    { "shards are taken", "datatrove", 1u << TH_SIGN_PAGE, TH_PLAIN, true, 0, 1, NULL },
    { "and with parameters", "datatrove:bits=32", 1, TH_PLAIN, true, 0, 1, NULL },
    { "the last rank", "datatrove", 1, TH_PLAIN, true, 99999, 1, NULL },
    { "ranks of all inputs", "datatrove", 1, TH_PLAIN, true, 0, 100000, NULL },
    { "one rank too many", "datatrove", 1, TH_PLAIN, true, 99999, 2,
      "exceeds the last shard number" },
    { "no rank at all", "datatrove", 1, TH_PLAIN, true, 100000, 0,
      "exceeds the last shard number" },
    { "one file", "datatrove", 1, TH_PLAIN, false, 0, 1, "--output DIR/" },
    { "compressed", "datatrove", 1, TH_ZSTD, true, 0, 1, "does not support compression" },
    { "another preset", "modern", 1, TH_PLAIN, true, 0, 1, "not 'modern'" },
    { "no preset", "none", 1, TH_PLAIN, true, 0, 1, "not 'none'" },
    { "no text", "datatrove", 0, TH_PLAIN, true, 0, 1, "a text to --sign" },
};

static void row_holds(void **state)
{
    const struct row *row = *state;
    const th_options page = { .minhash = row->minhash, .sign = row->sign };
    const th_format_use use = {
        .page = &page,
        .compression = row->compression,
        .is_folder = row->is_folder,
        .rank = row->rank,
        .input_count = row->input_count,
    };
    th_error err = { .text = "" };
    const th_status status = th_format_find("minhash-sig")->check(&use, &err);
    assert_int_equal(status, row->why ? TH_USAGE : TH_OK);
    if (row->why)
        assert_non_null(strstr(err.text, row->why));
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(rows_are_whole);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(compressions_have_suffixes);
    return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
