/* src/base/scratch_file.c: appended data can be read at any offset, in any order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/scratch_file.h"

enum { LEN = 3000000 };

static unsigned char byte_at(uint64_t at)
{
    return (unsigned char)(at * UINT64_C(0x9E3779B97F4A7C15) >> 56);
}

static void append(th_scratch_file *file, size_t len)
{
    unsigned char *bytes = malloc(len ? len : 1);
    const uint64_t start = th_scratch_len(file);
    for (size_t i = 0; i < len; i++)
        bytes[i] = byte_at(start + i);
    assert_int_equal(th_scratch_append(file, bytes, len, NULL), TH_OK);
    assert_true(th_scratch_len(file) == start + len);
    free(bytes);
}

static void assert_reads(th_scratch_file *file, uint64_t at, size_t len)
{
    unsigned char *bytes = malloc(len ? len : 1);
    assert_int_equal(th_scratch_read(file, at, bytes, len, NULL), TH_OK);
    for (size_t i = 0; i < len; i++)
        assert_int_equal(bytes[i], byte_at(at + i));
    free(bytes);
}

/* Sequential reads, random reads, and appends in between. */
static void reads_what_was_written(void **state)
{
    (void)state;
    th_scratch_file *file = NULL;
    unsigned seed = 3;
    assert_int_equal(th_scratch_open("", &file, NULL), TH_OK);
    append(file, 0);
    while (th_scratch_len(file) < LEN)
        append(file, (size_t)rand_r(&seed) % (rand_r(&seed) % 20 ? 3000 : 600000));
    for (int round = 0; round < 200; round++) {
        uint64_t at = (uint64_t)rand_r(&seed) % th_scratch_len(file);
        const int in_a_row = rand_r(&seed) % 40;
        for (int i = 0; i < in_a_row && at < th_scratch_len(file); i++) {
            const uint64_t left = th_scratch_len(file) - at;
            const size_t want = (size_t)rand_r(&seed) % (i % 10 ? 700 : 200000);
            const size_t len = want < left ? want : (size_t)left;
            assert_reads(file, at, len);
            at += len;
        }
        if (round % 10 == 0)
            append(file, 1000);
    }
    assert_reads(file, 0, (size_t)th_scratch_len(file));
    th_scratch_free(file);
    th_scratch_free(NULL);
}

static void has_no_name(void **state)
{
    (void)state;
    char folder[] = "/tmp/thresher-scratch-XXXXXX";
    th_scratch_file *file = NULL;
    th_error err = { .text = "" };
    assert_non_null(mkdtemp(folder));
    assert_int_equal(th_scratch_open(folder, &file, NULL), TH_OK);
    append(file, LEN);
    assert_int_equal(rmdir(folder), 0); /* it is empty */
    th_scratch_free(file);
    assert_int_equal(th_scratch_open(folder, &file, &err), TH_IO);
    assert_non_null(strstr(err.text, folder));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_was_written),
        cmocka_unit_test(has_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
