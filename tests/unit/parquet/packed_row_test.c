/* src/parquet/packed_row.c: levels and values of rows, and rows that are refused. */
#include "parquet/packed_row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "packed_text.h"

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
static th_packed_row row;

static int start(void **state)
{
    (void)state;
    if (th_parquet_schema_init(&schema, fields, FIELDS) != TH_OK ||
        schema.leaf_count != LEAVES)
        return -1;
    for (uint32_t i = 0; i < LEAVES; i++)
        th_column_init(&columns[i], &schema.nodes[schema.leaves[i]]);
    row = (th_packed_row){ .schema = &schema, .columns = columns };
    return 0;
}

static int done(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < LEAVES; i++)
        th_column_done(&columns[i]);
    th_packed_row_done(&row);
    th_parquet_schema_done(&schema);
    return 0;
}

/* Adds tokens in pieces of `piece` bytes. @return TH_DAMAGED also for an incomplete row */
static th_status add_tokens(th_view tokens, size_t piece)
{
    th_status status = TH_OK;
    bool is_row = false;
    while (tokens.len && status == TH_OK) {
        th_view part = { tokens.data, tokens.len < piece ? tokens.len : piece };
        tokens.data += part.len;
        tokens.len -= part.len;
        while (part.len && status == TH_OK)
            status = th_packed_row_read(&row, &part, &is_row);
    }
    if (status == TH_OK && !(is_row && th_packed_row_is_complete(&row)))
        return TH_DAMAGED;
    return status;
}

static th_status add(const char *object)
{
    th_buffer tokens = { 0 };
    pack_text(object, &tokens);
    const th_status status = add_tokens(th_buffer_view(&tokens), SIZE_MAX);
    th_buffer_done(&tokens);
    return status;
}

/* @param expected  in digits, "0101" */
static void expect_numbers(th_run_lengths *levels, const char *expected)
{
    th_run_reader reader;
    th_run_lengths_end(levels);
    assert_true(th_run_reader_begin(&reader, levels->width, th_buffer_view(levels->out)));
    for (const char *digit = expected; *digit; digit++) {
        uint32_t number;
        assert_true(th_run_reader_next(&reader, &number));
        assert_int_equal(number, *digit - '0');
    }
}

/* Ends the levels of the column's page, and compares them. */
static void expect_levels(int column, const char *reps, const char *defs)
{
    th_column_chunk *chunk = &columns[column];
    assert_int_equal(chunk->page_levels, strlen(defs));
    assert_int_equal(strlen(reps), chunk->most_rep ? strlen(defs) : 0);
    expect_numbers(&chunk->defs, defs);
    expect_numbers(&chunk->reps, reps);
}

static void what_is_absent_has_its_level(void **state)
{
    (void)state;
    assert_int_equal(add("{}"), TH_OK);
    assert_int_equal(add("{\"g\":{},\"l\":[]}"), TH_OK);
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

static double last_real(void)
{
    const th_buffer *entries = &columns[X].entries;
    double value = 0;
    memcpy(&value, entries->data + entries->len - sizeof value, sizeof value);
    return value;
}

static void numbers_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } reals[] = {
        { "0.1", .1 },     { "123456.789", 123456.789 },
        { "-0.25", -.25 }, { "0.3333", .3333 },
        { "1000", 1000 },  { "9007199254740993", 9007199254740992.0 },
        { "-7", -7 },
    };
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        char object[80];
        (void)snprintf(object, sizeof object, "{\"l\":[{\"x\":%s}]}", reals[i].text);
        assert_int_equal(add(object), TH_OK);
        assert_true(last_real() == reals[i].value);
    }
    assert_int_equal(add("{\"a\":9223372036854775807,\"s\":-32767}"), TH_OK);
    assert_int_equal(add("{\"u\":18446744073709551615}"), TH_OK);
}

static void texts_are_unchanged(void **state)
{
    (void)state;
    assert_int_equal(add("{\"g\":{\"t\":\"a\\n\\u00e9\\ud83d\\ude00\\u0000\"}}"), TH_OK);
    static const char entry[] = "\x09\0\0\0a\n\xc3\xa9\xf0\x9f\x98\x80\0";
    assert_int_equal(columns[T].entries.len, sizeof entry - 1);
    assert_memory_equal(columns[T].entries.data, entry, sizeof entry - 1);
}

