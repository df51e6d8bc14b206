/* Complete files: up to a limit, also without a size, and errors with the path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/whole_file.h"

static void reads_up_to_the_limit(void **state)
{
    enum { LEN = 600000 }; /* more than two pieces */
    (void)state;
    char path[] = "/tmp/whole_file_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "wb");
    assert_non_null(file);
    for (int i = 0; i < LEN; i++)
        assert_int_not_equal(putc(i % 251, file), EOF);
    assert_int_equal(fclose(file), 0);
    th_buffer bytes = { 0 };
    th_error err = { .text = "" };
    for (int round = 0; round < 2; round++) {
        assert_int_equal(
            th_whole_file_read(path, "model ", LEN, TH_DAMAGED, &bytes, &err), TH_OK);
        assert_int_equal(bytes.len, LEN);
        for (int i = 0; i < LEN; i++)
            assert_int_equal((unsigned char)bytes.data[i], i % 251);
    }
    assert_int_equal(
        th_whole_file_read(path, "model ", LEN - 1, TH_DAMAGED, &bytes, &err),
        TH_DAMAGED);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "larger than the limit of 599999 bytes"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(th_whole_file_read(path, "model ", LEN, TH_DAMAGED, &bytes, &err),
                     TH_ABSENT);
    assert_non_null(strstr(err.text, "cannot open model '/tmp/whole_file_"));
    th_buffer_done(&bytes);
}

static void not_a_file(void **state)
{
    (void)state;
    th_buffer bytes = { 0 };
    th_error err = { .text = "" };
    assert_int_equal(th_whole_file_read("/dev/null/x", "", 9, TH_USAGE, &bytes, &err),
                     TH_ABSENT);
    assert_int_equal(th_whole_file_read("/", "", 9, TH_USAGE, &bytes, &err), TH_IO);
    assert_string_equal(err.text, "cannot read '/': Is a directory");
    assert_int_equal(th_whole_file_read("/dev/zero", "", 9, TH_USAGE, &bytes, &err),
                     TH_USAGE);
    assert_int_equal(th_whole_file_read("/dev/null", "", 0, TH_USAGE, &bytes, &err),
                     TH_OK);
    assert_int_equal(bytes.len, 0);
    th_buffer_done(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_up_to_the_limit),
        cmocka_unit_test(not_a_file),
    };
    return cmocka_run_group_tests_name("whole_file", tests, NULL, NULL);
}
