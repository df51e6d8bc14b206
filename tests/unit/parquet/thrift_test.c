/* src/parquet/thrift.c: bytes of the protocol's specification. */
#include "parquet/thrift.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parquet/thrift_reader.h"

static th_buffer out;
static th_thrift thrift;

static int begin(void **state)
{
    (void)state;
    th_buffer_done(&out);
    th_thrift_begin(&thrift, &out);
    return 0;
}

static int done(void **state)
{
    (void)state;
    th_buffer_done(&out);
    return 0;
}

static void expect_bytes(const char *bytes, size_t len)
{
    assert_int_equal(out.len, len);
    assert_memory_equal(out.data, bytes, len);
}
#define EXPECT(literal) expect_bytes(literal, sizeof(literal) - 1)

static void numbers_are_zigzag(void **state)
{
    (void)state;
    th_thrift_i32(&thrift, 1, 0);
    th_thrift_i32(&thrift, 2, -1);
    th_thrift_i64(&thrift, 3, 150);
    th_thrift_i64(&thrift, 4, INT64_MIN);
    th_thrift_end(&thrift);
    EXPECT(
        "\x15\x00\x15\x01\x16\xac\x02\x16\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00");
}

static void a_wide_step_names_its_field(void **state)
{
    (void)state;
    th_thrift_bool(&thrift, 15, true);
    th_thrift_bool(&thrift, 31, false);
    th_thrift_byte(&thrift, 32, -3);
    th_thrift_end(&thrift);
    EXPECT("\xf1\x02\x3e\x13\xfd\x00");
}

static void structs_count_fields_anew(void **state)
{
    (void)state;
    th_thrift_struct(&thrift, 3);
    th_thrift_i32(&thrift, 1, 1);
    th_thrift_empty(&thrift, 2);
    th_thrift_end(&thrift);
    th_thrift_binary(&thrift, 4, TH_VIEW("ab"));
    th_thrift_end(&thrift);
    EXPECT("\x3c\x15\x02\x1c\x00\x00\x18\x02"
           "ab\x00");
}

static void lists_have_a_short_and_a_long_head(void **state)
{
    (void)state;
    th_thrift_list(&thrift, 1, TH_THRIFT_I32, 2);
    th_thrift_element_i32(&thrift, 1);
    th_thrift_element_i32(&thrift, -2);
    th_thrift_list(&thrift, 2, TH_THRIFT_STRUCT, 15);
    for (int i = 0; i < 15; i++) {
        th_thrift_element_struct(&thrift);
        th_thrift_end(&thrift);
    }
    th_thrift_end(&thrift);
    EXPECT("\x19\x25\x02\x03\x19\xfc\x0f\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
}

/* A field that is skipped: its type, its bytes, and the number of bytes that belong to it,
 * or 0 if it is refused. Each other length is refused too. */
static const struct row {
    const char *name;
    uint8_t type;
    const char *bytes;
    size_t len;
} rows[] = {
    /* clang-format off */
    { "a boolean has its value in its type", 1, "", 0 },
    { "a byte", 3, "\xff", 1 },
    { "16 bits", 4, "\xff\x7f", 2 },
    { "32 bits", 5, "\x01", 1 },
    { "64 bits", 6, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10 },
    { "a real", 7, "12345678", 8 },
    { "a text", 8, "\x03" "abc", 4 },
    { "a list of bytes", 9, "\x33" "abc", 4 },
    { "a list of booleans", 9, "\x31" "abc", 4 },
    { "a long list", 9, "\xf3\x02" "ab", 4 },
    { "a set", 10, "\x15\x07", 2 },
    { "a map", 11, "\x02\x38" "a" "\x01" "b" "c" "\x00", 7 },
    { "a map without entries", 11, "\x00", 1 },
    { "a structure", 12, "\x13" "a" "\x11" "\x00", 4 },
    { "a field by its number", 12, "\x03\x04" "a" "\x00", 4 },
    /* clang-format on */
};

/* Skips a field of an exact size. @return whether it was accepted */
static bool skips(uint8_t type, const char *bytes, size_t len, size_t *left)
{
    th_thrift_reader reader;
    char *exact = malloc(len ? len : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, len);
    th_thrift_read_begin(&reader, (th_view){ exact, len });
    th_thrift_skip(&reader, type);
    *left = len - (size_t)((const char *)reader.at - exact);
    free(exact);
    return !reader.has_failed;
}

static void row_is_skipped(void **state)
{
    const struct row *row = *state;
    size_t left = 0;
    char more[32];
    memcpy(more, row->bytes, row->len);
    more[row->len] = 'z';
    assert_true(skips(row->type, more, row->len + 1, &left));
    assert_int_equal(left, 1);
    for (size_t len = 0; len < row->len; len++)
        assert_false(skips(row->type, row->bytes, len, &left));
}

static void unsound_bytes_are_refused(void **state)
{
    (void)state;
    size_t left;
    static const struct {
        uint8_t type;
        const char *bytes;
        size_t len;
    } wrong[] = {
        { 0, "abc", 3 }, /* no such type */
        { 13, "abc", 3 },
        { 6, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 },
        { 8,
          "\x04"
          "abc",
          4 },
        { 9,
          "\x43"
          "abc",
          4 },
        { 9, "\xf3\xff\xff\xff\xff\x7f", 6 },
        { 11,
          "\x05\x33"
          "abcd",
          6 },
        { 12, "\x03\x80\x80\x04\x01\x00", 6 }, /* the field 32,768 */
        { 12, "\x1e\x00", 2 },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (skips(wrong[i].type, wrong[i].bytes, wrong[i].len, &left))
            fail_msg("%zu", i);
    assert_true(skips(12, "\x03\xfe\xff\x03\x01\x00", 6, &left)); /* 32,767 */
}

/* Structures in structures: deeper than a limit they are refused. */
static void depth_has_a_limit(void **state)
{
    (void)state;
    char bytes[512];
    size_t left, depth = 0;
    for (; depth < 200; depth++) {
        memset(bytes, 0x1c, depth);
        memset(bytes + depth, 0, depth + 1);
        if (!skips(12, bytes, 2 * depth + 1, &left))
            break;
        assert_int_equal(left, 0);
    }
    assert_int_equal(depth, 16);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    const struct CMUnitTest others[] = {
        cmocka_unit_test(unsound_bytes_are_refused),
        cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test_setup(numbers_are_zigzag, begin),
        cmocka_unit_test_setup(a_wide_step_names_its_field, begin),
        cmocka_unit_test_setup(structs_count_fields_anew, begin),
        cmocka_unit_test_setup(lists_have_a_short_and_a_long_head, begin),
    };
    struct CMUnitTest tests[ROWS + sizeof others / sizeof *others];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_is_skipped, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    memcpy(tests + ROWS, others, sizeof others);
    return cmocka_run_group_tests_name("thrift", tests, NULL, done);
}
