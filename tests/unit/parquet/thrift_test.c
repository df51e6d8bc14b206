/* src/parquet/thrift.c: bytes of the protocol's specification. */
#include "parquet/thrift.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(numbers_are_zigzag, begin),
        cmocka_unit_test_setup(a_wide_step_names_its_field, begin),
        cmocka_unit_test_setup(structs_count_fields_anew, begin),
        cmocka_unit_test_setup(lists_have_a_short_and_a_long_head, begin),
    };
    return cmocka_run_group_tests_name("thrift", tests, NULL, done);
}
