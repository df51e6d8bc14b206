/* src/dedup/decompressed_input.c: the end of a truncated file is reported, even for very short
 * files; and a file can be read without decompression. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dedup/decompressed_input.h"
#include "dedup/input_file.h"
#include "write/format.h"

static th_decompressed_input *open_bytes(const char *bytes, size_t len)
{
    th_decompressed_input *input = NULL;
    input_file_write(bytes, len);
    assert_int_equal(th_decompressed_open(input_file_path, NULL, NULL, &input, NULL),
                     TH_OK);
    return input;
}

/* Reads to the end in pieces of `capacity` bytes. */
static th_status read_all(th_decompressed_input *input, size_t capacity, th_buffer *out,
                          th_error *err)
{
    char bytes[4096];
    size_t got = 0;
    th_status status;
    while ((status = th_decompressed_read(input, bytes, capacity, &got, err)) == TH_OK) {
        assert_in_range(got, 1, capacity);
        th_buffer_append(out, bytes, got);
    }
    return status;
}

static const struct packing {
    th_compression how;
    const char *name;
    size_t mark_len; /* of its first bytes, by which it is known */
} packings[] = { { TH_GZIP, "gzip", 2 }, { TH_ZSTD, "zstd", 4 } };

static void every_cut_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        th_buffer packed = { 0 };
        assert_int_equal(th_compress(packings[i].how,
                                     TH_VIEW("{\"id\":\"a\"}\n{\"id\":\"b\"}\n"),
                                     &packed),
                         TH_OK);
        for (size_t cut = packings[i].mark_len; cut < packed.len; cut++) {
            th_decompressed_input *input = open_bytes(packed.data, cut);
            th_buffer out = { 0 };
            th_error err = { .text = "" };
            char start[5], words[80];
            (void)th_decompressed_peek(input, start, sizeof start);
            (void)snprintf(words, sizeof words,
                           "%s is truncated: the file ends at byte %zu", packings[i].name,
                           cut);
            assert_int_equal(read_all(input, 16, &out, &err), TH_BAD_CODING);
            assert_string_equal(err.text, words);
            th_decompressed_free(input);
            th_buffer_done(&out);
        }
        th_buffer_done(&packed);
    }
}

static void any_capacity_gives_the_text(void **state)
{
    (void)state;
    th_buffer text = { 0 }, packed = { 0 };
    for (unsigned i = 0; i < 500; i++)
        th_buffer_printf(&text, "{\"id\":\"%u\"}\n", i * i);
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        th_buffer_reset(&packed);
        assert_int_equal(th_compress(packings[i].how, th_buffer_view(&text), &packed),
                         TH_OK);
        for (size_t capacity = 1; capacity < 4; capacity++) {
            th_decompressed_input *input = open_bytes(packed.data, packed.len);
            th_buffer out = { 0 };
            assert_int_equal(read_all(input, capacity, &out, NULL), TH_END);
            assert_int_equal(out.len, text.len);
            assert_memory_equal(out.data, text.data, text.len);
            th_decompressed_free(input);
            th_buffer_done(&out);
        }
    }
    th_buffer_done(&text);
    th_buffer_done(&packed);
}

/* Damage found by a peek is reported again. */
static void damage_at_the_start_is_told(void **state)
{
    (void)state;
    static const char bytes[] = "\x1F\x8B\x08\0\0\0\0\0\0\3\xFF\xFF\xFF\xFF\xFF\xFF\xFF";
    th_decompressed_input *input = open_bytes(bytes, sizeof bytes - 1);
    th_buffer out = { 0 };
    th_error err = { .text = "" };
    char start[5];
    assert_int_equal(th_decompressed_peek(input, start, sizeof start), 0);
    assert_int_equal(read_all(input, 16, &out, &err), TH_BAD_CODING);
    assert_memory_equal(err.text, "gzip is damaged near byte ", 26);
    th_decompressed_free(input);
    th_buffer_done(&out);
}

static void a_file_is_left_packed(void **state)
{
    (void)state;
    th_buffer text = { 0 }, packed = { 0 };
    for (unsigned i = 0, seed = 1; i < 400000; i++)
        th_buffer_append_char(&text, (char)rand_r(&seed));
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        th_buffer_reset(&packed);
        assert_int_equal(th_compress(packings[i].how, th_buffer_view(&text), &packed),
                         TH_OK);
        th_decompressed_input *input = open_bytes(packed.data, packed.len);
        th_buffer out = { 0 };
        char start[5];
        assert_int_equal(th_decompressed_peek(input, start, sizeof start), sizeof start);
        assert_memory_equal(start, text.data, sizeof start);
        th_decompressed_read_raw(input);
        assert_int_equal(read_all(input, 4096, &out, NULL), TH_END);
        assert_int_equal(out.len, packed.len);
        assert_memory_equal(out.data, packed.data, packed.len);
        th_decompressed_free(input);
        th_buffer_done(&out);
    }
    th_buffer_done(&text);
    th_buffer_done(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cut_is_told),
        cmocka_unit_test(any_capacity_gives_the_text),
        cmocka_unit_test(damage_at_the_start_is_told),
        cmocka_unit_test(a_file_is_left_packed),
    };
    return cmocka_run_group_tests(tests, input_file_make, input_file_remove);
}
