/* src/parquet/run_lengths.c: the specification's example, and round trips. */
#include "parquet/run_lengths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 5000 };
static uint32_t put[MOST], got[MOST];

static void encode(const uint32_t *values, size_t count, unsigned width, th_buffer *out)
{
    th_run_lengths lengths;
    th_run_lengths_begin(&lengths, width, out);
    for (size_t i = 0; i < count; i++)
        th_run_lengths_put(&lengths, values[i]);
    th_run_lengths_end(&lengths);
    assert_false(out->has_failed);
}

/* A reader that knows nothing of the writer. @return whether `count` values come out, and
 * nothing but them */
static void decode(const th_buffer *in, size_t count, unsigned width)
{
    const unsigned char *at = (const unsigned char *)in->data;
    const unsigned char *const end = at + in->len;
    size_t done = 0;
    while (done < count) {
        uint64_t head = 0;
        unsigned shift = 0;
        do {
            assert_true(at < end);
            head |= (uint64_t)(*at & 0x7F) << shift;
            shift += 7;
        } while (*at++ & 0x80);
        const uint64_t len = head >> 1;
        assert_true(len > 0);
        if (head & 1) { /* groups of eight, packed */
            assert_true((size_t)(end - at) >= len * width);
            for (uint64_t i = 0; i < len * 8; i++) {
                uint32_t value = 0;
                for (unsigned bit = 0; bit < width; bit++) {
                    const uint64_t place = i * width + bit;
                    value |= (uint32_t)(at[place / 8] >> place % 8 & 1) << bit;
                }
                if (done < count)
                    got[done++] = value;
                else
                    assert_int_equal(value, 0);
            }
            at += len * width;
        } else {
            uint32_t value = 0;
            for (unsigned i = 0; i < (width + 7) / 8; i++)
                value |= (uint32_t)*at++ << 8 * i;
            assert_true(done + len <= count);
            for (uint64_t i = 0; i < len; i++)
                got[done++] = value;
        }
    }
    assert_ptr_equal(at, end);
    th_run_reader reader;
    assert_true(th_run_reader_begin(&reader, width, th_buffer_view(in)));
    for (size_t i = 0; i < count; i++) {
        uint32_t value = 0;
        assert_true(th_run_reader_next(&reader, &value));
        assert_int_equal(value, got[i]);
    }
}

static void the_example_is_packed_as_specified(void **state)
{
    static const uint32_t values[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    th_buffer out = { 0 };
    (void)state;
    encode(values, 8, 3, &out);
    assert_int_equal(out.len, 4);
    assert_memory_equal(out.data, "\x03\x88\xc6\xfa", 4);
    th_buffer_done(&out);
}

static void a_long_run_takes_two_bytes(void **state)
{
    th_buffer out = { 0 };
    (void)state;
    for (size_t i = 0; i < 50; i++)
        put[i] = 1;
    encode(put, 50, 1, &out);
    assert_int_equal(out.len, 2);
    assert_memory_equal(out.data, "\x64\x01", 2);
    th_buffer_done(&out);
}

static uint64_t seed = 88172645463325252u;

static uint32_t any(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

static void all_comes_back(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 600; round++) {
        const unsigned width = round % 33;
        const uint32_t mask = width == 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
        const size_t count = any() % (round % 10 ? 100 : MOST);
        for (size_t i = 0; i < count;) { /* runs of 1 to 24 */
            const uint32_t value = any() & mask;
            for (uint32_t run = 1 + any() % (round % 3 ? 24 : 2); run && i < count; run--)
                put[i++] = value;
        }
        th_buffer out = { 0 };
        encode(put, count, width, &out);
        decode(&out, count, width);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(got[i], put[i]);
        th_buffer_done(&out);
    }
}

static void widths_are_least(void **state)
{
    (void)state;
    assert_int_equal(th_bit_width(0), 0);
    assert_int_equal(th_bit_width(1), 1);
    assert_int_equal(th_bit_width(7), 3);
    assert_int_equal(th_bit_width(8), 4);
    assert_int_equal(th_bit_width(UINT32_MAX), 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_is_packed_as_specified),
        cmocka_unit_test(a_long_run_takes_two_bytes),
        cmocka_unit_test(all_comes_back),
        cmocka_unit_test(widths_are_least),
    };
    return cmocka_run_group_tests_name("run_lengths", tests, NULL, NULL);
}
