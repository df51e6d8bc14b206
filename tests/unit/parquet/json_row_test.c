/* src/parquet/json_row.c: levels and values of rows, and rows that are refused. */
#include "parquet/json_row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const th_parquet_field fields[] = {
    { 0, "a", TH_PARQUET_INT, false },  { 0, "g", TH_PARQUET_GROUP, false },
    { 1, "t", TH_PARQUET_TEXT, false }, { 1, "n", TH_PARQUET_TEXT, true },
    { 0, "l", TH_PARQUET_GROUP, true }, { 1, "x", TH_PARQUET_REAL, false },
    { 1, "y", TH_PARQUET_BOOL, true },  { 0, "s", TH_PARQUET_INT16, false },
    { 0, "u", TH_PARQUET_UINT, false },
};
enum { FIELDS = sizeof fields / sizeof *fields, LEAVES = 7 };
enum { A, T, N, X, Y, S, U };

static th_parquet_schema schema;
static th_column_chunk columns[LEAVES];
static th_json_row row;

static int start(void **state)
{
    (void)state;
    if (th_parquet_schema_init(&schema, fields, FIELDS) != TH_OK ||
        schema.leaf_count != LEAVES)
        return -1;
    for (uint32_t i = 0; i < LEAVES; i++)
        th_column_init(&columns[i], &schema.nodes[schema.leaves[i]]);
    row = (th_json_row){ .schema = &schema, .columns = columns };
    return 0;
}

static int done(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < LEAVES; i++)
        th_column_done(&columns[i]);
    th_json_row_done(&row);
    th_parquet_schema_done(&schema);
    return 0;
}

static th_status add(const char *object)
{
    uint64_t bytes = 0;
    return th_json_row_add(&row, (th_view){ object, strlen(object) }, &bytes);
}

/* Levels in digits, "0101". */
static void expect_levels(int column, const char *reps, const char *defs)
{
    const th_column_chunk *chunk = &columns[column];
    char text[64];
    assert_int_equal(chunk->defs.len, strlen(defs));
    for (size_t i = 0; i < chunk->defs.len; i++)
        text[i] = (char)('0' + chunk->defs.data[i]);
    assert_memory_equal(text, defs, chunk->defs.len);
    assert_int_equal(chunk->reps.len, strlen(reps));
    for (size_t i = 0; i < chunk->reps.len; i++)
        text[i] = (char)('0' + chunk->reps.data[i]);
    assert_memory_equal(text, reps, chunk->reps.len);
}

static void what_is_absent_has_its_level(void **state)
{
    (void)state;
    assert_int_equal(add("{}"), TH_OK);
    assert_int_equal(add("{\"a\":null,\"g\":{},\"l\":[]}"), TH_OK);
    assert_int_equal(add("{\"a\":1,\"g\":{\"t\":\"\",\"n\":[]},\"l\":[{}]}"), TH_OK);
    assert_int_equal(add("{\"l\":[{\"x\":1.5},{\"y\":[]},{\"y\":[true,false]}],"
                         "\"g\":{\"n\":[\"p\",\"q\"]}}"),
                     TH_OK);
    expect_levels(A, "", "0010");
    expect_levels(T, "", "0121");
    expect_levels(N, "00001", "01233");
    expect_levels(X, "000011", "012322");
    expect_levels(Y, "0000112", "0122344");
}

static void numbers_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } reals[] = {
        { "0.1", .1 },       { "123456.789", 123456.789 },
        { "-0.25", -.25 },   { "1e3", 1000 },
        { "0.3333", .3333 }, { "9007199254740993", 9007199254740992.0 },
        { "1E-7", 1e-7 },    { "123456789012345678901", 123456789012345678901.0 }
    };
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        char object[80];
        double value = 0;
        (void)snprintf(object, sizeof object, "{\"l\":[{\"x\":%s}]}", reals[i].text);
        assert_int_equal(add(object), TH_OK);
        memcpy(&value, columns[X].entries.data + i * sizeof value, sizeof value);
        assert_true(value == reals[i].value);
    }
    assert_int_equal(add("{\"a\":-9223372036854775807,\"s\":-32767}"), TH_OK);
    assert_int_equal(add("{\"u\":18446744073709551615}"), TH_OK);
}