static void pieces_change_nothing(void **state)
{
    static const char object[] =
        "{\"a\":258,\"g\":{\"t\":\"a longer text\",\"n\":[\"\"]},"
        "\"l\":[{\"x\":1.5,\"y\":[true]},{}]}";
    (void)state;
    th_buffer tokens = { 0 };
    pack_text(object, &tokens);
    for (size_t piece = 1; piece <= tokens.len; piece++)
        assert_int_equal(add_tokens(th_buffer_view(&tokens), piece), TH_OK);
    for (int i = 0; i < LEAVES; i++) /* each row has the same values */
        assert_true(columns[i].entry_count <= 1);
    assert_int_equal(columns[T].page_levels, tokens.len);
    th_buffer_done(&tokens);
}

#define BYTES(literal)                                                                   \
    {                                                                                    \
        literal, sizeof(literal) - 1                                                     \
    }
#define ZERO "\0\0\0\0\0\0\0\0"

/* clang-format off */
static const struct bad {
    const char *why;
    th_view tokens;
} bad[] = {
    { "is not an object",    BYTES("[]") },
    { "",                    BYTES("{k\1au" ZERO) },
    { "",                    BYTES("{k\1au" "\0\0\0") },
    { "no column for 'b'",   BYTES("{k\1bu" ZERO "}") },
    { "occurs twice",        BYTES("{k\1au" ZERO "k\1au" ZERO "}") },
    { "without a key",       BYTES("{u" ZERO "}") },
    { "without a key",       BYTES("{\xff}") },
    { "wrong place",         BYTES("{k\1ak\1a}") },
    { "is incomplete",       BYTES("{k\1a}") },
    { "is incomplete",       BYTES("{]") },
    { "is incomplete",       BYTES("{k\1l[}") },
    { "is not a number",     BYTES("{k\1as\1\0\0\0" "1}") },
    { "not an integer",      BYTES("{k\1ad" ZERO "}") },
    { "not an integer",      BYTES("{k\1au\0\0\0\0\0\0\0\x80}") },
    { "not an integer",      BYTES("{k\1su\0\x80\0\0\0\0\0\0}") },
    { "not an integer",      BYTES("{k\1ui\xff\xff\xff\xff\xff\xff\xff\xff}") },
    { "'g' is not an object", BYTES("{k\1g[]}") },
    { "is not a string",     BYTES("{k\1g{k\1tt}}") },
    { "is not a list",       BYTES("{k\1g{k\1ns\0\0\0\0}}") },
    { "is not a string",     BYTES("{k\1g{k\1n[t]}}") },
    { "is not a string",     BYTES("{k\1g{k\1n[[]]}}") },
    { "true nor false",      BYTES("{k\1l[{k\1y[u" ZERO "]}]}") },
};
/* clang-format on */

static void a_bad_row_is_refused(void **state)
{
    const struct bad *is = *state;
    assert_int_equal(start(state), 0);
    assert_int_equal(add_tokens(is->tokens, SIZE_MAX), TH_DAMAGED);
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
    struct CMUnitTest tests[BAD + 5];
    for (size_t i = 0; i < BAD; i++)
        tests[i] = (struct CMUnitTest){ bad[i].why, a_bad_row_is_refused, NULL, NULL,
                                        (void *)(uintptr_t)&bad[i] };
    tests[BAD] = (struct CMUnitTest)cmocka_unit_test_setup_teardown(
        what_is_absent_has_its_level, start, done);
    tests[BAD + 1] = (struct CMUnitTest)cmocka_unit_test_setup_teardown(numbers_are_exact,
                                                                        start, done);
    tests[BAD + 2] = (struct CMUnitTest)cmocka_unit_test_setup_teardown(
        texts_are_unchanged, start, done);
    tests[BAD + 4] = (struct CMUnitTest)cmocka_unit_test_setup_teardown(
        pieces_change_nothing, start, done);
    tests[BAD + 3] = (struct CMUnitTest)cmocka_unit_test(a_bad_schema_is_refused);
    return cmocka_run_group_tests_name("packed_row", tests, NULL, NULL);
}