static void escapes_are_undone(void **state)
{
    (void)state;
    assert_int_equal(add("{\"g\":{\"t\":\"a\\n\\u00e9\\ud83d\\ude00\\u0000\"}}"), TH_OK);
    static const char entry[] = "\x09\0\0\0a\n\xc3\xa9\xf0\x9f\x98\x80\0";
    assert_int_equal(columns[T].entries.len, sizeof entry - 1);
    assert_memory_equal(columns[T].entries.data, entry, sizeof entry - 1);
}

static const struct bad {
    const char *object, *why;
} bad[] = {
    { "", "no object" },
    { "[]", "no object" },
    { "{\"a\":1", "no JSON" },
    { "{\"a\":1}{}", "goes on" },
    { "{\"b\":1}", "none for 'b'" },
    { "{\"a\":1,\"a\":1}", "twice" },
    { "{\"a\":\"1\"}", "no number" },
    { "{\"a\":1.5}", "integer" },
    { "{\"a\":9223372036854775808}", "integer" },
    { "{\"s\":32768}", "integer" },
    { "{\"u\":-1}", "integer" },
    { "{\"u\":18446744073709551616}", "integer" },
    { "{\"g\":[]}", "no object" },
    { "{\"g\":{\"t\":1}}", "no string" },
    { "{\"g\":{\"t\":\"\\x\"}}", "no string" },
    { "{\"g\":{\"n\":\"p\"}}", "no array" },
    { "{\"g\":{\"n\":[null]}}", "no string" },
    { "{\"l\":[{\"x\":1e999}]}", "no number" },
    { "{\"l\":[{\"y\":[1]}]}", "true nor false" },
};

static void a_bad_row_is_refused(void **state)
{
    const struct bad *is = *state;
    assert_int_equal(start(state), 0);
    assert_int_equal(add(is->object), TH_DAMAGED);
    assert_non_null(strstr(row.fault, is->why));
    (void)done(state);
}

static void a_bad_schema_is_refused(void **state)
{
    static const th_parquet_field empty[] = { { 0, "g", TH_PARQUET_GROUP, false } };
    static const th_parquet_field deep[] = { { 1, "a", TH_PARQUET_INT, false } };
    static const th_parquet_field leaf[] = { { 0, "a", TH_PARQUET_INT, false },
                                             { 1, "b", TH_PARQUET_INT, false } };
    th_parquet_schema none;
    (void)state;
    assert_int_equal(th_parquet_schema_init(&none, empty, 0), TH_USAGE);
    assert_int_equal(th_parquet_schema_init(&none, empty, 1), TH_USAGE);
    assert_int_equal(th_parquet_schema_init(&none, deep, 1), TH_USAGE);
    assert_int_equal(th_parquet_schema_init(&none, leaf, 2), TH_USAGE);
}

int main(void)
{
    enum { BAD = sizeof bad / sizeof *bad };
    struct CMUnitTest tests[BAD + 4];
    for (size_t i = 0; i < BAD; i++)
        tests[i] = (struct CMUnitTest){ bad[i].why, a_bad_row_is_refused, NULL, NULL,
                                        (void *)(uintptr_t)&bad[i] };
    tests[BAD] = (struct CMUnitTest)cmocka_unit_test_setup_teardown(
        what_is_absent_has_its_level, start, done);
    tests[BAD + 1] = (struct CMUnitTest)cmocka_unit_test_setup_teardown(numbers_are_exact,
                                                                        start, done);
    tests[BAD + 2] = (struct CMUnitTest)cmocka_unit_test_setup_teardown(
        escapes_are_undone, start, done);
    tests[BAD + 3] = (struct CMUnitTest)cmocka_unit_test(a_bad_schema_is_refused);
    return cmocka_run_group_tests_name("json_row", tests, NULL, NULL);
}
